/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from Gb: users' LLC-PDUs become G-PDUs to their GGSN, all other PDUs are punted to
 * control. Uplink has no scheduler. */
#ifndef DATAPLANE_WORKER_GB_RX_H
#define DATAPLANE_WORKER_GB_RX_H

#include <stdint.h>

struct rte_mbuf;
struct worker;

/* Receives one burst; returns the number of frames. */
unsigned gb_rx_receive(struct worker *w, int64_t now);

/* Handles at most WORKER_BURST frames of this worker's NS-VCs that another worker received; takes ownership.
 * */
void gb_rx_take_steered(struct worker *w, struct rte_mbuf *const *frames, unsigned count, int64_t now);

#endif
