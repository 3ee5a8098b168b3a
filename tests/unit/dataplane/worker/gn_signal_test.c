/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U messages other than G-PDUs, and what has to be answered: octets in, octets out, counters. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

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

static const struct answer_row rows[] = {
    {"Echo", 2152, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0}, 2152, ECHO_RESPONSE(1), false},
    {"Echo, other port", 40000, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 2, 9, 9}, 40000, ECHO_RESPONSE(2), false},
    {"Echo without S", 2152, 8, {0x30, 1, 0, 0}, 2152, ECHO_RESPONSE(0), false},
    {"Echo with S off, octets there", 9, 12, {0x31, 1, 0, 4, 0, 0, 0, 0, 0, 5}, 9, ECHO_RESPONSE(0), false},
    {"Echo with a TEID", 2152, 12, {0x32, 1, 0, 4, KNOWN, 0, 3, 0, 0}, 2152, ECHO_RESPONSE(3), false},
    {"Echo, private extension",
     2152,
     17,
     {0x32, 1, 0, 9, 0, 0, 0, 0, 0, 4, 0, 0, 255, 0, 2, 1, 1},
     2152,
     ECHO_RESPONSE(4),
     false},
    {"Echo from port 0", 0, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1}, DENIED},
    {"Echo cut", 2152, 11, {0x32, 1, 0, 4}, NO},
    {"Echo of version 2", 2152, 12, {0x52, 1, 0, 4}, NO},
    {"unknown tunnel", 2152, 28, {0x30, 255, 0, 20, UNKNOWN, 0x45}, 2152, ERROR, false},
    {"unknown tunnel, S", 2152, 32, {0x32, 255, 0, 24, UNKNOWN, 0xab, 0xcd, 0, 0, 0x45}, 2152, ERROR, false},
    {"unknown tunnel, other port",
     0x1234,
     28,
     {0x30, 255, 0, 20, UNKNOWN, 0x45},
     2152,
     ERROR_FROM(0x12, 0x34),
     false},
    {"just long enough", 2152, 24, {0x30, 255, 0, 16, UNKNOWN}, 2152, ERROR, false},
    {"shorter than the answer", 2152, 23, {0x30, 255, 0, 15, UNKNOWN}, DENIED},
    {"shorter than the answer with a port", 2153, 27, {0x30, 255, 0, 19, UNKNOWN}, DENIED},
    {"known tunnel", 2152, 28, {0x30, 255, 0, 20, KNOWN, 0x45, 0, 0, 20}, NO},
    {"known tunnel, noise", 2152, 28, {0x30, 255, 0, 20, KNOWN, 0x45, 0, 0, 21}, NO},
    {"no T-PDU", 2152, 8, {0x30, 255, 0, 0, UNKNOWN}, NO},
    {"extension to be understood",
     2152,
     36,
     {0x34, 255, 0, 28, KNOWN, 0, 0, 0, 0x81, 1, 0, 0, 0, 0x45},
     2152,
     NOTICE,
     false},
    {"the same, other port, unknown tunnel",
     999,
     36,
     {0x34, 255, 0, 28, UNKNOWN, 0, 0, 0, 0xc1, 1, 0, 0, 0},
     2152,
     NOTICE,
     false},
    {"second extension to be understood",
     2152,
     20,
     {0x34, 255, 0, 12, KNOWN, 0, 0, 0, 0xc0, 1, 0, 0, 0x85, 1, 0, 0, 0},
     2152,
     NOTICE,
     false},
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

TEST(answers)
{
    struct kit kit;
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&kit, &rows[i]);
    const struct worker_stats *s = &kit.worker->stats;
    assert_int_equal(s->gn_echo_responses, 6);
    assert_int_equal(s->gn_error_indications, 4);
    assert_int_equal(s->gn_extension_notifications, 4);
    kit_close(&kit);
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

TEST(budget)
{
    struct kit kit;
    uint64_t refused = 0;
    kit_open(&kit, NULL);
    int64_t start = kit.now;
    for (size_t i = 0; i < COUNT(budgets); i++) {
        const struct budget_row *row = &budgets[i];
        kit.now = start + row->at_ms * KIT_MS;
        for (unsigned k = 0; k < row->requests; k++)
            send_from(&kit, row->ip, 2152, row->is_echo ? echo : stray,
                      row->is_echo ? sizeof(echo) : sizeof(stray));
        if (kit_drain(&kit.gn) != row->answered)
            fail_msg("row %zu", i);
        refused += row->requests - row->answered;
        assert_int_equal(kit.worker->stats.gn_rate_limited, refused);
    }
    kit_close(&kit);
}

/* Forged sources draw no more than the limit of all. */
TEST(all_sources)
{
    struct kit kit;
    kit_open(&kit, NULL);
    for (uint32_t i = 0; i < 500; i++)
        send_from(&kit, OTHER_IP + i, 2152, stray, sizeof(stray));
    assert_int_equal(kit_drain(&kit.gn), BUDGET_ALL_BURST);
    assert_int_equal(kit.worker->stats.gn_rate_limited, 500 - BUDGET_ALL_BURST);
    kit_close(&kit);
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

UNIT_MAIN(kit_start, NULL)
