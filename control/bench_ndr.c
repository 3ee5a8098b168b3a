/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/bench_ndr.h"

#include "control/bench_generator.h"
#include "control/bench_report_ndr.h"
#include "control/bench_search.h"
#include "control/bench_walk.h"
#include "control/command.h"
#include "control/eal.h"
#include "control/eal_live.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH       0.005
#define PDR_LOSS    0.005
#define BELOW_MOST  0.95 /* of what the generator can offer: where searches begin */
#define SLOW_TRIALS 3    /* in a row: it is not the machine */
#define FULL_RATE   0.0

/* A search under way. */
struct hunt {
    struct bench_generator *g;
    struct bench_peer *peer;
    struct bench_ndr *result;
    int64_t end_ns;
};

/* Here and in the device, from now on: what makes a trial void. Where the operator says it, that holds at any
 * rate. */
static int64_t set_gap_ns(struct hunt *h, double rate)
{
    const struct bench_plan *plan = h->g->plan;
    int64_t gap_ns =
        plan->is_gap_given ? plan->gap_ns : bench_generator_void_ns(plan->gap_ns, rate / h->g->point.workers);
    atomic_store(&h->peer->page->gap_ns, gap_ns);
    bench_peer_longest_gap_ns(h->peer, gap_ns);
    return gap_ns;
}

/* One trial that is not void; false: time is up, or the peer is gone. */
static bool try_clean(struct hunt *h, struct bench_trial *trial)
{
    for (;;) {
        trial->gap_ns = set_gap_ns(h, trial->rate);
        bench_generator_try(h->g, trial);
        int64_t longest_ns =
            moment_max(trial->longest_gap_ns, bench_peer_longest_gap_ns(h->peer, trial->gap_ns));
        h->result->trials++;
        h->result->wrong_fcs += trial->wrong_fcs;
        h->result->reordered += trial->reordered;
        if (!bench_trial_is_void(trial, h->g->plan->gap_ns, longest_ns))
            return true;
        h->result->voided++;
        if (clock_now_ns() > h->end_ns || !bench_peer_is_alive(h->peer))
            return false;
    }
}

/* bench_search_try: what cannot be offered counts as lost. */
static bool try_rate(void *arg, double rate, double *loss)
{
    struct hunt *h = arg;
    struct bench_trial trial = {.rate = rate};
    for (unsigned i = 0; i < SLOW_TRIALS; i++) {
        if (!try_clean(h, &trial))
            return false;
        *loss = bench_trial_loss(&trial);
        if (!bench_trial_is_short(&trial))
            return true;
        h->result->slow++;
    }
    *loss = 1;
    return true;
}

static void show(const struct bench_plan *plan, const char *what, const struct hunt *h)
{
    if (!plan->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %llu trials, %llu void ", what, (unsigned long long)h->result->trials,
                (unsigned long long)h->result->voided);
}

static struct bench_ndr_rate rate_of(double *rates, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k > 0 && rates[k - 1] > rates[k]; k--) {
            double rate = rates[k];
            rates[k] = rates[k - 1];
            rates[k - 1] = rate;
        }
    return (struct bench_ndr_rate){rates[count / 2], rates[0], rates[count - 1]};
}

/* Searches for the goals once; false: not even the highest rate could be tried. */
static bool search_once(struct hunt *h, struct bench_search *s, bool *is_finished)
{
    struct bench_trial most = {.rate = FULL_RATE};
    h->end_ns = clock_now_ns() + (int64_t)h->g->plan->seconds * MOMENT_SECOND;
    if (!try_clean(h, &most))
        return false;
    double offered = (double)most.offered / (double)most.took_ns * 1e9;
    h->result->offered_npdu_per_s = offered;
    h->result->most_npdu_per_s = offered * (1 - bench_trial_loss(&most));
    s->max_rate = offered * BELOW_MOST;
    *is_finished = bench_search_run(s, try_rate, h);
    return true;
}

