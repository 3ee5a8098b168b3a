/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender of Linux 2.4 with SACK, by the rules of its sources and of P. Sarolahti and A. Kuznetsov,
 * Congestion Control in Linux TCP (USENIX 2002). For the tcp_*.c files only.
 *
 * Model. States: open, disorder (SACKs or repetitions are on their way), recovery, loss (after a time-out).
 * Forward acknowledgements (FACK, M. Mathis and J. Mahdavi, SIGCOMM 1996): segments more than `reordering`,
 * at first three, below the highest SACK are lost. Rate halving: each second ACK of the recovery takes one
 * segment from the window, down to a quarter of the old one. Packet conservation: during the recovery the
 * window is at most one segment above what is in flight, after other doubtful ACKs at most three.
 * After n consecutive losses the window is therefore near one segment, and rises by slow start after the
 * recovery; RFC 6937 names this as the reason for its successor.
 * Undo: an ACK that echoes a timestamp older than the first repetition, or D-SACKs of all repetitions, show
 * that these were not needed. If this happens inside a recovery, the distance becomes the new `reordering`,
 * and FACK ends for this connection: then each partial ACK shows one lost segment.
 *
 * 2.4.0 and 2.4.17 differ in the timer (tcp_linux_timer_ns()), in the backed-off RTO (tcp_rto.h) and in a
 * rule that 2.4.17 has on top: what was sent longer than an RTO ago is lost at the next doubtful ACK.
 *
 * Left out: sending without SACK, congestion window reduction by ECN with rate halving, validation of the
 * window (RFC 2861), the values that a route keeps from earlier connections, local congestion.
 */
#ifndef SIM_TCP_LINUX_H
#define SIM_TCP_LINUX_H

#include "sim/tcp.h"

/* Of an ACK. acked_segments is known after tcp_scoreboard_ack(). */
struct tcp_linux_ack {
    const struct tcp_header *header;
    uint64_t in_flight_octets; /* with its SACKs, without its acknowledgement */
    uint64_t acked_octets;
    uint32_t acked_segments;
    uint64_t sacked_end; /* of its highest SACK; 0: none */
    bool has_new_sacks;
    bool is_update; /* it changes the window, or carries data */
    bool may_grow;  /* no ECE */
};

/* True if this connection sends so: the parameters say it, and SACK is in force. */
bool tcp_linux_is_used(const struct tcp *t);

/* A new connection. */
void tcp_linux_start(struct tcp *t);

/* Takes the SACKs of an ACK, whose number is `ack`, before una and the scoreboard follow it. */
void tcp_linux_take_sacks(struct tcp *t, struct tcp_linux_ack *a, uint64_t ack);

/* Takes an ACK after una and the scoreboard were updated. */
void tcp_linux_acked(struct tcp *t, const struct tcp_linux_ack *a, int64_t now);

/* The timer has expired: half of the window becomes the threshold, the window one segment. */
void tcp_linux_timeout(struct tcp *t);

/* A segment is sent again. */
void tcp_linux_repeated(struct tcp *t, int64_t now);

/*
 * When the timer expires after an ACK of new data. 2.4.17: after an RTO (RFC 6298). 2.4.0: the segment that
 * is now the first has had its RTO and 4 RTTVAR since it was sent, but 4 RTTVAR from now at least.
 */
int64_t tcp_linux_timer_ns(struct tcp *t, int64_t now);

/* After an idle time: half of the window for each RTO. */
void tcp_linux_after_idle(struct tcp *t, int64_t now);

#endif
