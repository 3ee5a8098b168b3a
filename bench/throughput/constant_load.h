/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic at one rate for as long as it is wanted, on the generator's core (bench_generator.h), with an event
 * for each gap there and for each loss.
 *
 * Model: N-PDUs are due by the clock. What is behind is made up for as long as it is a quarter of a ring at
 * most; more is left out, so that a gap here makes no burst that no worker could stand.
 */
#ifndef BENCH_THROUGHPUT_CONSTANT_LOAD_H
#define BENCH_THROUGHPUT_CONSTANT_LOAD_H

#include "bench/throughput/events.h"
#include "bench/throughput/generator.h"

struct bench_constant_load {
    struct bench_generator *g;
    double rate; /* N-PDUs a second */
    int64_t gap_ns;
    atomic_bool is_stopped, is_released; /* by main: nothing is sent any more; nothing is taken either */
    atomic_bool is_done;                 /* by the core */
    atomic_uint_fast64_t offered, sent,
        frames;                 /* N-PDUs so far, those of them that found room, frames taken; by the core */
    struct bench_trial trial;   /* sums; when it is done */
    uint64_t left_out;          /* N-PDUs that were not made up for */
    struct bench_event loss;    /* that is not told yet */
    struct bench_events events; /* to main */
};

/* g, rate and gap_ns are given; the rest is 0. Returns at once. */
void bench_constant_load_start(struct bench_constant_load *f);

/* Nothing is sent any more; what comes is taken until bench_constant_load_end(). */
void bench_constant_load_stop(struct bench_constant_load *f);
void bench_constant_load_end(struct bench_constant_load *f);

#endif
