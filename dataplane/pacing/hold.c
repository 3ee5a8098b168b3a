/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/hold.h"

#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/pacing/room.h"
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

#define AHEAD_MOST_OCTETS (UINT32_C(1) << 20) /* of a tag that is not old */

static inline uint32_t pacing_later(uint32_t tag, uint32_t vt)
{
    return tag - vt < AHEAD_MOST_OCTETS ? tag : vt;
}

#define PERMIT_MOST_MSS 8
#define PERMIT_LEAST_MS 100 /* beside 5/4 of the time to the server and back */

/* --- lists --- */

static struct pacing_link *link_of(struct pacing *p, uint32_t flow, enum pacing_by of)
{
    struct pacing_flow *f = &p->flows[flow];
    return of == PACING_BY_MOBILE ? &f->by_mobile : of == PACING_BY_HOLD ? &f->by_hold : &f->by_pend;
}

static void list_put(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
{
    *link_of(p, flow, of) = (struct pacing_link){.next = PACING_NONE, .prev = list->last};
    if (list->last == PACING_NONE)
        list->head = flow;
    else
        link_of(p, list->last, of)->next = flow;
    list->last = flow;
}

static void list_remove(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of)
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
    p->by_hold = EMPTY;
    for (uint32_t i = 0; i < groups; i++) {
        struct pacing_group *group = &p->groups[i];
        group->head = group->last = group->run_ms = PACING_NONE;
        group->permits = EMPTY;
        group->least_octets = UINT32_MAX;
    }
    if (!p->params.holds)
        return true;
    p->holders = calloc(limits->mobiles, sizeof(*p->holders));
    p->active = calloc(groups, sizeof(*p->active));
    if (!p->holders || !p->active)
        return false;
    for (uint32_t i = 0; i < limits->mobiles; i++)
        p->holders[i].held = EMPTY;
    return true;
}

void pacing_turns_free(struct pacing *p)
{
    free(p->holders);
    free(p->active);
}

/* --- permitted octets --- */

static void count_arrived(struct pacing *p, struct pacing_flow *flow, uint32_t octets)
{
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    struct pacing_group *group = &p->groups[flow->pend_group];
    octets = octets < flow->pend_octets ? octets : flow->pend_octets;
    flow->pend_octets -= octets;
    mobile->pend_octets -= octets;
    group->permitted_octets -= octets;
    if (flow->pend_octets > 0 || !flow->is_pending)
        return;
    list_remove(p, &group->permits, pacing_index_of(p, flow), PACING_BY_PEND);
    flow->is_pending = false;
}

void pacing_turns_arrived(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                          uint32_t octets)
{
    if (flow->is_pending)
        count_arrived(p, flow, octets);
    struct pacing_group *group = pacing_group_of(p, at);
    if (octets > group->longest_octets)
        group->longest_octets = octets;
}

static void end_permits(struct pacing *p, const struct pacing_group *group, int64_t now)
{
    while (group->permits.head != PACING_NONE) {
        struct pacing_flow *flow = &p->flows[group->permits.head];
        if (pacing_is_before(pacing_ms_of(now), flow->pend_end_ms))
            return;
        count_arrived(p, flow, flow->pend_octets);
    }
}

void pacing_turns_forget(struct pacing *p, struct pacing_flow *flow)
{
    assert(!flow->held);
    if (flow->is_pending)
        count_arrived(p, flow, flow->pend_octets);
}

/* Octets that an ACK permits, until data arrives or the time for it ends. */
static void permit(struct pacing *p, struct pacing_flow *flow, struct pacing_group *group, uint32_t octets,
                   int64_t now)
{
    uint32_t most = (uint32_t)flow->mss * PERMIT_MOST_MSS;
    octets = octets < most ? octets : most;
    if (flow->is_pending)
        count_arrived(p, flow, flow->pend_octets);
    flow->pend_group = (uint32_t)(group - p->groups);
    flow->pend_octets = octets;
    flow->pend_end_ms = pacing_ms_of(now) + group->core_us / 800 + PERMIT_LEAST_MS;
    flow->is_pending = true;
    list_put(p, &group->permits, pacing_index_of(p, flow), PACING_BY_PEND);
    p->holders[flow->ms].pend_octets += octets;
    group->permitted_octets += octets;
}

