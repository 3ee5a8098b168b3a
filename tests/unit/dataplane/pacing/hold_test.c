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
#define HOLD   PACING_MOST_HOLD_NS
#define TICK   INT64_C(5000000)
#define CREDIT 6000
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
static uint32_t queued_octets, ms_octets, vt;
static int32_t lag;

/* When segments pass. */
static int64_t hold_now;

static uint32_t class_queued(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return queued_octets;
}

static bool class_is_idle(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return queued_octets == 0;
}

static bool backlog(const void *unused_owner, uint32_t unused_ms, uint8_t unused_qclass,
                    struct pacing_backlog *out, int64_t unused_now)
{
    *out = (struct pacing_backlog){.queued = ms_octets, .own = ms_octets, .lag = lag, .vt = vt};
    return ms_octets != UINT32_MAX;
}

static struct pacing *opened_for(uint32_t flows, int64_t ms_target_ns, uint32_t quantum_octets)
{
    const struct pacing_params params = {
        .classes = 1 << QCLASS_THP2,
        .holds = true,
        .drops_repeated = true,
        .flows = flows,
        .ms_target_ns = ms_target_ns,
        .quantum_octets = quantum_octets,
        .credit_octets = CREDIT,
        .view = {.class_octets = class_queued, .is_idle = class_is_idle, .backlog = backlog}};
    queued_octets = ms_octets = UINT32_MAX;
    lag = 0;
    vt = 0;
    hold_now = START;
    return pacing_new(&params, &(struct pacing_limits){8, 2, 1});
}

