/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bigmem.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/queue/tcp_repeat.h"
#include "dataplane/sched/tree.h"

typedef int64_t arrival_fn(struct turn *turn);

static int32_t before(uint32_t a, uint32_t b);

/* Of the head of a flow; a flow that has just run empty leaves its turns soon. */
static int64_t arrival_of_flow(struct turn *turn)
{
    const struct n_pdu *head = flow_queue_head(&sched_class_flow(turn)->queue);
    return head ? head->arrival_ns : INT64_MIN;
}

/* Of the oldest head of a class of a cell. */
static int64_t arrival_of_class(struct turn *turn)
{
    struct sched_class *c = SCHED_OWNER(turn, struct sched_class, fresh);
    struct turn *first = turns_list(&c->turns, TURNS_FRESH)->head;
    return first ? arrival_of_flow(first) : INT64_MIN;
}

/* From the last on: an N-PDU that has just arrived is the youngest. */
static void sort_in(struct turns *turns, struct turn *turn, arrival_fn *arrival_of)
{
    int64_t arrival_ns = arrival_of(turn);
    struct turn *before = turns_list(turns, TURNS_FRESH)->last;
    while (before && arrival_of(before) > arrival_ns)
        before = before->prev;
    turns_put_behind(turns, turn, before, TURNS_FRESH);
}

void sched_fifo_enter(struct sched_class *c, struct sched_flow *flow)
{
    sort_in(&c->turns, &flow->turn, arrival_of_flow);
}

void sched_fifo_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    sched_fifo_enter(c, flow);
    if (bvc->mode == SCHED_MODE_LINK)
        sched_link_sync(s, bvc->link, c);
}

void sched_fifo_enter_link(struct sched_link_class *lc, struct sched_class *c)
{
    sort_in(&lc->turns, &c->fresh, arrival_of_class);
}

#define DEBT_MAX_OCTETS 16384
#define LINK_SCALE      64 /* units of a cell's tag to an octet */

/* How far tag a is before tag b. */
static int32_t before(uint32_t a, uint32_t b)
{
    return (int32_t)(b - a);
}

/* A tag that lags behind the virtual time by at most `lag_max`, and has no debt that none can have. */
static uint32_t renewed(uint32_t tag, uint32_t vt, int32_t lag_max, int32_t debt_max)
{
    int32_t lag = before(tag, vt);
    if (lag > lag_max)
        return vt - (uint32_t)lag_max;
    return lag < -debt_max ? vt : tag;
}

/* --- mobiles --- */

/* A quantum that the flow has just sent does not delay a short LLC-PDU of its own. */
static uint32_t quantum_before(const struct sched *s, uint32_t octets)
{
    return octets <= FLOW_TAGS_SPARSE_OCTETS ? s->params.ms_quantum_octets : 0;
}

/* A loan puts a flow before all that can wait for their turn with it. */
static uint32_t key_of(const struct sched *s, struct sched_flow *flow)
{
    uint32_t octets = sched_flow_next(s, sched_flow_ms(flow), flow).llc_octets;
    uint32_t ahead = flow->turn.flags & SCHED_FLOW_LOAN ? 2 * DEBT_MAX_OCTETS : quantum_before(s, octets);
    return flow->turn.tag - ahead + octets;
}

/* A flow that has just run empty leaves its turns soon. */
static bool is_after(const struct sched *s, struct turn *turn, uint32_t key)
{
    struct sched_flow *flow = sched_class_flow(turn);
    return flow->queue.pkts > 0 && before(key, key_of(s, flow)) > 0;
}

static bool is_first(const struct sched *s, struct turns_list *list, uint32_t key)
{
    return list->head && is_after(s, list->head, key);
}

/* Behind the last turn whose key is not after it. */
static void sort_from_last(const struct sched *s, struct turns *turns, struct turn *turn, uint32_t key)
{
    struct turn *behind = turns_list(turns, TURNS_FRESH)->last;
    while (behind && is_after(s, behind, key))
        behind = behind->prev;
    turns_put_behind(turns, turn, behind, TURNS_FRESH);
}

static void sort_from_first(const struct sched *s, struct turns *turns, struct turn *turn, uint32_t key)
{
    struct turn *behind = turns_list(turns, TURNS_FRESH)->head;
    while (behind && behind->next && !is_after(s, behind->next, key))
        behind = behind->next;
    turns_put_behind(turns, turn, behind, TURNS_FRESH);
}

void sched_sfq_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    const struct sched_class *c = &ms->bvc->classes[flow->turn.qclass];
    if (s->params.sfq_classes >> flow->turn.qclass & 1)
        flow->turn.tag = renewed(flow->turn.tag, c->vt, 0, DEBT_MAX_OCTETS);
}

void sched_sfq_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow)
{
    struct turns_list *list = turns_list(&c->turns, TURNS_FRESH);
    flow->turn.tag = renewed(flow->turn.tag, c->vt, SCHED_LARGEST_PDU, DEBT_MAX_OCTETS);
    uint32_t key = key_of(s, flow);
    if (is_first(s, list, key))
        turns_put_behind(&c->turns, &flow->turn, NULL, TURNS_FRESH);
    else
        sort_from_first(s, &c->turns, &flow->turn, key);
}

