/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far apart two processors are: what a cache line takes from one to the other and back.
 *
 * A hypervisor moves a guest's processors between its own; between two that share a cache a line takes 0.2 us
 * there and back, between others four times as long, and two processes that hand packets to each other do
 * half as much (docs/benchmarking.md). Nothing tells the guest. So what is measured at one distance is kept
 * apart from what is at another.
 *
 * Model: two distances are one as long as they differ by less than half. Eight looks in a row that belong to
 * none make one, which stays what they said: so neither an odd look nor a few move one to where another is. A
 * look is the median of many samples of some round trips, so that an interrupt here or there does not matter.
 */
#ifndef BENCH_THROUGHPUT_DISTANCE_H
#define BENCH_THROUGHPUT_DISTANCE_H

#define BENCH_DISTANCES        4 /* at most; what is farther from all of them is taken for the nearest */
#define BENCH_DISTANCE_LOOKS   8 /* that make one */
#define BENCH_DISTANCE_UNKNOWN BENCH_DISTANCES

struct bench_distance {
    unsigned lcore, cpu; /* from an idle lcore to this CPU */
    unsigned count, now; /* distances known so far; the one of the last look, or BENCH_DISTANCE_UNKNOWN */
    double ns[BENCH_DISTANCES];
    unsigned odd_looks; /* in a row, of none that is known, */
    double odd_ns;      /* and their mean */
};

/* How far it is now: below count, or BENCH_DISTANCE_UNKNOWN. Takes less than a millisecond, and nothing else
 * must run on either processor. If the kernel lets neither get on in time, as it was. */
unsigned bench_distance_look(struct bench_distance *d);

/* Which of those known a round trip belongs to, or a new one, or BENCH_DISTANCE_UNKNOWN. */
unsigned bench_distance_sort(struct bench_distance *d, double round_trip_ns);

#endif
