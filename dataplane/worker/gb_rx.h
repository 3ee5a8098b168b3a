/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames from Gb: users' LLC-PDUs become G-PDUs towards their GGSN, everything else goes to control. Uplink
 * is plain forwarding, it has no scheduler.
 */
#ifndef DATAPLANE_WORKER_GB_RX_H
#define DATAPLANE_WORKER_GB_RX_H

#include <stdint.h>

struct rte_mbuf;
struct worker;

/* Receives one burst; returns the number of frames. */
unsigned gb_rx_receive(struct worker *w, int64_t now);

/* At most WORKER_BURST frames that another worker received, of NS-VCs of ours; takes them over. */
void gb_rx_take_steered(struct worker *w, struct rte_mbuf *const *frames, unsigned count, int64_t now);

#endif
