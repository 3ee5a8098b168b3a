/* SPDX-License-Identifier: BSD-3-Clause */
/* Items from the other workers of the process: frames of this worker's tunnels and NS-VCs, N-PDUs of mobiles
 * that it serves, and notes. */
#ifndef DATAPLANE_WORKER_XWORKER_RX_H
#define DATAPLANE_WORKER_XWORKER_RX_H

#include <stdint.h>

struct worker;

/* Takes one burst from each ring; returns the number of items. */
unsigned xworker_rx_receive(struct worker *w, int64_t now);

/* Puts waiting items on the rings while there is room; returns their number. */
unsigned xworker_rx_flush(struct worker *w);

/* When to try again with items that found no room, later than now; MOMENT_NEVER: none wait. */
int64_t xworker_rx_next_ns(const struct worker *w, int64_t now);

#endif
