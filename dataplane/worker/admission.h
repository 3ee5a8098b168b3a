/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Admission of the G-PDUs of one burst between decoding and their mobile's queue. Each is queued here,
 * steered to the worker that its TEID names, or dropped with a reason.
 *
 * Before an N-PDU is steered, its decoded data is stored in its buffer, over the Gn headers. Of these only
 * the source address of an IPv6 packet is read again.
 */
#ifndef DATAPLANE_WORKER_ADMISSION_H
#define DATAPLANE_WORKER_ADMISSION_H

#include "dataplane/base/drop.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/tunnels.h"
#include "dataplane/worker/worker.h"

#include <rte_branch_prediction.h>
#include <stdbool.h>
#include <stdint.h>

/* N-PDUs, each with its datagram, the key of its tunnel, and its context. Invariant: looked <= count. */
struct admission {
    unsigned count;
    unsigned looked; /* of these, the N-PDUs whose contexts have been looked for */
    bool is_missed;  /* of one of these the TEID is no index */
    bool is_steered; /* another worker received them; they are not steered again */
    struct n_pdu *n_pdus[WORKER_BURST];
    struct table_key keys[WORKER_BURST];
    uint32_t found[WORKER_BURST]; /* tunnels_find(); the first `looked` are set */
    struct gn_datagram datagrams[WORKER_BURST];
};

/* Starts an empty burst; writes only what is read later, as the struct is large. */
static inline void admission_start(struct admission *burst, bool is_steered)
{
    burst->count = 0;
    burst->looked = 0;
    burst->is_missed = false;
    burst->is_steered = is_steered;
}

/* Finds the contexts of the N-PDUs before `end` whose TEIDs are indices, and prefetches their mobiles. Their
 * contexts should have been prefetched. */
static inline void admission_look(const struct worker *w, struct admission *burst, unsigned end)
{
    for (; burst->looked < end; burst->looked++) {
        uint32_t found = tunnels_find_own(&w->tunnels, &burst->keys[burst->looked]);
        burst->found[burst->looked] = found;
        if (unlikely(found == TUNNELS_NONE)) {
            burst->is_missed = true;
            continue;
        }
        const struct pdp_params *pdp = &w->context.pdps[found].params;
        context_ms_prefetch(&w->context, pdp->ms, pdp->sapi);
    }
}

/* Handles the whole burst and takes ownership of its N-PDUs. */
void admission_queue(struct worker *w, struct admission *burst, int64_t now);

/* The two stages of admission_queue(). First: the contexts of all N-PDUs, and prefetches for the second.
 * Second: admission, AQM, and the mobile's queue or bypass for N-PDUs `from` to before `end`. It may send a
 * burst, when more LLC-PDUs bypass the queue than a burst holds. */
void admission_find(const struct worker *w, struct admission *burst);
void admission_settle(struct worker *w, const struct admission *burst, unsigned from, unsigned end,
                      int64_t now);

/* Adds an N-PDU that another worker steered here. There must be room in the burst. */
void admission_put(struct admission *burst, struct n_pdu *n_pdu);

#endif
