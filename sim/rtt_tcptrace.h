/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round-trip times as the passive tool tcptrace counts them beside the sender; papers report these. tcptrace
 * reads no timestamps, so it takes no sample from an ambiguous ACK.
 *
 * A sample is the time from the sending of a segment to the ACK with the number of that segment's end, if no
 * segment that the ACK newly covers was sent twice and no segment at all was retransmitted in between. The
 * second condition leaves out ACKs that jump over data queued behind a hole.
 */
#ifndef SIM_RTT_TCPTRACE_H
#define SIM_RTT_TCPTRACE_H

#include <stdbool.h>
#include <stdint.h>

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

/* Average in ns, 0 without samples. */
int64_t rtt_tcptrace_average_ns(const struct rtt_tcptrace *r);

#endif
