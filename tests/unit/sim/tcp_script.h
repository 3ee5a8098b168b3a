/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One endpoint against a script: what the peer sends, what the application does, and every packet that must
 * come out, to the millisecond. Numbers are places in the streams: 0 the SYN, 1 the first octet; both initial
 * numbers lie short of their wrap, so every script crosses it.
 */
#ifndef TESTS_UNIT_SIM_TCP_SCRIPT_H
#define TESTS_UNIT_SIM_TCP_SCRIPT_H

#include "dataplane/aqm/aqm.h"
#include "sim/tcp.h"
#include "tests/unit/unit.h"

enum script_kind {
    SCRIPT_IN,      /* the peer sends */
    SCRIPT_OUT,     /* this must have come out then; `times` packets in a row, each behind the one before */
    SCRIPT_CONNECT, /* the application's calls */
    SCRIPT_WRITE,
    SCRIPT_CLOSE,
    SCRIPT_CUT,
    SCRIPT_ABORT,
    SCRIPT_HOLD,
    SCRIPT_RELEASE,
    SCRIPT_CWND,  /* these must hold */
    SCRIPT_STATE, /* octets: enum tcp_state */
    SCRIPT_END,   /* octets: enum tcp_end, at that time */
    SCRIPT_READ,  /* octets that the application got in all */
    SCRIPT_AGAIN, /* octets that arrived and were there before */
};

struct script_step {
    enum script_kind kind;
    int64_t at_ms;
    uint8_t flags;
    uint32_t seq, ack, octets;
    uint32_t window; /* IN: 0 means 65535; OUT: checked unless 0 */
    bool is_shut;    /* IN: window 0; OUT: window must be 0 */
    uint32_t times;  /* OUT: 0 means 1 */
    uint32_t sack[TCP_HEADER_MAX_SACKS][2];
    uint32_t ts_value, ts_echo; /* IN: option present unless both 0; OUT: checked unless 0 */
    uint16_t mss;               /* IN: of a SYN, 0 means 1000 */
    uint8_t ecn;                /* enum aqm_ecn of the IP header; OUT: always checked */
    uint8_t scale;              /* IN: of a SYN, 0 means none */
    bool sack_permitted;        /* IN: of a SYN */
};

struct script {
    const char *name;
    struct tcp_params params;
    const struct script_step *steps;
    size_t count;
};

enum {
    FL_S = TCP_SYN,
    FL_SA = TCP_SYN | TCP_ACK,
    FL_A = TCP_ACK,
    FL_P = TCP_PSH | TCP_ACK,
    FL_F = TCP_FIN | TCP_ACK,
    FL_FP = TCP_FIN | TCP_PSH | TCP_ACK,
    FL_R = TCP_RST,
    FL_RA = TCP_RST | TCP_ACK,
};

#define IN(at, fl, s, a, n, ...)                                                                             \
    {                                                                                                        \
        .kind = SCRIPT_IN, .at_ms = at, .flags = fl, .seq = s, .ack = a, .octets = n, __VA_ARGS__            \
    }
#define OUT(at, fl, s, a, n, ...)                                                                            \
    {                                                                                                        \
        .kind = SCRIPT_OUT, .at_ms = at, .flags = fl, .seq = s, .ack = a, .octets = n, __VA_ARGS__           \
    }
#define DO(what, at, n)                                                                                      \
    {                                                                                                        \
        .kind = SCRIPT_##what, .at_ms = at, .octets = n                                                      \
    }

/* Handshakes with a round trip of 100 ms. */
#define OPEN   DO(CONNECT, 0, 0), OUT(0, FL_S, 0, 0, 0), IN(100, FL_SA, 0, 1, 0), OUT(100, FL_A, 1, 1, 0)
#define ACCEPT IN(0, FL_S, 0, 0, 0), OUT(0, FL_SA, 0, 1, 0), IN(100, FL_A, 1, 1, 0)

/* A script in the test function's name; `change` alters `params` first. */
#define RUN(change, ...)                                                                                     \
    do {                                                                                                     \
        static const struct script_step steps[] = {__VA_ARGS__};                                             \
        struct tcp_params params = tcp_script_params();                                                      \
        change;                                                                                              \
        tcp_script_run(&(struct script){__func__, params, steps, sizeof(steps) / sizeof(steps[0])});         \
    } while (0)

/* A test of one script. */
#define SCRIPT_TEST(name, change, ...)                                                                       \
    TEST(name)                                                                                               \
    {                                                                                                        \
        RUN(change, __VA_ARGS__);                                                                            \
    }

/* Defaults for scripts: MSS 1000 and no options. */
struct tcp_params tcp_script_params(void);

/* Walks the script; fails the test at the first step that does not hold. */
void tcp_script_run(const struct script *script);

#endif
