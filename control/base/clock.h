/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that reads a clock. */
#ifndef CONTROL_BASE_CLOCK_H
#define CONTROL_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds on a clock that never goes back. */
int64_t clock_now_ns(void);

/* Nanoseconds of processor time that this process has taken so far, all threads together. */
int64_t clock_spent_ns(void);

/* Nanoseconds since 1970. */
int64_t clock_wall_ns(void);

/* A clock made of the processor's counter, for those who look at it all the time; read from any thread. */
struct clock_counter {
    uint64_t start, ns_times_2_32; /* of a tick */
};

/* Starts at 0; hz: of the counter, above 1 MHz. */
struct clock_counter clock_counter_start(uint64_t hz);

/* One that all processes of the machine share, if they give the same hz. */
struct clock_counter clock_counter_shared(uint64_t hz);

/* Nanoseconds since its start. */
int64_t clock_counter_ns(const struct clock_counter *counter);

#endif
