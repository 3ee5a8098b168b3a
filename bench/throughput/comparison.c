/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/comparison.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/slices.h"
#include "bench/throughput/values.h"

#include "bench/throughput/fixture.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/teid.h"

#include <inttypes.h>
#include <math.h>
#include <rte_common.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAD_NS     INT64_C(4000000) /* from order to first window: workers wake, caches fill */
#define LEAST_SHARE 4                /* a slice is valid with 1 / LEAST_SHARE of its windows */
#define VOID_FACTOR 20               /* most pairs to try / pairs wanted */

/* A round under way. */
struct round {
    const struct bench_plan *plan;
    struct bench_comparison *contest;
    struct bench_slices_process processes[2][BENCH_COMPARISON_PROCESSES];
};

/* Removes from each worker the windows that have a gap in any worker. Returns the number of windows left. */
static unsigned join(double *ns, unsigned workers, unsigned windows)
{
    unsigned left = 0;
    for (unsigned k = 0; k < windows; k++) {
        bool is_void = false;
        for (unsigned i = 0; i < workers; i++)
            is_void |= ns[(size_t)i * windows + k] <= 0;
        for (unsigned i = 0; i < workers && !is_void; i++)
            ns[(size_t)i * windows + left] = ns[(size_t)i * windows + k];
        left += !is_void;
    }
    return left;
}

double bench_comparison_rate(double *ns, unsigned workers, unsigned windows)
{
    unsigned left = join(ns, workers, windows);
    double rate = 0;
    for (unsigned i = 0; i < workers && left > 0; i++) {
        struct bench_spread one = {.values = ns + (size_t)i * windows, .count = left, .cap = left};
        rate += 1e9 / bench_spread_summary(&one).median;
    }
    return left * LEAST_SHARE < windows ? 0 : rate;
}

/* --- a round --- */

static struct bench_point part(const struct bench_comparison *c, const struct bench_comparison_side *side)
{
    struct bench_point point = c->point;
    point.workers = side->workers;
    point.mobiles /= side->processes;
    point.cells /= side->processes;
    return point;
}

static bool start_side(struct round *r, unsigned s)
{
    const struct bench_comparison_side *side = &r->contest->sides[s];
    const struct bench_point point = part(r->contest, side);
    for (unsigned i = 0; i < side->processes; i++) {
        static struct bench_arguments a;
        a.count = 0;
        bench_arguments_point(&a, "slices", r->plan, &point);
        bench_arguments_workers(&a, r->plan, i * side->workers, side->workers);
        bench_arguments_put(&a, "--window-ms %" PRId64, r->plan->window_ns / 1000000);
        if (side->slowdown_percent > 0)
            bench_arguments_put(&a, "--plant %u", side->slowdown_percent);
        if (r->plan->is_fcs_checked)
            bench_arguments_put(&a, "--check-fcs");
        if (!bench_slices_process_start(&r->processes[s][i], side->path, &a))
            return false;
    }
    return true;
}

static bool comparison_start(struct round *r, unsigned first)
{
    if (!start_side(r, first) || !start_side(r, !first))
        return false;
    for (unsigned s = 0; s < 2; s++)
        for (unsigned i = 0; i < r->contest->sides[s].processes; i++)
            if (!bench_slices_process_wait(&r->processes[s][i]))
                return false;
    return true;
}

static void stop(struct round *r)
{
    for (unsigned s = 0; s < 2; s++)
        for (unsigned i = 0; i < BENCH_COMPARISON_PROCESSES; i++)
            bench_slices_process_stop(&r->processes[s][i]);
}

static bool comparison_finish(struct round *r)
{
    bool is_good = true;
    for (unsigned s = 0; s < 2; s++)
        for (unsigned i = 0; i < r->contest->sides[s].processes; i++)
            is_good &= bench_slices_process_finish(&r->processes[s][i]);
    return is_good;
}

/* Measures one slice of a side; *rate 0: void. False: a process ended. */
static bool slice(struct round *r, unsigned s, double *rate)
{
    static double ns[TEID_WORKERS * BENCH_COMPARISON_PROCESSES * BENCH_SLICES_WINDOWS];
    const struct bench_comparison_side *side = &r->contest->sides[s];
    const unsigned windows = r->plan->windows;
    const int64_t at_ns = clock_now_ns() + LEAD_NS;
    for (unsigned i = 0; i < side->processes; i++)
        bench_slices_process_order(&r->processes[s][i], at_ns, windows);
    for (unsigned i = 0; i < side->processes; i++)
        if (!bench_slices_process_take(&r->processes[s][i], side->workers, windows,
                                       ns + (size_t)i * side->workers * windows))
            return false;
    *rate = bench_comparison_rate(ns, side->processes * side->workers, windows);
    return true;
}

static void keep(struct bench_comparison *c, const double *rates, struct bench_spread *sides,
                 struct bench_spread *ratios)
{
    if (rates[0] <= 0 || rates[1] <= 0) {
        c->voided++;
        return;
    }
    c->pairs++;
    bench_spread_add(&sides[0], rates[0]);
    bench_spread_add(&sides[1], rates[1]);
    bench_spread_add(ratios, rates[1] / rates[0]);
}

