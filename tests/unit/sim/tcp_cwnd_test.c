/* SPDX-License-Identifier: BSD-3-Clause */
/* CUBIC beside the formulas of RFC 9438 in floating point, HyStart++ and PRR by the rules of their RFCs. */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_cubic.h"

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

/* --- RACK-TLP (RFC 8985): what is repeated, when, and what is not. Round trips of 100 ms --- */

/* A handshake with SACK. */
#define OPEN_SACK                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)
#define RACK                                                                                                 \
    params.sack = true;                                                                                      \
    params.has_rack = true;                                                                                  \
    params.limited_transmit = false

/* The first of ten is lost: the third SACK ends the wait, and repeats it; the second does not. */
SCRIPT_TEST(third_sack_repeats, RACK, OPEN_SACK, DO(WRITE, 200, 10000),
            OUT(200, FL_A, 1, 1, 1000, .times = 9), OUT(200, FL_P, 9001, 1, 1000),
            IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}), IN(302, FL_A, 1, 1, 0, .sack = {{1001, 3001}}),
            IN(304, FL_A, 1, 1, 0, .sack = {{1001, 4001}}), OUT(304, FL_A, 1, 1, 1000))

/* Two SACKs only: the segment may be late by a quarter of the least RTT. */
SCRIPT_TEST(late_by_a_quarter, RACK, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
            OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
            IN(302, FL_A, 1, 1, 0, .sack = {{1001, 3001}}), OUT(327, FL_A, 1, 1, 1000))

/* A repetition that is lost is sent again when a later segment arrives, not after the RTO. */
SCRIPT_TEST(lost_repetition, RACK, OPEN_SACK, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 10),
            IN(300, FL_A, 1, 1, 0, .sack = {{1001, 7001}}), OUT(300, FL_A, 1, 1, 1000),
            OUT(300, FL_A, 10001, 1, 1000), IN(302, FL_A, 1, 1, 0, .sack = {{1001, 10001}}),
            OUT(302, FL_A, 11001, 1, 1000, .times = 3), IN(402, FL_A, 1, 1, 0, .sack = {{1001, 12001}}),
            OUT(402, FL_A, 1, 1, 1000), OUT(402, FL_A, 14001, 1, 1000), OUT(402, FL_A, 15001, 1, 1000))

/* The last segment is lost: the probe repeats it after two round trips, and the window is reduced when more
 * than it is acknowledged. */
SCRIPT_TEST(probe_at_the_end, RACK, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
            OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 2001, 0), OUT(700, FL_P, 2001, 1, 1000),
            IN(800, FL_A, 1, 3001, 0), DO(CWND, 801, 10000), DO(WRITE, 900, 1000),
            OUT(900, FL_P, 3001, 1, 1000), IN(1000, FL_A, 1, 4001, 0), DO(CWND, 1001, 2000))

/* Without RACK the retransmission timer does it, a second later. */
SCRIPT_TEST(without_rack, params.sack = true, OPEN_SACK, DO(WRITE, 200, 3000),
            OUT(200, FL_A, 1, 1, 1000, .times = 2), OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 2001, 0),
            OUT(1300, FL_P, 2001, 1, 1000))

/* Segments that come out of order are not repeated. */
SCRIPT_TEST(reordering_repeats_nothing, RACK, OPEN_SACK, DO(WRITE, 200, 3000),
            OUT(200, FL_A, 1, 1, 1000, .times = 2), OUT(200, FL_P, 2001, 1, 1000),
            IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}), IN(310, FL_A, 1, 2001, 0),
            IN(312, FL_A, 1, 3001, 0), DO(CWND, 3000, 10000))

enum {
    FL_SETUP = TCP_SYN | TCP_ECE | TCP_CWR,
    FL_SAE = FL_SA | TCP_ECE,
    FL_AE = FL_A | TCP_ECE,
    FL_PE = FL_P | TCP_ECE,
    FL_AC = FL_A | TCP_CWR,
    FL_PC = FL_P | TCP_CWR,
};

#define ECT .ecn = AQM_ECN_ECT0
#define CE  .ecn = AQM_ECN_CE

