/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/bss_ms.h"
#include "bss/bvc.h"
#include "bss/model.h"
#include "bss/radio_air.h"

#include <assert.h>
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

bool bss_calls_init(struct bss_cell *cell, const struct bss_cell_config *config)
{
    struct bss_calls *calls = &cell->calls;
    calls->flush_due_ns = calls->since_ns = MOMENT_NEVER;
    if (!config->calls || !cell->radio)
        return !config->calls;
    assert(config->calls->calls.channels <= config->radio->pdchs);
    calls->is_there = true;
    calls->pdchs = calls->left_pdchs = config->radio->pdchs;
    calls->flush_ns = config->calls->flush_ns;
    calls_init(&calls->calls, &config->calls->calls);
    return true;
}

static int64_t next_change_ns(const struct bss_cell *cell)
{
    int64_t due_ns = calls_due_ns(&cell->calls.calls);
    return due_ns == MOMENT_NEVER ? due_ns : moment_add(cell->bss->start_ns, due_ns);
}

int64_t bss_calls_due_ns(const struct bss_cell *cell)
{
    if (!cell->calls.is_there)
        return MOMENT_NEVER;
    return moment_min(next_change_ns(cell), cell->calls.flush_due_ns);
}

static void preempt(struct bss_calls *calls, int64_t now)
{
    calls->stats.preemptions++;
    calls->since_ns = now;
    calls->flush_due_ns = moment_add(now, calls->flush_ns);
}

static void resume(struct bss_calls *calls, int64_t now)
{
    calls->stats.preempted_ns += now - calls->since_ns;
    calls->since_ns = calls->flush_due_ns = MOMENT_NEVER;
}

static void change(struct bss_cell *cell, unsigned left, int64_t now)
{
    struct bss_calls *calls = &cell->calls;
    bool was_preempted = calls->since_ns != MOMENT_NEVER;
    calls->left_pdchs = left;
    radio_channels_set(cell->radio, left, now);
    if (!left && !was_preempted)
        preempt(calls, now);
    else if (left && was_preempted)
        resume(calls, now);
    if (bss_bvc_is_up(cell))
        bss_announce_start(cell->bss, cell, now);
}

void bss_calls_expire(struct bss_cell *cell, int64_t now)
{
    struct bss_calls *calls = &cell->calls;
    if (!calls->is_there)
        return;
    unsigned left = calls->pdchs - calls_step(&calls->calls, now - cell->bss->start_ns);
    if (left != calls->left_pdchs)
        change(cell, left, now);
    if (calls->flush_due_ns <= now) {
        calls->flush_due_ns = MOMENT_NEVER;
        radio_channels_flush(cell->radio, now);
    }
}

struct bss_calls_stats bss_calls_stats_get(const struct bss *bss, uint16_t bvci, int64_t now)
{
    const struct bss_cell *cell = bss_cell_get(bss, bvci);
    struct bss_calls_stats stats = cell ? cell->calls.stats : (struct bss_calls_stats){0};
    if (cell && cell->calls.since_ns != MOMENT_NEVER)
        stats.preempted_ns += now - cell->calls.since_ns;
    if (cell && cell->radio) {
        const struct radio_stats *down = radio_stats_get(cell->radio, RADIO_DOWN);
        stats.uplink_restarts = down->uplink_restarts;
        stats.downlink_restarts = down->downlink_restarts;
    }
    return stats;
}
