/* SPDX-License-Identifier: BSD-3-Clause */
/* Octets that a receiver holds beyond the first hole, as ranges of the stream; SACK blocks report them. */
#ifndef SIM_TCP_RANGES_H
#define SIM_TCP_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { TCP_RANGES_MAX = 64 };

struct tcp_range {
    uint64_t start, end; /* end is the octet after the range */
};

/* Invariant: ranges neither overlap nor touch; the one that changed last is the first (RFC 2018 section 4).
 */
struct tcp_ranges {
    struct tcp_range *range; /* `cap` places */
    uint32_t count, cap;
};

/* Frees the memory and empties it. A zeroed one is empty. */
void tcp_ranges_fini(struct tcp_ranges *r);

/* Adds start .. end - 1, start < end, and merges. False: full, unchanged. Ends the program when memory is
 * short. */
bool tcp_ranges_put(struct tcp_ranges *r, uint64_t start, uint64_t end);

/* Removes the ranges that begin at or before `next`; returns the next octet expected, at least `next`. */
uint64_t tcp_ranges_take(struct tcp_ranges *r, uint64_t next);

/* Octets held. */
uint64_t tcp_ranges_octets(const struct tcp_ranges *r);

/* The octet after the highest range; 0: no range. */
uint64_t tcp_ranges_end(const struct tcp_ranges *r);

#endif
