/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole plug-in: drops what comes while more than a second of backlog waits at the known rate. */
#include "dataplane/aqm/aqm.h"

static enum aqm_verdict enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return view->backlog_octets * 8 > view->rate_bps ? AQM_MARK : AQM_PASS;
}

static const struct aqm_param params[] = {AQM_PARAM_ECN(0)};
static const struct aqm_ops example_ops = {
    .name = "one_second",
    .title = "one second of backlog",
    .summary = "Signals what comes while more than a second of backlog waits.",
    .source = "an example",
    .params = params,
    .param_count = 1,
    .enqueue = enqueue,
};

AQM_PLUGIN(example_ops);
