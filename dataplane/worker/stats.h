/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker's counters: the rows of stats.def, and drops by reason. Written by the worker only; other threads
 * may read single fields at any time.
 *
 * Invariants, between steps:
 *   gn_frames + gn_steered_in = npdu_in + frame drops among gn_drops + gn_merged + gn_held + gn_steered_out
 *   npdu_in + npdu_xworker_in = npdu_out + forward_npdu_out + N-PDU drops among gn_drops + queued + npdu_held
 *            + npdu_xworker_out
 *   gn_answers_due = gn_echo_responses + gn_error_indications + gn_extension_notifications
 *            + gn_rate_limited + gn_unanswerable + gn_answers_unsent + gn_answers_held
 *   gb_frames + gb_steered_in + gb_returned = punted + ul_segments + ul_held + gb_steered_out
 *                                           + gb_merged + gb_held + frame drops among gb_drops
 */
#ifndef DATAPLANE_WORKER_STATS_H
#define DATAPLANE_WORKER_STATS_H

#include "dataplane/base/drop.h"

#include <stdint.h>

struct worker_stats {
#define WORKER_COUNTER(member, unit, sentence) uint64_t member;
#define WORKER_GAUGE(member, unit, sentence)   uint64_t member;
#include "dataplane/worker/stats.def"
#undef WORKER_COUNTER
#undef WORKER_GAUGE
    uint64_t gn_drops[DROP_COUNT]; /* of frames from Gn, and of downlink N-PDUs */
    uint64_t gb_drops[DROP_COUNT]; /* of frames from Gb */
    uint64_t gn_unsent[DROP_COUNT],
        gb_unsent[DROP_COUNT]; /* frames to send that a guard kept back, or that waited for a next hop */
};

/* Received frames that belong to another worker: passed on, or dropped because the ring to it was full. */
static inline uint64_t worker_stats_gn_steered(const struct worker_stats *stats)
{
    return stats->gn_steered_out + stats->gn_drops[DROP_XWORKER_FULL];
}

static inline uint64_t worker_stats_gb_steered(const struct worker_stats *stats)
{
    return stats->gb_steered_out + stats->gb_drops[DROP_XWORKER_FULL];
}

#endif
