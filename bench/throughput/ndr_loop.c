/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/ndr_loop.h"
#include "bench/statistics/search.h"
#include "bench/throughput/console.h"
#include "bench/throughput/trial.h"
#include "bench/throughput/values.h"

#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#define FULL_RATE 0.0
#define OVERLOAD  2.0                        /* times the NDR */
#define WARM_NS   (2 * MOMENT_SECOND / 1000) /* load before a trial, after the DUT was stopped */
#define WAIT_US   2000                       /* pause when all searches at this distance have ended */

/* The searches of one DUT at one distance. */
struct search_set {
    struct bench_search searches[BENCH_NDR_SEARCHES];
    unsigned slow; /* trials in a row below the due load */
};

static struct search_set sets[BENCH_NDR_LOOP_DEVICES][BENCH_DISTANCES];

/* --- a trial --- */

/* Worker and generator on one CPU have no distance. */
static bool are_apart(const struct bench_plan *plan)
{
    return plan->eal.cores[0] != plan->eal.cores[bench_plan_most_workers(plan)];
}

static void look(struct bench_ndr_loop *h)
{
    if (are_apart(h->plan))
        bench_distance_sample(&h->distance);
}

/* Makes a trial; whether it is valid. */
static bool try_clean(struct bench_ndr_loop *h, struct bench_ndr_loop_device *d, struct bench_trial *trial)
{
    const unsigned before = h->distance.now;
    struct bench_ndr *r = &d->at[before];
    bench_dut_process_resume(d->dut);
    trial->warm_ns = WARM_NS;
    trial->gap_ns = h->plan->gap_ns;
    trial->patience_ns = h->plan->patience_ns;
    bench_generator_try(d->g, trial);
    bench_dut_process_pause(d->dut);
    look(h);
    struct bench_gaps gaps = trial->gaps;
    bench_gaps_add(&gaps, &trial->dut_gaps);
    /* Late frames of a trial before would hide a loss. */
    const bool is_full = trial->received + trial->refused > trial->expected;
    bool is_void = bench_trial_is_void(trial, &gaps) || is_full || h->distance.now != before;
    r->trials++;
    r->voided += is_void;
    r->wrong_fcs += trial->wrong_fcs;
    r->reordered += trial->reordered;
    return !is_void && !bench_console_is_interrupted(); /* which cut the trial short */
}

/* --- a search --- */

static void ndr_begin(struct bench_search *s, struct bench_ndr *r, const struct bench_trial *most)
{
    double offered = bench_trial_rate(most);
    r->offered_npdu_per_s = offered;
    r->most_npdu_per_s = offered * (1 - bench_trial_not_in_time(most));
    bench_search_begin(s, offered);
}

/* A load that the generator cannot offer counts as lost. */
static void add_loss(struct search_set *set, struct bench_search *s, struct bench_ndr *r,
                     const struct bench_trial *trial)
{
    bool is_short = bench_trial_is_short(trial);
    r->slow += is_short;
    set->slow = is_short ? set->slow + 1 : 0;
    if (is_short && set->slow < BENCH_TRIAL_SLOW)
        return;
    set->slow = 0;
    bench_search_add_loss(s, is_short ? 1 : bench_trial_lasting_loss(trial));
}

/* One trial of a DUT. False: its searches have ended, or the distance is not known. */
static bool ndr_step(struct bench_ndr_loop *h, unsigned device)
{
    const unsigned distance = h->distance.now;
    if (distance == BENCH_DISTANCE_UNKNOWN)
        return false;
    struct search_set *set = &sets[device][distance];
    struct bench_search *s = bench_search_turn(set->searches, h->plan->searches);
    struct bench_ndr *r = &h->devices[device].at[distance];
    struct bench_trial trial = {.rate = FULL_RATE};
    while (s && bench_search_has_begun(s) && (trial.rate = bench_search_next(s)) == 0)
        s = bench_search_turn(set->searches, h->plan->searches);
    if (!s)
        return false;
    if (!try_clean(h, &h->devices[device], &trial))
        return true;
    if (bench_search_has_begun(s))
        add_loss(set, s, r, &trial);
    else
        ndr_begin(s, r, &trial);
    return true;
}

/* --- all searches --- */

/* Trials of all DUTs so far, and the void ones of them. */
void bench_ndr_loop_count(const struct bench_ndr_loop *h, uint64_t *trials, uint64_t *voided)
{
    *trials = *voided = 0;
    for (unsigned i = 0; i < h->count; i++)
        for (unsigned k = 0; k < BENCH_DISTANCES; k++) {
            *trials += h->devices[i].at[k].trials;
            *voided += h->devices[i].at[k].voided;
        }
}

