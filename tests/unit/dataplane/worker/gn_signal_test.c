/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U messages other than G-PDUs, and what has to be answered: octets in, octets out, counters. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

#define GTP_OCTETS 64
#define UNKNOWN    0x00, 0x00, 0x77, 0x01 /* a TEID that no context has */
#define KNOWN      0x00, 0x00, 0x10, 0x01 /* the kit's */
#define OTHER_IP   0xc0000207u

static void put(uint8_t *at, uint32_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static void send_from(struct kit *kit, uint32_t ip, uint16_t port, const uint8_t *gtp, size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint32_t ips[] = {ip, KIT_SGSN_IP};
    const uint16_t ports[] = {port, 2152};
    kit_from_gn(kit, frame, gn_frame_wrap(frame, ips, ports, gtp, octets));
}

/* What was sent is this datagram and nothing else; the nth answer has IP identification n. */
static void expect_answer(struct kit *kit, uint32_t ip, uint16_t port, const uint8_t *gtp, size_t octets)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    const struct worker_stats *s = &kit->worker->stats;
    uint64_t sent = s->gn_echo_responses + s->gn_error_indications + s->gn_extension_notifications;
    size_t want_octets =
        gn_frame_wrap(want, (uint32_t[]){KIT_SGSN_IP, ip}, (uint16_t[]){2152, port}, gtp, octets);
    put(want, 0x02000000, 4);
    put(want + 4, 0x00020200, 4);
    put(want + 8, 0x00000001, 4);
    put(want + 18, (uint32_t)(sent - 1), 2);
    gn_frame_sum_ip(want + GN_FRAME_IP);
    assert_int_equal(kit_take_gn(kit, got), want_octets);
    assert_memory_equal(got, want, want_octets);
}

/* --- what is answered, and with what --- */

struct answer_row {
    const char *name;
    uint16_t port;  /* it comes from */
    uint8_t octets; /* of GTP */
    uint8_t gtp[GTP_OCTETS];
    uint16_t to_port; /* of the answer; 0: none */
    uint8_t answer_octets;
    uint8_t answer[GTP_OCTETS];
    bool is_unanswerable; /* there should have been one */
};

#define ECHO_RESPONSE(seq)                                                                                   \
    14,                                                                                                      \
    {                                                                                                        \
        0x32, 2, 0, 6, 0, 0, 0, 0, 0, seq, 0, 0, 14, 0                                                       \
    }
#define ERROR                                                                                                \
    24,                                                                                                      \
    {                                                                                                        \
        0x32, 26, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 16, UNKNOWN, 133, 0, 4, 0xc0, 0, 2, 1                       \
    }
#define ERROR_FROM(high, low)                                                                                \
    28,                                                                                                      \
    {                                                                                                        \
        0x36, 26, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, high, low, 0, 16, UNKNOWN, 133, 0, 4, 0xc0, 0, 2, 1   \
    }
#define NOTICE                                                                                               \
    15,                                                                                                      \
    {                                                                                                        \
        0x32, 31, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 141, 1, 0xc0                                                 \
    }
#define NO     0, 0, {0}, false
#define DENIED 0, 0, {0}, true

