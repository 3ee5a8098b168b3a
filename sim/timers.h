/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers in virtual time: a binary heap of pointers to timers that their owners embed. O(log n); memory grows
 * with the timers that are set. Equal instants expire by rank; equal ranks in a fixed order.
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
    uint32_t rank; /* the owner's: of equal instants the lower one expires first */
};

struct timers {
    struct timer **heap;
    uint32_t count;
    uint32_t cap; /* places in heap */
};

/* Frees the memory and empties it. A zeroed one is empty. */
void timers_free(struct timers *t);

/* Sets or moves a timer. Ends the program when memory is short. */
void timers_set(struct timers *t, struct timer *timer, int64_t at_ns);

/* Cancels a timer; no effect if it is not set. */
void timers_cancel(struct timers *t, struct timer *timer);

/* The next instant; MOMENT_NEVER: no timer is set. */
int64_t timers_next_ns(const struct timers *t);

/* Removes and returns a timer that is due at `now`; NULL: none. */
struct timer *timers_take_due(struct timers *t, int64_t now);

#endif
