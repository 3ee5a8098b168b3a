/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/pacing_load.h"

#define NS_PER_SECOND UINT64_C(1000000000)

void pacing_load_turn(struct pacing_window *window, int64_t now)
{
    uint32_t number = pacing_window_of(now);
    if (window->number == number)
        return;
    bool is_next = window->number + 1 == number;
    window->last_octets = is_next ? window->octets : 0;
    window->last_count = is_next ? window->count : 0;
    window->octets = window->count = 0;
    window->number = number;
}

static uint64_t bps_of(uint32_t octets)
{
    return ((uint64_t)octets * 8 * NS_PER_SECOND) >> 32;
}

uint64_t pacing_load_share_bps(struct pacing_window *cell, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *load = &cell[at->qclass], *all = &cell[QCLASS_COUNT];
    pacing_load_turn(load, now);
    pacing_load_turn(all, now);
    if (load->last_count == 0 || bps_of(all->last_octets) < at->bvc_rate_bps / 2)
        return at->ms_rate_bps;
    uint64_t share_bps = bps_of(load->last_octets) / load->last_count;
    return share_bps < at->ms_rate_bps ? share_bps : at->ms_rate_bps;
}

uint64_t pacing_load_rate_bps(struct pacing_window *cell, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *load = &cell[at->qclass];
    pacing_load_turn(load, now);
    return load->last_count > 0 ? bps_of(load->last_octets) : at->bvc_rate_bps;
}
