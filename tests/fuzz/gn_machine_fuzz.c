/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTP-C towards GGSNs with sequences of datagrams, timers, errors of tunnels and reloads; the first octet
 * chooses features. What a datagram may cause: intents about contexts of the GGSN that it came from, each
 * answering the latest request of that context; one answer, to its sender; requests to GGSNs and to addresses
 * that the configuration lets them name.
 */
#include "dataplane/base/moment.h"
#include "tests/fuzz/gn_sgsns.h"

#include <string.h>

enum { INPUTS = 200, INTENTS = 64, ALL_PER_S = 100, ALL_BURST = 100, ENDING_TIMERS = 4000, NO_POOL = 1 };

static int64_t now;
static const char *sender; /* of the present datagram; NULL: another input */
static uint16_t sender_port;
static const struct gtpc *received; /* NULL: it has no decoding */
static unsigned intents, answers;   /* of the present datagram */
static unsigned chosen;             /* features */
static unsigned waiting;            /* Update Requests without an answer, at most */
static uint64_t unproven, again; /* answers to senders that are not proven to be a GGSN; those sent again */

/* What a phone says to a modification; cause: of GTP-C. */
struct modified {
    const char *qclass;
    int cause;
};

static const struct lua_field modified_fields[] = {LUA_FIELD_AS(TEXT, struct modified, qclass, "class"),
                                                   LUA_FIELD_NEEDED(I32, struct modified, cause, "cause"),
                                                   {0}};

/* Nothing of a context is kept when it is gone, and of GGSNs what the configuration names. */
static const char *const nothing_left =
    "local n = ...\n"
    "assert(next(n.by_id) == nil and next(n.by_teid) == nil, 'contexts after the last one')\n"
    "assert(n.timers.live == 0 and n.echoes.paths.timers.live == 0, 'timers after the last context')\n"
    "assert(next(n.armed) == nil, 'machines with timers after the last context')\n"
    "local peers = 0\n"
    "for address, peer in pairs(n.peers) do\n"
    "  peers = peers + 1\n"
    "  assert(peer.pending_count == 0 and next(peer.pending) == nil, address .. ' has pending requests')\n"
    "  assert(next(peer.waiting) == nil, address .. ' has waiting requests')\n"
    "end\n"
    "assert(peers <= 3, 'GGSNs after the last context: ' .. peers)\n"
    "assert(#n.echoes.list <= 3, 'paths: ' .. #n.echoes.list)\n"
    "local s = n.sgsns\n"
    "assert(s.count == 0, s.count .. ' questions and answers after the last one')\n"
    "for _, name in ipairs({ 'questions', 'answers', 'by_key', 'by_teid' }) do\n"
    "  assert(next(s[name]) == nil, name .. ' are left')\n"
    "end\n";

/* --- the model --- */

static bool is_request(uint8_t type)
{
    return type == GTPC_ECHO_REQUEST || type == GTPC_CREATE_REQUEST || type == GTPC_UPDATE_REQUEST ||
           type == GTPC_DELETE_REQUEST;
}

/* Any address that a GGSN has or may name. */
static bool may_be_asked(const char *address)
{
    for (unsigned i = 0; i < 3; i++)
        if (gn_machine_may_name(&gn_machine_contexts[i], address))
            return true;
    return false;
}

/* To a request that waited for a phone, which a newer one or the end of its context answers, too. */
static bool is_late(const struct core_intent *in, const struct gtpc *message)
{
    return !in->msg.datagram.is_answer && message->type == GTPC_UPDATE_RESPONSE &&
           (!sender || !received || message->seq != received->seq);
}

