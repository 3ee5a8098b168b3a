/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/rig.h"

#include "control/base/clock.h"
#include "control/config/lua_config.h"
#include "control/core/lua_core.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSEI          101
#define NSAPI         5
#define FIRST_TLLI    0x78000000u            /* a random TLLI */
#define HURRY_MOST_NS (MOMENT_SECOND / 1000) /* as in control/live/loop.c */

enum { OP_SEND, OP_HLR, OP_HLR_OPEN, OP_KEEP, OPS };
enum { UPDATE_LOCATION = 0x04, AUTH_INFO = 0x08, PURGE = 0x0c }; /* requests of GSUP */

struct message {
    struct core_event_from from;
    const uint8_t *octets;
    size_t count;
};

_Noreturn void rig_die(const char *why)
{
    fprintf(stderr, "phones_load: %s\n", why);
    exit(1);
}

/* --- intents --- */

struct fields {
    struct lua_field_octets octets;
    const char *key;
};

static const struct lua_field fields_octets[] = {LUA_FIELD_NEEDED(OCTETS, struct fields, octets, "octets"),
                                                 {0}};
static const struct lua_field fields_keep[] = {LUA_FIELD_NEEDED(TEXT, struct fields, key, "key"),
                                               LUA_FIELD_AS(OCTETS, struct fields, octets, "octets"),
                                               {0}};

static void keep(struct rig *rig, const struct lua_object *from)
{
    struct fields in = {0};
    if (lua_fields_read(rig->L, fields_keep, &in))
        rig_die("a record without a key");
    if (in.octets.bytes)
        lua_records_put(&rig->records, from->who, in.key, in.octets.bytes, in.octets.count);
    else
        lua_records_del(&rig->records, from->who, in.key);
}

/* A request to the HLR: the IMSI is its first element. */
static void note_request(struct rig *rig, const uint8_t *bytes, size_t octets)
{
    if (octets < RIG_REQUEST || bytes[2] != 0xee) {
        rig->is_pinged |= octets > 3 && bytes[2] == 0xfe && bytes[3] == 0;
        return;
    }
    if (bytes[4] != AUTH_INFO && bytes[4] != UPDATE_LOCATION && bytes[4] != PURGE)
        return;
    rig->asked = bytes[4];
    memcpy(rig->asked_imsi, bytes + 5, sizeof(rig->asked_imsi));
}

static void emit(void *arg, const struct lua_object *from, unsigned op)
{
    struct rig *rig = arg;
    struct fields in = {0};
    if (op == OP_KEEP)
        keep(rig, from);
    rig->has_hlr |= op == OP_HLR_OPEN;
    if (op != OP_SEND && op != OP_HLR)
        return;
    if (lua_fields_read(rig->L, fields_octets, &in))
        rig_die("a message without octets");
    rig->hlr_octets += op == OP_HLR ? in.octets.count : 0;
    if (op == OP_HLR)
        note_request(rig, (const uint8_t *)in.octets.bytes, in.octets.count);
    else
        memcpy(rig->told, in.octets.bytes,
               in.octets.count < sizeof(rig->told) ? in.octets.count : sizeof(rig->told));
}

static void rig_fail(void *unused_arg, const struct lua_object *unused_from, const char *text)
{
    rig_die(text);
}

/* --- calls, timed --- */

/* A call ends with the collection of garbage, as a pass of the node's loop does. */
static void end_call(struct rig *rig, enum rig_call call, int64_t since_ns)
{
    int64_t done_ns = clock_thread_ns(), took_ns = done_ns - since_ns;
    unsigned percent = lua_host_hurry(rig->L);
    while (percent > 0 && clock_thread_ns() - done_ns < moment_min(took_ns * percent / 100, HURRY_MOST_NS))
        percent = lua_host_hurry(rig->L);
    took_ns = clock_thread_ns() - since_ns;
    rig->busy_ns += took_ns;
    rig->core.now += rig->takes_time ? took_ns : 0;
    rig->longest_ns[call] = moment_max(rig->longest_ns[call], took_ns);
}

static struct message message_of(const struct rig *rig, const uint8_t *octets, size_t count)
{
    return (struct message){.from = {.nsei = NSEI, .bvci = rig->bvci}, .octets = octets, .count = count};
}

static void frame(struct rig *rig, uint32_t slot, struct message message)
{
    int64_t since_ns = clock_thread_ns();
    core_tell(&rig->core, phones_frame, LUA_ARG(slot), CORE_RECORD(from, &message.from),
              LUA_BOOL(rig->has_hlr), LUA_OCTETS(message.octets, message.count));
    end_call(rig, RIG_INPUT, since_ns);
}

