/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways between the workers of one process: for each pair and direction a single-producer single-consumer
 * ring. Four kinds of things travel, and belong to the receiver from then on: frames of a tunnel that is the
 * receiver's, N-PDUs of a mobile that the receiver serves, Gb frames of an NS-VC of the receiver's, and notes
 * (moves.h). They arrive in the order in which they were put.
 *
 * What finds the ring full waits at the sender: packets up to a limit, notes always, each in its place.
 */
#ifndef DATAPLANE_WORKER_PEERS_H
#define DATAPLANE_WORKER_PEERS_H

#include "dataplane/base/teid.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

#define PEERS_RING    1024 /* things on one way */
#define PEERS_WAITING 256  /* packets at a sender that found a ring full */
#define PEERS_BURST   32

enum peers_kind {
    PEERS_FRAME,
    PEERS_N_PDU,
    PEERS_GB_FRAME,
    PEERS_NOTE,
};

/* The head of whatever travels besides packets; aligned like memory of malloc(). */
struct peers_note {
    struct peers_note *next;
    uint32_t after; /* packets that were put before it */
};

struct peers_item {
    enum peers_kind kind;
    void *what; /* struct rte_mbuf, or struct peers_note */
};

/* The sender's end of one way: read and written by the sender only. */
struct peers_way {
    _Alignas(64) uint32_t put; /* packets, counted on for ever; those between put and sent wait */
    uint32_t sent;
    void *waiting[PEERS_WAITING];
    struct peers_note *first, *last; /* notes that wait */
};

struct peers {
    unsigned count;
    struct rte_ring
        *rings[TEID_WORKERS][TEID_WORKERS]; /* [sender][receiver]; never written after the start */
    struct peers_way ways[TEID_WORKERS][TEID_WORKERS];
};

/* Ways between `count` workers (1..TEID_WORKERS), rings with names made from `name`. NULL: no memory. */
struct peers *peers_new(const char *name, unsigned count);

/*
 * When the workers have made their last step, and before they are freed: frees the packets on all ways, and
 * calls free_note for each note, whose memory is a worker's.
 */
void peers_free(struct peers *p, void (*free_note)(struct peers_note *note));

/* Puts a packet on its way with peers_flush(). False: there is no room, it stays the caller's. */
bool peers_put(struct peers *p, unsigned from, unsigned to, enum peers_kind kind, struct rte_mbuf *mbuf);
void peers_put_note(struct peers *p, unsigned from, unsigned to, struct peers_note *note);

/* Hands a sender's things to the rings as far as there is room; how many went. */
unsigned peers_flush(struct peers *p, unsigned from);

/* Whether anything of a sender's waits for room. */
bool peers_has_waiting(const struct peers *p, unsigned from);

/* Takes a burst of at most PEERS_BURST that came one way; returns how many. */
unsigned peers_take(struct peers *p, unsigned from, unsigned to, struct peers_item *items);

#endif