#define OPEN_ECN                                                                                             \
    DO(CONNECT, 0, 0), OUT(0, FL_SETUP, 0, 0, 0), IN(100, FL_SAE, 0, 1, 0), OUT(100, FL_A, 1, 1, 0)
#define ACCEPT_ECN IN(0, FL_SETUP, 0, 0, 0), OUT(0, FL_SAE, 0, 1, 0), IN(100, FL_A, 1, 1, 0)

/* What each end's SYN says, and what data looks like then. */
TEST(is_agreed)
{
    RUN(params.ecn = true, OPEN_ECN, DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10, ECT));
    RUN(params.ecn = true, ACCEPT_ECN, DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10, ECT));
}

TEST(takes_two)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SAE, 0, 1, 0), OUT(100, FL_A, 1, 1, 0),
        DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10));
    RUN(params.ecn = true, DO(CONNECT, 0, 0), OUT(0, FL_SETUP, 0, 0, 0), IN(100, FL_SA, 0, 1, 0),
        OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10));
    RUN(params.ecn = true, DO(CONNECT, 0, 0), OUT(0, FL_SETUP, 0, 0, 0), IN(100, FL_SAE | TCP_CWR, 0, 1, 0),
        OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10));
    RUN(, IN(0, FL_SETUP, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 1, 0), DO(WRITE, 200, 10),
        OUT(200, FL_P, 1, 1, 10));
    RUN(params.ecn = true, IN(0, FL_S | TCP_ECE, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 1, 0),
        DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10));
}

/* Both send a SYN at once; and each repeats its own as it was. */
TEST(survives_odd_handshakes)
{
    RUN(params.ecn = true, DO(CONNECT, 0, 0), OUT(0, FL_SETUP, 0, 0, 0), IN(50, FL_SETUP, 0, 0, 0),
        OUT(50, FL_SAE, 0, 1, 0), IN(100, FL_SAE, 0, 1, 0), OUT(100, FL_SAE, 0, 1, 0), IN(150, FL_A, 1, 1, 0),
        DO(WRITE, 200, 10), OUT(200, FL_P, 1, 1, 10, ECT));
    RUN(params.ecn = true, DO(CONNECT, 0, 0), OUT(0, FL_SETUP, 0, 0, 0), OUT(1000, FL_SETUP, 0, 0, 0),
        IN(1100, FL_SAE, 0, 1, 0), OUT(1100, FL_A, 1, 1, 0));
    RUN(params.ecn = true, IN(0, FL_SETUP, 0, 0, 0), OUT(0, FL_SAE, 0, 1, 0), OUT(1000, FL_SAE, 0, 1, 0),
        IN(1500, FL_SETUP, 0, 0, 0), OUT(1500, FL_SAE, 0, 1, 0));
}

/* From a CE to a CWR every ACK has ECE; a CE that comes with a CWR is news. */
SCRIPT_TEST(ce_is_echoed_until_cwr, params.ecn = true;
            params.delayed_ack_segments = 1, ACCEPT_ECN, IN(200, FL_P, 1, 1, 100, ECT),
            OUT(200, FL_A, 1, 101, 0), IN(210, FL_P, 101, 1, 100, CE), OUT(210, FL_AE, 1, 201, 0),
            IN(220, FL_P, 201, 1, 100, ECT), OUT(220, FL_AE, 1, 301, 0), DO(WRITE, 225, 10),
            OUT(225, FL_PE, 1, 301, 10, ECT), IN(230, FL_PC, 301, 11, 100, ECT), OUT(230, FL_A, 11, 401, 0),
            IN(240, FL_PC, 401, 11, 100, CE), OUT(240, FL_AE, 11, 501, 0), IN(250, FL_PC, 501, 11, 100, ECT),
            OUT(250, FL_A, 11, 601, 0))

/* Without ECN, in a packet without data and outside the window CE means nothing. */
TEST(ce_out_of_place)
{
    RUN(params.delayed_ack_segments = 1, ACCEPT, IN(200, FL_P, 1, 1, 100, CE), OUT(200, FL_A, 1, 101, 0));
    RUN(params.ecn = true; params.delayed_ack_segments = 1, ACCEPT_ECN, IN(200, FL_A, 1, 1, 0, CE),
                           IN(210, FL_P, 1, 1, 100, ECT), OUT(210, FL_A, 1, 101, 0),
                           IN(220, FL_P, 1, 1, 100, CE), OUT(220, FL_A, 1, 101, 0),
                           IN(230, FL_P, 101, 1, 100, ECT), OUT(230, FL_A, 1, 201, 0));
}