/* On a terminal a line that changes. */
static void show(const struct bench_ndr_loop *h, const char *part)
{
    char octets[8];
    uint64_t trials, voided;
    bench_value_octets_name(octets, h->devices[0].g->point.octets);
    bench_ndr_loop_count(h, &trials, &voided);
    bench_progress("%d s: %s octets: %s, %" PRIu64 " trials, %" PRIu64 " void ",
                   (int)((clock_now_ns() - h->start_ns) / MOMENT_SECOND), octets, part, trials, voided);
}

/* A trial of each DUT. Whether there was any. */
static bool run_trials(struct bench_ndr_loop *h)
{
    bool has_tried = false;
    for (unsigned k = 0; k < h->count; k++)
        has_tried = ndr_step(h, k) || has_tried;
    show(h, "NDR and PDR");
    return has_tried;
}

/* All searches of the distances where one has begun have ended, and at least one has begun. */
static bool is_over(const struct bench_ndr_loop *h)
{
    bool has_any = false;
    for (unsigned d = 0; d < BENCH_DISTANCES; d++) {
        bool is_begun = false, is_done = true;
        for (unsigned i = 0; i < h->plan->searches; i++)
            for (unsigned k = 0; k < h->count; k++) {
                const struct bench_search *s = &sets[k][d].searches[i];
                is_begun = is_begun || bench_search_has_begun(s);
                is_done = is_done && s->is_done;
            }
        if (is_begun && !is_done)
            return false;
        has_any = has_any || is_begun;
    }
    return has_any;
}

bool bench_ndr_loop_is_alive(struct bench_ndr_loop *h)
{
    for (unsigned k = 0; k < h->count; k++)
        if (!bench_dut_process_is_alive(h->devices[k].dut))
            return false;
    return true;
}

static bool is_going(struct bench_ndr_loop *h, int64_t end_ns)
{
    return clock_now_ns() < end_ns && !bench_console_is_interrupted() && bench_ndr_loop_is_alive(h);
}

static struct bench_ndr_rate rate_of(double *rates, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k > 0 && rates[k - 1] > rates[k]; k--) {
            double rate = rates[k];
            rates[k] = rates[k - 1];
            rates[k - 1] = rate;
        }
    return (struct bench_ndr_rate){rates[count / 2], rates[0], rates[count - 1], false};
}

/* Results of a DUT's searches at a distance. Whether they found a rate. */
static bool sum_up(struct bench_ndr_loop *h, unsigned device, unsigned distance)
{
    static const unsigned percents[BENCH_NDR_LEVELS] = {10, 50, 90};
    struct bench_ndr *r = &h->devices[device].at[distance];
    double ndr[BENCH_NDR_SEARCHES], pdr[BENCH_NDR_SEARCHES];
    unsigned count = 0;
    bool is_ndr_least = false, is_pdr_least = false;
    for (unsigned i = 0; i < h->plan->searches; i++) {
        struct bench_search *s = &sets[device][distance].searches[i];
        if (!bench_search_has_begun(s))
            continue;
        r->finished += bench_search_end(s);
        r->worth = fmax(r->worth, s->goals[1].worth);
        if (s->goals[1].found == 0)
            continue;
        is_pdr_least |= s->goals[0].is_least;
        is_ndr_least |= s->goals[1].is_least;
        pdr[count] = s->goals[0].found;
        ndr[count++] = s->goals[1].found;
    }
    for (unsigned i = 0; i < BENCH_NDR_LEVELS; i++)
        r->latency[i].percent = percents[i];
    r->searches = h->plan->searches;
    r->round_trip_ns = h->distance.ns[distance];
    if (count == 0)
        return false;
    r->ndr = rate_of(ndr, count);
    r->pdr = rate_of(pdr, count);
    r->ndr.is_least = is_ndr_least;
    r->pdr.is_least = is_pdr_least;
    return true;
}

static void begin_all(struct bench_ndr_loop *h)
{
    for (unsigned k = 0; k < BENCH_NDR_LOOP_DEVICES; k++)
        for (unsigned d = 0; d < BENCH_DISTANCES; d++) {
            sets[k][d] = (struct search_set){.slow = 0};
            h->devices[k].at[d] = (struct bench_ndr){.point = h->devices[0].g->point};
        }
    h->distance = (struct bench_distance){.lcore = EAL_LIVE_LCORE(0),
                                          .cpu = h->plan->eal.cores[0],
                                          .now = are_apart(h->plan) ? BENCH_DISTANCE_UNKNOWN : 0};
}

