/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes from the other workers of the process: frames of our tunnels and NS-VCs, N-PDUs of mobiles that
 * we serve, and what mobiles on the move bring along. */
#ifndef DATAPLANE_WORKER_XWORKER_RX_H
#define DATAPLANE_WORKER_XWORKER_RX_H

#include <stdint.h>

struct worker;

/* Takes one burst from each of them; returns how many things came. */
unsigned xworker_rx_receive(struct worker *w, int64_t now);

/* Sends what is for them, as far as there is room; returns how many things went. */
unsigned xworker_rx_flush(struct worker *w);

/* When to try again with what found no room, later than now; MOMENT_NEVER: nothing waits. */
int64_t xworker_rx_next_ns(const struct worker *w, int64_t now);

#endif
