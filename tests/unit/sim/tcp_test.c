/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

SCRIPT_TEST(syn_is_repeated_and_given_up, , DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
            OUT(1000, FL_S, 0, 0, 0), OUT(3000, FL_S, 0, 0, 0), OUT(7000, FL_S, 0, 0, 0),
            OUT(15000, FL_S, 0, 0, 0), OUT(31000, FL_S, 0, 0, 0), OUT(63000, FL_S, 0, 0, 0),
            DO(STATE, 122999, TCP_SYN_SENT), DO(END, 123000, TCP_END_TIMEOUT))

SCRIPT_TEST(syn_ack_is_repeated, , IN(0, FL_S, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), OUT(1000, FL_SA, 0, 1, 0),
            IN(1500, FL_S, 0, 0, 0), OUT(1500, FL_SA, 0, 1, 0), IN(1600, FL_A, 1, 1, 0),
            DO(STATE, 1600, TCP_ESTABLISHED), DO(CWND, 1600, 1000))

/* RFC 6298 (5.7): 3 s for the first data; RFC 5681 3.1: one segment. */
SCRIPT_TEST(lost_syn_makes_cautious, , DO(CONNECT, 0, 0), DO(WRITE, 0, 3000), OUT(0, FL_S, 0, 0, 0),
            OUT(1000, FL_S, 0, 0, 0), IN(1100, FL_SA, 0, 1, 0), OUT(1100, FL_A, 1, 1, 1000),
            OUT(4100, FL_A, 1, 1, 1000))

SCRIPT_TEST(rto_doubles_up_to_its_limit, , OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000),
            OUT(1200, FL_P, 1, 1, 1000), OUT(3200, FL_P, 1, 1, 1000), OUT(7200, FL_P, 1, 1, 1000),
            OUT(15200, FL_P, 1, 1, 1000), OUT(31200, FL_P, 1, 1, 1000), OUT(63200, FL_P, 1, 1, 1000),
            OUT(123200, FL_P, 1, 1, 1000), OUT(183200, FL_P, 1, 1, 1000), DO(CWND, 183200, 1000))

/* Karn: the ACK of the repetition leaves the RTO at 2 s, that of new data brings it back to 1 s. */
SCRIPT_TEST(backed_off_rto_stays, , OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000),
            OUT(1200, FL_P, 1, 1, 1000), IN(1300, FL_A, 1, 1001, 0), DO(WRITE, 1300, 1000),
            OUT(1300, FL_P, 1001, 1, 1000), OUT(3300, FL_P, 1001, 1, 1000), IN(3400, FL_A, 1, 2001, 0),
            DO(WRITE, 3400, 1000), OUT(3400, FL_P, 2001, 1, 1000), IN(3500, FL_A, 1, 3001, 0),
            DO(WRITE, 3500, 1000), OUT(3500, FL_P, 3001, 1, 1000), OUT(4500, FL_P, 3001, 1, 1000))

SCRIPT_TEST(timeout_starts_slowly, , OPEN, DO(WRITE, 200, 8000), OUT(200, FL_A, 1, 1, 1000, .times = 7),
            OUT(200, FL_P, 7001, 1, 1000), OUT(1200, FL_A, 1, 1, 1000), IN(1300, FL_A, 1, 1001, 0),
            OUT(1300, FL_A, 1001, 1, 1000, .times = 2), DO(CWND, 1300, 2000), IN(1400, FL_A, 1, 3001, 0),
            OUT(1400, FL_A, 3001, 1, 1000, .times = 3), DO(CWND, 1400, 3000), IN(1500, FL_A, 1, 8001, 0),
            DO(CWND, 1500, 4000))

SCRIPT_TEST(third_duplicate_repeats, params.limited_transmit = false, OPEN, DO(WRITE, 200, 12000),
            OUT(200, FL_A, 1, 1, 1000, .times = 10), IN(300, FL_A, 1, 1, 0), IN(301, FL_A, 1, 1, 0),
            IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 8000))

/* A changed window, or data, is no duplicate (RFC 5681 section 2). */
SCRIPT_TEST(what_is_no_duplicate, , OPEN, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
            OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 1, 0, .window = 60000),
            IN(301, FL_A, 1, 1, 0, .window = 50000), IN(302, FL_P, 1, 1, 10, .window = 50000),
            IN(303, FL_A, 11, 1, 0, .window = 50000), IN(304, FL_A, 11, 1, 0, .window = 50000),
            DO(CWND, 305, 10000), OUT(502, FL_A, 3001, 11, 0))

