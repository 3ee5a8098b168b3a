/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/bss.h"
#include "bss/model.h"
#include "bss/radio.h"

#include "bss/calls.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/identity.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

const struct bss_timers bss_default_timers = {
    .reset_ns = 3 * SECOND_NS,
    .unblock_ns = 3 * SECOND_NS,
    .test_ns = 30 * SECOND_NS,
    .alive_ns = 3 * SECOND_NS,
    .t1_ns = 30 * SECOND_NS,
    .t2_ns = 30 * SECOND_NS,
    .flow_control_ns = SECOND_NS,
    .unblock_retries = 3,
    .alive_retries = 10,
    .t1_retries = 3,
    .t2_retries = 3,
    .flow_control_retries = 3,
};

static bool bss_air_init(struct bss_cell *cell, const struct radio_config *config);
static void bss_air_fini(struct bss_cell *cell);
static int64_t bss_air_due_ns(const struct bss_cell *cell);
static void bss_air_expire(struct bss_cell *cell, int64_t now);
static bool bss_unitdata_send(struct bss *bss, const struct bss_cell *cell, const struct radio_frame *frame);

static void check_bucket(const struct bss_bucket *bucket)
{
    assert(bucket->bucket_octets % BSSGP_UNIT == 0 && bucket->rate_bps % BSSGP_UNIT == 0);
    assert(bucket->bucket_octets <= UINT64_C(6553500000) && bucket->rate_bps <= UINT64_C(6553500000));
}

static bool cell_init(struct bss *bss, struct bss_cell *cell, const struct bss_cell_config *config)
{
    cell->bss = bss;
    cell->config = *config;
    cell->config.ms = NULL;
    cell->config.radio = NULL;
    cell->config.calls = NULL;
    check_bucket(&config->bvc);
    check_bucket(&config->ms_default);
    check_bucket(&config->pfc);
    int octets = area_encode(cell->cell_id, sizeof cell->cell_id, &config->cell_id, AREA_CELL);
    assert(octets == AREA_CELL && config->bvci >= BSSGP_BVCI_FIRST_PTP);
    (void)octets;
    cell->mobiles = calloc(config->ms_count ? config->ms_count : 1, sizeof *cell->mobiles);
    if (!cell->mobiles)
        return false;
    for (unsigned i = 0; i < config->ms_count; i++) {
        check_bucket(&config->ms[i].bucket);
        cell->mobiles[i].cell = cell;
        cell->mobiles[i].announcement = config->ms[i];
    }
    bss_bvc_init(bss, cell);
    bss_announce_init(bss, cell);
    return bss_air_init(cell, config->radio) && bss_calls_init(cell, config);
}

static bool parts_init(struct bss *bss, const struct bss_config *config)
{
    bss->nsvcs = calloc(config->nsvc_count ? config->nsvc_count : 1, sizeof *bss->nsvcs);
    bss->cells = calloc(config->cell_count ? config->cell_count : 1, sizeof *bss->cells);
    if (!bss->nsvcs || !bss->cells)
        return false;
    bss->nsvc_count = config->nsvc_count;
    bss->cell_count = config->cell_count;
    bss_bvc_signalling_init(bss);
    for (unsigned i = 0; i < config->nsvc_count; i++) {
        bss->nsvcs[i].nsvci = config->nsvcis[i];
        bss->nsvcs[i].index = i;
        bss_nsvc_init(bss, &bss->nsvcs[i]);
    }
    for (unsigned i = 0; i < config->cell_count; i++)
        if (!cell_init(bss, &bss->cells[i], &config->cells[i]))
            return false;
    return true;
}

struct bss *bss_new(const struct bss_config *config, const struct bss_ops *ops)
{
    struct bss *bss = calloc(1, sizeof *bss);
    if (!bss)
        return NULL;
    bss->nsei = config->nsei;
    bss->ops = *ops;
    bss->timers = config->timers ? *config->timers : bss_default_timers;
    bss->due_ns = INT64_MIN;
    if (!parts_init(bss, config)) {
        bss_free(bss);
        return NULL;
    }
    return bss;
}

