/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

TEST(delayed_ack_waits_or_counts)
{
    RUN(, ACCEPT, IN(200, FL_P, 1, 1, 100), DO(READ, 200, 100), OUT(400, FL_A, 1, 101, 0),
        IN(500, FL_P, 101, 1, 100), IN(550, FL_P, 201, 1, 100), OUT(550, FL_A, 1, 301, 0),
        DO(STATE, 1000, TCP_ESTABLISHED));
}

TEST(delayed_ack_parameters)
{
    RUN(params.delayed_ack_segments = 3; params.delayed_ack_timeout_ns = MOMENT_SECOND / 10, ACCEPT,
                                         IN(200, FL_P, 1, 1, 100), IN(250, FL_P, 101, 1, 100),
                                         OUT(300, FL_A, 1, 201, 0), IN(400, FL_P, 201, 1, 100),
                                         IN(401, FL_P, 301, 1, 100), IN(402, FL_P, 401, 1, 100),
                                         OUT(402, FL_A, 1, 501, 0), DO(STATE, 1000, TCP_ESTABLISHED));
}

TEST(data_carries_the_ack)
{
    RUN(, ACCEPT, IN(200, FL_P, 1, 1, 100), DO(WRITE, 250, 50), OUT(250, FL_P, 1, 101, 50),
        IN(300, FL_A, 101, 51, 0), DO(STATE, 1000, TCP_ESTABLISHED));
}

TEST(holes_are_told_at_once)
{
    RUN(, ACCEPT, IN(200, FL_P, 101, 1, 100), OUT(200, FL_A, 1, 1, 0), IN(201, FL_P, 201, 1, 100),
        OUT(201, FL_A, 1, 1, 0), DO(READ, 201, 0), IN(202, FL_P, 1, 1, 100), OUT(202, FL_A, 1, 301, 0),
        DO(READ, 202, 300), IN(203, FL_P, 101, 1, 100), OUT(203, FL_A, 1, 301, 0), IN(204, FL_P, 250, 1, 101),
        DO(READ, 204, 350), OUT(404, FL_A, 1, 351, 0));
}

/* Below the first hole, beyond it, and across its end. */
TEST(octets_in_vain)
{
    RUN(, ACCEPT, IN(200, FL_P, 101, 1, 100), OUT(200, FL_A, 1, 1, 0), IN(201, FL_P, 151, 1, 100),
        OUT(201, FL_A, 1, 1, 0), DO(AGAIN, 201, 50), IN(202, FL_P, 1, 1, 120), OUT(202, FL_A, 1, 251, 0),
        DO(AGAIN, 202, 70), IN(203, FL_P, 1, 1, 100), OUT(203, FL_A, 1, 251, 0), DO(AGAIN, 203, 170));
}

/* RFC 2018 section 4: the block that changed last stands first, four at most. */
TEST(sack_blocks)
{
    RUN(params.sack = true, IN(0, FL_S, 0, 0, 0, .sack_permitted = true), OUT(0, FL_SA, 0, 1, 0),
        IN(100, FL_A, 1, 1, 0), IN(200, FL_P, 101, 1, 100), OUT(200, FL_A, 1, 1, 0, .sack = {{101, 201}}),
        IN(201, FL_P, 301, 1, 100), OUT(201, FL_A, 1, 1, 0, .sack = {{301, 401}, {101, 201}}),
        IN(202, FL_P, 201, 1, 100), OUT(202, FL_A, 1, 1, 0, .sack = {{101, 401}}), IN(203, FL_P, 501, 1, 100),
        OUT(203, FL_A, 1, 1, 0, .sack = {{501, 601}, {101, 401}}), IN(204, FL_P, 701, 1, 100),
        OUT(204, FL_A, 1, 1, 0, .sack = {{701, 801}, {501, 601}, {101, 401}}), IN(205, FL_P, 901, 1, 100),
        OUT(205, FL_A, 1, 1, 0, .sack = {{901, 1001}, {701, 801}, {501, 601}, {101, 401}}),
        IN(206, FL_P, 1101, 1, 100),
        OUT(206, FL_A, 1, 1, 0, .sack = {{1101, 1201}, {901, 1001}, {701, 801}, {501, 601}}),
        IN(207, FL_P, 1, 1, 100),
        OUT(207, FL_A, 1, 401, 0, .sack = {{1101, 1201}, {901, 1001}, {701, 801}, {501, 601}}),
        DO(READ, 207, 400));
}

/* The window shrinks while nobody reads, takes nothing beyond it, answers probes, and opens in one step. */
TEST(held_window)
{
    RUN(params.receive_window_octets = 3000, ACCEPT, DO(HOLD, 150, 0), IN(200, FL_A, 1, 1, 1000),
        IN(201, FL_A, 1001, 1, 1000), OUT(201, FL_A, 1, 2001, 0, .window = 1000),
        IN(202, FL_A, 2001, 1, 2000), OUT(402, FL_A, 1, 3001, 0, .is_shut = true), DO(READ, 402, 0),
        IN(500, FL_A, 3001, 1, 1), OUT(500, FL_A, 1, 3001, 0, .is_shut = true), IN(600, FL_A, 3000, 1, 0),
        OUT(600, FL_A, 1, 3001, 0, .is_shut = true), DO(RELEASE, 700, 0),
        OUT(700, FL_A, 1, 3001, 0, .window = 3000), DO(READ, 700, 3000), IN(800, FL_P, 3001, 1, 10),
        OUT(1000, FL_A, 1, 3011, 0));
}

