/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/bss_ms.h"

#include "bss/air.h"
#include "bss/model.h"

#include <string.h>

static bool is_of_location_area(const struct area *cell, const struct area *area)
{
    return !strcmp(cell->mcc, area->mcc) && !strcmp(cell->mnc, area->mnc) && cell->lac == area->lac;
}

/* Is the cell in the area that the PDU names: a cell, routeing area, location area, or the whole BSS? */
static bool pages_in(const struct bss_cell *cell, const struct bssgp *pdu)
{
    const struct area *id = &cell->config.cell_id;
    if (pdu_has(&pdu->head, BSSGP_IE_BVCI))
        return pdu->bvci == cell->config.bvci;
    if (pdu_has(&pdu->head, BSSGP_IE_ROUTEING_AREA))
        return is_of_location_area(id, &pdu->routeing_area) && id->rac == pdu->routeing_area.rac;
    return !pdu_has(&pdu->head, BSSGP_IE_LOCATION_AREA) || is_of_location_area(id, &pdu->location_area);
}

static void page(const struct bss *bss, const struct bssgp *pdu)
{
    struct bss_page page = {.imsi = pdu->imsi.at, .imsi_octets = pdu->imsi.octets};
    page.has_tmsi = pdu_has(&pdu->head, BSSGP_IE_TMSI);
    page.tmsi = page.has_tmsi ? pdu->tmsi : 0;
    for (unsigned i = 0; i < bss->cell_count; i++) {
        page.bvci = bss->cells[i].config.bvci;
        if (bss_cell_is_up(&bss->cells[i]) && pages_in(&bss->cells[i], pdu))
            bss->ops.ms->on_page(bss->ops.arg, &page);
    }
}

bool bss_ms_rx(const struct bss *bss, const struct bssgp *pdu)
{
    const struct bss_ms_ops *ops = bss->ops.ms;
    if (!ops)
        return false;
    switch (pdu->head.type) {
    case BSSGP_PAGING_PS:
        page(bss, pdu);
        return true;
    case BSSGP_SUSPEND_ACK:
        ops->on_suspended(bss->ops.arg, pdu->tlli, (uint8_t)pdu->suspend_ref);
        return true;
    case BSSGP_RESUME_ACK:
    case BSSGP_RESUME_NACK:
        ops->on_resumed(bss->ops.arg, pdu->tlli, pdu->head.type == BSSGP_RESUME_ACK);
        return true;
    default:
        return false;
    }
}

/* The cells of one flush or cell change. */
struct carry {
    struct bss_cell *from, *to; /* to NULL: the LLC-PDUs are discarded */
    int64_t now;
};

static void carry_down(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs)
{
    const struct carry *carry = arg;
    const struct bss_ops *ops = &carry->from->bss->ops;
    if (carry->to)
        bss_air_put(carry->to, frame, lifetime_cs, carry->now);
    else if (ops->on_discard)
        ops->on_discard(ops->arg, carry->from->config.bvci, RADIO_DISCARD_FLUSHED, frame, carry->now);
}

/* The new cell that FLUSH-LL names, if it belongs to this BSS and is up; else NULL. */
static struct bss_cell *target_of(const struct bss *bss, const struct bssgp *pdu)
{
    bool is_ours = !pdu_has(&pdu->head, BSSGP_IE_NSEI_NEW) || pdu->nsei_new == bss->nsei;
    struct bss_cell *cell =
        pdu_has(&pdu->head, BSSGP_IE_BVCI_NEW) && is_ours ? bss_cell_get(bss, (uint16_t)pdu->bvci_new) : NULL;
    return cell && bss_cell_is_up(cell) ? cell : NULL;
}

/* Takes out all downlink LLC-PDUs of a mobile. A mobile that is still in the cell stays in it. */
static uint64_t empty(struct carry *carry, uint32_t tlli)
{
    struct radio *radio = carry->from->radio;
    if (!radio)
        return 0;
    bool is_here = !radio_is_away(radio, tlli);
    radio_leave(radio, tlli);
    uint64_t octets = radio_take(radio, RADIO_DOWN, tlli, carry_down, carry, carry->now);
    if (is_here)
        radio_enter(radio, tlli, carry->now);
    return octets;
}

