/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cell changes from worker to worker. A mobile's home is the worker in which it was made: its tunnels end
 * there, and orders about its existence (to delete or move it, about its contexts) go there. It is served by
 * the worker of its cell: orders about how it is served go there, with its slot there. A home passes the
 * N-PDUs of a mobile that is away on to its server, in order.
 *
 * A move of a mobile that server S has, ordered at home H, to a cell of T (any of the three may be the same):
 *
 *     H  holds what arrives for it from now on;  H -> S: note "out"   (the fence: behind all N-PDUs sent on)
 *     S  packs the mobile into the note (transfer.h);  S -> T: note "in"
 *     T  unpacks it there;  T -> H: note "back"
 *     H  notes the new place, answers the order, sends what it held to T.
 *
 * To delete it, or to make or delete one of its contexts, needs the server likewise: H -> S -> H. Packet
 * flows do not go along: their parameters hold in one cell, and the BSS of the new one makes its own.
 *
 * One order at a time is under way for a mobile, others wait (orders.h); so nothing can happen to it in the
 * middle. A note belongs to whoever has it, its memory to the home's record.
 *
 * If T cannot take a mobile the note comes back with it, the order fails, and the mobile is nowhere: its home
 * holds its N-PDUs until it is moved again or deleted.
 */
#ifndef DATAPLANE_WORKER_MOVES_H
#define DATAPLANE_WORKER_MOVES_H

#include "dataplane/worker/transfer.h"
#include "dataplane/worker/xworker.h"

#define MOVES_HELD 1024 /* N-PDUs of one mobile that its home holds */

enum moves_stage {
    MOVES_OUT, /* to the server: do what the order says, for a move pack it */
    MOVES_IN,  /* to the new server: unpack it */
    MOVES_BACK,
};

/* One order about a mobile that is away, on its way round. */
struct moves_note {
    struct xworker_note head;
    uint8_t stage;  /* enum moves_stage */
    uint8_t home;   /* worker */
    uint16_t type;  /* enum msg_type of the order */
    int32_t status; /* 0 or -1, as far as is known */
    bool is_full;   /* the mobile is in the transfer */
    uint8_t nsapi;  /* of the context in question, its slot at the server and, to make it, what it is */
    uint32_t slot;
    struct pdp_params pdp;
    uint32_t server_ms;  /* the mobile's slot at the server */
    struct msg_place to; /* where a move goes */
    struct transfer transfer;
};

/* A mobile of ours that is away. Read and written by its home only, but for the note while that is away. */
struct moves_remote {
    struct moves_note note; /* first: it comes back as itself */
    struct moves_remote *next_free, *next_sending, *next_answer;
    struct msg_place at; /* its server; worker MOVES_NOWHERE: none, it is in the note */
    uint32_t ms;         /* its slot here */
    uint32_t seq;        /* of the order under way, and which context that is about */
    uint32_t pdp;
    bool is_busy;    /* an order is under way */
    bool is_sending; /* in the list of those that have N-PDUs to send on */
    bool is_over;    /* to be freed when the answer is given */
    struct n_pdu_list held;
    uint32_t held_pkts;
};

#define MOVES_NOWHERE UINT16_MAX

struct moves {
    struct moves_remote *list;
    uint32_t count;
    struct moves_remote *free;
    struct moves_remote *sending, *sending_last; /* first in, first out */
    struct moves_remote *answers, *answers_last; /* that wait for room */
};

/* Room for so many mobiles that are away. False when there is no memory. */
bool moves_new(struct moves *m, uint32_t count);
/* Frees N-PDUs that are held, too; notes on their way have been emptied by moves_free_note(). */
void moves_free(struct moves *m);
/* For xworker_free(). */
void moves_free_note(struct xworker_note *note);

/* Whether an order has to wait because one about the same mobile or context is under way. */
bool moves_must_wait(const struct worker *w, const struct msg *msg);

/* Carries out an order if it is about a mobile that is away or goes away. False: it is not. True: *status is
 * its result, or it is under way and will be answered (MOVES_LATER). */
#define MOVES_LATER 1
bool moves_order(struct worker *w, const struct msg *msg, int *status, int64_t now);

/* Gives the answers that are due, as far as there is room; how many. */
unsigned moves_answer(struct worker *w);

/* An N-PDU for a mobile that is away: n_pdu.pdp is its context here. Takes it over. */
void moves_forward(struct worker *w, struct n_pdu *n_pdu, int64_t now);

/* Sends on what is held for mobiles whose place is known, as far as there is room; how many. */
unsigned moves_send_held(struct worker *w);

/* A note from another worker. */
void moves_receive(struct worker *w, struct xworker_note *note, int64_t now);

/* --- moves_guest.c: at a server --- */
/* An N-PDU of a guest: n_pdu.pdp is its context here. Takes it over. */
void moves_guest_n_pdu(struct worker *w, struct n_pdu *n_pdu, int64_t now);
/* A note about a guest: does what it says and hands it on. */
void moves_guest_receive(struct worker *w, struct moves_note *note, int64_t now);

#endif
