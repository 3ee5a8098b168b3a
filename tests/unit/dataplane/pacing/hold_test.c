/* SPDX-License-Identifier: BSD-3-Clause */
/* ACKs that are held: which, in which order they pass, and when. */
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/pacing/hold.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MSS    1000
#define WINDOW 60000
#define START  MOMENT_SECOND
#define HOLD   (10 * MOMENT_SECOND)
#define MOST   16

enum {
    NEWS = TCP_ACK,
    SACK = 1 << 8,
    CLOSED = 1 << 9,
    OTHER_WINDOW = 1 << 10,
    OLD = 1 << 11,
    NEXT = 1 << 12
};

/* What the scheduler says. */
static uint32_t queued_octets, ms_octets;
static uint64_t shared_bps, shared_octets; /* of the link that both cells share; 0: they do not */

/* When segments pass. */
static int64_t hold_now;

static uint32_t class_queued(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return queued_octets;
}

static uint32_t ms_queued(const void *unused_owner, uint32_t unused_ms, int64_t unused_now)
{
    return ms_octets;
}

static uint64_t link_rate(const void *unused_owner, uint16_t unused_bvc)
{
    return shared_bps;
}

static uint64_t link_queued(const void *unused_owner, uint16_t unused_link, uint8_t unused_qclass)
{
    return shared_octets;
}

static struct pacing *opened_for(uint32_t flows, int64_t target_ns, int64_t ms_target_ns,
                                 uint32_t quantum_octets)
{
    const struct pacing_params params = {.classes = 1 << QCLASS_THP2,
                                         .flows = flows,
                                         .round_trip_ns = MOMENT_SECOND / 2,
                                         .max_hold_ns = HOLD,
                                         .target_ns = target_ns,
                                         .ms_target_ns = ms_target_ns,
                                         .quantum_octets = quantum_octets,
                                         .view = {.class_octets = class_queued,
                                                  .ms_octets = ms_queued,
                                                  .link_rate_bps = link_rate,
                                                  .link_octets = link_queued}};
    queued_octets = ms_octets = UINT32_MAX;
    shared_bps = shared_octets = 0;
    hold_now = START;
    return pacing_new(&params, &(struct pacing_limits){8, 2, 1});
}

static struct pacing *opened(uint32_t flows)
{
    return opened_for(flows, MOMENT_SECOND / 5, MOMENT_SECOND, 0);
}

/* Mobiles from 6 on are in the other cell. */
static struct pacing_at at_of(uint32_t ms)
{
    return (struct pacing_at){
        .ms = ms, .bvc = ms >= 6, .qclass = QCLASS_THP2, .ms_rate_bps = 80000, .bvc_rate_bps = 80000};
}

/* A segment of the mobile's flow to a port; octets of its packet. */
static size_t build(uint8_t *out, bool is_up, unsigned flags, const uint32_t numbers[2], uint16_t data_octets)
{
    unsigned options = flags & TCP_SYN ? 4 : flags & SACK ? 12 : 0;
    size_t octets = 40 + options + data_octets;
    memset(out, 0, octets);
    out[0] = 0x45;
    bytes_put_u16(out + 2, (uint16_t)octets);
    out[9] = 6;
    out[is_up ? 15 : 19] = 7;
    bytes_put_u16(out + (is_up ? 20 : 22), 4000);
    bytes_put_u16(out + (is_up ? 22 : 20), 80);
    bytes_put_u32(out + 24, numbers[0]);
    bytes_put_u32(out + 28, numbers[1]);
    out[32] = (uint8_t)((5 + options / 4) << 4);
    out[33] = (uint8_t)flags;
    bytes_put_u16(out + 34, flags & CLOSED ? 0 : flags & OTHER_WINDOW ? WINDOW - 1000 : WINDOW);
    if (flags & TCP_SYN)
        bytes_put_u32(out + 40, 0x02040000 | MSS);
    if (flags & SACK)
        memcpy(out + 40, (uint8_t[]){1, 1, 5, 10}, 4);
    return octets;
}

static bool down(struct pacing *p, uint32_t ms, unsigned flags, uint32_t seq)
{
    static uint8_t packet[2000];
    struct pacing_at at = at_of(ms);
    size_t octets = build(packet, false, flags, (uint32_t[]){seq, 100}, flags & TCP_SYN ? 0 : MSS);
    return pacing_downlink(p, &at, packet, octets, hold_now) == PACING_DOWNLINK_REPEATED;
}

