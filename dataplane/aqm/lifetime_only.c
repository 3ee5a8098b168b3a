/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lifetime alone. All schemes work together with the lifetime of N-PDUs, which the node's configuration sets
 * (three modes, and PDU Lifetime for the BSS); this scheme adds nothing to it.
 */
#include "dataplane/aqm/aqm.h"

static enum aqm_verdict lifetime_only_dequeue(const void *law, void *state, struct aqm_view *view,
                                              int64_t now)
{
    return view->left_ns < 0 ? AQM_DROP : AQM_PASS;
}

const struct aqm_ops lifetime_only_ops = {
    .name = "lifetime_only",
    .title = "lifetime, no AQM",
    .summary = "Drops N-PDUs whose lifetime is over before their first segment leaves, and nothing else. The "
               "lifetime itself, split, sgsn_only or per_node, is the node's setting.",
    .source = "the AQM paper, section III.A",
    .flags = AQM_RATELESS,
    .axis = AQM_AXIS_AGE,
    .dequeue = lifetime_only_dequeue,
};