void bss_ms_flush(struct bss *bss, const struct bssgp *pdu, const struct ie_span *sdu, int64_t now)
{
    struct carry carry = {bss_cell_get(bss, (uint16_t)pdu->bvci), target_of(bss, pdu), now};
    struct bssgp ack = {.head.type = BSSGP_FLUSH_LL_ACK, .tlli = pdu->tlli};
    if (!carry.from) {
        bss_gb_status(bss, BSSGP_CAUSE_BVCI_UNKNOWN, (int)pdu->bvci, sdu);
        return;
    }
    ack.octets_affected = (uint32_t)empty(&carry, pdu->tlli);
    if (carry.to) {
        ack.flush_action = BSS_MS_FLUSH_TRANSFERRED;
        ack.bvci_new = pdu->bvci_new;
        pdu_mark(&ack.head, BSSGP_IE_BVCI_NEW);
    }
    bss_gb_send(bss, BSSGP_BVCI_SIGNALLING, &ack);
}

void bss_ms_drop_down(struct bss *bss, uint32_t tlli, uint16_t from, int64_t now)
{
    struct carry carry = {bss_cell_get(bss, from), NULL, now};
    (void)empty(&carry, tlli);
}

static void count_frame(void *arg, const struct radio_frame *unused_frame, uint16_t unused_lifetime_cs)
{
    uint64_t *count = arg;
    ++*count;
}

uint64_t bss_ms_drop_up(struct bss *bss, uint32_t tlli, uint16_t from, int64_t now)
{
    const struct bss_cell *cell = bss_cell_get(bss, from);
    uint64_t count = 0;
    if (cell->radio)
        radio_take(cell->radio, RADIO_UP, tlli, count_frame, &count, now);
    return count;
}

static void carry_up(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs)
{
    const struct carry *carry = arg;
    bss_air_up(carry->to, frame, carry->now);
}

void bss_ms_leave(struct bss *bss, uint32_t tlli, uint16_t from)
{
    struct bss_cell *cell = bss_cell_get(bss, from);
    if (cell->radio)
        radio_leave(cell->radio, tlli);
}

void bss_ms_return(struct bss *bss, uint32_t tlli, uint16_t to, int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, to);
    if (cell->radio)
        radio_enter(cell->radio, tlli, now);
    bss_air_wake(cell);
}

void bss_ms_move(struct bss *bss, uint32_t tlli, uint16_t from, uint16_t to, int64_t now)
{
    bss_ms_hand_over(bss, tlli, from, bss, to, now);
}

void bss_ms_hand_over(struct bss *bss, uint32_t tlli, uint16_t from, struct bss *to_bss, uint16_t to,
                      int64_t now)
{
    struct carry carry = {bss_cell_get(bss, from), bss_cell_get(to_bss, to), now};
    if (carry.from->radio)
        radio_leave(carry.from->radio, tlli);
    if (carry.to->radio)
        radio_enter(carry.to->radio, tlli, now);
    if (carry.from->radio)
        radio_take(carry.from->radio, RADIO_UP, tlli, carry_up, &carry, now);
    bss_air_wake(carry.to);
}

void bss_ms_suspend(struct bss *bss, uint32_t tlli, uint16_t bvci)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (!cell)
        return;
    const struct bssgp pdu = {
        .head.type = BSSGP_SUSPEND, .tlli = tlli, .routeing_area = cell->config.cell_id};
    bss_ms_leave(bss, tlli, bvci);
    bss_gb_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}

void bss_ms_resume(struct bss *bss, uint32_t tlli, uint16_t bvci, uint8_t reference, int64_t now)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (!cell)
        return;
    const struct bssgp pdu = {.head.type = BSSGP_RESUME,
                              .tlli = tlli,
                              .routeing_area = cell->config.cell_id,
                              .suspend_ref = reference};
    bss_ms_return(bss, tlli, bvci, now);
    bss_gb_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}
