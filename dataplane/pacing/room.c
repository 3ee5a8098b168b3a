/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/room.h"

#include "dataplane/base/moment.h"
#include "dataplane/pacing/hold.h"
#include "dataplane/pacing/pacing.h"

#include <stddef.h>
#include <stdint.h>

/* --- shares --- */

static uint32_t window_of(int64_t now)
{
    return (uint32_t)((uint64_t)now >> 32) + 1; /* 0: never */
}

/* Ends windows that are over. */
static void turn_window(struct pacing_window *window, int64_t now)
{
    uint32_t number = window_of(now);
    if (window->number == number)
        return;
    bool is_next = window->number + 1 == number;
    window->last_octets = is_next ? window->octets : 0;
    window->last_count = is_next ? window->count : 0;
    window->octets = window->count = 0;
    window->number = number;
}

static uint64_t bps_of(uint32_t octets)
{
    return ((uint64_t)octets * 8 * MOMENT_SECOND) >> 32;
}

/* R of the cell beyond what arrived for it; a quarter and less is R that the air does not have. */
static uint64_t left_bps(const struct pacing_at *at, const struct pacing_window *all)
{
    uint64_t all_bps = bps_of(all->last_octets), rate_bps = at->bvc_rate_bps;
    return all_bps < rate_bps - rate_bps / 4 ? rate_bps - all_bps : 0;
}

bool pacing_has_left(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *all = &p->loads[(size_t)at->bvc * PACING_LOADS + QCLASS_COUNT];
    turn_window(all, now);
    return left_bps(at, all) > 0;
}

uint64_t pacing_share_bps(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *windows = &p->loads[(size_t)at->bvc * PACING_LOADS];
    struct pacing_window *mine = &windows[at->qclass], *all = &windows[QCLASS_COUNT];
    turn_window(mine, now);
    turn_window(all, now);
    if (mine->last_count == 0)
        return at->ms_rate_bps;
    uint64_t share_bps = (bps_of(mine->last_octets) + left_bps(at, all)) / mine->last_count;
    return share_bps < at->ms_rate_bps ? share_bps : at->ms_rate_bps;
}

static bool is_closed(const struct pacing_flow *flow)
{
    return flow->has_fin_up && flow->has_fin_down;
}

void pacing_uncount_flow(struct pacing *p, const struct pacing_flow *flow, uint32_t ms, int64_t now)
{
    struct pacing_window *flows = &p->users[ms].flows;
    uint16_t number = (uint16_t)window_of(now);
    turn_window(flows, now);
    bool is_now = flow->window == number, is_last = (uint16_t)(flow->window + 1) == number;
    if (is_now && flows->count > 0)
        flows->count--;
    if ((is_last || (is_now && flow->was_counted)) && flows->last_count > 0)
        flows->last_count--;
}

void pacing_count_flow(struct pacing *p, struct pacing_flow *flow, uint32_t ms, int64_t now)
{
    uint16_t number = (uint16_t)window_of(now);
    if (flow->window == number || is_closed(flow))
        return;
    flow->was_counted = (uint16_t)(flow->window + 1) == number;
    flow->window = number;
    turn_window(&p->users[ms].flows, now);
    p->users[ms].flows.count++;
}

void pacing_count_arrived(struct pacing *p, const struct pacing_at *at, size_t octets, int64_t now)
{
    struct pacing_window *all = &p->loads[(size_t)at->bvc * PACING_LOADS + QCLASS_COUNT];
    turn_window(all, now);
    all->octets += (uint32_t)octets;
}

void pacing_count_octets(struct pacing *p, const struct pacing_at *at, size_t octets, bool has_data,
                         int64_t now)
{
    struct pacing_window *mine = &p->loads[(size_t)at->bvc * PACING_LOADS + at->qclass];
    struct pacing_user *user = &p->users[at->ms];
    turn_window(mine, now);
    mine->octets += (uint32_t)octets;
    if (!has_data || user->seen == window_of(now))
        return;
    mine->count++;
    user->seen = window_of(now);
}

uint32_t pacing_flows_of(struct pacing *p, uint32_t ms, int64_t now)
{
    struct pacing_window *flows = &p->users[ms].flows;
    turn_window(flows, now);
    uint32_t count = flows->count > flows->last_count ? flows->count : flows->last_count;
    return count > 0 ? count : 1;
}

