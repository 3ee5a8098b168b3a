/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queueing inside a mobile: N-PDUs of different 5-tuples have queues of their own, so that a download
 * does not delay a ping of the same user.
 *
 * Model: deficit round robin in which new queues go first (RFC 8290 clause 4.2). A queue that gets its first
 * N-PDU is new: it has one quantum and goes before the old ones. When it has used the quantum, or has run
 * empty, it becomes old. Old queues take turns of a quantum each; one that is empty at its turn, with
 * quantum left, leaves. An N-PDU in service is always next.
 *
 * Unlike RFC 8290, an empty old queue that has part of its quantum left becomes new again, with that part,
 * when an N-PDU arrives: at radio rates a round of a few downloads takes seconds, and a ping that is sent
 * more often than that would wait like the downloads. A used quantum is renewed only at the queue's turn, so
 * between two turns of an old queue each other queue sends at most two quanta, the rest of one and another.
 *
 * To the scheduler a flow with a set of queues looks like one with a single queue: in its struct flow_queue,
 * octets and pkts count all queues, and list.head, head_octets and is_begun are those of the next N-PDU;
 * list.last has no meaning. The next N-PDU is therefore chosen when the one before has left, and again when
 * an empty queue gets an N-PDU.
 *
 * A set is taken from a pool when N-PDUs for two queues are queued, and returned when all are empty.
 *
 * Arrivals and departures are unpredictable, and the set is mostly not in the cache. So lists are rings,
 * whose ends need no branches, and with up to 16 queues they fit into the first cache line of a set.
 *
 * Invariants: a queue is in the ring that its place names, links of rings are mutual; a queue with N-PDUs is
 * in a ring; `at` is the queue whose head is next; a set in the pool has empty queues and rings.
 *
 * Not here: the hash, the charge of an N-PDU to its mobile, AQM. flow_sets_index() is for users that keep
 * more data of each queue.
 */
#ifndef DATAPLANE_QUEUE_FLOW_SETS_H
#define DATAPLANE_QUEUE_FLOW_SETS_H

#include "dataplane/base/bigmem.h"
#include "dataplane/queue/flow_queue.h"

#include <stddef.h>
#include <string.h>

#define FLOW_SETS_NONE               UINT32_MAX
#define FLOW_SETS_MAX_QUEUES         64 /* of a set */
#define FLOW_SETS_NO_QUEUE           UINT8_MAX
#define FLOW_SETS_LINE_OCTETS        64 /* of a cache */
#define FLOW_SETS_PREFETCH_OCTETS    ((size_t)5 * FLOW_SETS_LINE_OCTETS)
#define FLOW_SETS_MIN_QUANTUM_OCTETS 256

enum flow_sets_place {
    FLOW_SETS_NEW,
    FLOW_SETS_OLD,
    FLOW_SETS_PLACES,
};

/* One queue of a set: half a cache line. */
struct flow_sets_queue {
    struct flow_queue queue;
    int32_t deficit_octets;
    uint8_t place;  /* enum flow_sets_place, while it is in use */
    uint8_t number; /* of its 5-tuples: flow_sets_number_of() */
};

/* Neighbours in a ring, by their index among links: one link for each place, which is the ring's head, then
 * one for each queue. A link in no ring is its own neighbour. */
struct flow_sets_link {
    uint8_t next, prev;
};

/* Its links and queues follow it in memory, those in use first, so that few queues touch few cache lines. */
struct flow_set {
    union {
        uint64_t used;      /* bit per queue that is in a ring */
        uint32_t next_free; /* in the pool */
    };
    uint8_t at;
    uint8_t where[]; /* by number: the queue, FLOW_SETS_NO_QUEUE: none yet */
};

/* All sets of a scheduler. */
struct flow_sets {
    uint8_t *memory;
    size_t set_octets, links_at, queues_at; /* of a set, and where its links and queues begin */
    uint8_t *empty;                         /* image of the part of an empty set before its queues */
    uint32_t count, free_head;
    uint32_t missing; /* times that the pool was empty; the flow then keeps its single queue */
    uint16_t quantum_octets;
    uint8_t queues;         /* of each set; 0: flow queueing is off */
    struct flow_tags *tags; /* of queues served by start tags (flow_tags.h); NULL: deficit round robin */
};

/* `queues` at most FLOW_SETS_MAX_QUEUES; 0: flow queueing is off. False: out of memory. */
struct flow_sets_params {
    uint32_t count;
    uint16_t quantum_octets; /* FLOW_SETS_MIN_QUANTUM_OCTETS or more */
    uint8_t queues;
    bool by_tags; /* flow_tags.h */
};
bool flow_sets_new(struct flow_sets *fs, const struct flow_sets_params *params);
void flow_sets_free(struct flow_sets *fs);

