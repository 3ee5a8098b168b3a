/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * G-PDUs of one burst between decoding and their mobile's queue: each goes to a queue here, to the worker
 * that its TEID names, or ends with a reason.
 *
 * For the way to another worker what was decoded is put in the buffer in front of the N-PDU, over the Gn
 * headers, of which nothing is read again but an IPv6 packet's source.
 */
#ifndef DATAPLANE_WORKER_ADMISSION_H
#define DATAPLANE_WORKER_ADMISSION_H

#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/worker.h"

/* N-PDUs, with the datagram and the key of the tunnel that each came in. */
struct admission {
    unsigned count;
    bool is_steered; /* another worker received them; they are handed on no more */
    struct n_pdu *n_pdus[WORKER_BURST];
    struct table_key keys[WORKER_BURST];
    struct gn_datagram datagrams[WORKER_BURST];
};

/* An empty one; of so much memory no more is written than is asked. */
static inline void admission_start(struct admission *burst, bool is_steered)
{
    burst->count = 0;
    burst->is_steered = is_steered;
}

/* Takes the whole burst over. */
void admission_queue(struct worker *w, const struct admission *burst, int64_t now);

/* Its two stages: contexts by TEID, one index for each, and what the second will ask for on its way to the
 * cache; then, of N-PDUs `from` to before `end`, admission, AQM, and the mobile's queue or the short way, by
 * which some may be sent if more LLC-PDUs come together than framing takes at a time. */
void admission_find(struct worker *w, const struct admission *burst, uint32_t *found);
void admission_settle(struct worker *w, const struct admission *burst, const uint32_t *found, unsigned from,
                      unsigned end, int64_t now);

/* Adds what another worker put on its way here. There must be room in the burst. */
void admission_put(struct admission *burst, struct n_pdu *n_pdu);

#endif