/* RFC 6582 with limited transmit: segments 1 and 4 of twelve are lost. */
SCRIPT_TEST(newreno_partial_ack, , OPEN, DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 1000, .times = 10),
            IN(300, FL_A, 1, 1, 0), OUT(300, FL_A, 10001, 1, 1000), IN(301, FL_A, 1, 1, 0),
            OUT(301, FL_A, 11001, 1, 1000), IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000),
            DO(CWND, 302, 8000), IN(303, FL_A, 1, 1, 0), IN(304, FL_A, 1, 1, 0), IN(305, FL_A, 1, 1, 0),
            IN(306, FL_A, 1, 1, 0), IN(307, FL_A, 1, 1, 0), OUT(307, FL_A, 12001, 1, 1000),
            IN(308, FL_A, 1, 1, 0), OUT(308, FL_A, 13001, 1, 1000), IN(309, FL_A, 1, 1, 0),
            OUT(309, FL_A, 14001, 1, 1000), IN(402, FL_A, 1, 3001, 0), OUT(402, FL_A, 3001, 1, 1000),
            OUT(402, FL_A, 15001, 1, 1000), DO(CWND, 402, 13000), IN(502, FL_A, 1, 15001, 0),
            DO(CWND, 502, 2000), OUT(502, FL_A, 16001, 1, 1000))

/* Twelve segments, of which 1 and 4 are lost; eleven duplicates are two of limited transmit and the rest. */
#define TWELVE_TWO_LOST                                                                                      \
    OPEN, DO(WRITE, 200, 20000), OUT(200, FL_A, 1, 1, 1000, .times = 10), IN(300, FL_A, 1, 1, 0),            \
        OUT(300, FL_A, 10001, 1, 1000), IN(301, FL_A, 1, 1, 0), OUT(301, FL_A, 11001, 1, 1000),              \
        IN(302, FL_A, 1, 1, 0)

/* RFC 2581: the first ACK of new data ends the recovery; segment 4 needs three more duplicates, and halves
 * the window once more. */
SCRIPT_TEST(reno_partial_ack, params.recovery = TCP_RECOVERY_RENO, TWELVE_TWO_LOST,
            OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 8000), IN(402, FL_A, 1, 3001, 0), DO(CWND, 402, 5000),
            IN(403, FL_A, 1, 3001, 0), IN(404, FL_A, 1, 3001, 0), IN(405, FL_A, 1, 3001, 0),
            OUT(405, FL_A, 3001, 1, 1000), DO(CWND, 405, 7500))

/* Slow start from the lost segment on: all is sent again. */
SCRIPT_TEST(tahoe_starts_over, params.recovery = TCP_RECOVERY_TAHOE, TWELVE_TWO_LOST,
            OUT(302, FL_A, 1, 1, 1000), DO(CWND, 302, 1000), IN(303, FL_A, 1, 1, 0), IN(304, FL_A, 1, 1, 0),
            IN(305, FL_A, 1, 1, 0), IN(402, FL_A, 1, 3001, 0), DO(CWND, 402, 2000),
            OUT(402, FL_A, 3001, 1, 1000), OUT(402, FL_A, 4001, 1, 1000))

SCRIPT_TEST(duplicates_do_nothing, params.recovery = TCP_RECOVERY_BY_TIMEOUT, TWELVE_TWO_LOST,
            IN(303, FL_A, 1, 1, 0), IN(304, FL_A, 1, 1, 0), DO(CWND, 304, 10000), OUT(1200, FL_A, 1, 1, 1000),
            DO(CWND, 1200, 1000))

#define SACK_OPEN                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)

/* RFC 6675: segments 1, 3 and 5 are lost and repeated within one round trip; no timeout, no fourth
 * repetition. */
SCRIPT_TEST(sack_closes_three_holes, params.sack = true, SACK_OPEN, DO(WRITE, 200, 20000),
            OUT(200, FL_A, 1, 1, 1000, .times = 10), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
            OUT(300, FL_A, 10001, 1, 1000), IN(301, FL_A, 1, 1, 0, .sack = {{3001, 4001}, {1001, 2001}}),
            OUT(301, FL_A, 11001, 1, 1000),
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
            OUT(406, FL_A, 16001, 1, 1000))

