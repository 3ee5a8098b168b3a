/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge of a live trial: durations, and the windows of time in which the machine did not interfere. A
 * value belongs to the window in which its time began. A gap of a CPU voids its window, the one before and
 * the two after it: times that began before the gap include it, and the backlog of the gap delays later ones.
 */
#ifndef BENCH_LIVE_LIVE_JUDGE_H
#define BENCH_LIVE_LIVE_JUDGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_JUDGE_WINDOW_NS 10000000
#define LIVE_JUDGE_WINDOWS   6100
#define LIVE_JUDGE_WARM      50 /* windows at the beginning that do not count */
#define LIVE_JUDGE_KINDS     2

struct live_sample {
    uint32_t window;
    int64_t ns;
};

struct live_judge_set {
    struct live_sample *list;
    size_t count, cap;
    uint64_t left_out; /* values without room */
};

struct live_judge {
    int64_t begin_ns;
    uint32_t windows;                             /* all, those at the beginning included */
    atomic_uchar gaps[LIVE_JUDGE_WINDOWS];        /* from several threads */
    struct live_judge_set sets[LIVE_JUDGE_KINDS]; /* one thread's */
};

/* Makes room for `values` values of each kind; false: no memory. */
bool live_judge_new(struct live_judge *judge, size_t values);
void live_judge_free(struct live_judge *judge);

/* Begin and end of the measurement; the first LIVE_JUDGE_WARM windows do not count. */
void live_judge_begin(struct live_judge *judge, int64_t now);
void live_judge_end(struct live_judge *judge, int64_t now);

/* Notes a gap of a CPU. */
void live_judge_gap(struct live_judge *judge, int64_t from_ns, int64_t to_ns);

/* Adds a duration of a kind. */
void live_judge_add(struct live_judge *judge, unsigned kind, int64_t from_ns, int64_t to_ns);

/* Windows that count, and those of them that are void. */
uint32_t live_judge_windows(const struct live_judge *judge);
uint32_t live_judge_voided(const struct live_judge *judge);

/* Quantiles over the windows that are not void, or over all. */
struct live_judge_result {
    size_t count;
    double p50_us, p99_us, p999_us, max_us;
};
struct live_judge_result live_judge_result(struct live_judge *judge, unsigned kind, bool is_all);

#endif
