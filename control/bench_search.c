/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/bench_search.h"

#define AGREED  2   /* trials that settle a rate */
#define LEAST   1e5 /* of the highest rate: below that part of it nothing is looked for */
#define STEP    0.9 /* down from a rate that is above */
#define STEEPER 0.6 /* the next time */
#define NEAR    1e-6

enum verdict { UNKNOWN, BELOW, ABOVE };

static enum verdict verdict_of(const struct bench_search_rate *r, double loss)
{
    unsigned above = 0;
    for (unsigned i = 0; i < r->count; i++)
        above += r->losses[i] > loss;
    return above >= AGREED ? ABOVE : r->count - above >= AGREED ? BELOW : UNKNOWN;
}

/* What is known of a goal. A rate below one that is above counts only if it is below itself. */
static void look(const struct bench_search *s, struct bench_search_goal *goal)
{
    goal->lower = goal->upper = 0;
    for (size_t i = 0; i < s->count; i++)
        if (verdict_of(&s->rates[i], goal->loss) == ABOVE &&
            (goal->upper == 0 || s->rates[i].rate < goal->upper))
            goal->upper = s->rates[i].rate;
    for (size_t i = 0; i < s->count; i++)
        if (verdict_of(&s->rates[i], goal->loss) == BELOW && s->rates[i].rate > goal->lower &&
            (goal->upper == 0 || s->rates[i].rate < goal->upper))
            goal->lower = s->rates[i].rate;
    goal->is_narrow = goal->lower > 0 && goal->upper - goal->lower <= s->width * goal->upper;
}

static struct bench_search_rate *find(struct bench_search *s, double rate)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rates[i].rate - rate < NEAR * rate && rate - s->rates[i].rate < NEAR * rate)
            return &s->rates[i];
    if (s->count == BENCH_SEARCH_RATES)
        return NULL;
    s->rates[s->count] = (struct bench_search_rate){.rate = rate};
    return &s->rates[s->count++];
}

/* Trials at a rate until it is settled for a goal. */
static bool settle(struct bench_search *s, double rate, double loss, bench_search_try try_rate, void *arg)
{
    struct bench_search_rate *r = find(s, rate);
    if (!r)
        return false;
    while (verdict_of(r, loss) == UNKNOWN) {
        if (!try_rate(arg, rate, &r->losses[r->count]))
            return false;
        r->count++;
    }
    return true;
}

/* Where to look next; tries counts the goal's rates so far. 0: nowhere. */
static double next_rate(const struct bench_search *s, const struct bench_search_goal *goal, unsigned tries)
{
    if (goal->upper == 0)
        return s->max_rate;
    if (goal->lower > 0)
        return (goal->lower + goal->upper) / 2;
    double came = s->max_rate * (1 - s->rates[0].losses[0]);
    double rate = tries <= 1 && came < goal->upper ? came : goal->upper * (tries <= 2 ? STEP : STEEPER);
    return rate < s->max_rate / LEAST ? 0 : rate;
}

static bool seek(struct bench_search *s, struct bench_search_goal *goal, bench_search_try try_rate, void *arg)
{
    look(s, goal);
    for (unsigned tries = 0; !goal->is_narrow; tries++) {
        double rate = next_rate(s, goal, tries);
        if (rate == 0 || !settle(s, rate, goal->loss, try_rate, arg))
            return false;
        look(s, goal);
    }
    return true;
}

bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg)
{
    bool is_done = true;
    s->count = 0;
    for (unsigned i = 0; i < s->goal_count; i++)
        is_done = seek(s, &s->goals[i], try_rate, arg) && is_done;
    for (unsigned i = 0; i < s->goal_count; i++)
        look(s, &s->goals[i]);
    return is_done;
}
