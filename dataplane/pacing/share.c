/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of mobiles, by octets, mobiles and flows counted in windows of time (model: pacing.c). */
#include "dataplane/base/moment.h"
#include "dataplane/pacing/constants.h"
#include "dataplane/pacing/flow.h"
#include "dataplane/pacing/pacing.h"

#include <stddef.h>
#include <stdint.h>

static uint32_t window_of(int64_t now)
{
    return (uint32_t)((uint64_t)now >> PACING_WINDOW_LOG2_NS) + 1; /* 0: never */
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
    return ((uint64_t)octets * 8 * MOMENT_SECOND) >> PACING_WINDOW_LOG2_NS;
}

/* Likewise of a cell, whose octets are those sent when the window began. */
const struct pacing_window *pacing_turn_cell(struct pacing *p, uint16_t bvc, int64_t now)
{
    struct pacing_window *cell = &p->loads[(size_t)bvc * PACING_LOADS + QCLASS_COUNT];
    uint32_t number = window_of(now);
    if (cell->number == number)
        return cell;
    uint32_t sent_octets = (uint32_t)p->params.view.sent(p->params.view.owner, bvc);
    cell->last_octets = cell->number + 1 == number ? sent_octets - cell->octets : 0;
    cell->octets = sent_octets;
    cell->number = number;
    return cell;
}

/* R of the cell beyond what it sent; a quarter and less is R that the air does not have. Octets that arrived
 * tell less: servers whose windows were lowered are silent while a queue drains, and the cell is full. */
static uint64_t left_bps(const struct pacing_at *at, const struct pacing_window *cell)
{
    uint64_t all_bps = bps_of(cell->last_octets), rate_bps = at->bvc_rate_bps;
    return all_bps < rate_bps - rate_bps / PACING_AIR_PART ? rate_bps - all_bps : 0;
}

static uint32_t pacing_waiting(const struct pacing *p, const struct pacing_at *at)
{
    return p->params.view.waiting(p->params.view.owner, at->bvc, at->qclass);
}

bool pacing_is_idle(const struct pacing *p, const struct pacing_at *at)
{
    return pacing_waiting(p, at) == 0 &&
           left_bps(at, &p->loads[(size_t)at->bvc * PACING_LOADS + QCLASS_COUNT]) > 0;
}

/* Mobiles of a class with data in the last window or in this one so far, or that wait for a turn: with long
 * queues fewer get data in a window than have some, and shares would grow with the queues. */
static uint32_t mobiles_of(const struct pacing *p, const struct pacing_at *at,
                           const struct pacing_window *mine)
{
    uint32_t count = mine->count > mine->last_count ? mine->count : mine->last_count;
    uint32_t waiting = pacing_waiting(p, at);
    return waiting > count ? waiting : count;
}

uint64_t pacing_share_bps(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *mine = &p->loads[(size_t)at->bvc * PACING_LOADS + at->qclass];
    const struct pacing_window *cell = pacing_turn_cell(p, at->bvc, now);
    turn_window(mine, now);
    if (mine->last_count == 0)
        return at->ms_rate_bps;
    uint64_t share_bps = (bps_of(mine->last_octets) + left_bps(at, cell)) / mobiles_of(p, at, mine);
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
    if (!flow->is_counted)
        return;
    bool is_now = flow->window == number, is_last = (uint16_t)(flow->window + 1) == number;
    if (is_now && flows->count > 0)
        flows->count--;
    if ((is_last || (is_now && flow->was_counted)) && flows->last_count > 0)
        flows->last_count--;
}

void pacing_count_flow(struct pacing *p, struct pacing_flow *flow, uint32_t ms, int64_t now)
{
    uint16_t number = (uint16_t)window_of(now);
    if ((flow->is_counted && flow->window == number) || is_closed(flow))
        return;
    flow->was_counted = flow->is_counted && (uint16_t)(flow->window + 1) == number;
    flow->is_counted = true;
    flow->window = number;
    turn_window(&p->users[ms].flows, now);
    p->users[ms].flows.count++;
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
