/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step marking: a packet that finds at least a threshold of backlog on arrival is signalled, all others are
 * not. A sender that answers to the share of marked packets (DCTCP) needs no smoothing in the node; one that
 * halves its window at any mark is slowed far more than by RED. No state, no random numbers.
 */
#include "dataplane/aqm/aqm.h"

enum { ECN, THRESHOLD, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(1),
    [THRESHOLD] = {"threshold", "backlog from which all are signalled (K)", AQM_OCTETS, 1, 1000000000, 30000,
                   NULL},
};

struct step {
    uint64_t threshold_octets;
};

static const char *step_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    ((struct step *)law)->threshold_octets = (uint64_t)values[THRESHOLD];
    return NULL;
}

static enum aqm_verdict step_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return view->backlog_octets < ((const struct step *)law)->threshold_octets ? AQM_PASS : AQM_MARK;
}

static double chance(const void *law, int64_t at)
{
    return (uint64_t)at < ((const struct step *)law)->threshold_octets ? 0 : 1;
}

const struct aqm_ops step_ops = {
    .name = "step",
    .title = "step marking",
    .summary = "Signals an N-PDU that finds at least the threshold queued before it.",
    .source = "RFC 8257 (DCTCP), section 3.1",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct step),
    .flags = AQM_RATELESS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = step_prepare,
    .enqueue = step_enqueue,
    .chance = chance,
};
