/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GMM and SM of a node in its Lua state, with the node's collection of garbage, between phones, an HLR and a
 * GGSN that answer at once. Every call into Lua is timed by the thread's processor time, with the intents
 * that it returns and the records that they write. Workers, GTP-C and the TCP connection of the HLR are not
 * there. phones.py has the usage.
 */
#include "control/base/clock.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/lua_core.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 2, OTHER_CELL = 3 }; /* BVCIs of one NSE and one routeing area */
enum {
    RIG_REQUEST = 15, /* octets of a message of GSUP up to the end of its IMSI, with IPA */
    RIG_TOLD = 21,    /* octets of AUTHENTICATION AND CIPHERING REQUEST up to the end of RAND */
};

/* The calls whose longest is kept. */
enum rig_call { RIG_INPUT, RIG_ADVANCE, RIG_TIDY, RIG_CALLS };

struct message {
    struct core_event_from from;
    const uint8_t *octets;
    size_t count;
};

struct rig {
    lua_State *L;
    struct node_config config;
    struct core core; /* now: virtual */
    struct lua_records records;
    bool has_hlr;  /* the node has wanted a connection to it */
    uint32_t bvci; /* of the cell of all phones from now on */
    int64_t busy_ns, longest_ns[RIG_CALLS];
    bool takes_time; /* a call delays core.now */
    uint32_t random;
    uint8_t told[RIG_TOLD]; /* the first octets of the latest message to a phone */
    uint8_t asked;          /* type of the latest request to the HLR, 0: answered */
    uint8_t asked_imsi[RIG_REQUEST - 5];
    bool is_pinged;
    uint64_t wrong; /* answers that did not come */
};

#define NSEI          101
#define NSAPI         5
#define FIRST_TLLI    0x78000000u            /* a random TLLI */
#define PHONES_MOST   1000                   /* during a flood */
#define FLOOD_FIRST   1000000u               /* number of the first phone of a flood */
#define EVERY_NS      (MOMENT_SECOND / 2000) /* virtual time between phones */
#define HURRY_MOST_NS (MOMENT_SECOND / 1000) /* as in control/live/loop.c */
#define EXPIRY_NS     (2 * 3600 * MOMENT_SECOND)

enum { OP_SEND, OP_HLR, OP_HLR_OPEN, OP_KEEP, OPS };
enum { UPDATE_LOCATION = 0x04, AUTH_INFO = 0x08 }; /* requests of GSUP */

static _Noreturn void die(const char *why)
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
        die("a record without a key");
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
    if (bytes[4] != AUTH_INFO && bytes[4] != UPDATE_LOCATION)
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
        die("a message without octets");
    if (op == OP_HLR)
        note_request(rig, (const uint8_t *)in.octets.bytes, in.octets.count);
    else
        memcpy(rig->told, in.octets.bytes,
               in.octets.count < sizeof(rig->told) ? in.octets.count : sizeof(rig->told));
}

static void phones_load_fail(void *unused_arg, const struct lua_object *unused_from, const char *text)
{
    die(text);
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

static void phones_load_fill(struct rig *rig, uint8_t *out, size_t octets)
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
        phones_load_fill(rig, out + at, vector_elements[i][1]);
        at += vector_elements[i][1];
    }
    res_of(out + 4, out + at - 8);
    out[0] = 0x03;
    out[1] = (uint8_t)(at - 2);
    return at;
}

/* A message of GSUP in IPA with the IMSI that was asked for; octets: those at out + RIG_REQUEST. */
static void phones_load_answer(struct rig *rig, uint8_t type, uint8_t *out, size_t octets)
{
    bytes_put_u16(out, (uint16_t)(RIG_REQUEST - 3 + octets));
    out[2] = 0xee;
    out[3] = 0x05;
    out[4] = type;
    memcpy(out + 5, rig->asked_imsi, sizeof(rig->asked_imsi));
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
    phones_load_answer(rig, 0x0a, out, at - RIG_REQUEST);
}

static void answer_location(struct rig *rig)
{
    static const uint8_t data[] = {0x08, 0x04, 0x03, 0x94, 0x21, 0xf3, 0x05, 0x07, 0x10,
                                   0x01, 0x01, 0x12, 0x02, 0x01, '*',  0x28, 0x01, 0x01};
    uint8_t out[RIG_REQUEST + sizeof(data)];
    memcpy(out + RIG_REQUEST, data, sizeof(data));
    phones_load_answer(rig, 0x10, out, sizeof(data));
    phones_load_answer(rig, 0x06, out, 0);
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
        die("no IMSI");
    memcpy(octets + sizeof(head) + 8, tail, sizeof(tail));
    return message_of(rig, octets, sizeof(head) + 8 + sizeof(tail));
}

static bool rig_knock(struct rig *rig, uint32_t slot)
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
static void rig_complete(struct rig *rig, uint32_t slot, uint8_t type)
{
    const uint8_t complete[] = {0x08, type};
    frame(rig, slot, message_of(rig, complete, sizeof(complete)));
}

static void rig_attach(struct rig *rig, uint32_t slot)
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

