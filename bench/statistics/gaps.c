/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/gaps.h"

#include <math.h>
#include <stddef.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)

#define MOST_VOID        0.5  /* of a trial that is chosen for its length */
#define MOST_VOID_AT_ALL 0.75 /* of the shortest one */
#define NATURAL          4    /* a silence of so many times the mean is one of the device itself */
#define PATIENCE         2    /* times the longest gap, */
#define PATIENCE_LEAST   (5 * MS)
#define PATIENCE_MOST    (100 * MS)

static const int64_t least_ns[BENCH_GAPS_CLASSES] = {10 * US, 20 * US, 50 * US, 100 * US, 200 * US, 500 * US,
                                                     1 * MS,  2 * MS,  5 * MS,  10 * MS,  20 * MS,  50 * MS};
static const int64_t bounds_ns[] = {100 * US, 200 * US};
static const int64_t trials_ns[] = {20 * MS, 10 * MS, 5 * MS, 3 * MS, 2 * MS, 1 * MS};

enum {
    BOUNDS = sizeof(bounds_ns) / sizeof(bounds_ns[0]),
    LENGTHS = sizeof(trials_ns) / sizeof(trials_ns[0])
};

/* --- of the machine --- */

int64_t bench_gaps_class_ns(unsigned i)
{
    return least_ns[i];
}

void bench_gaps_put(struct bench_gaps_machine *m, int64_t gap_ns)
{
    unsigned i = BENCH_GAPS_CLASSES;
    while (i > 0 && gap_ns < least_ns[i - 1])
        i--;
    if (i == 0)
        return;
    m->counts[i - 1]++;
    m->sums_ns[i - 1] += gap_ns;
    m->longest_ns = gap_ns > m->longest_ns ? gap_ns : m->longest_ns;
}

void bench_gaps_merge(struct bench_gaps_machine *m, const struct bench_gaps_machine *more)
{
    for (unsigned i = 0; i < BENCH_GAPS_CLASSES; i++) {
        m->counts[i] += more->counts[i];
        m->sums_ns[i] += more->sums_ns[i];
    }
    m->cpus += more->cpus;
    m->watch_ns = more->watch_ns > m->watch_ns ? more->watch_ns : m->watch_ns;
    m->longest_ns = more->longest_ns > m->longest_ns ? more->longest_ns : m->longest_ns;
}

/* Whether gaps of a class may be above a bound. */
static bool is_above(unsigned i, int64_t bound_ns)
{
    return i + 1 == BENCH_GAPS_CLASSES || least_ns[i + 1] > bound_ns;
}

uint64_t bench_gaps_count(const struct bench_gaps_machine *m, int64_t bound_ns)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < BENCH_GAPS_CLASSES; i++)
        count += is_above(i, bound_ns) ? m->counts[i] : 0;
    return count;
}

static double spun_ns(const struct bench_gaps_machine *m)
{
    return fmax(1, (double)m->cpus * (double)m->watch_ns);
}

double bench_gaps_share(const struct bench_gaps_machine *m, int64_t bound_ns)
{
    int64_t sum_ns = 0;
    for (unsigned i = 0; i < BENCH_GAPS_CLASSES; i++)
        sum_ns += is_above(i, bound_ns) ? m->sums_ns[i] : 0;
    return fmin(1, (double)sum_ns / spun_ns(m));
}

double bench_gaps_void_share(const struct bench_gaps_machine *m, int64_t bound_ns, int64_t trial_ns)
{
    const double runs = 1 - bench_gaps_share(m, bound_ns);
    const double in_trial = (double)bench_gaps_count(m, bound_ns) / spun_ns(m) * (double)trial_ns;
    return runs > 0 ? 1 - pow(runs * exp(-in_trial / runs), m->cpus) : 1;
}

/* The longest trial of which at most a share is void; 0: there is none. */
static int64_t longest_trial_ns(const struct bench_gaps_machine *m, int64_t bound_ns)
{
    for (unsigned i = 0; i < LENGTHS; i++)
        if (bench_gaps_void_share(m, bound_ns, trials_ns[i]) <= MOST_VOID)
            return trials_ns[i];
    const int64_t shortest_ns = trials_ns[LENGTHS - 1];
    return bench_gaps_void_share(m, bound_ns, shortest_ns) <= MOST_VOID_AT_ALL ? shortest_ns : 0;
}

/* With a trial that is asked for: the least bound with which at most a share is void; without one, the least.
 */
static int64_t bound_for_ns(const struct bench_gaps_machine *m, int64_t trial_ns)
{
    for (unsigned i = 0; i < BOUNDS; i++)
        if (bench_gaps_void_share(m, bounds_ns[i], trial_ns) <= MOST_VOID)
            return bounds_ns[i];
    return bounds_ns[0];
}

struct bench_gaps_choice bench_gaps_choose(const struct bench_gaps_machine *m, int64_t bound_ns,
                                           int64_t trial_ns)
{
    const int64_t patience_ns = PATIENCE * m->longest_ns;
    struct bench_gaps_choice choice = {.bound_ns = bound_ns > 0   ? bound_ns
                                                   : trial_ns > 0 ? bound_for_ns(m, trial_ns)
                                                                  : bounds_ns[0],
                                       .trial_ns = trial_ns > 0 ? trial_ns : trials_ns[LENGTHS - 1],
                                       .is_measurable = trial_ns > 0};
    choice.patience_ns = patience_ns < PATIENCE_LEAST  ? PATIENCE_LEAST
                         : patience_ns > PATIENCE_MOST ? PATIENCE_MOST
                                                       : patience_ns;
    for (unsigned i = 0; i < BOUNDS && !choice.is_measurable; i++) {
        const int64_t with_ns = bound_ns > 0 ? bound_ns : bounds_ns[i];
        const int64_t longest_ns = longest_trial_ns(m, with_ns);
        if (longest_ns == 0)
            continue;
        choice.bound_ns = with_ns;
        choice.trial_ns = longest_ns;
        choice.is_measurable = true;
    }
    return choice;
}

/* --- of a trial --- */

void bench_gaps_silences_begin(struct bench_gaps_silences *s, int64_t bound_ns, int64_t now)
{
    s->bound_ns = bound_ns;
    s->came_ns = now;
    s->bursts = 0;
    s->count = 0;
}

void bench_gaps_silences_end(struct bench_gaps_silences *s, int64_t now)
{
    const int64_t silent_ns = now - s->came_ns;
    if (s->bound_ns == 0 || silent_ns <= s->bound_ns)
        return;
    if (s->count < BENCH_GAPS_SILENCES)
        s->long_ns[s->count++] = silent_ns;
    else
        s->long_ns[s->count - 1] += silent_ns;
    s->came_ns = now;
}

void bench_gaps_add_silences(struct bench_gaps *all, const struct bench_gaps_silences *s, int64_t took_ns)
{
    const double mean_ns = s->bursts > 0 ? (double)took_ns / (double)s->bursts : 0;
    for (unsigned i = 0; i < s->count; i++)
        if ((double)s->long_ns[i] > (double)s->bound_ns + NATURAL * mean_ns)
            bench_gaps_add(all, &(struct bench_gaps){s->long_ns[i], s->long_ns[i]});
}
