/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wakes a thread that sleeps, and costs one that does not one load. Who sleeps says so first and then looks
 * once more whether there is something to do; who gives it something to do looks afterwards whether it
 * sleeps. So nothing is left lying (sequentially consistent, both sides).
 */
#ifndef CONTROL_LIVE_WAKE_H
#define CONTROL_LIVE_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct live_wake {
    int fd;                /* readable: somebody called */
    atomic_bool is_asleep; /* written by the sleeper and by whoever wakes it */
};

/* False when the system gives no eventfd. */
bool live_wake_init(struct live_wake *wake);
void live_wake_fini(struct live_wake *wake);

/* The sleeper: before its last look at what there is to do, and once it is up. */
void live_wake_sleep_begin(struct live_wake *wake);
void live_wake_sleep_end(struct live_wake *wake);

/* Sleeps for wait_ns at the most, in between those two. */
void live_wake_sleep(struct live_wake *wake, int64_t wait_ns);

/* Others: after they gave the sleeper something to do. */
void live_wake_call(struct live_wake *wake);

#endif
