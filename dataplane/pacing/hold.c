/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/hold.h"

#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define PACING_NONE UINT32_MAX

/* Lists of flows. */
enum pacing_by { PACING_BY_MOBILE, PACING_BY_HOLD, PACING_BY_PEND };

static inline uint32_t pacing_index_of(const struct pacing *p, const struct pacing_flow *flow)
{
    return (uint32_t)(flow - p->flows);
}

static inline uint32_t pacing_group_index(const struct pacing_at *at)
{
    return (uint32_t)at->bvc * QCLASS_COUNT + at->qclass;
}

static inline struct pacing_group *pacing_group_of(struct pacing *p, const struct pacing_at *at)
{
    return &p->groups[pacing_group_index(at)];
}

/* Of a cell's class: it is that of the cell's link as long as the cell exists. */
static inline void pacing_group_join(struct pacing *p, const struct pacing_at *at)
{
    struct pacing_group *group = pacing_group_of(p, at);
    uint32_t order = (uint32_t)at->link * QCLASS_COUNT + at->qclass;
    if (group->order == order)
        return;
    p->orders[group->order].permitted_octets -= group->permitted_octets;
    p->orders[group->order].groups -= group->head != PACING_NONE;
    group->order = order;
    group->tag = p->orders[order].vt;
    p->orders[order].permitted_octets += group->permitted_octets;
    p->orders[order].groups += group->head != PACING_NONE;
}

static inline bool pacing_is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static inline uint32_t pacing_later(uint32_t tag, uint32_t vt)
{
    return pacing_is_before(tag, vt) ? vt : tag;
}

#define SECOND_NS   UINT64_C(1000000000)
#define IDLE_NS     UINT64_C(800000000)
#define IDLE_PKTS   2
#define MOST_OCTETS 6000
#define SHARE_S     4
#define LEAST_PKTS  4

static uint64_t idle_ns(uint64_t share_bps, uint16_t mss)
{
    uint64_t ns = share_bps > 0 ? (uint64_t)IDLE_PKTS * mss * 8 * SECOND_NS / share_bps : 0;
    return ns > IDLE_NS ? ns : IDLE_NS;
}

void pacing_loan_ask(struct pacing_loan *loan, uint64_t share_bps, uint16_t mss, int64_t now)
{
    if (loan->last_ns != 0 && (uint64_t)(now - loan->last_ns) < idle_ns(share_bps, mss))
        return;
    uint64_t octets = share_bps / 8 * SHARE_S;
    octets = octets < MOST_OCTETS ? octets : MOST_OCTETS;
    loan->left_octets = octets < (uint64_t)LEAST_PKTS * mss ? 0 : (uint32_t)octets;
    loan->last_ns = now;
}

void pacing_loan_use(struct pacing_loan *loan, uint32_t octets, int64_t now)
{
    loan->left_octets -= octets < loan->left_octets ? octets : loan->left_octets;
    loan->last_ns = now;
}

#define PEND_NS         INT64_C(200000000) /* two round trips of the core */
#define PERMIT_MOST_MSS 8
#define GROUP_TAGS      16 /* units of an octet */

/* --- lists --- */

static struct pacing_link *link_of(struct pacing *p, uint32_t flow, enum pacing_by of)
{
    struct pacing_flow *f = &p->flows[flow];
    return of == PACING_BY_MOBILE ? &f->by_mobile : of == PACING_BY_HOLD ? &f->by_hold : &f->by_pend;
}

