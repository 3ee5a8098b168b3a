/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of Linux 2.4 (sim/tcp_halving.h, tcp_rto_sample_linux()), each against packets made by hand. */
#include "tests/unit/sim/tcp_script.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_rto.h"
#include "sim/tcp_scoreboard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define MS          (MOMENT_SECOND / 1000)

#define OPEN_SACK                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)

#define LINUX params.is_linux_2_4 = params.sack = true

/* One SACK five segments up shows the first two as lost: no wait for three duplicates. */
static void forward_sack_begins_recovery(void **state)
{
    RUN(LINUX; params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
               OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{4001, 5001}}),
               OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 6000));
}

/* Three segments may be late without being lost. */
static void three_segments_of_reordering(void **state)
{
    RUN(LINUX; params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
               OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{2001, 3001}}),
               OUT(300, FL_A, 8001, 1, 1000), DO(CWND, 300, 8000));
}

/* Segment 1 of eight is lost: each second ACK takes one from the window, down to half, none for each one. */
static void each_second_ack_takes_one(void **state)
{
    RUN(LINUX; params.initial_cwnd_segments = 8, OPEN_SACK, DO(WRITE, 200, 20000),
               OUT(200, FL_A, 1, 1, 1000, .times = 8), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
               OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 5000),
               IN(301, FL_A, 1, 1, 0, .sack = {{1001, 5001}}), DO(CWND, 301, 4000),
               IN(302, FL_A, 1, 1, 0, .sack = {{1001, 6001}}), OUT(302, FL_A, 8001, 1, 1000),
               DO(CWND, 302, 4000));
}

/* Ten segments in a row are lost, only the two behind them arrive: the window falls to what is in flight, and
 * each round trip repeats one or two segments. An RFC 6675 sender repeats five at once. */
static void burst_of_losses_leaves_one_segment(void **state)
{
    RUN(LINUX; params.initial_cwnd_segments = 14, OPEN_SACK, DO(WRITE, 200, 14000),
               OUT(200, FL_A, 1, 1, 1000, .times = 13), OUT(200, FL_P, 13001, 1, 1000),
               IN(300, FL_A, 1, 1, 0, .sack = {{12001, 14001}}), OUT(300, FL_A, 1, 1, 1000),
               DO(CWND, 300, 2000), IN(400, FL_A, 1, 1001, 0, .sack = {{12001, 14001}}),
               OUT(400, FL_A, 1001, 1, 1000), DO(CWND, 400, 2000),
               IN(500, FL_A, 1, 2001, 0, .sack = {{12001, 14001}}), OUT(500, FL_A, 2001, 1, 1000),
               DO(CWND, 500, 2000), IN(600, FL_A, 1, 3001, 0, .sack = {{12001, 14001}}),
               OUT(600, FL_A, 3001, 1, 1000));
}

/* After such a recovery the window is small, the threshold half of what it was: slow start. */
static void slow_start_follows(void **state)
{
    RUN(LINUX; params.initial_cwnd_segments = 12, OPEN_SACK, DO(WRITE, 200, 60000),
               OUT(200, FL_A, 1, 1, 1000, .times = 12), IN(300, FL_A, 1, 1, 0, .sack = {{4001, 12001}}),
               OUT(300, FL_A, 1, 1, 1000), DO(CWND, 300, 1000),
               IN(400, FL_A, 1, 1001, 0, .sack = {{4001, 12001}}), OUT(400, FL_A, 1001, 1, 1000),
               IN(500, FL_A, 1, 2001, 0, .sack = {{4001, 12001}}), OUT(500, FL_A, 2001, 1, 1000),
               IN(600, FL_A, 1, 3001, 0, .sack = {{4001, 12001}}), OUT(600, FL_A, 3001, 1, 1000),
               IN(700, FL_A, 1, 12001, 0), DO(CWND, 700, 1000), OUT(700, FL_A, 12001, 1, 1000),
               IN(800, FL_A, 1, 13001, 0), DO(CWND, 800, 2000), OUT(800, FL_A, 13001, 1, 1000, .times = 2));
}

/* The ACK after a time-out echoes a timestamp from before the repetition: the window comes back, new data
 * follows. */
