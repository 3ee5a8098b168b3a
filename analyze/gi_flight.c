/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_flight.h"
#include "analyze/gi_packet.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MOST_JUMP    (1 << 24) /* octets; a larger jump is another connection or garbage */
#define FAST_DUPACKS 3
#define MOST_MERGED  15 /* maximum of the field */

static bool is_before(uint32_t a, uint32_t b)
{
    return gi_flight_is_before(a, b);
}

void gi_flight_sync(struct gi_flight *f, uint32_t seq)
{
    f->top = f->una = seq;
    f->segment_count = f->hole_count = 0;
    f->dupacks = f->dupacks_left = f->doubt = f->episode_lost = 0;
    f->is_synced = true;
    f->has_again = f->is_timeout = f->has_stamp = f->has_octet = false;
    f->probes = 0;
}

static void merge(struct gi_segment *a, const struct gi_segment *b)
{
    unsigned octets = a->octets + (unsigned)b->octets, again = a->again + (unsigned)b->again;
    unsigned merged = a->merged + b->merged + 1u;
    bool is_repeated = a->is_repeated || b->is_repeated, is_sacked = a->is_sacked && b->is_sacked;
    bool is_overtaken = a->is_overtaken || b->is_overtaken;
    *a = *b;
    a->octets = octets < UINT16_MAX ? (uint16_t)octets : UINT16_MAX;
    a->again = again < UINT8_MAX ? (uint8_t)again : UINT8_MAX;
    a->is_repeated = is_repeated;
    a->is_sacked = is_sacked;
    a->is_overtaken = is_overtaken;
    a->merged = merged < MOST_MERGED ? (uint8_t)merged & MOST_MERGED : MOST_MERGED;
}

static bool is_touched(const struct gi_segment *s)
{
    return s->is_repeated || s->is_sacked || s->is_late;
}

/* Must two neighbours stay separate? */
static bool are_different(const struct gi_segment *a, const struct gi_segment *b)
{
    bool are_sacked = a->is_sacked && b->is_sacked && !a->is_repeated && !b->is_repeated;
    return !are_sacked && (is_touched(a) || is_touched(b));
}

