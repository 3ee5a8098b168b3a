/* SPDX-License-Identifier: BSD-3-Clause */
/* CUBIC beside the formulas of RFC 9438 in floating point, HyStart++ and PRR by the rules of their RFCs. */
#include "sim/tcp_cubic.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define MS (MOMENT_SECOND / 1000)

enum { MSS = 1000 };

/* W_cubic(t) in segments (4.2 equation 1), not rounded. */
static double w_cubic(double t_s, double w_max, double epoch)
{
    double k_s = w_max > epoch ? cbrt((w_max - epoch) / 0.4) : 0;
    double d_s = t_s - k_s;
    return 0.4 * d_s * d_s * d_s + w_max;
}

/* Acknowledges the whole window once a round trip of 100 ms for `rounds`. */
static uint64_t grow(struct tcp_cubic *c, uint64_t cwnd, unsigned rounds, int64_t *now)
{
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t acks = cwnd / MSS;
        for (uint64_t k = 0; k < acks; k++) {
            struct tcp_cubic_step step = {.cwnd_octets = cwnd,
                                          .acked_octets = MSS,
                                          .mss_octets = MSS,
                                          .rtt_ns = 100 * MS,
                                          .now = *now + (int64_t)k * 100 * MS / (int64_t)acks};
            cwnd = tcp_cubic_grow(c, &step);
        }
        *now += 100 * MS;
    }
    return cwnd;
}

TEST(follows_the_cubic_function)
{
    struct tcp_cubic c = {0};
    uint64_t cwnd = tcp_cubic_reduce(&c, 400 * MSS, 400 * MSS, MSS);
    assert_int_equal(cwnd, 280 * MSS);
    int64_t now = 0;
    for (unsigned s = 1; s <= 12; s++) {
        cwnd = grow(&c, cwnd, 10, &now);
        assert_float_equal((double)cwnd / MSS, w_cubic(s, 400, 280), 3.0); /* an RTT ahead, whole segments */
    }
    assert_in_range(cwnd, 450 * MSS, 470 * MSS);
}

/* A short round trip: the window of Reno is larger (4.3), 9/17 of a segment a round trip, then 1. */
TEST(is_not_below_reno)
{
    struct tcp_cubic c = {0};
    uint64_t cwnd = tcp_cubic_reduce(&c, 20 * MSS, 20 * MSS, MSS);
    assert_int_equal(cwnd, 14 * MSS);
    int64_t now = 0;
    double reno = 14;
    for (unsigned ms = 0; ms < 600; ms += 2) {
        for (unsigned k = 0; k < cwnd / MSS; k++) {
            struct tcp_cubic_step step = {cwnd, MSS, MSS, 2 * MS, now};
            cwnd = tcp_cubic_grow(&c, &step);
        }
        reno += reno < 20 ? 9.0 / 17 : 1;
        now += 2 * MS;
    }
    assert_float_equal((double)cwnd / MSS, reno, 0.03 * reno);
}

TEST(converges_fast)
{
    struct tcp_cubic c = {0};
    tcp_cubic_reduce(&c, 100 * MSS, 100 * MSS, MSS);
    assert_int_equal(c.w_max_octets, 100 * MSS);
    tcp_cubic_reduce(&c, 80 * MSS, 80 * MSS, MSS); /* below w_max: 0.85 of it */
    assert_int_equal(c.w_max_octets, 68 * MSS);
    tcp_cubic_reduce(&c, 68 * MSS + 500, 68 * MSS, MSS);
    assert_int_equal(c.w_max_octets, 68 * MSS + 500);
    assert_int_equal(tcp_cubic_reduce(&c, 2 * MSS, 2 * MSS, MSS), 2 * MSS);
    assert_int_equal(tcp_cubic_reduce(&c, 50 * MSS, 200 * MSS, MSS), 35 * MSS); /* a hole is being mended */
}

/* 4.8: after a time-out K is 0; 4.2: an idle time is not in the epoch. */
TEST(timeouts_and_idle_times)
{
    struct tcp_cubic c = {0};
    tcp_cubic_reduce(&c, 100 * MSS, 100 * MSS, MSS);
    tcp_cubic_timeout(&c);
    struct tcp_cubic_step step = {70 * MSS, MSS, MSS, 100 * MS, MOMENT_SECOND};
    tcp_cubic_grow(&c, &step);
    assert_int_equal(c.k_ns, 0);
    assert_int_equal(c.w_max_octets, 70 * MSS);
    tcp_cubic_idle(&c, 60 * MOMENT_SECOND);
    step.now += 60 * MOMENT_SECOND;
    assert_in_range(tcp_cubic_grow(&c, &step), 70 * MSS, 70 * MSS + MSS / 10);
}

