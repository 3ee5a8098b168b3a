/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/quantiles.h"

#include "dataplane/base/moment.h"

struct quantiles quantiles_of(struct samples *samples)
{
    if (samples->count == 0)
        return (struct quantiles){MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER,
                                  MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER};
    int64_t p50_ns = samples_quantile_ns(samples, 50);
    return (struct quantiles){
        .mean_ns = samples_mean_ns(samples),
        .min_ns = samples->ns[0], /* sorted by now */
        .p50_ns = p50_ns,
        .p95_ns = samples_quantile_ns(samples, 95),
        .p99_ns = samples_quantile_ns(samples, 99),
        .max_ns = samples_quantile_ns(samples, 100),
    };
}

#define ROW(name, member, sentence) FIELD(struct quantiles, GAUGE, name, "seconds", member, sentence)
#define MEAN(name)                  ROW(name, mean_ns, "Mean.")
#define MIN                         ROW("min", min_ns, "Smallest value.")
#define P50                         ROW("p50", p50_ns, "Median.")
#define P95                         ROW("p95", p95_ns, "95th percentile.")
#define P99                         ROW("p99", p99_ns, "99th percentile.")
#define MAX                         ROW("max", max_ns, "Largest value.")

const struct field quantiles_whole[] = {MEAN("mean"), P50, P95, P99, MAX, FIELD_END};
const struct field quantiles_short[] = {P50, P95, MAX, FIELD_END};
const struct field quantiles_pages[] = {P50, P95, FIELD_END};
const struct field quantiles_ping[] = {MEAN("avg"), MIN, P50, P95, MAX, FIELD_END};
