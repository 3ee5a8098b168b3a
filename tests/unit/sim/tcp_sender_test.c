/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

TEST(syn_is_repeated_and_given_up)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), OUT(1000, FL_S, 0, 0, 0), OUT(3000, FL_S, 0, 0, 0),
        OUT(7000, FL_S, 0, 0, 0), OUT(15000, FL_S, 0, 0, 0), OUT(31000, FL_S, 0, 0, 0),
        OUT(63000, FL_S, 0, 0, 0), DO(STATE, 122999, TCP_SYN_SENT), DO(END, 123000, TCP_END_TIMEOUT));
}

TEST(syn_ack_is_repeated)
{
    RUN(, IN(0, FL_S, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), OUT(1000, FL_SA, 0, 1, 0), IN(1500, FL_S, 0, 0, 0),
        OUT(1500, FL_SA, 0, 1, 0), IN(1600, FL_A, 1, 1, 0), DO(STATE, 1600, TCP_ESTABLISHED),
        DO(CWND, 1600, 1000));
}

/* RFC 6298 (5.7): 3 s for the first data; RFC 5681 3.1: one segment. */
TEST(lost_syn_makes_cautious)
{
    RUN(, DO(CONNECT, 0, 0), DO(WRITE, 0, 3000), OUT(0, FL_S, 0, 0, 0), OUT(1000, FL_S, 0, 0, 0),
        IN(1100, FL_SA, 0, 1, 0), OUT(1100, FL_A, 1, 1, 1000), OUT(4100, FL_A, 1, 1, 1000));
}

TEST(rto_doubles_up_to_its_limit)
{
    RUN(, OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000), OUT(1200, FL_P, 1, 1, 1000),
        OUT(3200, FL_P, 1, 1, 1000), OUT(7200, FL_P, 1, 1, 1000), OUT(15200, FL_P, 1, 1, 1000),
        OUT(31200, FL_P, 1, 1, 1000), OUT(63200, FL_P, 1, 1, 1000), OUT(123200, FL_P, 1, 1, 1000),
        OUT(183200, FL_P, 1, 1, 1000), DO(CWND, 183200, 1000));
}

/* Karn: the ACK of the repetition leaves the RTO at 2 s, that of new data brings it back to 1 s. */
TEST(backed_off_rto_stays)
{
    RUN(, OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000), OUT(1200, FL_P, 1, 1, 1000),
        IN(1300, FL_A, 1, 1001, 0), DO(WRITE, 1300, 1000), OUT(1300, FL_P, 1001, 1, 1000),
        OUT(3300, FL_P, 1001, 1, 1000), IN(3400, FL_A, 1, 2001, 0), DO(WRITE, 3400, 1000),
        OUT(3400, FL_P, 2001, 1, 1000), IN(3500, FL_A, 1, 3001, 0), DO(WRITE, 3500, 1000),
        OUT(3500, FL_P, 3001, 1, 1000), OUT(4500, FL_P, 3001, 1, 1000));
}

TEST(timeout_starts_slowly)
{
    RUN(, OPEN, DO(WRITE, 200, 8000), OUT(200, FL_A, 1, 1, 1000, .times = 7), OUT(200, FL_P, 7001, 1, 1000),
        OUT(1200, FL_A, 1, 1, 1000), IN(1300, FL_A, 1, 1001, 0), OUT(1300, FL_A, 1001, 1, 1000, .times = 2),
        DO(CWND, 1300, 2000), IN(1400, FL_A, 1, 3001, 0), OUT(1400, FL_A, 3001, 1, 1000, .times = 3),
        DO(CWND, 1400, 3000), IN(1500, FL_A, 1, 8001, 0), DO(CWND, 1500, 4000));
}

TEST(third_duplicate_repeats)
{
    RUN(params.limited_transmit = false, OPEN, DO(WRITE, 200, 12000), OUT(200, FL_A, 1, 1, 1000, .times = 10),
        IN(300, FL_A, 1, 1, 0), IN(301, FL_A, 1, 1, 0), IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000),
        DO(CWND, 302, 8000));
}

/* A changed window, or data, is no duplicate (RFC 5681 section 2). */
TEST(what_is_no_duplicate)
{
    RUN(, OPEN, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2), OUT(200, FL_P, 2001, 1, 1000),
        IN(300, FL_A, 1, 1, 0, .window = 60000), IN(301, FL_A, 1, 1, 0, .window = 50000),
        IN(302, FL_P, 1, 1, 10, .window = 50000), IN(303, FL_A, 11, 1, 0, .window = 50000),
        IN(304, FL_A, 11, 1, 0, .window = 50000), DO(CWND, 305, 10000), OUT(502, FL_A, 3001, 11, 0));
}