/* RFC 7323: echo of the segment that the last ACK waited for; an older value is dropped and answered. */
TEST(timestamps_and_paws)
{
    RUN(params.timestamps = true, IN(0, FL_S, 0, 0, 0, .ts_value = 500),
        OUT(0, FL_SA, 0, 1, 0, .ts_value = 1, .ts_echo = 500),
        IN(100, FL_A, 1, 1, 0, .ts_value = 600, .ts_echo = 1),
        IN(200, FL_P, 1, 1, 100, .ts_value = 700, .ts_echo = 1),
        IN(250, FL_P, 101, 1, 100, .ts_value = 750, .ts_echo = 1),
        OUT(250, FL_A, 1, 201, 0, .ts_value = 251, .ts_echo = 700),
        IN(300, FL_P, 301, 1, 100, .ts_value = 800, .ts_echo = 1), OUT(300, FL_A, 1, 201, 0, .ts_echo = 700),
        IN(310, FL_P, 201, 1, 100, .ts_value = 699, .ts_echo = 1), OUT(310, FL_A, 1, 201, 0, .ts_echo = 700),
        DO(READ, 310, 200), IN(320, FL_P, 201, 1, 100, .ts_value = 810, .ts_echo = 1),
        OUT(320, FL_A, 1, 401, 0, .ts_echo = 810), DO(READ, 320, 400), IN(330, FL_P, 401, 1, 100),
        DO(READ, 330, 400), DO(STATE, 1000, TCP_ESTABLISHED));
}

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

TEST(window_limits_the_sender)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0, .window = 2500),
        OUT(100, FL_A, 1, 1, 0), DO(WRITE, 200, 9000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        IN(300, FL_A, 1, 1001, 0, .window = 2500), OUT(300, FL_A, 2001, 1, 1000),
        IN(301, FL_A, 1, 1001, 0, .window = 4000), OUT(301, FL_A, 3001, 1, 1000, .times = 2));
}

TEST(scaled_window)
{
    RUN(params.window_scale = true; params.receive_window_octets = 200000;
        params.initial_cwnd_segments = 100, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0, .window = 65535),
        IN(100, FL_SA, 0, 1, 0, .window = 2500, .scale = 2), OUT(100, FL_A, 1, 1, 0, .window = 50000),
        DO(WRITE, 200, 9000), OUT(200, FL_A, 1, 1, 1000, .times = 2),
        IN(300, FL_A, 1, 2001, 0, .window = 1000), OUT(300, FL_A, 2001, 1, 1000, .times = 4));
}

/* RFC 9293 3.8.6.1: probes at the RTO, then ever more seldom, without end; they are no congestion. */
TEST(zero_window_is_probed)
{
    RUN(params.max_retries = 2, OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000),
        IN(300, FL_A, 1, 1001, 0, .is_shut = true), DO(WRITE, 400, 3000), OUT(1400, FL_A, 1000, 1, 0),
        IN(1500, FL_A, 1, 1001, 0, .is_shut = true), OUT(3400, FL_A, 1000, 1, 0), OUT(7400, FL_A, 1000, 1, 0),
        OUT(15400, FL_A, 1000, 1, 0), OUT(31400, FL_A, 1000, 1, 0),
        IN(40000, FL_A, 1, 1001, 0, .window = 3000), OUT(40000, FL_A, 1001, 1, 1000, .times = 2),
        OUT(40000, FL_P, 3001, 1, 1000), DO(CWND, 40000, 10000));
}

/* A window of a sliver is left alone until the persist timer says otherwise. */
TEST(silly_window)
{
    RUN(, OPEN, DO(WRITE, 200, 1000), OUT(200, FL_P, 1, 1, 1000), IN(300, FL_A, 1, 1001, 0, .window = 100),
        DO(WRITE, 400, 3000), OUT(1400, FL_A, 1001, 1, 100), IN(1500, FL_A, 1, 1101, 0, .is_shut = true),
        IN(1600, FL_A, 1, 1101, 0, .window = 3000), OUT(1600, FL_A, 1101, 1, 1000, .times = 2),
        OUT(1600, FL_P, 3101, 1, 900));
}

TEST(nagle_waits_for_the_ack)
{
    RUN(params.nagle = true, OPEN, DO(WRITE, 200, 1100), OUT(200, FL_A, 1, 1, 1000),
        IN(300, FL_A, 1, 1001, 0), OUT(300, FL_P, 1001, 1, 100), DO(WRITE, 350, 50), DO(WRITE, 360, 50),
        IN(400, FL_A, 1, 1101, 0), OUT(400, FL_P, 1101, 1, 100));
}

UNIT_MAIN(NULL, NULL)
