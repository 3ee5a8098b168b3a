/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/bss.h"
#include "bss/air.h"
#include "bss/announce.h"
#include "bss/bss_ms.h"
#include "bss/calls.h"
#include "bss/model.h"
#include "bss/radio.h"

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
    int octets = identity_area_encode(cell->cell_id, sizeof cell->cell_id, &config->cell_id, AREA_CELL);
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

/* A STATUS is never answered by a STATUS. */
static void bss_refuse(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *sdu)
{
    bss->stats.malformed++;
    if (sdu->octets && sdu->at[0] != BSSGP_STATUS)
        bss_gb_status(bss, cause, bvci, sdu);
}

/* For the SGSN a BVC is unblocked once it is reset (TS 48.018 §8.4): it may create packet flows before the
   BVC-UNBLOCK of this dialect. */
static bool takes(const struct bss_cell *cell, uint8_t type)
{
    return bss_cell_is_up(cell) || (type == BSSGP_CREATE_BSS_PFC && !cell->is_held);
}

static void rx_ptp(struct bss *bss, uint16_t bvci, const struct bssgp *pdu, const struct ie_span *sdu,
                   int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    bool is_unitdata = pdu->head.type == BSSGP_DL_UNITDATA;
    if (!cell || !takes(cell, pdu->head.type)) {
        bss->stats.undelivered += is_unitdata;
        bss_gb_status(bss, cell ? BSSGP_CAUSE_BVCI_BLOCKED : BSSGP_CAUSE_BVCI_UNKNOWN, bvci, sdu);
    } else if (is_unitdata) {
        bss_air_down(cell, pdu, now);
    } else if (pdu->head.type == BSSGP_FLOW_CONTROL_BVC_ACK || pdu->head.type == BSSGP_FLOW_CONTROL_MS_ACK) {
        bss_announce_ack(bss, cell, pdu, now);
    } else if (!bss_bvc_pfc_rx(bss, cell, pdu)) {
        bss->stats.unexpected++;
    }
}

static void rx_bssgp(struct bss *bss, uint16_t bvci, const struct ie_span *sdu, int64_t now)
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
        bss_ms_flush(bss, &pdu, sdu, now);
    else if (bss_ms_rx(bss, &pdu))
        return;
    else if (bvci == BSSGP_BVCI_SIGNALLING || pdu.head.type == BSSGP_STATUS)
        bss_bvc_signal(bss, &pdu, now);
    else
        rx_ptp(bss, bvci, &pdu, sdu, now);
}

void bss_rx(struct bss *bss, unsigned nsvc, const uint8_t *ns_pdu, size_t octets, int64_t now)
{
    struct ns ns;
    assert(nsvc < bss->nsvc_count);
    bss->stats.rx_pdus++;
    if (ns_decode(&ns, ns_pdu, octets) < 0)
        bss->stats.malformed++;
    else if (bss_nsvc_rx(bss, &bss->nsvcs[nsvc], &ns, now))
        rx_bssgp(bss, (uint16_t)ns.bvci, &ns.sdu, now);
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
    return cell && bss_cell_is_up(cell);
}

const struct bss_stats *bss_stats_get(const struct bss *bss)
{
    return &bss->stats;
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

bool bss_ul_unitdata(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t unused_now)
{
    struct radio_frame frame = {tlli, llc_pdu, octets};
    return bss_gb_unitdata(bss, bss_cell_get(bss, bvci), &frame);
}

bool bss_ul_put(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    struct radio_frame frame = {tlli, llc_pdu, octets};
    return cell ? bss_air_up(cell, &frame, now) : bss_gb_unitdata(bss, cell, &frame);
}
