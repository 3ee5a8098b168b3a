/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a step on Gb before they leave: a batch, with room on the port and buffers for it, and the
 * frames to be ciphered together. */
#ifndef DATAPLANE_WORKER_GB_TX_OUTBOX_H
#define DATAPLANE_WORKER_GB_TX_OUTBOX_H

#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"
#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

/* Frames to cipher or decipher: collected one by one, then handled together, as the engine is faster so. */

enum { CIPHER_FRAMES = PORT_PENDING };

/* Empty when count is 0; other fields are then undefined. */
struct cipher {
    unsigned count;
    struct gea_job jobs[CIPHER_FRAMES];
};

/* Adds a frame; at most CIPHER_FRAMES in all. */
static inline void cipher_put(struct cipher *c, const struct gea_job *job)
{
    c->jobs[c->count++] = *job;
}

/* Handles the added frames in place. The engine may be NULL when there are none. */
static inline void cipher_run(struct cipher *c, const struct gea_engine *engine)
{
    if (c->count > 0)
        gea_cipher_burst(engine, c->jobs, c->count);
    c->count = 0;
}

struct gb_nsvc;
struct rte_mbuf;
struct worker;

/* One LLC-PDU between grant and frame. */
struct gb_tx_out {
    const struct sched_grant *grant;
    struct rte_mbuf *mbuf;
    struct gb_nsvc *nsvc;
    uint8_t *llc;              /* its first octet; llc_octets from the grant, FCS last */
    const struct llc_key *key; /* NULL: not ciphered */
    uint32_t input;            /* of the cipher */
    bool is_protected;
};

/* Grants of one burst and the buffers that segments are copied to. */
struct gb_tx_batch {
    unsigned count;
    unsigned passed;      /* the first `passed` bypassed the queue: with all segments of their N-PDUs */
    unsigned most;        /* a burst, less frames of links in acknowledged mode that were sent (gb_abm.h) */
    unsigned spare_count; /* filled up by gb_tx_outbox_open() */
    bool has_sums;        /* UDP checksums over IPv6 are to be written */
    uint16_t lifetime_cs; /* PDU Lifetime of N-PDUs of age_ns, that of the last frame */
    int64_t age_ns;
    struct sched_grant grants[PORT_BURST];
    struct gb_tx_out out[PORT_BURST];
    struct rte_mbuf *spare[PORT_BURST]; /* for copies */
};

/* LLC-PDUs of this step that bypassed the queue, frames that wait for ciphering, and the resources to send.
 * Between steps closed and empty, but for the batch's spare buffers, which are freed when the worker is idle.
 */
struct gb_tx_outbox {
    bool is_open; /* the port has room for a burst, and the batch has PORT_BURST spare buffers */
    struct gb_tx_batch batch;
    struct cipher cipher; /* of frames in the pending list of the port */
};

/* Ciphers the frames of all bursts since the last call together, and sends what is pending on the Gb port.
 * Returns how many frames the port accepted. */
unsigned gb_tx_outbox_flush(struct worker *w);

/* Frees the spare buffers. */
void gb_tx_outbox_rest(struct worker *w);

/* Whether gb_tx_outbox_open() has to call gb_tx_outbox_flush() first. */
bool gb_tx_outbox_needs_flush(const struct worker *w);

/* Makes sure that a burst can be sent: starts an empty batch in the outbox. */
bool gb_tx_outbox_open(struct worker *w);
void gb_tx_outbox_close(struct worker *w);

#endif
