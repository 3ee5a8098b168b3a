/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_air.h"

#include "bss/radio.h"
#include "bss/radio_link.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <assert.h>
#include <stdlib.h>

static inline void radio_sum_sub(struct radio_sum *sum, size_t octets)
{
    sum->frames--;
    sum->octets -= octets;
}

enum { TLLI_OCTETS = 4 }; /* of a block with it: TS 44.060 §10.2.2 */

typedef void mobile_fn(struct radio *radio, struct radio_mobile *mobile, int64_t now);

static void radio_air_expire(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
static void radio_lose(struct radio *radio, enum radio_way way, enum radio_discard reason,
                       struct radio_pdu *pdu, int64_t now);
static void radio_air_plan(struct radio *radio, enum radio_way way);
static void radio_deliver(struct radio *radio, enum radio_way way, struct radio_pdu *pdu, int64_t now);

static void each_mobile(struct radio *radio, mobile_fn *call, int64_t now)
{
    for (unsigned i = 0; i < RADIO_BUCKETS; i++)
        for (struct radio_mobile *mobile = radio->buckets[i]; mobile; mobile = mobile->next)
            if (!mobile->flows[RADIO_DOWN].is_away)
                call(radio, mobile, now);
}

/* Ends a mobile's TBFs; marks it for `restart_wait_ns` if it had or awaited a downlink TBF. */
static void lose_tbfs(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *down = &mobile->flows[RADIO_DOWN];
    if (radio->airs[RADIO_DOWN].config.restart_wait_ns && now < down->close_ns)
        down->restart_ns = MOMENT_NEVER;
    radio_access_cancel(radio, mobile);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio_air_forget(&radio->airs[way], &mobile->flows[way]);
        radio_flow_restart(&mobile->flows[way]);
    }
}

/* Sets up the TBFs of a mobile with LLC-PDUs to send. The downlink is first, because a request for the uplink
   may end its wait. An expired LLC-PDU requests no TBF. */
static void resume(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *down = &mobile->flows[RADIO_DOWN];
    if (down->restart_ns)
        down->restart_ns = moment_add(now, radio->airs[RADIO_DOWN].config.restart_wait_ns);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio_air_expire(radio, way, &mobile->flows[way], now);
        if (mobile->flows[way].waiting.head)
            radio_begin(radio, way, mobile, now);
    }
}

static void flush(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_fifo *waiting = &mobile->flows[RADIO_DOWN].waiting;
    while (waiting->head)
        radio_lose(radio, RADIO_DOWN, RADIO_DISCARD_PREEMPTED, radio_flow_pop(waiting), now);
}

void radio_channels_set(struct radio *radio, unsigned pdchs, int64_t now)
{
    unsigned before = radio->pdchs;
    assert(pdchs <= radio->all_pdchs);
    pdchs -= pdchs % radio->block_pdchs;
    radio->pdchs = pdchs;
    if (before && !pdchs)
        each_mobile(radio, lose_tbfs, now);
    else if (pdchs && !before)
        each_mobile(radio, resume, now);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio->airs[way].charged = pdchs ? radio->airs[way].charged : 0;
        radio_air_plan(radio, way);
    }
}

void radio_channels_flush(struct radio *radio, int64_t now)
{
    assert(!radio->pdchs);
    each_mobile(radio, flush, now);
}

static unsigned first_of(unsigned one, unsigned other, unsigned rest)
{
    return one ? one : other ? other : rest;
}

void radio_air_init(struct radio *radio, enum radio_way way, const struct radio_way_config *config)
{
    struct radio_air *air = &radio->airs[way];
    const struct radio_config *cell = &radio->config;
    assert(config->slots >= 1 && config->bler_ppm < 1000000 && config->control_one_in != 1);
    assert(config->retransmission_ns >= 0 && config->delay_ns >= 0 && config->release_ns >= 0);
    assert(config->setup_ns >= 0 && config->setup_beside_ns >= 0);
    assert(way == RADIO_DOWN || !(config->tbf.lost_ns || config->tbf.listen_ns || config->tbf.ack_every));
    assert(config->tbf.poll_ns >= 0 && config->tbf.lost_ns >= 0 && config->tbf.listen_ns >= 0);
    air->config = *config;
    if (!config->setup_beside_ns)
        air->config.setup_beside_ns = config->setup_ns;
    air->block_ns = radio_block_ns(cell);
    air->slots = config->slots / radio->block_pdchs;
    assert(air->slots >= 1);
    air->payload_octets =
        first_of(config->payload_octets, cell->payload_octets, radio_payload_octets(cell->coding));
    air->window_blocks = first_of(config->window_blocks, cell->window_blocks, RADIO_MAX_WINDOW_BLOCKS);
    air->done_ns = INT64_MIN;
    air->due_ns = MOMENT_NEVER;
    rng_init(&air->rng, cell->seed, way);
}

