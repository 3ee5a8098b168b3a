/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_scoreboard.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 2 };

void tcp_ranges_fini(struct tcp_ranges *r)
{
    free(r->range);
    *r = (struct tcp_ranges){0};
}

static void sim_tcp_scoreboard_grow(struct tcp_ranges *r)
{
    r->cap = r->cap ? 2 * r->cap : FIRST_CAP;
    r->range = reallocarray(r->range, r->cap, sizeof(*r->range));
    if (!r->range) {
        fprintf(stderr, "gbflow: out of memory for TCP's ranges\n");
        exit(1);
    }
}

static void take_at(struct tcp_ranges *r, uint32_t i)
{
    r->count--;
    memmove(&r->range[i], &r->range[i + 1], (r->count - i) * sizeof(r->range[0]));
}

bool tcp_ranges_put(struct tcp_ranges *r, uint64_t start, uint64_t end)
{
    struct tcp_range merged = {start, end};
    for (uint32_t i = 0; i < r->count;) {
        struct tcp_range other = r->range[i];
        if (other.end < merged.start || other.start > merged.end) {
            i++;
            continue;
        }
        merged.start = other.start < merged.start ? other.start : merged.start;
        merged.end = other.end > merged.end ? other.end : merged.end;
        take_at(r, i);
        i = 0; /* `merged` has grown: it may touch an earlier range now */
    }
    if (r->count == TCP_RANGES_MAX)
        return false;
    if (r->count == r->cap)
        sim_tcp_scoreboard_grow(r);
    memmove(&r->range[1], &r->range[0], r->count * sizeof(r->range[0]));
    r->range[0] = merged;
    r->count++;
    return true;
}

uint64_t tcp_ranges_take(struct tcp_ranges *r, uint64_t next)
{
    for (uint32_t i = 0; i < r->count;) {
        if (r->range[i].start > next) {
            i++;
            continue;
        }
        next = r->range[i].end > next ? r->range[i].end : next;
        take_at(r, i);
        i = 0;
    }
    return next;
}

uint64_t tcp_ranges_octets(const struct tcp_ranges *r)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < r->count; i++)
        octets += r->range[i].end - r->range[i].start;
    return octets;
}

uint64_t tcp_ranges_end(const struct tcp_ranges *r)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < r->count; i++)
        end = r->range[i].end > end ? r->range[i].end : end;
    return end;
}
enum { LOST_RANGES = 3, LOST_SEGMENTS = 2 }; /* DupThresh, and DupThresh - 1 (RFC 6675) */

struct tcp_segment *tcp_scoreboard_get(struct tcp_scoreboard *s, uint32_t i)
{
    return &s->segment[(s->first + i) & (s->cap - 1)];
}

void tcp_scoreboard_fini(struct tcp_scoreboard *s)
{
    free(s->segment);
    *s = (struct tcp_scoreboard){0};
}

/* Doubles the ring; the places before `first` move behind the others. */
static void tcp_scoreboard_grow(struct tcp_scoreboard *s)
{
    uint32_t cap = s->cap ? 2 * s->cap : FIRST_CAP;
    struct tcp_segment *segment = realloc(s->segment, cap * sizeof(*segment));
    if (!segment) {
        fprintf(stderr, "gbflow: out of memory for the segments of a TCP connection\n");
        exit(1);
    }
    memcpy(segment + s->cap, segment, s->first * sizeof(*segment));
    s->segment = segment;
    s->cap = cap;
}

/* Octets assumed in the network: the original unless lost, plus the repetition. */
static uint64_t flying_octets(const struct tcp_segment *segment)
{
    if (segment->is_sacked)
        return 0;
    unsigned copies = (segment->is_lost ? 0u : 1u) + (segment->is_repeated ? 1u : 0u);
    return copies * (segment->end - segment->start);
}

void tcp_scoreboard_put(struct tcp_scoreboard *s, const struct tcp_segment *segment)
{
    assert(s->count < TCP_SEGMENTS_MAX);
    if (s->count == s->cap)
        tcp_scoreboard_grow(s);
    *tcp_scoreboard_get(s, s->count++) = *segment;
    s->in_flight_octets += flying_octets(segment);
}

