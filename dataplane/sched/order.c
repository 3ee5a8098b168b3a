/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/order.h"

#include "dataplane/queue/flow_tags.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"

typedef int64_t arrival_fn(struct turn *turn);

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
static void sort_by_arrival(struct turns *turns, struct turn *turn, arrival_fn *arrival_of)
{
    int64_t arrival_ns = arrival_of(turn);
    struct turn *before = turns_list(turns, TURNS_FRESH)->last;
    while (before && arrival_of(before) > arrival_ns)
        before = before->prev;
    turns_put_behind(turns, turn, before, TURNS_FRESH);
}

#define COST_MAX        16
#define DEBT_MAX_OCTETS (16384 * COST_MAX)
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

static uint32_t key_of(const struct sched *s, struct sched_flow *flow)
{
    uint32_t octets = sched_flow_next(s, sched_flow_ms(flow), flow).llc_octets;
    return flow->turn.tag - quantum_before(s, octets) + octets;
}

/* A flow that has just run empty leaves its turns soon. */
static bool is_after(const struct sched *s, struct turn *turn, uint32_t key)
{
    struct sched_flow *flow = sched_class_flow(turn);
    return flow->queue.pkts > 0 && before(key, key_of(s, flow)) > 0;
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
    struct turn *behind = NULL, *next = turns_list(turns, TURNS_FRESH)->head;
    for (; next && !is_after(s, next, key); next = next->next)
        behind = next;
    turns_put_behind(turns, turn, behind, TURNS_FRESH);
}

void sched_order_sfq_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    const struct sched_class *c = &ms->bvc->classes[flow->turn.qclass];
    if (s->params.sfq_classes >> flow->turn.qclass & 1)
        flow->turn.tag = renewed(flow->turn.tag, c->vt, (int32_t)s->params.credit_octets, DEBT_MAX_OCTETS);
}

static void sfq_enter(const struct sched *s, struct sched_class *c, struct sched_flow *flow)
{
    uint32_t lag_max =
        s->params.credit_octets > SCHED_LARGEST_PDU ? s->params.credit_octets : SCHED_LARGEST_PDU;
    flow->turn.tag = renewed(flow->turn.tag, c->vt, (int32_t)lag_max, DEBT_MAX_OCTETS);
    sort_from_first(s, &c->turns, &flow->turn, key_of(s, flow));
}

/* The charge for octets of a mobile: with shares of the air in inverse proportion to R. */
static uint32_t cost_of(const struct sched *s, const struct sched_ms *ms, uint32_t octets)
{
    if (!s->params.airtime)
        return octets;
    uint64_t rate_bps = ms->bucket.rate_bps, usual_bps = ms->bvc->ms_rate_bps;
    if (rate_bps == usual_bps || rate_bps == 0 || usual_bps == 0)
        return octets;
    uint64_t cost = octets * usual_bps / rate_bps, least = octets / COST_MAX + 1;
    cost = cost > least ? cost : least;
    return cost < COST_MAX * octets ? (uint32_t)cost : COST_MAX * octets;
}

void sched_order_sfq_charge(const struct sched *s, struct sched_class *c, struct sched_flow *flow,
                            uint32_t octets)
{
    uint32_t served = flow->turn.tag - quantum_before(s, octets);
    if (before(c->vt, served) > 0)
        c->vt = served;
    flow->turn.tag += cost_of(s, sched_flow_ms(flow), octets);
    if (c->run != flow && octets <= FLOW_TAGS_SPARSE_OCTETS)
        return;
    c->run_octets = c->run == flow ? c->run_octets + octets : octets;
    c->run = flow;
}

/* --- cells --- */

static void sfq_enter_link(struct sched_link_class *lc, struct sched_class *c, bool begins)
{
    struct turn *behind = turns_list(&lc->turns, TURNS_FRESH)->last;
    if (begins)
        c->fresh.tag = renewed(c->fresh.tag, lc->vt, 0, DEBT_MAX_OCTETS * LINK_SCALE);
    while (behind && before(c->fresh.tag, behind->tag) > 0)
        behind = behind->prev;
    turns_put_behind(&lc->turns, &c->fresh, behind, TURNS_FRESH);
}

void sched_order_sfq_charge_link(struct sched_link_class *lc, struct sched_class *c, uint32_t octets)
{
    uint32_t flows = c->turns.count > 0 ? c->turns.count : 1;
    if (before(lc->vt, c->fresh.tag) > 0)
        lc->vt = c->fresh.tag;
    c->fresh.tag += octets * LINK_SCALE / flows;
}

/* --- both orders --- */

void sched_order_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow)
{
    if (sched_order_fifo_has(s, c->qclass))
        sort_by_arrival(&c->turns, &flow->turn, arrival_of_flow);
    else
        sfq_enter(s, c, flow);
}

void sched_order_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    if (sched_order_fifo_has(s, c->qclass))
        sort_by_arrival(&c->turns, &flow->turn, arrival_of_flow);
    else
        sort_from_last(s, &c->turns, &flow->turn, key_of(s, flow));
    if (bvc->mode == SCHED_MODE_LINK)
        sched_link_sync(s, bvc->link, c);
}

void sched_order_enter_link(const struct sched *s, struct sched_link_class *lc, struct sched_class *c,
                            bool begins)
{
    if (sched_order_fifo_has(s, c->qclass))
        sort_by_arrival(&lc->turns, &c->fresh, arrival_of_class);
    else
        sfq_enter_link(lc, c, begins);
}
