/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/gn_machine.h"

#include "tests/fuzz/getrandom.h"

#include <stdio.h>
#include <string.h>

enum { REQUESTS = 16 };

const char *const gn_machine_text =
    "return {\n"
    "  gb = { address = '10.99.0.1' },\n"
    "  gn = {\n"
    "    addresses = { '10.0.8.1' }, gtpc = { retry = '10 s' },\n"
    "    path = { every = '60 s', t3 = '2 s', n3 = 2, on_loss = 'delete' },\n"
    "    ggsns = {\n"
    "      { address = '10.0.0.2', user_networks = { '10.0.0.0/24', '2001:db8:a::/48' } },\n"
    "      { address = '10.0.1.2', user_networks = { '10.0.1.0/24', '10.0.8.0/24' } },\n"
    "      { address = '2001:db8::2', user_networks = { '2001:db8::/64' } },\n"
    "    },\n"
    "  },\n"
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = {\n"
    "    { bvci = 1001, cell_id = { mcc = '001', mnc = '01', lac = 1, rac = 1, ci = 1 } } } } },\n"
    "  mobiles = { cells = { 1001 } }, lifetime = { sgsn_max = '15 s' },\n"
    "  phones = { policy = 'accept_all', apns = { { name = 'internet', sgsn_address = '10.0.8.1', "
    "ggsn_address = '10.0.0.2' } },\n"
    "    pool = { others = { { address = '10.0.6.2', areas = { { lac = 9 } } }, { address = '10.0.6.3', "
    "areas = { { lac = 8 } } } } } },\n"
    "}\n";

/* The second GGSN may name addresses of 10.0.8.0/24, but not the node's own, which is in it. */
static const struct {
    const char *address, *ours, *networks[2];
} ggsns[] = {
    {"10.0.0.2", "10.0.8.1", {"10.0.0.", "2001:db8:a:"}},
    {"10.0.1.2", "10.0.8.1", {"10.0.1.", "10.0.8."}},
    {"2001:db8::2", "2001:db8:8::1", {"2001:db8::", "-"}},
};

const char *const gn_machine_senders[GN_MACHINE_SENDERS] = {
    "10.0.0.2",    "10.0.0.9",   "2001:db8:a::7", "10.0.1.2", "10.0.1.9",       "2001:db8::2",
    "2001:db8::9", "192.0.2.66", "10.0.8.1",      "10.0.8.7", "2001:db8:66::1",
};

struct gn_machine_context gn_machine_contexts[GN_MACHINE_SLOTS];

static struct gn_machine_request requests[REQUESTS];
static unsigned request_count;
static uint64_t last_id;

void gn_machine_begin(void)
{
    memset(gn_machine_contexts, 0, sizeof gn_machine_contexts);
    memset(requests, 0, sizeof requests);
    request_count = 0;
    last_id = 0;
    getrandom_seed(0);
}

/* --- contexts --- */

static unsigned ggsn_of(const struct gn_machine_context *context)
{
    return (unsigned)(context - gn_machine_contexts) % (sizeof ggsns / sizeof ggsns[0]);
}

const char *gn_machine_ggsn_of(const struct gn_machine_context *context)
{
    return ggsns[ggsn_of(context)].address;
}

static const char *const every_other =
    "for id, session in pairs((...).by_id) do session.wanted.is_once = id % 2 == 1 or nil end\n";

/* The IMSI ends with the number, by which the first request is known. */
void gn_machine_add(unsigned slot, unsigned what, int64_t now)
{
    static const char *const types[] = {"ipv4", "ipv6", "ipv4v6"};
    struct gn_machine_context *context = &gn_machine_contexts[slot];
    char imsi[32];
    *context = (struct gn_machine_context){.id = ++last_id};
    snprintf(imsi, sizeof imsi, "0010100%08u", (unsigned)context->id);
    const struct core_event_wanted wanted = {.imsi = imsi,
                                             .apn = "internet",
                                             .pdp_type = types[what % 3],
                                             .qclass = what & 4 ? "thp1" : "background",
                                             .ours = ggsns[ggsn_of(context)].ours,
                                             .ggsn = gn_machine_ggsn_of(context),
                                             .ipv4 = what & 8 && what % 3 != 1 ? "10.45.0.9" : NULL,
                                             .nsapi = (uint8_t)(5 + slot)};
    const struct core_event_place place = {.teid = 0x1000 + slot};
    machine_tell(now, gtpc_add, LUA_ARG(context->id), CORE_RECORD(wanted, &wanted),
                 CORE_RECORD(place, &place));
    context->is_once = context->id % 2 == 1;
    machine_check(machine_object(gtpc), every_other);
}

/* Whatever comes from now on is about a context that is not there. */
void gn_machine_del(unsigned slot, int64_t now)
{
    uint64_t id = gn_machine_contexts[slot].id;
    gn_machine_contexts[slot].id = 0;
    machine_tell(now, gtpc_del, LUA_ARG(id));
}

struct gn_machine_context *gn_machine_by_id(uint64_t id)
{
    for (unsigned i = 0; i < GN_MACHINE_SLOTS; i++)
        if (id > 0 && gn_machine_contexts[i].id == id)
            return &gn_machine_contexts[i];
    return NULL;
}

struct gn_machine_context *gn_machine_by_teid(uint32_t teid_control)
{
    for (unsigned i = 0; i < GN_MACHINE_SLOTS; i++)
        if (gn_machine_contexts[i].id > 0 && gn_machine_contexts[i].teid_control == teid_control)
            return &gn_machine_contexts[i];
    return NULL;
}

bool gn_machine_may_name(const struct gn_machine_context *context, const char *address)
{
    unsigned ggsn = ggsn_of(context);
    for (unsigned i = 0; i < sizeof ggsns / sizeof ggsns[0]; i++)
        if (strcmp(address, ggsns[i].ours) == 0)
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (strncmp(address, ggsns[ggsn].networks[i], strlen(ggsns[ggsn].networks[i])) == 0)
            return true;
    return strcmp(address, ggsns[ggsn].address) == 0;
}

bool gn_machine_is_from(const struct gn_machine_context *context, const char *sender)
{
    return strcmp(sender, gn_machine_ggsn_of(context)) == 0 || strcmp(sender, context->control[0]) == 0 ||
           strcmp(sender, context->control[1]) == 0;
}

/* --- requests of the node --- */

/* The context that a request is about. A Delete has the GGSN's TEID alone: that of its latest response, or of
 * one that was refused, which is mostly the complement of the node's. */
static uint32_t teid_control_of(const struct gtpc *message)
{
    if (message->type == GTPC_ECHO_REQUEST)
        return 0;
    if (message->has & GTPC_HAS_TEID_CONTROL)
        return message->teid_control;
    for (unsigned i = 0; i < GN_MACHINE_SLOTS; i++)
        if (gn_machine_contexts[i].is_up && gn_machine_contexts[i].ggsn_teid == message->teid)
            return gn_machine_contexts[i].teid_control;
    return ~message->teid;
}

void gn_machine_note(const struct gtpc *message, const char *ours, const char *theirs)
{
    struct gn_machine_request *request = &requests[request_count++ % REQUESTS];
    struct gn_machine_context *context;
    if (message->type == GTPC_CREATE_REQUEST &&
        (context = gn_machine_by_id((uint64_t)atoi(message->imsi + 7))))
        context->teid_control = message->teid_control;
    *request = (struct gn_machine_request){message->type, message->seq, teid_control_of(message), "", ""};
    snprintf(request->theirs, sizeof request->theirs, "%s", theirs);
    snprintf(request->ours, sizeof request->ours, "%s", ours);
    context = gn_machine_by_teid(request->teid_control);
    if (context)
        context->latest = *request;
}

const struct gn_machine_request *gn_machine_request(unsigned number)
{
    unsigned kept = request_count < REQUESTS ? request_count : REQUESTS;
    return kept ? &requests[(request_count - 1 - number % kept) % REQUESTS] : NULL;
}

/* --- what GGSNs and others send --- */

static struct gtpc_address address_of(unsigned number)
{
    struct gtpc_address out = {.octets = 4};
    const char *text = gn_machine_senders[number % GN_MACHINE_SENDERS];
    if (inet_pton(AF_INET, text, out.bytes) != 1) {
        out.octets = 16;
        FUZZ_CHECK(inet_pton(AF_INET6, text, out.bytes) == 1);
    }
    return out;
}

/* The first of a GGSN's list for half of the values, its own. */
static unsigned sender_near(const char *address, unsigned what)
{
    unsigned i = 0;
    while (i < GN_MACHINE_SENDERS - 1 && strcmp(gn_machine_senders[i], address) != 0)
        i++;
    return what < 0x80 ? i : what;
}

static void fill_create(struct gtpc *message, struct fuzz_input *in, const char *theirs)
{
    static const uint8_t qos[] = {0x1b, 0x93, 0x1f, 0x71, 0x96, 0xfe, 0xfe, 0x74, 0x4b, 0xff, 0xff};
    unsigned what = (unsigned)fuzz_take(in, 1);
    message->has |= GTPC_HAS_TEID_DATA | GTPC_HAS_TEID_CONTROL | GTPC_HAS_END_USER |
                    GTPC_HAS_CONTROL_ADDRESS | GTPC_HAS_USER_ADDRESS | GTPC_HAS_QOS;
    message->pdp_type = what & 1 ? GTPC_PDP_IPV4V6 : GTPC_PDP_IPV4;
    message->control = address_of(sender_near(theirs, (unsigned)fuzz_take(in, 1)));
    message->user = address_of(sender_near(theirs, (unsigned)fuzz_take(in, 1)));
    if (what & 2) {
        message->has |= GTPC_HAS_CONTROL_OTHER;
        message->control_other = address_of((unsigned)fuzz_take(in, 1));
    }
    message->user_ipv4 = (struct gtpc_address){4, {10, 45, 0, 7}};
    message->qos = qos;
    message->qos_octets = sizeof qos;
    if (what & 0x10)
        message->has &= ~(1u << (what >> 5) * 2);
}

/* One octet of the finished message may become another. */
static int spoil(struct fuzz_input *in, uint8_t *bytes, int octets)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (octets > 0 && what >= 0xf0)
        fuzz_spoil(in, bytes, (size_t)octets);
    return octets;
}

