/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One end of a TCP connection in virtual time (RFC 9293): NewReno (RFC 5681, 6582), CUBIC (RFC 9438),
 * HyStart++ (RFC 9406), SACK (RFC 2018, 6675), PRR (RFC 6937), RACK-TLP (RFC 8985), timestamps and PAWS (RFC
 * 7323), RTO (RFC 6298), ECN (RFC 3168), delayed ACK, zero-window probes, FIN and RST. The payload is a
 * pattern that depends on the position in the stream; applications count octets, the receiver checks them.
 *
 * Left out: urgent data, path MTU discovery, keep-alive; with the stack of the RFCs also spurious-timeout
 * detection and D-SACK.
 *
 * Inside, a position in a stream has 64 bits: 0 is the SYN, 1 the first octet. Codecs convert from and to
 * sequence numbers.
 */
#ifndef SIM_TCP_H
#define SIM_TCP_H

#include "sim/tcp_cubic.h"
#include "sim/tcp_header.h"
#include "sim/tcp_rack.h"
#include "sim/tcp_rto.h"
#include "sim/tcp_scoreboard.h"

#include <stdbool.h>
#include <stdint.h>

/* Parameters of a TCP endpoint: one struct, so that a scenario sets defaults once and overrides single
 * fields. */

struct tcp;

enum { TCP_MSS_MIN_OCTETS = 88, TCP_MSS_MAX_OCTETS = 1460 };

/* Those of Linux need sack. They change recovery (tcp_linux.h), RTO (tcp_rto.h) and ACKs (tcp_receive.h). */
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

    bool has_text; /* payload, both ways: words; else random octets */

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

/* The variables of a connection beside those of RFC 9293 and 5681: of today's algorithms, and of the stacks
 * of Linux 2.4. */

enum tcp_linux_state { TCP_LINUX_OPEN, TCP_LINUX_DISORDER, TCP_LINUX_RECOVERY, TCP_LINUX_LOSS };

/* Of tcp_linux.h alone. */
struct tcp_linux {
    enum tcp_linux_state state;
    uint64_t undo_from; /* una at the last reduction of the window, while it may be undone; 0: never */
    uint64_t prior_ssthresh_octets; /* before it; 0: not to be brought back */
    int32_t undo_repeats;           /* segments sent again since then, less those that arrived twice */
    uint32_t repeated_at;           /* timestamp of the first repetition; 0: none on its way */
    uint32_t acks;                  /* since the window last moved */
    uint32_t reordering;            /* segments by which one may be late */
    uint32_t timeouts;              /* in this loss state */
    bool uses_fack;
};

/* Of tcp_receive.c alone. */
struct tcp_ato {
    int64_t ato_ns; /* 0: before the first segment */
    int64_t last_ns;
    uint32_t quick_acks;
    uint64_t window_octets; /* to be announced at most; grows with what arrives */
};

/* The variables of algorithms that not every connection has. */
struct tcp_more {
    struct tcp_cubic cubic;
    struct tcp_hystart hystart;
    struct tcp_prr prr;
    struct tcp_rack rack;
    struct tcp_linux linux_sender;
    struct tcp_ato ato;
};

#define TCP_ENDLESS UINT64_MAX /* to tcp_write(): more octets than any run sends */

enum tcp_state {
    TCP_CLOSED,
    TCP_SYN_SENT,
    TCP_SYN_RECEIVED,
    TCP_ESTABLISHED,
    TCP_FIN_WAIT_1,
    TCP_FIN_WAIT_2,
    TCP_CLOSING,
    TCP_TIME_WAIT,
    TCP_CLOSE_WAIT,
    TCP_LAST_ACK,
};

enum tcp_end {
    TCP_END_FIN,     /* both FINs were sent and acknowledged */
    TCP_END_RESET,   /* the peer sent RST */
    TCP_END_TIMEOUT, /* the last retransmission was not acknowledged */
    TCP_END_ABORT,   /* tcp_abort(), or tcp_close() before the peer's SYN */
};

