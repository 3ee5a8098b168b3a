/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow control by thresholds: a cell whose queue has grown to `stop_octets` announces rate 0, and its own
   rate again when the queue is down to `go_octets`. So announcements follow the rate at which the radio
   really drains, whatever its blocks carry; TS 48.018 §8.2 leaves the policy to the BSS. */
#include "bss/bss_state.h"

static uint64_t queued_octets(const struct bss_cell *cell)
{
    return radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets;
}

void bss_threshold_look(struct bss_cell *cell, int64_t now)
{
    const struct bss_policy *thresholds = &cell->config.policy;
    if (!thresholds->stop_octets)
        return;
    uint64_t octets = queued_octets(cell);
    bool is_full = octets >= thresholds->stop_octets || (cell->is_full && octets > thresholds->go_octets);
    if (is_full == cell->is_full)
        return;
    cell->is_full = is_full;
    if (bss_bvc_is_up(cell))
        bss_announce_start(cell->bss, cell, now);
}
