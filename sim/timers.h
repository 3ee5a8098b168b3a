/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What waits for an instant: a binary heap of timers that lie inside the things that wait. O(log n), nothing
 * is allocated after the start, equal instants come out in a fixed order.
 *
 * Invariant: a timer with pos > 0 is heap[pos - 1].
 */
#ifndef SIM_TIMERS_H
#define SIM_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timer {
    int64_t at_ns;
    uint32_t pos;  /* 0: not set */
    uint32_t kind; /* the owner's */
};

struct timers {
    struct timer **heap;
    uint32_t count;
    uint32_t cap;
};

/* Room for cap timers at a time. False when there is no memory. */
bool timers_new(struct timers *t, uint32_t cap);
void timers_free(struct timers *t);

/* Sets or moves a timer. There is always room: the owner counted its timers in timers_new(). */
void timers_set(struct timers *t, struct timer *timer, int64_t at_ns);

/* Unsets it; no effect when it is not set. */
void timers_cancel(struct timers *t, struct timer *timer);

/* The next instant, MOMENT_NEVER when nothing waits. */
int64_t timers_next_ns(const struct timers *t);

/* Takes a timer that is due at now, NULL when none is. */
struct timer *timers_take_due(struct timers *t, int64_t now);

#endif
