/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long things took, and in which windows of time the machine was there to do them. A value belongs to the
 * window in which its time began. Where a processor was away, that window, the one before and the two behind
 * it are void: what began before the gap had to wait for its end, and what waited then was in others' way.
 */
#ifndef BENCH_LIVE_LIVE_JUDGE_H
#define BENCH_LIVE_LIVE_JUDGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_JUDGE_WINDOW_NS 10000000
#define LIVE_JUDGE_WINDOWS   6100
#define LIVE_JUDGE_WARM      50 /* windows at the beginning that do not count at all */
#define LIVE_JUDGE_KINDS     2

struct live_sample {
    uint32_t window, ns;
};

struct live_judge_set {
    struct live_sample *list;
    size_t count, cap;
    uint64_t left_out; /* for which there was no room */
};

struct live_judge {
    int64_t begin_ns;
    uint32_t windows;                             /* that there were, those at the beginning included */
    atomic_uchar gaps[LIVE_JUDGE_WINDOWS];        /* from several threads */
    struct live_judge_set sets[LIVE_JUDGE_KINDS]; /* one thread's */
};

/* Room for so many values of a kind; false: no memory. */
bool live_judge_new(struct live_judge *judge, size_t values);
void live_judge_free(struct live_judge *judge);

/* Measuring begins at an instant, and ends; LIVE_JUDGE_WARM windows belong to neither. */
void live_judge_begin(struct live_judge *judge, int64_t now);
void live_judge_end(struct live_judge *judge, int64_t now);

/* A processor was away from one instant to another. */
void live_judge_gap(struct live_judge *judge, int64_t from_ns, int64_t to_ns);

/* A thing of a kind began and ended. */
void live_judge_add(struct live_judge *judge, unsigned kind, int64_t from_ns, int64_t to_ns);

/* Of the windows that count. */
uint32_t live_judge_windows(const struct live_judge *judge);
uint32_t live_judge_voided(const struct live_judge *judge);

/* Of the windows that are not void, or of all. Sorts. */
struct live_judge_result {
    size_t count;
    double p50_us, p99_us, p999_us, max_us;
};
struct live_judge_result live_judge_result(struct live_judge *judge, unsigned kind, bool is_all);

#endif
