/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/phones_rig.h"

#include "control/base/clock.h"
#include "control/config/lua_config.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSEI       101
#define NSAPI      5
#define FIRST_TLLI 0x78000000u /* a random TLLI */
#define HLR_TEXT   "policy = 'hlr', hlr = { address = '10.99.0.9' }, "
#define ALL_TEXT   "policy = 'accept_all', "

static const char config_head[] =
    "return {\n"
    "  gb = { address = '10.99.0.1' }, gn = { addresses = { '10.0.8.1' } },\n"
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = {\n"
    "    { bvci = 2, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 1, ci = 1 } },\n"
    "    { bvci = 3, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 1, ci = 2 } } } } },\n"
    "  mobiles = { cells = { 2, 3 } }, limits = { mobiles = 1000000, contexts = 1000000 },\n"
    "  phones = { ";
static const char config_tail[] =
    "apns = { { name = 'internet', sgsn_address = '10.0.8.1', ggsn_address = '10.0.0.2' } } },\n"
    "}\n";

enum { OP_SEND, OP_HLR, OP_KEEP, OP_OTHER };
enum { UPDATE_LOCATION = 0x04, AUTH_INFO = 0x08 }; /* requests of GSUP */

static const struct {
    const char *name;
    unsigned op;
} ops[] = {
    {"phone_send", OP_SEND},     {"hlr_send", OP_HLR},        {"keep", OP_KEEP},
    {"phone_heard", OP_OTHER},   {"ms_wanted", OP_OTHER},     {"phone_cipher", OP_OTHER},
    {"phone_tlli", OP_OTHER},    {"phone_imsi", OP_OTHER},    {"phone_del", OP_OTHER},
    {"phone_pdp_add", OP_OTHER}, {"phone_pdp_del", OP_OTHER}, {"hlr_open", OP_OTHER},
    {"hlr_close", OP_OTHER},     {"log", OP_OTHER},
};

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "phones_bench: %s\n", why);
    exit(1);
}

/* --- intents --- */

struct fields {
    struct lua_intent_octets octets;
    const char *key;
};

static const struct lua_intent_field fields_octets[] = {
    {"octets", offsetof(struct fields, octets), LUA_INTENT_OCTETS, 0, true}, {0}};
static const struct lua_intent_field fields_keep[] = {
    {"key", offsetof(struct fields, key), LUA_INTENT_TEXT, 0, true},
    {"octets", offsetof(struct fields, octets), LUA_INTENT_OCTETS, 0, false},
    {0}};

static void keep(struct phones_rig *rig, const struct lua_object *from)
{
    struct fields in = {0};
    if (lua_intent_read(rig->L, fields_keep, &in))
        die("a record without a key");
    if (in.octets.bytes)
        lua_records_put(&rig->records, from->who, in.key, in.octets.bytes, in.octets.count);
    else
        lua_records_del(&rig->records, from->who, in.key);
}