static void drop_first(struct tcp_scoreboard *s)
{
    struct tcp_segment *first = tcp_scoreboard_get(s, 0);
    s->in_flight_octets -= flying_octets(first);
    s->sacked_segments -= first->is_sacked;
    s->first = (s->first + 1) & (s->cap - 1);
    s->count--;
}

void tcp_scoreboard_ack(struct tcp_scoreboard *s, uint64_t ack)
{
    while (s->count > 0 && tcp_scoreboard_get(s, 0)->end <= ack)
        drop_first(s);
    if (s->sacked_segments == 0)
        s->sacked_end = 0;
    if (s->count == 0)
        return;
    struct tcp_segment *first = tcp_scoreboard_get(s, 0);
    if (first->start >= ack)
        return;
    s->in_flight_octets -= flying_octets(first);
    first->start = ack;
    s->in_flight_octets += flying_octets(first);
}

uint64_t tcp_scoreboard_sack(struct tcp_scoreboard *s, uint64_t start, uint64_t end)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->end > end)
            break;
        if (segment->start < start || segment->is_sacked)
            continue;
        s->in_flight_octets -= flying_octets(segment);
        segment->is_sacked = true;
        s->sacked_segments++;
        octets += segment->end - segment->start;
        s->sacked_end = segment->end > s->sacked_end ? segment->end : s->sacked_end;
    }
    return octets;
}

uint64_t tcp_scoreboard_sacked_octets(struct tcp_scoreboard *s)
{
    uint64_t octets = 0;
    for (uint32_t i = 0, left = s->sacked_segments; i < s->count && left > 0; i++) {
        const struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        octets += segment->is_sacked ? segment->end - segment->start : 0;
        left -= segment->is_sacked;
    }
    return octets;
}

static void lose(struct tcp_scoreboard *s, struct tcp_segment *segment)
{
    s->in_flight_octets -= flying_octets(segment);
    segment->is_lost = true;
    s->in_flight_octets += flying_octets(segment);
}

/* Sacked octets and ranges above a segment, on a walk down from the last segment. */
struct above {
    uint64_t octets;
    uint32_t ranges;
    bool in_range;
};

/* Takes one segment in; true if it is not sacked and IsLost() holds for it. */
static bool is_lost_below(struct above *above, const struct tcp_segment *segment, uint32_t mss_octets)
{
    if (segment->is_sacked) {
        above->octets += segment->end - segment->start;
        above->ranges += !above->in_range;
        above->in_range = true;
        return false;
    }
    above->in_range = false;
    return above->ranges >= LOST_RANGES || above->octets > (uint64_t)LOST_SEGMENTS * mss_octets;
}

bool tcp_scoreboard_is_first_lost(struct tcp_scoreboard *s, uint32_t mss_octets)
{
    struct above above = {0};
    bool is_lost = false;
    for (uint32_t i = s->count; i-- > 0;)
        is_lost = is_lost_below(&above, tcp_scoreboard_get(s, i), mss_octets);
    return is_lost;
}

void tcp_scoreboard_lose_holes(struct tcp_scoreboard *s, uint32_t mss_octets)
{
    struct above above = {0};
    if (s->sacked_segments == 0)
        return;
    for (uint32_t i = s->count; i-- > 0;) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (is_lost_below(&above, segment, mss_octets) && !segment->is_lost)
            lose(s, segment);
    }
}

struct tcp_scoreboard_tally tcp_scoreboard_tally(struct tcp_scoreboard *s)
{
    struct tcp_scoreboard_tally tally = {.sacked = s->sacked_segments};
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        tally.forward = segment->is_sacked ? i + 1 : tally.forward;
        tally.lost += segment->is_lost && !segment->is_sacked;
        tally.repeated += segment->is_repeated && !segment->is_sacked;
    }
    return tally;
}

static bool is_untouched(const struct tcp_segment *segment)
{
    return !segment->is_sacked && !segment->is_lost && !segment->is_repeated;
}

