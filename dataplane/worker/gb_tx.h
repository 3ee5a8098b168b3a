/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink from the queue on: what the scheduler lets go becomes SNDCP in LLC in BSSGP in NS in UDP. Late
 * framing. */
#ifndef DATAPLANE_WORKER_GB_TX_H
#define DATAPLANE_WORKER_GB_TX_H

#include "dataplane/ports/port.h"
#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct msg;
struct worker;

/* What this step will send: N-PDUs that took the short way, and what it needs to send anything at all. Closed
 * and empty between steps, but for spare, which is kept until there is nothing to do. */
struct gb_tx_outbox {
    bool is_open; /* the port has room for a burst, and spare holds one */
    unsigned count, spare_count;
    struct sched_grant grants[PORT_BURST];
    struct rte_mbuf *spare[PORT_BURST]; /* for copies */
};

/* The short way of an N-PDU (context_pass()): true, and gb_tx_send() of this step sends it. What took it
 * before is sent at once when there is no room for more. */
bool gb_tx_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* Frames one burst of LLC-PDUs at most and hands it to the Gb port; returns how many. */
unsigned gb_tx_send(struct worker *w, int64_t now);

/* Gives back what is kept from step to step. */
void gb_tx_rest(struct worker *w);

/* When the scheduler will let something go; later than now even when a lack of buffers or room held things up
 * just now. */
int64_t gb_tx_next_ns(const struct worker *w, int64_t now);

#endif