static void rig_activate(struct rig *rig, uint32_t slot)
{
    static const uint8_t activate[] = {0x0a, 0x41, 5, 3,   3,   0x0b, 0x92, 0x1f, 2,   0x01, 0x21,
                                       0x28, 9,    8, 'i', 'n', 't',  'e',  'r',  'n', 'e',  't'};
    frame(rig, slot, message_of(rig, activate, sizeof(activate)));
    give_address(rig, slot);
    expect(rig, 10, 0x42);
}

/* Without a signature: with an HLR the phone is authenticated by a vector that is left, or by new ones. */
static void rig_update(struct rig *rig, uint32_t slot)
{
    static const uint8_t request[] = {0x08, 0x08, 0x00, 0x62, 0xf2, 0x24, 0,   1,
                                      1,    5,    0x18, 0xb3, 0x43, 0x2b, 0x25};
    frame(rig, slot, message_of(rig, request, sizeof(request)));
    authenticate(rig, slot);
    expect(rig, 8, 0x09);
    rig_complete(rig, slot, 0x0a);
}

static void rig_detach(struct rig *rig, uint32_t slot)
{
    static const uint8_t request[] = {0x08, 0x05, 0x09};
    frame(rig, slot, message_of(rig, request, sizeof(request)));
    rig->asked = 0;
}

static void rig_advance(struct rig *rig)
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

static bool rig_tidy(struct rig *rig)
{
    int64_t since_ns = clock_thread_ns();
    bool has_more = lua_host_tidy(rig->L, rig->core.now);
    end_call(rig, RIG_TIDY, since_ns);
    return has_more;
}

static uint64_t rig_collect(struct rig *rig)
{
    lua_gc(rig->L, LUA_GCCOLLECT);
    return ((uint64_t)lua_gc(rig->L, LUA_GCCOUNT) << 10) + (uint64_t)lua_gc(rig->L, LUA_GCCOUNTB);
}

static void rig_reset(struct rig *rig)
{
    rig->busy_ns = 0;
    memset(rig->longest_ns, 0, sizeof(rig->longest_ns));
}

/* --- begin --- */

static void rig_init(struct rig *rig, const char *file)
{
    static const char *const ops[OPS] = {"phone_send", "hlr_send", "hlr_open", "keep"};
    *rig = (struct rig){.L = lua_host_new(lua_modules), .bvci = CELL, .random = 2463534242u};
    if (!rig->L || !lua_config_load_node(rig->L, file, &rig->config))
        die("no node");
    lua_host_prepare(rig->L, rig->config.limits.mobiles, rig->config.limits.lua_octets);
    lua_intents_init(&rig->core.intents, rig->L, emit, rig);
    rig->core.intents.fail = phones_load_fail;
    for (unsigned op = 0; op < OPS; op++)
        lua_intents_name(&rig->core.intents, ops[op], op);
    lua_records_init(&rig->records, rig->config.limits.lua_octets);
    lua_object_keep_records(rig->L);
    lua_core_make(&rig->core, CORE_OBJECT_phones);
    lua_pop(rig->L, 1);
    lua_host_limit(rig->L, rig->config.limits.lua_octets);
    core_tell(&rig->core, phones_start);
    if (rig->has_hlr)
        connect_hlr(rig);
    lua_host_defer(rig->L);
}

static double in_ms(int64_t ns)
{
    return (double)ns / (MOMENT_SECOND / 1000);
}

/* --- a flood ---
 *
 * Phones that attach in one cell during a flood of new phones in another one of the same NSE. One queue: a
 * message waits until those before it are served, for as long as each of them takes. Phones answer at once.
 */

struct flood {
    struct rig *rig;
    int64_t due_ns[2 * PHONES_MOST]; /* of the phones' messages: requests, then answers to ACCEPTs */
    uint32_t phones, taken, due;
    int64_t every_ns, next_ns; /* of the flood */
    uint32_t unknown;
};

/* Time until the next message: timers, then garbage. */
static void wait_until(struct rig *rig, int64_t at_ns)
{
    rig_advance(rig);
    while (rig->core.now < at_ns) {
        int64_t timer_ns = lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]);
        if (timer_ns <= rig->core.now)
            rig_advance(rig);
        else if (!rig_tidy(rig))
            rig->core.now = moment_max(rig->core.now, moment_min(at_ns, timer_ns));
    }
}

static void take_stranger(struct flood *flood)
{
    flood->rig->bvci = CELL;
    rig_knock(flood->rig, FLOOD_FIRST + flood->unknown++);
    flood->next_ns += flood->every_ns;
}

static void take_phone(struct flood *flood)
{
    struct rig *rig = flood->rig;
    uint32_t phone = flood->taken++;
    rig->bvci = OTHER_CELL;
    if (phone >= flood->phones) {
        rig_complete(rig, phone - flood->phones, 0x03);
        return;
    }
    rig->wrong += !rig_knock(rig, phone);
    flood->due_ns[flood->due++] = rig->core.now;
}

