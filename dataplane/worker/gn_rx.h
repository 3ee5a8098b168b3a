/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink up to the queue: frames from Gn become N-PDUs of a PDP context, and wait. */
#ifndef DATAPLANE_WORKER_GN_RX_H
#define DATAPLANE_WORKER_GN_RX_H

#include <stdint.h>

struct rte_mbuf;
struct admission;
struct worker;

/* Receives one burst and queues what is for us; returns the number of frames. */
unsigned gn_rx_receive(struct worker *w, int64_t now);

/* Frames to the G-PDUs of a burst; takes the frames over. The first two stages of gn_rx_receive() are
 * port_receive() and this, then admission_queue() has its own. */
void gn_rx_decode(struct worker *w, struct rte_mbuf **frames, unsigned count, struct admission *burst,
                  int64_t now);

#endif
