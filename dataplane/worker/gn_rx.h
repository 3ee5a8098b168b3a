/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink up to the queue: frames from Gn become queued N-PDUs of a PDP context. */
#ifndef DATAPLANE_WORKER_GN_RX_H
#define DATAPLANE_WORKER_GN_RX_H

#include <stdint.h>

struct rte_mbuf;
struct admission;
struct worker;

/* Receives one burst and queues its G-PDUs; returns the number of frames. */
unsigned gn_rx_receive(struct worker *w, int64_t now);

/* Decodes frames to the G-PDUs of a burst; takes ownership of the frames. The stages of gn_rx_receive() are
 * port_receive(), this, and those of admission_queue(). */
void gn_rx_decode(struct worker *w, struct rte_mbuf **frames, unsigned count, struct admission *burst,
                  int64_t now);

#endif
