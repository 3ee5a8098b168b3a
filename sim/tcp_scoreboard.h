/* SPDX-License-Identifier: BSD-3-Clause */
/* The scoreboard: the segments from the first unacknowledged octet to the last sent one, and the state of
 * each. */
#ifndef SIM_TCP_SCOREBOARD_H
#define SIM_TCP_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Octets that a receiver holds beyond the first hole, as ranges of the stream; SACK blocks report them. */

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

enum { TCP_SEGMENTS_MAX = 256 }; /* in flight at a time; a power of 2 */

/* SYN and FIN count as octets of the stream, as on the wire. */
struct tcp_segment {
    uint64_t start, end;
    int64_t sent_ns;   /* last time */
    uint64_t sent_nxt; /* end of what was sent when this was last sent again */
    uint32_t times;    /* sent */
    bool has_fin;
    bool is_sacked;
    bool is_lost;     /* assumed lost: to be sent again */
    bool is_repeated; /* sent again since then */
};

/* Invariant: segments are contiguous; in_flight_octets, the pipe of RFC 6675, sums each unsacked segment once
 * unless lost, and once more if repeated. */
struct tcp_scoreboard {
    struct tcp_segment *segment; /* ring of `cap` places, a power of 2; NULL: cap is 0 */
    uint32_t cap, first, count;
    uint64_t in_flight_octets;
    uint64_t sacked_end; /* after the highest sacked octet; 0: none */
    uint32_t sacked_segments;
};

/* Frees the memory of a board and empties it. A zeroed board is empty. */
void tcp_scoreboard_fini(struct tcp_scoreboard *s);

/* The i-th from the first, i < count. */
struct tcp_segment *tcp_scoreboard_get(struct tcp_scoreboard *s, uint32_t i);

static inline bool tcp_scoreboard_is_full(const struct tcp_scoreboard *s)
{
    return s->count == TCP_SEGMENTS_MAX;
}

/* Adds a new segment; the board must not be full. Ends the program when memory is short: the ring grows. */
void tcp_scoreboard_put(struct tcp_scoreboard *s, const struct tcp_segment *segment);

/* Forgets everything below ack; cuts a segment that ack divides. */
void tcp_scoreboard_ack(struct tcp_scoreboard *s, uint64_t ack);

/* Marks the segments that lie wholly in start .. end - 1; returns the octets newly marked. */
uint64_t tcp_scoreboard_sack(struct tcp_scoreboard *s, uint64_t start, uint64_t end);

/* Octets that are sacked and not acknowledged. */
uint64_t tcp_scoreboard_sacked_octets(struct tcp_scoreboard *s);

/* True if RFC 6675's IsLost() holds for the first segment: 3 ranges, or more than 2 segments' octets, above
 * it. */
bool tcp_scoreboard_is_first_lost(struct tcp_scoreboard *s, uint32_t mss_octets);

/* Marks every segment as lost for which IsLost() holds. */
void tcp_scoreboard_lose_holes(struct tcp_scoreboard *s, uint32_t mss_octets);

/* Segments by their marks; repeated: on their way for a second time. forward: up to the highest SACK. */
struct tcp_scoreboard_tally {
    uint32_t sacked, lost, repeated, forward;
};

struct tcp_scoreboard_tally tcp_scoreboard_tally(struct tcp_scoreboard *s);

/* Mark as lost, unless sacked or sent again: of the first `count` segments those that end at `limit` or
 * before it; those sent before a moment. */
void tcp_scoreboard_lose_head(struct tcp_scoreboard *s, uint32_t count, uint64_t limit);
void tcp_scoreboard_lose_old(struct tcp_scoreboard *s, int64_t sent_before_ns);

/* Marks one segment as lost, also one that was sent again. */
void tcp_scoreboard_lose_one(struct tcp_scoreboard *s, struct tcp_segment *segment);

/* Marks repetitions as lost after which data below `sacked_end` was sent for the first time. */
void tcp_scoreboard_lose_repeats(struct tcp_scoreboard *s, uint64_t sacked_end);

/* No segment is lost: what was assumed so was only late. */
void tcp_scoreboard_find(struct tcp_scoreboard *s);

/* True if a segment of this board was sent more than once. */
bool tcp_scoreboard_has_repeats(struct tcp_scoreboard *s);

/* The place of the first segment in start .. end - 1 that was sent once, is not sacked and lies below the
 * highest SACK: it is late. UINT32_MAX: none. */
uint32_t tcp_scoreboard_first_late(struct tcp_scoreboard *s, uint64_t start, uint64_t end);

/* The peer got start .. end - 1 twice: no repetition of it is on its way. Returns how many segments of it
 * were sent again. */
uint32_t tcp_scoreboard_arrived_twice(struct tcp_scoreboard *s, uint64_t start, uint64_t end);

/* Mark the first segment, or all, as lost unless sacked (a timeout), also those sent again. */
void tcp_scoreboard_lose_first(struct tcp_scoreboard *s);
void tcp_scoreboard_lose_all(struct tcp_scoreboard *s);

/* Forgets all SACKs: the receiver has discarded the data. */
void tcp_scoreboard_forget_sacks(struct tcp_scoreboard *s);

/* The first lost segment not sent again; NULL: none. */
struct tcp_segment *tcp_scoreboard_next_lost(struct tcp_scoreboard *s);

/* The first segment below a sacked one that was neither lost nor sent again (RFC 6675 NextSeg (3)); NULL:
   none. */
struct tcp_segment *tcp_scoreboard_next_hole(struct tcp_scoreboard *s);

/* The last segment, if neither sacked nor lost nor sent again (RFC 6675 NextSeg (4)); else NULL. */
struct tcp_segment *tcp_scoreboard_last_untouched(struct tcp_scoreboard *s);

/* Notes that a segment of this board is sent again. */
void tcp_scoreboard_repeat(struct tcp_scoreboard *s, struct tcp_segment *segment, int64_t now);

#endif
