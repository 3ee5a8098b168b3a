/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of mobiles with held ACKs, and the octets that passed ACKs permit. Model: pacing.h. */
#include "dataplane/pacing/pacing_parts.h"

#include <stdlib.h>

#define PEND_NS         INT64_C(200000000) /* two round trips of the core */
#define PERMIT_MOST_MSS 8

/* --- lists --- */

static struct pacing_link *link_of(struct pacing *p, uint32_t flow, enum pacing_by of)
{
    struct pacing_flow *f = &p->flows[flow];
    return of == PACING_BY_MOBILE ? &f->by_mobile : of == PACING_BY_HOLD ? &f->by_hold : &f->by_pend;
}

void pacing_turns_put(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
{
    *link_of(p, flow, of) = (struct pacing_link){.next = PACING_NONE, .prev = list->last};
    if (list->last == PACING_NONE)
        list->head = flow;
    else
        link_of(p, list->last, of)->next = flow;
    list->last = flow;
}

void pacing_turns_remove(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
{
    struct pacing_link link = *link_of(p, flow, of);
    if (link.prev == PACING_NONE)
        list->head = link.next;
    else
        link_of(p, link.prev, of)->next = link.next;
    if (link.next == PACING_NONE)
        list->last = link.prev;
    else
        link_of(p, link.next, of)->prev = link.prev;
}

/* --- memory --- */

static const struct pacing_list EMPTY = {PACING_NONE, PACING_NONE};

bool pacing_turns_new(struct pacing *p, uint32_t mobiles, uint32_t cells)
{
    uint32_t groups = cells * QCLASS_COUNT;
    p->by_hold = p->by_pend = EMPTY;
    if (p->params.max_hold_ns == 0)
        return true;
    p->holders = calloc(mobiles, sizeof(*p->holders));
    p->groups = calloc(groups, sizeof(*p->groups));
    p->active = calloc(groups, sizeof(*p->active));
    if (!p->holders || !p->groups || !p->active)
        return false;
    for (uint32_t i = 0; i < mobiles; i++)
        p->holders[i].held = EMPTY;
    for (uint32_t i = 0; i < groups; i++)
        p->groups[i].head = p->groups[i].last = PACING_NONE;
    return true;
}

void pacing_turns_free(struct pacing *p)
{
    free(p->holders);
    free(p->groups);
    free(p->active);
}

/* --- permitted octets --- */

static void count_arrived(struct pacing *p, struct pacing_flow *flow, struct pacing_group *group,
                          uint32_t octets)
{
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    octets = octets < flow->pend_octets ? octets : flow->pend_octets;
    flow->pend_octets -= octets;
    mobile->pend_octets -= octets;
    group->permitted_octets -= octets;
    if (flow->pend_octets > 0 || !flow->is_pending)
        return;
    pacing_turns_remove(p, &p->by_pend, pacing_index_of(p, flow), PACING_BY_PEND);
    flow->is_pending = false;
}

void pacing_turns_arrived(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                          uint32_t octets)
{
    if (flow->is_pending)
        count_arrived(p, flow, &p->groups[flow->pend_group], octets);
    struct pacing_group *group = pacing_group_of(p, at);
    if (octets > group->longest_octets)
        group->longest_octets = octets;
}

void pacing_turns_end_permits(struct pacing *p, int64_t now)
{
    while (p->by_pend.head != PACING_NONE && p->flows[p->by_pend.head].pend_end_ns <= now) {
        struct pacing_flow *flow = &p->flows[p->by_pend.head];
        count_arrived(p, flow, &p->groups[flow->pend_group], flow->pend_octets);
    }
}

void pacing_turns_forget(struct pacing *p, struct pacing_flow *flow)
{
    assert(!flow->held);
    if (flow->is_pending)
        count_arrived(p, flow, &p->groups[flow->pend_group], flow->pend_octets);
}

void pacing_turns_permit(struct pacing *p, struct pacing_flow *flow, uint32_t group, uint32_t octets,
                         int64_t now)
{
    uint32_t most = (uint32_t)flow->mss * PERMIT_MOST_MSS;
    octets = octets < most ? octets : most;
    if (flow->is_pending)
        count_arrived(p, flow, &p->groups[flow->pend_group], flow->pend_octets);
    flow->pend_group = group;
    flow->pend_octets = octets;
    flow->pend_end_ns = now + PEND_NS;
    flow->is_pending = true;
    pacing_turns_put(p, &p->by_pend, pacing_index_of(p, flow), PACING_BY_PEND);
    p->holders[flow->ms].pend_octets += octets;
    p->groups[group].permitted_octets += octets;
}

/* --- turns by start tags --- */

void pacing_turns_enter(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    uint32_t behind = group->last;
    if (group->head == PACING_NONE)
        p->active[p->active_count++] = pacing_group_index(&mobile->at);
    while (behind != PACING_NONE && pacing_is_before(mobile->tag, p->holders[behind].tag))
        behind = p->holders[behind].prev;
    mobile->prev = behind;
    mobile->next = behind == PACING_NONE ? group->head : p->holders[behind].next;
    *(behind == PACING_NONE ? &group->head : &p->holders[behind].next) = ms;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = ms;
}

void pacing_turns_leave(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    *(mobile->prev == PACING_NONE ? &group->head : &p->holders[mobile->prev].next) = mobile->next;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = mobile->prev;
    if (group->head != PACING_NONE)
        return;
    for (uint32_t i = 0; i < p->active_count; i++)
        if (p->active[i] == pacing_group_index(&mobile->at))
            p->active[i] = p->active[--p->active_count];
}

void pacing_turns_charge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                         uint32_t octets)
{
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    struct pacing_group *group = pacing_group_of(p, at);
    bool is_held = mobile->held_count > 0;
    mobile->tag = pacing_later(mobile->tag, group->vt);
    flow->tag = pacing_later(flow->tag, mobile->vt);
    group->vt = is_held ? pacing_later(group->vt, mobile->tag) : group->vt;
    mobile->vt = flow->tag;
    if (is_held)
        pacing_turns_leave(p, flow->ms);
    mobile->tag += octets;
    flow->tag += octets;
    if (is_held)
        pacing_turns_enter(p, flow->ms);
}
