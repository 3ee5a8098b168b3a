/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mobility: the workers of each mobile, and the dispatch of orders about mobiles. A mobile's home is the
 * worker of its first cell, until it is deleted; its server is the worker of its present cell. Orders about
 * its existence go to the home, others to the server.
 *
 * A move to another worker has two steps: a fence at the server, whose answer shows that all earlier orders
 * are done, then MSG_MS_MOVE to the home, until that is answered. Orders about the mobile, and its uplink
 * frames that arrive too early, are queued here meanwhile, in order, and are then sent to the new server. The
 * slot of a deleted mobile or context is free once its deletion was answered, since another worker may get it
 * next. With one worker nothing is queued.
 *
 * A move that a worker refuses, or whose new server has no room for the mobile, is counted, and tried again
 * when a frame of the mobile is heard.
 */
#ifndef CONTROL_CORE_MOBILITY_H
#define CONTROL_CORE_MOBILITY_H

#include "dataplane/base/u64_map.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define MOBILITY_NONE   U64_MAP_NONE
#define MOBILITY_ORDERS 4096 /* most orders about a mobile that are queued during its moves */
#define MOBILITY_FRAMES 32   /* most uplink frames of a mobile that are queued during its move */

struct core;
struct mobility_move;

struct mobility_mobile {
    struct mobility_move *move; /* the move in progress, with queued orders and frames; NULL: none */
    uint32_t tlli;
    uint32_t pdps[MS_NSAPIS]; /* slots of its contexts at the home, by the orders sent there */
    uint16_t cell;            /* its cell (index) in the control plane */
    uint8_t home, server;     /* workers; the server changes at the end of a move */
    bool is_there, is_leaving;
};

struct mobility_pdp {
    uint32_t mobile; /* slot of its present or last mobile */
    uint8_t nsapi;
    bool is_leaving;
};

struct mobility {
    struct core *core;
    struct mobility_mobile *list; /* by slot; NULL: worker 0 is the only one */
    struct mobility_pdp *pdps;    /* by slot */
    struct u64_map tllis;
    uint32_t leaving, leaving_pdps;       /* slots of the lists in is_leaving */
    uint64_t moved, refused;              /* moves from worker to worker */
    uint64_t frames_kept, frames_dropped; /* uplink frames that reached a worker before their mobile */
    uint64_t lost;                        /* orders and moves without room or memory */
    uint64_t frames_refused;              /* those from where their mobile may not go now */
    uint64_t unknown_tlli;                /* frames with a TLLI that no mobile has */
};

/* Allocates tables for the configured limits; core->workers must be set. False: out of memory. */
bool mobility_new(struct mobility *m, struct core *core);
void mobility_free(struct mobility *m);

/* Enters a mobile (slot) in a cell (index), whose worker is its home. mobility_find() finds it by its TLLI
 * from now on, unless another mobile has that: of two the first keeps it until it gives it up
 * (lua/mobile/book.lua, which has the same rule and its reason). */
void mobility_add(struct mobility *m, uint32_t mobile, uint32_t tlli, uint16_t cell);
/* Orders the deletion of a mobile. */
void mobility_del(struct mobility *m, uint32_t mobile);

/* A mobile has another TLLI, by which it is found unless another mobile has that. */
void mobility_rename(struct mobility *m, uint32_t mobile, uint32_t tlli);

/* The slot of the mobile with a TLLI, MOBILITY_NONE. */
uint32_t mobility_find(const struct mobility *m, uint32_t tlli);
/* Whether there is a mobile at a slot; the TLLI of one that is there. */
bool mobility_is_there(const struct mobility *m, uint32_t mobile);
uint32_t mobility_tlli(const struct mobility *m, uint32_t mobile);
unsigned mobility_home(const struct mobility *m, uint32_t mobile);
/* The worker that serves a mobile; during a move the new one, which may not have the mobile yet. */
unsigned mobility_server(const struct mobility *m, uint32_t mobile);

/* Whether the control plane has a mobile in a cell of this NSE (index). If not, a message about it from the
 * NSE's worker is out of date. */
bool mobility_is_in_nse(const struct mobility *m, uint32_t mobile, uint16_t nse);

/* Whether a move of the mobile is in progress. */
bool mobility_is_moving(const struct mobility *m, uint32_t mobile);

/* Whether no worker uses a slot any more. */
bool mobility_is_free(const struct mobility *m, uint32_t mobile);
bool mobility_is_pdp_free(const struct mobility *m, uint32_t pdp);

/*
 * Send an order by its subject (core_order.c): about the existence of a mobile or context, or about a
 * context, to the home; about a served mobile to its server; by TLLI to the worker of the NSE in which the
 * mobile has the TLLI, once the mobile has arrived there. Own the mbuf from now on.
 */
void mobility_order_home(struct mobility *m, uint32_t mobile, const struct msg *msg);
void mobility_order_server(struct mobility *m, uint32_t mobile, const struct msg *msg);
void mobility_order_new_pdp(struct mobility *m, const struct msg *msg);
void mobility_order_pdp(struct mobility *m, const struct msg *msg);
void mobility_order_tlli(struct mobility *m, const struct msg *msg);

/* Carries out a cell change; msg is MSG_MS_CELL as for a worker that has both cells. */
void mobility_go(struct mobility *m, const struct msg *msg);

/* The frame of MSG_UNKNOWN_TLLI, of a mobile that may come from there: it goes to the mobile's server, which
 * checks it, or is freed and counted. mobile: slot; MOBILITY_NONE: no mobile has the TLLI. */
void mobility_frame(struct mobility *m, uint32_t mobile, const struct msg *msg);

/* Frees the frame of MSG_UNKNOWN_TLLI and counts it. */
void mobility_drop(struct mobility *m, const struct msg *msg, uint64_t *count);

/* To be called after the control plane has taken MSG_MS_HEARD: a refused move is repeated. */
void mobility_heard(struct mobility *m, const struct msg *msg);

/* Takes the MSG_ANSWER of any order. */
void mobility_answered(struct mobility *m, const struct msg *answer);

#endif