/* RFC 6582 with limited transmit: segments 1 and 4 of twelve are lost. */
TEST(newreno_partial_ack)
{
    RUN(, OPEN, DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 1000, .times = 10), IN(300, FL_A, 1, 1, 0),
        OUT(300, FL_A, 10001, 1, 1000), IN(301, FL_A, 1, 1, 0), OUT(301, FL_A, 11001, 1, 1000),
        IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 8000), IN(303, FL_A, 1, 1, 0),
        IN(304, FL_A, 1, 1, 0), IN(305, FL_A, 1, 1, 0), IN(306, FL_A, 1, 1, 0), IN(307, FL_A, 1, 1, 0),
        OUT(307, FL_A, 12001, 1, 1000), IN(308, FL_A, 1, 1, 0), OUT(308, FL_A, 13001, 1, 1000),
        IN(309, FL_A, 1, 1, 0), OUT(309, FL_A, 14001, 1, 1000), IN(402, FL_A, 1, 3001, 0),
        OUT(402, FL_A, 3001, 1, 1000), OUT(402, FL_A, 15001, 1, 1000), DO(CWND, 402, 13000),
        IN(502, FL_A, 1, 15001, 0), DO(CWND, 502, 2000), OUT(502, FL_A, 16001, 1, 1000));
}

/* Twelve segments, of which 1 and 4 are lost; eleven duplicates are two of limited transmit and the rest. */
#define TWELVE_TWO_LOST                                                                                      \
    OPEN, DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 1000, .times = 10), IN(300, FL_A, 1, 1, 0),            \
        OUT(300, FL_A, 10001, 1, 1000), IN(301, FL_A, 1, 1, 0), OUT(301, FL_A, 11001, 1, 1000),              \
        IN(302, FL_A, 1, 1, 0)

/* RFC 2581: the first ACK of new data ends the recovery; segment 4 needs three more duplicates, and halves
 * the window once more. */
TEST(reno_partial_ack)
{
    RUN(params.recovery = TCP_RECOVERY_RENO, TWELVE_TWO_LOST, OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 8000),
        IN(402, FL_A, 1, 3001, 0), DO(CWND, 402, 5000), IN(403, FL_A, 1, 3001, 0), IN(404, FL_A, 1, 3001, 0),
        IN(405, FL_A, 1, 3001, 0), OUT(405, FL_A, 3001, 1, 1000), DO(CWND, 405, 7500));
}

/* Slow start from the lost segment on: all is sent again. */
TEST(tahoe_starts_over)
{
    RUN(params.recovery = TCP_RECOVERY_TAHOE, TWELVE_TWO_LOST, OUT(302, FL_A, 1, 1, 1000),
        DO(CWND, 302, 1000), IN(303, FL_A, 1, 1, 0), IN(304, FL_A, 1, 1, 0), IN(305, FL_A, 1, 1, 0),
        IN(402, FL_A, 1, 3001, 0), DO(CWND, 402, 2000), OUT(402, FL_A, 3001, 1, 1000),
        OUT(402, FL_A, 4001, 1, 1000));
}

TEST(duplicates_do_nothing)
{
    RUN(params.recovery = TCP_RECOVERY_BY_TIMEOUT, TWELVE_TWO_LOST, IN(303, FL_A, 1, 1, 0),
        IN(304, FL_A, 1, 1, 0), DO(CWND, 304, 10000), OUT(1200, FL_A, 1, 1, 1000), DO(CWND, 1200, 1000));
}

#define SACK_OPEN                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)

/* RFC 6675: segments 1, 3 and 5 are lost and repeated within one round trip; no timeout, no fourth
 * repetition. */
