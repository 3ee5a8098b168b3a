/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop of the control core: sleeps until a worker, a signal, a timer or a telemetry query wakes it.
 */
#ifndef CONTROL_LIVE_LOOP_H
#define CONTROL_LIVE_LOOP_H

#include <stdbool.h>

struct live;

/* Blocks the signals that the loop reads, in this thread and those that it starts from now on. */
void live_loop_block_signals(void);

/* False, with a line on stderr: file descriptors cannot be opened. */
bool live_loop_open(struct live *live);
void live_loop_close(struct live *live);

/* Lets the control core use the connection to the HLR; before core_start(). */
void live_loop_serve_hlr(struct live *live);

/* Runs until SIGINT or SIGTERM; SIGHUP reloads the configuration. */
void live_loop_run(struct live *live);

#endif