static const struct answer_row messages[] = {
    {"Echo", 2152, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0}, 2152, ECHO_RESPONSE(1), false},
    {"Echo, other port", 40000, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 2, 9, 9}, 40000, ECHO_RESPONSE(2), false},
    {"Echo without S", 2152, 8, {0x30, 1, 0, 0}, 2152, ECHO_RESPONSE(0), false},
    {"Echo with S off, octets there", 9, 12, {0x31, 1, 0, 4, 0, 0, 0, 0, 0, 5}, 9, ECHO_RESPONSE(0), false},
    {"Echo with a TEID", 2152, 12, {0x32, 1, 0, 4, KNOWN, 0, 3, 0, 0}, 2152, ECHO_RESPONSE(3), false},
    ROW("Echo, private extension", 2152, 17, {0x32, 1, 0, 9, 0, 0, 0, 0, 0, 4, 0, 0, 255, 0, 2, 1, 1}, 2152,
        ECHO_RESPONSE(4), false),
    {"Echo from port 0", 0, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1}, DENIED},
    {"Echo cut", 2152, 11, {0x32, 1, 0, 4}, NO},
    {"Echo of version 2", 2152, 12, {0x52, 1, 0, 4}, NO},
    {"unknown tunnel", 2152, 28, {0x30, 255, 0, 20, UNKNOWN, 0x45}, 2152, ERROR, false},
    {"unknown tunnel, S", 2152, 32, {0x32, 255, 0, 24, UNKNOWN, 0xab, 0xcd, 0, 0, 0x45}, 2152, ERROR, false},
    ROW("unknown tunnel, other port", 0x1234, 28, {0x30, 255, 0, 20, UNKNOWN, 0x45}, 2152,
        ERROR_FROM(0x12, 0x34), false),
    {"just long enough", 2152, 24, {0x30, 255, 0, 16, UNKNOWN}, 2152, ERROR, false},
    {"shorter than the answer", 2152, 23, {0x30, 255, 0, 15, UNKNOWN}, DENIED},
    {"shorter than the answer with a port", 2153, 27, {0x30, 255, 0, 19, UNKNOWN}, DENIED},
    {"known tunnel", 2152, 28, {0x30, 255, 0, 20, KNOWN, 0x45, 0, 0, 20}, NO},
    {"known tunnel, noise", 2152, 28, {0x30, 255, 0, 20, KNOWN, 0x45, 0, 0, 21}, NO},
    {"no T-PDU", 2152, 8, {0x30, 255, 0, 0, UNKNOWN}, NO},
    ROW("extension to be understood", 2152, 36, {0x34, 255, 0, 28, KNOWN, 0, 0, 0, 0x81, 1, 0, 0, 0, 0x45},
        2152, NOTICE, false),
    ROW("the same, other port, unknown tunnel", 999, 36,
        {0x34, 255, 0, 28, UNKNOWN, 0, 0, 0, 0xc1, 1, 0, 0, 0}, 2152, NOTICE, false),
    ROW("second extension to be understood", 2152, 20,
        {0x34, 255, 0, 12, KNOWN, 0, 0, 0, 0xc0, 1, 0, 0, 0x85, 1, 0, 0, 0}, 2152, NOTICE, false),
    {"in an Echo", 2152, 16, {0x34, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x82, 1, 0, 0, 0}, 2152, NOTICE, false},
    {"in an Echo Response", 2152, 16, {0x34, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x82, 1}, NO},
    {"in an Error Indication", 2152, 16, {0x34, 26, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x82, 1}, NO},
    {"in a notification", 2152, 16, {0x34, 31, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x82, 1}, NO},
    {"in an End Marker", 2152, 16, {0x34, 254, 0, 8, UNKNOWN, 0, 0, 0, 0x82, 1}, NO},
    {"extension of no length", 2152, 36, {0x34, 255, 0, 28, KNOWN, 0, 0, 0, 0x81, 0}, NO},
    {"Echo Response", 2152, 14, {0x32, 2, 0, 6, 0, 0, 0, 0, 0, 1, 0, 0, 14, 0}, NO},
    {"Error Indication of no tunnel", 2152, ERROR, NO},
    {"notification", 2152, NOTICE, NO},
    {"Tunnel Status", 2152, 12, {0x32, 253, 0, 4, UNKNOWN}, NO},
    {"End Marker of no tunnel", 2152, 32, {0x30, 254, 0, 24, UNKNOWN}, NO},
    {"no such type", 2152, 28, {0x30, 77, 0, 20, UNKNOWN}, NO},
};

static uint64_t answers_of(const struct worker_stats *s)
{
    return s->gn_echo_responses + s->gn_error_indications + s->gn_extension_notifications;
}

static void play(struct kit *kit, const struct answer_row *row)
{
    struct worker_stats before = kit->worker->stats;
    const struct worker_stats *after = &kit->worker->stats;

    kit->now += MOMENT_SECOND;
    send_from(kit, KIT_GGSN_IP, row->port, row->gtp, row->octets);
    kit_drain(&kit->gb);
    if (answers_of(after) != answers_of(&before) + (row->to_port > 0) ||
        after->gn_unanswerable != before.gn_unanswerable + row->is_unanswerable ||
        after->gn_answers_due != before.gn_answers_due + (row->to_port > 0 || row->is_unanswerable))
        fail_msg("%s", row->name);
    if (row->to_port)
        expect_answer(kit, KIT_GGSN_IP, row->to_port, row->answer, row->answer_octets);
    assert_int_equal(kit_drain(&kit->gn), 0);
}