static struct pacing_fate up(struct pacing *p, uint32_t ms, unsigned flags, uint32_t ack, void *buffer)
{
    static uint8_t packet[2000];
    struct pacing_at at = at_of(ms);
    uint16_t data_octets = flags & TCP_URG ? 10 : 0;
    size_t octets = build(packet, true, flags & ~(unsigned)TCP_URG,
                          (uint32_t[]){flags & NEXT              ? 5
                                       : flags & (TCP_SYN | OLD) ? 99
                                                                 : 100,
                                       ack},
                          data_octets);
    return pacing_uplink(p, &at, packet, octets, buffer, hold_now);
}

/* A flow of which 4 segments of data passed, from number 0 on, and no ACK for them. */
static void start(struct pacing *p, uint32_t ms)
{
    up(p, ms, TCP_SYN, 0, NULL);
    down(p, ms, TCP_SYN | TCP_ACK, UINT32_MAX);
    assert_false(up(p, ms, NEWS, 0, NULL).is_held);
    for (uint32_t i = 0; i < 4; i++)
        assert_false(down(p, ms, TCP_ACK, i * MSS));
}

/* Segments 1, 2, ... of a flow: is_held, and the numbers of those that go before it or never. */
struct step {
    unsigned flags; /* URG stands for data */
    uint32_t ack;
    bool is_held;
    uint8_t first, ended;
};

struct row {
    const char *name;
    struct step steps[4];
};

static const struct row hold_rows[] = {
    {"the newest is held", {{NEWS, 1000, true}, {NEWS, 2000, true, 0, 1}, {NEWS, 3000, true, 0, 2}}},
    {"no news", {{NEWS, 0}, {NEWS, 0}}},
    {"with PSH", {{NEWS | TCP_PSH, 1000, true}}},
    {"a duplicate of the held one", {{NEWS, 1000, true}, {NEWS, 1000, false, 1}, {NEWS, 1000}}},
    {"another window", {{NEWS, 1000, true}, {NEWS | OTHER_WINDOW, 1000, true, 0, 1}}},
    {"window 0", {{NEWS, 1000, true}, {NEWS | CLOSED, 1000, false, 0, 1}}},
    {"a keep-alive", {{NEWS, 1000, true}, {NEWS | OLD, 1000, false, 1}}},
    {"a keep-alive with another window", {{NEWS, 1000, true}, {NEWS | OLD | OTHER_WINDOW, 1000, false, 1}}},
    {"repeated octets", {{NEWS, 1000, true}, {NEWS | OLD | TCP_URG, 2000, false, 1}}},
    {"the next connection on the same ports",
     {{NEWS, 1000, true}, {TCP_SYN | NEXT, 0, false, 1}, {NEWS, 2000}}},
    {"SACK blocks",
     {{NEWS | SACK, 1000}, {NEWS, 2000, true}, {NEWS | SACK, 1000}, {NEWS | SACK, 2000, false, 0, 2}}},
    {"ECN echo", {{NEWS | TCP_ECE, 1000}, {NEWS | TCP_CWR, 2000}}},
    {"data", {{NEWS, 1000, true}, {NEWS | TCP_URG, 1000, false, 0, 1}, {NEWS | TCP_URG, 3000}}},
    {"FIN", {{NEWS, 1000, true}, {NEWS | TCP_FIN, 2000, false, 0, 1}}},
    {"RST leaves it", {{NEWS, 1000, true}, {NEWS | TCP_RST, 2000}}},
    {"an older one", {{NEWS, 2000, true}, {NEWS, 1000}}},
    {"octets that were not sent", {{NEWS, 9000}}},
};

TEST(test_rows)
{
    static uint8_t buffers[MOST];
    for (unsigned i = 0; i < COUNT(hold_rows); i++) {
        struct pacing *p = opened(64);
        start(p, 1);
        const struct step *step = hold_rows[i].steps;
        for (unsigned k = 0; k < 4 && step[k].flags; k++) {
            struct pacing_fate fate = up(p, 1, step[k].flags, step[k].ack, &buffers[k + 1]);
            if (fate.is_held != step[k].is_held ||
                fate.first != (step[k].first ? &buffers[step[k].first] : NULL) ||
                fate.ended != (step[k].ended ? &buffers[step[k].ended] : NULL))
                fail_msg("%s: step %u", hold_rows[i].name, k);
        }
        while (pacing_drain(p, START))
            ;
        assert_int_equal(pacing_stats_of(p)->holding, 0);
        pacing_free(p);
    }
}

