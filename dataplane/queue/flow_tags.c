/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_tags.h"

#include <assert.h>
#include <stdlib.h>

struct flow_tags *flow_tags_new(uint32_t count, unsigned queues)
{
    struct flow_tags *tags = calloc(1, sizeof(*tags));
    if (!tags)
        return NULL;
    tags->kept_head = tags->kept_last = FLOW_SETS_NONE;
    tags->queues = calloc((size_t)count * queues, sizeof(*tags->queues));
    tags->sets = calloc(count, sizeof(*tags->sets));
    if (tags->queues && tags->sets)
        return tags;
    flow_tags_free(tags);
    return NULL;
}

void flow_tags_free(struct flow_tags *tags)
{
    if (!tags)
        return;
    free(tags->queues);
    free(tags->sets);
    free(tags);
}

/* --- sets that are kept --- */

static uint32_t *flow_tags_next_of(struct flow_tags *tags, uint32_t set)
{
    return set == FLOW_SETS_NONE ? &tags->kept_head : &tags->sets[set].next;
}

static uint32_t *prev_of(struct flow_tags *tags, uint32_t set)
{
    return set == FLOW_SETS_NONE ? &tags->kept_last : &tags->sets[set].prev;
}

void flow_tags_keep(struct flow_sets *fs, uint32_t set)
{
    struct flow_tags *tags = fs->tags;
    struct flow_tags_set *own = &tags->sets[set];
    if (own->is_kept)
        return;
    own->is_kept = true;
    own->next = FLOW_SETS_NONE;
    own->prev = tags->kept_last;
    *flow_tags_next_of(tags, tags->kept_last) = set;
    tags->kept_last = set;
}

void flow_tags_wake(struct flow_sets *fs, uint32_t set)
{
    struct flow_tags *tags = fs->tags;
    struct flow_tags_set *own = &tags->sets[set];
    if (!own->is_kept)
        return;
    own->is_kept = false;
    *flow_tags_next_of(tags, own->prev) = own->next;
    *prev_of(tags, own->next) = own->prev;
}

static void take_back(struct flow_sets *fs)
{
    uint32_t set = fs->tags->kept_head;
    *flow_tags_set(fs, set)->keeper = FLOW_SETS_NONE;
    fs->tags->taken_back++;
    flow_tags_wake(fs, set);
    flow_sets_give_back(fs, set);
}

void flow_tags_open(struct flow_sets *fs, uint32_t *keeper)
{
    if (fs->free_head == FLOW_SETS_NONE && fs->tags->kept_head != FLOW_SETS_NONE)
        take_back(fs);
    *keeper = fs->free_head;
    if (*keeper == FLOW_SETS_NONE) {
        fs->missing++;
        return;
    }
    struct flow_set *set = flow_sets_get(fs, *keeper);
    fs->free_head = set->next_free;
    set->used = 0;
    set->at = 0; /* empty, thus not in service */
    *flow_tags_set(fs, *keeper) = (struct flow_tags_set){.keeper = keeper};
}

/* --- tags --- */

static struct flow_tag *tag_of(const struct flow_sets *fs, uint32_t set, unsigned queue)
{
    return &fs->tags->queues[flow_sets_index(fs, set, queue)];
}

static bool is_sparse(const struct flow_tags_set *set, const struct flow_tag *tag, uint32_t octets)
{
    return octets <= FLOW_TAGS_SPARSE_OCTETS && (int32_t)(tag->tag - set->vt) <= FLOW_TAGS_SPARSE_OCTETS;
}

static int32_t debt_of(const struct flow_tags_set *set, const struct flow_tag *tag)
{
    int32_t debt = (int32_t)(tag->tag - set->vt);
    return debt < 0 || debt > FLOW_TAGS_DEBT_MAX ? 0 : debt;
}

/* A queue that was empty begins. */
static void flow_tags_begin(const struct flow_tags_set *set, struct flow_tag *tag)
{
    tag->tag = set->vt + (uint32_t)debt_of(set, tag);
    tag->is_shared = false;
}

/* --- queues of flows --- */

#define FLOW_BITS 24

static uint32_t flow_of(uint32_t hash)
{
    return hash & ((1U << FLOW_BITS) - 1);
}

/* The hash of a flow in a queue: the upper bits are the least that give its number. */
static uint32_t hash_in(const struct flow_sets *fs, unsigned number, uint32_t flow)
{
    return ((number << (32 - FLOW_BITS)) + fs->queues - 1) / fs->queues << FLOW_BITS | flow;
}

static_assert(FLOW_SETS_MAX_QUEUES <= 1 << (31 - FLOW_BITS), "two values of the upper bits for each queue");

static bool is_empty(const struct flow_sets *fs, const struct flow_set *in, unsigned number)
{
    return in->where[number] == FLOW_SETS_NO_QUEUE || flow_sets_queue(fs, in, number)->queue.pkts == 0;
}