KIT_TEST(answers, NULL)
{
    for (size_t i = 0; i < COUNT(messages); i++)
        play(kit, &messages[i]);
    const struct worker_stats *s = &kit->worker->stats;
    assert_int_equal(s->gn_echo_responses, 6);
    assert_int_equal(s->gn_error_indications, 4);
    assert_int_equal(s->gn_extension_notifications, 4);
}

/* --- to whom, and how often --- */

static const uint8_t echo[] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0};
static const uint8_t stray[28] = {0x30, 255, 0, 20, UNKNOWN, 0x45, 0, 0, 20};

/* Nobody who is no single host, nor ourselves: then nothing goes out, not even once. */
TEST(sources)
{
    static const struct {
        uint32_t ip;
        bool is_answered;
    } peers[] = {
        {OTHER_IP, true},     {0x01000000, true},  {0xdfffffff, true},  {0, false},
        {0x00ffffff, false},  {0x7f000001, false}, {0xe0000001, false}, {0xffffffff, false},
        {KIT_SGSN_IP, false}, {KIT_GGSN_IP, true},
    };
    struct kit kit;
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(peers); i++) {
        kit.now += MOMENT_SECOND;
        send_from(&kit, peers[i].ip, 2152, echo, sizeof(echo));
        send_from(&kit, peers[i].ip, 2152, stray, sizeof(stray));
        assert_int_equal(kit_drain(&kit.gn), peers[i].is_answered ? 2 : 0);
    }
    assert_int_equal(kit.worker->stats.gn_unanswerable, 10);
    kit_close(&kit);
}

/* In this order. */
struct budget_row {
    int64_t at_ms;
    uint32_t ip;
    bool is_echo;
    unsigned requests, answered;
};

static const struct budget_row budgets[] = {
    {0, KIT_GGSN_IP, false, 12, 10},  {0, KIT_GGSN_IP, true, 12, 10},    {0, OTHER_IP, false, 1, 1},
    {99, KIT_GGSN_IP, false, 1, 0},   {100, KIT_GGSN_IP, false, 2, 1},   {100, KIT_GGSN_IP, true, 1, 1},
    {1100, KIT_GGSN_IP, false, 9, 9}, {1100, KIT_GGSN_IP, true, 11, 10}, {1100, OTHER_IP, true, 20, 10},
};

KIT_TEST(budget, NULL)
{
    uint64_t refused = 0;
    int64_t start = kit->now;
    for (size_t i = 0; i < COUNT(budgets); i++) {
        const struct budget_row *row = &budgets[i];
        kit->now = start + row->at_ms * KIT_MS;
        for (unsigned k = 0; k < row->requests; k++)
            send_from(kit, row->ip, 2152, row->is_echo ? echo : stray,
                      row->is_echo ? sizeof(echo) : sizeof(stray));
        if (kit_drain(&kit->gn) != row->answered)
            fail_msg("row %zu", i);
        refused += row->requests - row->answered;
        assert_int_equal(kit->worker->stats.gn_rate_limited, refused);
    }
}

/* Forged sources draw no more than the limit of all. */
KIT_TEST(all_sources, NULL)
{
    for (uint32_t i = 0; i < 500; i++)
        send_from(kit, OTHER_IP + i, 2152, stray, sizeof(stray));
    assert_int_equal(kit_drain(&kit->gn), BUDGET_ALL_BURST);
    assert_int_equal(kit->worker->stats.gn_rate_limited, 500 - BUDGET_ALL_BURST);
}

TEST(no_buffer)
{
    struct kit kit;
    struct rte_mbuf *taken[40];
    kit_open(&kit, &(struct kit_options){.tx_buffers = COUNT(taken)});
    assert_int_equal(rte_pktmbuf_alloc_bulk(kit.tx_pool, taken, COUNT(taken)), 0);
    send_from(&kit, KIT_GGSN_IP, 2152, echo, sizeof(echo));
    assert_int_equal(kit.worker->stats.gn_answers_unsent, 1);
    assert_int_equal(kit.worker->stats.gn_echo_responses, 0);
    rte_pktmbuf_free_bulk(taken, COUNT(taken));
    kit_close(&kit);
}