/* --- room --- */

#define ROOM_LEAST_PKTS   2
#define ROOM_MOST_OCTETS  (UINT32_C(1) << 20)
#define ROOM_GROW_PART    8  /* of the room that is added when the class ran empty too often */
#define ROOM_SHRINK_PART  50 /* that is given back at most, when it was never used */
#define ROOM_EMPTY_PART   10 /* of the ticks of an interval: more of them are too often */
#define INTERVAL_LEAST_MS 100
#define PATH_SHORT_US     100000 /* of a path that a mobile's target covers */

static uint64_t octets_in(uint64_t rate_bps, int64_t time_ns)
{
    return rate_bps / 8 * (uint64_t)(time_ns / 1000) / 1000000;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t least_room(const struct pacing_group *group)
{
    return ROOM_LEAST_PKTS * group->longest_octets;
}

uint32_t pacing_queued_octets(const struct pacing *p, const struct pacing_at *at)
{
    return p->params.view.class_octets(p->params.view.owner, at->bvc, at->qclass);
}

bool pacing_ms_has_room(struct pacing *p, uint32_t ms, struct pacing_backlog *backlog, int64_t now)
{
    const struct pacing_mobile *mobile = &p->holders[ms];
    const struct pacing_at *at = &mobile->at;
    const struct pacing_group *group = pacing_group_of(p, at);
    int64_t path_ns = group->core_us > PATH_SHORT_US ? (group->core_us - PATH_SHORT_US) * INT64_C(500) : 0;
    uint64_t octets =
        most(least_room(group), octets_in(pacing_share_bps(p, at, now), p->params.ms_target_ns + path_ns));
    return p->params.view.backlog(p->params.view.owner, ms, at->qclass, backlog, now) &&
           backlog->own + (uint64_t)mobile->pend_octets < octets;
}

bool pacing_ms_is_behind(const struct pacing *p, uint32_t ms, const struct pacing_backlog *backlog)
{
    const struct pacing_mobile *mobile = &p->holders[ms];
    return p->params.credit_octets > 0 && mobile->held_count > 0 &&
           backlog->lag >= (int32_t)p->params.credit_octets &&
           (int32_t)(backlog->vt - mobile->held_vt) >= (int32_t)p->params.credit_octets &&
           backlog->queued + (uint64_t)mobile->pend_octets < least_room(pacing_group_of(p, &mobile->at));
}

bool pacing_has_room(const struct pacing *p, const struct pacing_at *at)
{
    const struct pacing_group *group = pacing_group_of(p, at);
    uint64_t octets = (uint64_t)pacing_queued_octets(p, at) + group->permitted_octets;
    return octets < most(group->room_octets, least_room(group));
}

/* At the end of an interval: a class that ran empty gets more room, and gives back what it never used. */
static void adapt(struct pacing_group *group)
{
    uint32_t room = group->room_octets, unused = group->least_octets;
    if (group->empty > group->ticks / ROOM_EMPTY_PART)
        room += (uint32_t)most(room / ROOM_GROW_PART, group->longest_octets / 4);
    else
        room -= unused < room / ROOM_SHRINK_PART ? unused : room / ROOM_SHRINK_PART;
    room = (uint32_t)most(room, least_room(group));
    group->room_octets = room < ROOM_MOST_OCTETS ? room : ROOM_MOST_OCTETS;
}

void pacing_watch(const struct pacing *p, struct pacing_group *group, int64_t now)
{
    const struct pacing_at *at = &p->holders[group->head].at;
    uint32_t now_ms = pacing_ms_of(now), queued = pacing_queued_octets(p, at);
    if (queued == UINT32_MAX)
        return;
    group->ticks++;
    group->empty += p->params.view.is_idle(p->params.view.owner, at->bvc, at->qclass);
    group->least_octets = queued < group->least_octets ? queued : group->least_octets;
    if (now_ms - group->interval_ms < most(INTERVAL_LEAST_MS, group->core_us / 1000))
        return;
    adapt(group);
    group->interval_ms = now_ms;
    group->ticks = group->empty = 0;
    group->least_octets = UINT32_MAX;
}
