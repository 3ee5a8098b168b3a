/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened when, from a core that must not wait to one that has time: a ring with one writer and one
 * reader, who may be processes that share its memory. All zero is an empty one.
 */
#ifndef BENCH_THROUGHPUT_EVENTS_H
#define BENCH_THROUGHPUT_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_EVENTS 8192 /* a power of two */

enum bench_event_kind {
    BENCH_EVENT_GAP,     /* a turn took from begin to end */
    BENCH_EVENT_BACKLOG, /* from begin to end the worker found whole bursts: its ring was never empty */
    BENCH_EVENT_LOSS,    /* count N-PDUs were lost from begin to end */
};

/* On a clock that both sides have. */
struct bench_event {
    int64_t begin_ns, end_ns;
    uint64_t count;
    int64_t turn_ns; /* of a backlog: its longest turn */
    enum bench_event_kind kind;
};

struct bench_events {
    atomic_uint_fast64_t written, read; /* by the writer; by the reader */
    atomic_uint_fast64_t missed;        /* found no room; by the writer */
    struct bench_event ring[BENCH_EVENTS];
};

static inline void bench_events_put(struct bench_events *e, const struct bench_event *event)
{
    uint64_t at = atomic_load_explicit(&e->written, memory_order_relaxed);
    if (at - atomic_load_explicit(&e->read, memory_order_acquire) == BENCH_EVENTS) {
        atomic_fetch_add(&e->missed, 1);
        return;
    }
    e->ring[at % BENCH_EVENTS] = *event;
    atomic_store_explicit(&e->written, at + 1, memory_order_release);
}

static inline bool bench_events_take(struct bench_events *e, struct bench_event *event)
{
    uint64_t at = atomic_load_explicit(&e->read, memory_order_relaxed);
    if (at == atomic_load_explicit(&e->written, memory_order_acquire))
        return false;
    *event = e->ring[at % BENCH_EVENTS];
    atomic_store_explicit(&e->read, at + 1, memory_order_release);
    return true;
}

#endif