static bool run_pairs(struct round *r, struct bench_spread *sides, struct bench_spread *ratios,
                      unsigned first)
{
    for (unsigned i = 0; ratios->count < r->plan->slices && i < r->plan->slices * VOID_FACTOR; i++) {
        double rates[2];
        if (bench_console_is_interrupted())
            break;
        unsigned leader = (first + i) % 2;
        if (!slice(r, leader, &rates[leader]) || !slice(r, !leader, &rates[!leader]))
            return false;
        keep(r->contest, rates, sides, ratios);
    }
    return true;
}

static bool run_round(struct round *r, unsigned number)
{
    struct bench_comparison *c = r->contest;
    struct bench_spread sides[2] = {{0}}, ratios = {0};
    bool is_good = bench_spread_new(&sides[0], r->plan->slices) &&
                   bench_spread_new(&sides[1], r->plan->slices) &&
                   bench_spread_new(&ratios, r->plan->slices) && comparison_start(r, number % 2) &&
                   run_pairs(r, sides, &ratios, number % 2) && comparison_finish(r);
    stop(r);
    const bool is_whole = ratios.count == r->plan->slices || !bench_console_is_interrupted();
    if (is_good && is_whole && ratios.count > 0) {
        for (unsigned s = 0; s < 2; s++)
            bench_spread_add(&c->rates[s], bench_spread_summary(&sides[s]).median);
        bench_spread_add(&c->ratios, bench_spread_summary(&ratios).median);
    }
    bench_spread_free(&sides[0]);
    bench_spread_free(&sides[1]);
    bench_spread_free(&ratios);
    return is_good;
}

bool bench_comparison_run(struct bench_comparison *c, const struct bench_plan *plan)
{
    static struct round round;
    round = (struct round){.plan = plan, .contest = c};
    if (!bench_spread_new(&c->rates[0], plan->rounds) || !bench_spread_new(&c->rates[1], plan->rounds) ||
        !bench_spread_new(&c->ratios, plan->rounds))
        return false;
    for (unsigned i = 0; i < plan->rounds && !bench_console_is_interrupted(); i++) {
        if (!run_round(&round, i))
            return false;
        bench_progress("%u of %u rounds ", i + 1, plan->rounds);
    }
    bench_progress_end();
    c->is_short = c->ratios.count < plan->rounds || c->pairs < (uint64_t)plan->rounds * plan->slices;
    if (c->ratios.count == 0 && !bench_console_is_interrupted())
        bench_error(
            "no valid slice: too few windows without a step above gap_us = %g; use idle CPUs, or raise --set "
            "gap_us",
            (double)plan->gap_ns * 1e-3);
    return c->ratios.count > 0;
}

void bench_comparison_free(struct bench_comparison *c)
{
    for (unsigned s = 0; s < 2; s++)
        bench_spread_free(&c->rates[s]);
    bench_spread_free(&c->ratios);
}

/* All processes take huge pages, or all do without: the first one to start could take the pages of the rest.
 */
int bench_comparison_run_points(const struct bench_plan *plan, const struct bench_points_mode *mode)
{
    struct bench_plan decided = *plan;
    /* Of this process and of all that run at a time. */
    const size_t octets =
        (1 + BENCH_COMPARISON_PROCESSES) * bench_fixture_most_octets(plan, BENCH_COMPARISON_PROCESSES);
    decided.eal.pages =
        eal_live_has_huge_pages(&plan->eal, octets) ? LIVE_CONFIG_PAGES_HUGE : LIVE_CONFIG_PAGES_NORMAL;
    if (!eal_live_start(&decided.eal, 0, 0))
        return COMMAND_FAILED;
    int status = bench_report_points(&decided, mode);
    eal_stop();
    return status;
}

static bool is_pair(const struct bench_comparison *c)
{
    return strcmp(c->sides[0].name, "apart") == 0;
}

void bench_comparison_head(const struct bench_plan *plan)
{
    bench_report_traffic(plan);
    printf(", %u round%s of %u pair%s of slices of %u window%s of %g ms\n\n", plan->rounds,
           words_plural(plan->rounds), plan->slices, words_plural(plan->slices), plan->windows,
           words_plural(plan->windows), (double)plan->window_ns * 1e-6);
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
    if (isnan(v->low))
        printf("  no difference shown: b takes %+.2f %% time per N-PDU (no 95 %% interval)\n", percent);
    else if (v->word == BENCH_VERDICT_NONE)
        printf("  no difference shown: b takes %+.2f %% time per N-PDU (95 %% interval %+.2f..%+.2f)\n",
               percent, low, high);
    else
        printf("  b is %s: %+.2f %% time per N-PDU (95 %% interval %+.2f..%+.2f)\n",
               bench_spread_verdict_name(v->word), percent, low, high);
}

