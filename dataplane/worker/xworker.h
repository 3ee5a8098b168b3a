/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways between the workers of one process: for each pair and direction a single-producer single-consumer
 * ring. Four kinds of things travel, and belong to the receiver from then on: frames of a tunnel that is the
 * receiver's, N-PDUs of a mobile that the receiver serves, Gb frames of an NS-VC of the receiver's, and notes
 * (moves.h). They arrive in the order in which they were put.
 *
 * What finds the ring full waits at the sender: packets up to a limit, notes always, each in its place.
 */
#ifndef DATAPLANE_WORKER_XWORKER_H
#define DATAPLANE_WORKER_XWORKER_H

#include "dataplane/base/teid.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

#define PEERS_RING    1024 /* things on one way */
#define PEERS_WAITING 256  /* packets at a sender that found a ring full */
#define PEERS_BURST   32

enum xworker_kind {
    PEERS_FRAME,
    PEERS_N_PDU,
    PEERS_GB_FRAME,
    PEERS_NOTE,
};

/* The head of whatever travels besides packets; aligned like memory of malloc(). */
struct xworker_note {
    struct xworker_note *next;
    uint32_t after; /* packets that were put before it */
};

struct xworker_item {
    enum xworker_kind kind;
    void *what; /* struct rte_mbuf, or struct xworker_note */
};

/* The sender's end of one way: read and written by the sender only. */
struct xworker_way {
    _Alignas(64) uint32_t put; /* packets, counted on for ever; those between put and sent wait */
    uint32_t sent;
    void *waiting[PEERS_WAITING];
    struct xworker_note *first, *last; /* notes that wait */
};

struct xworker {
    unsigned count;
    struct rte_ring
        *rings[TEID_WORKERS][TEID_WORKERS]; /* [sender][receiver]; never written after the start */
    struct xworker_way ways[TEID_WORKERS][TEID_WORKERS];
};

/* Ways between `count` workers (1..TEID_WORKERS), rings with names made from `name`. NULL: no memory. */
struct xworker *xworker_new(const char *name, unsigned count);

/*
 * When the workers have made their last step, and before they are freed: frees the packets on all ways, and
 * calls free_note for each note, whose memory is a worker's.
 */
void xworker_free(struct xworker *p, void (*free_note)(struct xworker_note *note));

/* Puts a packet on its way with xworker_flush(). False: there is no room, it stays the caller's. */
bool xworker_put(struct xworker *p, unsigned from, unsigned to, enum xworker_kind kind,
                 struct rte_mbuf *mbuf);
void xworker_put_note(struct xworker *p, unsigned from, unsigned to, struct xworker_note *note);

/* Hands a sender's things to the rings as far as there is room; how many went. */
unsigned xworker_flush(struct xworker *p, unsigned from);

/* Whether anything of a sender's waits for room. */
bool xworker_has_waiting(const struct xworker *p, unsigned from);

/* Takes a burst of at most PEERS_BURST that came one way; returns how many. */
unsigned xworker_take(struct xworker *p, unsigned from, unsigned to, struct xworker_item *items);

#endif
