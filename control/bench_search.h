/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rates at which no more than given shares of what is offered are lost, several shares at a time
 * (after the multiple loss ratio search of the IETF's BMWG: one trial tells about every
 * goal).
 *
 * Model: a rate is above a goal when most of its trials, two at least, lost more than the goal's share, below
 * it when most did not; so one odd trial decides nothing. The search begins at the highest rate that can be
 * offered, goes to the rate that came through there, then down until something is below, and halves the
 * interval between the highest rate below and the lowest above until that is narrow. Then both ends are tried
 * in turn until five trials of each agree. An end that turns out to be on the other side, because something
 * disturbed its first trials, gives way to the next one known, and the search goes on from there: without
 * that, one bad moment at a low rate would hold the result down.
 *
 * Not here: how a trial is made, and which are void.
 */
#ifndef CONTROL_BENCH_SEARCH_H
#define CONTROL_BENCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#define BENCH_SEARCH_GOALS  4
#define BENCH_SEARCH_RATES  128 /* different ones of one search */
#define BENCH_SEARCH_TRIALS 9   /* of one rate, at most */

/* One trial at a rate: the share lost, 0 to 1. False: there is none any more, the search ends. */
typedef bool (*bench_search_try)(void *arg, double rate, double *loss);

struct bench_search_rate {
    double rate;
    unsigned count;
    double losses[BENCH_SEARCH_TRIALS];
};

/* lower: the highest rate that is below the goal, 0: none was found; upper: the lowest above, 0: none is. */
struct bench_search_goal {
    double loss, lower, upper;
    bool is_narrow; /* lower and upper are as near as was asked for, or nothing is above */
};

struct bench_search {
    double max_rate, width; /* width: (upper - lower) / upper that is narrow */
    unsigned goal_count;
    struct bench_search_goal goals[BENCH_SEARCH_GOALS]; /* loss is given */
    size_t count;
    struct bench_search_rate rates[BENCH_SEARCH_RATES];
    unsigned goal, tries; /* which one is looked for; how many rates for it so far */
    double tried;         /* the rate that was named last; */
    double unsettled;     /* one that was not tried often enough to tell, 0: none */
};

/* The rate to try next; 0: all is done. Several searches that try theirs in turn meet the same moments of a
 * machine. */
double bench_search_next(struct bench_search *s);

/* What a trial at that rate lost. */
void bench_search_tell(struct bench_search *s, double loss);

/* Fills in what is known of the goals. True: all of them are narrow, and their ends confirmed. */
bool bench_search_end(struct bench_search *s);

/* All of it, by trials one after the other; as bench_search_end(). */
bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg);

#endif