/* With nothing new to send the last segment goes once more, so that its loss does not wait for the timer. */
SCRIPT_TEST(sack_rescues_the_end, params.sack = true, SACK_OPEN, DO(WRITE, 200, 6000),
            OUT(200, FL_A, 1, 1, 1000, .times = 5), OUT(200, FL_P, 5001, 1, 1000),
            IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}), IN(301, FL_A, 1, 1, 0, .sack = {{1001, 3001}}),
            IN(302, FL_A, 1, 1, 0, .sack = {{1001, 4001}}), OUT(302, FL_A, 1, 1, 1000),
            IN(303, FL_A, 1, 1, 0, .sack = {{1001, 5001}}), OUT(303, FL_P, 5001, 1, 1000),
            IN(402, FL_A, 1, 5001, 0), IN(403, FL_A, 1, 6001, 0), DO(CWND, 403, 3000))

SCRIPT_TEST(slow_start_and_avoidance, params.initial_cwnd_segments = 2;
            params.initial_ssthresh_segments = 4, OPEN, DO(WRITE, 200, 30000),
            OUT(200, FL_A, 1, 1, 1000, .times = 2), IN(300, FL_A, 1, 2001, 0), DO(CWND, 300, 3000),
            OUT(300, FL_A, 2001, 1, 1000, .times = 3), IN(400, FL_A, 1, 4001, 0), DO(CWND, 400, 4000),
            OUT(400, FL_A, 5001, 1, 1000, .times = 3), IN(600, FL_A, 1, 5001, 0), DO(CWND, 600, 4250),
            OUT(600, FL_A, 8001, 1, 1000), IN(601, FL_A, 1, 7001, 0), DO(CWND, 601, 4485),
            OUT(601, FL_A, 9001, 1, 1000, .times = 2))

SCRIPT_TEST(avoidance_by_octets, params.initial_cwnd_segments = 4; params.initial_ssthresh_segments = 2;
            params.count_octets = true;
            params.max_cwnd_segments = 5, OPEN, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 4),
            IN(300, FL_A, 1, 2001, 0), DO(CWND, 300, 4000), OUT(300, FL_A, 4001, 1, 1000, .times = 2),
            IN(301, FL_A, 1, 4001, 0), DO(CWND, 301, 5000), OUT(301, FL_A, 6001, 1, 1000, .times = 3),
            IN(400, FL_A, 1, 6001, 0), OUT(400, FL_A, 9001, 1, 1000, .times = 2), IN(401, FL_A, 1, 9001, 0),
            DO(CWND, 401, 5000), OUT(401, FL_A, 11001, 1, 1000, .times = 3))

/* A window that was not filled does not grow, and is forgotten by a silence longer than the RTO. */
SCRIPT_TEST(idle_window, params.initial_cwnd_segments = 2, OPEN, DO(WRITE, 200, 3000),
            OUT(200, FL_A, 1, 1, 1000, .times = 2), IN(300, FL_A, 1, 2001, 0), OUT(300, FL_P, 2001, 1, 1000),
            DO(CWND, 300, 3000), IN(400, FL_A, 1, 3001, 0), DO(CWND, 400, 3000), DO(WRITE, 1301, 5000),
            DO(CWND, 1301, 2000), OUT(1301, FL_A, 3001, 1, 1000, .times = 2))

/* RFC 6582: duplicates at or below `recover` may come from our own repetitions, those beyond it do not. */
SCRIPT_TEST(duplicates_after_a_timeout, , OPEN, DO(WRITE, 200, 4000), OUT(200, FL_A, 1, 1, 1000, .times = 3),
            OUT(200, FL_P, 3001, 1, 1000), OUT(1200, FL_A, 1, 1, 1000), IN(1300, FL_A, 1, 4001, 0),
            DO(WRITE, 1300, 4000), OUT(1300, FL_A, 4001, 1, 1000, .times = 2), IN(1301, FL_A, 1, 4001, 0),
            OUT(1301, FL_A, 6001, 1, 1000), IN(1302, FL_A, 1, 4001, 0), OUT(1302, FL_P, 7001, 1, 1000),
            IN(1303, FL_A, 1, 4001, 0), IN(1304, FL_A, 1, 5001, 0), IN(1305, FL_A, 1, 5001, 0),
            IN(1306, FL_A, 1, 5001, 0), IN(1307, FL_A, 1, 5001, 0), OUT(1307, FL_A, 5001, 1, 1000))