void bss_free(struct bss *bss)
{
    if (!bss)
        return;
    for (unsigned i = 0; i < bss->cell_count; i++) {
        bss_air_fini(&bss->cells[i]);
        free(bss->cells[i].mobiles);
    }
    free(bss->cells);
    free(bss->nsvcs);
    free(bss);
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_due(const struct bss *bss)
{
    int64_t due = bss->signalling.due_ns;
    for (unsigned i = 0; i < bss->nsvc_count; i++)
        due = earliest(due, earliest(bss->nsvcs[i].fsm.due_ns, bss->nsvcs[i].alive.due_ns));
    for (unsigned i = 0; i < bss->cell_count; i++) {
        const struct bss_cell *cell = &bss->cells[i];
        due = earliest(due, earliest(cell->fsm.due_ns, cell->announce.due_ns));
        due = earliest(due, earliest(cell->mobiles_due_ns, bss_air_due_ns(cell)));
    }
    return due;
}

static void expire_all(struct bss *bss, int64_t now)
{
    for (unsigned i = 0; i < bss->nsvc_count; i++)
        bss_nsvc_expire(bss, &bss->nsvcs[i], now);
    bss_fsm_expire(bss, &bss->signalling, now);
    for (unsigned i = 0; i < bss->cell_count; i++) {
        bss_fsm_expire(bss, &bss->cells[i].fsm, now);
        bss_announce_expire(bss, &bss->cells[i], now);
        bss_air_expire(&bss->cells[i], now);
    }
}

int64_t bss_step(struct bss *bss, int64_t now)
{
    if (!bss->is_started) {
        bss->is_started = true;
        bss->start_ns = now;
    }
    if (bss->due_ns > now)
        return bss->due_ns;
    bss->has_acted = false;
    expire_all(bss, now);
    bss->due_ns = next_due(bss);
    return bss->has_acted ? now : bss->due_ns;
}

void bss_rx(struct bss *bss, unsigned nsvc, const uint8_t *ns_pdu, size_t octets, int64_t now)
{
    struct ns ns;
    assert(nsvc < bss->nsvc_count);
    bss->stats.rx_pdus++;
    if (ns_decode(&ns, ns_pdu, octets) < 0)
        bss->stats.malformed++;
    else
        bss_nsvc_rx(bss, &bss->nsvcs[nsvc], &ns, now);
}

void bss_block(struct bss *bss, uint16_t bvci, int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (cell)
        bss_bvc_hold(bss, cell, true, now);
}

void bss_unblock(struct bss *bss, uint16_t bvci, int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (cell)
        bss_bvc_hold(bss, cell, false, now);
}

bool bss_is_up(const struct bss *bss, uint16_t bvci)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    return cell && bss_bvc_is_up(cell);
}

const struct bss_stats *bss_stats_get(const struct bss *bss)
{
    return &bss->stats;
}

struct bss_cell *bss_cell_get(const struct bss *bss, uint16_t bvci)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (bss->cells[i].config.bvci == bvci)
            return &bss->cells[i];
    return NULL;
}

const struct radio *bss_radio_get(const struct bss *bss, uint16_t bvci)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    return cell ? cell->radio : NULL;
}

uint64_t bss_queue_octets(const struct bss *bss, uint16_t bvci, uint32_t tlli)
{
    const struct radio *radio = bss_radio_get(bss, bvci);
    return radio ? radio_queue_get(radio, RADIO_DOWN, tlli).queued.octets : 0;
}

void bss_level(struct bss *bss, uint16_t bvci, uint32_t tlli, unsigned level)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (cell && cell->radio)
        radio_level(cell->radio, tlli, level);
}

void bss_ci(struct bss *bss, uint16_t bvci, uint32_t tlli, int32_t mean_mdb)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (cell && cell->radio)
        radio_ci(cell->radio, tlli, mean_mdb);
}

