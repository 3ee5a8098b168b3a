/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink from queue to Gb: LLC-PDUs from the scheduler are framed as SNDCP, LLC, BSSGP, NS and UDP when
 * they leave (late framing). */
#ifndef DATAPLANE_WORKER_GB_TX_H
#define DATAPLANE_WORKER_GB_TX_H

#include "dataplane/sched/sched.h"
#include "dataplane/worker/cipher.h"

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct msg;
struct worker;

/* LLC-PDUs of this step that bypassed the queue, frames that wait for ciphering, and the resources to send.
 * Between steps closed and empty, but for spare, which is freed when the worker is idle. */
struct gb_tx_outbox {
    bool is_open; /* the port has room for a burst, and spare holds PORT_BURST */
    unsigned count, spare_count;
    struct sched_grant grants[PORT_BURST];
    struct rte_mbuf *spare[PORT_BURST]; /* for copies */
    struct cipher cipher;               /* of frames in the pending list of the port */
};

/* Bypass of an N-PDU (context_pass()): true, and gb_tx_send() of this step sends it, or AQM dropped it.
 * Sends earlier bypassing LLC-PDUs at once if there is no room for more. */
bool gb_tx_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* Frames at most one burst of LLC-PDUs and gives it to the Gb port; returns their number. gb_tx_flush() of
 * the same step ciphers and sends them. */
unsigned gb_tx_send(struct worker *w, int64_t now);

/* Ciphers the frames of all bursts since the last call together, and sends what is pending on the Gb port.
 * Returns how many frames the port accepted. */
unsigned gb_tx_flush(struct worker *w);

/* Frees the spare buffers. */
void gb_tx_rest(struct worker *w);

/* When the scheduler will let something go; later than now even when a lack of buffers or room held things up
 * just now. */
int64_t gb_tx_next_ns(const struct worker *w, int64_t now);

#endif