/* Any may be NULL. Callbacks may call tcp_write(), tcp_close(), tcp_cut(), tcp_abort() and tcp_hold() of this
 * connection. */
struct tcp_events {
    void *arg;
    void (*on_established)(void *arg, struct tcp *t, int64_t now);
    void (*on_receive)(void *arg, struct tcp *t, uint64_t octets, int64_t now); /* in order, new */
    void (*on_peer_closed)(void *arg, struct tcp *t, int64_t now);              /* its FIN, in order */
    void (*on_acked)(void *arg, struct tcp *t, uint64_t octets, int64_t now);   /* local octets */
    /* Once: TIME-WAIT or closed. The application must not use t afterwards. */
    void (*on_closed)(void *arg, struct tcp *t, enum tcp_end end, int64_t now);
};

/* Callbacks for time series; numbers count payload octets from the stream's first. Any may be NULL. */
struct tcp_observer {
    void *arg;
    void (*on_rtt)(void *arg, int64_t now, int64_t rtt_ns); /* as tcp_rto.h samples it */
    void (*on_sent)(void *arg, int64_t now, uint64_t end_octets, bool is_retransmission);
    void (*on_acked)(void *arg, int64_t now, uint64_t acked_octets);
};

/* Output of packets. Packet and payload are valid during the call, which must not call back into t. */
struct tcp_output {
    void *arg;
    void (*emit)(void *arg, const struct ip_packet *packet, int64_t now);
    /* The application wrote, closed, aborted or held outside of tcp_rx() and tcp_step(): the deadline may
       have changed. Called last; may be NULL. */
    void (*changed)(void *arg, int64_t now);
};

struct tcp_address {
    uint32_t local, remote; /* host order */
    uint16_t local_port, remote_port;
};

struct tcp_stats {
    uint64_t segments_sent, segments_received;
    uint64_t octets_sent, octets_retransmitted; /* payload */
    uint64_t octets_received;                   /* in order, to the application */
    uint64_t octets_corrupt;                    /* payload that differs from the pattern */
    uint64_t octets_repeated, octets_acked;     /* payload that was there before; local payload */
    uint64_t timeouts, fast_retransmits, probes, duplicate_acks;
    uint64_t undone; /* reductions taken back, as the repetition was not needed */
    uint64_t outside_window, paws_drops, ranges_full;
    uint64_t ce_received, ecn_reductions; /* data segments with CE; windows halved for an ECE */
};

/* Invariants: una <= nxt <= stream_end + 1 (the FIN); rcv_next <= rcv_edge. */
struct tcp {
    const struct tcp_params *params;
    struct tcp_more *more; /* NULL: NewReno of the RFCs alone */
    struct tcp_address address;
    struct tcp_events events;
    struct tcp_observer observer;
    struct tcp_output output;
    struct tcp_stats stats;
    enum tcp_state state;
    bool is_busy;     /* inside tcp_rx() or tcp_step(): these send at their end */
    bool has_ended;   /* on_closed() was called */
    bool wants_close; /* tcp_close() was called: FIN after the last octet */

    /* Sending. */
    uint32_t iss, mss_octets; /* mss: payload of a full segment */
    uint64_t una, nxt, stream_end;
    uint64_t window_octets, max_window_octets; /* the peer's */
    uint64_t window_seq, window_ack;           /* of the segment of the last update: SND.WL1, WL2 */
    uint8_t send_shift, receive_shift;
    bool uses_sack, uses_timestamps, uses_ecn;
    struct tcp_scoreboard board;

    /* Congestion. */
    uint64_t cwnd_octets, ssthresh_octets, cwnd_credit_octets;
    uint64_t recover;        /* nxt when the last recovery began */
    uint64_t reduced_at;     /* nxt when the window was last reduced */
    uint64_t limited_octets; /* sent on the first duplicate ACKs; not part of FlightSize (RFC 5681 3.2) */
    uint32_t duplicates;
    bool is_recovering, is_after_timeout, has_partial_ack, has_rescued, is_syn_repeated;
    bool owes_cwr; /* CWR in the next new data */

