/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/search.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * The verdict on a comparison, from one ratio of the sides' rates for each round.
 *
 * Model: ratios are independent draws from one distribution of any shape. Its median lies between the k-th
 * smallest and the k-th largest of n ratios with a probability of 1 - 2 P(Bin(n, 1/2) < k); k is the largest
 * for which that is at least 95 %. Fewer than BENCH_VERDICT_ROUNDS have no such k: the interval is then from
 * least to most, and there is no verdict. A difference is reported if the whole interval lies beyond the
 * margin.
 */

#define BENCH_VERDICT_ROUNDS 6 /* (1/2)^6 is the first below 2.5 % */

bool bench_spread_new(struct bench_spread *s, size_t cap)
{
    *s = (struct bench_spread){.values = calloc(cap > 0 ? cap : 1, sizeof(double)), .cap = cap};
    return s->values != NULL;
}

void bench_spread_free(struct bench_spread *s)
{
    free(s->values);
    *s = (struct bench_spread){0};
}

static int search_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Interpolates between neighbours. */
static double quantile(const struct bench_spread *s, double share)
{
    double at = share * (double)(s->count - 1), whole = floor(at);
    size_t i = (size_t)whole;
    double next = s->values[i + 1 < s->count ? i + 1 : i];
    return s->values[i] + (at - whole) * (next - s->values[i]);
}

/* The value of a rank, from 0 to the last one. */
static double at_rank(const struct bench_spread *s, double rank)
{
    double last = (double)(s->count - 1);
    return s->values[(size_t)(rank < 0 ? 0 : rank > last ? last : rank)];
}

struct bench_spread_summary bench_spread_summary(struct bench_spread *s)
{
    if (s->count == 0)
        return (struct bench_spread_summary){0};
    qsort(s->values, s->count, sizeof(*s->values), search_compare);
    double half = (double)s->count / 2, wide = 0.98 * sqrt((double)s->count);
    return (struct bench_spread_summary){
        .median = quantile(s, 0.5),
        .lower_quartile = quantile(s, 0.25),
        .upper_quartile = quantile(s, 0.75),
        .low = at_rank(s, floor(half - wide)),
        .high = at_rank(s, ceil(half + wide)),
    };
}

#define TAIL 0.025

size_t bench_verdict_rank(size_t n)
{
    double term = pow(0.5, (double)n), below = 0; /* below: P(Bin(n, 1/2) < k + 1) */
    size_t k = 0;
    for (; k < n; k++) {
        below += term;
        if (below > TAIL)
            break;
        term *= (double)(n - k) / (double)(k + 1);
    }
    return k;
}

struct bench_verdict bench_verdict_of(struct bench_spread *ratios, double margin)
{
    struct bench_verdict v = {.ratio = bench_spread_summary(ratios).median};
    size_t rank = bench_verdict_rank(ratios->count);
    if (ratios->count == 0)
        return v;
    rank = rank > 0 ? rank : 1;
    v.low = ratios->values[rank - 1];
    v.high = ratios->values[ratios->count - rank];
    if (ratios->count < BENCH_VERDICT_ROUNDS)
        return v;
    if (v.high < 1 - margin)
        v.word = BENCH_VERDICT_SLOWER;
    if (v.low > 1 + margin)
        v.word = BENCH_VERDICT_FASTER;
    return v;
}

const char *bench_verdict_name(enum bench_verdict_word word)
{
    static const char *const names[] = {"none", "slower", "faster"};
    return names[word];
}

#define AGREED     2   /* trials that have to agree on a rate */
#define LEAST      1e5 /* the search ends below max_rate / LEAST */
#define STEP       0.9 /* next rate below one that is above the goal, */
#define STEEPER    0.6 /* and from the third rate on */
#define NEAR       1e-6
#define NARROW     0.05 /* (upper - lower) / upper at which the staircase begins */
#define SETTLES    4    /* 1 / SETTLES of the trials of a staircase come before those that count */
#define FIRST_STEP 0.4  /* of a staircase; the n-th step is 1 / n of it */
#define RISE       4    /* steps up after a pass, for one down after a fail */