static void late_ack_undoes_the_timeout(void **state)
{
    RUN(LINUX; params.timestamps = true;
        params.initial_cwnd_segments = 4, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
        IN(100, FL_SA, 0, 1, 0, .sack_permitted = true, .ts_value = 1, .ts_echo = 1), OUT(100, FL_A, 1, 1, 0),
        DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 988, .times = 4), OUT(1300, FL_A, 1, 1, 988),
        DO(CWND, 1300, 988), IN(1350, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 201), DO(CWND, 1350, 3952),
        OUT(1350, FL_A, 3953, 1, 988));
}

/* It echoes the repetition: the repetition was needed, slow start continues. */
static void needed_repetition_stays(void **state)
{
    RUN(LINUX; params.timestamps = true;
        params.initial_cwnd_segments = 4, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
        IN(100, FL_SA, 0, 1, 0, .sack_permitted = true, .ts_value = 1, .ts_echo = 1), OUT(100, FL_A, 1, 1, 0),
        DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 988, .times = 4), OUT(1300, FL_A, 1, 1, 988),
        IN(1400, FL_A, 1, 989, 0, .ts_value = 2, .ts_echo = 1301), DO(CWND, 1400, 1976),
        OUT(1400, FL_A, 989, 1, 988, .times = 2));
}

/* rtt_ms 0: a time-out. Expected by hand from section 4 of the paper, minimum 200 ms. */
static const struct {
    int64_t rtt_ms;
    bool ends_round;
    int64_t rto_us;
} rto_rows[] = {
    {1004, false, 3000000}, /* 1.00 s in ticks of 10 ms: SRTT 1, RTTVAR 0.5 */
    {1000, true, 3000000},  /* the deviation falls, RTTVAR not before the end of a round trip */
    {0, false, 6000000},    {1000, false, 3000000}, /* no Karn: the timestamp is certain */
    {1000, true, 2781250}, /* the largest deviation of this round trip, 0.28: a quarter of the way */
};

static void rto_follows_the_largest_deviation(void **state)
{
    struct tcp_params params = tcp_params_default();
    params.min_rto_ns = 200 * MS;
    struct tcp_rto r;
    tcp_rto_init(&r, &params);
    for (size_t i = 0; i < COUNT(rto_rows); i++) {
        if (rto_rows[i].rtt_ms)
            tcp_rto_sample_linux(&r, rto_rows[i].rtt_ms * MS, rto_rows[i].ends_round);
        else
            tcp_rto_back_off(&r);
        if (r.rto_ns / 1000 != rto_rows[i].rto_us)
            fail_msg("row %zu: %lld us", i, (long long)r.rto_ns / 1000);
    }
}

/* A constant round trip: the RTO comes down to 200 ms above it, not to the round trip itself. */
static void rto_keeps_its_distance(void **state)
{
    struct tcp_params params = tcp_params_default();
    params.min_rto_ns = 200 * MS;
    struct tcp_rto r;
    tcp_rto_init(&r, &params);
    for (int i = 0; i < 100; i++)
        tcp_rto_sample_linux(&r, 3000 * MS, true);
    assert_in_range(r.rto_ns / MS, 3200, 3201);
}

/* A shorter round trip raises the deviation by an eighth of what a longer one does. */
static void rto_trusts_better_times(void **state)
{
    struct tcp_params params = tcp_params_default();
    struct tcp_rto up, down;
    tcp_rto_init(&up, &params);
    for (int i = 0; i < 100; i++)
        tcp_rto_sample_linux(&up, 3000 * MS, true);
    down = up;
    int64_t before_ns = up.mdev_ns;
    tcp_rto_sample_linux(&up, 4600 * MS, false);
    tcp_rto_sample_linux(&down, 1400 * MS, false);
    assert_in_range((up.mdev_ns - before_ns) / MS, 395, 405);
    assert_in_range((down.mdev_ns - before_ns) / MS, 48, 52);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_sack_begins_recovery), cmocka_unit_test(three_segments_of_reordering),
        cmocka_unit_test(each_second_ack_takes_one),    cmocka_unit_test(burst_of_losses_leaves_one_segment),
        cmocka_unit_test(slow_start_follows),           cmocka_unit_test(late_ack_undoes_the_timeout),
        cmocka_unit_test(needed_repetition_stays),      cmocka_unit_test(rto_follows_the_largest_deviation),
        cmocka_unit_test(rto_keeps_its_distance),       cmocka_unit_test(rto_trusts_better_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