static struct pacing *opened(uint32_t flows)
{
    return opened_for(flows, MOMENT_SECOND, 0);
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

static enum pacing_downlink_fate fate_down(struct pacing *p, uint32_t ms, unsigned flags, uint32_t seq)
{
    static uint8_t packet[2000];
    struct pacing_at at = at_of(ms);
    size_t octets = build(packet, false, flags, (uint32_t[]){seq, 100}, flags & TCP_SYN ? 0 : MSS);
    return pacing_downlink(p, &at, packet, octets, hold_now);
}

static bool down(struct pacing *p, uint32_t ms, unsigned flags, uint32_t seq)
{
    return fate_down(p, ms, flags, seq) == PACING_DOWNLINK_REPEATED;
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
    /* Permitted octets end after 0.1 s and 5/4 of the path, then the last may pass, unless its mobile has no
     * room. */
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
        struct pacing *p = opened_for(64, MOMENT_SECOND, rows[i].quantum_octets);
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

/* R of 80 kbit/s: 10000 octets a second; at least two packets of 1000. */
TEST(test_room_of_a_mobile)
{
    static const struct {
        int64_t ms_target_ms;
        uint32_t queued_octets, ms_octets;
        bool is_held;
    } all[] = {
        {100, 1999, 1999, false},  {100, 2000, 0, true},      {100, 0, 2000, true},
        {1000, 1999, 9999, false}, {1000, 1999, 10000, true}, {1000, 2000, 0, true},
    };
    static uint8_t buffer;
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct pacing *p = opened_for(64, all[i].ms_target_ms * 1000000, 0);
        start(p, 1);
        queued_octets = all[i].queued_octets;
        ms_octets = all[i].ms_octets;
        if (up(p, 1, NEWS, 1000, &buffer).is_held != all[i].is_held)
            fail_msg("row %u", i);
        (void)pacing_drain(p, START);
        pacing_free(p);
    }
}

/* The room after ticks with a held ACK while so much is queued. */
static uint32_t room_after(struct pacing *p, unsigned ticks, uint32_t octets)
{
    ms_octets = UINT32_MAX; /* nothing is released */
    queued_octets = octets;
    for (unsigned i = 0; i < ticks; i++)
        assert_null(pacing_release(p, hold_now = pacing_next_ns(p)));
    return p->groups[QCLASS_THP2].room_octets;
}

/* It grows by an eighth an interval while the class runs empty, gives back what it never used, and keeps what
 * it used. Intervals of 0.1 s are 20 ticks. */
TEST(test_room_adapts)
{
    static uint8_t buffer;
    struct pacing *p = opened(64);
    hold_now += 30 * 86400 * MOMENT_SECOND; /* 2^31 ms are 24.9 days */
    start(p, 1);
    assert_true(up(p, 1, NEWS, 1000, &buffer).is_held);
    assert_null(pacing_release(p, hold_now));           /* the first tick */
    assert_int_equal(room_after(p, 21, 1000), 2 * MSS); /* two packets at least */
    assert_int_equal(room_after(p, 20, 0), 2 * MSS + 250);
    assert_int_equal(room_after(p, 20, 0), 2 * MSS + 250 + 281);
    uint32_t room = room_after(p, 400, 0);
    assert_in_range(room, 20000, 40000);
    assert_int_equal(room_after(p, 20, 100), room - 100);
    assert_int_equal(room_after(p, 20, room), room - 100 - (room - 100) / 50);
    assert_int_equal(room_after(p, 3000, 100000), 2 * MSS);
    room_after(p, 1500, 0);
    assert_int_equal(room_after(p, 20, 0), 1 << 20);
    assert_int_equal(room_after(p, 1500, UINT32_MAX), 1 << 20); /* R is 0 */
    (void)pacing_drain(p, hold_now);
    pacing_free(p);
}

/* Without room of the class an ACK passes when its class was served the credit while it was held, and its
 * mobile lags so far behind. */
TEST(test_credit)
{
    static const struct {
        uint32_t served, queued;
        int32_t lag;
        bool passes;
    } rows[] = {{CREDIT, 0, CREDIT, true},           {CREDIT - 1, 0, CREDIT, false},
                {CREDIT, 0, CREDIT - 1, false},      {CREDIT, 0, -CREDIT, false},
                {CREDIT, 2 * MSS - 1, CREDIT, true}, {CREDIT, 2 * MSS, CREDIT, false}};
    static uint8_t buffer;
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct pacing *p = opened(64);
        start(p, 1);
        queued_octets = 100000;
        ms_octets = 0;
        vt = UINT32_MAX - 100; /* it wraps */
        lag = CREDIT;          /* after a pause, which alone is not enough */
        assert_true(up(p, 1, NEWS, 1000, &buffer).is_held);
        assert_null(pacing_release(p, START + TICK));
        vt += rows[i].served;
        lag = rows[i].lag;
        ms_octets = rows[i].queued;
        if ((pacing_release(p, START + 2 * TICK) != NULL) != rows[i].passes)
            fail_msg("row %u", i);
        while (pacing_drain(p, hold_now))
            ;
        pacing_free(p);
    }
}

/* A SYN from the network, when the flow has been silent for longer
 * than a minute, finds its ACK held. */
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

/* The least right edge of the flows. */
static uint32_t edge_of(const struct pacing *p)
{
    uint32_t edge = UINT32_MAX;
    for (uint32_t i = 0; i < 64; i++)
        if (p->flows[i].phase == PACING_KNOWN && p->flows[i].edge < edge)
            edge = p->flows[i].edge;
    return edge;
}

/* Two thirds of a second at 80 kbit/s are 7 segments: eight times as much while the cell has R left, twice if
 * all octets of its classes fill it, and no more while an ACK of the class waits. */
TEST(test_wide_windows)
{
    static uint8_t buffer;
    struct pacing *p = opened(64);
    start(p, 1);
    assert_int_equal(edge_of(p), 54000);
    assert_true(up(p, 1, NEWS, 1000, &buffer).is_held);
    start(p, 2);
    assert_int_equal(edge_of(p), 7000);
    (void)pacing_drain(p, hold_now);
    pacing_free(p);
    for (unsigned qclass = QCLASS_THP2; qclass <= QCLASS_THP3; qclass++) {
        static uint8_t packet[2000];
        p = opened(64);
        for (unsigned i = 0; i < 43; i++) {
            struct pacing_at at = at_of(3);
            at.qclass = (uint8_t)qclass;
            (void)pacing_downlink(p, &at, packet, build(packet, false, TCP_ACK, (uint32_t[]){0, 0}, MSS),
                                  hold_now);
        }
        hold_now = 5 * MOMENT_SECOND; /* the next window */
        start(p, 1);
        assert_int_equal(edge_of(p), 14000);
        pacing_free(p);
    }
}