static int64_t grid_ns(int64_t block_ns, int64_t now)
{
    int64_t periods = now / block_ns;
    if (now == MOMENT_NEVER)
        return now;
    return (periods + (periods * block_ns < now)) * block_ns;
}

/* The period in which the flow may get its next block. */
static int64_t next_period_ns(const struct radio_air *air, const struct radio_flow *flow)
{
    int64_t period_ns = grid_ns(air->block_ns, radio_flow_ready_ns(flow));
    return period_ns > air->done_ns ? period_ns : air->done_ns + air->block_ns;
}

/* Enters at the end of the round, before the flow whose turn it is. */
static void enter_ring(struct radio_air *air, struct radio_flow *flow)
{
    struct radio_ring *ring = &air->rings[flow->level = flow->next_level];
    struct radio_flow *turn = ring->turn ? ring->turn : flow;
    flow->next = turn;
    flow->previous = ring->turn ? turn->previous : flow;
    flow->previous->next = flow;
    turn->previous = flow;
    ring->turn = turn;
    ring->count++;
}

static void leave_ring(struct radio_air *air, struct radio_flow *flow)
{
    struct radio_ring *ring = &air->rings[flow->level];
    if (ring->turn == flow)
        ring->turn = flow->next == flow ? NULL : flow->next;
    flow->previous->next = flow->next;
    flow->next->previous = flow->previous;
    flow->next = flow->previous = NULL;
    ring->count--;
}

void radio_air_wake(struct radio_air *air, struct radio_flow *flow)
{
    if (!flow->next)
        enter_ring(air, flow);
    air->due_ns = moment_min(air->due_ns, next_period_ns(air, flow));
}

void radio_air_forget(struct radio_air *air, struct radio_flow *flow)
{
    if (flow->next)
        leave_ring(air, flow);
}

int64_t radio_air_due_ns(const struct radio_air *air)
{
    return air->arriving.head ? moment_min(air->arriving.head->at_ns, air->due_ns) : air->due_ns;
}

void radio_air_arrive(struct radio *radio, enum radio_way way, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    while (air->arriving.head && air->arriving.head->at_ns <= now) {
        struct radio_pdu *pdu = radio_flow_pop(&air->arriving);
        if (pdu->is_hurt)
            radio_lose(radio, way, RADIO_DISCARD_RLC, pdu, now);
        else
            radio_deliver(radio, way, pdu, now);
    }
}

/* Has the head no block yet, and has its lifetime ended? */
static bool is_expired(const struct radio_flow *flow, int64_t now)
{
    return flow->taken_octets == 0 && flow->waiting.head->latest_ns < now;
}

/* Discards the LLC-PDUs at the head of the flow's queue whose lifetime has ended before their first block. */
static void radio_air_expire(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    while (flow->waiting.head && is_expired(flow, now))
        radio_lose(radio, way, RADIO_DISCARD_LIFETIME, radio_flow_pop(&flow->waiting), now);
}

/* Counts the head's first block and its wait. */
static void count_begun(struct radio_stats *stats, const struct radio_pdu *head, int64_t now)
{
    stats->begun_frames++;
    stats->begun_wait_ns += (uint64_t)(now - head->at_ns);
}

static struct radio_frame frame_of(const struct radio_pdu *pdu)
{
    return (struct radio_frame){pdu->flow->tlli, pdu->llc_pdu, pdu->octets};
}

void radio_air_tell(struct radio *radio, enum radio_way way, const struct radio_block *block, int64_t now)
{
    if (radio->ops.block)
        radio->ops.block(radio->ops.arg, way, block, now);
}

/* Puts octets of the head into the new block. Returns how many. */
static size_t fill_from_head(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                             int64_t now)
{
    struct radio_frame frame = frame_of(flow->waiting.head);
    struct radio_block block = {.tlli = flow->tlli, .number = flow->next_block, .frame = &frame};
    if (flow->taken_octets == 0)
        count_begun(&radio->airs[way].stats, flow->waiting.head, now);
    radio_air_tell(radio, way, &block, now);
    return radio_flow_take(flow, flow->next_block, room);
}

bool radio_air_fill(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                    int64_t now)
{
    room -= now < flow->resolved_ns ? TLLI_OCTETS : 0;
    size_t left = room;
    while (left && flow->waiting.head && flow->waiting.head->at_ns <= now) {
        if (is_expired(flow, now)) {
            radio_lose(radio, way, RADIO_DISCARD_LIFETIME, radio_flow_pop(&flow->waiting), now);
            continue;
        }
        left -= fill_from_head(radio, way, flow, left, now);
    }
    return left < room;
}