static uint8_t cause_of(unsigned what)
{
    static const uint8_t causes[] = {128, 128, 128, 129, 192, 199, 210, 201};
    return causes[what & 7];
}

int gn_machine_answer(struct fuzz_input *in, const char **from, uint8_t bytes[GTPC_PUT_OCTETS])
{
    const struct gn_machine_request *request = gn_machine_request((unsigned)fuzz_take(in, 1));
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (!request)
        return 0;
    struct gtpc message = {.type = (uint8_t)(request->type + 1),
                           .seq = (uint16_t)(request->seq + (what >> 4 == 15)),
                           .teid = what >> 4 == 14 ? 0 : request->teid_control + (what >> 4 == 13),
                           .teid_control = ~request->teid_control,
                           .teid_data = ~request->teid_control ^ 0x5555,
                           .cause = cause_of(what),
                           .has = GTPC_HAS_CAUSE};
    *from = gn_machine_senders[sender_near(request->theirs, (unsigned)fuzz_take(in, 1)) % GN_MACHINE_SENDERS];
    if (what & 8 || request->type == GTPC_ECHO_REQUEST) {
        message.has |= GTPC_HAS_RECOVERY;
        message.recovery = (uint8_t)(fuzz_take(in, 1) % 3);
    }
    if (request->type == GTPC_ECHO_REQUEST)
        message.has = GTPC_HAS_RECOVERY;
    else if (request->type == GTPC_CREATE_REQUEST)
        fill_create(&message, in, request->theirs);
    return spoil(in, bytes, gtpc_put(bytes, &message));
}

