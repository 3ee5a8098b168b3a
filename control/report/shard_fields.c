/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/report/node_fields.h"

struct shard {
    struct totals totals;
    struct worker_stats stats;
};

void shard_fields_each_worker(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; node->worker_count > 1 && i < node->worker_count; i++) {
        struct shard shard = {totals_of(node->workers[i]), node->workers[i]->stats};
        field_put(sink, NULL, &shard);
    }
}

void shard_fields_each_mobility(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    if (node->worker_count > 1 || node->config.nse_count > 1)
        field_put(sink, NULL, &node->core.mobility);
}

#define ROW(name, number) WORKER_FIELD(struct shard, name, stats, number)

static const struct field npdus[] = {
    FIELD_ROWS(offsetof(struct shard, totals), node_fields_npdus),
    ROW("xworker_in", npdu_xworker_in),
    ROW("xworker_out", npdu_xworker_out),
    FIELD_END,
};

static const struct field gn[] = {
    ROW("received", gn_frames),
    ROW("steered_out", gn_steered_out),
    ROW("steered_in", gn_steered_in),
    FIELD_END,
};

static const struct field gb[] = {
    ROW("received", gb_frames),
    ROW("steered_out", gb_steered_out),
    ROW("steered_in", gb_steered_in),
    FIELD_END,
};

const struct field shard_fields_workers[] = {
    FIELD_INSIDE(OBJECT, "npdu", 0, npdus, "in + xworker_in = out + dropped + queued + xworker_out."),
    FIELD_INSIDE(OBJECT, "gn", 0, gn, "Frames from Gn."),
    FIELD_INSIDE(OBJECT, "gb", 0, gb, "Frames from Gb."),
    ROW("llc_frames", llc_frames),
    FIELD_END,
};

#define COUNT(name, unit, member, sentence) FIELD(struct mobility, COUNTER, name, unit, member, sentence)

const struct field shard_fields_mobility[] = {
    COUNT("moved", "moves", moved, "Moves of mobiles from one worker to another."),
    COUNT("refused", "moves", refused,
          "Moves that a worker refused; they are tried again when the mobile is heard."),
    COUNT("frames_forwarded", "frames", frames_kept,
          "Uplink frames from another NSE than the mobile's, sent to the worker that has the mobile."),
    COUNT("frames_dropped", "frames", frames_dropped,
          "Uplink frames from another NSE, dropped because too many waited for the mobile's move."),
    COUNT("frames_refused", "frames", frames_refused,
          "Uplink frames from another NSE, dropped because the mobile may not move there now."),
    COUNT("unknown_tlli", "frames", unknown_tlli, "Uplink frames with a TLLI that no mobile has."),
    FIELD_END,
};
