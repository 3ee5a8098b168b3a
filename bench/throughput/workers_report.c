/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and trials of `gbflow bench workers`: its report. */
#include "bench/throughput/workers.h"

#include "bench/throughput/crew.h"
#include "bench/throughput/report.h"
#include "bench/throughput/values.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_OCTETS 64

void bench_workers_head(const struct bench_plan *plan)
{
    bench_report_traffic(plan);
    printf(", %u rounds of windows of %g ms asked for\n", plan->windows, (double)plan->window_ns * 1e-6);
}

static double each(uint64_t count, const struct bench_workers_case *one)
{
    return (double)count / (double)one->counts.n_pdus;
}

/* Lines of all N-PDUs, per N-PDU: those that receivers and senders wait for, and those that go back. */
static double lines_of(const struct bench_workers_case *one)
{
    return one->share.steered * (one->share.to_receiver + one->share.to_sender);
}

static double back_of(const struct bench_workers_case *one)
{
    return one->counts.back_lines / (double)one->counts.n_pdus;
}

static double gbyte_of(const struct bench_workers_case *one)
{
    return one->predicted.npdu_per_s * (lines_of(one) + back_of(one)) * LINE_OCTETS * 1e-9;
}

static void print_measured(const struct bench_workers *r, const struct bench_workers_case *one)
{
    char interval[BENCH_REPORT_INTERVAL_CHARS];
    if (!one->is_measured)
        printf("  not measured: %u workers need %u CPUs, there %s %u\n", one->workers, one->workers,
               r->cpus > 1 ? "are" : "is", r->cpus);
    else
        printf("  %8.2f  %-13s  %5.1f %%\n", one->rate.median * 1e-6,
               bench_report_interval(interval, 2, one->rate.low * 1e-6, one->rate.high * 1e-6),
               one->ratio.median * 100);
}

static void print_case(const struct bench_workers *r, const struct bench_workers_case *one)
{
    char bounds[BENCH_REPORT_INTERVAL_CHARS];
    printf("%7u  %-8s  %7.4f  %9.4f  %5.2f  %5.2f  %4" PRIu64 "  %8.2f  %-13s  %5.1f %%", one->workers,
           bench_scaling_deal_name(one->deal), one->share.steered,
           each(one->counts.puts + one->counts.takes, one), lines_of(one), back_of(one), one->counts.full,
           one->predicted.npdu_per_s * 1e-6,
           bench_report_interval(bounds, 2, one->predicted.low * 1e-6, one->predicted.high * 1e-6),
           one->predicted.efficiency * 100);
    print_measured(r, one);
}

static void print_parts(const struct bench_workers *r)
{
    const struct bench_scaling_parts *p = &r->parts;
    printf("        model: %.1f ns/N-PDU alone; %.1f to receive and hand over, %.1f to take and send: a "
           "crossing "
           "costs %.1f\n",
           p->alone_ns, p->sender_ns, p->receiver_ns, p->sender_ns + p->receiver_ns - p->alone_ns);
    if (r->line.count > 0)
        printf("        a line of another CPU: %.1f ns, many at a time; %.1f one after the other\n",
               p->line_ns, p->chase_ns);
    else
        printf("        a line of another CPU: not measured with one CPU; taken as 0\n");
    printf("        not in the model: shared caches, memory bandwidth, NUMA, clock rates, buffers that go "
           "back\n");
}

void bench_workers_row(const struct bench_plan *plan, const struct bench_workers *r)
{
    const struct bench_report_valid rounds = {"round", r->rounds, plan->windows, r->voided};
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("\noctets %s, cipher %s, %u mobiles for each worker: %" PRIu64 " of %u rounds, %" PRIu64
           " void%s\n\n",
           octets, bench_value_cipher_name(r->point.cipher), r->point.mobiles / r->point.workers, r->rounds,
           plan->windows, r->voided, bench_report_mark(&rounds));
    printf("%-46s%-40s%s\n", "", "   modelled", "measured");
    printf("workers  dealt by  steered  ring uses  lines   back  full  M N-PDU/s  bounds       per worker  "
           "M N-PDU/s  95 %% of median  per worker\n");
    for (unsigned i = 0; i < r->case_count; i++)
        print_case(r, &r->cases[i]);
    print_parts(r);
    bench_report_explain(plan, &rounds, &rounds);
    if (bench_fault_is_set(&r->fault))
        printf("        FAULT: %s\n", r->fault.text);
    bench_report_void("rounds", r->rounds + r->voided, r->voided);
    fflush(stdout);
}

