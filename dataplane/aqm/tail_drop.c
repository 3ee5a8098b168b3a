/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tail drop: a limit of the backlog, as `queues.mobile` and `queues.class` have for their two scopes, for any
 * scope.
 */
#include "dataplane/aqm/aqm.h"

enum { LIMIT_OCTETS, LIMIT_PACKETS, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [LIMIT_OCTETS] = {.name = "limit_octets",
                      .doc = "octets that may wait, including the arriving N-PDU",
                      .kind = AQM_OCTETS,
                      .min = 1,
                      .max = 1000000000,
                      .initial = 64000},
    [LIMIT_PACKETS] = {.name = "limit_packets",
                       .doc = "N-PDUs that may wait, including the arriving one",
                       .kind = AQM_PACKETS,
                       .min = 1,
                       .max = 16777216,
                       .initial = 16777216},
};

struct tail_drop {
    uint64_t limit_octets, limit_packets;
};

static const char *tail_drop_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct tail_drop *tail = law;
    tail->limit_octets = (uint64_t)values[LIMIT_OCTETS];
    tail->limit_packets = (uint64_t)values[LIMIT_PACKETS];
    return NULL;
}

static enum aqm_verdict tail_drop_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct tail_drop *tail = law;
    bool is_full =
        view->backlog_octets + view->octets > tail->limit_octets || view->backlog_pkts >= tail->limit_packets;
    return is_full ? AQM_DROP : AQM_PASS;
}

const struct aqm_ops tail_drop_ops = {
    .name = "tail_drop",
    .title = "tail drop",
    .summary = "Drops what would make the scope's backlog larger than a limit in octets or in packets.",
    .source = "the AQM paper, section III.B (smaller buffers)",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct tail_drop),
    .flags = AQM_RATELESS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = tail_drop_prepare,
    .enqueue = tail_drop_enqueue,
};
