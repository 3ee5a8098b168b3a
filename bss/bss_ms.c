/* SPDX-License-Identifier: BSD-3-Clause */
/* Paging of mobiles, and mobiles that a circuit-switched call suspends (TS 48.018 §7.1, §7.4, §7.5). SUSPEND
   and RESUME are sent once: Gb over UDP within a laboratory loses none, and the mobile's update mends a lost
   one. */
#include <string.h>

#include "bss/bss_ms.h"
#include "bss/bss_state.h"

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
        if (bss_bvc_is_up(&bss->cells[i]) && pages_in(&bss->cells[i], pdu))
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

void bss_suspend(struct bss *bss, uint32_t tlli, uint16_t bvci)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (!cell)
        return;
    const struct bssgp pdu = {
        .head.type = BSSGP_SUSPEND, .tlli = tlli, .routeing_area = cell->config.cell_id};
    bss_leave(bss, tlli, bvci);
    bss_bssgp_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}

void bss_resume(struct bss *bss, uint32_t tlli, uint16_t bvci, uint8_t reference, int64_t now)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    if (!cell)
        return;
    const struct bssgp pdu = {.head.type = BSSGP_RESUME,
                              .tlli = tlli,
                              .routeing_area = cell->config.cell_id,
                              .suspend_ref = reference};
    bss_return(bss, tlli, bvci, now);
    bss_bssgp_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}
