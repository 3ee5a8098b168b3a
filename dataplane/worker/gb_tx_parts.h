/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of gb_tx_send(), each over a burst: for gb_tx.c, and for whoever measures them one by one.
 */
#ifndef DATAPLANE_WORKER_GB_TX_PARTS_H
#define DATAPLANE_WORKER_GB_TX_PARTS_H

#include "dataplane/context/llc_cipher.h"
#include "dataplane/worker/cipher.h"
#include "dataplane/worker/gb_tx.h"

struct gb_nsvc;

/* One LLC-PDU on its way from grant to frame. */
struct gb_tx_out {
    struct sched_grant grant;
    struct rte_mbuf *mbuf;
    struct gb_nsvc *nsvc;
    uint8_t *llc;              /* its first octet; llc_octets from the grant, FCS last */
    const struct llc_key *key; /* NULL: stays in clear */
    uint32_t input;            /* of the cipher */
    bool is_protected;
};

/* Grants of one burst and the buffers that segments are copied to. */
struct gb_tx_batch {
    unsigned count, spare_count;
    unsigned passed; /* so many first ones are of N-PDUs that leave whole, in this batch */
    bool has_sums;   /* to be written over IPv6 */
    struct gb_tx_out out[PORT_BURST];
    struct rte_mbuf **spare;
    struct cipher cipher;
};

/* Makes sure that a burst can be sent; gb_tx_close() is told how many of its spare buffers were not used.
 */
bool gb_tx_open(struct worker *w);
void gb_tx_close(struct worker *w, unsigned spare_count);

/* An empty batch; false: there is nothing to send, or nothing can be sent. */
bool gb_tx_begin(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* What took the short way, and what the scheduler picks. */
void gb_tx_fill(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* All headers, frame by frame, segments copied. */
void gb_tx_put_headers(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* The same in two passes, for who measures its parts: up to LLC; BSSGP, NS, UDP, IP and the link's. */
void gb_tx_put_llc(struct worker *w, struct gb_tx_batch *batch);
void gb_tx_put_bssgp(struct worker *w, struct gb_tx_batch *batch, int64_t now);

/* FCS; collects what is to be ciphered, for cipher_run(). */
void gb_tx_put_fcs(struct gb_tx_batch *batch);

/* To the port's list; N-PDUs that are through are counted, and their buffers given back. */
void gb_tx_hand_over(struct worker *w, struct gb_tx_batch *batch, int64_t now);

#endif
