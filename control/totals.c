/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/totals.h"

struct totals totals_of(const struct worker *worker)
{
    const struct worker_stats *w = &worker->stats;
    struct totals t = {
        .in = w->npdu_in,
        .out = w->npdu_out,
        .queued = context_queued_pkts(&worker->context),
        .frames = w->gn_frames,
        .frames_accounted = w->npdu_in + w->gn_merged + w->gn_held,
    };
    for (int i = 0; i < DROP_COUNT; i++) {
        if (drop_is_npdu((enum drop)i))
            t.dropped += w->gn_drops[i];
        else
            t.frames_accounted += w->gn_drops[i];
    }
    t.is_conserved = t.in == t.out + t.dropped + t.queued && t.frames == t.frames_accounted;
    return t;
}
