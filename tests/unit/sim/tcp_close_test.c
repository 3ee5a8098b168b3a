/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

TEST(we_close_first)
{
    RUN(, OPEN, DO(WRITE, 200, 100), DO(CLOSE, 200, 0), OUT(200, FL_P, 1, 1, 100), OUT(200, FL_F, 101, 1, 0),
        IN(300, FL_A, 1, 102, 0), DO(STATE, 300, TCP_FIN_WAIT_2), IN(350, FL_P, 1, 102, 50),
        DO(READ, 350, 50), IN(400, FL_F, 51, 102, 0), OUT(400, FL_A, 102, 52, 0),
        DO(STATE, 400, TCP_TIME_WAIT), DO(END, 400, TCP_END_FIN), IN(600, FL_F, 51, 102, 0),
        OUT(600, FL_A, 102, 52, 0), DO(STATE, 60599, TCP_TIME_WAIT), DO(STATE, 60600, TCP_CLOSED));
}

TEST(peer_closes_first)
{
    RUN(, OPEN, IN(200, FL_FP, 1, 1, 100), OUT(200, FL_A, 1, 102, 0), DO(READ, 200, 100),
        DO(STATE, 200, TCP_CLOSE_WAIT), DO(WRITE, 300, 50), OUT(300, FL_P, 1, 102, 50), DO(CLOSE, 400, 0),
        OUT(400, FL_F, 51, 102, 0), DO(STATE, 400, TCP_LAST_ACK), IN(500, FL_A, 102, 52, 0),
        DO(STATE, 500, TCP_CLOSED), DO(END, 500, TCP_END_FIN));
}

TEST(both_close_at_once)
{
    RUN(, OPEN, DO(CLOSE, 200, 0), OUT(200, FL_F, 1, 1, 0), IN(250, FL_F, 1, 1, 0), OUT(250, FL_A, 2, 2, 0),
        DO(STATE, 250, TCP_CLOSING), IN(300, FL_A, 2, 2, 0), DO(STATE, 300, TCP_TIME_WAIT),
        DO(END, 300, TCP_END_FIN));
}

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

TEST(fin_before_its_data)
{
    RUN(, ACCEPT, IN(200, FL_FP, 101, 1, 100), OUT(200, FL_A, 1, 1, 0), DO(STATE, 200, TCP_ESTABLISHED),
        IN(300, FL_A, 1, 1, 100), OUT(300, FL_A, 1, 202, 0), DO(READ, 300, 200),
        DO(STATE, 300, TCP_CLOSE_WAIT));
}

TEST(lost_fin_is_repeated)
{
    RUN(, OPEN, DO(CLOSE, 200, 0), OUT(200, FL_F, 1, 1, 0), OUT(1200, FL_F, 1, 1, 0), IN(1300, FL_A, 1, 2, 0),
        DO(STATE, 1300, TCP_FIN_WAIT_2));
}

TEST(cut_forgets_what_was_not_sent)
{
    RUN(params.initial_cwnd_segments = 2, OPEN, DO(WRITE, 200, 9000), DO(CLOSE, 200, 0),
        OUT(200, FL_A, 1, 1, 1000, .times = 2), DO(CUT, 250, 0), OUT(250, FL_F, 2001, 1, 0), DO(CUT, 251, 0),
        IN(300, FL_A, 1, 2002, 0), DO(STATE, 300, TCP_FIN_WAIT_2));
}

TEST(simultaneous_open)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(50, FL_S, 0, 0, 0), OUT(50, FL_SA, 0, 1, 0),
        IN(150, FL_A, 1, 1, 0), DO(STATE, 150, TCP_ESTABLISHED));
}

TEST(reset_of_a_syn)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_RA, 0, 2, 0), DO(STATE, 100, TCP_SYN_SENT),
        IN(100, FL_R, 0, 0, 0), DO(STATE, 100, TCP_SYN_SENT), IN(100, FL_RA, 0, 1, 0),
        DO(END, 100, TCP_END_RESET));
}

/* A stale SYN-ACK gets RST with the number that it acknowledged; the handshake goes on. */
TEST(wrong_syn_ack)
{
    RUN(, DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 7, 0), OUT(100, FL_R, 7, 0, 0),
        IN(200, FL_SA, 0, 1, 0), OUT(200, FL_A, 1, 1, 0), DO(STATE, 200, TCP_ESTABLISHED));
}

/* RFC 5961: the exact number ends it, one within the window is asked for the exact one, others are nothing.
 */
TEST(reset_of_a_connection)
{
    RUN(, OPEN, IN(200, FL_R, 100, 0, 0), OUT(200, FL_A, 1, 1, 0), IN(201, FL_R, 70000, 0, 0),
        IN(202, FL_S, 1, 0, 0), OUT(202, FL_A, 1, 1, 0), DO(STATE, 202, TCP_ESTABLISHED),
        IN(203, FL_R, 1, 0, 0), DO(END, 203, TCP_END_RESET), DO(STATE, 203, TCP_CLOSED));
}

TEST(ack_of_the_future)
{
    RUN(, OPEN, IN(200, FL_A, 1, 500, 0), OUT(200, FL_A, 1, 1, 0), DO(STATE, 200, TCP_ESTABLISHED));
    RUN(, IN(0, FL_S, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 500, 0), OUT(100, FL_R, 500, 0, 0),
        DO(STATE, 100, TCP_SYN_RECEIVED));
}

TEST(abort_says_rst)
{
    RUN(, OPEN, DO(WRITE, 200, 100), OUT(200, FL_P, 1, 1, 100), DO(ABORT, 300, 0), OUT(300, FL_RA, 101, 1, 0),
        DO(END, 300, TCP_END_ABORT), DO(WRITE, 400, 100), DO(STATE, 9999, TCP_CLOSED));
}

TEST(silence_ends_it)
{
    RUN(params.max_retries = 2, OPEN, DO(WRITE, 200, 100), OUT(200, FL_P, 1, 1, 100),
        OUT(1200, FL_P, 1, 1, 100), OUT(3200, FL_P, 1, 1, 100), DO(STATE, 7199, TCP_ESTABLISHED),
        DO(END, 7200, TCP_END_TIMEOUT));
}

UNIT_MAIN(NULL, NULL)
