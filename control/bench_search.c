/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/bench_search.h"

#define AGREED    2   /* trials that settle a rate for now, */
#define CONFIRMED 5   /* and for good */
#define LEAST     1e5 /* of the highest rate: below that part of it nothing is looked for */
#define STEP      0.9 /* down from a rate that is above */
#define STEEPER   0.6 /* the next time */
#define NEAR      1e-6

_Static_assert(BENCH_SEARCH_TRIALS >= 2 * CONFIRMED - 1, "so many trials confirm a rate, whatever they say");

enum verdict { UNKNOWN, BELOW, ABOVE };

static unsigned above_of(const struct bench_search_rate *r, double loss)
{
    unsigned above = 0;
    for (unsigned i = 0; i < r->count; i++)
        above += r->losses[i] > loss;
    return above;
}

/* What most of its trials say. */
static enum verdict verdict_of(const struct bench_search_rate *r, double loss)
{
    unsigned above = above_of(r, loss), below = r->count - above;
    return above >= AGREED && above > below ? ABOVE : below >= AGREED && below > above ? BELOW : UNKNOWN;
}

static bool is_confirmed(const struct bench_search_rate *r, double loss)
{
    unsigned above = above_of(r, loss);
    return above >= CONFIRMED || r->count - above >= CONFIRMED;
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

static bool try_once(struct bench_search_rate *r, bench_search_try try_rate, void *arg)
{
    if (!try_rate(arg, r->rate, &r->losses[r->count]))
        return false;
    r->count++;
    return true;
}

/* Trials at a rate until it is settled for a goal. */
static bool settle(struct bench_search *s, double rate, double loss, bench_search_try try_rate, void *arg)
{
    struct bench_search_rate *r = find(s, rate);
    while (r && verdict_of(r, loss) == UNKNOWN)
        if (!try_once(r, try_rate, arg))
            return false;
    return r != NULL;
}

/* Of the two ends of a goal's interval the one with fewer trials, if it is not confirmed; NULL: both are. */
static struct bench_search_rate *doubtful(struct bench_search *s, const struct bench_search_goal *goal)
{
    struct bench_search_rate *ends[] = {goal->lower > 0 ? find(s, goal->lower) : NULL,
                                        goal->upper > 0 ? find(s, goal->upper) : NULL},
                             *one = NULL;
    for (unsigned i = 0; i < 2; i++)
        if (ends[i] && !is_confirmed(ends[i], goal->loss) && (!one || ends[i]->count < one->count))
            one = ends[i];
    return one;
}

/* Where to look next; tries counts the goal's rates so far. 0: nowhere. */
static double next_rate(const struct bench_search *s, const struct bench_search_goal *goal, unsigned tries)
{
    if (goal->upper == 0)
        return s->max_rate;
    if (goal->lower > 0)
        return (goal->lower + goal->upper) / 2;
    double came = s->max_rate * (1 - s->rates[0].losses[0]);
    bool is_told = tries <= 1 && came > 0 && came < goal->upper; /* 0: it could not be offered */
    double rate = is_told ? came : goal->upper * (tries <= 2 ? STEP : STEEPER);
    return rate < s->max_rate / LEAST ? 0 : rate;
}

/* One step: a trial at an end of an interval that is narrow, else at another rate. False: there is none any
 * more. */
static bool step(struct bench_search *s, struct bench_search_goal *goal, unsigned *tries,
                 bench_search_try try_rate, void *arg)
{
    if (goal->is_narrow)
        return try_once(doubtful(s, goal), try_rate, arg);
    double rate = next_rate(s, goal, (*tries)++);
    return rate > 0 && settle(s, rate, goal->loss, try_rate, arg);
}

static bool seek(struct bench_search *s, struct bench_search_goal *goal, bench_search_try try_rate, void *arg)
{
    unsigned tries = 0;
    for (look(s, goal); !goal->is_narrow || doubtful(s, goal); look(s, goal))
        if (!step(s, goal, &tries, try_rate, arg))
            return false;
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