static void see_answer(const struct core_intent *in, const struct gtpc *message)
{
    if (is_late(in, message)) {
        FUZZ_CHECK(waiting-- > 0);
        return;
    }
    if (!sender) { /* its next hop is known now: once more */
        FUZZ_CHECK(in->msg.datagram.is_answer && ++again <= unproven);
        return;
    }
    FUZZ_CHECK(++answers == 1 && strcmp(in->ggsn, sender) == 0);
    FUZZ_CHECK(in->msg.datagram.port == sender_port);
    FUZZ_CHECK(!received || (message->seq == received->seq && message->type == received->type + 1));
    const struct gn_machine_context *context = received ? gn_machine_by_teid(received->teid) : NULL;
    if (in->msg.datagram.is_answer)
        unproven++;
    else /* of a context that is deleted here, or has ended, the model does not know where it was */
        FUZZ_CHECK(context && context->is_up ? gn_machine_is_from(context, sender) : may_be_asked(sender));
}

static void see_datagram(const struct core_intent *in)
{
    struct gtpc message;
    const uint8_t *bytes = (const uint8_t *)in->octets.bytes;
    int octets = gtpc_decode(&message, bytes, in->octets.count);
    unproven += in->msg.datagram.is_answer && sender && octets == ERR_UNSUPPORTED;
    if (octets == ERR_UNSUPPORTED && gtpc_is_between_sgsns(message.type)) {
        gn_sgsns_sent(bytes, in->octets.count, in->ggsn);
        return;
    }
    FUZZ_CHECK(octets == (int)in->octets.count);
    if (!is_request(message.type)) {
        see_answer(in, &message);
        return;
    }
    FUZZ_CHECK(!in->msg.datagram.is_answer && in->msg.datagram.port == GN_MACHINE_PORT &&
               may_be_asked(in->ggsn));
    gn_machine_note(&message, in->ours, in->ggsn);
}

/* The datagram answers the latest request of the context, which was sent to where the datagram comes from. */
static bool is_answered(const struct gn_machine_context *context, uint8_t type)
{
    return sender && received && received->type == type && context->latest.type == type - 1 &&
           received->seq == context->latest.seq && received->teid == context->teid_control &&
           strcmp(context->latest.theirs, sender) == 0 && received->cause >= 128 && received->cause < 192;
}

static void text_of(const struct gtpc_address *address, char *text)
{
    text[0] = '\0';
    if (address->octets)
        inet_ntop(address->octets == 4 ? AF_INET : AF_INET6, address->bytes, text, INET6_ADDRSTRLEN);
}

static void see_up(const struct core_intent *in, struct gn_machine_context *context)
{
    FUZZ_CHECK(!context->is_up && sender && is_answered(context, GTPC_CREATE_RESPONSE));
    FUZZ_CHECK(in->ggsn_teid == received->teid_data && gn_machine_may_name(context, in->ggsn));
    FUZZ_CHECK(in->ipv4 || in->ipv6); /* one without an address would have any */
    text_of(&received->control, context->control[0]);
    text_of(&received->control_other, context->control[1]);
    for (unsigned i = 0; i < 2; i++)
        FUZZ_CHECK(!context->control[i][0] || gn_machine_may_name(context, context->control[i]));
    context->ggsn_teid = received->teid_control;
    context->is_up = true;
}

/* The GGSN deleted it, or does not have it, or restarted. */
static void see_down(struct gn_machine_context *context)
{
    FUZZ_CHECK(context->is_up);
    FUZZ_CHECK(!sender || (received && gn_machine_is_from(context, sender)));
    FUZZ_CHECK(!sender || received->type == GTPC_DELETE_REQUEST || !is_request(received->type));
    FUZZ_CHECK(!sender || received->type != GTPC_DELETE_REQUEST || received->teid == context->teid_control);
    context->is_up = false;
    memset(context->control, 0, sizeof context->control);
}

static void see_ended(struct gn_machine_context *context)
{
    FUZZ_CHECK(!context->is_up && context->is_once);
    context->id = 0;
}