static void pacing_turns_put(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
{
    *link_of(p, flow, of) = (struct pacing_link){.next = PACING_NONE, .prev = list->last};
    if (list->last == PACING_NONE)
        list->head = flow;
    else
        link_of(p, list->last, of)->next = flow;
    list->last = flow;
}

static void pacing_turns_remove(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
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

bool pacing_turns_new(struct pacing *p, const struct pacing_limits *limits)
{
    uint32_t groups = limits->cells * QCLASS_COUNT;
    p->by_hold = p->by_pend = EMPTY;
    if (p->params.max_hold_ns == 0)
        return true;
    p->holders = calloc(limits->mobiles, sizeof(*p->holders));
    p->groups = calloc(groups, sizeof(*p->groups));
    p->orders = calloc((size_t)limits->links * QCLASS_COUNT, sizeof(*p->orders));
    p->active = calloc(groups, sizeof(*p->active));
    if (!p->holders || !p->groups || !p->orders || !p->active)
        return false;
    for (uint32_t i = 0; i < limits->mobiles; i++)
        p->holders[i].held = EMPTY;
    for (uint32_t i = 0; i < groups; i++)
        p->groups[i].head = p->groups[i].last = p->groups[i].run_ms = PACING_NONE;
    return true;
}

void pacing_turns_free(struct pacing *p)
{
    free(p->holders);
    free(p->groups);
    free(p->orders);
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
    p->orders[group->order].permitted_octets -= octets;
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

static void pacing_turns_end_permits(struct pacing *p, int64_t now)
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

/* Octets that an ACK permits, until data arrives or PEND_NS end. */
static void pacing_turns_permit(struct pacing *p, struct pacing_flow *flow, uint32_t group, uint32_t octets,
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
    p->orders[p->groups[group].order].permitted_octets += octets;
}

/* --- turns by start tags --- */

/* A mobile in the order of its group. */
static void pacing_turns_enter(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    uint32_t behind = group->last;
    if (group->head == PACING_NONE) {
        p->active[p->active_count++] = pacing_group_index(&mobile->at);
        p->orders[group->order].groups++;
    }
    while (behind != PACING_NONE && pacing_is_before(mobile->tag, p->holders[behind].tag))
        behind = p->holders[behind].prev;
    mobile->prev = behind;
    mobile->next = behind == PACING_NONE ? group->head : p->holders[behind].next;
    *(behind == PACING_NONE ? &group->head : &p->holders[behind].next) = ms;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = ms;
}

static void pacing_turns_leave(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    *(mobile->prev == PACING_NONE ? &group->head : &p->holders[mobile->prev].next) = mobile->next;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = mobile->prev;
    if (group->head != PACING_NONE)
        return;
    p->orders[group->order].groups--;
    for (uint32_t i = 0; i < p->active_count; i++)
        if (p->active[i] == pacing_group_index(&mobile->at))
            p->active[i] = p->active[--p->active_count];
}

/* Octets that a cell's class is permitted, for each of its mobiles. */
static void charge_group(struct pacing *p, const struct pacing_at *at, uint32_t octets, int64_t now)
{
    struct pacing_group *group = pacing_group_of(p, at);
    struct pacing_order *order = &p->orders[group->order];
    struct pacing_load load = {&p->loads[(size_t)at->bvc * PACING_LOADS], at->bvc_rate_bps, false};
    uint32_t mobiles = pacing_load_mobiles(&load, at->qclass, now);
    group->tag = pacing_later(group->tag, order->vt);
    order->vt = group->tag;
    group->tag += octets * GROUP_TAGS / (mobiles > 0 ? mobiles : 1);
}

/* An ACK of a flow passes: tags of mobile and flow grow. */
static void pacing_turns_charge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
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

#define TICK_NS         INT64_C(5000000)
#define SECOND          UINT64_C(1000000000)
#define HOLD_LEAST_PKTS 2
#define SCAN_MOST       64 /* mobiles of a group that are tested in a tick, when their own queues are full */
#define QUIET_FLAGS     (TCP_ACK | TCP_PSH)

/* --- hold --- */

static void pass(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at, uint32_t ack,
                 int64_t now)
{
    int32_t octets = (int32_t)(ack - flow->passed);
    if (flow->has_passed && octets <= 0)
        return;
    if (flow->has_passed && octets > 0) {
        charge_group(p, at, (uint32_t)octets, now);
        pacing_turns_charge(p, flow, at, (uint32_t)octets);
        pacing_turns_permit(p, flow, pacing_group_index(at), (uint32_t)octets, now);
    }
    flow->has_passed = true;
    flow->passed = ack;
}

static void count_hold(struct pacing *p, const struct pacing_flow *flow, unsigned qclass, int64_t now)
{
    int64_t hold_ns = now - flow->held_ns;
    p->stats.holds[qclass][pacing_hold_bin(hold_ns)]++;
    p->stats.hold_ms += (uint64_t)(hold_ns / MS_NS);
}

/* The held ACK leaves its flow, which gets it no longer. */
static void *take_held(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    void *buffer = flow->held;
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    count_hold(p, flow, mobile->at.qclass, now);
    pacing_turns_remove(p, &mobile->held, pacing_index_of(p, flow), PACING_BY_MOBILE);
    pacing_turns_remove(p, &p->by_hold, pacing_index_of(p, flow), PACING_BY_HOLD);
    if (--mobile->held_count == 0)
        pacing_turns_leave(p, flow->ms);
    flow->held = NULL;
    p->stats.holding--;
    return buffer;
}

static void hold_hold(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at, int64_t now)
{
    struct pacing_mobile *mobile = &p->holders[at->ms];
    if (mobile->held_count++ == 0) {
        mobile->at = *at;
        mobile->tag = pacing_later(mobile->tag, pacing_group_of(p, at)->vt);
        pacing_turns_enter(p, at->ms);
    }
    flow->ms = at->ms;
    flow->held_ns = now;
    flow->tag = pacing_later(flow->tag, mobile->vt);
    pacing_turns_put(p, &mobile->held, pacing_index_of(p, flow), PACING_BY_MOBILE);
    pacing_turns_put(p, &p->by_hold, pacing_index_of(p, flow), PACING_BY_HOLD);
    p->stats.holding++;
}

/* --- room --- */

static uint64_t octets_in(uint64_t rate_bps, int64_t time_ns)
{
    return rate_bps / 8 * (uint64_t)(time_ns / 1000) / (SECOND / 1000);
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether the cell shares its link with others. */
static bool is_shared(const struct pacing *p, const struct pacing_at *at)
{
    const struct pacing_view *view = &p->params.view;
    return view->link_rate_bps && view->link_rate_bps(view->owner, at->bvc) > 0;
}

static bool has_group_room(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    const struct pacing_view *view = &p->params.view;
    struct pacing_group *group = pacing_group_of(p, at);
    struct pacing_load load = pacing_load_of(p, at);
    uint64_t octets = most((uint64_t)HOLD_LEAST_PKTS * group->longest_octets,
                           octets_in(pacing_load_rate_bps(&load, at->qclass, now), p->params.target_ns));
    if (load.is_link)
        return view->link_octets(view->owner, at->link, at->qclass) +
                   p->orders[group->order].permitted_octets <
               octets;
    return (uint64_t)view->class_octets(view->owner, at->bvc, at->qclass) + group->permitted_octets < octets;
}

static bool has_mobile_room(struct pacing *p, uint32_t ms, int64_t now)
{
    const struct pacing_mobile *mobile = &p->holders[ms];
    const struct pacing_at *at = &mobile->at;
    struct pacing_load load = pacing_load_of(p, at);
    uint64_t octets = most((uint64_t)HOLD_LEAST_PKTS * pacing_group_of(p, at)->longest_octets,
                           octets_in(pacing_load_share_bps(&load, at, now), p->params.ms_target_ns));
    return p->params.view.ms_octets(p->params.view.owner, ms, now) + (uint64_t)mobile->pend_octets < octets;
}

/* --- an uplink segment --- */

static bool is_quiet(const struct pacing_ack *ack)
{
    return ack->tcp->data_octets == 0 && (ack->tcp->flags & ~QUIET_FLAGS) == 0 && !ack->has_sack &&
           ack->window > 0;
}

static bool is_news(const struct pacing_flow *flow, const struct pacing_ack *ack)
{
    return flow->has_passed && (int32_t)(ack->tcp->ack - flow->passed) > 0;
}

/* Flows of one class in one cell at a time are held. */
static bool can_hold(struct pacing *p, const struct pacing_flow *flow, const struct pacing_at *at)
{
    const struct pacing_mobile *mobile = &p->holders[at->ms];
    return (mobile->held_count == 0 || pacing_group_index(&mobile->at) == pacing_group_index(at)) &&
           (!flow->held || flow->ms == at->ms);
}

static bool may_pass(struct pacing *p, const struct pacing_flow *flow, const struct pacing_at *at,
                     int64_t now)
{
    struct pacing_mobile *mobile = &p->holders[at->ms];
    if (!flow->held && p->loans[at->ms].left_octets > 0)
        return true;
    const struct pacing_group *group = pacing_group_of(p, at);
    bool is_turn = is_shared(p, at) ? p->orders[group->order].groups == 0 : group->head == PACING_NONE;
    if (flow->held || !is_turn || !has_group_room(p, at, now))
        return false;
    mobile->at = *at;
    return has_mobile_room(p, at->ms, now);
}

/* A server that is strict takes no acknowledgement from a segment of octets that it has: a keep-alive, or one
 * that the mobile repeats (RFC 9293 clause 3.10.7.4). */
static bool is_old(const struct pacing_flow *flow, const struct pacing_ack *ack)
{
    return flow->held && pacing_is_before(ack->tcp->seq, flow->held_seq);
}

static struct pacing_fate let_pass(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                                   const struct pacing_ack *ack, int64_t now)
{
    struct pacing_fate fate = {0};
    int32_t ahead = (int32_t)(ack->tcp->ack - flow->held_ack);
    if (flow->held && ahead >= 0) {
        bool is_first = (ahead == 0 && is_quiet(ack)) || is_old(flow, ack);
        *(is_first ? &fate.first : &fate.ended) = take_held(p, flow, now);
        p->stats.released += is_first;
        p->stats.merged += !is_first;
    }
    flow->ms = flow->held ? flow->ms : at->ms;
    pass(p, flow, at, ack->tcp->ack, now);
    return fate;
}

struct pacing_fate pacing_hold_judge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                                     const struct pacing_ack *ack, int64_t now)
{
    struct pacing_fate fate = {.is_held = true};
    pacing_group_join(p, at);
    pacing_turns_end_permits(p, now);
    int32_t ahead = (int32_t)(ack->tcp->ack - flow->held_ack);
    bool is_twice = flow->held && ahead == 0 && ack->window == flow->held_window;
    if (!is_quiet(ack) || !is_news(flow, ack) || is_twice || pacing_hold_is_late(flow, ack->tcp->ack) ||
        is_old(flow, ack) || !can_hold(p, flow, at) || may_pass(p, flow, at, now))
        return let_pass(p, flow, at, ack, now);
    fate.ended = flow->held;
    p->stats.merged += flow->held != NULL;
    if (!flow->held)
        hold_hold(p, flow, at, now);
    flow->held = ack->buffer;
    flow->held_ack = ack->tcp->ack;
    flow->held_seq = ack->tcp->seq;
    flow->held_window = ack->window;
    p->stats.held++;
    return fate;
}

bool pacing_hold_is_late(const struct pacing_flow *flow, uint32_t ack)
{
    return flow->held && pacing_is_before(ack, flow->held_ack);
}

void *pacing_hold_end(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    if (!flow->held)
        return NULL;
    p->stats.released++;
    return take_held(p, flow, now);
}

bool pacing_hold_covers(const struct pacing_flow *flow, const struct tcp *tcp)
{
    uint32_t end = tcp->seq + tcp->data_octets;
    return flow->held && tcp->data_octets > 0 && !(tcp->flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_URG)) &&
           (int32_t)(end - flow->passed) > 0 && (int32_t)(flow->held_ack - end) >= 0;
}

/* --- release --- */

static void *release(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    struct pacing_at at = p->holders[flow->ms].at;
    void *buffer = flow->held;
    pass(p, flow, &at, flow->held_ack, now);
    (void)take_held(p, flow, now);
    p->stats.released++;
    return buffer;
}

static struct pacing_flow *next_of_mobile(struct pacing *p, uint32_t ms)
{
    uint32_t best = p->holders[ms].held.head;
    for (uint32_t i = best; i != PACING_NONE; i = p->flows[i].by_mobile.next)
        if (pacing_is_before(p->flows[i].tag, p->flows[best].tag))
            best = i;
    return &p->flows[best];
}

/* Whether the mobile of the last release may permit more in a row. */
static bool has_run(struct pacing *p, const struct pacing_group *group, int64_t now)
{
    uint32_t ms = group->run_ms;
    return group->run_octets < p->params.quantum_octets && ms != PACING_NONE &&
           p->holders[ms].held_count > 0 && pacing_group_of(p, &p->holders[ms].at) == group &&
           has_mobile_room(p, ms, now);
}

static void *release_run(struct pacing *p, struct pacing_group *group, uint32_t ms, int64_t now)
{
    struct pacing_flow *flow = next_of_mobile(p, ms);
    group->run_octets += flow->held_ack - flow->passed;
    group->run_ms = ms;
    return release(p, flow, now);
}

/* NULL: none of the group may be released. */
static void *release_of(struct pacing *p, uint32_t index, int64_t now)
{
    struct pacing_group *group = &p->groups[index];
    uint32_t ms = group->head;
    if (!has_group_room(p, &p->holders[ms].at, now))
        return NULL;
    if (has_run(p, group, now))
        return release_run(p, group, group->run_ms, now);
    group->run_octets = 0;
    for (unsigned left = SCAN_MOST; ms != PACING_NONE && left > 0; left--, ms = p->holders[ms].next)
        if (has_mobile_room(p, ms, now))
            return release_run(p, group, ms, now);
    return NULL;
}

/* The next group: that of the place, or of those that share its link the one with the least tag. */
static uint32_t group_at(const struct pacing *p, uint32_t place)
{
    uint32_t best = p->active[place];
    const struct pacing_group *groups = p->groups;
    if (!is_shared(p, &p->holders[groups[best].head].at))
        return best;
    for (uint32_t i = 0; i < p->active_count; i++)
        if (groups[p->active[i]].order == groups[best].order &&
            pacing_is_before(groups[p->active[i]].tag, groups[best].tag) &&
            is_shared(p, &p->holders[groups[p->active[i]].head].at))
            best = p->active[i];
    return best;
}

static void *release_at(struct pacing *p, uint32_t place, int64_t now)
{
    uint32_t own = p->active[place], first = group_at(p, place);
    void *buffer = release_of(p, first, now);
    return buffer || first == own ? buffer : release_of(p, own, now);
}

static bool begin_tick(struct pacing *p, int64_t now)
{
    if (p->is_ticking)
        return true;
    if (p->stats.holding == 0 || now < p->tick_ns)
        return false;
    pacing_turns_end_permits(p, now);
    p->at = p->active_count;
    p->is_ticking = true;
    return true;
}

void *pacing_release(struct pacing *p, int64_t now)
{
    if (!p->holders)
        return NULL;
    if (p->by_hold.head != PACING_NONE && now - p->flows[p->by_hold.head].held_ns >= p->params.max_hold_ns) {
        p->stats.expired++;
        return release(p, &p->flows[p->by_hold.head], now);
    }
    if (!begin_tick(p, now))
        return NULL;
    while (p->at > 0) {
        void *buffer = p->at <= p->active_count ? release_at(p, p->at - 1, now) : NULL;
        if (buffer)
            return buffer;
        p->at--;
    }
    p->is_ticking = false;
    p->tick_ns = (now / TICK_NS + 1) * TICK_NS;
    return NULL;
}

int64_t pacing_next_ns(const struct pacing *p)
{
    return p->stats.holding > 0 ? p->tick_ns : MOMENT_NEVER;
}

void *pacing_drain(struct pacing *p, int64_t now)
{
    return p->by_hold.head == PACING_NONE ? NULL : take_held(p, &p->flows[p->by_hold.head], now);
}
