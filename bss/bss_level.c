/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the queues in announcements: BVC Measurement, the mean time that LLC-PDUs waited (TS 48.018
   §11.3.7), and Bucket_Full Ratio (§11.3.46), if both sides have the Current Bucket Level feature (§8.4.2).
 */
#include "bss/bss_state.h"

enum { FEATURE_CBL = 0x02, LONGEST_DELAY_CS = 0xfffe /* 0xffff: infinite */, MAX_RATIO_PERCENT = 255 };

#define CENTISECOND_NS INT64_C(10000000)

static bool has_levels(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (bss->cells[i].config.has_level)
            return true;
    return false;
}

void bss_level_offer(const struct bss *bss, struct bssgp *reset)
{
    uint32_t features = (has_levels(bss) ? FEATURE_CBL : 0u) | bss_pfc_features(bss);
    if (!features)
        return;
    reset->feature_bitmap = features;
    pdu_mark(&reset->head, BSSGP_IE_FEATURE_BITMAP);
}

void bss_level_agree(struct bss *bss, const struct bssgp *pdu)
{
    bool has_peer = pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP) && pdu->feature_bitmap & FEATURE_CBL;
    bss->has_cbl = has_peer && has_levels(bss);
    bss_pfc_agree(bss, pdu);
}

static void put_ratio(struct bssgp *pdu, uint64_t queued_octets)
{
    uint64_t percent =
        pdu->bucket_octets ? (100 * queued_octets + pdu->bucket_octets / 2) / pdu->bucket_octets : 0;
    pdu->ratio_percent = percent < MAX_RATIO_PERCENT ? (uint32_t)percent : MAX_RATIO_PERCENT;
    pdu_mark(&pdu->head, BSSGP_IE_RATIO);
}

/* The mean wait of LLC-PDUs that got their first block since the last measurement; no element without any. */
static void put_measurement(struct bss_cell *cell, struct bssgp *pdu)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    uint64_t frames = stats->begun_frames - cell->told_frames;
    uint64_t wait_ns = stats->begun_wait_ns - cell->told_wait_ns;
    cell->told_frames = stats->begun_frames;
    cell->told_wait_ns = stats->begun_wait_ns;
    if (frames == 0)
        return;
    uint64_t mean_cs = (wait_ns / frames + CENTISECOND_NS / 2) / CENTISECOND_NS;
    pdu->measurement_cs = mean_cs < LONGEST_DELAY_CS ? (uint32_t)mean_cs : LONGEST_DELAY_CS;
    pdu_mark(&pdu->head, BSSGP_IE_MEASUREMENT);
}

void bss_level_cell(struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, cell->radio ? radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets : 0);
    if (cell->config.has_measurement && cell->radio)
        put_measurement(cell, pdu);
}

void bss_level_mobile(const struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, bss_queue_octets(cell->bss, cell->config.bvci, pdu->tlli));
}