/* A long life and a large window: no overflow, never less. */
TEST(extremes)
{
    struct tcp_cubic c = {0};
    uint64_t cwnd = tcp_cubic_reduce(&c, UINT64_C(1) << 30, UINT64_C(1) << 30, 1460);
    for (int64_t s = 0; s < 1000000; s += 777) {
        struct tcp_cubic_step step = {cwnd, 1460, 1460, 700 * MS, s * MOMENT_SECOND};
        uint64_t next = tcp_cubic_grow(&c, &step);
        assert_in_range(next, cwnd, cwnd + 1460);
        cwnd = next;
    }
}

/* --- HyStart++ --- */

/* One round of `count` samples; returns whether slow start is over. */
static bool round_of(struct tcp_hystart *h, uint64_t *nxt, unsigned count, int64_t rtt_ms)
{
    uint64_t una = *nxt;
    bool is_over = false;
    *nxt += count * MSS;
    for (unsigned i = 1; i <= count; i++)
        is_over = tcp_hystart_acked(h, una - count * MSS + i * MSS, *nxt, rtt_ms * MS);
    return is_over;
}

TEST(ends_slow_start_as_the_rtt_rises)
{
    struct tcp_hystart h;
    uint64_t nxt = 100 * MSS;
    tcp_hystart_start(&h, nxt);
    assert_false(round_of(&h, &nxt, 16, 100));
    assert_false(round_of(&h, &nxt, 16, 111)); /* below 12.5 ms, an eighth */
    assert_false(h.is_conservative);
    assert_int_equal(tcp_hystart_growth(&h, 20 * MSS, MSS), 8 * MSS);
    assert_false(round_of(&h, &nxt, 16, 125)); /* 111/8 = 13.9 */
    assert_true(h.is_conservative);
    assert_int_equal(tcp_hystart_growth(&h, 2 * MSS, MSS), MSS / 2);
    unsigned rounds = 0;
    while (!round_of(&h, &nxt, 16, 125) && rounds < 10)
        rounds++;
    assert_in_range(rounds, 3, 5);
}

TEST(goes_on_as_the_rtt_falls)
{
    struct tcp_hystart h;
    uint64_t nxt = 100 * MSS;
    tcp_hystart_start(&h, nxt);
    round_of(&h, &nxt, 16, 100);
    round_of(&h, &nxt, 16, 120);
    assert_true(h.is_conservative);
    round_of(&h, &nxt, 16, 119);
    assert_false(h.is_conservative);
}

/* Seven samples a round say nothing (N_RTT_SAMPLE). */
TEST(needs_samples)
{
    struct tcp_hystart h;
    uint64_t nxt = 100 * MSS;
    tcp_hystart_start(&h, nxt);
    for (int64_t rtt_ms = 100; rtt_ms < 1000; rtt_ms += 100)
        assert_false(round_of(&h, &nxt, 7, rtt_ms));
    assert_false(h.is_conservative);
}

/* --- PRR --- */

/* Twenty segments in flight, one of them lost, half of the window: nineteen ACKs send ten segments, and the
 * window ends at the threshold (RFC 6937 section 4, first example). */
TEST(one_loss_of_twenty)
{
    struct tcp_prr p;
    tcp_prr_start(&p, 20 * MSS);
    uint64_t in_flight = 19 * MSS, sent = 0, cwnd = 0;
    tcp_prr_sent(&p, MSS); /* the repetition */
    for (unsigned i = 0; i < 19; i++) {
        in_flight -= MSS * (i > 0);
        struct tcp_prr_ack ack = {MSS, in_flight, 10 * MSS, MSS};
        cwnd = tcp_prr_acked(&p, &ack);
        while (in_flight + MSS <= cwnd) {
            tcp_prr_sent(&p, MSS);
            in_flight += MSS;
            sent++;
        }
    }
    assert_in_range(sent, 8, 10);
    assert_in_range(cwnd, 9 * MSS, 11 * MSS);
}

/* Nearly all are lost: each ACK may send two segments, as slow start does, up to the threshold. */
TEST(burst_of_losses)
{
    struct tcp_prr p;
    tcp_prr_start(&p, 20 * MSS);
    struct tcp_prr_ack ack = {MSS, 4 * MSS, 10 * MSS, MSS};
    tcp_prr_sent(&p, MSS);
    assert_int_equal(tcp_prr_acked(&p, &ack), 6 * MSS);
    ack.in_flight_octets = 10 * MSS;
    assert_int_equal(tcp_prr_acked(&p, &ack), 10 * MSS);
}

UNIT_MAIN(NULL, NULL)