/* --- next hops that are not known yet --- */

static const struct kit_options unknown_hops = {.has_neighbours = true};

static struct msg hop_to(uint32_t ip)
{
    return (struct msg){.type = MSG_GN_HOP, .hop = {.ip = ip, .mac = {2, 0, 0, 0, 0, 9}}};
}

/* The first answer to a host leaves when its next hop is known; of all the latest wait. */
KIT_TEST(answers_wait_for_their_next_hop, &unknown_hops)
{
    const struct worker_stats *s = &kit->worker->stats;
    uint8_t got[KIT_FRAME_OCTETS];
    struct msg msg, last = hop_to(OTHER_IP + GN_WAIT_ANSWERS), first = hop_to(OTHER_IP);
    for (uint32_t i = 0; i <= GN_WAIT_ANSWERS; i++) {
        send_from(kit, OTHER_IP + i, 2152, echo, sizeof(echo));
        assert_true(kit_take_msg(kit, &msg) && msg.type == MSG_HOP_WANTED && msg.hop.ip == OTHER_IP + i);
    }
    assert_true(s->gn_answers_held == GN_WAIT_ANSWERS && s->gn_answers_unsent == 1);
    kit_do(kit, &last);
    assert_true(s->gn_echo_responses == 1 && s->gn_answers_held == GN_WAIT_ANSWERS - 1);
    assert_true(kit_take_gn(kit, got) > 0);
    assert_memory_equal(got, last.hop.mac, 6);
    kit_do(kit, &first); /* which was replaced */
    kit_settle_at(kit, kit->now + GN_WAIT_NS);
    assert_true(s->gn_answers_unsent == GN_WAIT_ANSWERS && s->gn_answers_held == 0);
    assert_int_equal(kit_drain(&kit->gn), 0);
}

/* The worker asks for the next hop before it answers the order. */
static void order_alone(struct kit *kit, const struct msg *order)
{
    struct msg msg;
    assert_true(msg_put(kit->worker->rings.to_worker, order));
    kit_settle(kit);
    while (kit_take_msg(kit, &msg))
        assert_true(msg.type == MSG_HOP_WANTED || (msg.type == MSG_ANSWER && msg.answer.status == 0));
}

/* A host that control does not know by its IPv6 address: control cannot find its next hop. */
KIT_TEST(no_next_hop_to_be_found, &unknown_hops)
{
    struct msg msg = {.type = MSG_GN_ECHO,
                      .path = {.ours = KIT_SGSN_IP, .theirs = ADDRESS_NONE, .is_to_send = true}};
    kit_do(kit, &msg);
    assert_int_equal(kit->worker->stats.gn_echo_unsent, 1);
    assert_false(kit_take_msg(kit, &msg));
}

/* GTP-C of control, and an Echo Request, in order; many destinations leave each other's datagrams. */
KIT_TEST(requests_wait_for_their_next_hop, &unknown_hops)
{
    const struct worker_stats *s = &kit->worker->stats;
    uint8_t got[KIT_FRAME_OCTETS];
    struct msg ask = {.type = MSG_GN_ECHO,
                      .path = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP, .is_to_send = true}};
    struct msg hop = hop_to(KIT_GGSN_IP);
    for (uint32_t i = 0; i < GN_WAIT_MOST; i++) {
        struct msg send = {.type = MSG_GN_SEND,
                           .datagram = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP + i / 2, .port = 2123},
                           .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
        memcpy(rte_pktmbuf_append(send.mbuf, sizeof(echo)), echo, sizeof(echo));
        order_alone(kit, &send);
    }
    assert_int_equal(s->gn_gtpc_unsent, 0);
    order_alone(kit, &ask);
    assert_true(s->gn_gtpc_unsent == 1 && s->gn_echo_requests == 0);
    kit_do(kit, &hop);
    assert_int_equal(s->gn_echo_requests, 1);
    assert_int_equal(kit_take_gn(kit, got), GN_FRAME_GTP + sizeof(echo));
    assert_int_equal(bytes_get_u16(got + GN_FRAME_UDP + 2), 2123);
    assert_true(kit_take_gn(kit, got) > 0);
    assert_int_equal(bytes_get_u16(got + GN_FRAME_UDP + 2), 2152);
    assert_int_equal(kit_drain(&kit->gn), 0);
    kit_settle_at(kit, kit->now + GN_WAIT_NS);
    assert_int_equal(s->gn_gtpc_unsent, GN_WAIT_MOST - 1);
}

