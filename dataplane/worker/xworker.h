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
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Next hops on Gn: the MAC address for a destination. Either one for all, or one for each destination, sent
 * by control; the worker asks control for missing ones.
 */

#define HOPS_MAX 1024

struct hops {
    bool has_one_for_all;
    uint8_t one_for_all[6];
    struct u64_map by_ip; /* index in list[] */
    uint32_t count;
    struct hops_entry {
        uint8_t mac[6];
        uint32_t ip;
        int64_t due_ns; /* when control is to be asked for it again */
    } list[HOPS_MAX];
    int64_t asked_ns; /* when control was last asked */
};

/* mac: one for all destinations; NULL: control sends them. False: out of memory. */
bool hops_new(struct hops *h, const uint8_t *mac);
void hops_free(struct hops *h);

/* Sets the destination's MAC address. 0, or -1: too many destinations. */
int hops_set(struct hops *h, uint32_t ip, const uint8_t mac[6]);

/* Forgets a destination, if it is known. */
void hops_del(struct hops *h, uint32_t ip);

/* The MAC address for a destination, NULL: not known. */
static inline const uint8_t *hops_get(const struct hops *h, uint32_t ip)
{
    if (h->has_one_for_all)
        return h->one_for_all;
    uint32_t index = u64_map_get(&h->by_ip, ip);
    return index == U64_MAP_NONE ? NULL : h->list[index].mac;
}

/* Whether control is to be asked again for a known destination, HOPS_AGAIN_NS after the last time; if so,
 * notes the time. */
bool hops_is_due(struct hops *h, uint32_t ip, int64_t now);

/* Whether control may be asked for a destination now; if so, notes the time. */
bool hops_may_ask(struct hops *h, int64_t now);

struct rte_mbuf;
struct rte_ring;

#define PEERS_RING    1024 /* slots of a ring, which holds one item less */
#define PEERS_WAITING 256  /* packets that wait at the sender while the ring is full */

enum xworker_kind {
    PEERS_FRAME,
    PEERS_N_PDU,
    PEERS_GB_FRAME,
    PEERS_NOTE,
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
    void *waiting[PEERS_WAITING];
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

/* Items from the other workers of the process: frames of this worker's tunnels and NS-VCs, N-PDUs of mobiles
 * that it serves, and notes. */

struct worker;

/* Takes one burst from each ring; returns the number of items. */
unsigned xworker_rx_receive(struct worker *w, int64_t now);

/* Puts waiting items on the rings while there is room; returns their number. */
unsigned xworker_rx_flush(struct worker *w);

/* When to try again with items that found no room, later than now; MOMENT_NEVER: none wait. */
int64_t xworker_rx_next_ns(const struct worker *w, int64_t now);

#endif
