/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gaps, backlogs and losses with their times, from a CPU that must not wait to one that may: a ring with one
 * writer and one reader, which may be processes that share its memory. All zero is an empty ring.
 */
#ifndef BENCH_STATISTICS_EVENTS_H
#define BENCH_STATISTICS_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_EVENTS 8192 /* a power of two */

enum bench_event_kind {
    BENCH_EVENT_GAP,     /* a turn longer than gap_ns, from begin to end */
    BENCH_EVENT_BACKLOG, /* from begin to end each burst of the worker was full: its Gn ring never was empty
                          */
    BENCH_EVENT_LOSS,    /* count N-PDUs were lost from begin to end */
};

/* Times are of the clock that both sides read. */
struct bench_event {
    int64_t begin_ns, end_ns;
    uint64_t count;
    int64_t turn_ns; /* backlog: its longest turn */
    enum bench_event_kind kind;
};

struct bench_events {
    atomic_uint_fast64_t written, read; /* by the writer; by the reader */
    atomic_uint_fast64_t missed;        /* events without room; by the writer */
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