bool bench_ndr_loop_run(struct bench_ndr_loop *h)
{
    begin_all(h);
    h->start_ns = clock_now_ns();
    const int64_t end_ns =
        clock_now_ns() + (int64_t)h->plan->seconds * h->plan->searches * h->count * MOMENT_SECOND;
    while (is_going(h, end_ns)) {
        if (run_trials(h))
            continue;
        if (is_over(h))
            break;
        usleep(WAIT_US);
        look(h);
    }
    bool is_found = false;
    for (unsigned k = 0; k < h->count; k++)
        for (unsigned d = 0; d < BENCH_DISTANCES; d++)
            is_found = (sum_up(h, k, d) && k == 0) || is_found;
    return is_found;
}

/* --- latency --- */

/* Latency at one level of the present distance's NDR; whether there was a valid trial. */
static bool try_latency(struct bench_ndr_loop *h, unsigned level)
{
    if (h->distance.now == BENCH_DISTANCE_UNKNOWN)
        return false;
    struct bench_ndr *r = &h->devices[0].at[h->distance.now];
    struct bench_ndr_latency *l = &r->latency[level];
    struct bench_trial trial = {.rate = r->ndr.median * l->percent / 100, .has_latency = true};
    if (trial.rate == 0 || l->is_tried || !try_clean(h, &h->devices[0], &trial))
        return false;
    l->is_tried = true;
    l->p50_us = trial.p50_us;
    l->p99_us = trial.p99_us;
    return true;
}

static bool is_known(const struct bench_ndr_loop *h)
{
    for (unsigned d = 0; d < BENCH_DISTANCES; d++)
        for (unsigned i = 0; i < BENCH_NDR_LEVELS; i++)
            if (h->devices[0].at[d].ndr.median > 0 && !h->devices[0].at[d].latency[i].is_tried)
                return false;
    return true;
}

/* Then: latency of the first DUT. */
void bench_ndr_loop_latency(struct bench_ndr_loop *h)
{
    const int64_t end_ns = clock_now_ns() + (int64_t)h->plan->seconds * MOMENT_SECOND;
    while (is_going(h, end_ns) && !is_known(h)) {
        bool has_tried = false;
        show(h, "latency");
        for (unsigned i = 0; i < BENCH_NDR_LEVELS; i++)
            has_tried = try_latency(h, i) || has_tried;
        if (has_tried)
            continue;
        usleep(WAIT_US);
        look(h);
    }
}

/* --- overload --- */

/* A trial at the present distance; whether it counts. */
static bool try_overload(struct bench_ndr_loop *h)
{
    if (h->distance.now == BENCH_DISTANCE_UNKNOWN)
        return false;
    struct bench_ndr *r = &h->devices[0].at[h->distance.now];
    struct bench_ndr_overload *o = &r->overload;
    struct bench_trial trial = {.rate = OVERLOAD * r->ndr.median};
    if (trial.rate == 0 || o->trials == BENCH_NDR_OVERLOADS || !try_clean(h, &h->devices[0], &trial))
        return false;
    double took_s = (double)trial.took_ns * 1e-9;
    o->offered[o->trials] = (double)trial.offered / took_s;
    o->carried[o->trials] = o->offered[o->trials] * (1 - bench_trial_not_in_time(&trial));
    o->trials++;
    return true;
}

static bool is_overload_known(const struct bench_ndr_loop *h)
{
    for (unsigned d = 0; d < BENCH_DISTANCES; d++)
        if (h->devices[0].at[d].ndr.median > 0 && h->devices[0].at[d].overload.trials < BENCH_NDR_OVERLOADS)
            return false;
    return true;
}

/* Then: what the first DUT carries of twice its NDR. */
void bench_ndr_loop_overload(struct bench_ndr_loop *h)
{
    const int64_t end_ns = clock_now_ns() + (int64_t)h->plan->seconds * MOMENT_SECOND;
    while (is_going(h, end_ns) && !is_overload_known(h)) {
        show(h, "overload");
        if (try_overload(h))
            continue;
        usleep(WAIT_US);
        look(h);
    }
    for (unsigned d = 0; d < BENCH_DISTANCES; d++) {
        struct bench_ndr_overload *o = &h->devices[0].at[d].overload;
        if (o->trials == 0)
            continue;
        o->offered_npdu_per_s = rate_of(o->offered, o->trials).median;
        o->npdu_per_s = rate_of(o->carried, o->trials).median;
    }
}
