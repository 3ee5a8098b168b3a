/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/search.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define BELOW_MOST   0.95  /* of the highest offered load */
#define WIDTH        0.005 /* least step of a staircase */
#define AGREED       2     /* trials that have to agree on a rate */
#define LEAST        1e5   /* the search ends below max_rate / LEAST */
#define STEP         0.9   /* next rate below one that is above the goal, */
#define STEEPER      0.6   /* and from the third rate on */
#define NEAR         1e-6
#define NARROW       0.05 /* (upper - lower) / upper at which the staircase begins */
#define SETTLES      4    /* 1 / SETTLES of the trials of a staircase come before those that count */
#define FIRST_STEP   0.4  /* of a staircase; the n-th step is 1 / n of it */
#define BURST_FIRST  32
#define BURST_NARROW 64 /* the interval ends at 1 / BURST_NARROW of the burst */
#define RISE         4  /* steps up after a pass, for one down after a fail */

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

void bench_search_begin(struct bench_search *s, double most_offered)
{
    s->max_rate = most_offered * BELOW_MOST;
    s->width = WIDTH;
    s->goal_count = 2;
    s->goals[0] = (struct bench_search_goal){.loss = BENCH_SEARCH_PDR_LOSS};
    s->goals[1] = (struct bench_search_goal){.loss = 0};
}

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
static void take_stricter(const struct bench_search *s, struct bench_search_goal *goal)
{
    for (unsigned i = 0; i < s->goal_count; i++)
        if (s->goals[i].loss <= goal->loss && s->goals[i].found > goal->found) {
            goal->found = s->goals[i].found;
            goal->is_least = s->goals[i].is_least;
        }
}

/* Whether nothing bounds the result from above: neither a rate above the goal nor a step down that counts. */
static bool is_least(const struct bench_search *s, const struct bench_search_goal *goal)
{
    const struct bench_search_staircase *w = &goal->staircase;
    if (s->has_no_staircase)
        return goal->upper == 0 || !goal->is_narrow;
    return w->passed == 0 || (goal->upper == 0 && w->passed + settles_of(s) == w->trials);
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
        goal->is_least = is_least(s, goal);
        is_done = is_done && (s->has_no_staircase ? goal->lower > 0 && (goal->is_narrow || goal->upper == 0)
                                                  : goal->staircase.trials == stairs_of(s) + settles_of(s));
    }
    for (unsigned i = 0; i < s->goal_count; i++)
        take_stricter(s, &s->goals[i]);
    return is_done;
}

bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg)
{
    double rate, loss;
    while ((rate = bench_search_next(s)) > 0 && try_rate(arg, rate, &loss))
        bench_search_add_loss(s, loss);
    return bench_search_end(s);
}

/* --- bursts --- */

uint64_t bench_search_burst_next(const struct bench_search_burst *s)
{
    uint64_t next;
    if (s->lost == 0)
        next = s->passed == 0 ? BURST_FIRST : 2 * s->passed;
    else
        next = s->lost - s->passed > 1 + s->passed / BURST_NARROW ? s->passed + (s->lost - s->passed) / 2 : 0;
    if (s->lost == 0 && next > s->limit)
        next = s->passed < s->limit ? s->limit : 0;
    return next;
}

void bench_search_burst_add(struct bench_search_burst *s, uint64_t length, bool is_lossless)
{
    if (is_lossless)
        s->passed = length > s->passed ? length : s->passed;
    else
        s->lost = s->lost == 0 || length < s->lost ? length : s->lost;
}

double bench_search_burst_buffer(double length, double burst_rate, double ndr)
{
    return burst_rate > ndr && burst_rate > 0 ? length * (1 - ndr / burst_rate) : 0;
}
