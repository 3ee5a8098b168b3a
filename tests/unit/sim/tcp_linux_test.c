/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of Linux 2.4 (sim/tcp_linux.h, sim/tcp_receive.h, tcp_rto_sample_linux()), each against packets
 * made by hand. Without a word on it a rule is the same in 2.4.0 and 2.4.17. */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_rto.h"
#include "sim/tcp_scoreboard.h"

#include <stdlib.h>

#define MS (MOMENT_SECOND / 1000)

#define OPEN_SACK                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)

#define ACCEPT_SACK                                                                                          \
    IN(0, FL_S, 0, 0, 0, .sack_permitted = true), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 1, 0)

#define LINUX                                                                                                \
    params.stack = TCP_STACK_LINUX_2_4_17;                                                                   \
    params.sack = true
#define EARLY                                                                                                \
    params.stack = TCP_STACK_LINUX_2_4_0;                                                                    \
    params.sack = true

/* One SACK five segments up shows the first two as lost: no wait for three duplicates. */
SCRIPT_TEST(forward_sack_begins_recovery, LINUX;
            params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
            OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{4001, 5001}}),
            OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 6000))

/* Three segments may be late without being lost. */
SCRIPT_TEST(three_segments_of_reordering, LINUX;
            params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
            OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{2001, 3001}}),
            OUT(300, FL_A, 8001, 1, 1000), DO(CWND, 300, 8000))

/* Segment 1 of eight is lost: each second ACK takes one from the window, down to half, none for each one. */
SCRIPT_TEST(each_second_ack_takes_one, LINUX;
            params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
            OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
            OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 5000), IN(301, FL_A, 1, 1, 0, .sack = {{1001, 5001}}),
            DO(CWND, 301, 4000), IN(302, FL_A, 1, 1, 0, .sack = {{1001, 6001}}),
            OUT(302, FL_A, 8001, 1, 1000), DO(CWND, 302, 4000))

/* Ten segments in a row are lost, only the two behind them arrive: the window falls to what is in flight, and
 * each round trip repeats one or two segments. An RFC 6675 sender repeats five at once. */
SCRIPT_TEST(burst_of_losses_leaves_one_segment, LINUX;
            params.initial_cwnd_segments = 14, OPEN_SACK, DO(WRITE, 200, 14000),
            OUT(200, FL_A, 1, 1, 1000, .times = 13), OUT(200, FL_P, 13001, 1, 1000),
            IN(300, FL_A, 1, 1, 0, .sack = {{12001, 14001}}), OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 2000),
            IN(400, FL_A, 1, 1001, 0, .sack = {{12001, 14001}}), OUT(400, FL_A, 1001, 1, 1000),
            DO(CWND, 400, 2000), IN(500, FL_A, 1, 2001, 0, .sack = {{12001, 14001}}),
            OUT(500, FL_A, 2001, 1, 1000), DO(CWND, 500, 2000),
            IN(600, FL_A, 1, 3001, 0, .sack = {{12001, 14001}}), OUT(600, FL_A, 3001, 1, 1000))

/* After such a recovery the window is small, the threshold half of what it was: slow start. */
SCRIPT_TEST(slow_start_follows, LINUX;
            params.initial_cwnd_segments = 12, OPEN_SACK, DO(WRITE, 200, 60000),
            OUT(200, FL_A, 1, 1, 1000, .times = 12), IN(300, FL_A, 1, 1, 0, .sack = {{4001, 12001}}),
            OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 1000),
            IN(400, FL_A, 1, 1001, 0, .sack = {{4001, 12001}}), OUT(400, FL_A, 1001, 1, 1000),
            IN(500, FL_A, 1, 2001, 0, .sack = {{4001, 12001}}), OUT(500, FL_A, 2001, 1, 1000),
            IN(600, FL_A, 1, 3001, 0, .sack = {{4001, 12001}}), OUT(600, FL_A, 3001, 1, 1000),
            IN(700, FL_A, 1, 12001, 0), DO(CWND, 700, 1000), OUT(700, FL_A, 12001, 1, 1000),
            IN(800, FL_A, 1, 13001, 0), DO(CWND, 800, 2000), OUT(800, FL_A, 13001, 1, 1000, .times = 2))

/* The ACK after a time-out echoes a timestamp from before the repetition: the window comes back, new data
 * follows. */
SCRIPT_TEST(late_ack_undoes_the_timeout, LINUX; params.timestamps = true;
            params.initial_cwnd_segments = 4, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
            IN(100, FL_SA, 0, 1, 0, .sack_permitted = true, .ts_value = 1, .ts_echo = 1),
            OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 988, .times = 4),
            OUT(1300, FL_A, 1, 1, 988), DO(CWND, 1300, 988),
            IN(1350, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 201), DO(CWND, 1350, 3952),
            OUT(1350, FL_A, 3953, 1, 988))

