/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

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
TEST(ce_is_echoed_until_cwr)
{
    RUN(params.ecn = true;
        params.delayed_ack_segments = 1, ACCEPT_ECN, IN(200, FL_P, 1, 1, 100, ECT), OUT(200, FL_A, 1, 101, 0),
        IN(210, FL_P, 101, 1, 100, CE), OUT(210, FL_AE, 1, 201, 0), IN(220, FL_P, 201, 1, 100, ECT),
        OUT(220, FL_AE, 1, 301, 0), DO(WRITE, 225, 10), OUT(225, FL_PE, 1, 301, 10, ECT),
        IN(230, FL_PC, 301, 11, 100, ECT), OUT(230, FL_A, 11, 401, 0), IN(240, FL_PC, 401, 11, 100, CE),
        OUT(240, FL_AE, 11, 501, 0), IN(250, FL_PC, 501, 11, 100, ECT), OUT(250, FL_A, 11, 601, 0));
}

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
TEST(one_reduction_in_a_round_trip)
{
    RUN(params.ecn = true, OPEN_ECN, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 10, ECT),
        IN(300, FL_AE, 1, 1001, 0), DO(CWND, 300, 5000), IN(301, FL_AE, 1, 5001, 0), DO(CWND, 301, 5000),
        IN(302, FL_AE, 1, 6001, 0), OUT(302, FL_AC, 10001, 1, 1000, ECT), IN(303, FL_AE, 1, 8001, 0),
        OUT(303, FL_A, 11001, 1, 1000, .times = 2, ECT), IN(304, FL_AE, 1, 10001, 0),
        OUT(304, FL_A, 13001, 1, 1000, .times = 2, ECT), DO(CWND, 304, 5000), IN(402, FL_A, 1, 11001, 0),
        DO(CWND, 402, 5200), OUT(402, FL_A, 15001, 1, 1000, ECT), IN(403, FL_AE, 1, 12001, 0),
        DO(CWND, 403, 2500));
}

/* The least window is two segments. */
TEST(reduces_to_two_segments)
{
    RUN(params.ecn = true; params.initial_cwnd_segments = 3, OPEN_ECN, DO(WRITE, 200, 30000),
                           OUT(200, FL_A, 1, 1, 1000, .times = 3, ECT), IN(300, FL_AE, 1, 2001, 0),
                           DO(CWND, 300, 2000), OUT(300, FL_AC, 3001, 1, 1000, ECT),
                           IN(400, FL_AE, 1, 4001, 0), DO(CWND, 400, 2000),
                           OUT(400, FL_AC, 4001, 1, 1000, ECT), OUT(400, FL_A, 5001, 1, 1000, ECT));
}

/* A repetition is not ECN capable; what was new when it went is, and says CWR: the timeout reduced, too. */
TEST(repetitions_are_not_ect)
{
    RUN(params.ecn = true, OPEN_ECN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000, ECT),
        OUT(1200, FL_P, 1, 1, 1000), IN(1300, FL_A, 1, 1001, 0), DO(WRITE, 1400, 1000),
        OUT(1400, FL_PC, 1001, 1, 1000, ECT));
}

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
