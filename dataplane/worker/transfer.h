/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile in transfer between workers: all state by which the next worker continues (numbering, ciphering,
 * contexts, and the queued N-PDUs, in clear, the one in service first).
 *
 * At its home a mobile leaves its contexts behind, as their tunnels always end there. As a guest it has
 * contexts without a TEID, to which no tunnel leads.
 */
#ifndef DATAPLANE_WORKER_TRANSFER_H
#define DATAPLANE_WORKER_TRANSFER_H

#include "dataplane/context/ms.h"
#include "dataplane/worker/forward.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/msg.h"

#include <stdint.h>

struct worker;

struct transfer {
    struct ms ms;                              /* as it was; its cell, queue and slots have no meaning */
    int64_t suspended_ns;                      /* if it is suspended */
    struct bssgp_elements elements;            /* if it has any */
    uint16_t nsapis;                           /* bit per NSAPI with a context */
    struct pdp_params pdps[MS_NSAPIS];         /* of NSAPI 5 + i */
    uint16_t numbers[MS_NSAPIS];               /* next N-PDU number */
    struct n_pdu_list n_pdus;                  /* n_pdu.pdp is the NSAPI */
    struct forward_parcel forwards[MS_NSAPIS]; /* likewise, of NSAPI 5 + i */
    struct gb_abm_parcel links[GB_ABM_SAPIS];
    struct compression_entity *compression; /* its entities */
    uint32_t pkts;
    bool has_waiting; /* N-PDUs were queued when it was packed (sched/wait.h) */
};

/* Removes a mobile from this worker and packs it. Its N-PDUs count as left. */
void transfer_take(struct worker *w, uint32_t index, struct transfer *transfer);

/*
 * Puts a mobile into a cell of this worker, as a guest or, at its home, with the contexts that stayed there.
 * Its N-PDUs count as joined and are queued, or dropped where there is no room. -1: a slot, the cell or the
 * TLLI is not free, and nothing has changed.
 */
int transfer_put(struct worker *w, struct transfer *transfer, const struct msg_place *place, bool is_guest,
                 int64_t now);

/* A context ends: takes its N-PDUs, in order, and returns their number. Those that wait for their
 * confirmation are freed. */
uint32_t transfer_take_nsapi(struct transfer *transfer, unsigned nsapi, struct n_pdu_list *out);

/* forward_take_over() of a mobile without a worker. */
void transfer_take_over(struct transfer *transfer, unsigned nsapi, bool is_taking_over);

/* The mobile ends, after its contexts: what its links and entities have goes back. */
void transfer_end(struct transfer *transfer);

#endif
