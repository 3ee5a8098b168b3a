/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loss recovery of Linux 2.4 with SACK, as P. Sarolahti and A. Kuznetsov describe it (Congestion Control in
 * Linux TCP, USENIX 2002). For the tcp_*.c files only.
 *
 * Model. Forward acknowledgements (FACK, M. Mathis and J. Mahdavi, SIGCOMM 1996): every hole more than three
 * segments below the highest SACK is lost; the first such hole starts the recovery. Rate halving: each second
 * ACK of the recovery takes one segment from the window, until it is half of what it was. Packet
 * conservation: during the recovery the window is at most one segment above what is in flight, otherwise at
 * an ACK that repeats or has SACKs at most three. After n consecutive losses the window is therefore near one
 * segment, and rises by slow start after the recovery; RFC 6937 names this as the reason for its successor.
 * Undo: the ACK of a repetition that echoes a timestamp older than the first repetition shows that it was not
 * needed; window and threshold become what they were.
 *
 * Left out: DSACK, adaptation to reordering, detection of lost repetitions, the window of a route's cache.
 */
#ifndef SIM_TCP_HALVING_H
#define SIM_TCP_HALVING_H

#include "sim/tcp.h"

/* Changes by an ACK: in_flight_octets and may_grow as in tcp_recovery_acked(); acked_octets 0: it
 * repeats. */
struct tcp_halving_ack {
    uint64_t acked_octets, in_flight_octets;
    bool may_grow;
    bool has_sacks;
};

/* True if this connection recovers so: the parameters say it, and SACK is in force. */
bool tcp_halving_is_used(const struct tcp *t);

/* Takes an ACK after una and the scoreboard were updated. */
void tcp_halving_acked(struct tcp *t, const struct tcp_halving_ack *ack, const struct tcp_header *header,
                       int64_t now);

/* The timer has expired: half of the window becomes the threshold; call it before the window is reset. */
void tcp_halving_timeout(struct tcp *t);

/* A segment is sent again: notes the timestamp of the first repetition of this episode. */
void tcp_halving_repeated(struct tcp *t, int64_t now);

#endif
