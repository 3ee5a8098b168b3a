/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * G-PDUs of one burst between decoding and their mobile's queue. Each is queued here, steered to the worker
 * that its TEID names, or dropped with a reason.
 *
 * Before an N-PDU is steered, its decoded data is stored in its buffer, over the Gn headers. Of these only
 * the source address of an IPv6 packet is read again.
 */
#ifndef DATAPLANE_WORKER_ADMISSION_H
#define DATAPLANE_WORKER_ADMISSION_H

#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/worker.h"

/* N-PDUs, each with its datagram and the key of its tunnel. */
struct admission {
    unsigned count;
    bool is_steered; /* another worker received them; they are not steered again */
    struct n_pdu *n_pdus[WORKER_BURST];
    struct table_key keys[WORKER_BURST];
    struct gn_datagram datagrams[WORKER_BURST];
};

/* Starts an empty burst; writes only what is read later, as the struct is large. */
static inline void admission_start(struct admission *burst, bool is_steered)
{
    burst->count = 0;
    burst->is_steered = is_steered;
}

/* Handles the whole burst and takes ownership of its N-PDUs. */
void admission_queue(struct worker *w, const struct admission *burst, int64_t now);

/* The two stages of admission_queue(). First: contexts by TEID, one index for each, and prefetches for the
 * second. Second: admission, AQM, and the mobile's queue or bypass for N-PDUs `from` to before `end`. It may
 * send a burst, when more LLC-PDUs bypass the queue than a burst holds. */
void admission_find(struct worker *w, const struct admission *burst, uint32_t *found);
void admission_settle(struct worker *w, const struct admission *burst, const uint32_t *found, unsigned from,
                      unsigned end, int64_t now);

/* Adds an N-PDU that another worker steered here. There must be room in the burst. */
void admission_put(struct admission *burst, struct n_pdu *n_pdu);

#endif
