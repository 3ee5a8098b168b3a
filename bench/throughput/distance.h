/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distance of two CPUs: the round trip time of a cache line between them.
 *
 * A hypervisor moves the CPUs of a guest between physical ones without telling the guest. Between two that
 * share a cache the round trip takes 0.2 us, between others four times as long, and two processes that hand
 * packets to each other forward half as many (docs/benchmarking.md). Results at different distances are kept
 * apart.
 *
 * Model: a sample is the median of 101 measurements of 8 round trips each, so that interrupts do not count.
 * Samples that differ by a factor below 1.5 belong to one distance. Eight samples in a row that belong to no
 * known distance make a new one, whose round trip time is their mean and does not change afterwards.
 */
#ifndef BENCH_THROUGHPUT_DISTANCE_H
#define BENCH_THROUGHPUT_DISTANCE_H

#define BENCH_DISTANCES        4 /* known at most; then a sample belongs to the nearest */
#define BENCH_DISTANCE_SAMPLES 8 /* that make a new one */
#define BENCH_DISTANCE_UNKNOWN BENCH_DISTANCES

struct bench_distance {
    unsigned lcore, cpu; /* between an idle lcore and this CPU */
    unsigned count, now; /* known distances; that of the last sample, or BENCH_DISTANCE_UNKNOWN */
    double ns[BENCH_DISTANCES];
    unsigned new_samples; /* in a row that belong to no known distance, */
    double new_ns;        /* and their mean */
};

/* Takes a sample; returns d->now. Takes at most 2 ms, while nothing else should run on either CPU. If the two
 * CPUs do not run at the same time long enough, d->now stays unchanged. */
unsigned bench_distance_sample(struct bench_distance *d);

/* The distance that a round trip belongs to, a new one included, or BENCH_DISTANCE_UNKNOWN. */
unsigned bench_distance_sort(struct bench_distance *d, double round_trip_ns);

#endif
