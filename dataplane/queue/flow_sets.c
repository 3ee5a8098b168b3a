/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_sets.h"
#include "dataplane/queue/flow_queue.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/queue/flow_tags.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct flow_sets_queue) == 32, "two to a cache line");
static_assert(FLOW_SETS_MAX_QUEUES <= 64, "a bit for each");

/* --- the pool --- */

/* Image of an empty set, made once because a set is returned each time a mobile's queues run empty. */
static bool new_empty(struct flow_sets *fs)
{
    struct flow_set *set = calloc(1, fs->queues_at);
    fs->empty = (uint8_t *)set;
    if (!set)
        return false;
    for (unsigned i = 0; i < (unsigned)FLOW_SETS_PLACES + fs->queues; i++)
        flow_sets_links(fs, set)[i] = (struct flow_sets_link){.next = (uint8_t)i, .prev = (uint8_t)i};
    memset(set->where, FLOW_SETS_NO_QUEUE, fs->queues);
    set->at = FLOW_SETS_NO_QUEUE;
    return true;
}

static size_t round_up(size_t octets, size_t to)
{
    return (octets + to - 1) / to * to;
}

bool flow_sets_new(struct flow_sets *fs, const struct flow_sets_params *params)
{
    assert(params->queues <= FLOW_SETS_MAX_QUEUES);
    assert(params->queues == 0 || params->quantum_octets >= FLOW_SETS_MIN_QUANTUM_OCTETS);
    size_t links_at = offsetof(struct flow_set, where) + params->queues;
    size_t links_octets = (FLOW_SETS_PLACES + (size_t)params->queues) * sizeof(struct flow_sets_link);
    size_t queues_at = round_up(links_at + links_octets, FLOW_SETS_LINE_OCTETS);
    size_t octets = queues_at + params->queues * sizeof(struct flow_sets_queue);

    *fs = (struct flow_sets){.free_head = FLOW_SETS_NONE,
                             .quantum_octets = params->quantum_octets,
                             .queues = params->queues,
                             .links_at = links_at,
                             .queues_at = queues_at,
                             .set_octets = round_up(octets, FLOW_SETS_LINE_OCTETS)};
    if (params->queues == 0 || params->count == 0)
        return true;
    fs->memory = bigmem_new(params->count * fs->set_octets);
    if (!fs->memory)
        return false;
    fs->count = params->count;
    fs->tags = params->by_tags ? flow_tags_new(params->count, params->queues) : NULL;
    if (!new_empty(fs) || (params->by_tags && !fs->tags))
        return false;
    for (uint32_t i = params->count; i-- > 0;)
        flow_sets_give_back(fs, i);
    return true;
}

void flow_sets_free(struct flow_sets *fs)
{
    bigmem_free(fs->memory, fs->count * fs->set_octets);
    free(fs->empty);
    flow_tags_free(fs->tags);
    *fs = (struct flow_sets){0};
}

/* --- rings --- */

static uint8_t link_of(unsigned queue)
{
    return (uint8_t)(FLOW_SETS_PLACES + queue);
}

static unsigned queue_of(uint8_t link)
{
    return link - (unsigned)FLOW_SETS_PLACES;
}

static void put_last(const struct flow_sets *fs, struct flow_set *set, unsigned i, enum flow_sets_place place)
{
    struct flow_sets_link *links = flow_sets_links(fs, set);
    uint8_t last = links[place].prev, own = link_of(i);
    links[own] = (struct flow_sets_link){.next = (uint8_t)place, .prev = last};
    links[last].next = own;
    links[place].prev = own;
    flow_sets_queue(fs, set, i)->place = (uint8_t)place;
}

static void leave(const struct flow_sets *fs, struct flow_set *set, unsigned i)
{
    struct flow_sets_link *links = flow_sets_links(fs, set), own = links[link_of(i)];
    links[own.prev].next = own.next;
    links[own.next].prev = own.prev;
}

static void move(const struct flow_sets *fs, struct flow_set *set, unsigned i, enum flow_sets_place place)
{
    leave(fs, set, i);
    put_last(fs, set, i, place);
}

static void flow_sets_end(const struct flow_sets *fs, struct flow_set *set, unsigned i)
{
    uint8_t own = link_of(i);
    leave(fs, set, i);
    flow_sets_links(fs, set)[own] = (struct flow_sets_link){.next = own, .prev = own};
    set->where[flow_sets_queue(fs, set, i)->number] = FLOW_SETS_NO_QUEUE;
    set->used &= ~(UINT64_C(1) << i);
}

