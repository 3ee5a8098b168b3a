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
    if (bench_fault_is_set(&r->fault))
        printf("  FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

/* --- JSON --- */

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
    json_stream_number(s, "npdu_per_step", r->npdu_per_step);
    json_stream_count(s, "windows", r->rounds);
    json_stream_count(s, "voided_trials", r->voided);
    bench_report_fault(s, &r->fault);
    json_stream_end(s);
}
