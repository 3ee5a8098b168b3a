/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Search for the highest offered loads at which the frame loss does not exceed given shares, the goals (NDR:
 * 0, PDR: 0.5 %), several goals at a time, as in the multiple loss ratio search of the IETF's BMWG: each
 * trial counts for all.
 *
 * Model, part 1, bisection. A rate is above a goal if most of its trials, at least two, lose more than the
 * goal, and below it if most do not, so that a single trial decides nothing. The search starts at the highest
 * rate that can be offered, continues at the rate that was forwarded there, goes down until a rate is below
 * the goal, and halves the interval between the highest rate below and the lowest rate above until it is 5 %
 * wide.
 *
 * Part 2, staircase: +4 steps after a trial that passes the goal, -1 step after one that fails (the
 * up-and-down method, Dixon and Mood, JASA 43, 1948; with weighted steps: Kaernbach, Perception &
 * Psychophysics 49, 1991). It converges to the rate at which 20 % of the trials pass, and follows the machine
 * when that changes. 20 %, because on a shared host half of the trials may lose frames at any rate; above the
 * DUT's limit no trial passes. The n-th step is FIRST_STEP / n of the rate (Robbins and Monro, Ann. Math.
 * Stat. 22, 1951), at least `width`; the first 40 trials do not count. The result is the mean of the rates
 * that passed. On a machine that does not change it lies within a few steps of the highest rate that passes.
 *
 * The caller makes the trials and decides which are void.
 */
#ifndef BENCH_STATISTICS_SEARCH_H
#define BENCH_STATISTICS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_SEARCH_GOALS     4
#define BENCH_SEARCH_RATES     128 /* different rates of one search */
#define BENCH_SEARCH_TRIALS    9   /* most trials of one rate */
#define BENCH_SEARCH_STAIRCASE 160 /* trials of a staircase that count */
#define BENCH_SEARCH_PDR_LOSS  0.005

/* Makes a trial at a rate; *loss is its frame loss, 0 to 1. False: out of time, the search ends. */
typedef bool (*bench_search_try)(void *arg, double rate, double *loss);

struct bench_search_rate {
    double rate;
    unsigned count;
    double losses[BENCH_SEARCH_TRIALS];
};

/* Converges to the rate at which 20 % of the trials pass a goal. */
struct bench_search_staircase {
    double rate; /* of the next trial; 0: not begun */
    unsigned trials, passed;
    double sum; /* of the rates that passed */
};

/* lower: the highest rate below the goal, 0: not found; upper: the lowest rate above it, 0: not found. */
struct bench_search_goal {
    double loss, lower, upper;
    bool is_narrow; /* the interval is narrow enough for a staircase, or no rate is above */
    struct bench_search_staircase staircase;
    double found;  /* the result; 0: not found */
    bool is_least; /* no trial shows that the result is not higher */
    double worth;  /* share by which the result may be off, of a search that was ended early; 1: not known */
};

struct bench_search {
    double max_rate, width; /* width: the least step of a staircase */
    double narrow;          /* the bisection ends at (upper - lower) / upper; 0: 5 % */
    unsigned agreed;        /* trials that have to agree on a rate; 0: 2 */
    unsigned stairs;        /* trials of a staircase that count; 0: BENCH_SEARCH_STAIRCASE */
    bool has_no_staircase;  /* the result is the lower end of the bisection's interval */
    unsigned goal_count;
    struct bench_search_goal goals[BENCH_SEARCH_GOALS]; /* loss is given */
    size_t count;
    struct bench_search_rate rates[BENCH_SEARCH_RATES];
    unsigned goal, tries;                   /* the goal of the bisection; rates tried for it */
    double tried;                           /* the last result of bench_search_next() */
    double unsettled;                       /* a rate that needs more trials, 0: there is none */
    struct bench_search_goal *on_staircase; /* the goal of the staircase; NULL: bisection */
    bool is_done;                           /* all staircases have ended, or no rate is left to try */
};

/* Sets what searches for PDR and NDR have in common, in goals[0] and goals[1]: they begin a little below the
 * highest load that can be offered. */
void bench_search_begin(struct bench_search *s, double most_offered);

static inline bool bench_search_has_begun(const struct bench_search *s)
{
    return s->max_rate > 0;
}

/* The rate of the next trial; 0: the search has ended. */
double bench_search_next(struct bench_search *s);

/* The search whose turn it is, of several: the one with the fewest trials on its staircases, so that all have
 * theirs during the same time. NULL: all have ended. */
struct bench_search *bench_search_turn(struct bench_search *searches, unsigned count);

/* Adds the frame loss of a trial at that rate. */
void bench_search_add_loss(struct bench_search *s, double loss);

/* Fills in the goals' results. A result is the least that the goal can have if no load was above it, or if
 * the search ended before its staircase had a result. True: all staircases have ended. `worth` is four first
 * steps / trials of the staircase that count, at least four of its least steps; it cannot know how much the
 * machine changed. */
bool bench_search_end(struct bench_search *s);

/* A whole search; returns as bench_search_end(). */
bool bench_search_run(struct bench_search *s, bench_search_try try_rate, void *arg);

/*
 * The longest burst without loss (RFC 2544 section 26.4): doubled from `next` on until frames are lost, then
 * bisected until the interval is at most 1/64 of the burst, or a frame.
 *
 * 0 <= passed < lost; passed: the longest burst without loss, lost: the shortest one with loss, 0: none yet.
 */
struct bench_search_burst {
    uint64_t limit; /* no burst is longer */
    uint64_t passed, lost;
};

/* The length of the next burst; 0: the search has ended. */
uint64_t bench_search_burst_next(const struct bench_search_burst *s);
void bench_search_burst_add(struct bench_search_burst *s, uint64_t length, bool is_lossless);

/* Frames that the device buffers, of a burst at a rate above NDR (RFC 9004 section 6.4, corrected buffer):
 * the part of the burst that had to wait. 0: the rate is not above NDR. */
double bench_search_burst_buffer(double length, double burst_rate, double ndr);

#endif
