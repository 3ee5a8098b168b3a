/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_tables.h"

#include "control/live/live.h"
#include "control/report/aqm_fields.h"
#include "control/report/worker_fields.h"

/* --- workers --- */

struct row {
    unsigned worker;
    struct live_worker_stats live;
    uint64_t longest_gap_us;
    struct worker_stats stats;
};

void show_workers_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct live_worker *worker = &live->workers[i];
        struct row row = {
            .worker = i,
            .live = worker->stats,
            .longest_gap_us = (uint64_t)worker->stats.longest_ns / 1000,
            .stats = worker->worker->stats,
        };
        field_put(sink, NULL, &row);
    }
}

const struct field show_workers[] = {
    FIELD(struct row, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct row, COUNTER, "polls", "polls", live.passes, "Polls of the worker's ports and rings."),
    FIELD(struct row, COUNTER, "busy_polls", "polls", live.busy_passes, "Polls that found work."),
    FIELD(struct row, COUNTER, "sleeps", "times", live.sleeps, "Times that the worker slept (live.idle)."),
    FIELD(struct row, COUNTER, "slept_s", "seconds", live.slept_ns, "Time that it slept in all."),
    FIELD(struct row, COUNTER, "gaps", "times", live.gaps,
          "Polls that began 100 us or more after the one before, without a sleep between."),
    FIELD(struct row, GAUGE, "longest_gap_us", "microseconds", longest_gap_us,
          "Longest time between two polls, without a sleep between."),
    WORKER_FIELD(struct row, "gn_frames", stats, gn_frames),
    WORKER_FIELD(struct row, "gb_frames", stats, gb_frames),
    WORKER_FIELD(struct row, "npdu_in", stats, npdu_in),
    WORKER_FIELD(struct row, "npdu_out", stats, npdu_out),
    WORKER_FIELD(struct row, "uplink_npdus", stats, ul_npdu_out),
    FIELD_END,
};

/* --- drops --- */

struct drop_row {
    const char *side, *of, *reason;
    uint64_t count;
};

static void put_drop(const struct live *live, struct field_sink *sink, enum drop reason, bool is_gb)
{
    struct drop_row row = {is_gb ? "gb" : "gn", drop_is_npdu(reason) ? "npdu" : "frame", drop_name(reason),
                           0};
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        row.count += (is_gb ? stats->gb_drops : stats->gn_drops)[reason];
    }
    if (row.count > 0)
        field_put(sink, NULL, &row);
}

static void put_drops(const struct live *live, struct field_sink *sink, bool is_handled)
{
    for (int is_gb = 0; is_gb <= 1; is_gb++)
        for (int reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            if (drop_is_handled((enum drop)reason) == is_handled)
                put_drop(live, sink, (enum drop)reason, is_gb != 0);
}

void show_workers_each_drop(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, false);
}

void show_workers_each_handled(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, true);
}

const struct field show_workers_handled[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port that the frame came from."),
    FIELD(struct drop_row, LABEL, "kind", "", reason,
          "Kind (docs/replay.md); only those that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames", count,
          "Frames answered, or taken by the control core."),
    FIELD_END,
};

const struct field show_workers_drops[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port that the frame came from."),
    FIELD(struct drop_row, LABEL, "of", "", of, "frame or npdu: what was dropped."),
    FIELD(struct drop_row, LABEL, "reason", "", reason,
          "Reason (docs/replay.md); only those that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames or N-PDUs", count, "Frames or N-PDUs dropped for it."),
    FIELD_END,
};

/* --- AQM --- */

struct aqm_row {
    struct aqm_fields class;
    const char *hook;
    struct aqm_counts counts;
};

void show_workers_each_aqm(const void *record, struct field_sink *sink)
{
    const struct node *node = &((const struct live *)record)->node;
    struct aqm_row row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        if (!aqm_fields_of(node->workers, node->worker_count, k, &row.class))
            continue;
        row.hook = "enqueue", row.counts = row.class.enqueue;
        field_put(sink, NULL, &row);
        row.hook = "dequeue", row.counts = row.class.dequeue;
        field_put(sink, NULL, &row);
    }
}

const struct field show_workers_aqm[] = {
    FIELD(struct aqm_row, LABEL, "class", "", class.class,
          "Traffic class; only those with an AQM scheme are listed."),
    FIELD_ROWS(offsetof(struct aqm_row, class), aqm_fields_scheme),
    FIELD(struct aqm_row, LABEL, "hook", "", hook,
          "enqueue, or dequeue: before the first segment of an N-PDU is sent."),
    FIELD_ROWS(offsetof(struct aqm_row, counts), aqm_fields_counts),
    FIELD_END,
};