void tcp_scoreboard_lose_head(struct tcp_scoreboard *s, uint32_t count, uint64_t limit)
{
    for (uint32_t i = 0; i < s->count && i < count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->end <= limit && is_untouched(segment))
            lose(s, segment);
    }
}

void tcp_scoreboard_lose_old(struct tcp_scoreboard *s, int64_t sent_before_ns)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->sent_ns < sent_before_ns && is_untouched(segment))
            lose(s, segment);
    }
}

static void set_marks(struct tcp_scoreboard *s, struct tcp_segment *segment, bool is_lost, bool is_repeated)
{
    s->in_flight_octets -= flying_octets(segment);
    segment->is_lost = is_lost;
    segment->is_repeated = is_repeated;
    s->in_flight_octets += flying_octets(segment);
}

void tcp_scoreboard_lose_one(struct tcp_scoreboard *s, struct tcp_segment *segment)
{
    set_marks(s, segment, true, false);
}

void tcp_scoreboard_lose_repeats(struct tcp_scoreboard *s, uint64_t sacked_end)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->is_repeated && !segment->is_sacked && segment->sent_nxt < sacked_end)
            set_marks(s, segment, true, false);
    }
}

void tcp_scoreboard_find(struct tcp_scoreboard *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        set_marks(s, segment, false, segment->is_repeated);
    }
}

bool tcp_scoreboard_has_repeats(struct tcp_scoreboard *s)
{
    bool has_any = false;
    for (uint32_t i = 0; i < s->count; i++)
        has_any |= tcp_scoreboard_get(s, i)->times > 1;
    return has_any;
}

uint32_t tcp_scoreboard_first_late(struct tcp_scoreboard *s, uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        bool is_inside = segment->start >= start && segment->end <= end;
        if (is_inside && segment->times == 1 && !segment->is_sacked && segment->end <= s->sacked_end)
            return i;
    }
    return UINT32_MAX;
}

uint32_t tcp_scoreboard_arrived_twice(struct tcp_scoreboard *s, uint64_t start, uint64_t end)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->start < start || segment->end > end || segment->times < 2)
            continue;
        count++;
        set_marks(s, segment, segment->is_lost, false);
    }
    return count;
}

static void lose_again(struct tcp_scoreboard *s, struct tcp_segment *segment)
{
    if (segment->is_sacked)
        return;
    s->in_flight_octets -= flying_octets(segment);
    segment->is_lost = true;
    segment->is_repeated = false;
}

void tcp_scoreboard_lose_first(struct tcp_scoreboard *s)
{
    if (s->count > 0)
        lose_again(s, tcp_scoreboard_get(s, 0));
}

void tcp_scoreboard_lose_all(struct tcp_scoreboard *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        lose_again(s, tcp_scoreboard_get(s, i));
}

void tcp_scoreboard_forget_sacks(struct tcp_scoreboard *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (!segment->is_sacked)
            continue;
        segment->is_sacked = false;
        s->in_flight_octets += flying_octets(segment);
    }
    s->sacked_segments = 0;
    s->sacked_end = 0;
}

struct tcp_segment *tcp_scoreboard_next_lost(struct tcp_scoreboard *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->is_lost && !segment->is_repeated && !segment->is_sacked)
            return segment;
    }
    return NULL;
}

struct tcp_segment *tcp_scoreboard_next_hole(struct tcp_scoreboard *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(s, i);
        if (segment->end > s->sacked_end)
            return NULL;
        if (is_untouched(segment))
            return segment;
    }
    return NULL;
}

struct tcp_segment *tcp_scoreboard_last_untouched(struct tcp_scoreboard *s)
{
    if (s->count == 0)
        return NULL;
    struct tcp_segment *last = tcp_scoreboard_get(s, s->count - 1);
    return is_untouched(last) ? last : NULL;
}

void tcp_scoreboard_repeat(struct tcp_scoreboard *s, struct tcp_segment *segment, int64_t now)
{
    s->in_flight_octets -= flying_octets(segment);
    segment->is_repeated = true;
    segment->times++;
    segment->sent_ns = now;
    segment->sent_nxt = tcp_scoreboard_get(s, s->count - 1)->end;
    s->in_flight_octets += flying_octets(segment);
}
