/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_sfq.h"

#include "dataplane/sched/sched_parts.h"

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

/* A loan puts a flow before all that can be in turns with it. */
static uint32_t key_of(const struct sched *s, struct sched_flow *flow)
{
    uint32_t ahead = flow->turn.flags & SCHED_FLOW_LOAN ? 2 * DEBT_MAX_OCTETS : 0;
    return flow->turn.tag - ahead + sched_flow_next(s, sched_flow_ms(flow), flow).llc_octets;
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

void sched_sfq_charge(struct sched_class *c, struct sched_flow *flow, uint32_t octets)
{
    if (!(flow->turn.flags & SCHED_FLOW_LOAN) && before(c->vt, flow->turn.tag) > 0)
        c->vt = flow->turn.tag;
    flow->turn.tag += octets;
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
