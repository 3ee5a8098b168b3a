/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/ndr.h"
#include "bench/throughput/console.h"
#include "bench/throughput/gap_watch.h"
#include "bench/throughput/ndr_loop.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "bench/throughput/values.h"

#include "bench/throughput/generator.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#define WATCH_NS   (3 * MOMENT_SECOND)
#define BRIEF_NS   MOMENT_SECOND /* the same where the operator has chosen the trial */
#define RING_TELLS 0.03          /* share of a trial's N-PDUs above which a line names those in the ring */

/* Of the run under way: the machine's gaps, and the plan as it was given. */
static struct bench_gaps_machine machine;
static struct bench_plan given;

/* --- table and JSON --- */

static double share_of(const struct bench_ndr *r)
{
    return r->roofline_npdu_per_s > 0 ? r->ndr.median / r->roofline_npdu_per_s : 0;
}

static double overload_share(const struct bench_ndr *r)
{
    return r->ndr.median > 0 ? r->overload.npdu_per_s / r->ndr.median : 0;
}

/* Workers and generator share CPUs. */
static bool has_shared_processors(const struct bench_plan *plan)
{
    for (unsigned i = 0; i <= bench_plan_most_workers(plan); i++)
        for (unsigned k = 0; k < i; k++)
            if (plan->eal.cores[i] == plan->eal.cores[k])
                return true;
    return false;
}

static void ndr_head(const struct bench_plan *plan)
{
    char gaps[BENCH_GAP_WATCH_CHARS];
    bench_report_traffic(plan);
    bench_gap_watch_describe(gaps, &machine, plan);
    printf(", %u search%s, trials of %g ms\n%s\n\n", plan->searches, plan->searches == 1 ? "" : "es",
           (double)plan->trial_ns * 1e-6, gaps);
    if (has_shared_processors(plan))
        printf("warning: workers or generator share a CPU: the kernel's scheduler decides the rates\n\n");
    printf(
        "octets  cipher  mobiles  workers  trip ns  NDR N-PDU/s  (least..most)        PDR N-PDU/s full load  "
        " p50/p99 us at 10, 50, 90 %% of NDR             testpmd  share  trials  void\n");
}

/* How sure NDR is, and why it may be less so. */
static void print_worth(const struct bench_ndr *r)
{
    printf("        ");
    if (r->finished < r->searches)
        printf("%u of %u searches exceeded --seconds: ", r->searches - r->finished, r->searches);
    if (r->ndr.is_least && r->finished == r->searches)
        printf("no offered load lost frames: the generator limits NDR (>=)\n");
    else if (r->worth < 1)
        printf("NDR may be %.0f %% off, if the machine did not change\n", 100 * r->worth);
    else
        printf("NDR is a guess, at least this (>=); raise --seconds\n");
}

static void print_no_roofline(const struct bench_ndr *r)
{
    printf("        testpmd was not measured: %s", r->no_roofline);
    if (r->roofline_trials > 0)
        printf(", %" PRIu64 " of %" PRIu64 " trials void", r->roofline_voided, r->roofline_trials);
    printf("\n");
}

static void print_counts(const struct bench_ndr *r)
{
    printf("        n = %u search%s: %" PRIu64 " trials, %" PRIu64 " void", r->searches,
           r->searches == 1 ? "" : "es", r->trials, r->voided);
    if (r->roofline_npdu_per_s > 0)
        printf("; of testpmd %" PRIu64 ", %" PRIu64 " void", r->roofline_trials, r->roofline_voided);
    printf("\n");
}

/* A trial above NDR may pass if its surplus stays in the rings. */
static void print_ring(const struct bench_plan *plan, const struct bench_ndr *r)
{
    const double npdus = r->ndr.median * (double)plan->trial_ns * 1e-9;
    const double share = bench_trial_backlog_most(npdus) / npdus;
    if (share > RING_TELLS)
        printf("        trials of %g ms are short: NDR may be up to %.1f %% too high, which stays in the "
               "rings\n",
               (double)plan->trial_ns * 1e-6, 100 * share);
}

static void print_latency(const struct bench_ndr_latency *latency)
{
    if (latency->p99_us > 0)
        printf(" %6.1f/%-8.1f", latency->p50_us, latency->p99_us);
    else
        printf(" %6s/%-8s", "-", "-");
}

/* The same ports and generator cannot carry more than testpmd passes, as long as the machine stays as it is.
 */
