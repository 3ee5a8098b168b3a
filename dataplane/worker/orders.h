/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders from control: takes messages off the ring, applies them to the tables, and answers each. An order
 * about a mobile or context for which another is in progress between workers (moves.h) waits; so answers may
 * come in another sequence than the orders.
 */
#ifndef DATAPLANE_WORKER_ORDERS_H
#define DATAPLANE_WORKER_ORDERS_H

#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define ORDERS_WAITING 64 /* no more messages are taken while this many orders wait */
/* While this many wait, orders that end a cell or an NSE are returned (MSG_AGAIN): the orders they wait for
 * may be behind them on the ring. */
#define ORDERS_ENDS 32

struct worker;

struct orders {
    struct msg waiting[ORDERS_WAITING]; /* in order of arrival; none has a buffer */
    unsigned count;
    struct msg answer; /* to the order that is carried out; its handler may add to it */
};

/*
 * Carries out an order, and takes its buffer over. index: what the order is about, as the subject of its row
 * in msgs.def says; 0 for MSG_BY_NONE. Returns the status of the answer, 0 or -1; when it returns -1 nothing
 * has changed.
 */
typedef int orders_handler(struct worker *w, uint32_t index, const struct msg *msg, int64_t now);

#define MSG_ORDER(NAME, name, subject, payload, flags, handler) orders_handler handler;
#include "dataplane/worker/msgs.def"

/* A handler that is one call. */
#define ORDERS_CALL(handler, call)                                                                           \
    int handler(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)                        \
    {                                                                                                        \
        return call;                                                                                         \
    }

/* Applies a bounded number of messages; returns how many. */
unsigned orders_apply(struct worker *w, int64_t now);

/*
 * Orders to make, delete and move mobiles and contexts in this worker (msgs.def): the tables and all look-ups
 * that lead to them. Guests, mobiles that another worker is the home of, are refused. All return 0, or -1 and
 * nothing has changed.
 */

/* A mobile goes to another cell of this worker; also a guest. is_lost: without having been heard there. */
int orders_ms_go(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now);

/* context_pdp_add() and context_pdp_del() of a mobile that this worker serves, with its link in acknowledged
 * mode. */
int orders_pdp_start(struct worker *w, uint32_t index, const struct pdp_params *pdp, int64_t now);
int orders_pdp_stop(struct worker *w, uint32_t index, int64_t now);
/* The mode of LLC of a context of such a mobile; or MSG_NO_LINK. N-PDUs of acknowledged mode that wait are
 * dropped at their turn when it ends, those sent and not confirmed at once. */
int orders_pdp_set_llc(struct worker *w, uint32_t index, const struct msg_llc_mode *mode, int64_t now);
/* The old SGSN of a context that this worker serves; ADDRESS_NONE: none any more. */
int orders_pdp_set_from(struct worker *w, uint32_t index, uint32_t ip, int64_t now);
/* The ends of a context, wherever its tunnel ends. */
void orders_pdp_put_ends(struct pdp_params *pdp, const struct msg_ggsn *ggsn);
/* The same of a context whose tunnel ends here. */
int orders_pdp_set_ggsn(struct worker *w, uint32_t index, const struct msg_ggsn *ggsn);
/* Deletes a context. */
int orders_pdp_end(struct worker *w, uint32_t index, int64_t now);

#endif