/* A server that sends more than its window allows is not paced with the others. */
TEST(test_beyond_the_window)
{
    struct pacing *p = opened(64);
    start(p, 1);
    uint32_t edge = edge_of(p);
    assert_int_equal(fate_down(p, 1, TCP_ACK, edge - MSS), PACING_DOWNLINK_PACED);
    assert_int_equal(fate_down(p, 1, TCP_ACK, edge), PACING_DOWNLINK_OTHER);
    pacing_free(p);
}

/* Tags are serial numbers: an old one is not ahead. */
TEST(test_old_tags)
{
    static uint8_t buffer;
    static const uint32_t vts[] = {100, UINT32_C(1) << 31, UINT32_C(3) << 30};
    for (unsigned i = 0; i < COUNT(vts); i++) {
        struct pacing *p = opened(64);
        start(p, 1);
        p->groups[QCLASS_THP2].vt = vts[i];
        assert_true(up(p, 1, NEWS, 1000, &buffer).is_held);
        assert_int_equal(p->holders[1].tag, vts[i]);
        (void)pacing_drain(p, hold_now);
        pacing_free(p);
    }
}

TEST(test_longest_hold)
{
    static uint8_t buffer;
    struct pacing *p = opened(64);
    start(p, 1);
    assert_true(up(p, 1, NEWS, 2000, &buffer).is_held);
    assert_true(down(p, 1, TCP_ACK, 0));    /* it is acknowledged */
    assert_true(down(p, 1, TCP_ACK, 1000)); /* it, too */
    assert_true(down(p, 1, TCP_ACK, 2000)); /* not yet, but it is on its way */
    assert_false(down(p, 1, TCP_FIN | TCP_ACK, 1000));
    assert_null(pacing_release(p, START + HOLD - 1));
    assert_ptr_equal(pacing_release(p, START + HOLD), &buffer);
    assert_false(down(p, 1, TCP_ACK, 1000)); /* the server may have lost the ACK */
    const struct pacing_stats *stats = pacing_stats_of(p);
    assert_int_equal(stats->expired, 1);
    assert_int_equal(stats->repeated, 3);
    assert_int_equal(stats->holds[QCLASS_THP2][pacing_hold_bin(HOLD)], 1);
    pacing_free(p);
}

/* Of a mobile: its held ACKs, and its time with any. */
static void check_held(const struct pacing *p, uint32_t ms, int64_t now, uint32_t acks, uint32_t held_ms)
{
    struct pacing_held held;
    assert_true(pacing_held_of(p, ms, now, &held));
    assert_int_equal(held.acks, acks);
    assert_int_equal(held.ms, held_ms);
}

TEST(test_time_with_a_held_ack)
{
    static uint8_t buffers[2];
    struct pacing *p = opened(4);
    uint32_t acks;
    start(p, 1);
    check_held(p, 1, START, 0, 0);
    assert_true(up(p, 1, NEWS, 1000, &buffers[0]).is_held);
    check_held(p, 1, START + HOLD / 4, 1, HOLD / 4000000);
    assert_true(pacing_held_in(p, at_of(1).bvc, &acks) && acks == 1);
    assert_true(up(p, 1, NEWS, 2000, &buffers[1]).is_held); /* in place of the first one */
    check_held(p, 1, START + HOLD / 2, 1, HOLD / 2000000);
    assert_ptr_equal(pacing_release(p, START + HOLD), &buffers[1]);
    check_held(p, 1, START + 3 * HOLD, 0, HOLD / 1000000);
    assert_true(pacing_held_in(p, at_of(1).bvc, &acks) && acks == 0);
    assert_false(pacing_held_in(NULL, 0, &acks));
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

UNIT_MAIN(NULL, NULL)