static void print_share(const struct bench_ndr *r)
{
    if (share_of(r) > 1)
        printf("        NDR is above testpmd's: the machine changed in between, or the ring took the surplus "
               "of short trials\n");
}

static const char *mark_of(const struct bench_ndr *r, const struct bench_ndr_rate *rate)
{
    return rate->is_least ? ">=" : r->finished < r->searches ? "~" : "";
}

static void ndr_row(const struct bench_plan *plan, const struct bench_ndr *r)
{
    char octets[8], ndr[BENCH_REPORT_RATE_CHARS], pdr[BENCH_REPORT_RATE_CHARS];
    bench_value_octets_name(octets, r->point.octets);
    printf("%-6s  %-6s  %7u  %7u  %7.0f  %11s  (%8.0f..%8.0f)  %11s  %8.0f  ", octets,
           bench_value_cipher_name(r->point.cipher), r->point.mobiles, r->point.workers, r->round_trip_ns,
           bench_report_rate(ndr, mark_of(r, &r->ndr), r->ndr.median), r->ndr.least, r->ndr.most,
           bench_report_rate(pdr, mark_of(r, &r->pdr), r->pdr.median), r->most_npdu_per_s);
    for (unsigned i = 0; i < BENCH_NDR_LEVELS; i++)
        print_latency(&r->latency[i]);
    if (r->roofline_npdu_per_s > 0)
        printf("  %8.0f  %4.0f%%", r->roofline_npdu_per_s, 100 * share_of(r));
    else
        printf("  %8s  %5s", "-", "-");
    printf("  %6" PRIu64 "  %4" PRIu64 "\n", r->trials, r->voided);
    bench_report_ethernet("NDR", r->ndr.median, r->point.octets);
    bench_report_void("trials", r->trials + r->roofline_trials, r->voided + r->roofline_voided);
    print_counts(r);
    if (r->no_roofline)
        print_no_roofline(r);
    if (r->overload.trials > 0)
        printf("        overload: offered %.2f x NDR, carried %.0f N-PDU/s, %.0f %% of NDR (median of %u "
               "trials)\n",
               r->overload.offered_npdu_per_s / r->ndr.median, r->overload.npdu_per_s,
               100 * overload_share(r), r->overload.trials);
    print_worth(r);
    print_ring(plan, r);
    print_share(r);
    if (r->slow > 0)
        printf("        the generator was too slow for the offered load of %" PRIu64 " trials\n", r->slow);
    if (r->wrong_fcs + r->reordered > 0)
        printf("        FAULT: %" PRIu64 " LLC frames with a wrong FCS, %" PRIu64 " with N(U) out of order\n",
               r->wrong_fcs, r->reordered);
    fflush(stdout);
}

static void put_rate(struct json_stream *s, const char *key, const struct bench_ndr_rate *rate)
{
    json_stream_object(s, key);
    BENCH_REPORT_ROWS(s, BENCH_REAL("least", rate->least), BENCH_REAL("most", rate->most));
    json_stream_end(s);
}

