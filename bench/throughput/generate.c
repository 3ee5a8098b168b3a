/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench generate`: offers traffic to a node outside of this process. */
#include "bench/statistics/search.h"
#include "bench/throughput/console.h"
#include "bench/throughput/modes.h"
#include "bench/throughput/outside.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "bench/throughput/rfc2544.h"
#include "bench/throughput/values.h"

#include "bench/throughput/generator.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * `gbflow bench generate`: measures a node that runs by itself, on ports of any kind, with a BSS behind Gb
 * (gb_peer.h). One trial at a given offered load, or a search for NDR and PDR.
 *
 * Gaps of the node are not known here and count as loss; only gaps of the generator void a trial.
 */

struct bench_generate {
    struct bench_point point;
    struct bench_trial trial; /* at the given load; after a search, at 90 % of NDR */
    struct bench_rates rates; /* 0: no search */
    uint64_t trials, voided;
};

/* As report.h, of generate. */

#define PATIENCE_NS (10 * MOMENT_SECOND) /* wait for late frames of a node that may share its CPU */
#define NEAR_NDR    0.9

static int64_t end_of(const struct bench_plan *plan)
{
    return clock_now_ns() + (int64_t)plan->seconds * MOMENT_SECOND;
}

/* NDR and PDR, then latency at 90 % of NDR. */
static bool search(struct bench_outside *o, const struct bench_plan *plan, struct bench_generate *out)
{
    o->end_ns = end_of(plan);
    if (!bench_outside_search(o, &(struct bench_search){.count = 0}, &out->rates))
        return false;
    out->trial = (struct bench_trial){.rate = out->rates.ndr * NEAR_NDR, .has_latency = true};
    o->end_ns = end_of(plan);
    bool is_done = bench_outside_try(o, &out->trial);
    if (!is_done)
        out->trial = (struct bench_trial){0};
    out->trials = o->trials;
    out->voided = o->voided;
    return is_done || bench_console_is_interrupted();
}

/* One trial at the given load; gaps are counted, and do not void it. */
static bool generate_hold(struct bench_outside *o, const struct bench_plan *plan, struct bench_generate *out)
{
    out->trial = (struct bench_trial){
        .rate = plan->rate, .gap_ns = plan->gap_ns, .patience_ns = PATIENCE_NS, .has_latency = true};
    bench_generator_try(&o->g, &out->trial);
    out->trials = 1;
    out->voided = out->trial.gaps.longest_ns > 0;
    return true;
}

static bool generate_measure(const struct bench_plan *plan, const struct bench_point *point,
                             struct bench_generate *out)
{
    static struct bench_outside o;
    bool is_done = false;
    *out = (struct bench_generate){.point = *point};
    if (bench_outside_open(&o, plan, point) && bench_outside_wait(&o)) {
        is_done = plan->rate > 0 ? generate_hold(&o, plan, out) : search(&o, plan, out);
        if (!is_done && !bench_console_is_interrupted())
            bench_error("no offered load without loss found in %u s: raise --seconds, or try --rate",
                        plan->seconds);
    }
    bench_outside_close(&o);
    return is_done;
}

/* --- table and JSON --- */

static void generate_head(const struct bench_plan *plan)
{
    printf("a running node, %u cell%s, N201-U %u\n\n", plan->cells, words_plural(plan->cells), plan->n201_u);
    fflush(stdout);
}

/* NDR; of one trial the rate that was forwarded. */
static double rate_of(const struct bench_generate *r)
{
    return r->rates.ndr > 0 ? r->rates.ndr : bench_trial_rate(&r->trial) * (1 - bench_trial_loss(&r->trial));
}

static void generate_row(const struct bench_generate *r)
{
    const struct bench_trial *t = &r->trial;
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("%s octets, cipher %s, %u mobile%s", octets, bench_value_cipher_name(r->point.cipher),
           r->point.mobiles, words_plural(r->point.mobiles));
    if (r->point.workers > 1)
        printf(", %u workers", r->point.workers);
    if (r->rates.ndr > 0)
        printf(": NDR %s%.0f N-PDU/s, PDR %s%.0f%s", r->rates.is_ndr_least ? ">=" : "", r->rates.ndr,
               r->rates.is_pdr_least ? ">=" : "", r->rates.pdr,
               r->rates.is_finished ? "" : " (the search exceeded --seconds)");
    printf("\noffered %" PRIu64 " N-PDUs in %.3f s (%.0f/s), %" PRIu64
           " without room in the Gn ring; LLC frames expected %" PRIu64 ", received %" PRIu64
           ", lost %.4f %%\n",
           t->offered, (double)t->took_ns * 1e-9, bench_trial_rate(t), t->unsent, t->expected, t->received,
           100 * bench_trial_loss(t));
    if (t->p50_us > 0)
        printf("latency p50 %.1f us, p99 %.1f us\n", t->p50_us, t->p99_us);
    bench_report_ethernet(r->rates.ndr > 0 ? "NDR" : "rate", rate_of(r), r->point.octets);
    bench_report_void("trials", r->trials, r->voided);
    if (t->wrong_fcs + t->reordered > 0)
        printf("FAULT: %" PRIu64 " LLC frames malformed or with a wrong FCS, %" PRIu64
               " with N(U) out of order\n",
               t->wrong_fcs, t->reordered);
    fflush(stdout);
}

static void generate_trial(struct json_stream *s, const struct bench_plan *plan,
                           const struct bench_generate *r)
{
    const struct bench_trial *t = &r->trial;
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "generate", &r->point);
    BENCH_REPORT_ROWS(
        s, BENCH_REAL("npdu_per_s", bench_trial_rate(t) * (1 - bench_trial_loss(t))),
        BENCH_KNOWN("ndr_npdu_per_s", r->rates.ndr), BENCH_KNOWN("pdr_npdu_per_s", r->rates.pdr),
        BENCH_KNOWN("ns_per_npdu", r->rates.ndr > 0 ? 1e9 / r->rates.ndr : 0), BENCH_NULL("roofline_share"));
    BENCH_REPORT_ROWS(s, BENCH_BOOL("ndr_is_least", r->rates.is_ndr_least),
                      BENCH_BOOL("pdr_is_least", r->rates.is_pdr_least));
    bench_report_put_ethernet(s, rate_of(r), r->point.octets);
    json_stream_object(s, "latency_us");
    BENCH_REPORT_ROWS(s, BENCH_KNOWN("p50", t->p50_us), BENCH_KNOWN("p99", t->p99_us));
    json_stream_end(s);
    BENCH_REPORT_ROWS(s, BENCH_REAL("offered_npdu_per_s", bench_trial_rate(t)),
                      BENCH_COUNT("offered", t->offered), BENCH_COUNT("tx_ring_full", t->unsent),
                      BENCH_COUNT("frames_expected", t->expected),
                      BENCH_COUNT("frames_received", t->received), BENCH_REAL("loss", bench_trial_loss(t)),
                      BENCH_COUNT("wrong_fcs", t->wrong_fcs), BENCH_COUNT("reordered", t->reordered),
                      BENCH_COUNT("tried_trials", r->trials), BENCH_COUNT("voided_trials", r->voided),
                      BENCH_BOOL("search_finished", r->rates.is_finished));
    json_stream_end(s);
}

/* --- the mode --- */

static int report(const struct bench_plan *plan, const struct bench_point *point)
{
    struct bench_machine machine;
    struct json_stream json;
    struct bench_generate result;
    bench_machine_get(&machine);
    if (!bench_report_begin(&json, plan, &machine))
        return COMMAND_FAILED;
    bench_console_catch();
    generate_head(plan);
    bool is_done = generate_measure(plan, point, &result);
    if (is_done) {
        generate_row(&result);
        generate_trial(&json, plan, &result);
        is_done = result.trial.wrong_fcs + result.trial.reordered == 0;
    }
    bench_report_tail(&machine);
    return bench_report_end(&json, plan, &(struct bench_report_rest){.stopped = bench_console_stopped()}) &&
                   is_done && !bench_console_is_interrupted()
               ? COMMAND_OK
               : COMMAND_FAILED;
}

int bench_generate_run(const struct bench_plan *plan)
{
    struct bench_plan here = *plan;
    struct bench_point point = bench_plan_point(&(struct bench_points){.plan = plan});
    if (plan->rate > 0)
        here.trial_ns = (int64_t)plan->seconds * MOMENT_SECOND;
    if (!eal_live_start(&here.eal, 1, bench_generator_memory_octets(point.workers)))
        return COMMAND_FAILED;
    int status = plan->is_rfc2544 ? bench_rfc2544_run(&here) : report(&here, &point);
    eal_stop();
    return status;
}
