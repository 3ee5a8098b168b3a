/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of gb_tx_send(), each over a burst: for gb_tx.c and for the benchmark of single stages. */
#ifndef DATAPLANE_WORKER_GB_TX_PARTS_H
#define DATAPLANE_WORKER_GB_TX_PARTS_H

#include "dataplane/worker/gb_tx.h"

/* Whether gb_tx_open() has to call gb_tx_flush() first. */
bool gb_tx_needs_flush(const struct worker *w);

/* Makes sure that a burst can be sent: starts an empty batch in the outbox. */
bool gb_tx_open(struct worker *w);
void gb_tx_close(struct worker *w);

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