int gn_machine_ask(struct fuzz_input *in, const char **from, uint8_t bytes[GTPC_PUT_OCTETS])
{
    static const uint8_t types[] = {GTPC_ECHO_REQUEST, GTPC_DELETE_REQUEST, GTPC_DELETE_REQUEST,
                                    GTPC_UPDATE_REQUEST};
    unsigned what = (unsigned)fuzz_take(in, 1);
    const struct gn_machine_context *context = &gn_machine_contexts[what / 4 % GN_MACHINE_SLOTS];
    struct gtpc message = {.type = types[what & 3], .seq = (uint16_t)fuzz_take(in, 1)};
    bool is_right = message.seq % 8 != 7;
    message.nsapi = (uint8_t)(5 + (is_right ? context - gn_machine_contexts : 9));
    *from = gn_machine_senders[sender_near(gn_machine_ggsn_of(context), (unsigned)fuzz_take(in, 1)) %
                               GN_MACHINE_SENDERS];
    if (message.type != GTPC_ECHO_REQUEST) {
        message.teid = what & 0x80 ? what : context->teid_control;
        message.has = GTPC_HAS_NSAPI | GTPC_HAS_TEARDOWN;
    }
    if (message.type == GTPC_UPDATE_REQUEST)
        fill_create(&message, in, *from);
    return spoil(in, bytes, gtpc_put(bytes, &message));
}