/* It echoes the repetition: the repetition was needed, slow start continues. */
SCRIPT_TEST(needed_repetition_stays, LINUX; params.timestamps = true;
            params.initial_cwnd_segments = 4, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
            IN(100, FL_SA, 0, 1, 0, .sack_permitted = true, .ts_value = 1, .ts_echo = 1),
            OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 988, .times = 4),
            OUT(1300, FL_A, 1, 1, 988), IN(1400, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 1301),
            DO(CWND, 1400, 1976), OUT(1400, FL_A, 989, 1, 988, .times = 2))

/* Without FACK an ACK shows the first hole as lost, and a partial ACK the next one: the window keeps what is
 * in flight, and each round trip repeats one segment. */
SCRIPT_TEST(without_fack_one_hole_per_round_trip, LINUX; params.has_no_fack = true;
            params.initial_cwnd_segments = 12, OPEN_SACK, DO(WRITE, 200, 60000),
            OUT(200, FL_A, 1, 1, 1000, .times = 12), IN(300, FL_A, 1, 1, 0, .sack = {{8001, 12001}}),
            OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 8000),
            IN(400, FL_A, 1, 1001, 0, .sack = {{8001, 12001}}), OUT(400, FL_A, 1001, 1, 1000),
            DO(CWND, 400, 7000), IN(500, FL_A, 1, 2001, 0, .sack = {{8001, 12001}}),
            OUT(500, FL_A, 2001, 1, 1000))

/* The window falls by one for each second ACK down to half of the threshold, a quarter of what it was. At 305
 * ms a SACK of data that was sent after the repetition shows that the repetition is lost, too. */
SCRIPT_TEST(window_falls_to_a_quarter, LINUX;
            params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
            OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
            OUT(300, FL_A, 1, 1, 1000), IN(301, FL_A, 1, 1, 0, .sack = {{1001, 5001}}), DO(CWND, 301, 4000),
            IN(302, FL_A, 1, 1, 0, .sack = {{1001, 6001}}), OUT(302, FL_A, 8001, 1, 1000),
            IN(303, FL_A, 1, 1, 0, .sack = {{1001, 7001}}), DO(CWND, 303, 3000),
            IN(304, FL_A, 1, 1, 0, .sack = {{1001, 8001}}), OUT(304, FL_A, 9001, 1, 1000),
            IN(305, FL_A, 1, 1, 0, .sack = {{1001, 9001}}), OUT(305, FL_A, 1, 1, 1000), DO(CWND, 305, 2000))

#define STAMPS                                                                                               \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),                                                                \
        IN(100, FL_SA, 0, 1, 0, .sack_permitted = true, .ts_value = 1, .ts_echo = 1),                        \
        OUT(100, FL_A, 1, 1, 0)

/* The handshake of 100 ms makes the RTO 500 ms. A round trip of 180 ms makes it SRTT 110 ms and 4 RTTVAR 400
 * ms. 2.4.17: it expires then after the ACK. */
SCRIPT_TEST(timer_restarts_at_the_ack, LINUX; params.timestamps = true; params.min_rto_ns = 200 * MS;
            params.initial_cwnd_segments = 2, STAMPS, DO(WRITE, 200, 1976), OUT(200, FL_A, 1, 1, 988),
            OUT(200, FL_P, 989, 1, 988), IN(380, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 201),
            OUT(890, FL_P, 989, 1, 988))

/* 2.4.0: RTO and 4 RTTVAR, 910 ms, after the first segment in flight was sent. */
SCRIPT_TEST(timer_counts_from_the_sending, EARLY; params.timestamps = true; params.min_rto_ns = 200 * MS;
            params.initial_cwnd_segments = 2, STAMPS, DO(WRITE, 200, 1976), OUT(200, FL_A, 1, 1, 988),
            OUT(200, FL_P, 989, 1, 988), IN(380, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 201),
            OUT(1110, FL_P, 989, 1, 988))

/* 2.4.17: at a doubtful ACK what was sent longer than an RTO ago is lost, here 1.1 s; one SACK suffices. */
SCRIPT_TEST(old_segments_are_lost, LINUX; params.initial_cwnd_segments = 4, OPEN_SACK, DO(WRITE, 200, 20000),
                                          OUT(200, FL_A, 1, 1, 1000, .times = 4), IN(400, FL_A, 1, 1001, 0),
                                          OUT(400, FL_A, 4001, 1, 1000, .times = 2),
                                          IN(1400, FL_A, 1, 1001, 0, .sack = {{3001, 4001}}),
                                          OUT(1400, FL_A, 1001, 1, 1000), DO(CWND, 1400, 3000))

/* The repetition is reported as arrived twice, so it was not needed: the threshold comes back, and slow start
 * goes beyond half of the window. */
SCRIPT_TEST(duplicate_sack_undoes, LINUX;
            params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 60000),
            OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 5001}}),
            OUT(300, FL_A, 1, 1, 1000), IN(310, FL_A, 1, 5001, 0),
            IN(330, FL_A, 1, 8001, 0, .sack = {{1, 1001}}), OUT(330, FL_A, 8001, 1, 1000, .times = 3),
            IN(430, FL_A, 1, 9001, 0), OUT(430, FL_A, 11001, 1, 1000, .times = 2), IN(431, FL_A, 1, 10001, 0),
            OUT(431, FL_A, 13001, 1, 1000, .times = 2), IN(432, FL_A, 1, 11001, 0),
            OUT(432, FL_A, 15001, 1, 1000, .times = 2), DO(CWND, 432, 6000))