/* A class without a queue: ACKs pass at once for two packets, then in order of mobiles. */
TEST(test_room)
{
    static uint8_t buffers[MOST];
    struct pacing *p = opened(64);
    for (uint32_t ms = 1; ms < 5; ms++)
        start(p, ms);
    queued_octets = 1999;
    ms_octets = 0;
    assert_false(up(p, 1, NEWS, 1000, &buffers[1]).is_held); /* 1000 octets are permitted from here on */
    assert_true(up(p, 2, NEWS, 1000, &buffers[2]).is_held);
    assert_true(up(p, 3, NEWS, 1000, &buffers[3]).is_held);
    assert_true(up(p, 1, NEWS, 2000, &buffers[4]).is_held);
    assert_null(pacing_release(p, START));
    queued_octets = 999;
    int64_t next_ns = pacing_next_ns(p);
    assert_true(next_ns > START && next_ns <= START + 5000000);
    assert_null(pacing_release(p, next_ns - 1));
    assert_ptr_equal(pacing_release(p, next_ns), &buffers[2]); /* 1 has got 1000 octets more */
    assert_null(pacing_release(p, next_ns));
    queued_octets = 0;
    assert_null(pacing_release(p, next_ns + 5000000));
    assert_false(down(p, 2, TCP_ACK, 4 * MSS)); /* what 2 was permitted */
    next_ns += 5000000;
    assert_ptr_equal(pacing_release(p, next_ns + 5000000), &buffers[3]);
    assert_null(pacing_release(p, next_ns + 5000000));
    /* Permitted octets end after 0.2 s, then the last may pass, unless its mobile has no room. */
    ms_octets = UINT32_MAX;
    assert_null(pacing_release(p, START + MOMENT_SECOND / 2));
    ms_octets = 0;
    assert_ptr_equal(pacing_release(p, START + MOMENT_SECOND), &buffers[4]);
    assert_int_equal(pacing_next_ns(p), MOMENT_NEVER);
    assert_int_equal(pacing_stats_of(p)->released, 3);
    assert_int_equal(pacing_stats_of(p)->expired, 0);
    pacing_free(p);
}

/* Releases of mobiles 1 and 2, whose next ACK comes at once when their data has arrived. */
TEST(test_quantum)
{
    static const struct {
        uint32_t quantum_octets, order[6];
    } rows[] = {{0, {1, 2, 1, 2, 1, 2}},
                {1000, {1, 2, 1, 2, 1, 2}},
                {1001, {1, 1, 2, 2, 1, 1}},
                {3000, {1, 1, 1, 2, 2, 2}}};
    static uint8_t buffers[MOST];
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct pacing *p = opened_for(64, MOMENT_SECOND / 5, MOMENT_SECOND, rows[i].quantum_octets);
        uint32_t next[] = {0, 4 * MSS, 4 * MSS};
        for (uint32_t ms = 1; ms < 3; ms++) {
            start(p, ms);
            assert_true(up(p, ms, NEWS, 1000, &buffers[ms]).is_held);
        }
        ms_octets = queued_octets = 0;
        for (unsigned k = 0; k < COUNT(rows[i].order); k++) {
            uint32_t ms = rows[i].order[k];
            hold_now += MOMENT_SECOND / 2; /* what was permitted has ended */
            if (pacing_release(p, hold_now) != &buffers[ms])
                fail_msg("quantum %u: release %u", rows[i].quantum_octets, k);
            assert_false(down(p, ms, TCP_ACK, next[ms]));
            next[ms] += MSS;
            queued_octets = UINT32_MAX;
            assert_true(up(p, ms, NEWS, next[ms] - 3 * MSS, &buffers[ms]).is_held);
            queued_octets = 0;
        }
        while (pacing_drain(p, hold_now))
            ;
        pacing_free(p);
    }
}

/* Two cells share the link: its queue is the room of both, whatever their own queues have. */
TEST(test_room_of_a_link)
{
    static uint8_t buffers[MOST];
    struct pacing *p = opened(64);
    start(p, 1);
    start(p, 6);
    shared_bps = 80000;
    ms_octets = 0;
    queued_octets = UINT32_MAX;
    shared_octets = 1999;
    assert_false(
        up(p, 1, NEWS, 1000, &buffers[1]).is_held); /* 1000 octets are permitted on the link from here on */
    assert_true(up(p, 6, NEWS, 1000, &buffers[2]).is_held);
    queued_octets = 0;
    shared_octets = 1000;
    assert_null(pacing_release(p, START + 5000000));
    shared_octets = 999;
    assert_true(up(p, 1, NEWS, 2000, &buffers[3]).is_held); /* it is the other cell's turn */
    assert_ptr_equal(pacing_release(p, START + 10000000), &buffers[2]);
    assert_null(pacing_release(p, START + 10000000));
    /* Its own bucket limits the cell again. */
    shared_bps = 0;
    shared_octets = UINT64_MAX;
    assert_ptr_equal(pacing_release(p, START + MOMENT_SECOND), &buffers[3]);
    assert_null(pacing_release(p, START + MOMENT_SECOND));
    pacing_free(p);
}

