/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cell changes between workers. A mobile's home worker is the one in which it was made: its tunnels end
 * there, and orders to delete or move it or about its contexts go there. The worker of its cell is its
 * server: all other orders about it go there, with its slot there. The home sends the N-PDUs of a remote
 * mobile to its server, in order.
 *
 * A move of a mobile that server S has, ordered at home H, to a cell of T (any of the three may be the
 * same):
 *
 *     H  holds its N-PDUs from now on;  H -> S: note "out"   (the fence: behind all N-PDUs sent before)
 *     S  packs the mobile into the note (transfer.h);  S -> T: note "in"
 *     T  unpacks it there;  T -> H: note "back"
 *     H  stores the new place, answers the order, sends the held N-PDUs to T.
 *
 * To delete it, or to make or delete one of its contexts, needs the server likewise: H -> S -> H. Packet
 * flows are not transferred: their parameters are valid in one cell, and the BSS of the new cell creates its
 * own.
 *
 * One order at a time is in progress for a mobile, others wait (orders.h), so a transfer is never
 * interrupted. The worker that has received a note owns it; its memory is part of the home's record.
 *
 * If T cannot take a mobile, it stays in the note, which returns to the home, and the order fails: no worker
 * serves the mobile, and its home holds its N-PDUs until it is moved again or deleted.
 */
#ifndef DATAPLANE_WORKER_MOVES_H
#define DATAPLANE_WORKER_MOVES_H

#include "dataplane/worker/msg.h"
#include "dataplane/worker/transfer.h"
#include "dataplane/worker/xworker.h"

#include <stdbool.h>
#include <stdint.h>

#define MOVES_HELD 1024 /* N-PDUs of one mobile that its home holds */

enum moves_stage {
    MOVES_OUT, /* to the server: carry the order out, for a move pack the mobile */
    MOVES_IN,  /* to the new server: unpack it */
    MOVES_BACK,
};

/* One order about a remote mobile, sent from worker to worker. */
struct moves_note {
    struct xworker_note head;
    uint8_t stage;  /* enum moves_stage */
    uint8_t home;   /* worker */
    uint16_t type;  /* enum msg_type of the order */
    int32_t status; /* of the order, so far */
    bool is_full;   /* the mobile is in the transfer */
    uint8_t nsapi;  /* of the order's context, whose slot at the server and, to make it, parameters follow */
    uint32_t slot;
    struct pdp_params pdp;
    struct msg_llc_mode llc_mode;
    uint32_t forwarder_ip;
    struct msg_ggsn ggsn;
    uint32_t server_ms;  /* the mobile's slot at the server */
    struct msg_place to; /* destination of a move */
    struct transfer transfer;
};

/* A remote mobile at its home. Read and written by the home only, but for the note while that is sent. */
struct moves_remote {
    struct moves_note note; /* first: a received note is the record */
    struct moves_remote *next_free, *next_sending, *next_answer;
    struct msg_place at; /* its server; worker MOVES_NOWHERE: none, the mobile is in the note */
    uint32_t ms;         /* its slot at the home */
    uint32_t seq;        /* of the order in progress, and its context */
    uint32_t pdp;
    bool is_busy;    /* an order is in progress */
    bool is_sending; /* in the list of those with held N-PDUs to send */
    bool is_over;    /* to be freed after the answer */
    struct n_pdu_list held;
    uint32_t held_pkts;
};

#define MOVES_NOWHERE UINT16_MAX

struct moves {
    struct moves_remote *list;
    uint32_t count;
    struct moves_remote *free;
    struct moves_remote *sending, *sending_last; /* first in, first out */
    struct moves_remote *answers, *answers_last; /* to be sent when the ring to control has room */
};

/* Room for this many remote mobiles. False: out of memory. */
bool moves_new(struct moves *m, uint32_t count);
/* Frees held N-PDUs, too; moves_free_note() must have emptied the notes that are on rings. */
void moves_free(struct moves *m);
/* An argument of xworker_free(). */
void moves_free_note(struct xworker_note *note);

/* Whether an order must wait because one about the same mobile or context is in progress. */
bool moves_order_must_wait(const struct worker *w, const struct msg *msg);

/* Carries out an order if it is about a remote mobile or makes one remote. False: it does not. True: *status
 * is its result, or MOVES_LATER: it is in progress and answered later. */
#define MOVES_LATER 1
bool moves_order(struct worker *w, const struct msg *msg, int *status, int64_t now);

/* Sends due answers to control while there is room; returns their number. */
unsigned moves_answer(struct worker *w);

/* An N-PDU for a remote mobile: n_pdu.pdp is its context at the home. Takes ownership. */
void moves_forward(struct worker *w, struct n_pdu *n_pdu, int64_t now);

/* Sends held N-PDUs to servers while there is room; returns their number. */
unsigned moves_send_held(struct worker *w);

/* A note from another worker. */
void moves_order_receive(struct worker *w, struct xworker_note *note, int64_t now);

/* An N-PDU of a guest: n_pdu.pdp is its context at this worker. Takes ownership. */
void moves_guest_n_pdu(struct worker *w, struct n_pdu *n_pdu, int64_t now);
/* A mobile that comes in with its note: takes it in, and sends the note back. */
void moves_guest_come_in(struct worker *w, struct moves_note *note, int64_t now);

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

/* For moves_home.c and moves_order.c: remote mobiles, at their home. */

/* The record of a mobile that is away; NULL: it is not. */
struct moves_remote *moves_home_remote(struct worker *w, uint32_t ms);
/* Makes a record for a mobile that becomes remote, without a server as yet; NULL: too many. */
struct moves_remote *moves_home_begin(struct worker *w, uint32_t ms);
/* Frees a record, which holds no N-PDUs and to which the mobile does not point any more. */
void moves_home_end(struct worker *w, struct moves_remote *remote);

/* The mobile is served here again: queues the held N-PDUs behind those it brought. */
void moves_home_release(struct worker *w, struct moves_remote *remote, int64_t now);

/* The order about it ends with an answer, once there is room for that. */
void moves_answer_later(struct moves *m, struct moves_remote *remote);

/* Deletes a context here, and drops its held N-PDUs. */
void moves_home_drop_context(struct worker *w, struct moves_remote *remote, uint32_t pdp, int64_t now);

#endif
