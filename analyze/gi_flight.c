/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_flight.h"

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
    f->has_again = f->is_timeout = f->has_stamp = false;
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

void gi_flight_split(struct gi_flight *f, uint32_t seq, bool is_left_whole)
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

static void fill(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp, bool was_late)
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
    if (!is_needless && f->segments[first].again < UINT8_MAX)
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

static enum gi_flight_event add_new(struct gi_flight *f, uint32_t seq, uint32_t end, struct gi_stamp stamp)
{
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
    if (ahead >= 0)
        return add_new(f, seq, end, stamp);
    if (!is_before(f->una, end)) {
        if (end - seq <= 1 && end == f->una) {
            f->probes += f->probes < UINT8_MAX;
            return GI_FLIGHT_PROBE;
        }
        note_again(f, seq, stamp);
        f->spurious++;
        return GI_FLIGHT_NEEDLESS;
    }
    enum gi_flight_event event;
    if (hole_of(f, seq, end) < f->hole_count) {
        event = is_late(f, seq, end, stamp.at_us, reorder_us) ? GI_FLIGHT_LATE : GI_FLIGHT_REPAIR;
        fill(f, seq, end, stamp, event == GI_FLIGHT_LATE);
    } else {
        event = repeat(f, seq, end, stamp);
    }
    f->spurious += event == GI_FLIGHT_NEEDLESS;
    if (is_before(f->top, end)) {
        if (event == GI_FLIGHT_AGAIN || event == GI_FLIGHT_NEEDLESS)
            insert(f, f->top, end, stamp);
        f->top = end;
    }
    return event;
}
