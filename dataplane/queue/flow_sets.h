/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queueing inside a mobile: N-PDUs of different 5-tuples wait in queues of their own, so that a download
 * does not delay the same user's ping.
 *
 * Model: deficit round robin in which new queues go first (RFC 8290 clause 4.2). A queue that begins to have
 * something is new: it has one quantum and goes before the old ones. When it has used that, or has run empty,
 * it is an old one. Those take turns, a quantum each, and one whose turn comes in vain leaves. An N-PDU in
 * service is next whatever comes.
 *
 * Other than there, an old one that is empty and has something left of its quantum is new again with that
 * when something comes: on slow air a round of a few downloads takes seconds, and a ping that comes more
 * often would go as the downloads do. What is used up comes again only when its turn does, so between two
 * turns of an old queue each other sends two quanta at most, what it has left and one more.
 *
 * To the scheduler a flow looks the same with a set of queues as with one: in its struct flow_queue, octets
 * and pkts count all that waits, and list.head, head_octets and is_begun are those of the N-PDU that goes
 * next; list.last means nothing. Who goes next is therefore chosen when the one before has left, and again
 * when a queue begins to have something.
 *
 * A set comes from a pool when N-PDUs for two queues wait, and goes back when nothing waits.
 *
 * Who comes and goes is mostly chance, and the set has mostly left the cache. So lists are rings, whose ends
 * need no branches of their own, and with up to 16 queues they fit into the first line of a set.
 *
 * Invariants: a queue is in the ring that its place names, those of rings link both ways; one with N-PDUs is
 * in a ring; `at` is the queue whose head goes next; a set in the pool has empty queues and rings.
 *
 * Not here: where a hash comes from, what an N-PDU costs its mobile, AQM. flow_sets_index() is for who keeps
 * more of each queue.
 */
#ifndef DATAPLANE_QUEUE_FLOW_SETS_H
#define DATAPLANE_QUEUE_FLOW_SETS_H

#include "dataplane/queue/flow_queue.h"

#include <stddef.h>

#define FLOW_SETS_NONE               UINT32_MAX
#define FLOW_SETS_MAX_QUEUES         64 /* of a set */
#define FLOW_SETS_NO_QUEUE           UINT8_MAX
#define FLOW_SETS_LINE_OCTETS        64 /* of a cache */
#define FLOW_SETS_LARGE_OCTETS       ((size_t)1 << 20)
#define FLOW_SETS_PREFETCH_OCTETS    ((size_t)5 * FLOW_SETS_LINE_OCTETS)
#define FLOW_SETS_MIN_QUANTUM_OCTETS 256
#define FLOW_SETS_MAX_QUANTUM_OCTETS 65535

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
    uint8_t number; /* of the 5-tuples that it is for: flow_sets_number_of() */
};

/* Neighbours in a ring, by their index among links: one for each place, which opens and closes its ring, then
 * one for each queue. What is in no ring is its own neighbour. */
struct flow_sets_link {
    uint8_t next, prev;
};

/* Its links and queues lie behind it: those in use first, so that few lines of a cache are touched for a few.
 */
struct flow_set {
    union {
        uint64_t used;      /* bit per queue that is in a ring */
        uint32_t next_free; /* in the pool */
    };
    uint8_t at;
    uint8_t where[]; /* by number: the queue that is for it, FLOW_SETS_NO_QUEUE: none is */
};

/* All sets of a scheduler. */
struct flow_sets {
    uint8_t *memory;
    size_t set_octets, links_at, queues_at; /* of a set, and where its links and queues begin */
    uint8_t *empty;                         /* what a set without anything has before its queues */
    uint32_t count, free_head;
    uint32_t missing; /* times that none was left: a flow goes on with one queue until it has but one N-PDU */
    uint16_t quantum_octets;
    uint8_t queues; /* of each set; 0: there are none, and nobody wants any */
    bool is_large;  /* all sets together are more than the cache of a core holds */
};

