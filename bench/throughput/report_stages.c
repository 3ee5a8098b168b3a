/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report_stages.h"

#include "bench/throughput/values.h"

#include <inttypes.h>

static double cycles(double ns, uint64_t tsc_hz)
{
    return ns * 1e-9 * (double)tsc_hz;
}

/* Additional time of the stages in the step: waiting for cache lines, cold code. */
static double stall_ns(const struct bench_stages *r)
{
    return r->in_step_sum_ns - r->floor_ns;
}

static double other_ns(const struct bench_stages *r)
{
    return r->whole.median - r->in_step_sum_ns - r->idle_step_ns;
}

/* --- table --- */

void bench_report_stages_head(const struct bench_plan *plan, const struct bench_machine *machine)
{
    bench_report_machine(machine);
    bench_report_traffic(plan);
    printf(", %u valid rounds, windows of %g ms\n"
           "ns and cycles of the time stamp counter (%.3f GHz) per N-PDU\n",
           plan->windows, (double)plan->window_ns * 1e-6, (double)machine->tsc_hz * 1e-9);
}

static void print_line(const char *name, double alone_ns, double in_step_ns, uint64_t tsc_hz)
{
    printf("  %-10s  %8.1f  %8.0f  %11.1f  %8.1f\n", name, alone_ns, cycles(alone_ns, tsc_hz), in_step_ns,
           in_step_ns - alone_ns);
}

static void print_counts(const char *name, const struct bench_stage_counts *c, bool has_lines)
{
    printf("  %-10s  %12.1f", name, c->instructions);
    if (has_lines)
        printf("  %6.2f  %9.2f  %17.2f", c->lines, c->new_lines, c->unused_prefetches);
    printf("\n");
}

static void print_account(const struct bench_stage_account *a)
{
    if (!a->is_counted)
        return;
    printf("  counted     instructions%s\n", a->has_lines ? "   lines  new lines  unused prefetches" : "");
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        print_counts(bench_stage_name(i), &a->stages[i], a->has_lines);
    print_counts("sum", &a->sum, a->has_lines);
    print_counts("idle step", &a->idle, a->has_lines);
    print_counts("whole step", &a->whole, a->has_lines);
}

static void print_rest(const struct bench_stages *r)
{
    printf("  whole step %.1f ns = floor %.1f + stall %.1f + idle step %.1f + unexplained %.1f\n",
           r->whole.median, r->floor_ns, stall_ns(r), r->idle_step_ns, other_ns(r));
}

void bench_report_stages_row(const struct bench_stages *r, uint64_t tsc_hz)
{
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("\n%s octets, cipher %s, %u mobiles: %.1f ns (95 %% of median %.1f..%.1f), floor %.1f ns, "
           "share %.0f %% (%.0f..%.0f), %" PRIu64 " rounds void\n",
           octets, bench_value_cipher_name(r->point.cipher), r->point.mobiles, r->whole.median, r->whole.low,
           r->whole.high, r->floor_ns, 100 * r->share.median, 100 * r->share.low, 100 * r->share.high,
           r->voided);
    printf("  stage       alone ns    cycles   in step ns  stall ns\n");
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        print_line(bench_stage_name(i), r->alone_ns[i], r->in_step_ns[i], tsc_hz);
    print_line("sum", r->floor_ns, r->in_step_sum_ns, tsc_hz);
    printf("  of headers: llc %.1f, bssgp %.1f\n", r->alone_ns[BENCH_STAGE_LLC],
           r->alone_ns[BENCH_STAGE_BSSGP]);
    print_rest(r);
    print_account(&r->account);
    if (bench_fault_is_set(&r->fault))
        printf("  FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

/* --- JSON --- */

/* Null: not counted. */
static void put_count(struct json_stream *s, const char *name, double count, bool is_counted)
{
    if (is_counted)
        json_stream_number(s, name, count);
    else
        json_stream_null(s, name);
}

static void put_counts(struct json_stream *s, const struct bench_stage_account *a,
                       const struct bench_stage_counts *c)
{
    put_count(s, "instructions", c->instructions, a->is_counted);
    put_count(s, "lines", c->lines, a->has_lines);
    put_count(s, "new_lines", c->new_lines, a->has_lines);
    put_count(s, "unused_prefetches", c->unused_prefetches, a->has_lines);
}

static void put_stages(struct json_stream *s, const struct bench_stages *r, uint64_t tsc_hz)
{
    json_stream_array(s, "stages");
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++) {
        json_stream_object(s, NULL);
        json_stream_text(s, "name", bench_stage_name(i));
        json_stream_number(s, "alone_ns", r->alone_ns[i]);
        json_stream_number(s, "alone_cycles", cycles(r->alone_ns[i], tsc_hz));
        if (i < BENCH_STAGE_COUNT) {
            json_stream_number(s, "in_step_ns", r->in_step_ns[i]);
            json_stream_null(s, "part_of");
        } else {
            json_stream_null(s, "in_step_ns");
            json_stream_text(s, "part_of", bench_stage_name(BENCH_STAGE_HEADERS));
        }
        if (i < BENCH_STAGE_COUNT)
            put_counts(s, &r->account, &r->account.stages[i]);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_account(struct json_stream *s, const struct bench_stage_account *a)
{
    const struct {
        const char *name;
        const struct bench_stage_counts *counts;
    } rows[] = {{"stages_sum", &a->sum}, {"idle_step", &a->idle}, {"whole_step", &a->whole}};
    json_stream_object(s, "counted");
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_stream_object(s, rows[i].name);
        put_counts(s, a, rows[i].counts);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_floor(struct json_stream *s, const struct bench_stages *r)
{
    json_stream_number(s, "floor_ns", r->floor_ns);
    json_stream_number(s, "floor_share", r->share.median);
    json_stream_number(s, "floor_share_low", r->share.low);
    json_stream_number(s, "floor_share_high", r->share.high);
    json_stream_object(s, "rest");
    json_stream_number(s, "stall_ns", stall_ns(r));
    json_stream_number(s, "idle_step_ns", r->idle_step_ns);
    json_stream_number(s, "unexplained_ns", other_ns(r));
    json_stream_end(s);
}

void bench_report_stages_trial(struct json_stream *s, const struct bench_plan *plan,
                               const struct bench_stages *r, uint64_t tsc_hz)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "stages", &r->point);
    bench_report_time(s, r->whole.median > 0 ? 1e9 / r->whole.median : 0, &r->whole);
    json_stream_number(s, "cycles_per_npdu", cycles(r->whole.median, tsc_hz));
    put_floor(s, r);
    put_stages(s, r, tsc_hz);
    put_account(s, &r->account);
    json_stream_number(s, "npdu_per_step", r->npdu_per_step);
    json_stream_count(s, "windows", r->rounds);
    json_stream_count(s, "voided_trials", r->voided);
    bench_report_fault(s, &r->fault);
    json_stream_end(s);
}
