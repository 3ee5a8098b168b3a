/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/xworker.h"
#include "dataplane/worker/admission.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/msg.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/memory/pool.h"

#include <assert.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define HOPS_AGAIN_NS INT64_C(20000000000)
#define PEERS_BURST   32 /* items taken off a ring at a time */

struct xworker_item {
    enum xworker_kind kind;
    void *what; /* struct rte_mbuf, or struct xworker_note */
};

#define ASK_EVERY_NS 10000000

bool hops_new(struct hops *h, const uint8_t *mac)
{
    *h = (struct hops){.has_one_for_all = mac != NULL, .asked_ns = INT64_MIN / 2};
    if (mac)
        memcpy(h->one_for_all, mac, sizeof(h->one_for_all));
    return mac || u64_map_new(&h->by_ip, HOPS_MAX);
}

void hops_free(struct hops *h)
{
    u64_map_free(&h->by_ip);
}

int hops_set(struct hops *h, uint32_t ip, const uint8_t mac[6])
{
    if (h->has_one_for_all)
        return -1;
    uint32_t index = u64_map_get(&h->by_ip, ip);
    if (index == U64_MAP_NONE) {
        if (h->count == HOPS_MAX || u64_map_add(&h->by_ip, ip, h->count) < 0)
            return -1;
        index = h->count++;
        h->list[index] = (struct hops_entry){.ip = ip};
    }
    memcpy(h->list[index].mac, mac, sizeof(h->list[index].mac));
    return 0;
}

void hops_del(struct hops *h, uint32_t ip)
{
    uint32_t index = h->has_one_for_all ? U64_MAP_NONE : u64_map_get(&h->by_ip, ip);
    if (index == U64_MAP_NONE)
        return;
    u64_map_del(&h->by_ip, ip, index);
    h->list[index] = h->list[--h->count];
    if (index < h->count)
        u64_map_put(&h->by_ip, h->list[index].ip, index);
}

bool hops_is_due(struct hops *h, uint32_t ip, int64_t now)
{
    if (h->has_one_for_all)
        return false;
    struct hops_entry *entry = &h->list[u64_map_get(&h->by_ip, ip)];
    if (now < entry->due_ns)
        return false;
    bool is_first = entry->due_ns == 0;
    entry->due_ns = now + HOPS_AGAIN_NS;
    return !is_first;
}

bool hops_may_ask(struct hops *h, int64_t now)
{
    if (now - h->asked_ns < ASK_EVERY_NS)
        return false;
    h->asked_ns = now;
    return true;
}

/* A ring carries pointers with the kind in the low bits. */
#define KIND_MASK ((uintptr_t)3)

static_assert((PEERS_WAITING & (PEERS_WAITING - 1)) == 0, "positions wrap by a mask");

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
                rte_ring_create(full, PEERS_RING, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
            if (!p->rings[from][to])
                return false;
        }
    }
    return true;
}

static void free_thing(void *pointer, void (*free_note)(struct xworker_note *note))
{
    struct xworker_item item = untagged(pointer);
    if (item.kind == PEERS_NOTE)
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
        free_thing(way->waiting[way->sent % PEERS_WAITING], free_note);
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
        uint32_t at = way->sent % PEERS_WAITING;
        unsigned run = RTE_MIN(end - way->sent, PEERS_WAITING - at);
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
        if (way->sent != note->after || rte_ring_sp_enqueue(ring, tagged(note, PEERS_NOTE)) < 0)
            return total;
        way->first = next;
        total++;
    }
    return total + send_packets(ring, way, way->put);
}

bool xworker_put(struct xworker *p, unsigned from, unsigned to, enum xworker_kind kind, struct rte_mbuf *mbuf)
{
    struct xworker_way *way = &p->ways[from][to];
    if (way->put - way->sent == PEERS_WAITING)
        flush(p->rings[from][to], way);
    if (way->put - way->sent == PEERS_WAITING)
        return false;
    way->waiting[way->put++ % PEERS_WAITING] = tagged(mbuf, kind);
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

/* Puts a sender's items on the rings while there is room; returns their number. */
static unsigned xworker_flush(struct xworker *p, unsigned from)
{
    unsigned total = 0;
    for (unsigned to = 0; to < p->count; to++) {
        struct xworker_way *way = &p->ways[from][to];
        if (way->first || way->put != way->sent)
            total += flush(p->rings[from][to], way);
    }
    return total;
}

/* Whether items of a sender wait for room. */
static bool xworker_has_waiting(const struct xworker *p, unsigned from)
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

/* Takes at most PEERS_BURST items off one ring; returns their number. */
static unsigned xworker_take(struct xworker *p, unsigned from, unsigned to, struct xworker_item *items)
{
    struct rte_ring *ring = p->rings[from][to];
    if (!ring || is_empty(ring))
        return 0;
    void *pointers[PEERS_BURST] = {0};
    unsigned count = rte_ring_sc_dequeue_burst(ring, pointers, PEERS_BURST, NULL);
    for (unsigned i = 0; i < count; i++)
        items[i] = untagged(pointers[i]);
    return count;
}

#define RETRY_NS 10000

static_assert(PEERS_BURST <= WORKER_BURST, "the items taken off a ring are one burst");

static void prefetch(const struct xworker_item *items, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rte_prefetch0(items[i].kind == PEERS_NOTE ? items[i].what : pool_n_pdu(items[i].what));
}

static unsigned receive(struct worker *w, unsigned from, int64_t now)
{
    struct xworker_item items[PEERS_BURST];
    struct rte_mbuf *gb_frames[PEERS_BURST];
    struct admission burst;
    unsigned gb_count = 0;
    unsigned count = xworker_take(w->xworker, from, w->number, items);

    admission_start(&burst, true);
    prefetch(items, count);
    for (unsigned i = 0; i < count; i++) {
        switch (items[i].kind) {
        case PEERS_FRAME:
            admission_put(&burst, pool_n_pdu(items[i].what));
            break;
        case PEERS_N_PDU:
            moves_guest_n_pdu(w, pool_n_pdu(items[i].what), now);
            break;
        case PEERS_GB_FRAME:
            gb_frames[gb_count++] = items[i].what;
            break;
        case PEERS_NOTE:
            moves_receive(w, items[i].what, now);
            break;
        }
    }
    w->stats.gn_steered_in += burst.count;
    admission_queue(w, &burst, now);
    gb_rx_take_steered(w, gb_frames, gb_count, now);
    return count;
}

unsigned xworker_rx_receive(struct worker *w, int64_t now)
{
    unsigned count = 0;
    for (unsigned from = 0; w->xworker && from < w->xworker->count; from++)
        count += receive(w, from, now);
    return count;
}

unsigned xworker_rx_flush(struct worker *w)
{
    return w->xworker ? moves_send_held(w) + xworker_flush(w->xworker, w->number) : 0;
}

int64_t xworker_rx_next_ns(const struct worker *w, int64_t now)
{
    return w->xworker && xworker_has_waiting(w->xworker, w->number) ? now + RETRY_NS : MOMENT_NEVER;
}