static void expect(struct rig *rig, uint8_t discriminator, uint8_t type)
{
    rig->wrong += (rig->told[0] & 15) != discriminator || rig->told[1] != type;
    memset(rig->told, 0, sizeof(rig->told));
}

/* --- the HLR --- */

static void rig_fill(struct rig *rig, uint8_t *out, size_t octets)
{
    for (size_t i = 0; i < octets; i++) {
        rig->random ^= rig->random << 13;
        rig->random ^= rig->random >> 17;
        rig->random ^= rig->random << 5;
        out[i] = (uint8_t)rig->random;
    }
}

static const uint8_t vector_elements[][2] = {{0x20, 16}, {0x21, 4},  {0x22, 8}, {0x23, 16},
                                             {0x24, 16}, {0x25, 16}, {0x27, 8}};

/* RES, which is the last one, follows from RAND, so that the phone has no state. */
static void res_of(const uint8_t *rand, uint8_t res[8])
{
    for (unsigned i = 0; i < 8; i++)
        res[i] = rand[i] ^ 0x5a;
}

/* RAND, SRES, Kc, IK, CK, AUTN, RES. */
static size_t put_vector(struct rig *rig, uint8_t *out)
{
    size_t at = 2;
    for (size_t i = 0; i < sizeof(vector_elements) / sizeof(vector_elements[0]); i++) {
        out[at++] = vector_elements[i][0];
        out[at++] = vector_elements[i][1];
        rig_fill(rig, out + at, vector_elements[i][1]);
        at += vector_elements[i][1];
    }
    res_of(out + 4, out + at - 8);
    out[0] = 0x03;
    out[1] = (uint8_t)(at - 2);
    return at;
}

/* A message of GSUP in IPA with the IMSI that was asked for; octets: those at out + RIG_REQUEST. */
static void rig_answer(struct rig *rig, uint8_t type, uint8_t *out, size_t octets)
{
    bytes_put_u16(out, (uint16_t)(RIG_REQUEST - 3 + octets));
    out[2] = 0xee;
    out[3] = 0x05;
    out[4] = type;
    memcpy(out + 5, rig->asked_imsi, sizeof(rig->asked_imsi));
    rig->hlr_octets += RIG_REQUEST + octets;
    int64_t since_ns = clock_thread_ns();
    core_tell(&rig->core, phones_hlr_octets, LUA_OCTETS(out, RIG_REQUEST + octets));
    end_call(rig, RIG_INPUT, since_ns);
}

static void answer_vectors(struct rig *rig)
{
    uint8_t out[1024];
    size_t at = RIG_REQUEST;
    for (unsigned i = 0; i < 5; i++)
        at += put_vector(rig, out + at);
    rig_answer(rig, 0x0a, out, at - RIG_REQUEST);
}

static void answer_location(struct rig *rig)
{
    static const uint8_t data[] = {0x08, 0x04, 0x03, 0x94, 0x21, 0xf3, 0x05, 0x07, 0x10,
                                   0x01, 0x01, 0x12, 0x02, 0x01, '*',  0x28, 0x01, 0x01};
    uint8_t out[RIG_REQUEST + sizeof(data)];
    memcpy(out + RIG_REQUEST, data, sizeof(data));
    rig_answer(rig, 0x10, out, sizeof(data));
    rig_answer(rig, 0x06, out, 0);
}

static void raw(struct rig *rig, const uint8_t *octets, size_t count)
{
    core_tell(&rig->core, phones_hlr_octets, LUA_OCTETS(octets, count));
}

static void connect_hlr(struct rig *rig)
{
    static const uint8_t get[] = {0, 3, 0xfe, 4, 1, 1}, ack[] = {0, 1, 0xfe, 6};
    core_tell(&rig->core, phones_hlr_up);
    raw(rig, get, sizeof(get));
    raw(rig, ack, sizeof(ack));
}

static void respond(struct rig *rig, uint32_t slot)
{
    uint8_t octets[] = {0x08, 0x13, rig->told[3] >> 4, 0x22, 0, 0, 0, 0, 0x29, 4, 0, 0, 0, 0}, res[8];
    res_of(rig->told + 5, res);
    memcpy(octets + 4, res, 4);
    memcpy(octets + 10, res + 4, 4);
    expect(rig, 8, 0x12);
    frame(rig, slot, message_of(rig, octets, sizeof(octets)));
}

/* Vectors, the phone's answer, and the location: what a request causes when there is an HLR. */
static void authenticate(struct rig *rig, uint32_t slot)
{
    while (rig->asked || rig->told[1] == 0x12) {
        uint8_t asked = rig->asked;
        rig->asked = 0;
        if (asked == AUTH_INFO)
            answer_vectors(rig);
        else if (asked == UPDATE_LOCATION)
            answer_location(rig);
        else
            respond(rig, slot);
    }
}