static void see(const struct core_intent *in, enum machine_wish wish)
{
    FUZZ_CHECK(!sender || ++intents <= INTENTS);
    if (wish == MACHINE_SGSN)
        gn_sgsns_told(&in->octets);
    if (wish == MACHINE_SGSN || wish == MACHINE_RIM)
        return;
    if (wish == MACHINE_MESSAGE) {
        FUZZ_CHECK(in->msg.type == MSG_GN_SEND);
        see_datagram(in);
        return;
    }
    struct gn_machine_context *context = gn_machine_by_id(in->id);
    FUZZ_CHECK(context && wish != MACHINE_LOSE);
    if (wish == MACHINE_UP)
        see_up(in, context);
    else if (wish == MACHINE_DOWN)
        see_down(context);
    else if (wish == MACHINE_ENDED)
        see_ended(context);
    else if (wish == MACHINE_MODIFY)
        FUZZ_CHECK(context->is_up && context->is_once);
    else
        FUZZ_CHECK(context->is_up && (context->is_once || is_answered(context, GTPC_UPDATE_RESPONSE)));
}

/* --- inputs --- */

static void receive(const char *from, const uint8_t *bytes, size_t octets)
{
    struct gtpc message;
    bool is_ipv6 = strchr(from, ':') != NULL;
    sender_port = strcmp(from, "192.0.2.66") == 0 ? GN_MACHINE_STRANGER_PORT : GN_MACHINE_PORT;
    const struct core_event_way way = {is_ipv6 ? "2001:db8:8::1" : "10.0.8.1", from, sender_port,
                                       .is_right_port = sender_port == GN_MACHINE_PORT};
    uint8_t *copy = fuzz_copy(bytes, octets);
    received = gtpc_decode(&message, copy, octets) > 0 ? &message : NULL;
    intents = answers = 0;
    sender = from;
    machine_tell(now, gtpc_receive, CORE_RECORD(way, &way), LUA_OCTETS(copy, octets));
    sender = NULL;
    free(copy);
    waiting += received && received->type == GTPC_UPDATE_REQUEST && answers == 0;
    FUZZ_CHECK(unproven <= ALL_BURST + 1 + (uint64_t)(now / MOMENT_SECOND + 1) * ALL_PER_S);
}

static void give_answer(struct fuzz_input *in)
{
    uint8_t bytes[GTPC_PUT_OCTETS];
    const char *from;
    int octets = gn_machine_answer(in, &from, bytes);
    if (octets > 0)
        receive(from, bytes, (size_t)octets);
}

static void give_request(struct fuzz_input *in)
{
    uint8_t bytes[GTPC_PUT_OCTETS];
    const char *from;
    int octets = gn_machine_ask(in, &from, bytes);
    if (octets > 0)
        receive(from, bytes, (size_t)octets);
}

static void give_sgsn(struct fuzz_input *in)
{
    uint8_t bytes[GN_SGSNS_MAX_OCTETS];
    const char *from;
    int octets = gn_sgsns_message(in, &from, bytes, sizeof bytes);
    if (octets > 0)
        receive(from, bytes, (size_t)octets);
}

/* Phones order something of other SGSNs only where there are some. */
static void give_order(struct fuzz_input *in)
{
    if (!(chosen & NO_POOL))
        gn_sgsns_order(in, now);
}

static void give_raw(struct fuzz_input *in)
{
    size_t octets;
    const char *from = gn_machine_senders[fuzz_take(in, 1) % GN_MACHINE_SENDERS];
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    receive(from, block, octets);
}

/* A phone's answer, also where nothing was asked. */
static void give_modified(struct fuzz_input *in)
{
    static const uint8_t causes[] = {128, 128, 192, 195, 196, 197, 204, 128};
    unsigned what = (unsigned)fuzz_take(in, 1);
    const struct gn_machine_context *context = &gn_machine_contexts[what % GN_MACHINE_SLOTS];
    const struct modified modified = {.qclass = what & 0x80 ? "thp2" : "background",
                                      .cause = causes[what >> 4 & 7]};
    machine_tell(now, gtpc_modified, LUA_ARG(context->id), LUA_RECORD(modified_fields, &modified));
}