/* A repetition may be measured by its timestamp; Karn's rule keeps the RTO at 2 s all the same. */
SCRIPT_TEST(backed_off_rto_stays_with_timestamps, params.timestamps = true, DO(CONNECT, 0, 0),
            OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .ts_value = 9, .ts_echo = 1),
            OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 500), OUT(200, FL_P, 1, 1, 500),
            OUT(1200, FL_P, 1, 1, 500), IN(1300, FL_A, 1, 501, 0, .ts_value = 10, .ts_echo = 1201),
            DO(WRITE, 1300, 500), OUT(1300, FL_P, 501, 1, 500), OUT(3300, FL_P, 501, 1, 500),
            IN(3400, FL_A, 1, 1001, 0, .ts_value = 11, .ts_echo = 3301), DO(WRITE, 3400, 500),
            OUT(3400, FL_P, 1001, 1, 500), IN(3500, FL_A, 1, 1501, 0, .ts_value = 12, .ts_echo = 3401),
            DO(WRITE, 3500, 500), OUT(3500, FL_P, 1501, 1, 500), OUT(4500, FL_P, 1501, 1, 500))

/* Retries are counted anew after each progress. */
SCRIPT_TEST(progress_forgives_retries, params.max_retries = 1, OPEN, DO(WRITE, 200, 500),
            OUT(200, FL_P, 1, 1, 500), OUT(1200, FL_P, 1, 1, 500), IN(1300, FL_A, 1, 501, 0),
            DO(WRITE, 1300, 500), OUT(1300, FL_P, 501, 1, 500), OUT(3300, FL_P, 501, 1, 500),
            IN(3400, FL_A, 1, 1001, 0), DO(STATE, 3400, TCP_ESTABLISHED))

/* RFC 6675 section 6: each repetition starts the timer anew. */
SCRIPT_TEST(recovery_starts_the_timer_anew, params.sack = true, SACK_OPEN, DO(WRITE, 200, 6000),
            OUT(200, FL_A, 1, 1, 1000, .times = 5), OUT(200, FL_P, 5001, 1, 1000),
            IN(1100, FL_A, 1, 1, 0, .sack = {{1001, 2001}}), IN(1101, FL_A, 1, 1, 0, .sack = {{1001, 3001}}),
            IN(1102, FL_A, 1, 1, 0, .sack = {{1001, 4001}}), OUT(1102, FL_A, 1, 1, 1000),
            OUT(2102, FL_A, 1, 1, 1000))

/* RFC 6582, the impatient variant: only the first partial ACK does. */
SCRIPT_TEST(second_partial_ack_keeps_the_timer, , OPEN, DO(WRITE, 200, 10000),
            OUT(200, FL_A, 1, 1, 1000, .times = 9), OUT(200, FL_P, 9001, 1, 1000), IN(300, FL_A, 1, 1, 0),
            IN(301, FL_A, 1, 1, 0), IN(302, FL_A, 1, 1, 0), OUT(302, FL_A, 1, 1, 1000),
            IN(402, FL_A, 1, 3001, 0), OUT(402, FL_A, 3001, 1, 1000), IN(1000, FL_A, 1, 6001, 0),
            OUT(1000, FL_A, 6001, 1, 1000), OUT(1402, FL_A, 6001, 1, 1000))

SCRIPT_TEST(delayed_ack_waits_or_counts, , ACCEPT, IN(200, FL_P, 1, 1, 100), DO(READ, 200, 100),
            OUT(400, FL_A, 1, 101, 0), IN(500, FL_P, 101, 1, 100), IN(550, FL_P, 201, 1, 100),
            OUT(550, FL_A, 1, 301, 0), DO(STATE, 1000, TCP_ESTABLISHED))

SCRIPT_TEST(delayed_ack_parameters, params.delayed_ack_segments = 3;
            params.delayed_ack_timeout_ns = MOMENT_SECOND / 10, ACCEPT, IN(200, FL_P, 1, 1, 100),
            IN(250, FL_P, 101, 1, 100), OUT(300, FL_A, 1, 201, 0), IN(400, FL_P, 201, 1, 100),
            IN(401, FL_P, 301, 1, 100), IN(402, FL_P, 401, 1, 100), OUT(402, FL_A, 1, 501, 0),
            DO(STATE, 1000, TCP_ESTABLISHED))

