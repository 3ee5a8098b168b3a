/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where mobiles are among the workers, and the way of orders about them. A mobile's home is the worker of its
 * first cell, for as long as it lives; its server is the worker of the cell that it is in. Orders about its
 * existence go to the home, others to the server.
 *
 * A move to another worker takes a while: a fence at the server, behind which nothing that was ordered before
 * can still be pending, then MSG_MS_MOVE to the home, until that is answered. What is ordered about the
 * mobile meanwhile waits here, in order, and so do its uplink frames that come too early; then it goes to
 * where the mobile is by then. A slot that was a mobile's or context's is not free before its end was
 * answered, since another worker may get it next. With one worker nothing ever waits.
 *
 * A move that a worker refuses, or whose end cannot take the mobile, is counted, and tried again when the
 * mobile is heard.
 */
#ifndef CONTROL_CORE_MOBILITY_H
#define CONTROL_CORE_MOBILITY_H

#include "dataplane/base/u64_map.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define MOBILITY_NONE   U64_MAP_NONE
#define MOBILITY_FRAMES 32 /* of one mobile's that wait for the end of its move */

struct core;
struct mobility_move;

struct mobility_mobile {
    struct mobility_move *move; /* what is under way, and what waits for that; NULL: nothing */
    uint32_t tlli;
    uint32_t pdps[MS_NSAPIS]; /* slots of its contexts at the home, as of the orders that went there */
    uint16_t cell;            /* where the control plane has it */
    uint8_t home, server;     /* workers; the server changes when a move is over */
    bool is_there, is_leaving;
};

struct mobility_pdp {
    uint32_t mobile; /* it is, or was last, of */
    uint8_t nsapi;
    bool is_leaving;
};

struct mobility {
    struct core *core;
    struct mobility_mobile *list; /* by slot; NULL: there is nothing but worker 0 */
    struct mobility_pdp *pdps;    /* by slot */
    struct u64_map tllis;
    uint64_t moved, refused;              /* from worker to worker */
    uint64_t frames_kept, frames_dropped; /* that came to a worker before their mobile */
    uint64_t strangers;                   /* frames with a TLLI that nobody has */
};

/* For the configured limits, over a core whose workers are set. False: no memory. */
bool mobility_new(struct mobility *m, struct core *core);
void mobility_free(struct mobility *m);

/* A mobile gets a slot: in a cell (index), whose worker is its home. It is found by its TLLI from now on. */
void mobility_add(struct mobility *m, uint32_t mobile, uint32_t tlli, uint16_t cell);
/* Orders its end. */
void mobility_del(struct mobility *m, uint32_t mobile);

/* The slot of the mobile with a TLLI, MOBILITY_NONE. */
uint32_t mobility_find(const struct mobility *m, uint32_t tlli);
unsigned mobility_home(const struct mobility *m, uint32_t mobile);
/* The worker that serves it, or will as soon as a move is over: where it may not be yet. */
unsigned mobility_server(const struct mobility *m, uint32_t mobile);

/* Whether the control plane has a mobile in a cell of this NSE (index): else what a worker of before says of
 * where it was is late. */
bool mobility_is_in_nse(const struct mobility *m, uint32_t mobile, uint16_t nse);

/* Whether it is on its way between workers. */
bool mobility_is_moving(const struct mobility *m, uint32_t mobile);

/* Whether a slot may be filled, as far as workers go. */
bool mobility_is_free(const struct mobility *m, uint32_t mobile);
bool mobility_is_pdp_free(const struct mobility *m, uint32_t pdp);

/*
 * Sends an order about a mobile or context by its subject (msgs.def): about the existence of either, or about
 * a context, to the home; by the slot of a mobile that is served, to its server; by TLLI to the worker of the
 * NSE in which the mobile has it, when the mobile has come there. Takes the buffer over.
 */
void mobility_order(struct mobility *m, const struct msg *msg);
/* Sends an order to the server of a mobile which is not its subject. */
void mobility_order_server(struct mobility *m, uint32_t mobile, const struct msg *msg);

/* The mobile went to another cell; msg is MSG_MS_CELL as for a worker that has both. */
void mobility_go(struct mobility *m, const struct msg *msg);

/* After MSG_UNKNOWN_TLLI of a mobile, or of MOBILITY_NONE, and after the control plane has heard of it: the
 * frame follows the mobile, or is freed and counted. */
void mobility_heard(struct mobility *m, uint32_t mobile, const struct msg *msg);

/* MSG_ANSWER of any request. */
void mobility_answered(struct mobility *m, const struct msg *answer);

#endif
