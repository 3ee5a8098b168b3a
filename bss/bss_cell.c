/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells by BVCI, and queries to their radios. */
#include "bss/bss_state.h"

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
