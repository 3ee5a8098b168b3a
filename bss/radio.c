/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio.h"
#include "bss/access.h"
#include "bss/radio_air.h"
#include "bss/radio_flow.h"
#include "bss/radio_link.h"
#include "bss/tbf.h"

#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void request(struct radio *radio, struct radio_mobile *mobile, int64_t now);
static void granted(void *arg, void *owner, int64_t open_ns, int64_t now);
static bool sends(void *arg, void *owner, bool is_up, int64_t now);

#define CENTISECOND_NS INT64_C(10000000)

static bool radio_access_init(struct radio *radio, const struct access_config *config,
                              const struct access_ops *ops)
{
    struct access_config own = *config;
    own.seed = radio->seed;
    radio->resolution_ns = config->is_two_phase ? 0 : config->resolution_ns;
    radio->access = access_new(&own, ops);
    return radio->access;
}

struct radio *radio_new(const struct radio_config *config, const struct radio_ops *ops)
{
    assert(config->pdchs >= 1 && config->pdchs <= RADIO_MAX_PDCHS);
    assert(config->window_blocks <= RADIO_MAX_WINDOW_BLOCKS);
    assert(!config->block_ns || config->block_ns == RADIO_BLOCK_NS || config->block_ns * 2 == RADIO_BLOCK_NS);
    struct radio *radio = calloc(1, sizeof *radio);
    if (!radio)
        return NULL;
    radio->config = *config;
    radio->pdchs = radio->all_pdchs = config->pdchs;

    radio->block_pdchs = (unsigned)(RADIO_BLOCK_NS / radio_block_ns(config));
    radio->ops = *ops;
    radio->seed = config->seed;
    radio->errors = config->errors;
    radio_errors_check(&radio->errors);
    link_quality_params_init(&radio->quality, &config->link);
    radio_air_init(radio, RADIO_DOWN, &config->down);
    radio_air_init(radio, RADIO_UP, &config->up);
    struct access_ops access_ops = {radio, granted, sends};
    if (!config->access || radio_access_init(radio, config->access, &access_ops))
        return radio;
    radio_free(radio);
    return NULL;
}

static void mobile_free(struct radio_mobile *mobile)
{
    for (unsigned way = 0; way < RADIO_WAYS; way++)
        radio_flow_fini(&mobile->flows[way]);
    free(mobile);
}

void radio_free(struct radio *radio)
{
    if (!radio)
        return;
    for (unsigned way = 0; way < RADIO_WAYS; way++)
        while (radio->airs[way].arriving.head)
            free(radio_flow_pop(&radio->airs[way].arriving));
    for (unsigned i = 0; i < RADIO_BUCKETS; i++)
        for (struct radio_mobile *mobile = radio->buckets[i], *next; mobile; mobile = next) {
            next = mobile->next;
            mobile_free(mobile);
        }
    access_free(radio->access);
    tbf_fini(radio);
    free(radio);
}

static unsigned bucket_of(uint32_t tlli)
{
    return (tlli * UINT32_C(2654435761)) >> 22;
}

static struct radio_mobile *radio_mobile_get(const struct radio *radio, uint32_t tlli)
{
    struct radio_mobile *mobile = radio->buckets[bucket_of(tlli)];
    while (mobile && mobile->flows[RADIO_DOWN].tlli != tlli)
        mobile = mobile->next;
    return mobile;
}

static struct radio_mobile *radio_mobile_add(struct radio *radio, uint32_t tlli)
{
    struct radio_mobile *mobile = radio->mobile_count < RADIO_MAX_MOBILES ? calloc(1, sizeof *mobile) : NULL;
    if (!mobile)
        return NULL;
    radio_errors_fade_init(&mobile->fade, &radio->errors, radio->seed, tlli);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio_flow_init(&mobile->flows[way], tlli, radio->airs[way].window_blocks);
        mobile->flows[way].fade = &mobile->fade;
        mobile->flows[way].is_acked = radio->airs[way].config.tbf.ack_every;
    }
    if (radio->config.link.is_there && !radio_link_add(radio, mobile, tlli)) {
        mobile_free(mobile);
        return NULL;
    }
    mobile->next = radio->buckets[bucket_of(tlli)];
    radio->buckets[bucket_of(tlli)] = mobile;
    radio->mobile_count++;
    return mobile;
}