static bool search_all(struct hunt *h, unsigned searches)
{
    double ndr[BENCH_NDR_SEARCHES], pdr[BENCH_NDR_SEARCHES];
    unsigned count = 0;
    for (unsigned i = 0; i < searches; i++) {
        bool is_finished = false;
        struct bench_search s = {.width = WIDTH, .goal_count = 2, .goals = {{.loss = PDR_LOSS}, {.loss = 0}}};
        if (!search_once(h, &s, &is_finished) || s.goals[1].lower == 0)
            continue;
        pdr[count] = s.goals[0].lower;
        ndr[count++] = s.goals[1].lower;
        h->result->finished += is_finished;
        show(h->g->plan, "search", h);
    }
    h->result->searches = searches;
    if (count == 0)
        return false;
    h->result->ndr = rate_of(ndr, count);
    h->result->pdr = rate_of(pdr, count);
    return true;
}

bool bench_ndr_search(struct bench_generator *g, struct bench_peer *peer, struct bench_ndr *result,
                      unsigned searches)
{
    struct hunt h = {.g = g, .peer = peer, .result = result};
    bool is_done = search_all(&h, searches);
    if (!is_done)
        fputs("gbflow bench: no search found a rate: the machine is too busy\n", stderr);
    return is_done;
}

static void measure_latency(struct hunt *h)
{
    static const unsigned percents[BENCH_NDR_LEVELS] = {10, 50, 90};
    for (unsigned i = 0; i < BENCH_NDR_LEVELS; i++) {
        struct bench_trial trial = {.rate = h->result->ndr.median * percents[i] / 100, .has_latency = true};
        h->end_ns = clock_now_ns() + (int64_t)h->g->plan->seconds * MOMENT_SECOND / BENCH_NDR_LEVELS;
        bool is_clean = try_clean(h, &trial);
        h->result->latency[i] = (struct bench_ndr_latency){.percent = percents[i],
                                                           .p50_us = is_clean ? trial.p50_us : 0,
                                                           .p99_us = is_clean ? trial.p99_us : 0};
    }
}

/* With a peer of its own. False, with a line on stderr: nothing was measured. */
static bool hunt(const struct bench_plan *plan, struct bench_ndr *result, bool is_mirror)
{
    static struct bench_generator g;
    struct bench_peer peer;
    bool is_done = false;
    g = (struct bench_generator){.plan = NULL};
    if (!bench_peer_start(&peer, plan, &result->point, is_mirror))
        return false;
    if (bench_generator_open(&g, plan, &result->point, &peer)) {
        is_done = bench_ndr_search(&g, &peer, result, is_mirror ? 1 : plan->searches);
        if (is_done && !is_mirror)
            measure_latency(&(struct hunt){.g = &g, .peer = &peer, .result = result});
    }
    bench_generator_close(&g);
    bench_peer_stop(&peer);
    return is_done;
}

static bool measure(const struct bench_plan *plan, const struct bench_point *point, struct bench_ndr *result)
{
    *result = (struct bench_ndr){.point = *point};
    if (!hunt(plan, result, false))
        return false;
    struct bench_ndr mirror = {.point = *point};
    if (plan->has_roofline && hunt(plan, &mirror, true))
        result->roofline_npdu_per_s = mirror.ndr.median;
    return true;
}

static enum bench_walk_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                             const struct bench_point *point)
{
    struct bench_ndr result;
    if (!measure(plan, point, &result))
        return BENCH_WALK_STOP;
    bench_report_ndr_row(&result);
    bench_report_ndr_trial(json, plan, &result);
    return result.wrong_fcs + result.reordered > 0 ? BENCH_WALK_BAD : BENCH_WALK_GOOD;
}

int bench_ndr_walk(const struct bench_plan *plan, const struct bench_walk_mode *mode)
{
    struct live_config eal = plan->eal;
    unsigned most = bench_plan_most_workers(plan);
    eal.core_count = 1;
    eal.cores[0] = plan->eal.cores[most];
    if (!eal_live_start(&eal, 1, bench_generator_memory_octets(most)))
        return COMMAND_FAILED;
    int status = bench_walk_run(plan, mode);
    eal_stop();
    return status;
}

int bench_ndr_run(const struct bench_plan *plan)
{
    return bench_ndr_walk(plan, &(struct bench_walk_mode){bench_report_ndr_head, measure_point});
}