SCRIPT_TEST(data_carries_the_ack, , ACCEPT, IN(200, FL_P, 1, 1, 100), DO(WRITE, 250, 50),
            OUT(250, FL_P, 1, 101, 50), IN(300, FL_A, 101, 51, 0), DO(STATE, 1000, TCP_ESTABLISHED))

SCRIPT_TEST(holes_are_told_at_once, , ACCEPT, IN(200, FL_P, 101, 1, 100), OUT(200, FL_A, 1, 1, 0),
            IN(201, FL_P, 201, 1, 100), OUT(201, FL_A, 1, 1, 0), DO(READ, 201, 0), IN(202, FL_P, 1, 1, 100),
            OUT(202, FL_A, 1, 301, 0), DO(READ, 202, 300), IN(203, FL_P, 101, 1, 100),
            OUT(203, FL_A, 1, 301, 0), IN(204, FL_P, 250, 1, 101), DO(READ, 204, 350),
            OUT(404, FL_A, 1, 351, 0))

/* Below the first hole, beyond it, and across its end. */
SCRIPT_TEST(octets_in_vain, , ACCEPT, IN(200, FL_P, 101, 1, 100), OUT(200, FL_A, 1, 1, 0),
            IN(201, FL_P, 151, 1, 100), OUT(201, FL_A, 1, 1, 0), DO(AGAIN, 201, 50), IN(202, FL_P, 1, 1, 120),
            OUT(202, FL_A, 1, 251, 0), DO(AGAIN, 202, 70), IN(203, FL_P, 1, 1, 100),
            OUT(203, FL_A, 1, 251, 0), DO(AGAIN, 203, 170))

/* RFC 2018 section 4: the block that changed last stands first, four at most. */
SCRIPT_TEST(sack_blocks, params.sack = true, IN(0, FL_S, 0, 0, 0, .sack_permitted = true),
            OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 1, 0), IN(200, FL_P, 101, 1, 100),
            OUT(200, FL_A, 1, 1, 0, .sack = {{101, 201}}), IN(201, FL_P, 301, 1, 100),
            OUT(201, FL_A, 1, 1, 0, .sack = {{301, 401}, {101, 201}}), IN(202, FL_P, 201, 1, 100),
            OUT(202, FL_A, 1, 1, 0, .sack = {{101, 401}}), IN(203, FL_P, 501, 1, 100),
            OUT(203, FL_A, 1, 1, 0, .sack = {{501, 601}, {101, 401}}), IN(204, FL_P, 701, 1, 100),
            OUT(204, FL_A, 1, 1, 0, .sack = {{701, 801}, {501, 601}, {101, 401}}), IN(205, FL_P, 901, 1, 100),
            OUT(205, FL_A, 1, 1, 0, .sack = {{901, 1001}, {701, 801}, {501, 601}, {101, 401}}),
            IN(206, FL_P, 1101, 1, 100),
            OUT(206, FL_A, 1, 1, 0, .sack = {{1101, 1201}, {901, 1001}, {701, 801}, {501, 601}}),
            IN(207, FL_P, 1, 1, 100),
            OUT(207, FL_A, 1, 401, 0, .sack = {{1101, 1201}, {901, 1001}, {701, 801}, {501, 601}}),
            DO(READ, 207, 400))

/* The window shrinks while nobody reads, takes nothing beyond it, answers probes, and opens in one step. */
SCRIPT_TEST(held_window, params.receive_window_octets = 3000, ACCEPT, DO(HOLD, 150, 0),
            IN(200, FL_A, 1, 1, 1000), IN(201, FL_A, 1001, 1, 1000),
            OUT(201, FL_A, 1, 2001, 0, .window = 1000), IN(202, FL_A, 2001, 1, 2000),
            OUT(402, FL_A, 1, 3001, 0, .is_shut = true), DO(READ, 402, 0), IN(500, FL_A, 3001, 1, 1),
            OUT(500, FL_A, 1, 3001, 0, .is_shut = true), IN(600, FL_A, 3000, 1, 0),
            OUT(600, FL_A, 1, 3001, 0, .is_shut = true), DO(RELEASE, 700, 0),
            OUT(700, FL_A, 1, 3001, 0, .window = 3000), DO(READ, 700, 3000), IN(800, FL_P, 3001, 1, 10),
            OUT(1000, FL_A, 1, 3011, 0))