bool radio_level(struct radio *radio, uint32_t tlli, unsigned level)
{
    struct radio_mobile *known = radio_mobile_get(radio, tlli);
    struct radio_mobile *mobile = known ? known : radio_mobile_add(radio, tlli);
    assert(level < RADIO_LEVELS);
    for (unsigned way = 0; mobile && way < RADIO_WAYS; way++)
        mobile->flows[way].next_level = level;
    return mobile != NULL;
}

bool radio_ci(struct radio *radio, uint32_t tlli, int32_t mean_mdb)
{
    struct radio_mobile *known = radio_mobile_get(radio, tlli);
    struct radio_mobile *mobile = known ? known : radio_mobile_add(radio, tlli);
    if (mobile)
        mobile->quality.own_mean_mdb = mean_mdb;
    return mobile != NULL;
}

const struct radio_link_stats *radio_link_stats_get(const struct radio *radio, enum radio_way way)
{
    return radio->config.link.is_there ? &radio->airs[way].link_stats : NULL;
}

static bool is_beyond(const struct radio_sum *queued, size_t octets, uint64_t limit_octets)
{
    return limit_octets && queued->octets + octets > limit_octets;
}

/* The reason to discard it on arrival; RADIO_DISCARDS: it is accepted. */
static enum radio_discard obstacle(const struct radio_air *air, const struct radio_flow *flow, size_t octets)
{
    const struct radio_sum *cell = &air->stats.queued;
    if (!flow || is_beyond(cell, octets, air->config.cell_limit_octets) ||
        is_beyond(cell, octets, RADIO_MAX_QUEUE_OCTETS) || cell->frames >= RADIO_MAX_QUEUE_FRAMES)
        return RADIO_DISCARD_CELL_FULL;
    if (is_beyond(&flow->queue.queued, octets, air->config.mobile_limit_octets))
        return RADIO_DISCARD_MOBILE_FULL;
    return RADIO_DISCARDS;
}

static bool radio_refuse(struct radio *radio, enum radio_way way, enum radio_discard reason,
                         const struct radio_frame *frame, int64_t now)
{
    struct radio_mobile *mobile = radio_mobile_get(radio, frame->tlli);
    radio_sum_add(&radio->airs[way].stats.discarded[reason], frame->octets);
    if (mobile)
        mobile->flows[way].queue.discarded_frames++;
    radio->ops.lost(radio->ops.arg, way, reason, frame, now);
    return false;
}

static void count_queued(struct radio_air *air, struct radio_queue *queue, size_t octets)
{
    radio_sum_add(&air->stats.queued, octets);
    radio_sum_add(&queue->queued, octets);
    if (air->stats.queued.octets > air->stats.queued_max_octets)
        air->stats.queued_max_octets = air->stats.queued.octets;
    if (queue->queued.octets > queue->queued_max_octets)
        queue->queued_max_octets = queue->queued.octets;
}

/* Sets up a new TBF if the last one has been released. */
static void set_up(struct radio *radio, enum radio_way way, struct radio_mobile *mobile, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    struct radio_flow *flow = &mobile->flows[way], *beside = &mobile->flows[!way];
    int64_t wait_ns = tbf_setup_ns(air, flow, beside, now);
    bool has_closed = now >= flow->close_ns, is_idle = flow->close_ns != MOMENT_NEVER;
    if (is_idle && !has_closed)
        tbf_wake(radio, way, flow, now);
    flow->close_ns = MOMENT_NEVER;
    if (!has_closed)
        return;
    flow->open_ns = moment_add(moment_max(now, flow->restart_ns), wait_ns);
    air->stats.setups++;
}

/* A mobile's random access gave it an uplink TBF. */
static void granted(void *arg, void *owner, int64_t open_ns, int64_t now)
{
    struct radio *radio = arg;
    struct radio_mobile *mobile = owner;
    mobile->access = 0;
    mobile->flows[RADIO_UP].open_ns = open_ns;
    mobile->flows[RADIO_UP].resolved_ns = moment_add(now, radio->resolution_ns);
    request(radio, mobile, now);
}

