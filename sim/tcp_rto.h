/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The retransmission timeout (RFC 6298) with Karn's rule to the letter: a backed-off RTO stays until an ACK
 * for data that was first sent after the timeout; a smaller sample before that does not shorten it.
 */
#ifndef SIM_TCP_RTO_H
#define SIM_TCP_RTO_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_params;

/* Invariant: min <= rto_ns <= max of the parameters, but for the initial RTO; srtt_ns = 0 before the first
 * sample. */
struct tcp_rto {
    int64_t rto_ns;
    int64_t srtt_ns, rttvar_ns;
    int64_t mdev_ns, mdev_max_ns; /* of tcp_rto_sample_linux() alone */
    int64_t min_ns, max_ns;
    bool is_backed_off;
    uint32_t backoffs; /* doublings since the last sample that ended them */
};

void tcp_rto_init(struct tcp_rto *r, const struct tcp_params *params);

/*
 * Takes in a round-trip time. share >= 1: samples expected per round trip, by which the gains are divided
 * (RFC 7323 4.2). has_new: the ACK covers data first sent after the last timeout.
 */
void tcp_rto_sample(struct tcp_rto *r, int64_t rtt_ns, uint32_t share, bool has_new);

/*
 * Takes in a round-trip time as Linux 2.4 does (its sources; P. Sarolahti and A. Kuznetsov, Congestion
 * Control in Linux TCP, USENIX 2002, section 4): the time counts in ticks of 10 ms; the first sample makes
 * the RTO five round trips; a sample below SRTT raises the mean deviation by an eighth of the usual gain;
 * RTTVAR follows the largest deviation at once upwards, and downwards by a quarter per `ends_round`; 4
 * RTTVAR, not the RTO, is at least the minimum. ends_round: a round trip is over; in the sources this is
 * every ACK after the first round trip. keeps_backoff: the RTO stays doubled (2.4.0, in the loss state).
 */
struct tcp_rto_linux {
    int64_t rtt_ns;
    bool ends_round, keeps_backoff;
};

void tcp_rto_sample_linux(struct tcp_rto *r, const struct tcp_rto_linux *sample);

/* Doubles the RTO after a timeout. */
void tcp_rto_back_off(struct tcp_rto *r);

/*
 * Round-trip times as the passive tool tcptrace counts them beside the sender; papers report these. tcptrace
 * reads no timestamps, so it takes no sample from an ambiguous ACK.
 *
 * A sample is the time from the sending of a segment to the ACK with the number of that segment's end, if no
 * segment that the ACK newly covers was sent twice and no segment at all was retransmitted in between. The
 * second condition leaves out ACKs that jump over data queued behind a hole.
 */

enum { RTT_TCPTRACE_SEGMENTS = 512 }; /* tracked at a time; a power of 2 */

struct rtt_tcptrace_segment {
    uint64_t end;
    int64_t sent_ns;
    bool is_repeated;
};

/* Invariant: sum_ns / count is the average; max_ns = 0 while count = 0. */
struct rtt_tcptrace {
    struct rtt_tcptrace_segment *segment; /* ring, ends ascending; NULL: cap is 0 */
    uint32_t cap, first, segments;
    int64_t last_repeat_ns;
    uint64_t highest_end;
    uint64_t count;
    int64_t sum_ns, min_ns, max_ns;
    uint64_t sent_octets, repeated_octets;
    uint64_t overflows; /* segments not tracked for lack of room */
};

void rtt_tcptrace_init(struct rtt_tcptrace *r);
void rtt_tcptrace_fini(struct rtt_tcptrace *r); /* keeps the counts */

/* Octets start .. end - 1 of the stream are sent. Octets below the highest end so far are a repetition.
 * Ends the program when memory is short. */
void rtt_tcptrace_sent(struct rtt_tcptrace *r, uint64_t start, uint64_t end, int64_t now);

/* An ACK for all octets below `ack`. Returns the sample in ns; -1: none. */
int64_t rtt_tcptrace_acked(struct rtt_tcptrace *r, uint64_t ack, int64_t now);

#endif
