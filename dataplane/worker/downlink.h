/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink up to the queue: frames from Gn become N-PDUs of a PDP context, and wait. */
#ifndef DATAPLANE_WORKER_DOWNLINK_H
#define DATAPLANE_WORKER_DOWNLINK_H

#include "dataplane/base/drop.h"

#include <stdint.h>

struct n_pdu;
struct rte_mbuf;
struct sched_grant;
struct tunnelled;
struct worker;

/* Receives one burst and queues what is for us; returns the number of frames. */
unsigned downlink_receive(struct worker *w, int64_t now);

/* Frames to the G-PDUs of a burst; takes the frames over. The first two stages of downlink_receive() are
 * port_receive() and this, then tunnelled_queue() has its own. */
void downlink_decode(struct worker *w, struct rte_mbuf **frames, unsigned count, struct tunnelled *burst,
                     int64_t now);

/* Counts and frees the N-PDUs that the scheduler dropped. */
void downlink_reap(struct worker *w, int64_t now);

/* Counts and frees an N-PDU. */
void downlink_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now);

/* Keeps a copy of a segment's frame for whoever captures. */
void downlink_capture(struct worker *w, const struct sched_grant *grant, const struct rte_mbuf *frame,
                      int64_t now);

/* One event of w->trace, which there is: an N-PDU that ended with `reason` (DROP_NONE: delivered). */
void downlink_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now);

#endif