/* The queue that is a flow's; FLOW_SETS_NO_QUEUE: none. */
static unsigned queue_of_flow(const struct flow_sets *fs, uint32_t set, unsigned number, uint32_t flow)
{
    const struct flow_set *in = flow_sets_get(fs, set);
    for (unsigned n = 0; n < fs->queues; n++) {
        unsigned i = (number + n) % fs->queues;
        if (in->where[i] != FLOW_SETS_NO_QUEUE && tag_of(fs, set, i)->flow == flow)
            return i;
    }
    return FLOW_SETS_NO_QUEUE;
}

/* The empty queue with the least debt, from the one of the hash on; FLOW_SETS_NO_QUEUE: none. */
static unsigned least_owing(const struct flow_sets *fs, uint32_t set, unsigned number)
{
    const struct flow_set *in = flow_sets_get(fs, set);
    const struct flow_tags_set *own = flow_tags_set(fs, set);
    unsigned best = FLOW_SETS_NO_QUEUE;
    int32_t least = INT32_MAX;
    for (unsigned n = 0; n < fs->queues && least > 0; n++) {
        unsigned i = (number + n) % fs->queues;
        if (!is_empty(fs, in, i))
            continue;
        int32_t debt = in->where[i] == FLOW_SETS_NO_QUEUE ? 0 : debt_of(own, tag_of(fs, set, i));
        if (debt < least) {
            best = i;
            least = debt;
        }
    }
    return best;
}

/* N-PDUs of a flow that shares a queue stay there until it is empty, or they would overtake each other. */
static unsigned take_queue(const struct flow_sets *fs, uint32_t set, unsigned number, uint32_t flow)
{
    struct flow_tag *tag = tag_of(fs, set, number);
    unsigned best = tag->is_shared && !is_empty(fs, flow_sets_get(fs, set), number)
                        ? FLOW_SETS_NO_QUEUE
                        : least_owing(fs, set, number);
    if (best == FLOW_SETS_NO_QUEUE) {
        tag->is_shared = true;
        return number;
    }
    *tag_of(fs, set, best) = (struct flow_tag){.tag = flow_tags_set(fs, set)->vt, .flow = flow};
    return best;
}

void flow_tags_place(const struct flow_sets *fs, uint32_t set, struct n_pdu *n_pdu)
{
    uint32_t flow = flow_of(n_pdu->flow_hash);
    unsigned number = flow_sets_number_of(fs, n_pdu), own = queue_of_flow(fs, set, number, flow);
    if (own == FLOW_SETS_NO_QUEUE)
        own = take_queue(fs, set, number, flow);
    if (own != number)
        n_pdu->flow_hash = hash_in(fs, own, flow);
}

struct flow_sets_queue *flow_tags_queue_for(const struct flow_sets *fs, uint32_t set,
                                            const struct n_pdu *n_pdu)
{
    struct flow_set *in = flow_sets_get(fs, set);
    unsigned number = flow_sets_number_of(fs, n_pdu);
    struct flow_sets_queue *queue = flow_sets_queue(fs, in, number);
    struct flow_tag *tag = tag_of(fs, set, number);
    if (in->where[number] == FLOW_SETS_NO_QUEUE) {
        *queue = (struct flow_sets_queue){.number = (uint8_t)number};
        *tag = (struct flow_tag){.tag = flow_tags_set(fs, set)->vt, .flow = flow_of(n_pdu->flow_hash)};
        in->where[number] = (uint8_t)number;
        in->used |= UINT64_C(1) << number;
    }
    if (queue->queue.pkts == 0)
        flow_tags_begin(flow_tags_set(fs, set), tag);
    flow_tags_set(fs, set)->busy |= UINT64_C(1) << number;
    return queue;
}

unsigned flow_tags_next(const struct flow_sets *fs, uint32_t set, unsigned sapis)
{
    const struct flow_set *in = flow_sets_get(fs, set);
    struct flow_tags_set *own = flow_tags_set(fs, set);
    unsigned best = FLOW_SETS_NO_QUEUE;
    int64_t best_key = INT64_MAX;
    for (uint64_t left = own->busy; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct flow_queue *q = &flow_sets_queue(fs, in, i)->queue;
        if (q->pkts == 0) {
            own->busy &= ~(UINT64_C(1) << i);
            continue;
        }
        if (sapis != 0 && sapis >> flow_queue_head(q)->sapi & 1)
            continue;
        const struct flow_tag *tag = tag_of(fs, set, i);
        uint32_t octets = q->head_octets;
        int64_t key = (int64_t)(int32_t)(tag->tag - own->vt) + octets;
        key -= is_sparse(own, tag, octets) ? INT32_MAX : 0;
        if (key < best_key) {
            best = i;
            best_key = key;
        }
    }
    return best;
}

void flow_tags_charge(const struct flow_sets *fs, uint32_t set, unsigned queue, uint32_t octets)
{
    struct flow_tags_set *own = flow_tags_set(fs, set);
    struct flow_tag *tag = tag_of(fs, set, queue);
    if (!is_sparse(own, tag, octets) && (int32_t)(tag->tag - own->vt) > 0)
        own->vt = tag->tag;
    tag->tag += octets;
}
