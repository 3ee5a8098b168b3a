/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report_comparison.h"

#include "bench/throughput/values.h"

#include <inttypes.h>
#include <string.h>

static bool is_pair(const struct bench_comparison *c)
{
    return strcmp(c->sides[0].name, "apart") == 0;
}

void bench_report_comparison_head(const struct bench_plan *plan, const struct bench_machine *machine)
{
    bench_report_machine(machine);
    bench_report_traffic(plan);
    printf(", %u rounds of %u pairs of slices of %u windows of %g ms\n\n", plan->rounds, plan->slices,
           plan->windows, (double)plan->window_ns * 1e-6);
}

static void print_side(const struct bench_comparison_side *side, struct bench_spread *rates)
{
    struct bench_spread_summary r = bench_spread_summary(rates);
    printf("  %-8s %u process%s, %u worker%s %s  %9.0f N-PDU/s (quartiles %9.0f..%9.0f)", side->name,
           side->processes, side->processes > 1 ? "es" : "", side->workers, side->workers > 1 ? "s" : "",
           side->processes > 1 ? "each" : "", r.median, r.lower_quartile, r.upper_quartile);
    if (side->slowdown_percent > 0)
        printf(", steps %u %% longer", side->slowdown_percent);
    printf("  %s\n", side->path);
}

static void print_verdict(const struct bench_verdict *v)
{
    double percent = bench_verdict_slower_percent(v->ratio);
    /* Bounds of the time are the inverse of the rate's, in reverse order. */
    double low = bench_verdict_slower_percent(v->high), high = bench_verdict_slower_percent(v->low);
    if (v->word == BENCH_VERDICT_NONE)
        printf("  no difference shown: b takes %+.2f %% time per N-PDU (95 %% interval %+.2f..%+.2f)\n",
               percent, low, high);
    else
        printf("  b is %s: %+.2f %% time per N-PDU (95 %% interval %+.2f..%+.2f)\n",
               bench_verdict_name(v->word), percent, low, high);
}

void bench_report_comparison_row(struct bench_comparison *c, const struct bench_verdict *v)
{
    char octets[8];
    bench_value_octets_name(octets, c->point.octets);
    printf("octets %s, cipher %s, %u mobiles: %zu rounds, %" PRIu64 " pairs of slices, %" PRIu64 " void\n",
           octets, bench_value_cipher_name(c->point.cipher), c->point.mobiles, c->ratios.count, c->pairs,
           c->voided);
    for (unsigned s = 0; s < 2; s++)
        print_side(&c->sides[s], &c->rates[s]);
    if (is_pair(c))
        printf("  one process reaches %.2f %% of two (95 %% interval %.2f..%.2f)\n", v->ratio * 100,
               v->low * 100, v->high * 100);
    else
        print_verdict(v);
    fflush(stdout);
}

static void put_side(struct json_stream *s, const struct bench_comparison_side *side,
                     struct bench_spread *rates)
{
    struct bench_spread_summary r = bench_spread_summary(rates);
    json_stream_object(s, side->name);
    json_stream_text(s, "program", side->path);
    json_stream_count(s, "processes", side->processes);
    json_stream_count(s, "workers_each", side->workers);
    json_stream_count(s, "slowdown_percent", side->slowdown_percent);
    json_stream_number(s, "npdu_per_s", r.median);
    json_stream_number(s, "npdu_per_s_lower_quartile", r.lower_quartile);
    json_stream_number(s, "npdu_per_s_upper_quartile", r.upper_quartile);
    json_stream_end(s);
}

void bench_report_comparison_trial(struct json_stream *s, const struct bench_plan *plan,
                                   struct bench_comparison *c, const struct bench_verdict *v)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, is_pair(c) ? "pair" : "compare", &c->point);
    for (unsigned i = 0; i < 2; i++)
        put_side(s, &c->sides[i], &c->rates[i]);
    json_stream_number(s, "ratio", v->ratio);
    json_stream_number(s, "ratio_low", v->low);
    json_stream_number(s, "ratio_high", v->high);
    json_stream_number(s, "slower_percent", bench_verdict_slower_percent(v->ratio));
    json_stream_text(s, "verdict", bench_verdict_name(v->word));
    json_stream_array(s, "ratios");
    for (size_t i = 0; i < c->ratios.count; i++)
        json_stream_number(s, NULL, c->ratios.values[i]);
    json_stream_end(s);
    json_stream_count(s, "rounds", c->ratios.count);
    json_stream_count(s, "pairs", c->pairs);
    json_stream_count(s, "voided_pairs", c->voided);
    json_stream_end(s);
}