/* A block of two-phase access. */
static bool sends(void *arg, void *owner, bool is_up, int64_t now)
{
    enum radio_way way = is_up ? RADIO_UP : RADIO_DOWN;
    struct radio_mobile *mobile = owner;
    return radio_air_control(arg, way, mobile ? &mobile->flows[way] : NULL, now);
}

/* The downlink TBF that waits since a pre-emption may open from `open_ns` on. */
static void restart(struct radio *radio, struct radio_flow *down, int64_t open_ns)
{
    down->restart_ns = 0;
    if (down->close_ns != MOMENT_NEVER || down->open_ns <= open_ns)
        return;
    down->open_ns = open_ns;
    radio_air_wake(&radio->airs[RADIO_DOWN], down);
}

/* The mobile requests a channel: the BSC sends the downlink assignment beside the uplink one. */
static void restart_by_request(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    int64_t beside_ns = radio->airs[RADIO_DOWN].config.setup_beside_ns;
    if (!mobile->flows[RADIO_DOWN].restart_ns)
        return;
    radio->airs[RADIO_DOWN].stats.uplink_restarts += now < mobile->flows[RADIO_DOWN].restart_ns;
    restart(radio, &mobile->flows[RADIO_DOWN], moment_add(mobile->flows[RADIO_UP].open_ns, beside_ns));
}

/* An LLC-PDU comes from the SGSN: the BSC pages, as for the first of a mobile. */
static void restart_by_packet(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    const struct radio_way_config *config = &radio->airs[RADIO_DOWN].config;
    bool is_beside = radio_flow_is_open(&mobile->flows[RADIO_UP], now);
    if (!radio->pdchs || !mobile->flows[RADIO_DOWN].restart_ns)
        return;
    radio->airs[RADIO_DOWN].stats.downlink_restarts += now < mobile->flows[RADIO_DOWN].restart_ns;
    restart(radio, &mobile->flows[RADIO_DOWN],
            moment_add(now, is_beside ? config->setup_beside_ns : config->setup_ns));
}

/* While a mobile is in an access procedure, its uplink flow is in no ring: open_ns and close_ns are
   MOMENT_NEVER. False: it needs no random access. */
static bool radio_access_begin(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *up = &mobile->flows[RADIO_UP];
    if (mobile->access) {
        access_renew(radio->access, mobile->access, now);
        return true;
    }
    if (!radio->access || now < up->close_ns || radio_flow_is_open(&mobile->flows[RADIO_DOWN], now))
        return false;
    up->open_ns = up->close_ns = MOMENT_NEVER;
    radio->airs[RADIO_UP].stats.setups++;
    mobile->access = access_begin(radio->access, mobile, now);
    return true;
}

static void radio_access_cancel(struct radio *radio, struct radio_mobile *mobile)
{
    if (mobile->access)
        access_cancel(radio->access, mobile->access);
    mobile->access = 0;
}

/* A flow of a mobile in the cell has something to send: sets up its TBF. Does nothing without a PDCH;
   radio_channels_set() calls it again. */
static void radio_begin(struct radio *radio, enum radio_way way, struct radio_mobile *mobile, int64_t now)
{
    if (!radio->pdchs || (way == RADIO_UP && radio_access_begin(radio, mobile, now)))
        return;
    set_up(radio, way, mobile, now);
    if (way == RADIO_UP)
        request(radio, mobile, now);
    else
        radio_air_wake(&radio->airs[way], &mobile->flows[way]);
}

/* The mobile requests a channel for its uplink TBF, which is set up. */
static void request(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    radio_air_wake(&radio->airs[RADIO_UP], &mobile->flows[RADIO_UP]);
    restart_by_request(radio, mobile, now);
}