void radio_air_accept(struct radio_air *air, struct radio_flow *flow, uint64_t block, int64_t now)
{
    radio_flow_receive(flow, block);
    for (struct radio_pdu *pdu; (pdu = radio_flow_take_whole(flow));) {
        pdu->at_ns = now + air->block_ns + air->config.delay_ns;
        radio_flow_append(&air->arriving, pdu);
    }
}

/* flow: NULL: of a mobile that the radio does not know. */
static uint32_t bler_ppm_of(const struct radio *radio, enum radio_way way, struct radio_flow *flow,
                            int64_t now)
{
    if (flow && radio_errors_is_bad(flow->fade, &radio->errors, now))
        return radio->errors.bad_bler_ppm;
    const struct radio_errors_step *step = radio_errors_step_at(&radio->errors, now);
    if (step)
        return way == RADIO_DOWN ? step->bler_ppm : step->bler_up_ppm;
    return radio->airs[way].config.bler_ppm;
}

static void carry(struct radio *radio, enum radio_way way, struct radio_flow *flow, uint64_t block,
                  int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    uint32_t bler_ppm = bler_ppm_of(radio, way, flow, now);
    int64_t end_ns = now + air->block_ns;
    bool is_bad = bler_ppm && rng_chance_ppm(&air->rng, bler_ppm);
    flow->end_ns = end_ns;
    flow->sends++;
    air->stats.blocks++;
    radio_air_tell(radio, way, &(struct radio_block){.tlli = flow->tlli, .number = block, .is_bad = is_bad},
                   now);
    if (is_bad) {
        air->stats.bad_blocks++;
        if (!radio->config.is_unacknowledged) {
            radio_flow_put_repeat(flow, block,
                                  flow->is_acked ? MOMENT_NEVER : end_ns + air->config.retransmission_ns);
            tbf_sent(radio, flow, now);
            return;
        }
        radio_flow_hurt(flow, block);
    }
    radio_air_accept(air, flow, block, now);
    tbf_sent(radio, flow, now);
}

/* T3190: the flow waits for a new TBF. */
static bool lose_tbf(struct radio_air *air, struct radio_flow *flow, int64_t now)
{
    if (!tbf_is_lost(air, flow, now))
        return false;
    radio_flow_restart(flow);
    flow->open_ns = moment_add(now, air->config.setup_ns);
    flow->close_ns = MOMENT_NEVER;
    air->stats.lost_tbfs++;
    air->stats.setups++;
    return true;
}

/* A block of a flow with link adaptation. */
static bool send_adapted(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    bool is_sent = radio_link_send(radio, way, flow, now);
    flow->sends += is_sent;
    if (is_sent)
        tbf_sent(radio, flow, now);
    else if (tbf_stop(radio, flow, now))
        radio_air_control(radio, way, flow, now);
    return is_sent;
}

/* Gives the flow one block, if it can use it. */
static bool radio_air_send(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    if (radio_flow_ready_ns(flow) > now || lose_tbf(air, flow, now))
        return false;
    if (flow->link)
        return send_adapted(radio, way, flow, now);
    if (radio_flow_has_repeat(flow, now)) {
        air->stats.repeated_blocks++;
        carry(radio, way, flow, radio_flow_take_repeat(flow), now);
        return true;
    }
    if (!radio_air_fill(radio, way, flow, air->payload_octets, now)) {
        if (tbf_stop(radio, flow, now))
            radio_air_control(radio, way, flow, now);
        return false;
    }
    carry(radio, way, flow, flow->next_block++, now);
    return true;
}

static bool has_slot(const struct radio_air *air, struct radio_flow *flow, int64_t now)
{
    if (flow->period_ns != now)
        flow->dealt = 0;
    flow->period_ns = now;
    return flow->dealt < air->slots;
}

static void rest(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    leave_ring(&radio->airs[way], flow);
    tbf_rest(radio, way, flow, now);
}

/* Takes the control blocks: one after every n - 1 blocks with data; those that do not fit the period move to
   the next. */
static unsigned take_control(struct radio_air *air, unsigned blocks)
{
    unsigned count = air->control_owed < blocks ? air->control_owed : blocks;
    air->control_owed -= count;
    air->stats.blocks += count;
    air->stats.control_blocks += count;
    return count;
}

static unsigned take_charged(struct radio_air *air, unsigned blocks)
{
    unsigned count = air->charged < blocks ? air->charged : blocks;
    air->charged -= count;
    air->stats.blocks += count;
    air->stats.control_blocks += count;
    return count;
}

static void count_data(struct radio_air *air)
{
    if (air->config.control_one_in && ++air->data_blocks == air->config.control_one_in - 1) {
        air->data_blocks = 0;
        air->control_owed++;
    }
}

/* The blocks of a period left for one precedence level. */
struct round {
    struct radio_ring *ring;
    unsigned blocks, refusals;
};