/* --- turns by start tags --- */

/* A mobile in the order of its group. */
static void turns_enter(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    uint32_t behind = group->last;
    if (group->head == PACING_NONE) {
        group->active_at = p->active_count;
        p->active[p->active_count++] = (uint32_t)(group - p->groups);
    }
    while (behind != PACING_NONE && pacing_is_before(mobile->tag, p->holders[behind].tag))
        behind = p->holders[behind].prev;
    mobile->prev = behind;
    mobile->next = behind == PACING_NONE ? group->head : p->holders[behind].next;
    *(behind == PACING_NONE ? &group->head : &p->holders[behind].next) = ms;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = ms;
}

static void turns_leave(struct pacing *p, uint32_t ms)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    struct pacing_group *group = pacing_group_of(p, &mobile->at);
    *(mobile->prev == PACING_NONE ? &group->head : &p->holders[mobile->prev].next) = mobile->next;
    *(mobile->next == PACING_NONE ? &group->last : &p->holders[mobile->next].prev) = mobile->prev;
    if (group->head != PACING_NONE)
        return;
    uint32_t last = p->active[--p->active_count];
    p->active[group->active_at] = last;
    p->groups[last].active_at = group->active_at;
}

/* A mobile may have another class or cell now, if no ACK of it is held. Its tag is one of its group. */
static void move(struct pacing *p, uint32_t ms, const struct pacing_at *at)
{
    struct pacing_mobile *mobile = &p->holders[ms];
    const struct pacing_group *group = pacing_group_of(p, at);
    if (pacing_group_of(p, &mobile->at) != group)
        mobile->tag = group->vt;
    mobile->at = *at;
}

/* An ACK of a flow passes: tags of mobile and flow grow. */
static void charge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at, uint32_t octets)
{
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    struct pacing_group *group = pacing_group_of(p, at);
    bool is_held = mobile->held_count > 0;
    if (is_held && pacing_group_of(p, &mobile->at) != group)
        return; /* another class passes beside the held one */
    if (!is_held)
        move(p, flow->ms, at);
    mobile->tag = pacing_later(mobile->tag, group->vt);
    flow->tag = pacing_later(flow->tag, mobile->vt);
    group->vt = is_held ? pacing_later(group->vt, mobile->tag) : group->vt;
    mobile->vt = flow->tag;
    if (is_held)
        turns_leave(p, flow->ms);
    mobile->tag += octets;
    flow->tag += octets;
    if (is_held)
        turns_enter(p, flow->ms);
}

#define TICK_NS     INT64_C(5000000)
#define SCAN_MOST   64 /* mobiles of a group that are tested in a tick, when their own queues are full */
#define QUIET_FLAGS (TCP_ACK | TCP_PSH)

/* --- hold --- */

static void pass(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at, uint32_t ack,
                 int64_t now)
{
    int32_t octets = (int32_t)(ack - flow->passed);
    if (flow->has_passed && octets <= 0)
        return;
    if (flow->has_passed && octets > 0) {
        charge(p, flow, at, (uint32_t)octets);
        permit(p, flow, pacing_group_of(p, at), (uint32_t)octets, now);
    }
    flow->has_passed = true;
    flow->passed = ack;
}

static void count_hold(struct pacing *p, const struct pacing_flow *flow, unsigned qclass, int64_t now)
{
    int64_t hold_ns = (int64_t)(pacing_ms_of(now) - flow->held_ms) * MS_NS;
    p->stats.holds[qclass][pacing_hold_bin(hold_ns)]++;
    p->stats.hold_ms += (uint64_t)(hold_ns / MS_NS);
}

