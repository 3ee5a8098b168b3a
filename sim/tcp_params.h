/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of a TCP endpoint: one struct, so that a scenario sets defaults once and overrides single
 * fields. */
#ifndef SIM_TCP_PARAMS_H
#define SIM_TCP_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

enum { TCP_MSS_MIN_OCTETS = 88, TCP_MSS_MAX_OCTETS = 1460 };

/* Those of Linux need sack. They change recovery (tcp_linux.h), RTO (tcp_rto.h) and ACKs (tcp_ato.h). */
enum tcp_stack { TCP_STACK_RFC, TCP_STACK_LINUX_2_4_0, TCP_STACK_LINUX_2_4_17 };

/*
 * Loss recovery of a sender without SACK at the third duplicate ACK (K. Fall and S. Floyd, Simulation-based
 * Comparisons of Tahoe, Reno, and SACK TCP, 1996). NewReno: RFC 6582. Reno: a recovery that ends with the
 * first ACK of new data (RFC 2581). Tahoe: slow start, and all from the first lost segment on once more. By
 * time-out: nothing, the timer repeats.
 */
enum tcp_recovery { TCP_RECOVERY_NEWRENO, TCP_RECOVERY_RENO, TCP_RECOVERY_TAHOE, TCP_RECOVERY_BY_TIMEOUT };

/* Growth and reduction of the congestion window: RFC 5681, or CUBIC (RFC 9438). */
enum tcp_cc { TCP_CC_NEWRENO, TCP_CC_CUBIC };

struct tcp_params {
    /* Offered in the SYN; in force if the peer offers it too. */
    uint32_t mss_octets; /* TCP_MSS_MIN_OCTETS .. TCP_MSS_MAX_OCTETS, options of each segment included (RFC
                            6691) */
    bool sack;
    bool timestamps;
    bool window_scale;
    bool ecn; /* RFC 3168 */

    enum tcp_stack stack;
    bool has_no_fack; /* of Linux: as after an earlier connection with reordering */
    enum tcp_recovery recovery;
    enum tcp_cc cc;   /* stack of the RFCs */
    bool has_hystart; /* first slow start as in HyStart++ (RFC 9406); stack of the RFCs */
    bool has_rack;    /* RACK-TLP with SACK (RFC 8985); stack of the RFCs */
    bool has_prr;     /* recovery with SACK as in RFC 6937; stack of the RFCs */

    /* Receiver. */
    uint32_t receive_window_octets; /* without window scale at most 65535 is announced */
    uint32_t delayed_ack_segments;  /* an ACK at least for every n-th segment */
    int64_t delayed_ack_timeout_ns; /* at most, where the stack adapts it */

    /* Sender. */
    uint32_t initial_cwnd_segments;
    uint32_t initial_ssthresh_segments; /* 0: unlimited */
    uint32_t max_cwnd_segments;         /* 0: unlimited */
    bool
        count_octets; /* growth by acknowledged octets, not by ACKs (RFC 3465); in slow start at most 2 MSS */
    bool limited_transmit;   /* RFC 3042 */
    bool restart_after_idle; /* back to the initial window after an idle RTO (RFC 5681 4.1) */
    bool nagle;              /* RFC 1122 4.2.3.4 */

    /* Timers. */
    int64_t initial_rto_ns;
    int64_t min_rto_ns;
    int64_t max_rto_ns;
    int64_t time_wait_ns;     /* TIME-WAIT of the side that closed first */
    uint32_t max_syn_retries; /* retransmissions of a SYN before the connection ends */
    uint32_t max_retries;     /* timeouts in a row before the connection ends */
};

/*
 * MSS 1460, SACK, timestamps, no scaling, no ECN, window 65535, ACK every 2 segments or 200 ms, initial
 * window 3 segments (RFC 3390), RTO 1 s first, at least 1 s, at most 60 s (RFC 6298), 6 and 15 retries,
 * TIME-WAIT 60 s.
 */
struct tcp_params tcp_params_default(void);

/* NULL, or the static name of the first field that is out of range. */
const char *tcp_params_fault(const struct tcp_params *p);

/* The window scale with which the receive window fits 16 bits (RFC 7323 section 2). */
uint8_t tcp_params_window_scale(const struct tcp_params *p);

#endif