static struct radio_pdu *pdu_new(struct radio_flow *flow, const struct radio_frame *frame,
                                 int64_t lifetime_ns, int64_t now)
{
    struct radio_pdu *pdu = malloc(sizeof *pdu + frame->octets);
    if (!pdu)
        return NULL;
    *pdu = (struct radio_pdu){.flow = flow, .at_ns = now, .octets = frame->octets};
    pdu->latest_ns = moment_add(now, lifetime_ns);
    if (frame->octets)
        memcpy(pdu->llc_pdu, frame->llc_pdu, frame->octets);
    return pdu;
}

static bool radio_put(struct radio *radio, enum radio_way way, const struct radio_frame *frame,
                      int64_t lifetime_ns, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    struct radio_mobile *known = radio_mobile_get(radio, frame->tlli),
                        *mobile = known ? known : radio_mobile_add(radio, frame->tlli);
    struct radio_flow *flow = mobile ? &mobile->flows[way] : NULL;
    enum radio_discard reason = obstacle(air, flow, frame->octets);
    struct radio_pdu *pdu = reason == RADIO_DISCARDS ? pdu_new(flow, frame, lifetime_ns, now) : NULL;
    radio_sum_add(&air->stats.in, frame->octets);
    if (!pdu)
        return radio_refuse(radio, way, reason == RADIO_DISCARDS ? RADIO_DISCARD_CELL_FULL : reason, frame,
                            now);
    count_queued(air, &flow->queue, frame->octets);
    radio_flow_put(flow, pdu);
    if (way == RADIO_DOWN)
        restart_by_packet(radio, mobile, now);
    if (!flow->is_away)
        radio_begin(radio, way, mobile, now);
    return true;
}

bool radio_down(struct radio *radio, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                uint16_t lifetime_cs, int64_t now)
{
    bool is_endless = lifetime_cs == RADIO_INFINITE_CS;
    struct radio_frame frame = {tlli, llc_pdu, octets};
    return radio_put(radio, RADIO_DOWN, &frame, is_endless ? MOMENT_NEVER : lifetime_cs * CENTISECOND_NS,
                     now);
}

bool radio_up(struct radio *radio, uint32_t tlli, const uint8_t *llc_pdu, size_t octets, int64_t now)
{
    int64_t keep_ns = radio->airs[RADIO_UP].config.keep_ns;
    struct radio_frame frame = {tlli, llc_pdu, octets};
    return radio_put(radio, RADIO_UP, &frame, keep_ns ? keep_ns : MOMENT_NEVER, now);
}

static int64_t radio_access_due_ns(const struct radio *radio)
{
    return radio->access ? access_due_ns(radio->access) : MOMENT_NEVER;
}

int64_t radio_due_ns(const struct radio *radio)
{
    int64_t air_ns =
        moment_min(radio_air_due_ns(&radio->airs[RADIO_DOWN]), radio_air_due_ns(&radio->airs[RADIO_UP]));
    return moment_min(air_ns, moment_min(radio_access_due_ns(radio), tbf_due_ns(radio)));
}

/* Arrivals and assignments of an instant come before the blocks that begin at it. */
static void run_instant(struct radio *radio, int64_t now)
{
    if (radio->access)
        access_step(radio->access, now);
    radio_air_poll(radio, now);
    for (unsigned way = 0; way < RADIO_WAYS; way++)
        radio_flow_arrive(radio, way, now);
    for (unsigned way = 0; way < RADIO_WAYS; way++)
        if (radio->airs[way].due_ns <= now)
            radio_air_deal(radio, way, now);
}

int64_t radio_step(struct radio *radio, int64_t now)
{
    int64_t due_ns;
    while ((due_ns = radio_due_ns(radio)) <= now)
        run_instant(radio, due_ns);
    return due_ns;
}

const struct radio_stats *radio_stats_get(const struct radio *radio, enum radio_way way)
{
    return &radio->airs[way].stats;
}

const struct access *radio_access_get(const struct radio *radio)
{
    return radio->access;
}

struct radio_queue radio_queue_get(const struct radio *radio, enum radio_way way, uint32_t tlli)
{
    const struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    return mobile ? mobile->flows[way].queue : (struct radio_queue){0};
}

