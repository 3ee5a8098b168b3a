/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks. No other file reads one. */
#ifndef CONTROL_BASE_CLOCK_H
#define CONTROL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds on a clock that never goes back. */
int64_t clock_now_ns(void);

/* Nanoseconds of processor time that this process has used so far, in all threads. */
int64_t clock_spent_ns(void);

/* Processor time that the calling thread has used so far. */
int64_t clock_thread_ns(void);

/* Nanoseconds since 1970. */
int64_t clock_wall_ns(void);

/* The host's time zone now: quarters of an hour east of Greenwich, daylight saving time included. */
struct clock_zone {
    int8_t quarters;
    bool is_daylight; /* daylight saving time */
};
struct clock_zone clock_zone_now(void);

/* A clock that reads the processor's counter (TSC), for frequent reads; any thread may read it. */
struct clock_counter {
    uint64_t start, ns_times_2_32; /* of a tick */
};

/* Starts at 0; hz: of the counter, above 1 MHz. */
struct clock_counter clock_counter_start(uint64_t hz);

/* A clock that has the same time in all processes of the machine that give the same hz. */
struct clock_counter clock_counter_shared(uint64_t hz);

/* Nanoseconds since its start. */
int64_t clock_counter_ns(const struct clock_counter *counter);

#endif
