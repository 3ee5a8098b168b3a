/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-time fair queueing of the flow queues of a mobile, instead of the deficit round robin of flow_sets.h.
 *
 * Model: each queue has a start tag in octets, and sending n octets raises it by n. The queue with the least
 * tag + n is next, n being its head. The virtual time of the set is the start tag that was served
 * last. A queue that was empty begins at the virtual time, or at its own tag if that is later: a tag is never
 * lowered, so what a queue sent ahead of its share is a debt.
 *
 *   queues   A flow, which is 24 bits of the hash of its 5-tuple, keeps its queue while that has N-PDUs. If
 * the queue of its hash is another flow's, it takes the empty one with the least debt, so no two flows share
 * a queue while one is empty. A queue that changes its flow begins at the virtual time. sparse   A head of at
 * most FLOW_TAGS_SPARSE_OCTETS goes first while its tag is at most as many octets ahead; it does not advance
 * the virtual time.
 *
 * A set is kept when its queues have run empty, as its tags are the debts. The pool takes back the set that
 * was empty longest when it has no other; its flow then begins without debts.
 *
 * Tags are serial numbers of 32 bits; one more than FLOW_TAGS_DEBT_MAX ahead of the virtual time is old and
 * begins at the virtual time.
 */
#ifndef DATAPLANE_QUEUE_FLOW_TAGS_H
#define DATAPLANE_QUEUE_FLOW_TAGS_H

#include "dataplane/queue/flow_sets.h"

#define FLOW_TAGS_SPARSE_OCTETS 300
#define FLOW_TAGS_DEBT_MAX      16384

/* Of a queue: flow_sets_index(). */
struct flow_tag {
    uint32_t tag;
    uint32_t flow : 24;     /* the one whose queue it is: low bits of n_pdu.flow_hash */
    uint32_t is_shared : 1; /* with others, that found no empty queue */
};

/* Of a set. */
struct flow_tags_set {
    uint64_t busy; /* bit per queue that has N-PDUs, or had some when flow_tags_next() last looked */
    uint32_t
        *keeper; /* where its owner keeps its number; FLOW_SETS_NONE is written there when it is taken back */
    uint32_t vt;
    uint32_t next, prev; /* among those kept empty */
    bool is_kept;
};

struct flow_tags {
    struct flow_tag *queues;
    struct flow_tags_set *sets;
    uint32_t kept_head, kept_last; /* the set that was empty longest, and the last */
    uint32_t taken_back;           /* kept sets that another mobile needed */
};

/* NULL: out of memory. */
struct flow_tags *flow_tags_new(uint32_t count, unsigned queues);
void flow_tags_free(struct flow_tags *tags);

static inline struct flow_tags_set *flow_tags_set(const struct flow_sets *fs, uint32_t set)
{
    return &fs->tags->sets[set];
}

/* Takes an empty set, from the pool or back from another owner; its number is written to *keeper.
 * FLOW_SETS_NONE: all sets have N-PDUs; counted in fs->missing. */
void flow_tags_open(struct flow_sets *fs, uint32_t *keeper);
/* A set has run empty: it is kept until flow_tags_wake(), or until it is taken back. */
void flow_tags_keep(struct flow_sets *fs, uint32_t set);
/* A set that may be kept gets an N-PDU, or is closed. */
void flow_tags_wake(struct flow_sets *fs, uint32_t set);

/* Gives an arriving N-PDU a hash of the queue that is its flow's, or becomes it. To be called once before the
 * queue of its hash is asked for anything. */
void flow_tags_place(const struct flow_sets *fs, uint32_t set, struct n_pdu *n_pdu);

/* The queue of an arriving N-PDU, with its tag renewed. */
struct flow_sets_queue *flow_tags_queue_for(const struct flow_sets *fs, uint32_t set,
                                            const struct n_pdu *n_pdu);
/* The queue that is next and has none of these SAPIs (bit i: SAPI i) at its head. FLOW_SETS_NO_QUEUE: none.
 */
unsigned flow_tags_next(const struct flow_sets *fs, uint32_t set, unsigned sapis);
/* A queue, whose head had `octets` and left by so many or less, is charged. */
void flow_tags_charge(const struct flow_sets *fs, uint32_t set, unsigned queue, uint32_t octets);

#endif
