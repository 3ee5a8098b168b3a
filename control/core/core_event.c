/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_event.h"

#include "control/core/core.h"

#include <string.h>

static const struct {
    const char *method;
    uint8_t object; /* enum core_object */
    bool has_intents;
} rows[CORE_EVENTS] = {
#define EVENT(object, method, ...) [CORE_EVENT_##object##_##method] = {#method, CORE_OBJECT_##object, true},
#define EVENT_SET(object, method, ...)                                                                       \
    [CORE_EVENT_##object##_##method] = {#method, CORE_OBJECT_##object, false},
#define EVENT_ASK(object, method, ...)                                                                       \
    [CORE_EVENT_##object##_##method] = {#method, CORE_OBJECT_##object, false},
#include "control/core/events.def"
};

/* NULL: the core has not the object. */
static const struct lua_object *object_of(const struct core *core, enum core_event event)
{
    const struct lua_object *object = &core->objects[rows[event].object];
    return object->L ? object : NULL;
}

static struct lua_call call_of(const struct core *core, enum core_event event,
                               const struct lua_arg *arguments)
{
    return (struct lua_call){.method = rows[event].method, .arguments = arguments, .now = core->now};
}

void core_event_tell(struct core *core, enum core_event event, const struct lua_arg *arguments)
{
    const struct lua_object *object = object_of(core, event);
    struct lua_call call = call_of(core, event, arguments);
    if (!object)
        return;
    core->has_new_timers |= rows[event].has_intents;
    (rows[event].has_intents ? lua_object_tell : lua_object_set)(object, &call);
}

int64_t core_event_ask(const struct core *core, enum core_event event, int64_t otherwise,
                       const struct lua_arg *arguments)
{
    const struct lua_object *object = object_of(core, event);
    struct lua_call call = call_of(core, event, arguments);
    return object ? lua_object_answer(object, &call, otherwise) : otherwise;
}

bool core_event_read(const struct core *core, enum core_event event, const struct lua_field *fields,
                     void *out, const struct lua_arg *arguments)
{
    const struct lua_object *object = object_of(core, event);
    struct lua_call call = call_of(core, event, arguments);
    return object && lua_object_read(object, &call, fields, out);
}

void core_event_each(const struct core *core, enum core_event event, const struct lua_list *list,
                     const struct lua_arg *arguments)
{
    const struct lua_object *object = object_of(core, event);
    struct lua_call call = call_of(core, event, arguments);
    if (object)
        lua_object_each(object, &call, list);
}

/* --- structs that are arguments --- */

#define FIELD(KIND, name, member, key)  LUA_FIELD_AS(KIND, struct core_event_##name, member, key)
#define NEEDED(KIND, name, member, key) LUA_FIELD_NEEDED(KIND, struct core_event_##name, member, key)

const struct lua_field core_event_from_fields[] = {NEEDED(U32, from, tlli, "tlli"),
                                                   NEEDED(U32, from, nsei, "nsei"),
                                                   NEEDED(U32, from, bvci, "bvci"),
                                                   NEEDED(BOOL, from, is_restarted, "restarted"),
                                                   {0}};

const struct lua_field core_event_cell_fields[] = {
    NEEDED(TEXT, cell, mcc, "mcc"), NEEDED(TEXT, cell, mnc, "mnc"), NEEDED(U16, cell, lac, "lac"),
    NEEDED(U8, cell, rac, "rac"),   NEEDED(U16, cell, ci, "ci"),    {0}};

const struct lua_field core_event_numbers_fields[] = {NEEDED(U8, numbers, nsapi, "nsapi"),
                                                      NEEDED(U8, numbers, send, "send"),
                                                      NEEDED(U8, numbers, receive, "receive"),
                                                      {0}};

const struct lua_field core_event_plan_fields[] = {FIELD(U32, plan, parts, "parts"),
                                                   FIELD(I64, plan, most_ns, "most_ns"),
                                                   FIELD(CHARS, plan, text, "says"),
                                                   FIELD(CHARS, plan, text, "refusal"),
                                                   {0}};

#define OR(KIND, name, member, key, absent) LUA_FIELD_OR(KIND, struct core_event_##name, member, key, absent)

const struct lua_field core_event_unlisted_fields[] = {
    NEEDED(U32, unlisted, nsei, "nsei"),
    NEEDED(U32, unlisted, nsvci, "nsvci"),
    NEEDED(U16, unlisted, udp_port, "udp_port"),
    NEEDED(U16, unlisted, own_port, "own_port"),
    NEEDED(TEXT, unlisted, address, "address"),
    NEEDED(TEXT, unlisted, own_address, "own_address"),
    OR(I32, unlisted, slot, "number", -1),
    NEEDED(BOOL, unlisted, has_room, "has_room"),
    NEEDED(BOOL, unlisted, has_address_room, "has_address_room"),
    {0}};

const struct lua_field core_event_flow_fields[] = {FIELD(U32, flow, max_rise_ppm, "max_rise"),
                                                   FIELD(I64, flow, bss_target_ns, "bss_target"),
                                                   FIELD(U64, flow, initial_octets, "initial.bmax"),
                                                   FIELD(U64, flow, initial_bps, "initial.leak_rate"),
                                                   {0}};

const struct lua_field core_event_ms_fields[] = {
    FIELD(BOOL, ms, is_suspended, "suspended"), FIELD(BOOL, ms, is_paged, "paged"), {0}};

const struct lua_field core_event_context_fields[] = {
    NEEDED(U8, context, nsapi, "nsapi"),
    NEEDED(U8, context, sapi, "sapi"),
    NEEDED(BOOL, context, takes_headers, "takes_headers"),
    NEEDED(BOOL, context, takes_data, "takes_data"),
    NEEDED(BOOL, context, is_acknowledged, "is_acknowledged"),
    NEEDED(BOOL, context, is_old, "is_old"),
    {0}};

const struct lua_field core_event_wanted_fields[] = {FIELD(TEXT, wanted, imsi, "imsi"),
                                                     FIELD(TEXT, wanted, msisdn, "msisdn"),
                                                     FIELD(TEXT, wanted, apn, "apn"),
                                                     FIELD(TEXT, wanted, pdp_type, "pdp_type"),
                                                     FIELD(TEXT, wanted, qclass, "class"),
                                                     FIELD(TEXT, wanted, ours, "ours"),
                                                     FIELD(TEXT, wanted, ggsn, "ggsn"),
                                                     FIELD(TEXT, wanted, ipv4, "ipv4"),
                                                     FIELD(TEXT, wanted, ipv6, "ipv6"),
                                                     NEEDED(U8, wanted, nsapi, "nsapi"),
                                                     {0}};

const struct lua_field core_event_place_fields[] = {NEEDED(U32, place, teid, "teid"),
                                                    FIELD(U64, place, linked, "linked"),
                                                    NEEDED(I32, place, zone, "zone"),
                                                    FIELD(OCTETS, place, cell, "cell"),
                                                    {0}};

const struct lua_field core_event_way_fields[] = {NEEDED(TEXT, way, ours, "ours"),
                                                  NEEDED(TEXT, way, theirs, "theirs"),
                                                  NEEDED(U16, way, port, "port"),
                                                  NEEDED(BOOL, way, is_right_port, "is_right_port"),
                                                  {0}};

const struct lua_field core_event_ids_fields[] = {
    NEEDED(U8, ids, nsapi, "nsapi"), NEEDED(U64, ids, id, "id"), {0}};

void core_event_order_fields(const struct core_event_order *order,
                             struct lua_field fields[CORE_EVENT_WORDS + 1])
{
    memset(fields, 0, (CORE_EVENT_WORDS + 1) * sizeof(*fields));
    for (unsigned i = 0; i < order->count; i++)
        fields[i] = (struct lua_field){.key = order->words[i].name,
                                       .offset = (uint16_t)offsetof(struct core_event_order, words[i].value),
                                       .kind = LUA_FIELD_TEXT};
}
