/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gaps: times in which a CPU does not run its thread, because the kernel or a hypervisor took it.
 *
 * Model, part 1, the machine. Threads that only read the clock count the gaps of each CPU by length. Gaps
 * begin independently of each other (Poisson), so a trial of length T is free of gaps above a bound with the
 * probability ((1 - s) exp(-r T / (1 - s))) ^ CPUs, where s is their share of a CPU's time and r their number
 * in a second of a CPU. The trial is the longest of which at most half are void; or else the shortest, if a
 * quarter of them is not. The bound is the shorter of two by which that is so. At both the ring of a port
 * takes what arrives meanwhile, up to 10 and 5 million frames a second.
 *
 * A machine whose gaps take less than 5 % of each of two CPUs has such a trial: at the worst, 500 gaps of the
 * bound each second, 31 % of the trials of 1 ms are free of them.
 *
 * Part 2, a trial. A device that forwards is silent between two bursts. Its silences are seen where the
 * frames come back, so that they are the same for any device. Silences above the bound and four times above
 * the mean of the trial are gaps: a device that is slow, as with ciphering, has no gap because of that.
 */
#ifndef BENCH_STATISTICS_GAPS_H
#define BENCH_STATISTICS_GAPS_H

#include <stdbool.h>
#include <stdint.h>

/* Gaps above a bound; all 0: there was none. */
struct bench_gaps {
    int64_t longest_ns, sum_ns;
};

static inline void bench_gaps_add(struct bench_gaps *all, const struct bench_gaps *more)
{
    all->longest_ns = more->longest_ns > all->longest_ns ? more->longest_ns : all->longest_ns;
    all->sum_ns += more->sum_ns;
}

/* --- of the machine --- */

#define BENCH_GAPS_CLASSES 12 /* of lengths: from 10, 20, 50 us on, and so on to 50 ms */

struct bench_gaps_machine {
    unsigned cpus; /* watched at a time */
    int64_t watch_ns;
    uint64_t counts[BENCH_GAPS_CLASSES];
    int64_t sums_ns[BENCH_GAPS_CLASSES], longest_ns;
};

/* The least gap of a class. */
int64_t bench_gaps_class_ns(unsigned i);

/* Adds a gap, unless it is below the first class. */
void bench_gaps_put(struct bench_gaps_machine *m, int64_t gap_ns);

/* Adds the gaps of another CPU, which was watched at the same time. */
void bench_gaps_merge(struct bench_gaps_machine *m, const struct bench_gaps_machine *more);

/* Gaps of the classes from a bound on: their number, and their share of the CPUs' time. A bound within a
 * class counts as the next class. */
uint64_t bench_gaps_count(const struct bench_gaps_machine *m, int64_t bound_ns);
double bench_gaps_share(const struct bench_gaps_machine *m, int64_t bound_ns);

/* The share of trials of this length that have such a gap, as expected. */
double bench_gaps_void_share(const struct bench_gaps_machine *m, int64_t bound_ns, int64_t trial_ns);

struct bench_gaps_choice {
    int64_t bound_ns, trial_ns;
    int64_t patience_ns; /* a frame that has not come so long after the others is lost */
    bool is_measurable;  /* else: no trial is short enough; bound and trial are the shortest */
};

/* bound_ns, trial_ns: as the operator gave them, which the choice keeps; 0: not given. */
struct bench_gaps_choice bench_gaps_choose(const struct bench_gaps_machine *m, int64_t bound_ns,
                                           int64_t trial_ns);

/* --- of a trial --- */

#define BENCH_GAPS_SILENCES 512

/* Silences of one link during one trial. */
struct bench_gaps_silences {
    int64_t bound_ns, came_ns; /* bound_ns 0: silences are not kept; came_ns: of the last frames */
    uint64_t bursts;
    unsigned count;
    int64_t long_ns[BENCH_GAPS_SILENCES]; /* those above the bound; further ones are added to the last */
};

void bench_gaps_silences_begin(struct bench_gaps_silences *s, int64_t bound_ns, int64_t now);

/* A silence ends, at now: it is kept if it is above the bound. */
void bench_gaps_silences_end(struct bench_gaps_silences *s, int64_t now);

/* Frames have come. */
static inline void bench_gaps_silences_came(struct bench_gaps_silences *s, int64_t now)
{
    s->bursts++;
    if (s->bound_ns > 0 && now - s->came_ns > s->bound_ns)
        bench_gaps_silences_end(s, now);
    s->came_ns = now;
}

/* The generator has a gap of its own, in which it receives no frames. */
static inline void bench_gaps_silences_skip(struct bench_gaps_silences *s, int64_t from_ns, int64_t to_ns)
{
    bench_gaps_silences_end(s, from_ns);
    s->came_ns = to_ns;
}

/* Adds those that are gaps, of a trial of this length. */
void bench_gaps_add_silences(struct bench_gaps *all, const struct bench_gaps_silences *s, int64_t took_ns);

#endif
