/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink from queue to Gb: LLC-PDUs from the scheduler are framed as SNDCP, LLC, BSSGP, NS and UDP when
 * they leave (late framing). */
#ifndef DATAPLANE_WORKER_GB_TX_H
#define DATAPLANE_WORKER_GB_TX_H

#include "dataplane/worker/gb_tx_outbox.h"

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct n_pdu;
struct worker;

/* Bypass of an N-PDU (context_pass()): true, and gb_tx_send() of this step sends it, or AQM dropped it.
 * Sends earlier bypassing LLC-PDUs at once if there is no room for more. */
bool gb_tx_pass(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* The same of an N-PDU in acknowledged mode, whose segments are sent at once. */
bool gb_tx_pass_acknowledged(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* Frames at most one burst of LLC-PDUs and gives it to the Gb port; returns their number.
 * gb_tx_outbox_flush() of the same step ciphers and sends them. */
unsigned gb_tx_send(struct worker *w, int64_t now);

/* The stages of gb_tx_send(), each over a burst: for gb_tx.c and for the benchmark of single stages. */

/* Opens the outbox if anything may be sent; false: nothing is to be sent, or nothing can be. */
bool gb_tx_begin(struct worker *w, int64_t now);

/* Adds the LLC-PDUs that the scheduler picks to the batch. */
void gb_tx_fill(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* All headers, frame by frame; copies segments. */
void gb_tx_put_headers(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* The same in two passes, for benchmarks: SNDCP and LLC; then BSSGP, NS, UDP, IP and Ethernet. */
void gb_tx_put_llc(struct worker *w, struct gb_tx_batch *batch);
void gb_tx_put_bssgp(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* FCS; adds the cipher jobs for cipher_run() to the outbox. */
void gb_tx_put_fcs(struct worker *w, struct gb_tx_batch *batch);

/* Gives the frames to the port, ciphered before if their octets are read here; counts N-PDUs that are
 * complete, and frees their buffers. */
void gb_tx_hand_over(struct worker *w, struct gb_tx_batch *batch, int64_t now);

#endif