static inline struct flow_set *flow_sets_get(const struct flow_sets *fs, uint32_t set)
{
    return (struct flow_set *)(void *)(fs->memory + set * fs->set_octets);
}

/* Prefetches the head of a set and the first queues in use. */
static inline void flow_sets_prefetch(const struct flow_sets *fs, uint32_t set)
{
    const struct flow_set *wanted = flow_sets_get(fs, set);
    prefetch_line_write(wanted);
    prefetch_line_write((const char *)wanted + fs->queues_at);
}

/* The same and more queues, for sets with many in use. */
static inline void flow_sets_prefetch_all(const struct flow_sets *fs, uint32_t set)
{
    const char *wanted = (const char *)flow_sets_get(fs, set);
    for (size_t at = 0; at < fs->set_octets && at < FLOW_SETS_PREFETCH_OCTETS; at += FLOW_SETS_LINE_OCTETS)
        prefetch_line_write(wanted + at);
}

static inline struct flow_sets_link *flow_sets_links(const struct flow_sets *fs, const struct flow_set *set)
{
    return (struct flow_sets_link *)((uint8_t *)(uintptr_t)set + fs->links_at);
}

static inline struct flow_sets_queue *flow_sets_queue(const struct flow_sets *fs, const struct flow_set *set,
                                                      unsigned queue)
{
    return (struct flow_sets_queue *)(void *)((uint8_t *)(uintptr_t)set + fs->queues_at) + queue;
}

/* 5-tuples with the same number share a queue: 0 .. queues - 1, from flow_hash. */
static inline unsigned flow_sets_number_of(const struct flow_sets *fs, const struct n_pdu *n_pdu)
{
    return (unsigned)((uint64_t)n_pdu->flow_hash * fs->queues >> 32);
}

/* Index of a queue among those of all sets, 0 .. count * queues - 1; belongs to the same 5-tuples until the
 * queue leaves its ring. */
static inline size_t flow_sets_index(const struct flow_sets *fs, uint32_t set, unsigned queue)
{
    return (size_t)set * fs->queues + queue;
}

/*
 * Takes a set and moves all N-PDUs of q, which is not empty, into one of its queues; all are of one number.
 * The queue is new if its octets are within a quantum. FLOW_SETS_NONE: the pool is empty; counted.
 */
uint32_t flow_sets_open(struct flow_sets *fs, const struct flow_queue *q);

/* Puts an empty set into the pool. */
static inline void flow_sets_give_back(struct flow_sets *fs, uint32_t set)
{
    struct flow_set *given = flow_sets_get(fs, set);
    memcpy(given, fs->empty, fs->queues_at);
    given->next_free = fs->free_head;
    fs->free_head = set;
}

/* Returns an empty set to the pool, also one that is kept for its tags. */
void flow_sets_close(struct flow_sets *fs, uint32_t set);

/* Below, q is the queue of the flow that has the set. As the functions of flow_queue.h: */
void flow_sets_put(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, struct n_pdu *n_pdu);
struct n_pdu *flow_sets_take(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                             const struct llc_next *next);
void flow_sets_shorten(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t octets);

/* Chooses instead the next queue in turn whose head has none of these SAPIs (bit i: SAPI i); the queue that
 * is passed over keeps its turn. False: there is none. No N-PDU of the set is in service. */
bool flow_sets_pass_over(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, unsigned sapis);

uint32_t flow_sets_remove_pdp(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t pdp,
                              struct n_pdu_list *out);

/* The longest queue, in packets or octets, without an N-PDU in service. FLOW_SETS_NO_QUEUE: all are empty.
 * */
unsigned flow_sets_longest(const struct flow_sets *fs, uint32_t set, bool in_octets);

/* Unlinks the first N-PDU of a queue that is not in service; there must be one. */
struct n_pdu *flow_sets_drop_waiting(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                     unsigned queue);

/* Unlinks a queue's head that arrived at latest_ns or before. NULL: there is none. */
struct n_pdu *flow_sets_drop_older(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                   int64_t latest_ns);

/* As flow_queue_spare(). */
void flow_sets_spare(const struct flow_sets *fs, uint32_t set, int64_t since_ns, int64_t now);

/* Arrival of the oldest head. The set is not empty. */
int64_t flow_sets_oldest_ns(const struct flow_sets *fs, uint32_t set);

/* Merges all into the single queue q: the N-PDU in service first, then by arrival, those of one queue in
 * order. Returns the set to the pool. */
void flow_sets_join(struct flow_sets *fs, uint32_t set, struct flow_queue *q);

#endif
