/* SPDX-License-Identifier: BSD-3-Clause */
/* RACK-TLP (RFC 8985): what is repeated, when, and what is not. Round trips of 100 ms. */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

/* A handshake with SACK. */
#define OPEN_SACK                                                                                            \
    DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .sack_permitted = true),               \
        OUT(100, FL_A, 1, 1, 0)
#define RACK                                                                                                 \
    params.sack = true;                                                                                      \
    params.has_rack = true;                                                                                  \
    params.limited_transmit = false

/* The first of ten is lost: the third SACK ends the wait, and repeats it; the second does not. */
TEST(third_sack_repeats)
{
    RUN(RACK, OPEN_SACK, DO(WRITE, 200, 10000), OUT(200, FL_A, 1, 1, 1000, .times = 9),
        OUT(200, FL_P, 9001, 1, 1000), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
        IN(302, FL_A, 1, 1, 0, .sack = {{1001, 3001}}), IN(304, FL_A, 1, 1, 0, .sack = {{1001, 4001}}),
        OUT(304, FL_A, 1, 1, 1000));
}

/* Two SACKs only: the segment may be late by a quarter of the least RTT. */
TEST(late_by_a_quarter)
{
    RUN(RACK, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
        IN(302, FL_A, 1, 1, 0, .sack = {{1001, 3001}}), OUT(327, FL_A, 1, 1, 1000));
}

/* A repetition that is lost is sent again when a later segment arrives, not after the RTO. */
TEST(lost_repetition)
{
    RUN(RACK, OPEN_SACK, DO(WRITE, 200, 30000), OUT(200, FL_A, 1, 1, 1000, .times = 10),
        IN(300, FL_A, 1, 1, 0, .sack = {{1001, 7001}}), OUT(300, FL_A, 1, 1, 1000),
        OUT(300, FL_A, 10001, 1, 1000), IN(302, FL_A, 1, 1, 0, .sack = {{1001, 10001}}),
        OUT(302, FL_A, 11001, 1, 1000, .times = 3), IN(402, FL_A, 1, 1, 0, .sack = {{1001, 12001}}),
        OUT(402, FL_A, 1, 1, 1000), OUT(402, FL_A, 14001, 1, 1000), OUT(402, FL_A, 15001, 1, 1000));
}

/* The last segment is lost: the probe repeats it after two round trips, and the window is reduced when more
 * than it is acknowledged. */
TEST(probe_at_the_end)
{
    RUN(RACK, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 2001, 0), OUT(700, FL_P, 2001, 1, 1000),
        IN(800, FL_A, 1, 3001, 0), DO(CWND, 801, 10000), DO(WRITE, 900, 1000), OUT(900, FL_P, 3001, 1, 1000),
        IN(1000, FL_A, 1, 4001, 0), DO(CWND, 1001, 2000));
}

/* Without RACK the retransmission timer does it, a second later. */
TEST(without_rack)
{
    RUN(params.sack = true, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 2001, 0), OUT(1300, FL_P, 2001, 1, 1000));
}

/* Segments that come out of order are not repeated. */
TEST(reordering_repeats_nothing)
{
    RUN(RACK, OPEN_SACK, DO(WRITE, 200, 3000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        OUT(200, FL_P, 2001, 1, 1000), IN(300, FL_A, 1, 1, 0, .sack = {{1001, 2001}}),
        IN(310, FL_A, 1, 2001, 0), IN(312, FL_A, 1, 3001, 0), DO(CWND, 3000, 10000));
}

UNIT_MAIN(NULL, NULL)