/* The held ACK leaves its flow, which gets it no longer. */
static void *take_held(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    void *buffer = flow->held;
    struct pacing_mobile *mobile = &p->holders[flow->ms];
    count_hold(p, flow, mobile->at.qclass, now);
    list_remove(p, &mobile->held, pacing_index_of(p, flow), PACING_BY_MOBILE);
    list_remove(p, &p->by_hold, pacing_index_of(p, flow), PACING_BY_HOLD);
    pacing_group_of(p, &mobile->at)->held_count--;
    if (--mobile->held_count == 0) {
        mobile->held_ms += pacing_ms_of(now);
        turns_leave(p, flow->ms);
    }
    flow->held = NULL;
    p->stats.holding--;
    return buffer;
}

static void hold(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at, int64_t now)
{
    struct pacing_mobile *mobile = &p->holders[at->ms];
    if (mobile->held_count++ == 0) {
        move(p, at->ms, at);
        mobile->tag = pacing_later(mobile->tag, pacing_group_of(p, at)->vt);
        struct pacing_backlog backlog;
        if (p->params.view.backlog(p->params.view.owner, at->ms, at->qclass, &backlog, now))
            mobile->held_vt = backlog.vt;
        mobile->held_ms -= pacing_ms_of(now);
        turns_enter(p, at->ms);
    }
    pacing_group_of(p, &mobile->at)->held_count++;
    flow->ms = at->ms;
    flow->held_ms = pacing_ms_of(now);
    flow->tag = pacing_later(flow->tag, mobile->vt);
    list_put(p, &mobile->held, pacing_index_of(p, flow), PACING_BY_MOBILE);
    list_put(p, &p->by_hold, pacing_index_of(p, flow), PACING_BY_HOLD);
    p->stats.holding++;
}

static bool has_room(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    end_permits(p, pacing_group_of(p, at), now);
    return pacing_has_room(p, at);
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
    return (mobile->held_count == 0 || pacing_group_of(p, &mobile->at) == pacing_group_of(p, at)) &&
           (!flow->held || flow->ms == at->ms);
}

static bool may_pass(struct pacing *p, const struct pacing_flow *flow, const struct pacing_at *at,
                     int64_t now)
{
    struct pacing_backlog backlog;
    if (flow->held || pacing_queued_octets(p, at) == UINT32_MAX)
        return false;
    move(p, at->ms, at);
    if (!pacing_ms_has_room(p, at->ms, &backlog, now))
        return false;
    if (pacing_group_of(p, at)->head == PACING_NONE && has_room(p, at, now))
        return true;
    return pacing_ms_is_behind(p, at->ms, &backlog);
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
    int32_t ahead = (int32_t)(ack->tcp->ack - flow->acked);
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
    int32_t ahead = (int32_t)(ack->tcp->ack - flow->acked);
    bool is_twice = flow->held && ahead == 0 && ack->window == flow->held_window;
    if (!is_quiet(ack) || !is_news(flow, ack) || is_twice || pacing_hold_is_late(flow, ack->tcp->ack) ||
        is_old(flow, ack) || !can_hold(p, flow, at) || may_pass(p, flow, at, now))
        return let_pass(p, flow, at, ack, now);
    fate.ended = flow->held;
    p->stats.merged += flow->held != NULL;
    if (!flow->held)
        hold(p, flow, at, now);
    flow->held = ack->buffer;
    flow->held_seq = ack->tcp->seq;
    flow->held_window = ack->window;
    p->stats.held++;
    return fate;
}

bool pacing_hold_is_late(const struct pacing_flow *flow, uint32_t ack)
{
    return flow->held && pacing_is_before(ack, flow->acked);
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
           (int32_t)(end - flow->passed) > 0 && (int32_t)(flow->acked - end) >= 0;
}

/* --- release --- */