/* A request to the HLR: the IMSI is its first element. */
static void note_request(struct phones_rig *rig, const uint8_t *bytes, size_t octets)
{
    if (octets < PHONES_RIG_REQUEST || bytes[2] != 0xee) {
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
    struct phones_rig *rig = arg;
    struct fields in = {0};
    if (op == LUA_INTENT_NO_OP)
        die("an intent without a name");
    if (op == OP_KEEP)
        keep(rig, from);
    if (op != OP_SEND && op != OP_HLR)
        return;
    if (lua_intent_read(rig->L, fields_octets, &in))
        die("a message without octets");
    if (op == OP_HLR)
        note_request(rig, (const uint8_t *)in.octets.bytes, in.octets.count);
    else
        memcpy(rig->told, in.octets.bytes,
               in.octets.count < sizeof(rig->told) ? in.octets.count : sizeof(rig->told));
}

static void fail(void *unused_arg, const struct lua_object *unused_from, const char *text)
{
    (void)unused_arg;
    (void)unused_from;
    die(text);
}

/* --- calls, timed --- */

/* What the node's loop does after each pass belongs to the call. */
static void end_call(struct phones_rig *rig, enum phones_rig_call call, int64_t since_ns)
{
    lua_host_hurry(rig->L);
    int64_t took_ns = clock_thread_ns() - since_ns;
    rig->busy_ns += took_ns;
    rig->longest_ns[call] = moment_max(rig->longest_ns[call], took_ns);
}

static struct lua_phones_message message_of(uint32_t bvci, const uint8_t *octets, size_t count)
{
    return (struct lua_phones_message){.nsei = NSEI, .bvci = bvci, .octets = octets, .count = count};
}

static void frame(struct phones_rig *rig, uint32_t slot, struct lua_phones_message message)
{
    message.is_ciphered = rig->has_hlr;
    int64_t since_ns = clock_thread_ns();
    lua_phones_frame(&rig->phones, slot, &message, rig->now);
    end_call(rig, PHONES_RIG_INPUT, since_ns);
}

static void expect(struct phones_rig *rig, uint8_t discriminator, uint8_t type)
{
    rig->wrong += (rig->told[0] & 15) != discriminator || rig->told[1] != type;
    memset(rig->told, 0, sizeof(rig->told));
}

/* --- the HLR --- */

static void fill(struct phones_rig *rig, uint8_t *out, size_t octets)
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
static size_t put_vector(struct phones_rig *rig, uint8_t *out)
{
    size_t at = 2;
    for (size_t i = 0; i < sizeof(vector_elements) / sizeof(vector_elements[0]); i++) {
        out[at++] = vector_elements[i][0];
        out[at++] = vector_elements[i][1];
        fill(rig, out + at, vector_elements[i][1]);
        at += vector_elements[i][1];
    }
    res_of(out + 4, out + at - 8);
    out[0] = 0x03;
    out[1] = (uint8_t)(at - 2);
    return at;
}

/* A message of GSUP in IPA with the IMSI that was asked for; octets: those behind it, at out +
 * PHONES_RIG_REQUEST.
 */
static void answer(struct phones_rig *rig, uint8_t type, uint8_t *out, size_t octets)
{
    bytes_put_u16(out, (uint16_t)(PHONES_RIG_REQUEST - 3 + octets));
    out[2] = 0xee;
    out[3] = 0x05;
    out[4] = type;
    memcpy(out + 5, rig->asked_imsi, sizeof(rig->asked_imsi));
    int64_t since_ns = clock_thread_ns();
    lua_phones_hlr_octets(&rig->phones, out, PHONES_RIG_REQUEST + octets, rig->now);
    end_call(rig, PHONES_RIG_INPUT, since_ns);
}

static void answer_vectors(struct phones_rig *rig)
{
    uint8_t out[1024];
    size_t at = PHONES_RIG_REQUEST;
    for (unsigned i = 0; i < 5; i++)
        at += put_vector(rig, out + at);
    answer(rig, 0x0a, out, at - PHONES_RIG_REQUEST);
}

static void answer_location(struct phones_rig *rig)
{
    static const uint8_t data[] = {0x08, 0x04, 0x03, 0x94, 0x21, 0xf3, 0x05, 0x07, 0x10,
                                   0x01, 0x01, 0x12, 0x02, 0x01, '*',  0x28, 0x01, 0x01};
    uint8_t out[PHONES_RIG_REQUEST + sizeof(data)];
    memcpy(out + PHONES_RIG_REQUEST, data, sizeof(data));
    answer(rig, 0x10, out, sizeof(data));
    answer(rig, 0x06, out, 0);
}

static void raw(struct phones_rig *rig, const uint8_t *octets, size_t count)
{
    lua_phones_hlr_octets(&rig->phones, octets, count, rig->now);
}

static void connect_hlr(struct phones_rig *rig)
{
    static const uint8_t get[] = {0, 3, 0xfe, 4, 1, 1}, ack[] = {0, 1, 0xfe, 6};
    lua_phones_hlr(&rig->phones, true, rig->now);
    raw(rig, get, sizeof(get));
    raw(rig, ack, sizeof(ack));
}

static void respond(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    uint8_t octets[] = {0x08, 0x13, rig->told[3] >> 4, 0x22, 0, 0, 0, 0, 0x29, 4, 0, 0, 0, 0}, res[8];
    res_of(rig->told + 5, res);
    memcpy(octets + 4, res, 4);
    memcpy(octets + 10, res + 4, 4);
    expect(rig, 8, 0x12);
    frame(rig, slot, message_of(bvci, octets, sizeof(octets)));
}

/* Vectors, the phone's answer, and the location: what a request causes when there is an HLR. */
static void authenticate(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    while (rig->asked || rig->told[1] == 0x12) {
        uint8_t asked = rig->asked;
        rig->asked = 0;
        if (asked == AUTH_INFO)
            answer_vectors(rig);
        else if (asked == UPDATE_LOCATION)
            answer_location(rig);
        else
            respond(rig, slot, bvci);
    }
}

/* --- procedures --- */

/* ATTACH REQUEST of a random TLLI with its IMSI. */
static struct lua_phones_message request_of(uint32_t slot, uint32_t bvci, uint8_t octets[32])
{
    static const uint8_t head[] = {0x08, 0x01, 2, 0xe5, 0xe0, 0x71, 0x0a, 0, 8},
                         tail[] = {0, 0xf1, 0x10, 0xff, 0xfe, 0, 5, 0x18, 0xb3, 0x43, 0x2b, 0x25};
    struct identity identity = {.type = IDENTITY_IMSI};
    snprintf(identity.digits, sizeof(identity.digits), "26242%010u", slot);
    memcpy(octets, head, sizeof(head));
    int count = identity_encode(octets + sizeof(head), 8, &identity);
    if (count != 8)
        die("no IMSI");
    memcpy(octets + sizeof(head) + 8, tail, sizeof(tail));
    return message_of(bvci, octets, sizeof(head) + 8 + sizeof(tail));
}

bool phones_rig_knock(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    uint8_t octets[32];
    uint32_t tlli = FIRST_TLLI + slot % (1u << 27);
    struct lua_phones_message message = request_of(slot, bvci, octets);
    int64_t since_ns = clock_thread_ns();
    bool is_new = lua_phones_admit(&rig->phones, tlli, &message, rig->now) == LUA_PHONES_NEW;
    if (is_new)
        lua_phones_add(&rig->phones, slot, tlli, &message, rig->now);
    end_call(rig, PHONES_RIG_INPUT, since_ns);
    if (is_new)
        frame(rig, slot, message);
    return is_new;
}

void phones_rig_complete(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    static const uint8_t complete[] = {0x08, 0x03};
    frame(rig, slot, message_of(bvci, complete, sizeof(complete)));
}

void phones_rig_attach(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    rig->wrong += !phones_rig_knock(rig, slot, bvci);
    authenticate(rig, slot, bvci);
    expect(rig, 8, 0x02);
    phones_rig_complete(rig, slot, bvci);
}

/* The address as text of its own. */
static void give_address(struct phones_rig *rig, uint32_t slot)
{
    char text[16];
    struct lua_phones_given given = {.ipv4 = text, .qclass = "background", .pco = "\x80", .pco_octets = 1};
    snprintf(text, sizeof(text), "10.%u.%u.%u", slot >> 16 & 255, slot >> 8 & 255, slot & 255);
    int64_t since_ns = clock_thread_ns();
    lua_phones_context_up(&rig->phones, slot, NSAPI, &given, rig->now);
    end_call(rig, PHONES_RIG_INPUT, since_ns);
}

void phones_rig_activate(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    static const uint8_t activate[] = {0x0a, 0x41, 5, 3,   3,   0x0b, 0x92, 0x1f, 2,   0x01, 0x21,
                                       0x28, 9,    8, 'i', 'n', 't',  'e',  'r',  'n', 'e',  't'};
    frame(rig, slot, message_of(bvci, activate, sizeof(activate)));
    give_address(rig, slot);
    expect(rig, 10, 0x42);
}

/* Without a signature: with an HLR the phone is authenticated by a vector that is left, or by new ones. */
void phones_rig_update(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    static const uint8_t request[] = {0x08, 0x08, 0x00, 0x62, 0xf2, 0x24, 0,   1,
                                      1,    5,    0x18, 0xb3, 0x43, 0x2b, 0x25},
                         complete[] = {0x08, 0x0a};
    frame(rig, slot, message_of(bvci, request, sizeof(request)));
    authenticate(rig, slot, bvci);
    expect(rig, 8, 0x09);
    frame(rig, slot, message_of(bvci, complete, sizeof(complete)));
}

void phones_rig_detach(struct phones_rig *rig, uint32_t slot, uint32_t bvci)
{
    static const uint8_t request[] = {0x08, 0x05, 0x09};
    frame(rig, slot, message_of(bvci, request, sizeof(request)));
    rig->asked = 0;
}

void phones_rig_advance(struct phones_rig *rig)
{
    static const uint8_t pong[] = {0, 1, 0xfe, 1};
    if (lua_object_next_ns(&rig->phones.object) > rig->now)
        return;
    int64_t since_ns = clock_thread_ns();
    lua_object_advance(&rig->phones.object, rig->now);
    end_call(rig, PHONES_RIG_ADVANCE, since_ns);
    if (rig->is_pinged)
        raw(rig, pong, sizeof(pong));
    rig->is_pinged = false;
}

bool phones_rig_tidy(struct phones_rig *rig)
{
    int64_t since_ns = clock_thread_ns();
    bool has_more = lua_host_tidy(rig->L);
    end_call(rig, PHONES_RIG_TIDY, since_ns);
    return has_more;
}

uint64_t phones_rig_collect(struct phones_rig *rig)
{
    lua_gc(rig->L, LUA_GCCOLLECT);
    return ((uint64_t)lua_gc(rig->L, LUA_GCCOUNT) << 10) + (uint64_t)lua_gc(rig->L, LUA_GCCOUNTB);
}

void phones_rig_reset(struct phones_rig *rig)
{
    rig->busy_ns = 0;
    memset(rig->longest_ns, 0, sizeof(rig->longest_ns));
}

/* --- begin and end --- */

/* The checked configuration stays on the stack. */
static void load(struct phones_rig *rig)
{
    char text[2048];
    snprintf(text, sizeof(text), "%s%s%s", config_head, rig->has_hlr ? HLR_TEXT : ALL_TEXT, config_tail);
    lua_host_require(rig->L, "schema.config");
    lua_getfield(rig->L, -1, "load");
    lua_pushstring(rig->L, text);
    lua_pushliteral(rig->L, "");
    lua_pushliteral(rig->L, "node");
    lua_host_call(rig->L, 3, 1);
    lua_config_node(rig->L, &rig->config);
    lua_remove(rig->L, -2);
}

struct phones_rig *phones_rig_new(bool has_hlr)
{
    struct phones_rig *rig = calloc(1, sizeof(*rig));
    if (!rig || !(rig->L = lua_host_new(lua_modules)))
        die("no memory");
    rig->has_hlr = has_hlr;
    rig->random = 2463534242u;
    load(rig);
    lua_intents_init(&rig->intents, rig->L, emit, rig);
    rig->intents.fail = fail;
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        lua_intents_name(&rig->intents, ops[i].name, ops[i].op);
    lua_records_init(&rig->records, rig->config.limits.lua_octets);
    lua_object_keep_records(rig->L);
    lua_phones_init(&rig->phones, &rig->intents);
    lua_host_limit(rig->L, rig->config.limits.lua_octets);
    lua_phones_start(&rig->phones, rig->now);
    if (has_hlr)
        connect_hlr(rig);
    lua_host_defer(rig->L);
    return rig;
}

void phones_rig_free(struct phones_rig *rig)
{
    lua_phones_fini(&rig->phones);
    lua_intents_fini(&rig->intents);
    lua_records_free(&rig->records);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
    free(rig);
}