/* Ten segments are out. The first ECE halves the window; those up to the end of the ten change nothing, nor
 * do they let it grow. The first new segment says CWR; an ECE behind it halves again. */
SCRIPT_TEST(one_reduction_in_a_round_trip, params.ecn = true, OPEN_ECN, DO(WRITE, 200, 30000),
            OUT(200, FL_A, 1, 1, 1000, .times = 10, ECT), IN(300, FL_AE, 1, 1001, 0), DO(CWND, 300, 5000),
            IN(301, FL_AE, 1, 5001, 0), DO(CWND, 301, 5000), IN(302, FL_AE, 1, 6001, 0),
            OUT(302, FL_AC, 10001, 1, 1000, ECT), IN(303, FL_AE, 1, 8001, 0),
            OUT(303, FL_A, 11001, 1, 1000, .times = 2, ECT), IN(304, FL_AE, 1, 10001, 0),
            OUT(304, FL_A, 13001, 1, 1000, .times = 2, ECT), DO(CWND, 304, 5000), IN(402, FL_A, 1, 11001, 0),
            DO(CWND, 402, 5200), OUT(402, FL_A, 15001, 1, 1000, ECT), IN(403, FL_AE, 1, 12001, 0),
            DO(CWND, 403, 2500))

/* The least window is two segments. */
SCRIPT_TEST(reduces_to_two_segments, params.ecn = true;
            params.initial_cwnd_segments = 3, OPEN_ECN, DO(WRITE, 200, 30000),
            OUT(200, FL_A, 1, 1, 1000, .times = 3, ECT), IN(300, FL_AE, 1, 2001, 0), DO(CWND, 300, 2000),
            OUT(300, FL_AC, 3001, 1, 1000, ECT), IN(400, FL_AE, 1, 4001, 0), DO(CWND, 400, 2000),
            OUT(400, FL_AC, 4001, 1, 1000, ECT), OUT(400, FL_A, 5001, 1, 1000, ECT))

/* A repetition is not ECN capable; what was new when it went is, and says CWR: the timeout reduced, too. */
SCRIPT_TEST(repetitions_are_not_ect, params.ecn = true, OPEN_ECN, DO(WRITE, 200, 1000),
            OUT(200, FL_P, 1, 1, 1000, ECT), OUT(1200, FL_P, 1, 1, 1000), IN(1300, FL_A, 1, 1001, 0),
            DO(WRITE, 1400, 1000), OUT(1400, FL_PC, 1001, 1, 1000, ECT))

/* Loss and mark in one window: halved once, whichever is seen first. */
TEST(loss_and_mark_count_once)
{
    RUN(params.ecn = true, OPEN_ECN, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 10, ECT),
        IN(300, FL_AE, 1, 1001, 0), DO(CWND, 300, 5000), IN(301, FL_AE, 1, 1001, 0),
        IN(302, FL_AE, 1, 1001, 0), IN(303, FL_AE, 1, 1001, 0), OUT(303, FL_A, 1001, 1, 1000),
        DO(CWND, 303, 8000), IN(403, FL_A, 1, 10001, 0), DO(CWND, 403, 2000),
        OUT(403, FL_AC, 10001, 1, 1000, ECT), OUT(403, FL_A, 11001, 1, 1000, ECT));
    RUN(params.ecn = true; params.limited_transmit = false, OPEN_ECN, DO(WRITE, 200, 30000),
                           OUT(200, FL_A, 1, 1, 1000, .times = 10, ECT), IN(300, FL_A, 1, 1, 0),
                           IN(301, FL_A, 1, 1, 0), IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000),
                           DO(CWND, 302, 8000), IN(303, FL_AE, 1, 1, 0), DO(CWND, 303, 9000),
                           IN(402, FL_AE, 1, 10001, 0), DO(CWND, 402, 2000),
                           OUT(402, FL_AC, 10001, 1, 1000, ECT), OUT(402, FL_A, 11001, 1, 1000, ECT));
}

UNIT_MAIN(NULL, NULL)