/* RFC 7323: echo of the segment that the last ACK waited for; an older value is dropped and answered. */
SCRIPT_TEST(timestamps_and_paws, params.timestamps = true, IN(0, FL_S, 0, 0, 0, .ts_value = 500),
            OUT(0, FL_SA, 0, 1, 0, .ts_value = 1, .ts_echo = 500),
            IN(100, FL_A, 1, 1, 0, .ts_value = 600, .ts_echo = 1),
            IN(200, FL_P, 1, 1, 100, .ts_value = 700, .ts_echo = 1),
            IN(250, FL_P, 101, 1, 100, .ts_value = 750, .ts_echo = 1),
            OUT(250, FL_A, 1, 201, 0, .ts_value = 251, .ts_echo = 700),
            IN(300, FL_P, 301, 1, 100, .ts_value = 800, .ts_echo = 1),
            OUT(300, FL_A, 1, 201, 0, .ts_echo = 700),
            IN(310, FL_P, 201, 1, 100, .ts_value = 699, .ts_echo = 1),
            OUT(310, FL_A, 1, 201, 0, .ts_echo = 700), DO(READ, 310, 200),
            IN(320, FL_P, 201, 1, 100, .ts_value = 810, .ts_echo = 1),
            OUT(320, FL_A, 1, 401, 0, .ts_echo = 810), DO(READ, 320, 400), IN(330, FL_P, 401, 1, 100),
            DO(READ, 330, 400), DO(STATE, 1000, TCP_ESTABLISHED))

/* 12 octets of each segment are the timestamps'; without the peer's offer there are none. */
TEST(options_need_both_sides)
{
    RUN(params.timestamps = params.sack = true, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
        IN(100, FL_SA, 0, 1, 0, .ts_value = 9, .ts_echo = 1), OUT(100, FL_A, 1, 1, 0, .ts_echo = 9),
        DO(WRITE, 200, 2000), OUT(200, FL_A, 1, 1, 988, .times = 2), OUT(200, FL_P, 1977, 1, 24),
        IN(300, FL_A, 1, 1, 0, .ts_value = 10, .ts_echo = 201, .sack = {{989, 1977}}),
        DO(STATE, 300, TCP_ESTABLISHED), OUT(1200, FL_A, 1, 1, 988));
    RUN(params.timestamps = true, OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000));
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .mss = 500),
        OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 600), OUT(200, FL_A, 1, 1, 500), OUT(200, FL_P, 501, 1, 100));
}

SCRIPT_TEST(window_limits_the_sender, , DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0),
            IN(100, FL_SA, 0, 1, 0, .window = 2500), OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 9000),
            OUT(200, FL_A, 1, 1, 1000, .times = 2), IN(300, FL_A, 1, 1001, 0, .window = 2500),
            OUT(300, FL_A, 2001, 1, 1000), IN(301, FL_A, 1, 1001, 0, .window = 4000),
            OUT(301, FL_A, 3001, 1, 1000, .times = 2))

SCRIPT_TEST(scaled_window, params.window_scale = true; params.receive_window_octets = 200000;
            params.initial_cwnd_segments = 100, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0, .window = 65535),
            IN(100, FL_SA, 0, 1, 0, .window = 2500, .scale = 2), OUT(100, FL_A, 1, 1, 0, .window = 50000),
            DO(WRITE, 200, 9000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
            IN(300, FL_A, 1, 2001, 0, .window = 1000), OUT(300, FL_A, 2001, 1, 1000, .times = 4))

/* RFC 9293 3.8.6.1: probes at the RTO, then ever more seldom, without end; they are no congestion. */
SCRIPT_TEST(zero_window_is_probed, params.max_retries = 2, OPEN, DO(WRITE, 200, 1000),
            OUT(200, FL_P, 1, 1, 1000), IN(300, FL_A, 1, 1001, 0, .is_shut = true), DO(WRITE, 400, 3000),
            OUT(1400, FL_A, 1000, 1, 0), IN(1500, FL_A, 1, 1001, 0, .is_shut = true),
            OUT(3400, FL_A, 1000, 1, 0), OUT(7400, FL_A, 1000, 1, 0), OUT(15400, FL_A, 1000, 1, 0),
            OUT(31400, FL_A, 1000, 1, 0), IN(40000, FL_A, 1, 1001, 0, .window = 3000),
            OUT(40000, FL_A, 1001, 1, 1000, .times = 2), OUT(40000, FL_P, 3001, 1, 1000),
            DO(CWND, 40000, 10000))