/* latency_us: at 90 % of NDR; latency_at: at each level. */
static void put_latency(struct json_stream *s, const struct bench_ndr *r)
{
    const struct bench_ndr_latency *last = &r->latency[BENCH_NDR_LEVELS - 1];
    json_stream_object(s, "latency_us");
    BENCH_REPORT_ROWS(s, BENCH_KNOWN("p50", last->p50_us), BENCH_KNOWN("p99", last->p99_us));
    json_stream_end(s);
    json_stream_array(s, "latency_at");
    for (const struct bench_ndr_latency *l = r->latency; l <= last; l++) {
        json_stream_object(s, NULL);
        BENCH_REPORT_ROWS(s, BENCH_COUNT("percent", l->percent), BENCH_KNOWN("p50", l->p50_us),
                          BENCH_KNOWN("p99", l->p99_us));
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void ndr_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_ndr *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "ndr", &r->point);
    BENCH_REPORT_ROWS(
        s, BENCH_BOOL("shared_processors", has_shared_processors(plan)),
        BENCH_REAL("npdu_per_s", r->most_npdu_per_s), BENCH_REAL("ndr_npdu_per_s", r->ndr.median),
        BENCH_REAL("pdr_npdu_per_s", r->pdr.median), BENCH_KNOWN("round_trip_ns", r->round_trip_ns));
    BENCH_REPORT_ROWS(s, BENCH_BOOL("ndr_is_least", r->ndr.is_least),
                      BENCH_BOOL("pdr_is_least", r->pdr.is_least));
    bench_report_put_ethernet(s, r->ndr.median, r->point.octets);
    put_rate(s, "ndr_range", &r->ndr);
    put_rate(s, "pdr_range", &r->pdr);
    BENCH_REPORT_ROWS(s, BENCH_REAL("ns_per_npdu", r->ndr.median > 0 ? 1e9 / r->ndr.median : 0),
                      BENCH_REAL("offered_npdu_per_s", r->offered_npdu_per_s));
    put_latency(s, r);
    BENCH_REPORT_ROWS(
        s, BENCH_KNOWN("overload_offered_npdu_per_s", r->overload.offered_npdu_per_s),
        BENCH_KNOWN("overload_npdu_per_s", r->overload.npdu_per_s),
        BENCH_KNOWN("overload_share", overload_share(r)), BENCH_KNOWN("roofline_share", share_of(r)),
        BENCH_KNOWN("roofline_npdu_per_s", r->roofline_npdu_per_s),
        BENCH_TEXT("no_roofline_because", r->no_roofline), BENCH_COUNT("roofline_trials", r->roofline_trials),
        BENCH_COUNT("roofline_voided_trials", r->roofline_voided), BENCH_COUNT("voided_trials", r->voided),
        BENCH_COUNT("tried_trials", r->trials), BENCH_COUNT("slow_trials", r->slow),
        BENCH_COUNT("searches", r->searches), BENCH_COUNT("finished_searches", r->finished),
        BENCH_REAL("ndr_worth", r->worth), BENCH_COUNT("wrong_fcs", r->wrong_fcs),
        BENCH_COUNT("reordered", r->reordered));
    json_stream_end(s);
}

/* The point at which no search found a rate; the run ends there. searches 0: there is none. */
static struct bench_ndr not_found;
static char advice[BENCH_GAP_WATCH_CHARS];

/* Of a point at which no search found a rate; null without searches. */
static void ndr_not_found(struct json_stream *s, const struct bench_ndr *r)
{
    if (r->searches == 0) {
        json_stream_null(s, "not_found");
        return;
    }
    json_stream_object(s, "not_found");
    bench_report_point(s, "ndr", &r->point);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("searches", r->searches), BENCH_COUNT("tried_trials", r->trials),
                      BENCH_COUNT("voided_trials", r->voided), BENCH_TEXT("advice", advice));
    json_stream_end(s);
}

/* --- the mode --- */

/* Starts a DUT process, stopped, and its generator. False, with a line on stderr. Call close_device() in any
 * case. */
static bool open_device(struct bench_ndr_loop_device *d, const struct bench_plan *plan,
                        const struct bench_point *point, bool is_testpmd)
{
    *d->g = (struct bench_generator){.plan = NULL};
    if (!bench_dut_process_start(d->dut, plan, point, is_testpmd))
        return false;
    bool is_open = bench_generator_open(d->g, plan, point, d->dut);
    bench_dut_process_pause(d->dut);
    return is_open;
}

static void close_device(struct bench_ndr_loop_device *d)
{
    bench_generator_close(d->g);
    bench_dut_process_stop(d->dut);
}

static void add_roofline(struct bench_ndr *r, const struct bench_ndr_loop *h, unsigned distance)
{
    const struct bench_ndr *limit = &h->devices[1].at[distance];
    if (!h->plan->has_roofline)
        return;
    const char *ended = h->devices[1].dut->log.ended;
    static char why[BENCH_PROCESS_LOG_CHARS + 4];
    snprintf(why, sizeof(why), "it %s", ended);
    r->no_roofline = ended[0] ? why : h->count < 2 ? "it did not start" : "no search found a rate";
    if (h->count < 2)
        return;
    r->roofline_npdu_per_s = limit->ndr.median;
    r->roofline_trials = limit->trials;
    r->roofline_voided = limit->voided;
    if (limit->ndr.median > 0)
        r->no_roofline = NULL;
}

/* A result for each distance that occurred; testpmd's NDR at the same distance belongs to it. */
static enum bench_points_outcome report_all(struct json_stream *json, struct bench_ndr_loop *h)
{
    enum bench_points_outcome outcome = BENCH_POINTS_GOOD;
    for (unsigned i = 0; i < BENCH_DISTANCES; i++) {
        struct bench_ndr *r = &h->devices[0].at[i];
        if (r->ndr.median == 0)
            continue;
        add_roofline(r, h, i);
        ndr_row(h->plan, r);
        ndr_trial(json, h->plan, r);
        if (r->wrong_fcs + r->reordered > 0)
            outcome = BENCH_POINTS_BAD;
    }
    return outcome;
}

