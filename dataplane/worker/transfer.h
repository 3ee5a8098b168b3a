/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile on its way from one worker to another: all that the next one needs to go on where this one stopped
 * (numbering, ciphering, contexts, and the N-PDUs that wait, plain, the one in service first).
 *
 * At its home a mobile leaves its contexts behind: their tunnels end there for ever. As a guest it has
 * contexts without a TEID, which no tunnel leads to.
 */
#ifndef DATAPLANE_WORKER_TRANSFER_H
#define DATAPLANE_WORKER_TRANSFER_H

#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct worker;

struct transfer {
    struct ms ms;                      /* as it was; its place, queue and slots mean nothing any more */
    struct bssgp_elements elements;    /* if it has any */
    uint16_t nsapis;                   /* bit per NSAPI with a context */
    struct pdp_params pdps[MS_NSAPIS]; /* of NSAPI 5 + i */
    uint16_t numbers[MS_NSAPIS];       /* next N-PDU number */
    struct n_pdu_list n_pdus;          /* n_pdu.pdp is the NSAPI */
    uint32_t pkts;
};

static inline bool transfer_has(const struct transfer *p, unsigned nsapi)
{
    return p->nsapis >> nsapi & 1;
}

/* Takes a mobile out of this worker. Its N-PDUs count as left. */
void transfer_take(struct worker *w, uint32_t index, struct transfer *transfer);

/*
 * Puts it into a cell of this worker, as a guest or, if this is its home, with the contexts that it has left
 * here; the N-PDUs count as joined and wait again, or are dropped where there is no room. -1: a slot, the
 * cell or the TLLI is not free, and nothing has changed.
 */
int transfer_put(struct worker *w, struct transfer *transfer, const struct msg_place *place, bool is_guest,
                 int64_t now);

/* Takes the N-PDUs of one NSAPI out, in order; returns how many. */
uint32_t transfer_take_nsapi(struct transfer *transfer, unsigned nsapi, struct n_pdu_list *out);

#endif