uint32_t flow_sets_open(struct flow_sets *fs, const struct flow_queue *q)
{
    uint32_t taken = fs->free_head;
    if (taken == FLOW_SETS_NONE) {
        fs->missing++;
        return taken;
    }
    struct flow_set *set = flow_sets_get(fs, taken);
    unsigned number = flow_sets_number_of(fs, q->list.last);
    fs->free_head = set->next_free;
    set->used = 1;
    set->at = set->where[number] = 0;
    *flow_sets_queue(fs, set, 0) = (struct flow_sets_queue){
        .queue = *q, .deficit_octets = fs->quantum_octets, .number = (uint8_t)number};
    put_last(fs, set, 0, q->octets > fs->quantum_octets ? FLOW_SETS_OLD : FLOW_SETS_NEW);
    return taken;
}

void flow_sets_close(struct flow_sets *fs, uint32_t set)
{
    if (fs->tags)
        flow_tags_wake(fs, set);
    flow_sets_give_back(fs, set);
}

/* --- whose turn it is --- */

static bool is_waiting(const struct flow_sets *fs, const struct flow_set *set, unsigned i)
{
    return flow_sets_queue(fs, set, i)->queue.pkts > 0;
}

/* An empty new queue becomes old and keeps its deficit. If it left, it would get a new quantum on return. */
static bool can_send_new(const struct flow_sets *fs, struct flow_set *set, unsigned i)
{
    if (is_waiting(fs, set, i))
        return true;
    move(fs, set, i, FLOW_SETS_OLD);
    return false;
}

/* An old queue at its turn. With quantum left it sends or, if empty, leaves. Without, it gets a quantum, and
 * sends if the sum is above 0, else it waits for its next turn. */
static bool can_send_old(const struct flow_sets *fs, struct flow_set *set, unsigned i)
{
    struct flow_sets_queue *queue = flow_sets_queue(fs, set, i);
    bool is_empty = !is_waiting(fs, set, i);
    if (queue->deficit_octets > 0) {
        if (is_empty)
            flow_sets_end(fs, set, i);
        return !is_empty;
    }
    queue->deficit_octets += fs->quantum_octets;
    if (!is_empty && queue->deficit_octets > 0)
        return true;
    move(fs, set, i, FLOW_SETS_OLD);
    return false;
}

/* The queue whose turn it is. The set is not empty. */
static uint8_t next_of(const struct flow_sets *fs, struct flow_set *set)
{
    const struct flow_sets_link *links = flow_sets_links(fs, set);
    for (;;) {
        while (links[FLOW_SETS_NEW].next != FLOW_SETS_NEW) {
            unsigned i = queue_of(links[FLOW_SETS_NEW].next);
            if (can_send_new(fs, set, i))
                return (uint8_t)i;
        }
        unsigned i = queue_of(links[FLOW_SETS_OLD].next);
        if (can_send_old(fs, set, i))
            return (uint8_t)i;
    }
}

/* Writes both parts of a word together: a later read of the word would else stall until both are stored. */
static void show_next(const struct flow_sets *fs, const struct flow_set *set, struct flow_queue *q)
{
    const struct flow_queue *next = &flow_sets_queue(fs, set, set->at)->queue;
    unsigned head_octets = next->head_octets;
    bool is_begun = next->is_begun, is_acknowledged = next->is_acknowledged;
    q->list.head = next->list.head;
    q->head_octets = head_octets & FLOW_QUEUE_MAX_OCTETS;
    q->is_begun = is_begun;
    q->is_acknowledged = is_acknowledged;
}

/* --- shared by the two files --- */
/* Chooses the next N-PDU and sets q's head fields. */
static void flow_sets_choose(const struct flow_sets *fs, uint32_t index, struct flow_queue *q)
{
    struct flow_set *set = flow_sets_get(fs, index);
    if (q->pkts == 0) {
        *q = (struct flow_queue){0};
        return;
    }
    if (!flow_sets_queue(fs, set, set->at)->queue.is_begun)
        set->at = fs->tags ? (uint8_t)flow_tags_next(fs, index, 0) : next_of(fs, set);
    show_next(fs, set, q);
}