/* Frames of 60 octets at least, as Ethernet has them: what comes out is never longer than what went in. */
TEST(never_longer)
{
    static const uint8_t types[] = {1, 2, 26, 31, 253, 254, 255, 255};
    struct kit kit;
    uint64_t chance = 11;
    uint8_t gtp[GTP_OCTETS], got[KIT_FRAME_OCTETS];

    kit_open(&kit, NULL);
    for (unsigned i = 0; i < 20000; i++) {
        size_t octets = prng_between(&chance, 8, sizeof(gtp));
        for (size_t k = 0; k < octets; k++)
            gtp[k] = (uint8_t)(prng_below(&chance, 3) ? prng_u64(&chance) : k % 2);
        gtp[0] = (uint8_t)(0x30 | prng_below(&chance, 8));
        gtp[1] = types[prng_below(&chance, COUNT(types))];
        put(gtp + 2, (uint32_t)(octets - 8), 2);
        gtp[12] = prng_below(&chance, 2) ? 1 : gtp[12]; /* units of an extension header */
        kit.now += 100 * KIT_MS;
        send_from(&kit, KIT_GGSN_IP, (uint16_t)(prng_below(&chance, 2) ? 2152 : prng_u64(&chance)), gtp,
                  octets);
        size_t asked = GN_FRAME_GTP + octets, answered = kit_take_gn(&kit, got);
        assert_true(answered <= (asked > 60 ? asked : 60));
        assert_int_equal(kit_drain(&kit.gn), 0);
        kit_drain(&kit.gb);
    }
    const struct worker_stats *s = &kit.worker->stats;
    if (s->gn_echo_responses < 1000 || s->gn_error_indications < 1000 || s->gn_extension_notifications < 50 ||
        s->gn_unanswerable < 500)
        fail_msg("too few: %lu %lu %lu %lu", s->gn_echo_responses, s->gn_error_indications,
                 s->gn_extension_notifications, s->gn_unanswerable);
    kit_close(&kit);
}

/* --- Echo Requests that control orders, and which answers it hears of --- */

#define SGSN_2 0xc0000203u

static struct msg order(uint16_t seq)
{
    return (struct msg){.type = MSG_GN_ECHO,
                        .path = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP, .seq = seq, .is_to_send = true}};
}

static void respond(struct kit *kit, uint32_t from, uint32_t to, uint16_t seq, uint8_t flags)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t gtp[14] = {flags, 2, 0, 6, [8] = (uint8_t)(seq >> 8), (uint8_t)seq, 0, 0, 14};
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, (uint32_t[]){from, to}, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp)));
}

static bool was_told(struct kit *kit, uint16_t seq)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_int_equal(msg.type, MSG_GN_ECHOED);
    assert_int_equal(msg.path.ours, KIT_SGSN_IP);
    assert_int_equal(msg.path.theirs, KIT_GGSN_IP);
    assert_int_equal(msg.path.seq, seq);
    return true;
}