/* A receiver reports data that arrives again, before the ranges that it holds. */
SCRIPT_TEST(receiver_reports_duplicates, LINUX, ACCEPT_SACK, IN(200, FL_A, 1, 1, 1000),
            OUT(200, FL_A, 1, 1001, 0), IN(300, FL_A, 2001, 1, 1000),
            OUT(300, FL_A, 1, 1001, 0, .sack = {{2001, 3001}}), IN(400, FL_A, 1, 1, 1000),
            OUT(400, FL_A, 1, 1001, 0, .sack = {{1, 1001}, {2001, 3001}}), IN(500, FL_A, 3001, 1, 1000),
            OUT(500, FL_A, 1, 1001, 0, .sack = {{2001, 4001}}))

/* rtt_ms 0: a time-out. Expected by hand, minimum 200 ms. */
static const struct {
    struct tcp_rto_linux sample;
    int64_t rto_us;
} rto_rows[] = {
    {{1004 * MS, false, false}, 5000000}, /* 1.00 s in ticks of 10 ms: SRTT 1, RTTVAR 1 */
    {{1000 * MS, true, false}, 5000000},  /* the deviation falls, RTTVAR not before the end of a round trip */
    {{0}, 10000000},
    {{1000 * MS, false, true}, 10000000}, /* stays doubled */
    {{1000 * MS, false, false}, 5000000},
    {{1000 * MS, true, false},
     4562500}, /* the largest deviation of this round trip, 0.56: a quarter of the way */
};

static struct tcp_rto rto_of(int64_t min_ns)
{
    struct tcp_params params = tcp_params_default();
    struct tcp_rto r;
    params.min_rto_ns = min_ns;
    tcp_rto_init(&r, &params);
    return r;
}

static void take(struct tcp_rto *r, int64_t rtt_ms, bool ends_round)
{
    struct tcp_rto_linux sample = {rtt_ms * MS, ends_round, false};
    tcp_rto_sample_linux(r, &sample);
}

TEST(rto_follows_the_largest_deviation)
{
    struct tcp_rto r = rto_of(200 * MS);
    for (size_t i = 0; i < COUNT(rto_rows); i++) {
        if (rto_rows[i].sample.rtt_ns)
            tcp_rto_sample_linux(&r, &rto_rows[i].sample);
        else
            tcp_rto_back_off(&r);
        if (r.rto_ns / 1000 != rto_rows[i].rto_us)
            fail_msg("row %zu: %lld us", i, (long long)r.rto_ns / 1000);
    }
}

/* A constant round trip: the RTO comes down to 200 ms above it, not to the round trip itself. */
TEST(rto_keeps_its_distance)
{
    struct tcp_rto r = rto_of(200 * MS);
    for (int i = 0; i < 100; i++)
        take(&r, 3000, true);
    assert_in_range(r.rto_ns / MS, 3200, 3201);
}

/* A shorter round trip raises the deviation by an eighth of what a longer one does. */
TEST(rto_trusts_better_times)
{
    struct tcp_rto up = rto_of(MOMENT_SECOND), down;
    for (int i = 0; i < 100; i++)
        take(&up, 3000, true);
    down = up;
    int64_t before_ns = up.mdev_ns;
    take(&up, 4600, false);
    take(&down, 1400, false);
    assert_in_range((up.mdev_ns - before_ns) / MS, 395, 405);
    assert_in_range((down.mdev_ns - before_ns) / MS, 48, 52);
}

/* Segments 400 ms apart: two quick ACKs (half of the window of four segments), then each ACK that waited in
 * vain waits twice as long, until two segments share one. */
SCRIPT_TEST(acks_wait_longer_each_time, LINUX; params.receive_window_octets = 4000;
            params.delayed_ack_timeout_ns = 500 * MS, ACCEPT_SACK, IN(1000, FL_A, 1, 1, 1000),
            OUT(1000, FL_A, 1, 1001, 0), IN(1400, FL_A, 1001, 1, 1000), OUT(1400, FL_A, 1, 2001, 0),
            IN(1800, FL_A, 2001, 1, 1000), OUT(1840, FL_A, 1, 3001, 0), IN(2200, FL_A, 3001, 1, 1000),
            OUT(2280, FL_A, 1, 4001, 0), IN(2600, FL_A, 4001, 1, 1000), OUT(2700, FL_A, 1, 5001, 0))

/* The window begins with four segments and grows by two with each one. */
SCRIPT_TEST(announced_window_grows, LINUX, IN(0, FL_S, 0, 0, 0, .sack_permitted = true),
            OUT(0, FL_SA, 0, 1, 0, .window = 4000), IN(100, FL_A, 1, 1, 0), IN(200, FL_A, 1, 1, 1000),
            OUT(200, FL_A, 1, 1001, 0, .window = 6000), IN(300, FL_A, 1001, 1, 1000),
            OUT(300, FL_A, 1, 2001, 0, .window = 8000))

UNIT_MAIN(NULL, NULL)
