/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings between the workers of one process: for each ordered pair a single-producer single-consumer ring. It
 * carries items of four kinds, which the receiver owns then: frames of the receiver's tunnels, N-PDUs of
 * mobiles that the receiver serves, Gb frames of the receiver's NS-VCs, and notes (moves.h). They are
 * received in the order in which they were put.
 *
 * While a ring is full items wait at the sender, in order: packets up to a limit, notes without one.
 */
#ifndef DATAPLANE_WORKER_XWORKER_H
#define DATAPLANE_WORKER_XWORKER_H

#include "dataplane/base/teid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

#define XWORKER_RING    1024 /* slots of a ring, which holds one item less */
#define XWORKER_BURST   32   /* items taken off a ring at a time */
#define XWORKER_WAITING 256  /* packets that wait at the sender while the ring is full */

enum xworker_kind {
    XWORKER_FRAME,
    XWORKER_N_PDU,
    XWORKER_GB_FRAME,
    XWORKER_NOTE,
};

struct xworker_item {
    enum xworker_kind kind;
    void *what; /* struct rte_mbuf, or struct xworker_note */
};

/* The head of a note, which is aligned as by malloc(). */
struct xworker_note {
    struct xworker_note *next;
    uint32_t after; /* number of packets put before it */
};

/* The sender's end of one ring: read and written by the sender only. */
struct xworker_way {
    _Alignas(64) uint32_t put; /* sequence numbers of packets; those from sent to put - 1 wait */
    uint32_t sent;
    void *waiting[XWORKER_WAITING];
    struct xworker_note *first, *last; /* notes that wait */
};

struct xworker {
    unsigned count;
    struct rte_ring
        *rings[TEID_WORKERS][TEID_WORKERS]; /* [sender][receiver]; never written after the start */
    struct xworker_way ways[TEID_WORKERS][TEID_WORKERS];
};

/* Makes the rings between `count` workers (1..TEID_WORKERS), with names made from `name`. NULL: out of
 * memory. */
struct xworker *xworker_new(const char *name, unsigned count);

/*
 * To be called after the workers' last step and before they are freed: frees the packets on all rings, and
 * calls free_note for each note, whose memory is a worker's.
 */
void xworker_free(struct xworker *p, void (*free_note)(struct xworker_note *note));

/* Puts a packet on a ring at the next xworker_flush(). False: no room; it stays the caller's. */
bool xworker_put(struct xworker *p, unsigned from, unsigned to, enum xworker_kind kind,
                 struct rte_mbuf *mbuf);
void xworker_put_note(struct xworker *p, unsigned from, unsigned to, struct xworker_note *note);

/* Puts a sender's items on the rings while there is room; returns their number. */
unsigned xworker_flush(struct xworker *p, unsigned from);

/* Whether items of a sender wait for room. */
bool xworker_has_waiting(const struct xworker *p, unsigned from);

/* Takes at most XWORKER_BURST items off one ring; returns their number. */
unsigned xworker_take(struct xworker *p, unsigned from, unsigned to, struct xworker_item *items);

/* The stages of a worker's step (stages.def) for items from and to the other workers of the process. */

struct worker;

/* Takes one burst from each ring; returns the number of items. */
unsigned xworker_rx_receive(struct worker *w, int64_t now);

/* Puts waiting items on the rings while there is room; returns their number. */
unsigned xworker_rx_flush(struct worker *w, int64_t now);

/* When to try again with items that found no room, later than now; MOMENT_NEVER: none wait. */
int64_t xworker_rx_next_ns(const struct worker *w, int64_t now);

#endif