TEST(sack_closes_three_holes)
{
    RUN(params.sack = true, SACK_OPEN, DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 1000, .times = 10),
        IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}), OUT(300, FL_A, 10001, 1, 1000),
        IN(301, FL_A, 1, 1, 0, .sack = {{3001, 4001}, {1001, 2001}}), OUT(301, FL_A, 11001, 1, 1000),
        IN(302, FL_A, 1, 1, 0, .sack = {{5001, 6001}, {3001, 4001}, {1001, 2001}}),
        OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 5000),
        IN(303, FL_A, 1, 1, 0, .sack = {{5001, 7001}, {3001, 4001}, {1001, 2001}}),
        IN(304, FL_A, 1, 1, 0, .sack = {{5001, 8001}, {3001, 4001}, {1001, 2001}}),
        IN(305, FL_A, 1, 1, 0, .sack = {{5001, 9001}, {3001, 4001}, {1001, 2001}}),
        OUT(305, FL_A, 2001, 1, 1000),
        IN(306, FL_A, 1, 1, 0, .sack = {{5001, 10001}, {3001, 4001}, {1001, 2001}}),
        OUT(306, FL_A, 4001, 1, 1000),
        IN(307, FL_A, 1, 1, 0, .sack = {{5001, 11001}, {3001, 4001}, {1001, 2001}}),
        OUT(307, FL_A, 12001, 1, 1000),
        IN(308, FL_A, 1, 1, 0, .sack = {{5001, 12001}, {3001, 4001}, {1001, 2001}}),
        OUT(308, FL_A, 13001, 1, 1000), IN(402, FL_A, 1, 2001, 0, .sack = {{5001, 12001}, {3001, 4001}}),
        OUT(402, FL_A, 14001, 1, 1000), IN(405, FL_A, 1, 4001, 0, .sack = {{5001, 12001}}),
        OUT(405, FL_A, 15001, 1, 1000), IN(406, FL_A, 1, 12001, 0), DO(CWND, 406, 5000),
        OUT(406, FL_A, 16001, 1, 1000));
}

/* With nothing new to send the last segment goes once more, so that its loss does not wait for the timer. */
TEST(sack_rescues_the_end)
{
    RUN(params.sack = true, SACK_OPEN, DO(WRITE, 200, 6000), OUT(200, FL_A, 1, 1, 1000, .times = 5),
        OUT(200, FL_P, 5001, 1, 1000), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
        IN(301, FL_A, 1, 1, 0, .sack = {{1001, 3001}}), IN(302, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
        OUT(302, FL_A, 1, 1, 1000), IN(303, FL_A, 1, 1, 0, .sack = {{1001, 5001}}),
        OUT(303, FL_P, 5001, 1, 1000), IN(402, FL_A, 1, 5001, 0), IN(403, FL_A, 1, 6001, 0),
        DO(CWND, 403, 3000));
}

TEST(slow_start_and_avoidance)
{
    RUN(params.initial_cwnd_segments = 2;
        params.initial_ssthresh_segments = 4, OPEN, DO(WRITE, 200, 30000),
        OUT(200, FL_A, 1, 1, 1000, .times = 2), IN(300, FL_A, 1, 2001, 0), DO(CWND, 300, 3000),
        OUT(300, FL_A, 2001, 1, 1000, .times = 3), IN(400, FL_A, 1, 4001, 0), DO(CWND, 400, 4000),
        OUT(400, FL_A, 5001, 1, 1000, .times = 3), IN(600, FL_A, 1, 5001, 0), DO(CWND, 600, 4250),
        OUT(600, FL_A, 8001, 1, 1000), IN(601, FL_A, 1, 7001, 0), DO(CWND, 601, 4485),
        OUT(601, FL_A, 9001, 1, 1000, .times = 2));
}

TEST(avoidance_by_octets)
{
    RUN(params.initial_cwnd_segments = 4; params.initial_ssthresh_segments = 2; params.count_octets = true;
        params.max_cwnd_segments = 5, OPEN, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 4),
        IN(300, FL_A, 1, 2001, 0), DO(CWND, 300, 4000), OUT(300, FL_A, 4001, 1, 1000, .times = 2),
        IN(301, FL_A, 1, 4001, 0), DO(CWND, 301, 5000), OUT(301, FL_A, 6001, 1, 1000, .times = 3),
        IN(400, FL_A, 1, 6001, 0), OUT(400, FL_A, 9001, 1, 1000, .times = 2), IN(401, FL_A, 1, 9001, 0),
        DO(CWND, 401, 5000), OUT(401, FL_A, 11001, 1, 1000, .times = 3));
}

/* A window that was not filled does not grow, and is forgotten by a silence longer than the RTO. */
TEST(idle_window)
{
    RUN(params.initial_cwnd_segments = 2, OPEN, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        IN(300, FL_A, 1, 2001, 0), OUT(300, FL_P, 2001, 1, 1000), DO(CWND, 300, 3000),
        IN(400, FL_A, 1, 3001, 0), DO(CWND, 400, 3000), DO(WRITE, 1301, 5000), DO(CWND, 1301, 2000),
        OUT(1301, FL_A, 3001, 1, 1000, .times = 2));
}