static void say_not_found(struct bench_ndr_loop *h)
{
    uint64_t trials, voided;
    if (bench_console_is_interrupted())
        return;
    bench_ndr_loop_count(h, &trials, &voided);
    not_found = (struct bench_ndr){
        .point = h->devices[0].g->point, .searches = h->plan->searches, .trials = trials, .voided = voided};
    if (!bench_ndr_loop_is_alive(h))
        return; /* which was said */
    bench_gap_watch_advise(advice, &machine, h->plan, &given);
    bench_error("no search found a rate in %u s each, %" PRIu64 " of %" PRIu64 " trials of %g ms void: %s",
                h->plan->seconds, voided, trials, (double)h->plan->trial_ns * 1e-6, advice);
}

static void put_rest(struct json_stream *s, const void *arg)
{
    bench_gap_watch_put(s, &machine, arg);
    ndr_not_found(s, &not_found);
}

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    static struct bench_generator generators[BENCH_NDR_LOOP_DEVICES];
    static struct bench_dut_process dut_processes[BENCH_NDR_LOOP_DEVICES];
    static struct bench_ndr_loop h;
    enum bench_points_outcome outcome = BENCH_POINTS_STOP;
    h = (struct bench_ndr_loop){.plan = plan, .count = 1};
    for (unsigned i = 0; i < BENCH_NDR_LOOP_DEVICES; i++) {
        h.devices[i].g = &generators[i];
        h.devices[i].dut = &dut_processes[i];
    }
    if (open_device(&h.devices[0], plan, point, false)) {
        if (plan->has_roofline && open_device(&h.devices[1], plan, point, true))
            h.count = 2;
        if (bench_ndr_loop_run(&h)) {
            bench_ndr_loop_latency(&h);
            bench_ndr_loop_overload(&h);
            bench_progress_end();
            outcome = report_all(json, &h);
        } else {
            bench_progress_end();
            say_not_found(&h);
        }
        if (plan->has_roofline)
            close_device(&h.devices[1]);
    }
    close_device(&h.devices[0]);
    return outcome;
}

int bench_ndr_points(const struct bench_plan *plan, const struct bench_points_mode *mode, unsigned devices)
{
    struct live_config eal = plan->eal;
    unsigned most = bench_plan_most_workers(plan);
    eal.core_count = 1;
    eal.cores[0] = plan->eal.cores[most];
    if (!eal_live_start(&eal, 1, devices * bench_generator_memory_octets(most)))
        return COMMAND_FAILED;
    int status = bench_report_points(plan, mode);
    eal_stop();
    return status;
}

/* Trial and bound of a gap by the gaps of the machine. False, with a line on stderr: no trial is short
 * enough.
 */
static bool choose(struct bench_plan *plan)
{
    char gaps[BENCH_GAP_WATCH_CHARS];
    if (!bench_gap_watch(&machine, plan->eal.cores, bench_plan_most_workers(plan) + 1,
                         plan->trial_ns > 0 ? BRIEF_NS : WATCH_NS))
        return false;
    const struct bench_gaps_choice choice = bench_gaps_choose(&machine, plan->gap_ns, plan->trial_ns);
    plan->gap_ns = choice.bound_ns;
    plan->trial_ns = choice.trial_ns;
    plan->patience_ns = choice.patience_ns;
    if (choice.is_measurable)
        return true;
    bench_gap_watch_describe(gaps, &machine, plan);
    bench_error(
        "this machine cannot be measured: %s; use idle CPUs, or give --trial-ms N to try in spite of it",
        gaps);
    return false;
}

int bench_ndr_run(const struct bench_plan *plan)
{
    if (plan->has_roofline && !bench_dut_process_has_testpmd()) {
        bench_error("dpdk-testpmd is missing; install dpdk-dev, or use --no-roofline");
        return COMMAND_MISSING;
    }
    struct bench_plan chosen = *plan;
    given = *plan;
    if (!choose(&chosen))
        return COMMAND_FAILED;
    return bench_ndr_points(
        &chosen,
        &(struct bench_points_mode){.head = ndr_head, .measure = measure_point, .put_rest = put_rest},
        plan->has_roofline ? 2 : 1);
}