    /* Timers, MOMENT_NEVER when off. */
    int64_t rto_at_ns, persist_at_ns, ack_at_ns, end_at_ns, rack_at_ns;
    struct tcp_rto rto;
    uint64_t backoff_point; /* nxt at the last timeout */
    uint64_t round_end;     /* nxt when the round trip of tcp_rto_sample_linux() began */
    uint64_t timed_end;     /* end of the timed segment, without timestamps; 0: none */
    int64_t timed_ns, last_sent_ns, persist_ns;
    int64_t emptied_ns; /* when all that was sent was acknowledged */
    uint32_t retries;
    struct rtt_tcptrace rtt;

    /* Receiving. */
    uint32_t irs;
    uint64_t rcv_next, rcv_edge, fin_at; /* fin_at: position of the peer's FIN; 0: unknown */
    uint64_t held_octets;                /* in order, held back by tcp_hold() */
    uint64_t last_ack_sent;
    struct tcp_range duplicate; /* that arrived again, for a D-SACK (RFC 2883); end 0: none */
    uint32_t ts_recent;
    uint32_t unacked_segments;
    bool is_held, wants_ack;
    bool echoes_ce; /* ECE in each ACK until a CWR */
    struct tcp_ranges ranges;
};

struct tcp_config {
    const struct tcp_params *params; /* outlive the connection; tcp_params_fault() must be NULL */
    struct tcp_address address;
    struct tcp_events events;
    struct tcp_output output;
    uint32_t iss; /* initial sequence number */
};

/* Makes a closed connection; the struct must not move while it lives. Memory is allocated for the segments in
 * flight, by need; free it with tcp_fini(). */
void tcp_init(struct tcp *t, const struct tcp_config *config);
void tcp_fini(struct tcp *t);

/* Active open: sends SYN. */
void tcp_connect(struct tcp *t, int64_t now);

/* Passive open by the SYN that a listener received: sends SYN-ACK. */
void tcp_accept(struct tcp *t, const struct ip_packet *syn, int64_t now);

/* Adds octets to the stream, also before the connection is established; no effect after tcp_close(). */
void tcp_write(struct tcp *t, uint64_t octets, int64_t now);

/* Sends FIN after the written octets. */
void tcp_close(struct tcp *t, int64_t now);

/* Sends FIN after the octets sent so far: written but unsent octets are dropped, also after tcp_close(). */
void tcp_cut(struct tcp *t, int64_t now);

/* Sends RST and closes. */
void tcp_abort(struct tcp *t, int64_t now);

/* The application stops or resumes reading: the receive window shrinks or opens. */
void tcp_hold(struct tcp *t, bool is_held, int64_t now);

/* Handles a packet of this connection, decoded by ip_packet_decode(). */
void tcp_rx(struct tcp *t, const struct ip_packet *packet, int64_t now);

/* Runs the timers that are due; returns the next deadline, MOMENT_NEVER without one. */
int64_t tcp_step(struct tcp *t, int64_t now);

/* Makes the RST for a segment without a connection (RFC 9293 3.10.7.1). False: none, as the segment is an
   RST. */
bool tcp_make_reset(struct ip_packet *out, const struct ip_packet *in);

/* State changes of a connection (RFC 9293 3.3.2) and their events. */

/* Takes over the options of the peer's SYN; packet has SYN. */
void tcp_state_take_syn(struct tcp *t, const struct ip_packet *packet);

/* The local SYN was acknowledged and the peer's has arrived. */
void tcp_state_establish(struct tcp *t, int64_t now);

/* The local FIN was acknowledged. */
void tcp_state_fin_acked(struct tcp *t, int64_t now);

/* The peer's FIN arrived in order. */
void tcp_state_peer_fin(struct tcp *t, int64_t now);

/* Closes the connection; calls on_closed() unless it was called. */
void tcp_state_close(struct tcp *t, enum tcp_end end, int64_t now);

/* Starts or restarts TIME-WAIT. */
void tcp_state_time_wait(struct tcp *t, int64_t now);

#endif