/* The flood begins before_s earlier than the phones; milliseconds until the last of these has attached. */
static double flood_ms(struct rig *rig, uint32_t phones, uint32_t flood_pps, uint32_t before_s)
{
    int64_t phones_ns = rig->core.now + before_s * MOMENT_SECOND;
    struct flood flood = {.rig = rig, .phones = phones, .due = phones, .next_ns = MOMENT_NEVER};
    if (flood_pps > 0) {
        flood.every_ns = MOMENT_SECOND / flood_pps;
        flood.next_ns = rig->core.now;
    }
    for (uint32_t i = 0; i < phones; i++)
        flood.due_ns[i] = phones_ns;
    rig->takes_time = true;
    while (flood.taken < 2 * phones) {
        int64_t phone_ns = flood.due_ns[flood.taken];
        wait_until(rig, moment_min(phone_ns, flood.next_ns));
        if (phone_ns <= flood.next_ns)
            take_phone(&flood);
        else
            take_stranger(&flood);
    }
    return in_ms(rig->core.now - phones_ns);
}

/* --- figures: one line each, name and value --- */

static void print(const char *name, double value)
{
    printf("%s %.3f\n", name, value);
    fflush(stdout);
}

static double in_mib(uint64_t octets)
{
    return (double)octets / (1 << 20);
}

/* New phones, 2000 a second of virtual time; prints how many a second of processor time. */
static void attach_all(struct rig *rig, uint32_t phones)
{
    for (uint32_t slot = 0; slot < phones; slot++) {
        rig->core.now += EVERY_NS;
        rig_advance(rig);
        rig_attach(rig, slot);
        rig_activate(rig, slot);
    }
    print("attach_per_s", (double)phones * MOMENT_SECOND / (double)rig->busy_ns);
    print("attach_longest_ms", in_ms(rig->longest_ns[RIG_INPUT]));
}

/* Every tenth phone detaches and attaches again; the collection has a step after each phone. */
static void update_all(struct rig *rig, uint32_t phones, uint32_t updates)
{
    rig_reset(rig);
    for (uint32_t i = 0; i < updates; i++) {
        uint32_t slot = (uint32_t)((uint64_t)i * 48271 % phones);
        rig->core.now += EVERY_NS;
        rig_advance(rig);
        if (i % 10 != 0) {
            rig_update(rig, slot);
        } else {
            rig_detach(rig, slot);
            rig_attach(rig, slot);
            rig_activate(rig, slot);
        }
        rig_tidy(rig);
    }
    print("update_per_s", (double)updates * MOMENT_SECOND / (double)rig->busy_ns);
    print("update_longest_ms", in_ms(rig->longest_ns[RIG_INPUT]));
    print("update_tidy_longest_ms", in_ms(rig->longest_ns[RIG_TIDY]));
}

/* The timers of all phones are due at once. */
static void expire_all(struct rig *rig)
{
    rig_reset(rig);
    rig->core.now += EXPIRY_NS;
    while (lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]) <= rig->core.now)
        rig_advance(rig);
    print("advance_longest_ms", in_ms(rig->longest_ns[RIG_ADVANCE]));
}

static void attach(struct rig *rig, const uint32_t *values)
{
    attach_all(rig, values[0]);
}

static void phones_load_hold(struct rig *rig, const uint32_t *values)
{
    uint64_t empty = rig_collect(rig);
    attach_all(rig, values[0]);
    print("allocated_mib", in_mib(lua_host_octets(rig->L)));
    rig_reset(rig);
    while (rig_tidy(rig))
        ;
    print("tidy_longest_ms", in_ms(rig->longest_ns[RIG_TIDY]));
    update_all(rig, values[0], values[1]);
    print("lua_mib", in_mib(rig_collect(rig) - empty));
    print("records_mib", in_mib(rig->records.octets));
    expire_all(rig);
}

/* The phones before the flood leave again: Lua's memory and the CPU's caches are in use. */
static void flood(struct rig *rig, const uint32_t *values)
{
    for (uint32_t slot = 0; slot < values[0] * 10; slot++)
        rig_attach(rig, slot);
    for (uint32_t slot = 0; slot < values[0] * 10; slot++)
        rig_detach(rig, slot);
    print("flood_ms", flood_ms(rig, values[0], values[1], values[2]));
}

static const struct {
    const char *name;
    void (*measure)(struct rig *rig, const uint32_t *values);
} figures[] = {{"attach", attach}, {"hold", phones_load_hold}, {"flood", flood}};

/* phones_load FILE FIGURE NUMBER NUMBER NUMBER, for phones.py */
int main(int argc, char **argv)
{
    uint32_t values[3] = {0};
    if (argc != 6)
        die("phones.py runs it");
    for (int i = 0; i < 3; i++)
        values[i] = (uint32_t)strtoul(argv[3 + i], NULL, 10);
    static struct rig rig; /* until the end of the process */
    rig_init(&rig, argv[1]);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (strcmp(figures[i].name, argv[2]) == 0)
            figures[i].measure(&rig, values);
    if (rig.wrong > 0)
        die("phones were not answered");
    return 0;
}
