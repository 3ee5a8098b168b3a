/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_air.h"

#include "bss/radio.h"
#include "bss/radio_link.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <assert.h>
#include <stdlib.h>

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
        first_of(config->payload_octets, cell->payload_octets, radio_coding_payload_octets(cell->coding));
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
    radio_flow_accept(air, flow, block, now);
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
    if (!radio_flow_fill(radio, way, flow, air->payload_octets, now)) {
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

void radio_air_plan(struct radio *radio, enum radio_way way)
{
    struct radio_air *air = &radio->airs[way];
    air->due_ns = next_due_ns(radio, air);
}
