/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell between Gb and its radio: DL-UNITDATA into the radio, delivered and discarded LLC-PDUs out of it. */
#include "bss/bss_state.h"

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

/* Uplink discards are not reported: LLC-DISCARDED is about downlink only. */
static void on_lost(void *arg, enum radio_way way, enum radio_discard reason, const struct radio_frame *frame,
                    int64_t now)
{
    struct bss_cell *cell = arg;
    const struct bss_ops *ops = &cell->bss->ops;
    if (way != RADIO_DOWN)
        return;
    bss_discarded_put(cell, frame, now);
    if (ops->on_discard)
        ops->on_discard(ops->arg, cell->config.bvci, reason, frame, now);
}

bool bss_air_init(struct bss_cell *cell, const struct radio_config *config)
{
    struct radio_ops ops = {cell, on_delivered, on_lost};
    if (config)
        cell->radio = radio_new(config, &ops);
    return !config || cell->radio;
}

void bss_air_fini(struct bss_cell *cell)
{
    radio_free(cell->radio);
    bss_discarded_fini(cell);
}

int64_t bss_air_due_ns(const struct bss_cell *cell)
{
    if (!cell->radio)
        return MOMENT_NEVER;
    int64_t due_ns = moment_min(radio_due_ns(cell->radio), bss_discarded_due_ns(cell));
    return moment_min(due_ns, bss_calls_due_ns(cell));
}

void bss_air_expire(struct bss_cell *cell, int64_t now)
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

void bss_air_down(struct bss_cell *cell, const struct bssgp *pdu, int64_t now)
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