static void deliver(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    struct bss *bss = cell->bss;
    bss->stats.delivered++;
    bss->has_acted = true;
    bss->ops.deliver(bss->ops.arg, cell->config.bvci, frame->tlli, frame->llc_pdu, frame->octets, now);
}

bool bss_ul_unitdata(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    struct radio_frame frame = {tlli, llc_pdu, octets};
    if (cell && bss_bvc_is_up(cell))
        return bss_unitdata_send(bss, cell, &frame);
    bss->stats.unsent++;
    return false;
}

static void on_delivered(void *arg, enum radio_way way, const struct radio_frame *frame, int64_t now)
{
    struct bss_cell *cell = arg;
    if (way == RADIO_DOWN)
        deliver(cell, frame, now);
    else
        bss_ul_unitdata(cell->bss, cell->config.bvci, frame->tlli, frame->llc_pdu, frame->octets, now);
}

/* LLC-DISCARDED is about downlink only, and what RLC lost in unacknowledged mode the BSS does not know. */
static void on_lost(void *arg, enum radio_way way, enum radio_discard reason, const struct radio_frame *frame,
                    int64_t now)
{
    struct bss_cell *cell = arg;
    const struct bss_ops *ops = &cell->bss->ops;
    if (way != RADIO_DOWN)
        return;
    if (reason != RADIO_DISCARD_RLC)
        bss_discarded_put(cell, frame, now);
    if (ops->on_discard)
        ops->on_discard(ops->arg, cell->config.bvci, reason, frame, now);
}

static void on_block(void *arg, enum radio_way way, const struct radio_block *block, int64_t now)
{
    struct bss_cell *cell = arg;
    const struct bss_ops *ops = &cell->bss->ops;
    if (way == RADIO_DOWN)
        ops->on_block(ops->arg, cell->config.bvci, block, now);
}

/* bss.c: a cell's radio. Without one, timers do nothing and LLC-PDUs are delivered at once. */
static bool bss_air_init(struct bss_cell *cell, const struct radio_config *config)
{
    struct radio_ops ops = {cell, on_delivered, on_lost, cell->bss->ops.on_block ? on_block : NULL};
    if (config)
        cell->radio = radio_new(config, &ops);
    return !config || cell->radio;
}

static void bss_air_fini(struct bss_cell *cell)
{
    radio_free(cell->radio);
    bss_discarded_fini(cell);
}

static int64_t bss_air_due_ns(const struct bss_cell *cell)
{
    if (!cell->radio)
        return MOMENT_NEVER;
    int64_t due_ns = moment_min(radio_due_ns(cell->radio), bss_discarded_due_ns(cell));
    return moment_min(due_ns, bss_calls_due_ns(cell));
}

static void bss_air_expire(struct bss_cell *cell, int64_t now)
{
    if (!cell->radio)
        return;
    bss_calls_expire(cell, now);
    radio_step(cell->radio, now);
    bss_threshold_look(cell, now);
    bss_discarded_expire(cell, now);
}

void bss_air_wake(struct bss_cell *cell)
{
    cell->bss->due_ns = moment_min(cell->bss->due_ns, bss_air_due_ns(cell));
}

void bss_air_put(struct bss_cell *cell, const struct radio_frame *frame, uint16_t lifetime_cs, int64_t now)
{
    if (!cell->radio) {
        deliver(cell, frame, now);
        return;
    }
    radio_down(cell->radio, frame->tlli, frame->llc_pdu, frame->octets, lifetime_cs, now);
    bss_threshold_look(cell, now);
    bss_air_wake(cell);
}

/* Handles DL-UNITDATA for a cell that is up. */
static void bss_air_down(struct bss_cell *cell, const struct bssgp *pdu, int64_t now)
{
    const struct bss_ops *ops = &cell->bss->ops;
    struct radio_frame frame = {pdu->tlli, pdu->llc_pdu.at, pdu->llc_pdu.octets};
    if (ops->on_down)
        ops->on_down(ops->arg, cell->config.bvci, frame.tlli, frame.llc_pdu, frame.octets, now);
    bss_air_put(cell, &frame, (uint16_t)pdu->lifetime_cs, now);
}

