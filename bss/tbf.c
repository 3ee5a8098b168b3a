/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures of temporary block flows on a radio: polls, T3190, T3192, polled acknowledgements.

   Model (TS 44.060 §8.1, §9.3, §13.1), each part by its key of struct radio_tbf_config, off at 0.
   - Extended uplink TBF (§9.3.1b): in the time `release` after its last block the BSS polls the mobile by its
     USF, every `poll_ns` from the end of that block on. The mobile answers with an uplink block without data,
     or with the first block of data that came since: data waits for the next poll, or for the TBF's end.
   - Delayed release of a downlink TBF (§9.3.1a): the BSS sends a downlink block without data every `poll_ns`.
   - T3190, `lost_ns`: a mobile whose downlink TBF brought no block in that time has left it. At rest the TBF
     then ends, unless polls come more often. A TBF with data ends when its turn comes later than that: what
     has not arrived whole waits for a new TBF and begins again with its first octet.
   - T3192, `listen_ns`: after the end of a downlink TBF the mobile listens to the PDCH, where the assignment
     of the next one needs `setup_beside` only.
   - `ack_every`: of a mobile's downlink blocks every n-th asks for a PACKET DOWNLINK ACK/NACK, and the last
   one before data or window end. The answer takes one uplink block, TBF_RRBP_NS after the polled block's
   begin, and at its end the BSS knows of all blocks up to the polled one: good ones leave the send window,
   bad ones may go again. A bad answer costs a downlink block that asks again.

   Blocks without data have precedence over others and count as control. Bad ones have no further effect but
   for answers.

   Not here: N3105, N3101 and their releases, polls that a mobile misses, PACKET UPLINK ACK/NACK as blocks. */
#include "bss/tbf.h"

#include "bss/radio_air.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TBF_RRBP_NS (3 * RADIO_BLOCK_NS) /* RRBP 0: 13 TDMA frames */

enum { FIRST_EVENTS = 8 };

/* --- rings: sorted, since intervals of one ring are alike but for a period --- */

static struct tbf_event *place_of(struct tbf_ring *ring, unsigned i)
{
    return &ring->events[(ring->first + i) % ring->cap];
}

/* Doubles the full ring; the places before the first move behind the others. */
static void tbf_grow(struct tbf_ring *ring)
{
    unsigned cap = ring->cap ? 2 * ring->cap : FIRST_EVENTS;
    struct tbf_event *events = realloc(ring->events, cap * sizeof *events);
    if (!events) {
        fprintf(stderr, "gbflow: out of memory for the polls of a radio\n");
        exit(1);
    }
    memcpy(events + ring->cap, events, ring->first * sizeof *events);
    ring->events = events;
    ring->cap = cap;
}

static void tbf_put(struct radio *radio, unsigned number, const struct tbf_event *event)
{
    struct tbf_ring *ring = &radio->tbf[number];
    unsigned i = ring->count;
    if (ring->count == ring->cap)
        tbf_grow(ring);
    ring->count++;
    for (; i > 0 && place_of(ring, i - 1)->at_ns > event->at_ns; i--)
        *place_of(ring, i) = *place_of(ring, i - 1);
    *place_of(ring, i) = *event;
    place_of(ring, i)->ring = number;
}

static struct tbf_event bss_tbf_take(struct tbf_ring *ring)
{
    struct tbf_event event = *place_of(ring, 0);
    ring->first = (ring->first + 1) % ring->cap;
    ring->count--;
    return event;
}

static int64_t due_ns(const struct tbf_ring *ring)
{
    return ring->count ? ring->events[ring->first].at_ns : MOMENT_NEVER;
}

void tbf_fini(struct radio *radio)
{
    for (unsigned i = 0; i < TBF_RINGS; i++)
        free(radio->tbf[i].events);
}

int64_t tbf_due_ns(const struct radio *radio)
{
    int64_t first_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < TBF_RINGS; i++)
        first_ns = moment_min(first_ns, due_ns(&radio->tbf[i]));
    return first_ns;
}

/* --- open without data --- */

static void plan_poll(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t at_ns)
{
    flow->poll_ns = at_ns;
    if (at_ns < flow->close_ns)
        tbf_put(radio, way == RADIO_DOWN ? TBF_POLL_DOWN : TBF_POLL_UP,
                &(struct tbf_event){.at_ns = at_ns, .flow = flow, .stamp = flow->idle_stamp});
}

