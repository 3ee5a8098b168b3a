/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_room.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/sched_parts.h"
#include "dataplane/sched/sched_queue.h"

#define WINDOW_BITS    32 /* a window takes 2^32 ns */
#define YOUNG_OCTETS   12000
#define YOUNG_SECONDS  4
#define YOUNG_PKTS     4
#define LOAN_OCTETS    6000
#define LOAN_PAUSE_MS  800
#define LOAN_PAUSE_PKT 2
#define MSEC           INT64_C(1000000)

static uint32_t window_at(int64_t now)
{
    return (uint32_t)((uint64_t)now >> WINDOW_BITS);
}

static void begin_window(struct sched_load *load, uint32_t window)
{
    static const struct sched_load_of none;
    if (load->window == window)
        return;
    bool follows = load->window + 1 == window;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        load->last[k] = follows ? load->now[k] : none;
        load->now[k] = none;
    }
    load->window = window;
}

static uint64_t bps_of(uint64_t octets)
{
    return (octets * 8 * MOMENT_SECOND) >> WINDOW_BITS;
}

/* R of the cell that was left, if it is much. */
static uint64_t left_bps(const struct sched_bvc *bvc)
{
    uint64_t octets = 0, rate_bps = bvc->bucket.rate_bps;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        octets += bvc->load.last[k].octets;
    uint64_t sent_bps = bps_of(octets);
    return sent_bps < rate_bps - rate_bps / 4 ? rate_bps - sent_bps : 0;
}

uint64_t sched_room_share_bps(const struct sched *s, const struct sched_ms *ms, unsigned qclass, int64_t now)
{
    struct sched_load *load = &ms->bvc->load;
    uint64_t most_bps = ms->bucket.rate_bps;
    (void)s;
    begin_window(load, window_at(now));
    uint32_t mobiles = load->last[qclass].mobiles;
    if (mobiles == 0)
        return most_bps;
    uint64_t share_bps = (bps_of(load->last[qclass].octets) + left_bps(ms->bvc)) / mobiles;
    return share_bps < most_bps ? share_bps : most_bps;
}

static uint64_t octets_in(uint64_t rate_bps, int64_t time_ns)
{
    return rate_bps * (uint64_t)(time_ns / MSEC) / 8000;
}

static uint32_t limit_of(const struct sched *s, const struct sched_ms *ms, const struct sched_flow *flow,
                         int64_t now)
{
    uint64_t share_bps = sched_room_share_bps(s, ms, flow->turn.qclass, now);
    const struct sched_room_of *room =
        share_bps < ms->bucket.rate_bps ? &s->params.room.loaded : &s->params.room.alone;
    uint64_t octets = (uint64_t)room->pkts * s->longest_octets, timed = octets_in(share_bps, room->time_ns);
    octets = octets > timed ? octets : timed;
    return octets < UINT32_MAX ? (uint32_t)octets : UINT32_MAX;
}

/* --- credits --- */

static uint32_t young_octets(const struct sched *s, uint64_t share_bps)
{
    uint64_t octets = octets_in(share_bps, YOUNG_SECONDS * MOMENT_SECOND);
    if (octets < (uint64_t)YOUNG_PKTS * s->longest_octets)
        return 0;
    return octets < YOUNG_OCTETS ? (uint32_t)octets : YOUNG_OCTETS;
}

static bool has_paused(const struct sched *s, const struct flow_tags_set *set, uint64_t share_bps,
                       int64_t now)
{
    uint64_t pause_ms = share_bps > 0 ? UINT64_C(8000) * LOAN_PAUSE_PKT * s->longest_octets / share_bps : 0;
    pause_ms = pause_ms > LOAN_PAUSE_MS ? pause_ms : LOAN_PAUSE_MS;
    return (uint32_t)((uint32_t)(now / MSEC) - set->served_ms) >= pause_ms;
}

void sched_room_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    if (flow->set == FLOW_SETS_NONE || !s->flow_sets.tags)
        return;
    struct flow_tags_set *set = flow_tags_set(&s->flow_sets, flow->set);
    uint64_t share_bps = sched_room_share_bps(s, ms, flow->turn.qclass, now);
    set->young_octets = young_octets(s, share_bps);
    if (!has_paused(s, set, share_bps, now) || bucket_level_octets(&ms->bucket, now) > 0)
        return;
    set->loan_octets = set->young_octets < LOAN_OCTETS ? set->young_octets : LOAN_OCTETS;
    if (set->loan_octets > 0)
        flow->turn.flags |= SCHED_FLOW_LOAN;
}

static void pay_loan(struct flow_tags_set *set, struct sched_flow *flow, uint32_t octets)
{
    set->loan_octets -= set->loan_octets < octets ? set->loan_octets : octets;
    if (set->loan_octets == 0)
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_LOAN;
}

void sched_room_sent(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, uint32_t octets,
                     int64_t now)
{
    struct sched_load *load = &ms->bvc->load;
    begin_window(load, window_at(now));
    struct sched_load_of *of = &load->now[flow->turn.qclass];
    of->octets += octets;
    if (flow->set == FLOW_SETS_NONE || !s->flow_sets.tags)
        return;
    struct flow_tags_set *set = flow_tags_set(&s->flow_sets, flow->set);
    of->mobiles += set->window != load->window;
    set->window = load->window;
    set->served_ms = (uint32_t)(now / MSEC);
    if (flow->turn.flags & SCHED_FLOW_LOAN)
        pay_loan(set, flow, octets);
}

/* --- the limit --- */

/* The longest queue that may drop. FLOW_SETS_NO_QUEUE: none. */
static unsigned payer_of(const struct sched *s, const struct sched_flow *flow)
{
    unsigned longest = flow_sets_longest(&s->flow_sets, flow->set, true);
    if (longest == FLOW_SETS_NO_QUEUE || !s->params.room.protects)
        return longest;
    const struct flow_set *set = flow_sets_get(&s->flow_sets, flow->set);
    if (flow_sets_queue(&s->flow_sets, set, longest)->queue.pkts > 1)
        return longest;
    /* All of the longer queues have one N-PDU; another may have several short ones. */
    unsigned most = flow_sets_longest(&s->flow_sets, flow->set, false);
    return flow_sets_queue(&s->flow_sets, set, most)->queue.pkts > 1 ? most : FLOW_SETS_NO_QUEUE;
}

void sched_room_trim(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    uint32_t limit_octets = limit_of(s, ms, flow, now);
    unsigned payer;
    while (flow->set != FLOW_SETS_NONE && flow->queue.octets > limit_octets &&
           (payer = payer_of(s, flow)) != FLOW_SETS_NO_QUEUE)
        sched_flow_drop(s, flow, sched_queue_drop_of(s, flow, payer), DROP_QUEUE_FULL);
    if (flow_queue_head(&flow->queue) != head)
        sched_ms_head_changed(s, ms, now);
}
