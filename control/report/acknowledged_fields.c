/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/report/node_fields.h"

struct acknowledged_record {
    uint32_t worker, links, links_free;
    struct worker_stats stats;
};

void acknowledged_fields_each(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct worker *worker = node->workers[i];
        if (!worker->abm.first)
            continue;
        const struct acknowledged_record row = {i, worker->abm.config.links, worker->abm.free_count,
                                                worker->stats};
        field_put(sink, NULL, &row);
    }
}

#define COUNT(name, member) WORKER_FIELD(struct acknowledged_record, name, stats, member)

const struct field acknowledged_fields_counts[] = {
    FIELD(struct acknowledged_record, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct acknowledged_record, GAUGE, "links", "links", links,
          "Links that it has room for (llc.acknowledged.links)."),
    FIELD(struct acknowledged_record, GAUGE, "links_free", "links", links_free, "Of those, not in use."),
    COUNT("established", abm_established),
    COUNT("failed", abm_failed),
    COUNT("refused", abm_refused),
    COUNT("frames", abm_frames),
    COUNT("repeated", abm_repeated),
    COUNT("abandoned", abm_abandoned),
    COUNT("unconfirmed", abm_held),
    COUNT("uplink_frames", ul_abm_frames),
    COUNT("uplink_again", ul_abm_again),
    FIELD_END,
};

const struct field acknowledged_fields[] = {
    FIELD_INSIDE(LIST, "acknowledged", 0, acknowledged_fields_counts,
                 "LLC in acknowledged mode, at a worker.", .each = acknowledged_fields_each,
                 .is_optional = true, .when = "with llc.acknowledged.links"),
    FIELD_END,
};
