/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wakes a sleeping thread; for a thread that is awake the call costs one load. The sleeper sets is_asleep and
 * then tests once more for work; the caller adds work and then tests is_asleep. Both are sequentially
 * consistent, so that no work is left while the sleeper sleeps.
 */
#ifndef CONTROL_BASE_WAKE_H
#define CONTROL_BASE_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct wake {
    int fd;                /* eventfd; readable after wake_call() */
    atomic_bool is_asleep; /* written by the sleeper and by the thread that wakes it */
};

/* False: no eventfd can be opened. */
bool wake_init(struct wake *wake);
void wake_fini(struct wake *wake);

/* Sleeper: begin before its last test for work, end after it has woken. */
void wake_sleep_begin(struct wake *wake);
void wake_sleep_end(struct wake *wake);

/* Sleeper: sleeps for at most wait_ns, between begin and end. */
void wake_sleep(struct wake *wake, int64_t wait_ns);

/* Other threads: wakes the sleeper, to be called after adding work. */
void wake_call(struct wake *wake);

#endif