static bool pass_over_by_tags(const struct flow_sets *fs, uint32_t index, struct flow_queue *q,
                              unsigned sapis)
{
    struct flow_set *set = flow_sets_get(fs, index);
    unsigned i = flow_tags_next(fs, index, sapis);
    if (i == FLOW_SETS_NO_QUEUE)
        return false;
    set->at = (uint8_t)i;
    show_next(fs, set, q);
    return true;
}

bool flow_sets_pass_over(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, unsigned sapis)
{
    struct flow_set *in = flow_sets_get(fs, set);
    const struct flow_sets_link *links = flow_sets_links(fs, in);
    if (fs->tags)
        return pass_over_by_tags(fs, set, q, sapis);
    for (unsigned place = 0; place < FLOW_SETS_PLACES; place++) {
        for (uint8_t link = links[place].next; link != place; link = links[link].next) {
            unsigned i = queue_of(link);
            if (!is_waiting(fs, in, i) ||
                sapis >> flow_queue_head(&flow_sets_queue(fs, in, i)->queue)->sapi & 1)
                continue;
            in->at = (uint8_t)i;
            show_next(fs, in, q);
            return true;
        }
    }
    return false;
}

/* The queue of an arriving N-PDU. An empty or unused queue becomes new, with the deficit it has. Which case
 * applies is unpredictable, so all write the same fields. */
static struct flow_sets_queue *queue_for(const struct flow_sets *fs, struct flow_set *set, unsigned number)
{
    bool begins = set->where[number] == FLOW_SETS_NO_QUEUE;
    unsigned i = begins ? (unsigned)__builtin_ctzll(~set->used) : set->where[number];
    struct flow_sets_queue *queue = flow_sets_queue(fs, set, i);
    int32_t deficit_octets = begins ? fs->quantum_octets : queue->deficit_octets;
    bool comes_again =
        (queue->queue.pkts == 0) & (queue->place == FLOW_SETS_OLD) & (queue->deficit_octets > 0);
    set->used |= UINT64_C(1) << i;
    set->where[number] = (uint8_t)i;
    queue->number = (uint8_t)number;
    queue->deficit_octets = deficit_octets;
    if (begins | comes_again)
        move(fs, set, i, FLOW_SETS_NEW);
    return queue;
}

/* The first new queue keeps its turn while it has N-PDUs: other new ones are appended behind it. */
static bool is_next_sure(const struct flow_sets *fs, const struct flow_set *set, const struct flow_queue *q)
{
    return !fs->tags && q->pkts > 0 && flow_sets_links(fs, set)[FLOW_SETS_NEW].next == link_of(set->at);
}

void flow_sets_put(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, struct n_pdu *n_pdu)
{
    struct flow_set *in = flow_sets_get(fs, set);
    struct flow_sets_queue *queue =
        fs->tags ? flow_tags_queue_for(fs, set, n_pdu) : queue_for(fs, in, flow_sets_number_of(fs, n_pdu));
    bool is_sure = is_next_sure(fs, in, q);
    flow_queue_put(&queue->queue, n_pdu);
    q->octets += (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
    q->pkts++;
    if (queue->queue.pkts == 1 && !is_sure)
        flow_sets_choose(fs, set, q);
}

static void charge(const struct flow_sets *fs, struct flow_set *set, const struct llc_next *next)
{
    struct flow_sets_queue *queue = flow_sets_queue(fs, set, set->at);
    queue->deficit_octets -= next->llc_octets;
    if (next->last && queue->deficit_octets <= 0)
        move(fs, set, set->at, FLOW_SETS_OLD);
}

struct n_pdu *flow_sets_take(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                             const struct llc_next *next)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_sets_queue *queue = flow_sets_queue(fs, from, from->at);
    struct n_pdu *n_pdu = flow_queue_take(&queue->queue, next);
    if (fs->tags)
        flow_tags_charge(fs, set, from->at, next->payload_octets);
    else
        charge(fs, from, next);
    q->octets -= next->payload_octets;
    q->pkts = (uint16_t)(q->pkts - next->last);
    flow_sets_choose(fs, set, q);
    return n_pdu;
}

void flow_sets_shorten(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t octets)
{
    const struct flow_set *in = flow_sets_get(fs, set);
    flow_queue_shorten(&flow_sets_queue(fs, in, in->at)->queue, octets);
    flow_queue_shorten(q, octets);
}

