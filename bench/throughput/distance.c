/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/distance.h"
#include "bench/statistics/spread.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <sched.h>
#include <stdatomic.h>

#define TRIPS       101 /* measurements of a sample */
#define TRIPS_EACH  8   /* round trips of a measurement: the counter may have steps of 10 ns */
#define TRIPS_LEAST 26  /* measurements of a valid sample */
#define LONGEST_NS  (2 * MOMENT_SECOND / 1000)
#define ONE         1.5 /* ratio below which two round trips are of one distance */
#define LINE_OCTETS 64

/* Each CPU writes a cache line of its own, which the other one reads. */
struct lines {
    struct clock_counter clock;
    int64_t trips_ns[TRIPS];
    unsigned count;
    _Alignas(2 * LINE_OCTETS) atomic_uint_fast32_t there;
    _Alignas(2 * LINE_OCTETS) atomic_uint_fast32_t back;
    _Alignas(2 * LINE_OCTETS) atomic_bool is_over;
};

/* One round trip; returns the time of its end. */
static int64_t go_there(struct lines *l, uint_fast32_t trip, int64_t end_ns)
{
    int64_t now;
    atomic_store(&l->there, trip);
    do
        now = clock_counter_ns(&l->clock);
    while (atomic_load(&l->back) != trip && now < end_ns);
    return now;
}

static int distance_send(void *arg)
{
    struct lines *l = arg;
    int64_t now = clock_counter_ns(&l->clock);
    const int64_t end_ns = now + LONGEST_NS;
    for (l->count = 0; l->count < TRIPS && now < end_ns; l->count++) {
        const int64_t begin_ns = now;
        for (unsigned i = 0; i < TRIPS_EACH; i++)
            now = go_there(l, l->count * TRIPS_EACH + i + 1, end_ns);
        l->trips_ns[l->count] = now - begin_ns;
    }
    atomic_store(&l->is_over, true);
    return 0;
}

static void distance_answer(struct lines *l)
{
    uint_fast32_t last = 0;
    while (!atomic_load_explicit(&l->is_over, memory_order_relaxed)) {
        uint_fast32_t there = atomic_load(&l->there);
        if (there != last)
            atomic_store(&l->back, there);
        last = there;
    }
}

static double ratio_of(double a, double b)
{
    return a > b ? a / b : b / a;
}

/* Of a round trip that belongs to no known distance. */
static unsigned distance_make(struct bench_distance *d, double round_trip_ns)
{
    if (d->new_samples > 0 && ratio_of(round_trip_ns, d->new_ns) >= ONE)
        d->new_samples = 0;
    d->new_samples++;
    d->new_ns += (round_trip_ns - d->new_ns) / d->new_samples;
    if (d->new_samples < BENCH_DISTANCE_SAMPLES)
        return BENCH_DISTANCE_UNKNOWN;
    d->new_samples = 0;
    d->ns[d->count] = d->new_ns;
    return d->count++;
}

unsigned bench_distance_sort(struct bench_distance *d, double round_trip_ns)
{
    unsigned nearest = 0;
    for (unsigned i = 1; i < d->count; i++)
        if (ratio_of(round_trip_ns, d->ns[i]) < ratio_of(round_trip_ns, d->ns[nearest]))
            nearest = i;
    const bool is_one = d->count > 0 && ratio_of(round_trip_ns, d->ns[nearest]) < ONE;
    if (!is_one && d->count < BENCH_DISTANCES)
        return distance_make(d, round_trip_ns);
    d->new_samples = 0;
    return nearest;
}

unsigned bench_distance_sample(struct bench_distance *d)
{
    static struct lines lines;
    cpu_set_t before, there;
    CPU_ZERO(&there);
    CPU_SET(d->cpu, &there);
    lines = (struct lines){.clock = clock_counter_shared(rte_get_tsc_hz())};
    if (sched_getaffinity(0, sizeof(before), &before) < 0 || sched_setaffinity(0, sizeof(there), &there) < 0)
        return d->now;
    rte_eal_remote_launch(distance_send, &lines, d->lcore);
    distance_answer(&lines);
    rte_eal_wait_lcore(d->lcore);
    sched_setaffinity(0, sizeof(before), &before);
    if (lines.count < TRIPS_LEAST)
        return d->now;
    bench_spread_sort_ns(lines.trips_ns, lines.count);
    const unsigned half = lines.count / 2;
    d->now = bench_distance_sort(d, (double)lines.trips_ns[half] / TRIPS_EACH);
    return d->now;
}