void bench_comparison_row(const struct bench_plan *plan, struct bench_comparison *c,
                          const struct bench_verdict *v)
{
    const uint64_t asked = (uint64_t)plan->rounds * plan->slices;
    const struct bench_report_valid rounds = {"round", c->ratios.count, plan->rounds, 0},
                                    pairs = {"pairs of slice", c->pairs, asked, c->voided};
    char octets[8], interval[BENCH_REPORT_INTERVAL_CHARS];
    bench_value_octets_name(octets, c->point.octets);
    printf("octets %s, cipher %s, %u mobile%s: %zu of %u rounds, %" PRIu64 " of %" PRIu64
           " pairs of slices, %" PRIu64 " void%s\n",
           octets, bench_value_cipher_name(c->point.cipher), c->point.mobiles, words_plural(c->point.mobiles),
           c->ratios.count, plan->rounds, c->pairs, asked, c->voided, c->is_short ? " !" : "");
    bench_report_explain(plan, &rounds, &pairs);
    bench_report_void("pairs of slices", c->pairs + c->voided, c->voided);
    for (unsigned s = 0; s < 2; s++)
        print_side(&c->sides[s], &c->rates[s]);
    if (is_pair(c))
        printf("  one process reaches %.2f %% of two (95 %% interval %s)\n", v->ratio * 100,
               bench_report_interval(interval, 2, v->low * 100, v->high * 100));
    else
        print_verdict(v);
    fflush(stdout);
}

static void put_side(struct json_stream *s, const struct bench_comparison_side *side,
                     struct bench_spread *rates)
{
    struct bench_spread_summary r = bench_spread_summary(rates);
    json_stream_object(s, side->name);
    BENCH_REPORT_ROWS(
        s, BENCH_TEXT("program", side->path), BENCH_COUNT("processes", side->processes),
        BENCH_COUNT("workers_each", side->workers), BENCH_COUNT("slowdown_percent", side->slowdown_percent),
        BENCH_REAL("npdu_per_s", r.median), BENCH_REAL("npdu_per_s_lower_quartile", r.lower_quartile),
        BENCH_REAL("npdu_per_s_upper_quartile", r.upper_quartile));
    json_stream_end(s);
}

void bench_comparison_trial(struct json_stream *s, const struct bench_plan *plan, struct bench_comparison *c,
                            const struct bench_verdict *v)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, is_pair(c) ? "pair" : "compare", &c->point);
    for (unsigned i = 0; i < 2; i++)
        put_side(s, &c->sides[i], &c->rates[i]);
    BENCH_REPORT_ROWS(s, BENCH_REAL("ratio", v->ratio), BENCH_REAL("ratio_low", v->low),
                      BENCH_REAL("ratio_high", v->high),
                      BENCH_REAL("slower_percent", bench_verdict_slower_percent(v->ratio)),
                      BENCH_TEXT("verdict", bench_spread_verdict_name(v->word)));
    json_stream_array(s, "ratios");
    for (size_t i = 0; i < c->ratios.count; i++)
        json_stream_number(s, NULL, c->ratios.values[i]);
    json_stream_end(s);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("rounds", c->ratios.count), BENCH_COUNT("rounds_asked", plan->rounds),
                      BENCH_COUNT("pairs", c->pairs),
                      BENCH_COUNT("pairs_asked", (uint64_t)plan->rounds * plan->slices),
                      BENCH_COUNT("voided_pairs", c->voided));
    json_stream_end(s);
}

struct bench_comparison bench_comparison_sides(const struct bench_point *point, const char *a, const char *b,
                                               unsigned slowdown_percent)
{
    return (struct bench_comparison){
        .point = *point,
        .sides = {{.name = "a", .path = a, .processes = 1, .workers = point->workers},
                  {.name = "b",
                   .path = b,
                   .processes = 1,
                   .workers = point->workers,
                   .slowdown_percent = slowdown_percent}},
    };
}

bool bench_comparison_measure(struct json_stream *json, const struct bench_plan *plan,
                              struct bench_comparison *c, enum bench_verdict_word *word)
{
    bool is_done = bench_comparison_run(c, plan);
    if (is_done) {
        struct bench_verdict verdict = bench_spread_verdict(&c->ratios, plan->margin_percent * 0.01);
        *word = verdict.word;
        bench_comparison_row(plan, c, &verdict);
        bench_comparison_trial(json, plan, c, &verdict);
    }
    bench_comparison_free(c);
    return is_done;
}

static enum bench_points_outcome compare_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    enum bench_verdict_word word;
    struct bench_comparison c = bench_comparison_sides(point, plan->files[0], plan->files[1], 0);
    if (!bench_comparison_measure(json, plan, &c, &word))
        return BENCH_POINTS_STOP;
    return word == BENCH_VERDICT_SLOWER || c.is_short ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

int bench_comparison_mode(const struct bench_plan *plan)
{
    return bench_comparison_run_points(
        plan, &(struct bench_points_mode){.head = bench_comparison_head, .measure = compare_point});
}
