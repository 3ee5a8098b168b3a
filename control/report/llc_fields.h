/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of JSON reports that is about LLC. */
#ifndef CONTROL_REPORT_LLC_FIELDS_H
#define CONTROL_REPORT_LLC_FIELDS_H

#include "control/core/core.h"
#include "dataplane/worker/stats.h"

#include <jansson.h>

/* {"up": frames that came, "orders": frames of control's, "drops": {REASON: frames}, COUNTER: times...,
 * "unhandled": [{"sapi":, "protocol":, "message":, "frames":}...]}; the caller's. */
json_t *llc_fields(const struct core *core, const struct worker_stats *stats);

#endif