KIT_TEST(requests, NULL)
{
    static const uint8_t gtp[12] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xff, 0xfe, 0, 0};
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    struct msg msg = order(0xfffe);
    kit_do(kit, &msg);
    size_t octets = gn_frame_wrap(want, (uint32_t[]){KIT_SGSN_IP, KIT_GGSN_IP}, (uint16_t[]){2152, 2152}, gtp,
                                  sizeof(gtp));
    assert_int_equal(kit_take_gn(kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    msg.path.is_to_send = false; /* another worker sends it */
    kit_do(kit, &msg);
    assert_int_equal(kit_drain(&kit->gn), 0);
    gn_ipv6_order(kit, 77);
    msg = (struct msg){
        .type = MSG_GN_ECHO,
        .path = {.ours = GN_IPV6_SGSN, .theirs = GN_IPV6_GGSN, .seq = 0xfffe, .is_to_send = true}};
    kit_do(kit, &msg);
    const uint8_t *const ip[] = {gn_ipv6_addresses[0], gn_ipv6_addresses[1]};
    octets = gn_ipv6_wrap(want, ip, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp));
    assert_int_equal(kit_take_gn(kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    assert_int_equal(kit->worker->stats.gn_echo_requests, 2);
}

TEST(echo_answers)
{
    static const struct {
        const char *name;
        uint32_t from, to;
        uint16_t seq;
        uint8_t flags;
        bool is_told;
    } rows[] = {
        {"other number", KIT_GGSN_IP, KIT_SGSN_IP, 6, 0x32, false},
        {"no number", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x31, false},
        {"another's", OTHER_IP, KIT_SGSN_IP, 7, 0x32, false},
        {"to another address", KIT_GGSN_IP, SGSN_2, 7, 0x32, false},
        {"good", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32, true},
        {"again", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32, false},
    };
    struct kit kit;
    struct msg msg = order(6), second = kit_pdp(1, 0, 6, KIT_TEID);
    unsigned unexpected = 0;
    kit_open(&kit, NULL);
    second.pdp.sgsn_ip = SGSN_2;
    kit_do(&kit, &second);
    kit_do(&kit, &msg);
    msg = order(7);
    kit_do(&kit, &msg);
    for (size_t i = 0; i < COUNT(rows); i++) {
        respond(&kit, rows[i].from, rows[i].to, rows[i].seq, rows[i].flags);
        if (was_told(&kit, 7) != rows[i].is_told)
            fail_msg("%s", rows[i].name);
        unexpected += !rows[i].is_told;
        assert_int_equal(kit.worker->stats.gn_echo_unexpected, unexpected);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_GTPU_ECHO_RESPONSE], i + 1);
    }
    assert_int_equal(kit.worker->stats.gn_echo_answered, 1);
    kit_close(&kit);
}

/* When control waits no more nobody is told. */
KIT_TEST(ended, NULL)
{
    struct msg msg = order(7),
               end = {.type = MSG_GN_ECHO_END, .path = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP}};
    kit_do(kit, &end);
    kit_do(kit, &msg);
    kit_do(kit, &end);
    respond(kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_false(was_told(kit, 7));
    assert_int_equal(kit->worker->stats.gn_echo_unexpected, 1);
}

/* No room to tell it: a later answer is. No buffer to ask with: counted. */
TEST(no_room)
{
    struct kit kit;
    struct msg msg = order(7), filler = {.type = MSG_ANSWER};
    struct rte_mbuf *taken[40];
    kit_open(&kit, &(struct kit_options){.tx_buffers = COUNT(taken)});
    assert_int_equal(rte_pktmbuf_alloc_bulk(kit.tx_pool, taken, COUNT(taken)), 0);
    kit_do(&kit, &msg);
    assert_int_equal(kit.worker->stats.gn_echo_unsent, 1);
    assert_int_equal(kit.worker->stats.gn_echo_requests, 0);
    rte_pktmbuf_free_bulk(taken, COUNT(taken));
    while (msg_put(kit.worker->rings.to_control, &filler))
        ;
    respond(&kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_PUNT_FULL], 1);
    while (kit_take_msg(&kit, &filler))
        ;
    respond(&kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_true(was_told(&kit, 7));
    kit_close(&kit);
}

KIT_TEST(too_many_paths, NULL)
{
    struct msg msg = order(7);
    msg.path.is_to_send = false;
    for (uint32_t i = 0; i < GN_ECHO_PATHS; i++) {
        msg.path.theirs = KIT_GGSN_IP + i;
        kit_do(kit, &msg);
    }
    msg.path.theirs++;
    assert_int_equal(kit_order(kit, &msg), -1);
}

/* --- Error Indications that come in: which are believed, and what control is told --- */

#define OTHER_TEID 0x00002003u

/* What an Error Indication says, and where from. Zero stands for what is right. */
struct error_row {
    const char *name;
    enum drop reason;
    bool is_told;
    uint32_t src_ip, dst_ip, address, teid;
    uint8_t cut_octets;
};

