/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_tags.h"

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

/* A queue that was empty begins. */
static void flow_tags_begin(const struct flow_tags_set *set, struct flow_tag *tag)
{
    int32_t debt = (int32_t)(tag->tag - set->vt);
    if (debt < 0 || debt > FLOW_TAGS_DEBT_MAX)
        tag->tag = set->vt;
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
        *tag = (struct flow_tag){.tag = flow_tags_set(fs, set)->vt};
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
