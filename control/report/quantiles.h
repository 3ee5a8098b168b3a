/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean and quantiles of samples as fields: quantiles by nearest rank, MOMENT_NEVER (null in JSON) without
 * samples. */
#ifndef CONTROL_REPORT_QUANTILES_H
#define CONTROL_REPORT_QUANTILES_H

#include "control/report/samples.h"
#include "control/report/field.h"

struct quantiles {
    int64_t mean_ns, min_ns, p50_ns, p95_ns, p99_ns, max_ns;
};

/* Sorts the samples. */
struct quantiles quantiles_of(struct samples *samples);

/* Rows of a struct quantiles: mean, p50, p95, p99, max; p50, p95, max; p50, p95; avg, min, p50, p95, max. */
extern const struct field quantiles_whole[], quantiles_short[], quantiles_pages[], quantiles_ping[];

#endif
