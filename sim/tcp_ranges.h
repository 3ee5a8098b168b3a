/* SPDX-License-Identifier: BSD-3-Clause */
/* What a receiver holds beyond the first hole, as ranges of the stream, and the SACK blocks that tell of it.
 */
#ifndef SIM_TCP_RANGES_H
#define SIM_TCP_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { TCP_RANGES_MAX = 64 };

struct tcp_range {
    uint64_t start, end; /* end is the octet behind */
};

/* Invariant: ranges neither overlap nor touch; the one that changed last stands first (RFC 2018 section 4).
 */
struct tcp_ranges {
    struct tcp_range range[TCP_RANGES_MAX];
    uint32_t count;
};

/* Adds start .. end - 1, start < end, merging. False: full, nothing was changed. */
bool tcp_ranges_put(struct tcp_ranges *r, uint64_t start, uint64_t end);

/* Takes the range that begins at or before `next` and returns the new next octet expected; `next` if none
 * does. */
uint64_t tcp_ranges_take(struct tcp_ranges *r, uint64_t next);

/* Octets held. */
uint64_t tcp_ranges_octets(const struct tcp_ranges *r);

/* The octet behind the highest range, 0 when there is none. */
uint64_t tcp_ranges_end(const struct tcp_ranges *r);

#endif