/* A window of a sliver is left alone until the persist timer says otherwise. */
SCRIPT_TEST(silly_window, , OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000),
            IN(300, FL_A, 1, 1001, 0, .window = 100), DO(WRITE, 400, 3000), OUT(1400, FL_A, 1001, 1, 100),
            IN(1500, FL_A, 1, 1101, 0, .is_shut = true), IN(1600, FL_A, 1, 1101, 0, .window = 3000),
            OUT(1600, FL_A, 1101, 1, 1000, .times = 2), OUT(1600, FL_P, 3101, 1, 900))

SCRIPT_TEST(nagle_waits_for_the_ack, params.nagle = true, OPEN, DO(WRITE, 200, 1100),
            OUT(200, FL_A, 1, 1, 1000), IN(300, FL_A, 1, 1001, 0), OUT(300, FL_P, 1001, 1, 100),
            DO(WRITE, 350, 50), DO(WRITE, 360, 50), IN(400, FL_A, 1, 1101, 0), OUT(400, FL_P, 1101, 1, 100))

SCRIPT_TEST(we_close_first, , OPEN, DO(WRITE, 200, 100), DO(CLOSE, 200, 0), OUT(200, FL_P, 1, 1, 100),
            OUT(200, FL_F, 101, 1, 0), IN(300, FL_A, 1, 102, 0), DO(STATE, 300, TCP_FIN_WAIT_2),
            IN(350, FL_P, 1, 102, 50), DO(READ, 350, 50), IN(400, FL_F, 51, 102, 0),
            OUT(400, FL_A, 102, 52, 0), DO(STATE, 400, TCP_TIME_WAIT), DO(END, 400, TCP_END_FIN),
            IN(600, FL_F, 51, 102, 0), OUT(600, FL_A, 102, 52, 0), DO(STATE, 60599, TCP_TIME_WAIT),
            DO(STATE, 60600, TCP_CLOSED))

SCRIPT_TEST(peer_closes_first, , OPEN, IN(200, FL_FP, 1, 1, 100), OUT(200, FL_A, 1, 102, 0),
            DO(READ, 200, 100), DO(STATE, 200, TCP_CLOSE_WAIT), DO(WRITE, 300, 50),
            OUT(300, FL_P, 1, 102, 50), DO(CLOSE, 400, 0), OUT(400, FL_F, 51, 102, 0),
            DO(STATE, 400, TCP_LAST_ACK), IN(500, FL_A, 102, 52, 0), DO(STATE, 500, TCP_CLOSED),
            DO(END, 500, TCP_END_FIN))

SCRIPT_TEST(both_close_at_once, , OPEN, DO(CLOSE, 200, 0), OUT(200, FL_F, 1, 1, 0), IN(250, FL_F, 1, 1, 0),
            OUT(250, FL_A, 2, 2, 0), DO(STATE, 250, TCP_CLOSING), IN(300, FL_A, 2, 2, 0),
            DO(STATE, 300, TCP_TIME_WAIT), DO(END, 300, TCP_END_FIN))

TEST(fin_with_the_last_data)
{
    RUN(, DO(CONNECT, 0, 0), DO(WRITE, 0, 1500), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0),
        DO(CLOSE, 100, 0), OUT(100, FL_A, 1, 1, 1000), OUT(100, FL_P, 1001, 1, 500),
        OUT(100, FL_F, 1501, 1, 0), OUT(1100, FL_A, 1, 1, 1000), IN(1200, FL_A, 1, 1501, 0),
        OUT(1200, FL_F, 1501, 1, 0), IN(1300, FL_A, 1, 1502, 0), DO(STATE, 1300, TCP_FIN_WAIT_2));
    RUN(params.initial_cwnd_segments = 1, OPEN, DO(WRITE, 200, 1500), OUT(200, FL_A, 1, 1, 1000),
        DO(CLOSE, 250, 0), IN(300, FL_A, 1, 1001, 0), OUT(300, FL_FP, 1001, 1, 500),
        OUT(1300, FL_FP, 1001, 1, 500), IN(1400, FL_A, 1, 1502, 0), DO(STATE, 1400, TCP_FIN_WAIT_2));
}

