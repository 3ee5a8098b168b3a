/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/arguments.h"
#include "bench/throughput/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void bench_arguments_put(struct bench_arguments *a, const char *format, ...)
{
    va_list values;
    if (a->count == BENCH_ARGUMENTS)
        return;
    va_start(values, format);
    vsnprintf(a->texts[a->count], BENCH_ARGUMENTS_CHARS, format, values);
    va_end(values);
    a->list[a->count] = a->texts[a->count];
    a->list[++a->count] = NULL;
}

void bench_arguments_pair(struct bench_arguments *a, const char *name, uint64_t value)
{
    bench_arguments_put(a, "--%s", name);
    bench_arguments_put(a, "%" PRIu64, value);
}

static void put_traffic(struct bench_arguments *a, const struct bench_plan *plan,
                        const struct bench_point *point)
{
    char octets[8];
    bench_value_octets_name(octets, point->octets);
    bench_arguments_put(a, "--octets");
    bench_arguments_put(a, "%s", octets);
    bench_arguments_put(a, "--cipher");
    bench_arguments_put(a, "%s", bench_value_cipher_name(point->cipher));
    bench_arguments_pair(a, "mobiles", point->mobiles);
    bench_arguments_pair(a, "cells", point->cells);
    bench_arguments_pair(a, "seed", plan->seed);
    bench_arguments_put(a, "--zipf");
    bench_arguments_put(a, "%g", plan->zipf);
    if (plan->is_foreign)
        bench_arguments_put(a, "--foreign");
}

void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point)
{
    bench_arguments_put(a, "gbflow");
    bench_arguments_put(a, "bench");
    bench_arguments_put(a, "%s", mode);
    put_traffic(a, plan, point);
    bench_arguments_put(a, "--aqm");
    bench_arguments_put(a, "%s", plan->aqm.choice.ops ? plan->aqm.choice.ops->name : "none");
    bench_arguments_put(a, "--scope");
    bench_arguments_put(a, "%s", bench_value_scope_name(plan));
    bench_arguments_pair(a, "n201-u", plan->n201_u);
    bench_arguments_pair(a, "gap-us", (uint64_t)plan->gap_ns / 1000);
    if (plan->bvc_rate_percent > 0)
        bench_arguments_pair(a, "open", plan->bvc_rate_percent);
    if (plan->eal.pages != LIVE_CONFIG_PAGES_AUTO)
        bench_arguments_put(a, plan->eal.pages == LIVE_CONFIG_PAGES_HUGE ? "--huge"
                               : plan->has_no_thp                        ? "--no-huge"
                                                                         : "--no-dpdk-huge");
}

void bench_arguments_workers(struct bench_arguments *a, const struct bench_plan *plan, unsigned first,
                             unsigned workers)
{
    char list[BENCH_ARGUMENTS_CHARS] = "";
    size_t used = 0;
    bench_arguments_pair(a, "workers", workers);
    for (unsigned i = 0; i < workers && plan->eal.core_count > 0 && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u", i > 0 ? "," : "",
                                 plan->eal.cores[(first + i) % plan->eal.core_count]);
    if (used == 0)
        return;
    bench_arguments_put(a, "--cores");
    bench_arguments_put(a, "%s", list);
}