/* Offers one block to the flow whose turn it is. */
static void offer(struct radio *radio, enum radio_way way, struct round *round, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    struct radio_flow *flow = round->ring->turn;
    round->ring->turn = flow->next;
    bool is_used = has_slot(air, flow, now) && radio_air_send(radio, way, flow, now);
    if (is_used) {
        flow->dealt++;
        round->blocks--;
        round->refusals = 0;
        count_data(air);
    }
    if (!radio_flow_is_busy(flow))
        rest(radio, way, flow, now);
    else if (!is_used)
        round->refusals++;
}

static int64_t earliest_of(const struct radio_air *air, const struct radio_ring *ring, int64_t due_ns)
{
    const struct radio_flow *flow = ring->turn;
    for (unsigned i = 0; flow && i < ring->count && due_ns > air->done_ns + air->block_ns;
         i++, flow = flow->next)
        due_ns = moment_min(due_ns, next_period_ns(air, flow));
    return due_ns;
}

static int64_t charged_due_ns(const struct radio_air *air)
{
    return moment_max(grid_ns(air->block_ns, air->charged_ns), moment_add(air->done_ns, air->block_ns));
}

static int64_t next_due_ns(const struct radio *radio, const struct radio_air *air)
{
    int64_t due_ns = MOMENT_NEVER;
    if (air->charged && radio->pdchs)
        due_ns = charged_due_ns(air);
    for (unsigned level = 0; radio->pdchs && level < RADIO_LEVELS; level++)
        due_ns = earliest_of(air, &air->rings[level], due_ns);
    return due_ns;
}

void radio_air_deal(struct radio *radio, enum radio_way way, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    unsigned blocks = radio->pdchs / radio->block_pdchs;
    air->done_ns = now;
    blocks -= take_charged(air, blocks);
    for (unsigned level = 0; level < RADIO_LEVELS; level++) {
        struct round round = {.ring = &air->rings[level], .blocks = blocks};
        while (round.blocks && round.ring->turn && round.refusals < round.ring->count) {
            round.blocks -= take_control(air, round.blocks);
            if (round.blocks)
                offer(radio, way, &round, now);
        }
        blocks = round.blocks;
    }
    air->due_ns = next_due_ns(radio, air);
}

bool radio_air_control(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    if (!radio->pdchs)
        return false;
    uint32_t bler_ppm = bler_ppm_of(radio, way, flow, now);
    air->charged_ns = air->charged++ ? air->charged_ns : now;
    air->due_ns = moment_min(air->due_ns, charged_due_ns(air));
    return !bler_ppm || !rng_chance_ppm(&air->rng, bler_ppm);
}

static void radio_air_answer(struct radio *radio, const struct tbf_event *event)
{
    if (event->stamp != event->flow->start_stamp)
        return;
    bool is_bad = !radio_air_control(radio, RADIO_UP, event->flow, event->at_ns);
    tbf_answer(radio, event, is_bad);
    if (is_bad)
        radio_air_control(radio, RADIO_DOWN, event->flow, event->at_ns);
}

static void run_event(struct radio *radio, const struct tbf_event *event)
{
    struct radio_air *down = &radio->airs[RADIO_DOWN];
    if (event->ring == TBF_ANSWER) {
        radio_air_answer(radio, event);
    } else if (event->ring == TBF_LEARN) {
        tbf_learn(event);
        if (event->flow->next)
            radio_air_wake(down, event->flow);
    } else if (tbf_poll(radio, event)) {
        radio_air_control(radio, event->ring == TBF_POLL_DOWN ? RADIO_DOWN : RADIO_UP, event->flow,
                          event->at_ns);
    }
}

void radio_air_poll(struct radio *radio, int64_t now)
{
    for (struct tbf_event event; tbf_take(radio, &event, now);)
        run_event(radio, &event);
}

/* Recomputes the deadline after a change of the number of PDCHs. */
static void radio_air_plan(struct radio *radio, enum radio_way way)
{
    struct radio_air *air = &radio->airs[way];
    air->due_ns = next_due_ns(radio, air);
}

void radio_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu)
{
    radio_sum_sub(&radio->airs[way].stats.queued, pdu->octets);
    radio_sum_sub(&pdu->flow->queue.queued, pdu->octets);
}

/* Count, report (ops) and free an LLC-PDU. */
static void radio_deliver(struct radio *radio, enum radio_way way, struct radio_pdu *pdu, int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.delivered, pdu->octets);
    radio->ops.delivered(radio->ops.arg, way, &frame, now);
    free(pdu);
}

static void radio_lose(struct radio *radio, enum radio_way way, enum radio_discard reason,
                       struct radio_pdu *pdu, int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.discarded[reason], pdu->octets);
    pdu->flow->queue.discarded_frames++;
    radio->ops.lost(radio->ops.arg, way, reason, &frame, now);
    free(pdu);
}