enum verdict { UNKNOWN, BELOW, ABOVE };

static unsigned above_of(const struct bench_search_rate *r, double loss)
{
    unsigned above = 0;
    for (unsigned i = 0; i < r->count; i++)
        above += r->losses[i] > loss;
    return above;
}

/* By most of the rate's trials. */
static enum verdict verdict_of(const struct bench_search *s, const struct bench_search_rate *r, double loss)
{
    const unsigned agreed = s->agreed > 0 ? s->agreed : AGREED;
    unsigned above = above_of(r, loss), below = r->count - above;
    return above >= agreed && above > below ? ABOVE : below >= agreed && below > above ? BELOW : UNKNOWN;
}

/* Sets the interval of a goal. */
static void set_interval(const struct bench_search *s, struct bench_search_goal *goal)
{
    goal->lower = goal->upper = 0;
    for (size_t i = 0; i < s->count; i++)
        if (verdict_of(s, &s->rates[i], goal->loss) == ABOVE &&
            (goal->upper == 0 || s->rates[i].rate < goal->upper))
            goal->upper = s->rates[i].rate;
    for (size_t i = 0; i < s->count; i++)
        if (verdict_of(s, &s->rates[i], goal->loss) == BELOW && s->rates[i].rate > goal->lower &&
            (goal->upper == 0 || s->rates[i].rate < goal->upper))
            goal->lower = s->rates[i].rate;
    const double narrow = s->narrow > 0 ? s->narrow : NARROW;
    goal->is_narrow = goal->lower > 0 && goal->upper - goal->lower <= narrow * goal->upper;
}

static struct bench_search_rate *search_find(struct bench_search *s, double rate)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rates[i].rate - rate < NEAR * rate && rate - s->rates[i].rate < NEAR * rate)
            return &s->rates[i];
    if (s->count == BENCH_SEARCH_RATES)
        return NULL;
    s->rates[s->count] = (struct bench_search_rate){.rate = rate};
    return &s->rates[s->count++];
}

/* The next rate of the bisection; tries counts the goal's rates so far. 0: there is none. */
static double next_rate(const struct bench_search *s, const struct bench_search_goal *goal, unsigned tries)
{
    if (goal->upper == 0)
        return s->max_rate;
    if (goal->lower > 0)
        return (goal->lower + goal->upper) / 2;
    double forwarded = s->max_rate * (1 - s->rates[0].losses[0]); /* 0: could not be offered */
    bool is_useful = tries <= 1 && forwarded > 0 && forwarded < goal->upper;
    double rate = is_useful ? forwarded : goal->upper * (tries <= 2 ? STEP : STEEPER);
    return rate < s->max_rate / LEAST ? 0 : rate;
}

/* The rate of the next trial for a goal; 0: its bisection has ended. */
static double rate_for(struct bench_search *s, const struct bench_search_goal *goal)
{
    const struct bench_search_rate *r = s->unsettled > 0 ? search_find(s, s->unsettled) : NULL;
    if (r && verdict_of(s, r, goal->loss) == UNKNOWN)
        return s->unsettled;
    s->unsettled = 0;
    if (goal->is_narrow)
        return 0;
    double rate = next_rate(s, goal, s->tries++);
    if (rate > 0 && search_find(s, rate))
        s->unsettled = rate;
    return s->unsettled;
}

/* --- staircases --- */

static unsigned stairs_of(const struct bench_search *s)
{
    return s->stairs > 0 ? s->stairs : BENCH_SEARCH_STAIRCASE;
}

static unsigned settles_of(const struct bench_search *s)
{
    return stairs_of(s) / SETTLES;
}

static bool is_staircase_done(const struct bench_search *s, const struct bench_search_goal *goal)
{
    return s->has_no_staircase || goal->lower == 0 || goal->staircase.trials == stairs_of(s) + settles_of(s);
}