void sched_sfq_charge(const struct sched *s, struct sched_class *c, struct sched_flow *flow, uint32_t octets)
{
    uint32_t served = flow->turn.tag - quantum_before(s, octets);
    if (!(flow->turn.flags & SCHED_FLOW_LOAN) && before(c->vt, served) > 0)
        c->vt = served;
    flow->turn.tag += octets;
    if (c->run != flow && octets <= FLOW_TAGS_SPARSE_OCTETS)
        return;
    c->run_octets = c->run == flow ? c->run_octets + octets : octets;
    c->run = flow;
}

void sched_sfq_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    sort_from_last(s, &c->turns, &flow->turn, key_of(s, flow));
    if (bvc->mode == SCHED_MODE_LINK)
        sched_link_sync(s, bvc->link, c);
}

void sched_sfq_forget(const struct sched_class *c, struct sched_flow *flow)
{
    flow->turn.tag = c->vt;
}

/* --- cells --- */

void sched_sfq_enter_link(struct sched_link_class *lc, struct sched_class *c, bool begins)
{
    struct turn *behind = turns_list(&lc->turns, TURNS_FRESH)->last;
    if (begins)
        c->fresh.tag = renewed(c->fresh.tag, lc->vt, 0, DEBT_MAX_OCTETS * LINK_SCALE);
    while (behind && before(c->fresh.tag, behind->tag) > 0)
        behind = behind->prev;
    turns_put_behind(&lc->turns, &c->fresh, behind, TURNS_FRESH);
}

void sched_sfq_charge_link(struct sched_link_class *lc, struct sched_class *c, uint32_t octets)
{
    uint32_t flows = c->turns.count > 0 ? c->turns.count : 1;
    if (before(lc->vt, c->fresh.tag) > 0)
        lc->vt = c->fresh.tag;
    c->fresh.tag += octets * LINK_SCALE / flows;
}

/* --- in --- */

static bool is_of_another(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    return flow_sets_number_of(&s->flow_sets, n_pdu) !=
           flow_sets_number_of(&s->flow_sets, flow->queue.list.last);
}

/* With tags a flow has a set from its first N-PDU on. */
static void choose_by_tags(struct sched *s, struct sched_flow *flow)
{
    if (flow->queue.pkts > 0)
        return;
    flow_tags_open(&s->flow_sets, &flow->set);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_MIXED;
    if (flow->set == FLOW_SETS_NONE)
        flow->turn.flags |= SCHED_FLOW_MIXED;
}

/* A single queue is kept while all N-PDUs would be in one queue of a set. */
static void choose_queues(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    if (s->flow_sets.tags) {
        choose_by_tags(s, flow);
        return;
    }
    if (flow->queue.pkts <= 1)
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_MIXED;
    if (flow->queue.pkts == 0 || flow->turn.flags & SCHED_FLOW_MIXED || !is_of_another(s, flow, n_pdu))
        return;
    flow->set = flow_sets_open(&s->flow_sets, &flow->queue);
    if (flow->set == FLOW_SETS_NONE)
        flow->turn.flags |= SCHED_FLOW_MIXED;
}

void sched_queue_put(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu)
{
    if (s->flow_sets.queues > 0 && flow->set == FLOW_SETS_NONE)
        choose_queues(s, flow, n_pdu);
    if (s->flow_sets.tags && flow->set != FLOW_SETS_NONE)
        flow_tags_wake(&s->flow_sets, flow->set);
    if (flow->set == FLOW_SETS_NONE)
        flow_queue_put(&flow->queue, n_pdu);
    else
        flow_sets_put(&s->flow_sets, flow->set, &flow->queue, n_pdu);
}

bool sched_queue_repeats(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    if (flow->queue.pkts == 0)
        return false;
    if (flow->set == FLOW_SETS_NONE)
        return tcp_repeat_has(&flow->queue.list, n_pdu);
    const struct flow_set *set = flow_sets_get(&s->flow_sets, flow->set);
    unsigned own = set->where[flow_sets_number_of(&s->flow_sets, n_pdu)];
    return own != FLOW_SETS_NO_QUEUE &&
           tcp_repeat_has(&flow_sets_queue(&s->flow_sets, set, own)->queue.list, n_pdu);
}

/* --- out --- */

/* Returns an empty set, after an N-PDU has left it. */
static void close_empty(struct sched *s, struct sched_flow *flow)
{
    if (flow->queue.pkts > 0)
        return;
    if (s->flow_sets.tags) {
        flow_tags_keep(&s->flow_sets, flow->set);
        return;
    }
    flow_sets_close(&s->flow_sets, flow->set);
    flow->set = FLOW_SETS_NONE;
}

