/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell with circuit-switched calls: its radio keeps the PDCHs that calls leave, the cell announces the rate
   of those, and after flush_ns without PDCH the queues are flushed. A call that begins at the instant at
   which another ends changes nothing. */
#include <assert.h>

#include "bss/bss_state.h"
#include "bss/radio_channels.h"

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
