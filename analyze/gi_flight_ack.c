/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_flight.h"

#include <string.h>

#define MOST_JUMP (1 << 24)

/* Sums of the segments that an ACK covers. */
struct covered {
    unsigned records, count, again;         /* count: segments in those records */
    unsigned fresh;                         /* records that were not repeated */
    uint32_t last_end, last_place, last_us; /* of the one with the highest end */
    uint32_t place, at_us;                  /* of the one that passed last */
    bool has_repeated;
};

static bool is_before(uint32_t a, uint32_t b)
{
    return gi_flight_is_before(a, b);
}

static void take_back(struct gi_flight *f, unsigned count)
{
    count = count < f->lost ? count : f->lost;
    f->lost -= count;
    f->spurious += count;
}

/* The receiver got octets twice: one more retransmission was needless. */
static void tell_duplicate(struct gi_flight *f)
{
    if (f->spurious + f->lost == 0 || ++f->duplicates_told <= f->spurious)
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

static void advance(struct gi_flight *f, uint32_t ack, const struct gi_options *options,
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

static void repeat(struct gi_flight *f, const struct gi_options *options, struct gi_flight_ack *out)
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
        gi_flight_sync(f, ack);
        out.is_new = true;
        out.missed = 1;
        return out;
    }
    if (options->sacks)
        read_sacks(f, ack, options);
    if (is_before(f->una, ack))
        advance(f, ack, options, &out, at_us);
    else if (ack == f->una && may_repeat && f->top != f->una)
        repeat(f, options, &out);
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
