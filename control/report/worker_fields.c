/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/worker_fields.h"

const struct field_meaning worker_fields_meanings[] = {
#define WORKER_COUNTER(member, unit, sentence) {FIELD_COUNTER, unit, sentence},
#define WORKER_GAUGE(member, unit, sentence)   {FIELD_GAUGE, unit, sentence},
#include "dataplane/worker/stats.def"
#undef WORKER_COUNTER
#undef WORKER_GAUGE
};