static bool put_up(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    bool is_taken = radio_up(cell->radio, frame->tlli, frame->llc_pdu, frame->octets, now);
    bss_air_wake(cell);
    return is_taken;
}

bool bss_ul_put(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    struct radio_frame frame = {tlli, llc_pdu, octets};
    if (cell && cell->radio)
        return put_up(cell, &frame, now);
    return bss_ul_unitdata(bss, bvci, tlli, llc_pdu, octets, now);
}

static const struct bss_nsvc *usable_nsvc(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->nsvc_count; i++)
        if (bss->nsvcs[i].is_usable)
            return &bss->nsvcs[i];
    return NULL;
}

static void bss_send(struct bss *bss, const struct bss_nsvc *vc, size_t octets)
{
    bss->has_acted = true;
    bss->stats.tx_pdus++;
    bss->ops.send(bss->ops.arg, vc->index, bss->tx, octets);
}

void bss_ns_send(struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns)
{
    int octets = ns_encode(bss->tx, sizeof bss->tx, ns);
    assert(octets > 0);
    bss_send(bss, vc, (size_t)octets);
}

void bss_bssgp_send(struct bss *bss, uint16_t bvci, const struct bssgp *pdu)
{
    const struct bss_nsvc *vc = usable_nsvc(bss);
    if (!vc) {
        bss->stats.unsent++;
        return;
    }
    int header = ns_unitdata_header_put(bss->tx, bvci);
    int octets = bssgp_encode(bss->tx + header, sizeof bss->tx - (size_t)header, pdu);
    assert(octets > 0);
    bss_send(bss, vc, (size_t)header + (size_t)octets);
}

/* Sends UL-UNITDATA of a cell that is up. Returns false, counted as `unsent`: no NS-VC is up or it is too
   long. */
static bool bss_unitdata_send(struct bss *bss, const struct bss_cell *cell, const struct radio_frame *frame)
{
    const struct bss_nsvc *vc = usable_nsvc(bss);
    size_t room = sizeof bss->tx - NS_UNITDATA_HEADER_OCTETS - BSSGP_UL_HEADER_MAX_OCTETS;
    if (!vc || frame->octets > room) {
        bss->stats.unsent++;
        return false;
    }
    /* QoS profile: OsmoPCU's, radio priority unknown. */
    struct bssgp_ul ul = {.tlli = frame->tlli, .qos_profile = {0, 0, 4}, .cell_id = cell->cell_id};
    ul.llc_octets = (uint16_t)frame->octets;
    int at = ns_unitdata_header_put(bss->tx, cell->config.bvci);
    at += bssgp_ul_unitdata_encode_header(bss->tx + at, sizeof bss->tx - (size_t)at, &ul);
    memcpy(bss->tx + at, frame->llc_pdu, frame->octets);
    bss_send(bss, vc, (size_t)at + frame->octets);
    return true;
}

void bss_bssgp_status(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *in_error)
{
    struct bssgp status = {.head.type = BSSGP_STATUS, .cause = cause};
    if (bvci >= 0) {
        status.bvci = (uint32_t)bvci;
        pdu_mark(&status.head, BSSGP_IE_BVCI);
    }
    if (in_error && in_error->octets) {
        status.pdu_in_error = *in_error;
        if (in_error->octets > BSS_MAX_PDU_IN_ERROR_OCTETS)
            status.pdu_in_error.octets = BSS_MAX_PDU_IN_ERROR_OCTETS;
        pdu_mark(&status.head, BSSGP_IE_PDU_IN_ERROR);
    }
    bss_bssgp_send(bss, BSSGP_BVCI_SIGNALLING, &status);
}

/* A STATUS is never answered by a STATUS. */
static void bss_refuse(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *sdu)
{
    bss->stats.malformed++;
    if (sdu->octets && sdu->at[0] != BSSGP_STATUS)
        bss_bssgp_status(bss, cause, bvci, sdu);
}