/* Merges two neighbours: the smallest two, untouched ones first. */
static void thin(struct gi_flight *f)
{
    unsigned best = 0;
    uint32_t best_cost = UINT32_MAX;
    for (unsigned i = 0; i + 1 < f->segment_count; i++) {
        const struct gi_segment *s = &f->segments[i];
        uint32_t cost = s[0].octets + (uint32_t)s[1].octets;
        cost += are_different(&s[0], &s[1]) ? 2 * UINT16_MAX : 0;
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    merge(&f->segments[best], &f->segments[best + 1]);
    f->segment_count--;
    memmove(&f->segments[best + 1], &f->segments[best + 2],
            (f->segment_count - best - 1) * sizeof(f->segments[0]));
}

static unsigned first_behind(const struct gi_flight *f, uint32_t seq)
{
    unsigned i = 0;
    while (i < f->segment_count && !is_before(seq, f->segments[i].end))
        i++;
    return i;
}

/* Adds a segment; returns its index. */
static unsigned insert(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp)
{
    if (f->segment_count == GI_FLIGHT_SEGMENTS)
        thin(f);
    bool is_last = f->segment_count == 0 || is_before(f->segments[f->segment_count - 1].end, end);
    unsigned at = is_last ? f->segment_count : first_behind(f, seq);
    memmove(&f->segments[at + 1], &f->segments[at], (f->segment_count - at) * sizeof(f->segments[0]));
    uint32_t octets = end - seq;
    f->segments[at] = (struct gi_segment){
        .end = end,
        .place = stamp.place,
        .at_us = stamp.at_us,
        .octets = octets < UINT16_MAX ? (uint16_t)octets : UINT16_MAX,
    };
    f->segment_count++;
    return at;
}

/* The merged record with this octet inside, not at its beginning; segment_count: none. */
static unsigned shared_by(const struct gi_flight *f, uint32_t seq)
{
    unsigned i = first_behind(f, seq);
    if (i == f->segment_count)
        return i;
    const struct gi_segment *s = &f->segments[i];
    bool is_shared = s->merged > 0 && s->octets < UINT16_MAX && is_before(s->end - s->octets, seq);
    return is_shared ? i : f->segment_count;
}

/* Splits a merged record at the beginning of one of its segments. is_left_whole: its retransmissions belong
 * to the right part, else to the left. */
static void gi_flight_split(struct gi_flight *f, uint32_t seq, bool is_left_whole)
{
    if (shared_by(f, seq) == f->segment_count)
        return;
    if (f->segment_count == GI_FLIGHT_SEGMENTS)
        thin(f);
    unsigned i = shared_by(f, seq);
    if (i == f->segment_count)
        return;
    struct gi_segment *s = &f->segments[i], left = *s;
    uint32_t octets = seq - (s->end - s->octets);
    unsigned each = s->octets / (s->merged + 1u), count = each ? (octets + each / 2) / each : 1;
    count = count < 1 ? 1 : count > s->merged ? s->merged : count;
    memmove(s + 1, s, (f->segment_count - i) * sizeof(*s));
    f->segment_count++;
    left.end = seq;
    left.octets = (uint16_t)octets;
    left.place -= s->octets - octets; /* an estimate: headers are not counted */
    left.merged = (count - 1) & MOST_MERGED;
    s[1].octets = (uint16_t)(s[1].octets - octets);
    s[1].merged = (s[1].merged - count) & MOST_MERGED;
    if (is_left_whole)
        left.again = 0;
    else
        s[1].again = 0;
    s[0] = left;
}

static void delete_hole(struct gi_flight *f, unsigned i)
{
    f->hole_count--;
    memmove(&f->holes[i], &f->holes[i + 1], (f->hole_count - i) * sizeof(f->holes[0]));
}

/* When full, drops the oldest hole: segments that fill it then count as retransmitted. */
static void add_hole(struct gi_flight *f, unsigned at, struct gi_hole hole)
{
    if (f->hole_count == GI_FLIGHT_HOLES) {
        delete_hole(f, 0);
        at -= at > 0;
    }
    memmove(&f->holes[at + 1], &f->holes[at], (f->hole_count - at) * sizeof(f->holes[0]));
    f->holes[at] = hole;
    f->hole_count++;
}

/* The first hole that overlaps these octets; hole_count: none. */
static unsigned hole_of(const struct gi_flight *f, uint32_t seq, uint32_t end)
{
    unsigned i = 0;
    while (i < f->hole_count && !(is_before(seq, f->holes[i].end) && is_before(f->holes[i].start, end)))
        i++;
    return i;
}

static void cut_hole(struct gi_flight *f, unsigned i, uint32_t seq, uint32_t end)
{
    struct gi_hole hole = f->holes[i];
    bool has_left = is_before(hole.start, seq), has_right = is_before(end, hole.end);
    if (!has_left && !has_right) {
        delete_hole(f, i);
    } else if (has_left) {
        f->holes[i].end = seq;
        if (has_right)
            add_hole(f, i + 1, (struct gi_hole){end, hole.end, hole.at_us});
    } else {
        f->holes[i].start = end;
    }
}

/* Is a segment that fills a hole reordered, not retransmitted? */
static bool is_late(const struct gi_flight *f, uint32_t seq, uint32_t end, uint32_t at_us,
                    uint32_t reorder_us)
{
    const struct gi_hole *hole = &f->holes[hole_of(f, seq, end)];
    return at_us - hole->at_us < reorder_us && f->dupacks < FAST_DUPACKS;
}

static void gi_flight_fill(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp,
                           bool was_late)
{
    unsigned hole;
    while ((hole = hole_of(f, seq, end)) < f->hole_count)
        cut_hole(f, hole, seq, end);
    f->segments[insert(f, seq, end, stamp)].is_late = was_late;
}

/* Notes a retransmission. */
static void note_again(struct gi_flight *f, uint32_t seq, struct gi_stamp stamp)
{
    bool goes_on = f->has_again && is_before(f->una, f->episode_end);
    f->again_us = stamp.at_us;
    if (!goes_on || is_before(seq, f->again_seq))
        f->again_seq = seq;
    if (goes_on)
        return;
    bool was_timeout = f->has_again && f->is_timeout;
    f->has_again = true;
    f->is_timeout = f->dupacks < FAST_DUPACKS;
    f->episode_end = f->top;
    if (!was_timeout || !f->is_timeout) /* else duplicate ACKs of the former may still come */
        f->episode_lost = 0;
    f->has_stamp = stamp.options && stamp.options->has_timestamp;
    f->again_stamp = f->has_stamp ? stamp.options->ts_value : 0;
}

/* Was a segment that passed after this one sacked? */
static bool is_overtaken(const struct gi_flight *f, const struct gi_segment *s)
{
    for (unsigned i = 0; i < f->segment_count; i++)
        if (f->segments[i].is_sacked && is_before(s->place, f->segments[i].place))
            return true;
    return false;
}

/* Counts what passes again and is not needed, or a FIN without data. */
static void note_needless(struct gi_flight *f, const struct gi_stamp *stamp)
{
    if (stamp->is_fin)
        f->fins_again += f->fins_again < UINT8_MAX;
    else
        f->spurious++;
}

/* Octets seen before pass again. */
static enum gi_flight_event repeat(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp)
{
    gi_flight_split(f, seq, false);
    gi_flight_split(f, end, false);
    unsigned first = first_behind(f, seq);
    note_again(f, seq, stamp);
    if (first == f->segment_count)
        return GI_FLIGHT_NEEDLESS;
    f->segments[first].is_overtaken |= is_overtaken(f, &f->segments[first]);
    bool is_needless = f->segments[first].is_sacked || f->segments[first].is_late;
    f->segments[first].is_late = false;
    if (!is_needless && stamp.is_fin)
        note_needless(f, &stamp);
    else if (!is_needless && f->segments[first].again < UINT8_MAX)
        f->segments[first].again++;
    for (unsigned i = first; i < f->segment_count; i++) {
        struct gi_segment *s = &f->segments[i];
        if (i > first && !is_before(s->end - s->octets, end))
            break;
        s->is_repeated = true;
        s->place = stamp.place;
        s->at_us = stamp.at_us;
    }
    return is_needless ? GI_FLIGHT_NEEDLESS : GI_FLIGHT_AGAIN;
}

static bool is_window_probe(const struct gi_flight *f, uint32_t seq, uint32_t end)
{
    return f->is_closed && f->una == f->top && seq == f->top && end - seq == 1;
}

static void note_probe(struct gi_flight *f)
{
    f->probes += f->probes < UINT8_MAX;
}

/* The sender continues behind the octet of its probes: that one is outstanding, too, and its repetition tells
 * of no loss. */
static void keep_octet(struct gi_flight *f, uint32_t seq, struct gi_stamp stamp)
{
    if (f->has_octet && seq == f->top + 1) {
        f->segments[insert(f, f->top, seq, stamp)].is_late = true;
        f->top = seq;
    }
    f->has_octet = false;
}

static enum gi_flight_event add_new(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp)
{
    keep_octet(f, seq, stamp);
    bool is_gap = seq != f->top;
    if (is_gap)
        add_hole(f, f->hole_count, (struct gi_hole){f->top, seq, stamp.at_us});
    insert(f, seq, end, stamp);
    f->top = end;
    return is_gap ? GI_FLIGHT_GAP : GI_FLIGHT_NEW;
}

enum gi_flight_event gi_flight_sent(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp,
                                    uint32_t reorder_us)
{
    if (!f->is_synced)
        gi_flight_sync(f, seq);
    int32_t ahead = (int32_t)(seq - f->top);
    if (ahead > MOST_JUMP || ahead < -MOST_JUMP) {
        gi_flight_sync(f, seq);
        add_new(f, seq, end, stamp);
        return GI_FLIGHT_LOST_TRACK;
    }
    if (is_window_probe(f, seq, end)) {
        f->has_octet = true;
        note_probe(f);
        return GI_FLIGHT_WINDOW_PROBE;
    }
    if (ahead >= 0)
        return add_new(f, seq, end, stamp);
    if (!is_before(f->una, end)) {
        if (end - seq <= 1 && end == f->una) {
            note_probe(f);
            return GI_FLIGHT_PROBE;
        }
        note_again(f, seq, stamp);
        note_needless(f, &stamp);
        return GI_FLIGHT_NEEDLESS;
    }
    enum gi_flight_event event;
    if (hole_of(f, seq, end) < f->hole_count) {
        event = is_late(f, seq, end, stamp.at_us, reorder_us) ? GI_FLIGHT_LATE : GI_FLIGHT_REPAIR;
        gi_flight_fill(f, seq, end, stamp, event == GI_FLIGHT_LATE);
    } else {
        event = repeat(f, seq, end, stamp);
    }
    if (event == GI_FLIGHT_NEEDLESS)
        note_needless(f, &stamp);
    if (is_before(f->top, end)) {
        if (event == GI_FLIGHT_AGAIN || event == GI_FLIGHT_NEEDLESS)
            insert(f, f->top, end, stamp);
        f->top = end;
    }
    return event;
}

/* Sums of the segments that an ACK covers. */
struct covered {
    unsigned records, count, again;         /* count: segments in those records */
    unsigned fresh;                         /* records that were not repeated */
    uint32_t last_end, last_place, last_us; /* of the one with the highest end */
    uint32_t place, at_us;                  /* of the one that passed last */
    bool has_repeated;
};

static void take_back(struct gi_flight *f, unsigned count)
{
    count = count < f->lost ? count : f->lost;
    f->lost -= count;
    f->spurious += count;
}

/* The receiver got octets twice: one more retransmission was needless. */
static void tell_duplicate(struct gi_flight *f)
{
    if (f->spurious + f->lost == 0 || ++f->duplicates_told <= f->spurious + f->fins_again)
        return;
    take_back(f, 1);
    f->doubt -= f->doubt > 0;
}

/* Has a segment that passed before this segment's last transmission not arrived, i.e. is it neither sacked
 * nor below ack? */
static bool is_ahead(const struct gi_flight *f, const struct gi_segment *s, uint32_t ack)
{
    for (unsigned i = 0; i < f->segment_count; i++) {
        const struct gi_segment *other = &f->segments[i];
        if (!other->is_sacked && is_before(ack, other->end) && is_before(other->place, s->place))
            return true;
    }
    return false;
}

/* A SACK block may leave out a FIN. */
static bool is_within(const struct gi_segment *s, uint32_t left, uint32_t right)
{
    uint32_t end = s->octets > 1 ? s->end - 1 : s->end;
    return !is_before(right, end) && !is_before(s->end - s->octets, left);
}

static void mark_sacked(struct gi_flight *f, uint32_t ack, uint32_t left, uint32_t right)
{
    gi_flight_split(f, left, false);
    gi_flight_split(f, right, true);
    for (unsigned i = 0; i < f->segment_count; i++) {
        struct gi_segment *s = &f->segments[i];
        if (s->is_sacked || !is_within(s, left, right))
            continue;
        s->is_sacked = true;
        if (s->again && !s->is_overtaken && is_ahead(f, s, ack)) {
            s->again--;
            f->spurious++;
        }
    }
}

/* RFC 2883: the first block may report octets received twice. */
static bool is_duplicate_told(const struct gi_options *o, uint32_t ack)
{
    bool is_below = o->sacks > 0 && !is_before(ack, o->sack_right[0]);
    bool is_inside = o->sacks > 1 && !is_before(o->sack_left[0], o->sack_left[1]) &&
                     !is_before(o->sack_right[1], o->sack_right[0]);
    return is_below || is_inside;
}

static void read_sacks(struct gi_flight *f, uint32_t ack, const struct gi_options *o)
{
    bool is_told = is_duplicate_told(o, ack);
    f->has_sack = true;
    if (is_told)
        tell_duplicate(f);
    for (unsigned i = is_told; i < o->sacks; i++)
        mark_sacked(f, ack, o->sack_left[i], o->sack_right[i]);
}

static struct covered cover(struct gi_flight *f, uint32_t ack)
{
    struct covered c = {0};
    while (c.records < f->segment_count && !is_before(ack, f->segments[c.records].end)) {
        const struct gi_segment *s = &f->segments[c.records];
        if (c.records == 0 || is_before(c.place, s->place)) {
            c.place = s->place;
            c.at_us = s->at_us;
        }
        c.again += s->again;
        c.has_repeated |= s->is_repeated;
        c.fresh += !s->is_repeated;
        c.last_end = s->end;
        c.last_place = s->place;
        c.last_us = s->at_us;
        c.count += 1u + s->merged;
        c.records++;
    }
    f->segment_count = (uint8_t)(f->segment_count - c.records);
    memmove(f->segments, f->segments + c.records, f->segment_count * sizeof(f->segments[0]));
    return c;
}

static uint32_t cover_holes(struct gi_flight *f, uint32_t ack)
{
    unsigned count = 0;
    while (count < f->hole_count && !is_before(ack, f->holes[count].end))
        count++;
    f->hole_count = (uint8_t)(f->hole_count - count);
    memmove(f->holes, f->holes + count, f->hole_count * sizeof(f->holes[0]));
    if (f->hole_count && is_before(f->holes[0].start, ack))
        f->holes[0].start = ack;
    return count;
}

/* Without SACK, each duplicate ACK was for a segment that arrived. */
static unsigned without_arrived(struct gi_flight *f, const struct covered *c)
{
    unsigned arrived = c->count - 1 < f->dupacks_left ? c->count - 1 : f->dupacks_left;
    if (f->has_sack)
        return c->again;
    f->dupacks_left = (uint16_t)(f->dupacks_left - arrived);
    return c->again < c->count - arrived ? c->again : c->count - arrived;
}

/* Retransmissions in doubt were spurious if this ACK covers no segment that passed after the last of them:
 * then that one's original was acknowledged, and before it, in order, the originals of the others. If the ACK
 * covers a segment that was not repeated, they are certain. An ACK of retransmissions alone leaves the
 * question open without SACK: after a timeout the server repeats the whole window. */
static void settle_doubt(struct gi_flight *f, const struct covered *c)
{
    bool is_spurious = f->doubt && is_before(c->place, f->doubt_place);
    if (is_spurious)
        take_back(f, f->doubt);
    if (is_spurious || c->fresh || f->has_sack)
        f->doubt = 0;
}

/* By timestamps: does an ACK answer a segment from before the first retransmission? */
enum echo { ECHO_UNKNOWN, ECHO_BEFORE, ECHO_AFTER };

static enum echo echo_of(const struct gi_flight *f, const struct gi_options *o)
{
    if (!f->has_again || !f->has_stamp || !o->has_timestamp)
        return ECHO_UNKNOWN;
    return is_before(o->ts_echo, f->again_stamp) ? ECHO_BEFORE : ECHO_AFTER;
}

static bool is_too_soon(const struct gi_flight *f, const struct covered *c, uint32_t at_us)
{
    return f->least_rtt_us && at_us - c->at_us < f->least_rtt_us / 2 && c->count == 1;
}

static uint32_t judge_losses(struct gi_flight *f, const struct covered *c, enum echo echo, uint32_t at_us)
{
    settle_doubt(f, c);
    unsigned lost = c->again && echo != ECHO_BEFORE ? without_arrived(f, c) : 0;
    if (lost == c->again && echo == ECHO_UNKNOWN && is_too_soon(f, c, at_us))
        lost = 0;
    f->spurious += c->again - lost;
    if (lost == 0)
        return 0;
    f->lost += lost;
    f->doubt = (uint16_t)(f->doubt + lost);
    f->doubt_place = c->place;
    f->episode_lost = (uint16_t)(f->episode_lost + lost);
    return lost;
}

static void sample(struct gi_flight *f, const struct covered *c, struct gi_flight_ack *out, uint32_t at_us)
{
    bool is_doubtful =
        f->has_again && is_before(f->again_seq, c->last_end) && !is_before(f->again_us, c->last_us);
    if (c->has_repeated || is_doubtful)
        return;
    out->rtt_us = at_us - c->last_us;
    if (f->least_rtt_us == 0 || out->rtt_us < f->least_rtt_us)
        f->least_rtt_us = out->rtt_us;
}

static void gi_flight_advance(struct gi_flight *f, uint32_t ack, const struct gi_options *options,
                              struct gi_flight_ack *out, uint32_t at_us)
{
    out->is_new = true;
    out->missed = cover_holes(f, ack);
    struct covered c = cover(f, ack);
    f->una = ack;
    if (c.count) {
        out->lost = judge_losses(f, &c, echo_of(f, options), at_us);
        out->place = c.last_place;
        out->is_exact = c.last_end == ack && !c.has_repeated;
        if (c.last_end == ack)
            sample(f, &c, out, at_us);
    }
    f->dupacks = 0;
    if (f->has_again && !is_before(f->una, f->episode_end))
        f->dupacks_left = 0;
}

static void ack_repeat(struct gi_flight *f, const struct gi_options *options, struct gi_flight_ack *out)
{
    out->is_duplicate = true;
    f->dupacks += f->dupacks < UINT16_MAX;
    if (f->has_sack) {
        if (!options->sacks && !options->is_cut)
            tell_duplicate(f);
        return;
    }
    if (f->is_timeout && f->episode_lost && f->has_again) {
        f->episode_lost--;
        f->doubt -= f->doubt > 0;
        f->duplicates_told++;
        take_back(f, 1);
    } else {
        f->dupacks_left += f->dupacks_left < UINT16_MAX;
    }
}

/* With no data outstanding, an ACK answers a keep-alive or a duplicate. */
static void answer_nothing(struct gi_flight *f, const struct gi_options *options)
{
    if (f->probes)
        f->probes--;
    else if (!options->sacks)
        tell_duplicate(f);
}

struct gi_flight_ack gi_flight_acked(struct gi_flight *f, uint32_t ack, const struct gi_options *options,
                                     bool may_repeat, uint32_t at_us)
{
    struct gi_flight_ack out = {0};
    int32_t ahead = (int32_t)(ack - f->top);
    if (!f->is_synced || ahead > MOST_JUMP || ahead < -MOST_JUMP)
        return out;
    if (ahead > 0) {
        out.is_new = true;
        out.missed = ahead != 1 || !f->has_octet;
        gi_flight_sync(f, ack);
        return out;
    }
    if (options->sacks)
        read_sacks(f, ack, options);
    if (is_before(f->una, ack))
        gi_flight_advance(f, ack, options, &out, at_us);
    else if (ack == f->una && may_repeat && f->top != f->una)
        ack_repeat(f, options, &out);
    else if (ack == f->una && may_repeat)
        answer_nothing(f, options);
    return out;
}

void gi_flight_finish(struct gi_flight *f)
{
    for (unsigned i = 0; i < f->segment_count; i++)
        f->lost += f->segments[i].again;
    f->segment_count = 0;
}
