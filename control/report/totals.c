/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/totals.h"

#include <assert.h>

static_assert(sizeof(struct worker_stats) % sizeof(uint64_t) == 0, "nothing but counters");

static void account_frames(struct totals *t, const struct worker_stats *w)
{
    t->frames = w->gn_frames;
    t->frames_accounted = w->npdu_in + w->gn_merged + w->gn_held + w->gn_steered_out - w->gn_steered_in;
    t->gb_frames = w->gb_frames + w->gb_steered_in + w->gb_returned;
    t->gb_accounted = w->punted + w->ul_segments + w->ul_held + w->gb_steered_out;
    for (int i = 0; i < DROP_COUNT; i++) {
        t->gb_accounted += w->gb_drops[i];
        if (drop_is_npdu((enum drop)i))
            t->dropped += w->gn_drops[i];
        else
            t->frames_accounted += w->gn_drops[i];
    }
}

struct totals totals_of(const struct worker *worker)
{
    const struct worker_stats *w = &worker->stats;
    struct totals t = {
        .in = w->npdu_in,
        .out = w->npdu_out,
        .queued = context_queued_pkts(&worker->context) + w->npdu_held,
        .left = w->npdu_xworker_out,
        .joined = w->npdu_xworker_in,
    };
    account_frames(&t, w);
    t.is_conserved = t.in + t.joined == t.out + t.dropped + t.queued + t.left &&
                     t.frames == t.frames_accounted && t.gb_frames == t.gb_accounted;
    return t;
}

static void add(struct totals *sum, const struct totals *t)
{
    sum->in += t->in;
    sum->out += t->out;
    sum->dropped += t->dropped;
    sum->queued += t->queued;
    sum->left += t->left;
    sum->joined += t->joined;
    sum->frames += t->frames;
    sum->frames_accounted += t->frames_accounted;
    sum->gb_frames += t->gb_frames;
    sum->gb_accounted += t->gb_accounted;
    sum->is_conserved &= t->is_conserved;
}

struct totals totals_of_all(struct worker *const *workers, unsigned count)
{
    struct totals sum = {.is_conserved = true};
    uint64_t steered_out = 0, steered_in = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct worker_stats *w = &workers[i]->stats;
        struct totals t = totals_of(workers[i]);
        add(&sum, &t);
        steered_out += w->gn_steered_out + w->gb_steered_out;
        steered_in += w->gn_steered_in + w->gb_steered_in;
    }
    sum.is_conserved &= sum.left == sum.joined && steered_out == steered_in;
    return sum;
}

struct worker_stats totals_stats(struct worker *const *workers, unsigned count)
{
    struct worker_stats sum = {0};
    for (unsigned i = 0; i < count; i++) {
        const uint64_t *from = (const uint64_t *)&workers[i]->stats;
        uint64_t *to = (uint64_t *)&sum;
        for (size_t k = 0; k < sizeof(sum) / sizeof(*to); k++)
            to[k] += from[k];
    }
    return sum;
}