SCRIPT_TEST(fin_before_its_data, , ACCEPT, IN(200, FL_FP, 101, 1, 100), OUT(200, FL_A, 1, 1, 0),
            DO(STATE, 200, TCP_ESTABLISHED), IN(300, FL_A, 1, 1, 100), OUT(300, FL_A, 1, 202, 0),
            DO(READ, 300, 200), DO(STATE, 300, TCP_CLOSE_WAIT))

SCRIPT_TEST(lost_fin_is_repeated, , OPEN, DO(CLOSE, 200, 0), OUT(200, FL_F, 1, 1, 0),
            OUT(1200, FL_F, 1, 1, 0), IN(1300, FL_A, 1, 2, 0), DO(STATE, 1300, TCP_FIN_WAIT_2))

SCRIPT_TEST(cut_forgets_what_was_not_sent, params.initial_cwnd_segments = 2, OPEN, DO(WRITE, 200, 9000),
            DO(CLOSE, 200, 0), OUT(200, FL_A, 1, 1, 1000, .times = 2), DO(CUT, 250, 0),
            OUT(250, FL_F, 2001, 1, 0), DO(CUT, 251, 0), IN(300, FL_A, 1, 2002, 0),
            DO(STATE, 300, TCP_FIN_WAIT_2))

SCRIPT_TEST(simultaneous_open, , DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(50, FL_S, 0, 0, 0),
            OUT(50, FL_SA, 0, 1, 0), IN(150, FL_A, 1, 1, 0), DO(STATE, 150, TCP_ESTABLISHED))

SCRIPT_TEST(reset_of_a_syn, , DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_RA, 0, 2, 0),
            DO(STATE, 100, TCP_SYN_SENT), IN(100, FL_R, 0, 0, 0), DO(STATE, 100, TCP_SYN_SENT),
            IN(100, FL_RA, 0, 1, 0), DO(END, 100, TCP_END_RESET))

/* A stale SYN-ACK gets RST with the number that it acknowledged; the handshake goes on. */
SCRIPT_TEST(wrong_syn_ack, , DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 7, 0),
            OUT(100, FL_R, 7, 0, 0), IN(200, FL_SA, 0, 1, 0), OUT(200, FL_A, 1, 1, 0),
            DO(STATE, 200, TCP_ESTABLISHED))

/* RFC 5961: the exact number ends it, one within the window is asked for the exact one, others are nothing.
 */
SCRIPT_TEST(reset_of_a_connection, , OPEN, IN(200, FL_R, 100, 0, 0), OUT(200, FL_A, 1, 1, 0),
            IN(201, FL_R, 70000, 0, 0), IN(202, FL_S, 1, 0, 0), OUT(202, FL_A, 1, 1, 0),
            DO(STATE, 202, TCP_ESTABLISHED), IN(203, FL_R, 1, 0, 0), DO(END, 203, TCP_END_RESET),
            DO(STATE, 203, TCP_CLOSED))

TEST(ack_of_the_future)
{
    RUN(, OPEN, IN(200, FL_A, 1, 500, 0), OUT(200, FL_A, 1, 1, 0), DO(STATE, 200, TCP_ESTABLISHED));
    RUN(, IN(0, FL_S, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 500, 0), OUT(100, FL_R, 500, 0, 0),
        DO(STATE, 100, TCP_SYN_RECEIVED));
}

SCRIPT_TEST(abort_says_rst, , OPEN, DO(WRITE, 200, 100), OUT(200, FL_P, 1, 1, 100), DO(ABORT, 300, 0),
            OUT(300, FL_RA, 101, 1, 0), DO(END, 300, TCP_END_ABORT), DO(WRITE, 400, 100),
            DO(STATE, 9999, TCP_CLOSED))

SCRIPT_TEST(silence_ends_it, params.max_retries = 2, OPEN, DO(WRITE, 200, 100), OUT(200, FL_P, 1, 1, 100),
            OUT(1200, FL_P, 1, 1, 100), OUT(3200, FL_P, 1, 1, 100), DO(STATE, 7199, TCP_ESTABLISHED),
            DO(END, 7200, TCP_END_TIMEOUT))

UNIT_MAIN(NULL, NULL)