/* --- JSON --- */

static void put_counts(struct json_stream *s, const struct bench_workers_case *one)
{
    const struct bench_crew_counts *c = &one->counts;
    json_stream_object(s, "counted");
    BENCH_REPORT_ROWS(s, BENCH_COUNT("npdus", c->n_pdus), BENCH_COUNT("steered", c->steered),
                      BENCH_COUNT("ring_full", c->full), BENCH_COUNT("steps_waiting", c->waited),
                      BENCH_COUNT("ring_puts", c->puts), BENCH_COUNT("ring_takes", c->takes),
                      BENCH_COUNT("tail_lines", c->tail_lines), BENCH_COUNT("slot_lines", c->slot_lines),
                      BENCH_COUNT("record_lines", c->record_lines),
                      BENCH_COUNT("header_lines", c->header_lines), BENCH_REAL("rest_lines", c->rest_lines),
                      BENCH_COUNT("room_lines", c->room_lines), BENCH_REAL("back_lines", c->back_lines));
    json_stream_end(s);
}

static void put_model(struct json_stream *s, const struct bench_workers *r,
                      const struct bench_workers_case *one)
{
    const struct bench_scaling_parts *p = &r->parts;
    json_stream_object(s, "modelled");
    BENCH_REPORT_ROWS(s, BENCH_REAL("npdu_per_s", one->predicted.npdu_per_s),
                      BENCH_REAL("npdu_per_s_low", one->predicted.low),
                      BENCH_REAL("npdu_per_s_high", one->predicted.high),
                      BENCH_REAL("efficiency", one->predicted.efficiency),
                      BENCH_REAL("alone_ns", p->alone_ns), BENCH_REAL("sender_ns", p->sender_ns),
                      BENCH_REAL("receiver_ns", p->receiver_ns), BENCH_KNOWN("line_ns", p->line_ns),
                      BENCH_KNOWN("chase_ns", p->chase_ns), BENCH_REAL("lines_gbyte_per_s", gbyte_of(one)));
    json_stream_end(s);
}

static void put_measured(struct json_stream *s, const struct bench_workers_case *one)
{
    const bool has = one->is_measured;
    BENCH_REPORT_ROWS(s, BENCH_ROW("npdu_per_s", REAL, has, real, one->rate.median),
                      BENCH_ROW("npdu_per_s_low", REAL, has, real, one->rate.low),
                      BENCH_ROW("npdu_per_s_high", REAL, has, real, one->rate.high),
                      BENCH_ROW("efficiency", REAL, has, real, one->ratio.median),
                      BENCH_ROW("efficiency_low", REAL, has, real, one->ratio.low),
                      BENCH_ROW("efficiency_high", REAL, has, real, one->ratio.high),
                      BENCH_NULL("ndr_npdu_per_s"), BENCH_NULL("pdr_npdu_per_s"),
                      BENCH_ROW("ns_per_npdu", REAL, has, real, one->workers * 1e9 / one->rate.median),
                      BENCH_NULL("latency_us"), BENCH_NULL("roofline_share"));
}

static void put_case(struct json_stream *s, const struct bench_plan *plan, const struct bench_workers *r,
                     const struct bench_workers_case *one)
{
    struct bench_point point = r->point;
    char reason[80] = "";
    point.workers = one->workers;
    point.mobiles = r->point.mobiles / r->point.workers * one->workers;
    point.cells = r->point.cells / r->point.workers * one->workers;
    if (!one->is_measured)
        snprintf(reason, sizeof(reason), "%u workers need %u CPUs, there %s %u", one->workers, one->workers,
                 r->cpus > 1 ? "are" : "is", r->cpus);
    json_stream_object(s, NULL);
    bench_report_point(s, "workers", &point);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("dealt", bench_scaling_deal_name(one->deal)),
                      BENCH_TEXT("not_measured", reason));
    put_measured(s, one);
    put_counts(s, one);
    put_model(s, r, one);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("windows", r->rounds), BENCH_COUNT("windows_asked", plan->windows),
                      BENCH_COUNT("voided_trials", r->voided), BENCH_TEXT("fault", r->fault.text));
    json_stream_end(s);
}

void bench_workers_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_workers *r)
{
    for (unsigned i = 0; plan->json && i < r->case_count; i++)
        put_case(s, plan, r, &r->cases[i]);
}