/* --- procedures --- */

/* ATTACH REQUEST of a random TLLI with its IMSI. */
static struct message request_of(const struct rig *rig, uint32_t slot, uint8_t octets[32])
{
    static const uint8_t head[] = {0x08, 0x01, 2, 0xe5, 0xe0, 0x71, 0x0a, 0, 8},
                         tail[] = {0, 0xf1, 0x10, 0xff, 0xfe, 0, 5, 0x18, 0xb3, 0x43, 0x2b, 0x25};
    struct identity_imsi imsi;
    snprintf(imsi.digits, sizeof(imsi.digits), "26242%010u", slot);
    memcpy(octets, head, sizeof(head));
    int count = identity_imsi_encode(octets + sizeof(head), 8, &imsi);
    if (count != 8)
        rig_die("no IMSI");
    memcpy(octets + sizeof(head) + 8, tail, sizeof(tail));
    return message_of(rig, octets, sizeof(head) + 8 + sizeof(tail));
}

bool rig_knock(struct rig *rig, uint32_t slot)
{
    uint8_t octets[32];
    uint32_t tlli = FIRST_TLLI + slot % (1u << 27);
    struct message message = request_of(rig, slot, octets);
    int64_t since_ns = clock_thread_ns();
    bool is_new = core_ask(&rig->core, phones_admit, CORE_EVENT_REFUSE, LUA_ARG(tlli), LUA_ARG(NSEI),
                           LUA_ARG(rig->bvci), LUA_OCTETS(message.octets, message.count)) == CORE_EVENT_NEW;
    if (is_new)
        core_tell(&rig->core, phones_add, LUA_ARG(slot), LUA_ARG(tlli), LUA_ARG(NSEI), LUA_ARG(rig->bvci));
    end_call(rig, RIG_INPUT, since_ns);
    if (is_new)
        frame(rig, slot, message);
    return is_new;
}

/* ATTACH COMPLETE, ROUTING AREA UPDATE COMPLETE. */
void rig_complete(struct rig *rig, uint32_t slot, uint8_t type)
{
    const uint8_t complete[] = {0x08, type};
    frame(rig, slot, message_of(rig, complete, sizeof(complete)));
}

void rig_attach(struct rig *rig, uint32_t slot)
{
    rig->wrong += !rig_knock(rig, slot);
    authenticate(rig, slot);
    expect(rig, 8, 0x02);
    rig_complete(rig, slot, 0x03);
}

/* The address as text of its own. */
static void give_address(struct rig *rig, uint32_t slot)
{
    char text[16];
    const struct core_event_wanted given = {.ipv4 = text, .qclass = "background"};
    snprintf(text, sizeof(text), "10.%u.%u.%u", slot >> 16 & 255, slot >> 8 & 255, slot & 255);
    int64_t since_ns = clock_thread_ns();
    core_tell(&rig->core, phones_context_up, LUA_ARG(slot), LUA_ARG(NSAPI), CORE_RECORD(wanted, &given));
    end_call(rig, RIG_INPUT, since_ns);
}

void rig_activate(struct rig *rig, uint32_t slot)
{
    static const uint8_t activate[] = {0x0a, 0x41, 5, 3,   3,   0x0b, 0x92, 0x1f, 2,   0x01, 0x21,
                                       0x28, 9,    8, 'i', 'n', 't',  'e',  'r',  'n', 'e',  't'};
    frame(rig, slot, message_of(rig, activate, sizeof(activate)));
    give_address(rig, slot);
    expect(rig, 10, 0x42);
}

/* Without a signature: with an HLR the phone is authenticated by a vector that is left, or by new ones. */
void rig_update(struct rig *rig, uint32_t slot)
{
    static const uint8_t request[] = {0x08, 0x08, 0x00, 0x62, 0xf2, 0x24, 0,   1,
                                      1,    5,    0x18, 0xb3, 0x43, 0x2b, 0x25};
    frame(rig, slot, message_of(rig, request, sizeof(request)));
    authenticate(rig, slot);
    expect(rig, 8, 0x09);
    rig_complete(rig, slot, 0x0a);
}

void rig_detach(struct rig *rig, uint32_t slot)
{
    static const uint8_t request[] = {0x08, 0x05, 0x09};
    frame(rig, slot, message_of(rig, request, sizeof(request)));
    rig->asked = 0;
}

