/* SPDX-License-Identifier: BSD-3-Clause */
/* What moves.c and moves_order.c share about the mobiles of this worker that are away. */
#ifndef DATAPLANE_WORKER_MOVES_HOME_H
#define DATAPLANE_WORKER_MOVES_HOME_H

#include "dataplane/worker/moves.h"

/* The record of a mobile that is away; NULL: it is not. */
struct moves_remote *moves_home_remote(struct worker *w, uint32_t ms);
/* A record for a mobile that goes away, nowhere as yet; NULL: none is left. */
struct moves_remote *moves_home_begin(struct worker *w, uint32_t ms);
/* Gives it back; it holds nothing any more, and the mobile does not point to it. */
void moves_home_end(struct worker *w, struct moves_remote *remote);

/* Takes the first N-PDU that is held, NULL. */
struct n_pdu *moves_home_take_held(struct worker *w, struct moves_remote *remote);

/* It is served here again: what is held follows what it brought. */
void moves_home_release(struct worker *w, struct moves_remote *remote, int64_t now);

/* Deletes a context here, and drops what is held for it. */
void moves_home_drop_context(struct worker *w, struct moves_remote *remote, uint32_t pdp, int64_t now);

#endif
