/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/arguments.h"
#include "bench/throughput/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bench_arguments_text(struct bench_arguments *a, const char *text)
{
    if (a->count == BENCH_ARGUMENTS)
        return;
    snprintf(a->texts[a->count], BENCH_ARGUMENTS_CHARS, "%s", text);
    a->list[a->count] = a->texts[a->count];
    a->list[++a->count] = NULL;
}

void bench_arguments_put(struct bench_arguments *a, const char *format, ...)
{
    char words[4 * BENCH_ARGUMENTS_CHARS], *rest = words, *word;
    va_list values;
    va_start(values, format);
    vsnprintf(words, sizeof(words), format, values);
    va_end(values);
    while ((word = strsep(&rest, " ")))
        bench_arguments_text(a, word);
}

void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point)
{
    char octets[8];
    bench_value_octets_name(octets, point->octets);
    bench_arguments_put(a, "gbflow bench %s --octets %s --cipher %s --mobiles %u --cells %u", mode, octets,
                        bench_value_cipher_name(point->cipher), point->mobiles, point->cells);
    bench_arguments_put(a, "--seed %" PRIu64 " --zipf %g%s", plan->seed, plan->zipf,
                        plan->is_foreign ? " --foreign" : "");
    bench_arguments_put(a, "--aqm %s --scope %s --n201-u %u --gap-us %" PRId64, bench_value_aqm_name(plan),
                        bench_value_scope_name(plan), plan->n201_u, plan->gap_ns / 1000);
    if (plan->bvc_rate_percent > 0)
        bench_arguments_put(a, "--open %u", plan->bvc_rate_percent);
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
    bench_arguments_put(a, "--workers %u", workers);
    for (unsigned i = 0; i < workers && plan->eal.core_count > 0 && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u", i > 0 ? "," : "",
                                 plan->eal.cores[(first + i) % plan->eal.core_count]);
    if (used > 0)
        bench_arguments_put(a, "--cores %s", list);
}