struct n_pdu *sched_queue_take_of_set(struct sched *s, struct sched_flow *flow, const struct llc_next *next)
{
    struct n_pdu *n_pdu = flow_sets_take(&s->flow_sets, flow->set, &flow->queue, next);
    close_empty(s, flow);
    return n_pdu;
}

struct n_pdu *sched_queue_drop_of(struct sched *s, struct sched_flow *flow, unsigned queue)
{
    struct n_pdu *n_pdu = flow_sets_drop_waiting(&s->flow_sets, flow->set, &flow->queue, queue);
    close_empty(s, flow);
    return n_pdu;
}

struct n_pdu *sched_queue_drop_head(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_drop_head(&flow->queue);
    return sched_queue_drop_of(s, flow, flow_sets_get(&s->flow_sets, flow->set)->at);
}

struct n_pdu *sched_queue_drop_waiting(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_drop_waiting(&flow->queue);
    unsigned longest = flow_sets_longest(&s->flow_sets, flow->set, false);
    return longest == FLOW_SETS_NO_QUEUE ? NULL : sched_queue_drop_of(s, flow, longest);
}

struct n_pdu *sched_queue_drop_older(struct sched *s, struct sched_flow *flow, int64_t latest_ns)
{
    if (flow->set != FLOW_SETS_NONE) {
        struct n_pdu *n_pdu = flow_sets_drop_older(&s->flow_sets, flow->set, &flow->queue, latest_ns);
        close_empty(s, flow);
        return n_pdu;
    }
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    return head && head->arrival_ns <= latest_ns ? flow_queue_drop_head(&flow->queue) : NULL;
}

uint32_t sched_queue_remove_pdp(struct sched *s, struct sched_flow *flow, uint32_t pdp,
                                struct n_pdu_list *out)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_remove_pdp(&flow->queue, pdp, out);
    uint32_t removed = flow_sets_remove_pdp(&s->flow_sets, flow->set, &flow->queue, pdp, out);
    close_empty(s, flow);
    return removed;
}

void sched_queue_join(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return;
    flow_sets_join(&s->flow_sets, flow->set, &flow->queue);
    flow->set = FLOW_SETS_NONE;
    flow->turn.flags |= SCHED_FLOW_MIXED;
}

void sched_queue_forget(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return;
    flow_sets_close(&s->flow_sets, flow->set);
    flow->set = FLOW_SETS_NONE;
}

bool sched_queue_pass_over(struct sched *s, struct sched_flow *flow, unsigned sapis)
{
    return flow->set != FLOW_SETS_NONE && flow_sets_pass_over(&s->flow_sets, flow->set, &flow->queue, sapis);
}

/* --- limits --- */

/* The queue that drops for an arriving N-PDU: the longest, unless the N-PDU's own would be.
 * FLOW_SETS_NO_QUEUE: none. */
static unsigned payer_of(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu,
                         bool in_octets)
{
    const struct flow_sets *fs = &s->flow_sets;
    const struct flow_set *set = flow_sets_get(fs, flow->set);
    unsigned longest = flow_sets_longest(fs, flow->set, in_octets);
    unsigned own = set->where[flow_sets_number_of(fs, n_pdu)];
    uint32_t with = in_octets ? n_pdu->octets : 1;
    if (longest == FLOW_SETS_NO_QUEUE)
        return FLOW_SETS_NO_QUEUE;
    const struct flow_queue *other = &flow_sets_queue(fs, set, longest)->queue;
    if (own != FLOW_SETS_NO_QUEUE) {
        const struct flow_queue *mine = &flow_sets_queue(fs, set, own)->queue;
        with += in_octets ? mine->octets : mine->pkts;
    }
    return with > (in_octets ? other->octets : other->pkts) ? FLOW_SETS_NO_QUEUE : longest;
}

unsigned sched_queue_payer(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu,
                           bool in_octets)
{
    if (flow->set == FLOW_SETS_NONE)
        choose_queues(s, flow, n_pdu);
    return flow->set == FLOW_SETS_NONE ? FLOW_SETS_NO_QUEUE : payer_of(s, flow, n_pdu, in_octets);
}

/* --- prefetch --- */

static void fetch_queues(const struct sched *s, const struct sched_flow *flow)
{
    prefetch_line_write(flow_queue_head(&flow->queue));
    if (flow->set != FLOW_SETS_NONE)
        flow_sets_prefetch_all(&s->flow_sets, flow->set);
}

/* Two turns ahead: memory takes longer than an LLC-PDU. The mobile was prefetched when its cell woke; the one
 * behind it is the next that the cell looks at. */
void sched_queue_fetch(const struct sched *s, const struct sched_bvc *bvc)
{
    bvc = bvc->next ? bvc->next->next : NULL;
    if (!bvc || !bvc->holder)
        return;
    fetch_queues(s, bvc->holder);
    const char *behind = (const char *)bvc->holder->turn.next;
    if (!behind)
        return;
    prefetch_line_write(behind);
    prefetch_line_write(behind - offsetof(struct sched_ms, flow.turn));
}
