/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constant offered load on the generator's CPU (generator.h) until it is stopped, with an event for each gap
 * and each loss that the generator sees.
 *
 * Model: N-PDUs are due by the clock. After a gap of the generator it sends up to a quarter of a ring late;
 * further N-PDUs are not offered, but counted, because a longer burst would overflow any ring.
 */
#ifndef BENCH_THROUGHPUT_CONSTANT_LOAD_H
#define BENCH_THROUGHPUT_CONSTANT_LOAD_H

#include "bench/statistics/loss_log.h"
#include "bench/throughput/generator.h"

struct bench_constant_load {
    struct bench_generator *g;
    double rate; /* offered load, N-PDU/s */
    int64_t gap_ns;
    atomic_bool is_stopped, is_released;        /* written by main: sending ends; receiving ends, too */
    atomic_bool is_done;                        /* written by the generator's CPU, as the next three */
    atomic_uint_fast64_t offered, sent, frames; /* N-PDUs; N-PDUs put into a Gn ring; LLC frames received */
    struct bench_trial trial;                   /* sums, valid after bench_constant_load_end() */
    uint64_t left_out;                          /* N-PDUs not offered after gaps */
    struct bench_event loss;                    /* not yet in events: losses within 100 us make one */
    struct bench_events events;                 /* read by main */
};

/* Starts it with g, rate and gap_ns set and all else 0. Returns at once. */
void bench_constant_load_start(struct bench_constant_load *f);

/* Ends sending; frames are received until bench_constant_load_end(). */
void bench_constant_load_stop(struct bench_constant_load *f);
void bench_constant_load_end(struct bench_constant_load *f);

#endif