/* RFC 6582: duplicates at or below `recover` may come from our own repetitions, those beyond it do not. */
TEST(duplicates_after_a_timeout)
{
    RUN(, OPEN, DO(WRITE, 200, 4000), OUT(200, FL_A, 1, 1, 1000, .times = 3), OUT(200, FL_P, 3001, 1, 1000),
        OUT(1200, FL_A, 1, 1, 1000), IN(1300, FL_A, 1, 4001, 0), DO(WRITE, 1300, 4000),
        OUT(1300, FL_A, 4001, 1, 1000, .times = 2), IN(1301, FL_A, 1, 4001, 0),
        OUT(1301, FL_A, 6001, 1, 1000), IN(1302, FL_A, 1, 4001, 0), OUT(1302, FL_P, 7001, 1, 1000),
        IN(1303, FL_A, 1, 4001, 0), IN(1304, FL_A, 1, 5001, 0), IN(1305, FL_A, 1, 5001, 0),
        IN(1306, FL_A, 1, 5001, 0), IN(1307, FL_A, 1, 5001, 0), OUT(1307, FL_A, 5001, 1, 1000));
}

/* A repetition may be measured by its timestamp; Karn's rule keeps the RTO at 2 s all the same. */
TEST(backed_off_rto_stays_with_timestamps)
{
    RUN(params.timestamps = true, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
        IN(100, FL_SA, 0, 1, 0, .ts_value = 9, .ts_echo = 1), OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 500),
        OUT(200, FL_P, 1, 1, 500), OUT(1200, FL_P, 1, 1, 500),
        IN(1300, FL_A, 1, 501, 0, .ts_value = 10, .ts_echo = 1201), DO(WRITE, 1300, 500),
        OUT(1300, FL_P, 501, 1, 500), OUT(3300, FL_P, 501, 1, 500),
        IN(3400, FL_A, 1, 1001, 0, .ts_value = 11, .ts_echo = 3301), DO(WRITE, 3400, 500),
        OUT(3400, FL_P, 1001, 1, 500), IN(3500, FL_A, 1, 1501, 0, .ts_value = 12, .ts_echo = 3401),
        DO(WRITE, 3500, 500), OUT(3500, FL_P, 1501, 1, 500), OUT(4500, FL_P, 1501, 1, 500));
}

/* Retries are counted anew after each progress. */
TEST(progress_forgives_retries)
{
    RUN(params.max_retries = 1, OPEN, DO(WRITE, 200, 500), OUT(200, FL_P, 1, 1, 500),
        OUT(1200, FL_P, 1, 1, 500), IN(1300, FL_A, 1, 501, 0), DO(WRITE, 1300, 500),
        OUT(1300, FL_P, 501, 1, 500), OUT(3300, FL_P, 501, 1, 500), IN(3400, FL_A, 1, 1001, 0),
        DO(STATE, 3400, TCP_ESTABLISHED));
}

/* RFC 6675 section 6: each repetition starts the timer anew. */
TEST(recovery_starts_the_timer_anew)
{
    RUN(params.sack = true, SACK_OPEN, DO(WRITE, 200, 6000), OUT(200, FL_A, 1, 1, 1000, .times = 5),
        OUT(200, FL_P, 5001, 1, 1000), IN(1100, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
        IN(1101, FL_A, 1, 1, 0, .sack = {{1001, 3001}}), IN(1102, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
        OUT(1102, FL_A, 1, 1, 1000), OUT(2102, FL_A, 1, 1, 1000));
}

/* RFC 6582, the impatient variant: only the first partial ACK does. */
TEST(second_partial_ack_keeps_the_timer)
{
    RUN(, OPEN, DO(WRITE, 200, 10000), OUT(200, FL_A, 1, 1, 1000, .times = 9), OUT(200, FL_P, 9001, 1, 1000),
        IN(300, FL_A, 1, 1, 0), IN(301, FL_A, 1, 1, 0), IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000),
        IN(402, FL_A, 1, 3001, 0), OUT(402, FL_A, 3001, 1, 1000), IN(1000, FL_A, 1, 6001, 0),
        OUT(1000, FL_A, 6001, 1, 1000), OUT(1402, FL_A, 6001, 1, 1000));
}

UNIT_MAIN(NULL, NULL)