bool tbf_poll(struct radio *radio, const struct tbf_event *event)
{
    enum radio_way way = event->ring == TBF_POLL_DOWN ? RADIO_DOWN : RADIO_UP;
    struct radio_flow *flow = event->flow;
    if (event->stamp != flow->idle_stamp || event->at_ns >= flow->close_ns)
        return false;
    radio->airs[way].stats.idle_polls++;
    plan_poll(radio, way, flow, event->at_ns + radio->airs[way].config.tbf.poll_ns);
    return true;
}

void tbf_rest(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    const struct radio_way_config *config = &radio->airs[way].config;
    const struct radio_tbf_config *tbf = &config->tbf;
    int64_t last_ns = moment_max(flow->end_ns, flow->open_ns);
    bool is_heard = tbf->poll_ns && tbf->poll_ns < tbf->lost_ns;
    flow->close_ns = moment_add(last_ns, config->release_ns);
    if (tbf->lost_ns && !is_heard)
        flow->close_ns = moment_min(flow->close_ns, moment_add(last_ns, tbf->lost_ns));
    flow->idle_stamp++;
    if (tbf->poll_ns)
        plan_poll(radio, way, flow, moment_max(last_ns, now) + tbf->poll_ns);
}

void tbf_wake(const struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    flow->idle_stamp++;
    flow->heard_ns = now;
    if (way == RADIO_UP && radio->airs[way].config.tbf.poll_ns)
        flow->usf_ns = moment_min(flow->poll_ns, flow->close_ns);
}

int64_t tbf_setup_ns(const struct radio_air *air, const struct radio_flow *flow,
                     const struct radio_flow *beside, int64_t now)
{
    bool is_listening = now < moment_add(flow->close_ns, air->config.tbf.listen_ns);
    return is_listening || radio_flow_is_open(beside, now) ? air->config.setup_beside_ns
                                                           : air->config.setup_ns;
}

bool tbf_is_lost(const struct radio_air *air, const struct radio_flow *flow, int64_t now)
{
    int64_t last_ns = moment_max(flow->heard_ns, moment_max(flow->end_ns, flow->open_ns));
    return air->config.tbf.lost_ns && now > moment_add(last_ns, air->config.tbf.lost_ns);
}

/* --- acknowledgements --- */

static void tbf_ask(struct radio *radio, struct radio_flow *flow, int64_t begin_ns)
{
    flow->unasked = 0;
    radio->airs[RADIO_DOWN].stats.asked_acks++;
    tbf_put(radio, TBF_ANSWER,
            &(struct tbf_event){.at_ns = begin_ns + TBF_RRBP_NS,
                                .flow = flow,
                                .stamp = flow->start_stamp,
                                .sends = flow->sends,
                                .oldest_block = flow->oldest_block});
}

void tbf_sent(struct radio *radio, struct radio_flow *flow, int64_t now)
{
    if (!flow->is_acked)
        return;
    bool has_more = radio_flow_has_repeat(flow, now) || (flow->waiting.head && radio_flow_has_window(flow));
    if (++flow->unasked >= radio->airs[RADIO_DOWN].config.tbf.ack_every || !has_more)
        tbf_ask(radio, flow, now);
}

bool tbf_stop(struct radio *radio, struct radio_flow *flow, int64_t now)
{
    if (!flow->is_acked || !flow->unasked)
        return false;
    tbf_ask(radio, flow, now + RADIO_BLOCK_NS);
    return true;
}

void tbf_answer(struct radio *radio, const struct tbf_event *event, bool is_bad)
{
    struct tbf_event next = *event;
    next.at_ns += RADIO_BLOCK_NS + (is_bad ? TBF_RRBP_NS : 0);
    radio->airs[RADIO_DOWN].stats.lost_acks += is_bad;
    tbf_put(radio, is_bad ? TBF_ANSWER : TBF_LEARN, &next);
}

void tbf_learn(const struct tbf_event *event)
{
    struct radio_flow *flow = event->flow;
    if (flow->acked_block < event->oldest_block)
        flow->acked_block = event->oldest_block;
    for (unsigned i = 0; i < flow->repeat_count; i++) {
        struct radio_repeat *repeat = &flow->repeats[(flow->repeat_first + i) % flow->repeat_cap];
        if (repeat->send > event->sends)
            break;
        repeat->due_ns = moment_min(repeat->due_ns, event->at_ns);
    }
}

bool tbf_take(struct radio *radio, struct tbf_event *event, int64_t now)
{
    for (unsigned i = 0; i < TBF_RINGS; i++)
        if (due_ns(&radio->tbf[i]) <= now) {
            *event = bss_tbf_take(&radio->tbf[i]);
            assert(event->at_ns == now);
            return true;
        }
    return false;
}
