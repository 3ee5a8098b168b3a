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

/* For a goal; 0: nothing is left to try. */
static double rate_for(struct bench_search *s, const struct bench_search_goal *goal)
{
    const struct bench_search_rate *r = s->unsettled > 0 ? find(s, s->unsettled) : NULL;
    if (r && verdict_of(r, goal->loss) == UNKNOWN)
        return s->unsettled;
    s->unsettled = 0;
    if (goal->is_narrow) {
        const struct bench_search_rate *end = doubtful(s, goal);
        return end ? end->rate : 0;
    }
    double rate = next_rate(s, goal, s->tries++);
    if (rate > 0 && find(s, rate))
        s->unsettled = rate;
    return s->unsettled;
}

double bench_search_next(struct bench_search *s)
{
    for (; s->goal < s->goal_count; s->goal++, s->tries = 0) {
        look(s, &s->goals[s->goal]);
        s->tried = rate_for(s, &s->goals[s->goal]);
        if (s->tried > 0)
            return s->tried;
    }
    return 0;
}

void bench_search_tell(struct bench_search *s, double loss)
{
    struct bench_search_rate *r = find(s, s->tried);
    if (r && r->count < BENCH_SEARCH_TRIALS)
        r->losses[r->count++] = loss;
}

bool bench_search_end(struct bench_search *s)
{
    bool is_done = true;
    for (unsigned i = 0; i < s->goal_count; i++) {
        look(s, &s->goals[i]);
        is_done = is_done && s->goals[i].is_narrow && !doubtful(s, &s->goals[i]);
    }
    return is_done;
}

bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg)
{
    double rate, loss;
    while ((rate = bench_search_next(s)) > 0 && try_rate(arg, rate, &loss))
        bench_search_tell(s, loss);
    return bench_search_end(s);
}
