/* SPDX-License-Identifier: BSD-3-Clause */
/* Control's event loop: sleeps until a worker, a signal, a timer or a question over telemetry wakes it. */
#ifndef CONTROL_LIVE_LOOP_H
#define CONTROL_LIVE_LOOP_H

#include <stdbool.h>

struct live;

/* Blocks the signals that the loop takes, for this thread and those it starts from now on. */
void live_loop_block_signals(void);

/* False, with a line on stderr: the system gives no file descriptors. */
bool live_loop_open(struct live *live);
void live_loop_close(struct live *live);

/* Runs until SIGINT or SIGTERM; SIGHUP has the configuration read again. */
void live_loop_run(struct live *live);

#endif
