/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of gb_tx_send(), each over a burst: for gb_tx.c and for the benchmark of single stages. */
#ifndef DATAPLANE_WORKER_GB_TX_PARTS_H
#define DATAPLANE_WORKER_GB_TX_PARTS_H

#include "dataplane/context/llc_cipher.h"
#include "dataplane/worker/gb_tx.h"

struct gb_nsvc;

/* One LLC-PDU between grant and frame. */
struct gb_tx_out {
    struct sched_grant grant;
    struct rte_mbuf *mbuf;
    struct gb_nsvc *nsvc;
    uint8_t *llc;              /* its first octet; llc_octets from the grant, FCS last */
    const struct llc_key *key; /* NULL: not ciphered */
    uint32_t input;            /* of the cipher */
    bool is_protected;
};

/* Grants of one burst and the buffers that segments are copied to. */
struct gb_tx_batch {
    unsigned count, spare_count;
    unsigned passed; /* the first `passed` grants are of N-PDUs all of whose segments are in this batch */
    bool has_sums;   /* UDP checksums over IPv6 are to be written */
    uint16_t lifetime_cs; /* PDU Lifetime of N-PDUs of age_ns, that of the last frame */
    int64_t age_ns;
    struct gb_tx_out out[PORT_BURST];
    struct rte_mbuf **spare;
};

/* Whether gb_tx_open() has to call gb_tx_flush() first. */
bool gb_tx_needs_flush(const struct worker *w);

/* Makes sure that a burst can be sent; gb_tx_close() takes the number of spare buffers left. */
bool gb_tx_open(struct worker *w);
void gb_tx_close(struct worker *w, unsigned spare_count);

/* Starts an empty batch; false: nothing is to be sent, or nothing can be. */
bool gb_tx_begin(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* Adds the LLC-PDUs that bypassed the queue, then those that the scheduler picks. */
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
