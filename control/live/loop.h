/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop of the control core: sleeps until a worker, a signal, a timer or a telemetry query wakes it.
 */
#ifndef CONTROL_LIVE_LOOP_H
#define CONTROL_LIVE_LOOP_H

#include "control/base/clock.h"
#include "control/base/wake.h"
#include "dataplane/worker/worker.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The loop of a worker's lcore: calls worker_step(), and polls or sleeps without work. */

/* Written by the worker's core; others may read single fields at any time. */
struct live_worker_stats {
    uint64_t passes, busy_passes, sleeps;
    int64_t slept_ns;
    uint64_t gaps;      /* steps at least LIVE_WORKER_GAP_NS after the one before, without a sleep between */
    int64_t longest_ns; /* between two steps, without a sleep between */
};

struct live_worker {
    struct worker *worker;
    const struct clock_counter *clock;
    struct wake *control;    /* called when the worker has sent messages to control */
    struct wake wake;        /* of this worker */
    const atomic_bool *stop; /* written by control */
    bool drops_capabilities; /* at its start */
    atomic_bool is_polling;  /* written by control, as max_sleep_ns */
    _Atomic int64_t max_sleep_ns;
    unsigned lcore;
    struct live_worker_stats stats;
};

/* The function of the lcore, until *stop is set; arg is a struct live_worker. Returns 0. */
int live_loop_run_worker(void *arg);

struct live;

/* Blocks the signals that the loop reads, in this thread and those that it starts from now on. */
void live_loop_block_signals(void);

/* False, with a line on stderr: file descriptors cannot be opened. */
bool live_loop_open(struct live *live);
void live_loop_close(struct live *live);

/* The loop wakes when the descriptor is readable. False, with errno: the kernel has no memory for that. */
bool live_loop_watch(const struct live *live, int fd);

/* Lets the control core use the connection to the HLR; before core_start(). */
void live_loop_serve_hlr(struct live *live);

/* Runs until SIGINT or SIGTERM; SIGHUP reloads the configuration. */
void live_loop_run(struct live *live);

#endif
