/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rates at which no more than given shares of what is offered are lost, several shares at a time
 * (after the multiple loss ratio search of the IETF's BMWG: one trial tells about every
 * goal).
 *
 * Model: first an interval. A rate is above a goal when most of its trials, two at least, lost more than the
 * goal's share, below it when most did not; so one odd trial decides nothing. The search begins at the
 * highest rate that can be offered, goes to the rate that came through there, then down until something is
 * below, and halves the interval between the highest rate below and the lowest above until it is 5 % wide.
 *
 * Then a walk, for a machine is not the same all the time, and where it ends must not hang on when which rate
 * was tried: up four steps after a trial that keeps the goal, down one after each that does not (the
 * up-and-down method, Dixon and Mood, JASA 43, 1948, with steps that differ: Kaernbach, Perception &
 * Psychophysics 49, 1991), so that it stays where a fifth of the trials keep it and follows what changes. A
 * fifth, for on a machine that others use half of the trials lose something at any rate, however low, and no
 * rate is the one that half of them keep; above what a device can do none does. Steps become smaller as
 * 1 / n (Robbins and Monro, Ann. Math. Stat. 22, 1951) down to the least; the first do not count. What is
 * found is the mean of the rates that kept the goal. On a machine that does not change that is within a few
 * steps of the highest.
 *
 * Not here: how a trial is made, and which are void.
 */
#ifndef BENCH_THROUGHPUT_SEARCH_H
#define BENCH_THROUGHPUT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#define BENCH_SEARCH_GOALS     4
#define BENCH_SEARCH_RATES     128 /* different ones of one search */
#define BENCH_SEARCH_TRIALS    9   /* of one rate, at most */
#define BENCH_SEARCH_STAIRCASE 160 /* of a walk, behind those with which it settles */

/* One trial at a rate: the share lost, 0 to 1. False: there is none any more, the search ends. */
typedef bool (*bench_search_try)(void *arg, double rate, double *loss);

struct bench_search_rate {
    double rate;
    unsigned count;
    double losses[BENCH_SEARCH_TRIALS];
};

/* Where a fifth of the trials keep a goal. */
struct bench_search_staircase {
    double rate; /* where it is; 0: not begun */
    unsigned trials, kept;
    double sum; /* of the rates that were kept */
};

/* lower: the highest rate that is below the goal, 0: none was found; upper: the lowest above, 0: none is. */
struct bench_search_goal {
    double loss, lower, upper;
    bool is_narrow; /* lower and upper are near enough for a walk, or nothing is above */
    struct bench_search_staircase staircase;
    double found; /* 0: nothing was */
};

struct bench_search {
    double max_rate, width; /* width: the least step of a walk */
    unsigned goal_count;
    struct bench_search_goal goals[BENCH_SEARCH_GOALS]; /* loss is given */
    size_t count;
    struct bench_search_rate rates[BENCH_SEARCH_RATES];
    unsigned goal, tries;                   /* which one is looked for; how many rates for it so far */
    double tried;                           /* the rate that was named last; */
    double unsettled;                       /* one that was not tried often enough to tell, 0: none */
    struct bench_search_goal *on_staircase; /* whose walk that rate is of, NULL: none */
    bool is_done;                           /* there is no rate to try */
};

/* The rate to try next; 0: all is done. */
double bench_search_next(struct bench_search *s);

/* Of several searches the one whose turn it is, the one that walked least: no walk goes on before all have
 * begun, and all meet the same moments of a machine, trial by trial. NULL: all are done. */
struct bench_search *bench_search_turn(struct bench_search *searches, unsigned count);

/* What a trial at that rate lost. */
void bench_search_tell(struct bench_search *s, double loss);

/* Fills in what is known of the goals. True: all of their walks came to an end. */
bool bench_search_end(struct bench_search *s);

/* All of it, by trials one after the other; as bench_search_end(). */
bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg);

#endif