/* The goal with an interval whose staircase has the fewest trials. */
static struct bench_search_goal *next_staircase(struct bench_search *s)
{
    struct bench_search_goal *next = NULL;
    for (unsigned i = 0; i < s->goal_count; i++)
        if (!is_staircase_done(s, &s->goals[i]) &&
            (!next || s->goals[i].staircase.trials < next->staircase.trials))
            next = &s->goals[i];
    if (next && next->staircase.rate == 0)
        next->staircase = (struct bench_search_staircase){.rate = next->lower};
    return next;
}

static void staircase_step(const struct bench_search *s, struct bench_search_staircase *w, bool is_passed)
{
    if (++w->trials > settles_of(s) && is_passed) {
        w->passed++;
        w->sum += w->rate;
    }
    const double step = fmax(FIRST_STEP / w->trials, s->width);
    w->rate = is_passed ? fmin(w->rate * (1 + RISE * step), s->max_rate) : w->rate / (1 + step);
}

/* --- a search --- */

double bench_search_next(struct bench_search *s)
{
    for (; s->goal < s->goal_count; s->goal++, s->tries = 0) {
        set_interval(s, &s->goals[s->goal]);
        s->tried = rate_for(s, &s->goals[s->goal]);
        if (s->tried > 0)
            return s->tried;
    }
    s->on_staircase = next_staircase(s);
    s->is_done = !s->on_staircase;
    return s->on_staircase ? s->on_staircase->staircase.rate : 0;
}

static unsigned staircase_trials(const struct bench_search *s)
{
    unsigned trials = 0;
    for (unsigned i = 0; i < s->goal_count; i++)
        trials += s->goals[i].staircase.trials;
    return trials;
}

struct bench_search *bench_search_turn(struct bench_search *searches, unsigned count)
{
    struct bench_search *turn = NULL;
    for (unsigned i = 0; i < count; i++)
        if (!searches[i].is_done && (!turn || staircase_trials(&searches[i]) < staircase_trials(turn)))
            turn = &searches[i];
    return turn;
}

void bench_search_add_loss(struct bench_search *s, double loss)
{
    if (s->on_staircase) {
        staircase_step(s, &s->on_staircase->staircase, loss <= s->on_staircase->loss);
        return;
    }
    struct bench_search_rate *r = search_find(s, s->tried);
    if (r && r->count < BENCH_SEARCH_TRIALS)
        r->losses[r->count++] = loss;
}

/* A rate that passes a goal passes all goals of more loss. */
static double found_within(const struct bench_search *s, double loss)
{
    double found = 0;
    for (unsigned i = 0; i < s->goal_count; i++)
        if (s->goals[i].loss <= loss && s->goals[i].found > found)
            found = s->goals[i].found;
    return found;
}

/* Of the first trials of a staircase too few have passed for a mean. */
static double worth_of(const struct bench_search *s, const struct bench_search_goal *goal)
{
    unsigned trials = goal->staircase.trials, counted = trials > settles_of(s) ? trials - settles_of(s) : 0;
    if (goal->staircase.passed == 0)
        return 1;
    return fmin(1, fmax(RISE * FIRST_STEP / counted, RISE * s->width));
}

bool bench_search_end(struct bench_search *s)
{
    bool is_done = true;
    for (unsigned i = 0; i < s->goal_count; i++) {
        struct bench_search_goal *goal = &s->goals[i];
        set_interval(s, goal);
        goal->worth = worth_of(s, goal);
        goal->found = goal->staircase.passed > 0 ? goal->staircase.sum / goal->staircase.passed : goal->lower;
        is_done = is_done && (s->has_no_staircase ? goal->lower > 0 && (goal->is_narrow || goal->upper == 0)
                                                  : goal->staircase.trials == stairs_of(s) + settles_of(s));
    }
    for (unsigned i = 0; i < s->goal_count; i++)
        s->goals[i].found = found_within(s, s->goals[i].loss);
    return is_done;
}

bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg)
{
    double rate, loss;
    while ((rate = bench_search_next(s)) > 0 && try_rate(arg, rate, &loss))
        bench_search_add_loss(s, loss);
    return bench_search_end(s);
}
