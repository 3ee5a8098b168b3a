/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/xworker.h"

#include "dataplane/base/teid.h"

#include <assert.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A ring carries pointers with the kind in the low bits. */
#define KIND_MASK ((uintptr_t)3)

static_assert((XWORKER_WAITING & (XWORKER_WAITING - 1)) == 0, "positions wrap by a mask");

static void *tagged(const void *what, enum xworker_kind kind)
{
    return (void *)((uintptr_t)what | kind);
}

static struct xworker_item untagged(void *pointer)
{
    return (struct xworker_item){.kind = (enum xworker_kind)((uintptr_t)pointer & KIND_MASK),
                                 .what = (void *)((uintptr_t)pointer & ~KIND_MASK)};
}

static bool make_ways(struct xworker *p, const char *name)
{
    char full[RTE_RING_NAMESIZE];
    for (unsigned from = 0; from < p->count; from++) {
        for (unsigned to = 0; to < p->count; to++) {
            if (from == to)
                continue;
            snprintf(full, sizeof(full), "%s.%u.%u", name, from, to);
            p->rings[from][to] =
                rte_ring_create(full, XWORKER_RING, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
            if (!p->rings[from][to])
                return false;
        }
    }
    return true;
}

static void free_thing(void *pointer, void (*free_note)(struct xworker_note *note))
{
    struct xworker_item item = untagged(pointer);
    if (item.kind == XWORKER_NOTE)
        free_note(item.what);
    else
        rte_pktmbuf_free(item.what);
}

static void free_way(struct rte_ring *ring, struct xworker_way *way,
                     void (*free_note)(struct xworker_note *note))
{
    void *pointer;
    while (ring && rte_ring_dequeue(ring, &pointer) == 0)
        free_thing(pointer, free_note);
    for (; way->sent != way->put; way->sent++)
        free_thing(way->waiting[way->sent % XWORKER_WAITING], free_note);
    while (way->first) {
        struct xworker_note *note = way->first;
        way->first = note->next;
        free_note(note);
    }
    rte_ring_free(ring);
}

void xworker_free(struct xworker *p, void (*free_note)(struct xworker_note *note))
{
    if (!p)
        return;
    for (unsigned from = 0; from < p->count; from++)
        for (unsigned to = 0; to < p->count; to++)
            free_way(p->rings[from][to], &p->ways[from][to], free_note);
    rte_free(p);
}

/* For xworker_new(), when no note can be on a ring. */
static void no_note(struct xworker_note *note)
{
}

struct xworker *xworker_new(const char *name, unsigned count)
{
    struct xworker *p = rte_zmalloc(name, sizeof(*p), RTE_CACHE_LINE_SIZE);
    if (!p)
        return NULL;
    p->count = count;
    if (make_ways(p, name))
        return p;
    xworker_free(p, no_note);
    return NULL;
}

/* --- sender --- */

/* Puts waiting packets, up to packet number `end`, on the ring; returns their number. */
static unsigned send_packets(struct rte_ring *ring, struct xworker_way *way, uint32_t end)
{
    unsigned total = 0;
    while (way->sent != end) {
        uint32_t at = way->sent % XWORKER_WAITING;
        unsigned run = RTE_MIN(end - way->sent, XWORKER_WAITING - at);
        unsigned sent = rte_ring_sp_enqueue_burst(ring, way->waiting + at, run, NULL);
        way->sent += sent;
        total += sent;
        if (sent < run)
            break;
    }
    return total;
}

static unsigned flush(struct rte_ring *ring, struct xworker_way *way)
{
    unsigned total = 0;
    while (way->first) {
        struct xworker_note *note = way->first;
        struct xworker_note *next = note->next; /* once on the ring, it belongs to the receiver */
        total += send_packets(ring, way, note->after);
        if (way->sent != note->after || rte_ring_sp_enqueue(ring, tagged(note, XWORKER_NOTE)) < 0)
            return total;
        way->first = next;
        total++;
    }
    return total + send_packets(ring, way, way->put);
}

bool xworker_put(struct xworker *p, unsigned from, unsigned to, enum xworker_kind kind, struct rte_mbuf *mbuf)
{
    struct xworker_way *way = &p->ways[from][to];
    if (way->put - way->sent == XWORKER_WAITING)
        flush(p->rings[from][to], way);
    if (way->put - way->sent == XWORKER_WAITING)
        return false;
    way->waiting[way->put++ % XWORKER_WAITING] = tagged(mbuf, kind);
    return true;
}

void xworker_put_note(struct xworker *p, unsigned from, unsigned to, struct xworker_note *note)
{
    struct xworker_way *way = &p->ways[from][to];
    note->next = NULL;
    note->after = way->put;
    if (way->first)
        way->last->next = note;
    else
        way->first = note;
    way->last = note;
}

unsigned xworker_flush(struct xworker *p, unsigned from)
{
    unsigned total = 0;
    for (unsigned to = 0; to < p->count; to++) {
        struct xworker_way *way = &p->ways[from][to];
        if (way->first || way->put != way->sent)
            total += flush(p->rings[from][to], way);
    }
    return total;
}

bool xworker_has_waiting(const struct xworker *p, unsigned from)
{
    for (unsigned to = 0; to < p->count; to++)
        if (p->ways[from][to].first || p->ways[from][to].put != p->ways[from][to].sent)
            return true;
    return false;
}

/* --- receiver --- */

/* As rte_ring_empty(), whose plain read of the producer's tail is a data race by C11. The dequeue acquires.
 */
static bool is_empty(const struct rte_ring *ring)
{
    return __atomic_load_n(&ring->prod.tail, __ATOMIC_RELAXED) == ring->cons.tail;
}

unsigned xworker_take(struct xworker *p, unsigned from, unsigned to, struct xworker_item *items)
{
    struct rte_ring *ring = p->rings[from][to];
    if (!ring || is_empty(ring))
        return 0;
    void *pointers[XWORKER_BURST] = {0};
    unsigned count = rte_ring_sc_dequeue_burst(ring, pointers, XWORKER_BURST, NULL);
    for (unsigned i = 0; i < count; i++)
        items[i] = untagged(pointers[i]);
    return count;
}
