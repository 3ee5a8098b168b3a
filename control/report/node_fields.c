/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/node_fields.h"

#include "control/report/aqm_fields.h"
#include "control/report/llc_fields.h"
#include "control/report/path_fields.h"
#include "control/report/shard_fields.h"
#include "control/report/worker_fields.h"

struct node_fields node_fields_of(const struct node *node)
{
    return (struct node_fields){
        .node = node,
        .stats = totals_stats(node->workers, node->worker_count),
        .totals = totals_of_all(node->workers, node->worker_count),
        .lost_sessions = node->sessions.lost,
    };
}

const struct field node_fields_npdus[] = {
    FIELD_OF(struct totals, "in", WORKER_MEANING(npdu_in), in),
    FIELD_OF(struct totals, "out", WORKER_MEANING(npdu_out), out),
    FIELD(struct totals, COUNTER, "dropped", "N-PDUs", dropped, "N-PDUs dropped, each counted once."),
    FIELD(struct totals, GAUGE, "queued", "N-PDUs", queued,
          "N-PDUs that wait at the end, or are partly sent."),
    FIELD_END,
};

#define GN(name, number) WORKER_FIELD(struct node_fields, name, stats, number)

static const struct field gn[] = {
    GN("answers_due", gn_answers_due),
    GN("echo_responses", gn_echo_responses),
    GN("error_indications", gn_error_indications),
    GN("extension_notifications", gn_extension_notifications),
    GN("rate_limited", gn_rate_limited),
    GN("unanswerable", gn_unanswerable),
    GN("answers_unsent", gn_answers_unsent),
    GN("echo_requests", gn_echo_requests),
    GN("echo_unsent", gn_echo_unsent),
    GN("echo_answered", gn_echo_answered),
    GN("echo_unexpected", gn_echo_unexpected),
    GN("fragmented", gn_fragmented),
    GN("fragments", gn_fragments),
    GN("tunnel_errors", gn_tunnel_errors),
    FIELD(
        struct node_fields, COUNTER, "lost_sessions", "sessions", lost_sessions,
        "Sessions lost at their GGSN (Error Indication, restart, deletion there), or by a path that is down "
        "(gn.path.on_loss)."),
    FIELD_END,
};

const struct field node_fields[] = {
    FIELD_INSIDE(MAP, "aqm", 0, aqm_fields, "A traffic class with an AQM scheme.", .label = "CLASS",
                 .each = aqm_fields_each),
    FIELD_INSIDE(OBJECT, "gn", 0, gn,
                 "GTP-U messages and IP fragments on Gn; answers_due is the sum of the six fields after it."),
    FIELD_INSIDE(LIST, "workers", 0, shard_fields_workers,
                 "A worker, by its number; counters outside workers[] are sums over all workers.",
                 .each = shard_fields_each_worker, .is_optional = true, .when = "with several workers"),
    FIELD_INSIDE(OBJECT, "mobility", 0, shard_fields_mobility,
                 "Mobiles that move between workers, and their uplink frames from other NSEs.",
                 .each = shard_fields_each_mobility, .is_optional = true,
                 .when = "with several workers or NSEs"),
    FIELD_END,
};

const struct field node_fields_signalling[] = {
    FIELD_INSIDE(LIST, "paths", 0, path_fields,
                 "A GTP-U path that sessions use or used, in order of its first session.",
                 .each = path_fields_each),
    FIELD_INSIDE(OBJECT, "llc", 0, llc_fields,
                 "LLC frames to and from mobiles, and what the control plane does with them.",
                 .each = llc_fields_each),
    FIELD_END,
};
