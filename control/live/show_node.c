/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_tables.h"

#include "control/base/version.h"
#include "control/live/live.h"
#include "control/report/llc_fields.h"
#include "control/report/node_fields.h"
#include "control/report/path_fields.h"
#include "control/report/worker_fields.h"

/* --- the node --- */

struct node_row {
    const char *version;
    int64_t uptime_ns;
    uint64_t mobiles, contexts;
    struct node_fields node;
};

void show_node_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_row row = {
        .version = version_text(),
        .uptime_ns = clock_counter_ns(&live->clock),
        .mobiles = live->node.sessions.mobile_count,
        .contexts = live->node.sessions.context_count,
        .node = node_fields_of(&live->node),
    };
    field_put(sink, NULL, &row);
}

#define NUMBER(name, number) WORKER_FIELD(struct node_row, name, node.stats, number)

const struct field show_node[] = {
    FIELD(struct node_row, LABEL, "version", "", version, "Version of gbflow that runs."),
    FIELD(struct node_row, GAUGE, "uptime_s", "seconds", uptime_ns, "Time since the start."),
    FIELD(struct node_row, GAUGE, "mobiles", "mobiles", mobiles, "Mobiles."),
    FIELD(struct node_row, GAUGE, "contexts", "PDP contexts", contexts,
          "PDP contexts, those over GTP-C included."),
    NUMBER("npdu_in", npdu_in),
    NUMBER("npdu_out", npdu_out),
    NUMBER("npdu_octets_out", npdu_octets_out),
    FIELD(struct node_row, COUNTER, "npdu_dropped", "N-PDUs", node.totals.dropped,
          "N-PDUs dropped, each counted once."),
    FIELD(struct node_row, GAUGE, "npdu_queued", "N-PDUs", node.totals.queued, "N-PDUs that wait now."),
    NUMBER("llc_frames", llc_frames),
    NUMBER("uplink_llc_frames", ul_llc_frames),
    NUMBER("uplink_npdus", ul_npdu_out),
    NUMBER("punted", punted),
    NUMBER("gn_echo_requests", gn_echo_requests),
    NUMBER("gn_echo_answered", gn_echo_answered),
    NUMBER("gn_echo_responses", gn_echo_responses),
    NUMBER("gn_error_indications", gn_error_indications),
    NUMBER("gn_tunnel_errors", gn_tunnel_errors),
    NUMBER("gn_rate_limited", gn_rate_limited),
    FIELD_END,
};

/* --- GTP-U paths --- */

void show_node_each_path(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    path_fields_each(&node, sink);
}

/* --- LLC frames --- */

void show_node_each_llc(const void *record, struct field_sink *sink)
{
    llc_fields_put_counts(&((const struct live *)record)->node.core.llc, sink);
}

void show_node_each_unhandled(const void *record, struct field_sink *sink)
{
    llc_fields_put_unhandled(&((const struct live *)record)->node.core.llc, sink);
}