static void *release(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    struct pacing_at at = p->holders[flow->ms].at;
    void *buffer = flow->held;
    pass(p, flow, &at, flow->acked, now);
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
    struct pacing_backlog backlog;
    uint32_t ms = group->run_ms;
    return group->run_octets < p->params.quantum_octets && ms != PACING_NONE &&
           p->holders[ms].held_count > 0 && pacing_group_of(p, &p->holders[ms].at) == group &&
           pacing_ms_has_room(p, ms, &backlog, now);
}

static void *release_run(struct pacing *p, struct pacing_group *group, uint32_t ms, int64_t now)
{
    struct pacing_flow *flow = next_of_mobile(p, ms);
    group->run_octets += flow->acked - flow->passed;
    group->run_ms = ms;
    return release(p, flow, now);
}

/* NULL: none of the group may be released. Without room of the group only mobiles that are behind. */
static void *release_of(struct pacing *p, struct pacing_group *group, int64_t now)
{
    struct pacing_backlog backlog;
    uint32_t ms = group->head;
    if (pacing_queued_octets(p, &p->holders[ms].at) == UINT32_MAX)
        return NULL;
    bool is_open = has_room(p, &p->holders[ms].at, now);
    if (is_open && has_run(p, group, now))
        return release_run(p, group, group->run_ms, now);
    group->run_octets = is_open ? 0 : group->run_octets;
    for (unsigned left = SCAN_MOST; ms != PACING_NONE && left > 0; left--, ms = p->holders[ms].next)
        if (pacing_ms_has_room(p, ms, &backlog, now) && (is_open || pacing_ms_is_behind(p, ms, &backlog))) {
            p->holders[ms].held_vt = backlog.vt;
            return release_run(p, group, ms, now);
        }
    return NULL;
}

static bool begin_tick(struct pacing *p, int64_t now)
{
    if (p->is_ticking)
        return true;
    if (p->stats.holding == 0 || now < p->tick_ns)
        return false;
    for (uint32_t i = 0; i < p->active_count; i++)
        pacing_watch(p, &p->groups[p->active[i]], now);
    p->at = p->active_count;
    p->is_ticking = true;
    return true;
}

void *pacing_release(struct pacing *p, int64_t now)
{
    if (!p->holders)
        return NULL;
    if (p->by_hold.head != PACING_NONE &&
        pacing_ms_of(now) - p->flows[p->by_hold.head].held_ms >= pacing_ms_of(PACING_MOST_HOLD_NS)) {
        p->stats.expired++;
        return release(p, &p->flows[p->by_hold.head], now);
    }
    if (!begin_tick(p, now))
        return NULL;
    while (p->at > 0) {
        void *buffer = p->at <= p->active_count ? release_of(p, &p->groups[p->active[p->at - 1]], now) : NULL;
        if (buffer)
            return buffer;
        p->at--;
    }
    p->is_ticking = false;
    p->tick_ns = (now / TICK_NS + 1) * TICK_NS;
    return NULL;
}

bool pacing_held_of(const struct pacing *p, uint32_t ms, int64_t now, struct pacing_held *out)
{
    if (!p || !p->holders)
        return false;
    const struct pacing_mobile *mobile = &p->holders[ms];
    *out = (struct pacing_held){mobile->held_count, mobile->held_ms};
    out->ms += out->acks > 0 ? pacing_ms_of(now) : 0;
    return true;
}

bool pacing_held_in(const struct pacing *p, uint16_t bvc, uint32_t *out_acks)
{
    if (!p || !p->holders)
        return false;
    *out_acks = 0;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        *out_acks += p->groups[(uint32_t)bvc * QCLASS_COUNT + k].held_count;
    return true;
}

int64_t pacing_next_ns(const struct pacing *p)
{
    return p->stats.holding > 0 ? p->tick_ns : MOMENT_NEVER;
}

void *pacing_drain(struct pacing *p, int64_t now)
{
    return p->by_hold.head == PACING_NONE ? NULL : take_held(p, &p->flows[p->by_hold.head], now);
}
