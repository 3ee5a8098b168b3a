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

const struct lua_field core_event_given_fields[] = {
    FIELD(TEXT, given, ipv4, "ipv4"), FIELD(TEXT, given, ipv6, "ipv6"),   FIELD(TEXT, given, qclass, "class"),
    FIELD(OCTETS, given, pco, "pco"), NEEDED(I32, given, cause, "cause"), {0}};

const struct lua_field core_event_numbers_fields[] = {NEEDED(U8, numbers, nsapi, "nsapi"),
                                                      NEEDED(U8, numbers, send, "send"),
                                                      NEEDED(U8, numbers, receive, "receive"),
                                                      {0}};

const struct lua_field core_event_plan_fields[] = {FIELD(U32, plan, parts, "parts"),
                                                   FIELD(I64, plan, most_ns, "most_ns"),
                                                   FIELD(CHARS, plan, text, "says"),
                                                   FIELD(CHARS, plan, text, "refusal"),
                                                   {0}};

void core_event_order_fields(const struct core_event_order *order,
                             struct lua_field fields[CORE_EVENT_WORDS + 1])
{
    memset(fields, 0, (CORE_EVENT_WORDS + 1) * sizeof(*fields));
    for (unsigned i = 0; i < order->count; i++)
        fields[i] = (struct lua_field){.key = order->words[i].name,
                                       .offset = (uint16_t)offsetof(struct core_event_order, words[i].value),
                                       .kind = LUA_FIELD_TEXT};
}