/* Each on a worker of its own. */
static const struct error_row error_rows[] = {
    {"ours", DROP_GTPU_ERROR_INDICATION, true, 0, 0, 0, 0, 0},
    {"other source", DROP_GTPU_ERROR_INDICATION, false, OTHER_IP, 0, 0, 0, 0},
    {"other source that names itself", DROP_GTPU_ERROR_INDICATION, false, OTHER_IP, 0, OTHER_IP, 0, 0},
    {"other end named", DROP_GTPU_ERROR_INDICATION, false, 0, 0, OTHER_IP, 0, 0},
    {"other TEID", DROP_GTPU_ERROR_INDICATION, false, 0, 0, 0, OTHER_TEID, 0},
    {"our TEID of it", DROP_GTPU_ERROR_INDICATION, false, 0, 0, 0, KIT_TEID, 0},
    {"to another address of ours", DROP_GTPU_ERROR_INDICATION, false, 0, SGSN_2, 0, 0, 0},
    {"address missing", DROP_GTPU_MALFORMED, false, 0, 0, 0, 0, 7},
    {"address cut", DROP_GTPU_MALFORMED, false, 0, 0, 0, 0, 1},
};

static void send_error(struct kit *kit, const struct error_row *row)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    uint8_t gtp[24] = {0x32, 26, 0, (uint8_t)(16 - row->cut_octets), [12] = 16, [17] = 133, 0, 4};
    const uint32_t ip[] = {row->src_ip ? row->src_ip : KIT_GGSN_IP, row->dst_ip ? row->dst_ip : KIT_SGSN_IP};
    put(gtp + 13, row->teid ? row->teid : KIT_GGSN_TEID, 4);
    put(gtp + 20, row->address ? row->address : KIT_GGSN_IP, 4);
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, ip, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp) - row->cut_octets));
}

/* Takes what control was told; whether it was anything. */
static bool error_was_told(struct kit *kit)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_int_equal(msg.type, MSG_TUNNEL_ERROR);
    assert_int_equal(msg.tunnel_error.ggsn_ip, KIT_GGSN_IP);
    assert_int_equal(msg.tunnel_error.teid, KIT_GGSN_TEID);
    return true;
}

TEST(believed)
{
    for (size_t i = 0; i < COUNT(error_rows); i++) {
        const struct error_row *row = &error_rows[i];
        struct kit kit;
        struct msg elsewhere = kit_pdp(1, 0, 6, KIT_TEID);
        elsewhere.pdp.sgsn_ip = SGSN_2;
        elsewhere.pdp.ggsn_teid = OTHER_TEID + 1;
        kit_open(&kit, NULL);
        kit_do(&kit, &elsewhere);
        send_error(&kit, row);
        const struct worker_stats *s = &kit.worker->stats;
        if (s->gn_drops[row->reason] != 1 || s->gn_tunnel_errors != row->is_told ||
            error_was_told(&kit) != row->is_told)
            fail_msg("%s", row->name);
        assert_false(error_was_told(&kit));
        assert_int_equal(s->gn_answers_due, 0);
        assert_int_equal(kit_drain(&kit.gn), 0);
        kit_close(&kit);
    }
}

/* Told once for each context in 69 s, however often it comes; a context that takes the tunnel's place counts
 * anew. */
KIT_TEST(told_once, NULL)
{
    struct msg pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID), newer = kit_pdp(1, 0, 6, KIT_TEID + 1);
    for (unsigned i = 0; i < 3; i++) {
        send_error(kit, &error_rows[0]);
        assert_int_equal(error_was_told(kit), i == 0);
    }
    kit->now += INT64_C(1) << 36; /* control may have kept it, as the GGSN has it */
    send_error(kit, &error_rows[0]);
    assert_true(error_was_told(kit));
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    send_error(kit, &error_rows[0]);
    assert_false(error_was_told(kit));
    kit_do(kit, &pdp);
    kit_do(kit, &newer);
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    send_error(kit, &error_rows[0]); /* the newer one has this end, too */
    assert_true(error_was_told(kit));
}

/* No room to tell it: counted, and told the next time. */
KIT_TEST(full_ring, NULL)
{
    struct msg msg = {.type = MSG_ANSWER};
    while (msg_put(kit->worker->rings.to_control, &msg))
        ;
    send_error(kit, &error_rows[0]);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_PUNT_FULL], 1);
    assert_int_equal(kit->worker->stats.gn_tunnel_errors, 0);
    while (kit_take_msg(kit, &msg))
        ;
    send_error(kit, &error_rows[0]);
    assert_true(error_was_told(kit));
}

UNIT_MAIN(kit_start, NULL)
