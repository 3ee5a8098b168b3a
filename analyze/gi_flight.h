/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of one direction of a TCP connection has passed the monitor and is not acknowledged, and what the ACKs
 * that come back say about its fate behind the monitor.
 *
 * Model: octets below `top` were seen or lie in a hole. A segment that begins above top leaves a hole: lost
 * in front of the monitor, or late. One that covers what was seen is a retransmission: the one before it was
 * lost behind the monitor, unless an ACK proves that it arrived. The proofs:
 *   - it was acknowledged, selectively or not, before the retransmission came by;
 *   - it had come late, so that its gap is what the sender answers;
 *   - the ACK that covers it follows the retransmission sooner than any round trip;
 *   - a later ACK covers nothing that passed after the retransmission: packets of a mobile stay in order
 *     (section VI.B of the paper), so the first ACK was for the original;
 *   - with timestamps, that ACK echoes one from before the first retransmission (RFC 3522);
 *   - it is sacked while something that passed before the retransmission is not, unless something behind the
 * first one was sacked before the retransmission came by: then the first one was lost;
 *   - the receiver reports a duplicate (RFC 2883), or repeats its ACK with nothing to report or nothing
 * outstanding, or without SACK after a timeout;
 *   - without SACK, more duplicate ACKs came than segments were left alone.
 * It does not see a segment that is lost in front of the monitor with nothing behind it, nor a retransmission
 * that is lost there.
 *
 * Sequence numbers, places and microseconds are of 32 bits and wrap.
 */
#ifndef ANALYZE_GI_FLIGHT_H
#define ANALYZE_GI_FLIGHT_H

#include "analyze/gi_options.h"

#include <stdbool.h>
#include <stdint.h>

enum { GI_FLIGHT_SEGMENTS = 24, GI_FLIGHT_HOLES = 6 };

enum gi_flight_event {
    GI_FLIGHT_NEW,      /* follows what was there */
    GI_FLIGHT_GAP,      /* leaves a hole */
    GI_FLIGHT_LATE,     /* fills a hole: reordering in front of the monitor */
    GI_FLIGHT_REPAIR,   /* fills a hole: a retransmission of what was lost in front of the monitor */
    GI_FLIGHT_AGAIN,    /* was seen before, may have been lost behind the monitor */
    GI_FLIGHT_NEEDLESS, /* had been acknowledged */
    GI_FLIGHT_PROBE,    /* a keep-alive */
    GI_FLIGHT_LOST_TRACK,
};

/* place: the mobile's down_octets with the segment's packet; at_us: when that passed. Both of the last
 * transmission. */
struct gi_segment {
    uint32_t end, place, at_us;
    uint16_t octets;
    uint8_t again; /* transmissions before the last one that count as lost */
    uint8_t is_repeated : 1, is_sacked : 1, is_late : 1;
    uint8_t is_overtaken : 1; /* what passed behind it was sacked before it was repeated: it was lost */
    uint8_t merged : 4;       /* further segments in this record, at most 15 */
};

struct gi_hole {
    uint32_t start, end, at_us;
};

/* Invariants: una <= top; ends of segments ascend, in (una, top]; holes ascend and do not touch. */
struct gi_flight {
    uint32_t top, una;
    uint32_t again_us,
        again_seq;         /* the last retransmission passed, the lowest of this episode; while has_again */
    uint32_t least_rtt_us; /* seen so far; 0: none */
    uint32_t doubt_place;  /* of the retransmissions in doubt */
    uint32_t episode_end;  /* top when the first retransmission passed */
    uint16_t dupacks;      /* since the last ACK that was new */
    uint16_t dupacks_left; /* that were not yet explained, in this episode */
    uint16_t doubt, episode_lost; /* of `lost` below, what later ACKs may take back */
    uint32_t lost, spurious, duplicates_told;
    uint8_t segment_count, hole_count;
    bool is_synced, has_again, is_timeout;
    bool has_sack;        /* ACKs tell what came out of order */
    bool has_stamp;       /* of again_stamp */
    uint8_t probes;       /* that were not answered yet */
    uint32_t again_stamp; /* timestamp of this episode's first retransmission */
    struct gi_hole holes[GI_FLIGHT_HOLES];
    struct gi_segment segments[GI_FLIGHT_SEGMENTS];
};

struct gi_stamp {
    uint32_t place, at_us;
    const struct gi_options *options; /* of the segment; NULL: none */
};

/* What an ACK says. */
struct gi_flight_ack {
    bool is_new;       /* it covers more than those before */
    bool is_duplicate; /* RFC 5681 clause 2 */
    bool is_exact;     /* it ends where a segment does, sent once, that passed with the next field */
    uint32_t place;
    uint32_t rtt_us; /* 0: no sample. As tcptrace counts: nothing up to it was sent twice meanwhile */
    uint32_t missed; /* holes that it covers: the capture lacks them */
    uint32_t lost;   /* segments that it shows to have been lost behind the monitor */
};

/* The direction's first octet is known: the one after a SYN. */
void gi_flight_sync(struct gi_flight *f, uint32_t seq);

/* Octets seq .. end - 1 pass. reorder_us: how soon after a gap its filling counts as late, not lost. */
enum gi_flight_event gi_flight_sent(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp,
                                    uint32_t reorder_us);

/* An ACK passes. may_repeat: it carries nothing and no new window, so that it may be a duplicate. */
struct gi_flight_ack gi_flight_acked(struct gi_flight *f, uint32_t ack, const struct gi_options *options,
                                     bool may_repeat, uint32_t at_us);

/* Makes two records of one that several segments share, at a place where one of them begins. is_left_whole:
 * what was repeated of it is behind that place, else before. */
void gi_flight_split(struct gi_flight *f, uint32_t seq, bool is_left_whole);

/* The end: what was retransmitted and never acknowledged has been lost. */
void gi_flight_finish(struct gi_flight *f);

/* Octets outstanding. */
static inline uint32_t gi_flight_octets(const struct gi_flight *f)
{
    return f->top - f->una;
}

static inline bool gi_flight_is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

#endif