uint64_t radio_coded_bps(const struct radio *radio, uint32_t tlli, uint64_t rate_bps)
{
    const struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    const struct radio_link_flow *link = mobile ? mobile->flows[RADIO_DOWN].link : NULL;
    if (!link || !radio->config.link.is_adaptive)
        return rate_bps;
    return link_adaptation_good_ppm(&link->adaptation, &radio->config) * rate_bps / 1000000;
}

/* Block periods that begin in [0, ns). */
static uint64_t periods_before(int64_t block_ns, int64_t ns)
{
    return ((uint64_t)ns + (uint64_t)block_ns - 1) / (uint64_t)block_ns;
}

uint64_t radio_possible_blocks(const struct radio *radio, int64_t from_ns, int64_t to_ns)
{
    assert(from_ns >= 0 && to_ns >= from_ns);
    int64_t block_ns = radio_block_ns(&radio->config);
    return radio->all_pdchs / radio->block_pdchs *
           (periods_before(block_ns, to_ns) - periods_before(block_ns, from_ns));
}

void radio_leave(struct radio *radio, uint32_t tlli)
{
    struct radio_mobile *known = radio_mobile_get(radio, tlli);
    struct radio_mobile *mobile = known ? known : radio_mobile_add(radio, tlli);
    if (mobile)
        radio_access_cancel(radio, mobile);
    for (unsigned way = 0; mobile && way < RADIO_WAYS; way++) {
        struct radio_flow *flow = &mobile->flows[way];
        radio_air_forget(&radio->airs[way], flow);
        radio_flow_restart(flow);
        if (flow->link)
            link_adaptation_init(&flow->link->adaptation, &radio->config.link);
        flow->restart_ns = 0;
        flow->is_away = true;
    }
}

void radio_enter(struct radio *radio, uint32_t tlli, int64_t now)
{
    struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    for (unsigned way = 0; mobile && way < RADIO_WAYS; way++) {
        struct radio_flow *flow = &mobile->flows[way];
        bool was_away = flow->is_away;
        flow->is_away = false;
        if (was_away && flow->waiting.head)
            radio_begin(radio, way, mobile, now);
    }
}

bool radio_is_away(const struct radio *radio, uint32_t tlli)
{
    const struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    return mobile && mobile->flows[RADIO_DOWN].is_away;
}

static uint16_t lifetime_left_cs(const struct radio_pdu *pdu, int64_t now)
{
    if (pdu->latest_ns == MOMENT_NEVER)
        return RADIO_INFINITE_CS;
    int64_t left_cs = pdu->latest_ns > now ? (pdu->latest_ns - now) / CENTISECOND_NS : 0;
    return (uint16_t)moment_min(left_cs, RADIO_INFINITE_CS - 1);
}

uint64_t radio_take(struct radio *radio, enum radio_way way, uint32_t tlli, radio_take_fn take, void *arg,
                    int64_t now)
{
    struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    struct radio_sum *taken = &radio->airs[way].stats.taken;
    uint64_t before_octets = taken->octets;

    while (mobile && mobile->flows[way].waiting.head) {
        assert(mobile->flows[way].is_away);
        struct radio_pdu *pdu = radio_flow_pop(&mobile->flows[way].waiting);
        struct radio_frame frame = {tlli, pdu->llc_pdu, pdu->octets};
        radio_flow_unqueue(radio, way, pdu);
        taken->frames++;
        taken->octets += pdu->octets;
        take(arg, &frame, lifetime_left_cs(pdu, now));
        free(pdu);
    }
    return taken->octets - before_octets;
}

typedef void mobile_fn(struct radio *radio, struct radio_mobile *mobile, int64_t now);

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
        radio_flow_expire(radio, way, &mobile->flows[way], now);
        if (mobile->flows[way].waiting.head)
            radio_begin(radio, way, mobile, now);
    }
}

static void flush(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_fifo *waiting = &mobile->flows[RADIO_DOWN].waiting;
    while (waiting->head)
        radio_flow_lose(radio, RADIO_DOWN, RADIO_DISCARD_PREEMPTED, radio_flow_pop(waiting), now);
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