void rig_leave(struct rig *rig, uint32_t slot)
{
    static const uint8_t request[] = {0x08, 0x05, 0x01};
    uint8_t out[RIG_REQUEST];
    frame(rig, slot, message_of(rig, request, sizeof(request)));
    expect(rig, 8, 0x06);
    if (rig->asked == PURGE)
        rig_answer(rig, 0x0e, out, 0);
    rig->asked = 0;
}

bool rig_knows(struct rig *rig, uint32_t slot)
{
    return core_ask(&rig->core, phones_has, false, LUA_ARG(slot));
}

void rig_advance(struct rig *rig)
{
    static const uint8_t pong[] = {0, 1, 0xfe, 1};
    if (lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]) > rig->core.now)
        return;
    int64_t since_ns = clock_thread_ns();
    lua_object_advance(&rig->core.objects[CORE_OBJECT_phones], rig->core.now);
    end_call(rig, RIG_ADVANCE, since_ns);
    if (rig->is_pinged)
        raw(rig, pong, sizeof(pong));
    rig->is_pinged = false;
}

bool rig_tidy(struct rig *rig)
{
    int64_t since_ns = clock_thread_ns();
    bool has_more = lua_host_tidy(rig->L, rig->core.now);
    end_call(rig, RIG_TIDY, since_ns);
    return has_more;
}

uint64_t rig_collect(struct rig *rig)
{
    lua_gc(rig->L, LUA_GCCOLLECT);
    return ((uint64_t)lua_gc(rig->L, LUA_GCCOUNT) << 10) + (uint64_t)lua_gc(rig->L, LUA_GCCOUNTB);
}

void rig_reset(struct rig *rig)
{
    rig->busy_ns = 0;
    memset(rig->longest_ns, 0, sizeof(rig->longest_ns));
}

/* --- begin --- */

static void load(struct rig *rig)
{
    rig->L = lua_host_new(lua_modules);
    if (!rig->L || !lua_config_load_node(rig->L, rig->file, &rig->config))
        rig_die("no node");
    lua_host_prepare(rig->L, rig->config.limits.mobiles, rig->config.limits.lua_octets);
}

static void make_phones(struct rig *rig)
{
    static const char *const ops[OPS] = {"phone_send", "hlr_send", "hlr_open", "keep"};
    lua_intents_init(&rig->core.intents, rig->L, emit, rig);
    rig->core.intents.fail = rig_fail;
    for (unsigned op = 0; op < OPS; op++)
        lua_intents_name(&rig->core.intents, ops[op], op);
    lua_object_keep_records(rig->L);
    lua_core_make(&rig->core, CORE_OBJECT_phones);
    lua_pop(rig->L, 1);
    lua_host_limit(rig->L, rig->config.limits.lua_octets);
}

void rig_init(struct rig *rig, const char *file)
{
    *rig = (struct rig){.file = file, .bvci = RIG_CELL, .random = 2463534242u};
    load(rig);
    lua_records_init(&rig->records, rig->config.limits.lua_octets);
    make_phones(rig);
    core_tell(&rig->core, phones_start);
    if (rig->has_hlr)
        connect_hlr(rig);
    lua_host_defer(rig->L);
}

static void adopt(struct rig *rig)
{
    const struct lua_object *phones = &rig->core.objects[CORE_OBJECT_phones];
    const struct lua_record *record;
    struct lua_records kept;
    lua_records_move(&kept, &rig->records);
    TAILQ_FOREACH(record, &kept.list, all)
    lua_object_adopt(phones, record->key, record->octets, record->count, rig->core.now);
    lua_records_free(&kept);
    lua_object_adopted(phones, rig->core.now);
    core_tell(&rig->core, phones_start);
}

/* The node waits until the HLR has noticed the end of the former connection. */
static void connect_again(struct rig *rig)
{
    rig->has_hlr = false;
    while (!rig->has_hlr) {
        rig->core.now = moment_max(rig->core.now, lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]));
        rig_advance(rig);
    }
    connect_hlr(rig);
}

void rig_restart(struct rig *rig)
{
    struct core former = rig->core;
    struct lua_State *former_L = rig->L;
    node_config_free(&rig->config);
    load(rig);
    lua_host_defer(rig->L);
    rig_reset(rig);
    int64_t since_ns = clock_thread_ns();
    make_phones(rig);
    adopt(rig);
    int64_t took_ns = clock_thread_ns() - since_ns;
    lua_object_fini(&former.objects[CORE_OBJECT_phones]);
    lua_intents_fini(&former.intents);
    lua_host_free(former_L);
    if (rig->has_hlr)
        connect_again(rig);
    rig_reset(rig);
    rig->busy_ns = took_ns;
}