/* Cells that share the link take turns by the number of their mobiles: two in one, four in the other. */
TEST(test_turns_of_cells)
{
    static const uint32_t mobiles[] = {6, 7, 1, 2, 3, 4};
    static uint8_t buffers[8];
    unsigned passed[2] = {0};
    struct pacing *p = opened(64);
    for (unsigned i = 0; i < COUNT(mobiles); i++)
        start(p, mobiles[i]);
    hold_now = (INT64_C(1) << 32) + 1; /* the window in which the mobiles were counted is over */
    shared_bps = 80000;
    ms_octets = 0;
    shared_octets = UINT64_MAX;
    for (uint32_t round = 0; round < 18; round++) {
        for (unsigned i = 0; i < COUNT(mobiles); i++)
            (void)up(p, mobiles[i], NEWS, 1 + round, &buffers[mobiles[i]]);
        hold_now += MOMENT_SECOND * 21 / 100; /* nothing is permitted any longer */
        shared_octets = 1999;
        const uint8_t *buffer = pacing_release(p, hold_now);
        assert_non_null(buffer);
        assert_null(pacing_release(p, hold_now));
        passed[buffer - buffers >= 6]++;
        shared_octets = UINT64_MAX;
    }
    assert_in_range(passed[0], 11, 13);
    assert_in_range(passed[1], 5, 7);
    while (pacing_drain(p, hold_now))
        ;
    pacing_free(p);
}

/* R of 80 kbit/s: 10000 octets a second; at least two packets of 1000. */
TEST(test_targets)
{
    static const struct {
        int64_t target_ms, ms_target_ms;
        uint32_t queued_octets, ms_octets;
        bool is_held;
    } all[] = {
        {100, 100, 1999, 1999, false},  {100, 100, 2000, 0, true},      {100, 100, 0, 2000, true},
        {1000, 100, 9999, 1999, false}, {1000, 100, 10000, 0, true},    {1000, 100, 0, 2000, true},
        {100, 1000, 1999, 9999, false}, {100, 1000, 1999, 10000, true}, {100, 1000, 2000, 0, true},
    };
    static uint8_t buffer;
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct pacing *p = opened_for(64, all[i].target_ms * 1000000, all[i].ms_target_ms * 1000000, 0);
        start(p, 1);
        queued_octets = all[i].queued_octets;
        ms_octets = all[i].ms_octets;
        if (up(p, 1, NEWS, 1000, &buffer).is_held != all[i].is_held)
            fail_msg("row %u", i);
        (void)pacing_drain(p, START);
        pacing_free(p);
    }
}

/* After 0.8 s without octets, and with none that wait, a request begins a loan of 6000 octets; each segment
 * of the server uses 1000. */
TEST(test_loan)
{
    static const struct {
        int64_t wait_ns;
        uint32_t waiting_octets, used_pkts;
        bool is_held;
    } all[] = {{MOMENT_SECOND * 8 / 10 - 1, 0, 0, true},
               {MOMENT_SECOND * 8 / 10, 0, 0, false},
               {MOMENT_SECOND * 8 / 10, 1, 0, true},
               {MOMENT_SECOND * 8 / 10, 0, 5, false},
               {MOMENT_SECOND * 8 / 10, 0, 6, true}};
    static uint8_t buffer;
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct pacing *p = opened(64);
        start(p, 1);
        hold_now += all[i].wait_ns;
        ms_octets = all[i].waiting_octets;
        assert_false(up(p, 1, NEWS | TCP_URG, 0, NULL).is_held);
        ms_octets = UINT32_MAX;
        for (uint32_t k = 0; k < all[i].used_pkts; k++)
            assert_false(down(p, 1, TCP_ACK, (4 + k) * MSS));
        if (up(p, 1, NEWS, 1000, &buffer).is_held != all[i].is_held)
            fail_msg("row %u", i);
        (void)pacing_drain(p, hold_now);
        pacing_free(p);
    }
}

/* A SYN from the network, when the flow has been silent for longer than a minute, finds its ACK held. */
TEST(test_syn_to_a_held_flow)
{
    static uint8_t buffer;
    struct pacing *p = opened(64);
    start(p, 1);
    assert_true(up(p, 1, NEWS, 2000, &buffer).is_held);
    hold_now += 61 * MOMENT_SECOND;
    assert_false(down(p, 1, TCP_SYN, 5000));
    assert_ptr_equal(pacing_release(p, hold_now), &buffer);
    pacing_free(p);
}