/* For the SGSN a BVC is unblocked once it is reset (TS 48.018 §8.4): it may create packet flows before the
   BVC-UNBLOCK of this dialect. */
static bool takes(const struct bss_cell *cell, uint8_t type)
{
    return bss_bvc_is_up(cell) || (type == BSSGP_CREATE_BSS_PFC && !cell->is_held);
}

static void rx_ptp(struct bss *bss, uint16_t bvci, const struct bssgp *pdu, const struct ie_span *sdu,
                   int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    bool is_unitdata = pdu->head.type == BSSGP_DL_UNITDATA;
    if (!cell || !takes(cell, pdu->head.type)) {
        bss->stats.undelivered += is_unitdata;
        bss_bssgp_status(bss, cell ? BSSGP_CAUSE_BVCI_BLOCKED : BSSGP_CAUSE_BVCI_UNKNOWN, bvci, sdu);
    } else if (is_unitdata) {
        bss_air_down(cell, pdu, now);
    } else if (pdu->head.type == BSSGP_FLOW_CONTROL_BVC_ACK || pdu->head.type == BSSGP_FLOW_CONTROL_MS_ACK) {
        bss_announce_ack(bss, cell, pdu, now);
    } else if (!bss_pfc_rx(bss, cell, pdu)) {
        bss->stats.unexpected++;
    }
}

void bss_bssgp_rx(struct bss *bss, uint16_t bvci, const struct ie_span *sdu, int64_t now)
{
    struct bssgp pdu;
    int cause = sdu->octets ? bssgp_misplaced_cause(sdu->at[0], BSSGP_FROM_SGSN, bvci) : 0;
    if (cause) {
        bss_refuse(bss, (uint8_t)cause, -1, sdu);
        return;
    }
    if (bssgp_decode(&pdu, sdu->at, sdu->octets) < 0) {
        bss_refuse(bss, pdu.error_cause, -1, sdu);
        return;
    }
    if (pdu.head.type == BSSGP_FLUSH_LL)
        bss_flush_rx(bss, &pdu, sdu, now);
    else if (bss_ms_rx(bss, &pdu))
        return;
    else if (bvci == BSSGP_BVCI_SIGNALLING || pdu.head.type == BSSGP_STATUS)
        bss_bvc_signal(bss, &pdu, now);
    else
        rx_ptp(bss, bvci, &pdu, sdu, now);
}

void bss_fsm_init(struct bss_fsm *fsm, const struct bss_fsm_row *rows, uint8_t events, void *self)
{
    *fsm = (struct bss_fsm){.rows = rows, .self = self, .events = events, .due_ns = INT64_MAX};
}

void bss_fsm_event(struct bss *bss, struct bss_fsm *fsm, unsigned event, int64_t now)
{
    const struct bss_fsm_row *row = &fsm->rows[fsm->state * fsm->events + event];
    if (!row->action) {
        bss->stats.unexpected++;
        return;
    }
    fsm->state = row->next;
    row->action(bss, fsm->self, now);
}

void bss_fsm_start(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns, int retries)
{
    fsm->retries = retries;
    bss_fsm_again(bss, fsm, due_ns);
}

void bss_fsm_again(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns)
{
    fsm->due_ns = due_ns;
    if (due_ns < bss->due_ns)
        bss->due_ns = due_ns;
}

void bss_fsm_stop(struct bss_fsm *fsm)
{
    fsm->due_ns = INT64_MAX;
}

bool bss_fsm_expire(struct bss *bss, struct bss_fsm *fsm, int64_t now)
{
    if (fsm->due_ns > now)
        return false;
    fsm->due_ns = INT64_MAX;
    if (fsm->retries == 0) {
        bss->stats.gave_up++;
        bss_fsm_event(bss, fsm, BSS_FSM_GAVE_UP, now);
        return true;
    }
    if (fsm->retries > 0)
        fsm->retries--;
    bss_fsm_event(bss, fsm, BSS_FSM_TIMEOUT, now);
    return true;
}
