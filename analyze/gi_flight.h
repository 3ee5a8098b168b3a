/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flight: octets of one direction of a TCP connection that have passed the monitor and are not
 * acknowledged, and their fate after the monitor, as far as ACKs show it.
 *
 * Model: octets below `top` were seen or lie in a hole. A segment that begins above `top` leaves a hole:
 * octets lost before the monitor, or late. A segment that covers octets seen before is a retransmission: the
 * previous transmission was lost after the monitor unless an ACK proves its arrival. The proofs:
 * - it was acknowledged, selectively or not, before the retransmission passed;
 * - it was late, so that the sender responds to its gap;
 * - the ACK that covers it follows the retransmission sooner than any round trip;
 * - a later ACK covers no segment that passed after the retransmission: packets of a mobile stay in order
 *   (section VI.B of the paper), so the first ACK was for the original;
 * - with timestamps, that ACK echoes one from before the first retransmission (RFC 3522);
 * - it is sacked while a segment that passed before the retransmission is not, unless a segment after the
 *   original was sacked before the retransmission passed: then the original was lost;
 * - the receiver reports a duplicate (RFC 2883), or repeats its ACK without a SACK block or with no data
 *   outstanding, or, without SACK, after a timeout;
 * - without SACK, more duplicate ACKs arrived than segments were not retransmitted.
 *
 * A segment of one new octet at a window of 0, with nothing outstanding, is a probe of that window (RFC 9293
 * clause 3.8.6.1). The receiver need not keep the octet, so it passes again, and is part of no loss.
 *
 * Losses are of segments with data: a FIN that passes again without data is neither lost nor spurious, so
 * that lost + spurious <= segments with data that passed again.
 *
 * Not seen: a segment lost before the monitor with no segment after it, and a retransmission lost there.
 *
 * Sequence numbers, places and microseconds have 32 bits and wrap.
 */
#ifndef ANALYZE_GI_FLIGHT_H
#define ANALYZE_GI_FLIGHT_H

#include "analyze/gi_packet.h"

#include <stdbool.h>
#include <stdint.h>

enum { GI_FLIGHT_SEGMENTS = 24, GI_FLIGHT_HOLES = 6 };

enum gi_flight_event {
    GI_FLIGHT_NEW,      /* follows the last octet */
    GI_FLIGHT_GAP,      /* leaves a hole */
    GI_FLIGHT_LATE,     /* fills a hole: reordering before the monitor */
    GI_FLIGHT_REPAIR,   /* fills a hole: retransmission of octets lost before the monitor */
    GI_FLIGHT_AGAIN,    /* seen before, perhaps lost after the monitor */
    GI_FLIGHT_NEEDLESS, /* had been acknowledged */
    GI_FLIGHT_PROBE,    /* a keep-alive */
    GI_FLIGHT_WINDOW_PROBE,
    GI_FLIGHT_LOST_TRACK,
};

/* place: the mobile's down_octets including the segment's packet; at_us: when it passed. Both of the last
 * transmission. */
struct gi_segment {
    uint32_t end, place, at_us;
    uint16_t octets;
    uint8_t again; /* transmissions before the last one that count as lost */
    uint8_t is_repeated : 1, is_sacked : 1, is_late : 1;
    uint8_t is_overtaken : 1; /* a later segment was sacked before it was repeated: it was lost */
    uint8_t merged : 4;       /* further segments in this record, at most 15 */
};

struct gi_hole {
    uint32_t start, end, at_us;
};

/* Invariants: una <= top; ends of segments ascend, in (una, top]; holes ascend and do not touch. */
struct gi_flight {
    uint32_t top, una;
    uint32_t again_us, again_seq; /* time of the last retransmission, lowest sequence number of this
                                     episode's; while has_again */
    uint32_t least_rtt_us;        /* seen so far; 0: none */
    uint32_t doubt_place;         /* of the retransmissions in doubt */
    uint32_t episode_end;         /* top when the first retransmission passed */
    uint16_t dupacks;             /* since the last ACK that was new */
    uint16_t dupacks_left;        /* not yet explained, in this episode */
    uint16_t doubt, episode_lost; /* part of `lost` that later ACKs may take back */
    uint32_t lost, spurious, duplicates_told;
    uint8_t segment_count, hole_count;
    bool is_synced, has_again, is_timeout;
    bool is_closed;       /* the receiver's window is 0, as its last ACK says */
    bool has_octet;       /* a probe of the window has passed, with the octet at top */
    bool has_sack;        /* ACKs may have SACK blocks */
    bool has_stamp;       /* again_stamp is valid */
    uint8_t probes;       /* of both kinds, not answered yet */
    uint8_t fins_again;   /* without data */
    uint32_t again_stamp; /* timestamp of this episode's first retransmission */
    struct gi_hole holes[GI_FLIGHT_HOLES];
    struct gi_segment segments[GI_FLIGHT_SEGMENTS];
};

struct gi_stamp {
    uint32_t place, at_us;
    const struct gi_options *options; /* of the segment; NULL: none */
    bool is_fin;                      /* a FIN without data */
};

/* Result of an ACK. */
struct gi_flight_ack {
    bool is_new;       /* it covers more than earlier ACKs */
    bool is_duplicate; /* RFC 5681 clause 2 */
    bool is_exact;     /* it ends with a segment that was sent once and passed at `place` */
    uint32_t place;
    uint32_t rtt_us; /* 0: no sample. tcptrace's rule: no octet up to it was sent twice meanwhile */
    uint32_t missed; /* holes that it covers: missing in the capture */
    uint32_t lost;   /* segments that it shows lost after the monitor */
};

/* Sets the direction's first octet: the one after a SYN. */
void gi_flight_sync(struct gi_flight *f, uint32_t seq);

/* Octets seq .. end - 1 pass. reorder_us: a gap filled sooner counts as reordering, not loss. */
enum gi_flight_event gi_flight_sent(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp,
                                    uint32_t reorder_us);

/* An ACK passes. may_repeat: it has no data and no new window, so it may be a duplicate. */
struct gi_flight_ack gi_flight_acked(struct gi_flight *f, uint32_t ack, const struct gi_options *options,
                                     bool may_repeat, uint32_t at_us);

/* At the end: retransmitted and never acknowledged segments count as lost. */
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