TEST(test_longest_hold)
{
    static uint8_t buffer;
    struct pacing *p = opened(64);
    start(p, 1);
    assert_true(up(p, 1, NEWS, 2000, &buffer).is_held);
    assert_true(down(p, 1, TCP_ACK, 0));     /* it is acknowledged */
    assert_true(down(p, 1, TCP_ACK, 1000));  /* it, too */
    assert_false(down(p, 1, TCP_ACK, 2000)); /* not yet */
    assert_false(down(p, 1, TCP_FIN | TCP_ACK, 1000));
    assert_null(pacing_release(p, START + HOLD - 1));
    assert_ptr_equal(pacing_release(p, START + HOLD), &buffer);
    assert_false(down(p, 1, TCP_ACK, 1000)); /* the server may have lost the ACK */
    const struct pacing_stats *stats = pacing_stats_of(p);
    assert_int_equal(stats->expired, 1);
    assert_int_equal(stats->repeated, 2);
    assert_int_equal(stats->holds[QCLASS_THP2][pacing_hold_bin(HOLD)], 1);
    pacing_free(p);
}

/* A flow with a held ACK keeps its place. */
TEST(test_overflow)
{
    static uint8_t buffers[MOST];
    struct pacing *p = opened(4);
    for (uint32_t ms = 1; ms < 5; ms++) {
        start(p, ms);
        assert_true(up(p, ms, NEWS, 1000, &buffers[ms]).is_held);
    }
    up(p, 5, TCP_SYN, 0, NULL);
    assert_int_equal(pacing_stats_of(p)->overflow, 1);
    assert_int_equal(pacing_stats_of(p)->holding, 4);
    for (uint32_t ms = 1; ms < 5; ms++)
        assert_ptr_equal(pacing_drain(p, START), &buffers[ms]);
    assert_null(pacing_drain(p, START));
    pacing_free(p);
}

TEST(test_bins)
{
    for (int64_t ms = 0; ms < 60000; ms++) {
        unsigned bin = pacing_hold_bin(ms * 1000000);
        assert_true(bin < PACING_HOLDS);
        assert_true(pacing_hold_of_bin(bin) > ms * 1000000);
        assert_true(bin == 0 || pacing_hold_of_bin(bin - 1) <= ms * 1000000);
    }
}

/* --- Loans of mobiles that begin: after which time, how much, and until when --- */

#define MS_NS    INT64_C(1000000)
#define START_NS MOMENT_SECOND

TEST(begins)
{
    static const struct {
        uint64_t share_bps;
        int64_t wait_ms; /* -1: never an octet before */
        uint32_t octets;
    } rows[] = {
        {32000, 799, 0},  {32000, 800, 6000}, {32000, -1, 6000},       /* 16 kB in 4 s */
        {9600, 1666, 0},  {9600, 1667, 4800}, {8000, 2000, 4000},      /* two packets take longer */
        {7999, 60000, 0}, {0, 60000, 0},      {1000000000, 800, 6000}, /* too little for four packets */
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct pacing_loan loan = {0};
        int64_t now = START_NS;
        if (rows[i].wait_ms >= 0) {
            pacing_loan_use(&loan, MSS, now);
            now += rows[i].wait_ms * MS_NS;
        }
        pacing_loan_ask(&loan, rows[i].share_bps, MSS, now);
        if (loan.left_octets != rows[i].octets)
            fail_msg("row %u: %u octets", i, loan.left_octets);
    }
}

/* Further requests of the page begin none; octets use it up. */
TEST(ends)
{
    struct pacing_loan loan = {0};
    pacing_loan_ask(&loan, 32000, MSS, START_NS);
    pacing_loan_use(&loan, 2 * MSS, START_NS + 700 * MS_NS);
    assert_int_equal(loan.left_octets, 4 * MSS);
    pacing_loan_ask(&loan, 32000, MSS, START_NS + 1400 * MS_NS);
    assert_int_equal(loan.left_octets, 4 * MSS);
    pacing_loan_use(&loan, 4 * MSS + 1, START_NS + 1400 * MS_NS);
    assert_int_equal(loan.left_octets, 0);
    pacing_loan_ask(&loan, 32000, MSS, START_NS + 2200 * MS_NS);
    assert_int_equal(loan.left_octets, 6 * MSS);
}

UNIT_MAIN(NULL, NULL)