/* `queues` at most FLOW_SETS_MAX_QUEUES; 0: flow queueing is off. False when there is no memory. */
struct flow_sets_params {
    uint32_t count;
    uint16_t quantum_octets; /* FLOW_SETS_MIN_QUANTUM_OCTETS or more */
    uint8_t queues;
};
bool flow_sets_new(struct flow_sets *fs, const struct flow_sets_params *params);
void flow_sets_free(struct flow_sets *fs);

static inline struct flow_set *flow_sets_get(const struct flow_sets *fs, uint32_t set)
{
    return (struct flow_set *)(void *)(fs->memory + set * fs->set_octets);
}

/* Its head, and the first queues in use. */
static inline void flow_sets_prefetch(const struct flow_sets *fs, uint32_t set)
{
    const struct flow_set *wanted = flow_sets_get(fs, set);
    __builtin_prefetch(wanted, 1);
    __builtin_prefetch((const char *)wanted + fs->queues_at, 1);
}

/* The same and some more of its queues, for when many are in use. */
static inline void flow_sets_prefetch_all(const struct flow_sets *fs, uint32_t set)
{
    const char *wanted = (const char *)flow_sets_get(fs, set);
    for (size_t at = 0; at < fs->set_octets && at < FLOW_SETS_PREFETCH_OCTETS; at += FLOW_SETS_LINE_OCTETS)
        __builtin_prefetch(wanted + at, 1);
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

/* A queue among all queues of all sets, 0 .. count * queues - 1; it is the same 5-tuples' until it leaves. */
static inline size_t flow_sets_index(const struct flow_sets *fs, uint32_t set, unsigned queue)
{
    return (size_t)set * fs->queues + queue;
}

/*
 * Takes a set, into one queue of which all goes that waits in q, which is not empty and whose N-PDUs are all
 * of one number. It counts as new if it is no longer than a quantum. FLOW_SETS_NONE: none is left; counted.
 */
uint32_t flow_sets_open(struct flow_sets *fs, const struct flow_queue *q);

/* Gives a set back; nothing waits in it. */
void flow_sets_close(struct flow_sets *fs, uint32_t set);

/* In what follows q is the flow's, to which the set belongs. As the functions of flow_queue.h: */
void flow_sets_put(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, struct n_pdu *n_pdu);
struct n_pdu *flow_sets_take(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                             const struct llc_next *next);

/* The next queue in turn goes instead whose head has none of these SAPIs (bit i: SAPI i); the one that is
 * passed over keeps its turn. False: there is none. Nothing of the set is in service. */
bool flow_sets_pass_over(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, unsigned sapis);

/* --- flow_sets_drop.c: all but the usual --- */
uint32_t flow_sets_remove_pdp(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t pdp,
                              struct n_pdu_list *out);

/* The queue in which most waits, in packets or octets, besides an N-PDU in service. FLOW_SETS_NO_QUEUE: none.
 */
unsigned flow_sets_longest(const struct flow_sets *fs, uint32_t set, bool in_octets);

/* Unlinks the first N-PDU of a queue that is not in service; there is one. */
struct n_pdu *flow_sets_drop_waiting(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                     unsigned queue);

/* Unlinks the head of a queue that came at latest_ns or before. NULL when there is none. */
struct n_pdu *flow_sets_drop_older(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                   int64_t latest_ns);

/* When the oldest of the heads came. The set is not empty. */
int64_t flow_sets_oldest_ns(const struct flow_sets *fs, uint32_t set);

/* Back to one queue: the N-PDU in service first, then by arrival, those of one queue in their order. Gives
 * the set back. */
void flow_sets_join(struct flow_sets *fs, uint32_t set, struct flow_queue *q);

/* --- between the two files --- */
/* Chooses who goes next, and shows it in q. */
void flow_sets_choose(const struct flow_sets *fs, struct flow_set *set, struct flow_queue *q);

#endif