static struct flow_queue *queue_at(const struct flow_sets *fs, const struct flow_set *set, unsigned i)
{
    return &flow_sets_queue(fs, set, i)->queue;
}

/* Applies the changes of a queue since `before` to the flow's counts. */
static void recount(struct flow_queue *q, const struct flow_queue *before, const struct flow_queue *after)
{
    q->octets -= before->octets - after->octets;
    q->pkts = (uint16_t)(q->pkts - (before->pkts - after->pkts));
}

uint32_t flow_sets_remove_pdp(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t pdp,
                              struct n_pdu_list *out)
{
    struct flow_set *from = flow_sets_get(fs, set);
    uint32_t removed = 0;
    for (uint64_t left = from->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        struct flow_queue before = *queue_at(fs, from, i);
        removed += flow_queue_remove_pdp(queue_at(fs, from, i), pdp, out);
        recount(q, &before, queue_at(fs, from, i));
    }
    flow_sets_choose(fs, set, q);
    return removed;
}

unsigned flow_sets_longest(const struct flow_sets *fs, uint32_t set, bool in_octets)
{
    struct flow_set *of = flow_sets_get(fs, set);
    unsigned best = FLOW_SETS_NO_QUEUE;
    uint32_t most = 0;
    for (uint64_t left = of->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct flow_queue *queue = queue_at(fs, of, i);
        uint32_t length = in_octets ? queue->octets : queue->pkts;
        if (queue->pkts > queue->is_begun && length > most) {
            best = i;
            most = length;
        }
    }
    return best;
}

struct n_pdu *flow_sets_drop_waiting(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                     unsigned queue)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_queue before = *queue_at(fs, from, queue);
    struct n_pdu *n_pdu = flow_queue_drop_waiting(queue_at(fs, from, queue));
    recount(q, &before, queue_at(fs, from, queue));
    flow_sets_choose(fs, set, q);
    return n_pdu;
}

static struct n_pdu *drop_head(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, unsigned queue)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_queue before = *queue_at(fs, from, queue);
    struct n_pdu *n_pdu = flow_queue_drop_head(queue_at(fs, from, queue));
    recount(q, &before, queue_at(fs, from, queue));
    flow_sets_choose(fs, set, q);
    return n_pdu;
}

/* The queue whose head arrived first. FLOW_SETS_NO_QUEUE: all are empty. */
static unsigned oldest(const struct flow_sets *fs, const struct flow_set *set)
{
    unsigned best = FLOW_SETS_NO_QUEUE;
    int64_t best_ns = MOMENT_NEVER;
    for (uint64_t left = set->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct n_pdu *head = flow_queue_head(queue_at(fs, set, i));
        if (head && (best == FLOW_SETS_NO_QUEUE || head->arrival_ns < best_ns)) {
            best = i;
            best_ns = head->arrival_ns;
        }
    }
    return best;
}

struct n_pdu *flow_sets_drop_older(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                   int64_t latest_ns)
{
    struct flow_set *from = flow_sets_get(fs, set);
    unsigned i = oldest(fs, from);
    if (i == FLOW_SETS_NO_QUEUE || flow_queue_head(queue_at(fs, from, i))->arrival_ns > latest_ns)
        return NULL;
    return drop_head(fs, set, q, i);
}

void flow_sets_spare(const struct flow_sets *fs, uint32_t set, int64_t since_ns, int64_t now)
{
    const struct flow_set *of = flow_sets_get(fs, set);
    for (uint64_t left = of->used; left; left &= left - 1)
        flow_queue_spare(queue_at(fs, of, (unsigned)__builtin_ctzll(left)), since_ns, now);
}

int64_t flow_sets_oldest_ns(const struct flow_sets *fs, uint32_t set)
{
    const struct flow_set *of = flow_sets_get(fs, set);
    unsigned i = oldest(fs, of);
    assert(i != FLOW_SETS_NO_QUEUE);
    return flow_queue_head(queue_at(fs, of, i))->arrival_ns;
}

void flow_sets_join(struct flow_sets *fs, uint32_t set, struct flow_queue *q)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_queue all = {0};
    while (q->pkts > 0)
        flow_queue_put(&all, drop_head(fs, set, q, q->is_begun ? from->at : oldest(fs, from)));
    flow_sets_close(fs, set);
    *q = all;
}
