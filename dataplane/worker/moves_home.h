/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that moves.c, moves_order.c and moves_guest.c share: remote mobiles, at their home. */
#ifndef DATAPLANE_WORKER_MOVES_HOME_H
#define DATAPLANE_WORKER_MOVES_HOME_H

#include "dataplane/worker/moves.h"

/* An order with MSG_MOVES about a remote mobile, or one that becomes remote by it (MSG_AWAY in msgs.def), has
 * three steps: at the home worker (returns as moves_order()); at the server, which passes the note on; at the
 * home worker when the note returns, before the order is answered. */
typedef int moves_at_home(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now);
typedef void moves_at_server(struct worker *w, struct moves_note *note, int64_t now);
typedef void moves_back(struct worker *w, struct moves_remote *remote, int64_t now);

#define MSG_AWAY(NAME, home, server, end)                                                                    \
    moves_at_home home;                                                                                      \
    moves_at_server server;                                                                                  \
    moves_back end;
#include "dataplane/worker/msgs.def"

struct moves_way {
    moves_at_home *at_home; /* NULL: such an order is refused */
    moves_at_server *at_server;
    moves_back *back;
};

extern const struct moves_way moves_ways[MSG_TYPES];

/* The record of a mobile that is away; NULL: it is not. */
struct moves_remote *moves_home_remote(struct worker *w, uint32_t ms);
/* Makes a record for a mobile that becomes remote, without a server as yet; NULL: too many. */
struct moves_remote *moves_home_begin(struct worker *w, uint32_t ms);
/* Frees a record, which holds no N-PDUs and to which the mobile does not point any more. */
void moves_home_end(struct worker *w, struct moves_remote *remote);

/* Takes the first held N-PDU, NULL if there is none. */
struct n_pdu *moves_home_take_held(struct worker *w, struct moves_remote *remote);

/* The mobile is served here again: queues the held N-PDUs behind those it brought. */
void moves_home_release(struct worker *w, struct moves_remote *remote, int64_t now);

/* Deletes a context here, and drops its held N-PDUs. */
void moves_home_drop_context(struct worker *w, struct moves_remote *remote, uint32_t pdp, int64_t now);

#endif