static void change(unsigned slot, unsigned what)
{
    static const uint8_t tft[] = {0x21, 1, 5, 3, 0x50, 0, 0x50};
    machine_tell(now, gtpc_change, LUA_ARG(gn_machine_contexts[slot].id),
                 LUA_ARG(what & 0x40 ? "thp2" : "background"),
                 LUA_OCTETS(what & 0x20 ? tft : NULL, sizeof tft), LUA_OCTETS(NULL, 0));
}

static void reload(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1), slot = what % GN_MACHINE_SLOTS;
    if (!gn_machine_contexts[slot].id)
        gn_machine_add(slot, what / GN_MACHINE_SLOTS, now);
    else if (what & 0x80)
        change(slot, what);
    else
        gn_machine_del(slot, now);
}

/* News of a worker: an Error Indication of the context's GGSN, the TEID of the next attempt. */
static void give_news(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    const struct gn_machine_context *context = &gn_machine_contexts[what % GN_MACHINE_SLOTS];
    if (what & 0x40)
        machine_tell(now, gtpc_set_teid, LUA_ARG(context->id), LUA_ARG(what));
    else if (what & 0x20)
        machine_tell(now, gtpc_check, LUA_ARG(context->id));
    else
        machine_tell(now, gtpc_lost, LUA_ARG(context->id), LUA_ARG("its path is down"));
}

static void wait(struct fuzz_input *in)
{
    now = machine_wait(machine_object(gtpc), now, now + (INT64_C(1000000) << fuzz_take(in, 1) % 17), 32);
}

static void (*const inputs[])(struct fuzz_input *) = {give_answer, give_answer, give_answer, give_request,
                                                      give_raw,    reload,      give_news,   wait,
                                                      give_sgsn,   give_sgsn,   give_order,  give_modified};

static void end(void)
{
    for (unsigned i = 0; i < GN_MACHINE_SLOTS; i++)
        if (gn_machine_contexts[i].id)
            gn_machine_del(i, now);
    machine_wait(machine_object(gtpc), now, now + 1000 * MOMENT_SECOND, ENDING_TIMERS);
    machine_end(machine_object(gtpc), nothing_left);
}

/* Other SGSNs, Echo Requests of which planes, and what a path that is down does to its contexts. */
static const char *const features = "local node, chosen = ...\n"
                                    "local function is(bit) return chosen & bit ~= 0 end\n"
                                    "local phones, path = node.phones, node.gn.path\n"
                                    "phones.others = phones.others or phones.pool\n"
                                    "phones.pool = not is(1) and phones.others or nil\n"
                                    "path.on_loss = is(2) and 'keep' or 'delete'\n"
                                    "path.echo = is(4) and 'control' or is(8) and 'user' or 'both'\n"
                                    "path.period = path.period or path.every\n"
                                    "path.every = not is(16) and path.period or nil\n"
                                    "node.gn.gtpc.time_zone = is(32) and '+05:30' or nil\n"
                                    "node.gn.gtpc.charging = is(64) and 'prepaid' or 'normal'\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    lua_State *L = machine_state(gn_machine_text, see);
    chosen = (unsigned)fuzz_take(&input, 1);
    machine_begin();
    machine_choose(features, chosen);
    gn_machine_begin();
    gn_sgsns_begin();
    machine_node.live.restarts = 7;
    lua_core_make(&machine_core, CORE_OBJECT_gtpc);
    lua_pop(L, 1);
    unproven = again = 0;
    now = 0;
    for (; input.left > 0 && steps < INPUTS; steps++)
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
    fuzz_count_sequence(steps);
    end();
    lua_settop(L, 0);
    lua_core_drop(&machine_core, CORE_OBJECT_gtpc);
    return 0;
}
