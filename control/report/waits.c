/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/waits.h"

#include <stdlib.h>
#include <string.h>

#define BIRTH_TICKS 8

bool waits_new(struct waits *w, uint32_t mobiles, uint32_t cells)
{
    *w = (struct waits){.mobiles = calloc(mobiles, sizeof(*w->mobiles)),
                        .cells = calloc(cells, sizeof(*w->cells)),
                        .mobile_count = mobiles,
                        .cell_count = cells};
    if (w->mobiles && w->cells)
        return true;
    waits_free(w);
    return false;
}

void waits_free(struct waits *w)
{
    free(w->mobiles);
    free(w->cells);
    *w = (struct waits){0};
}

/* --- samples --- */

bool waits_begin(struct waits *w, int64_t now, uint32_t *first, uint32_t *end)
{
    if (now < w->due_ns)
        return false;
    *first = (uint32_t)((uint64_t)w->mobile_count * w->slice / WAITS_SLICES);
    w->slice = (w->slice + 1) % WAITS_SLICES;
    *end = w->slice == 0 ? w->mobile_count : (uint32_t)((uint64_t)w->mobile_count * w->slice / WAITS_SLICES);
    w->due_ns = now + WAITS_PERIOD_NS / WAITS_SLICES;
    return true;
}

/* Modulo 2^32, as the sums are: all causes together. */
static uint32_t age_ticks(const uint32_t ticks[SCHED_WAIT_CAUSES])
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < SCHED_WAIT_CAUSES; i++)
        sum += ticks[i];
    return sum;
}

static unsigned latest(const struct waits_ms *ms)
{
    return (ms->next + WAITS_SAMPLES - 1) % WAITS_SAMPLES;
}

/* Another mobile has the slot now. A reading of a worker that runs may be wrong by a tick. */
static bool is_another(const struct waits_ms *ms, const struct sched_wait_now *now)
{
    int32_t ticks = (int32_t)(now->born_ticks - ms->born_ticks);
    return ms->count > 0 && (ticks < -BIRTH_TICKS || ticks > BIRTH_TICKS);
}

static struct waits_cell *cell_at(struct waits *w, struct waits_at at)
{
    struct waits_cell *cell = at.index < w->cell_count ? &w->cells[at.index] : NULL;
    if (cell && cell->id != at.id)
        *cell = (struct waits_cell){.id = at.id};
    return cell;
}

void waits_sample(struct waits *w, uint32_t mobile, struct waits_at at, const struct sched_wait_now *now)
{
    static const uint32_t none[SCHED_WAIT_CAUSES];
    struct waits_ms *ms = &w->mobiles[mobile];
    if (is_another(ms, now))
        *ms = (struct waits_ms){0};
    if (ms->count == 0)
        ms->born_ticks = now->born_ticks;
    const uint32_t *before = ms->count > 0 ? ms->ticks[latest(ms)] : none;
    struct waits_cell *cell = cell_at(w, at);
    for (unsigned i = 0; cell && i < SCHED_WAIT_CAUSES; i++)
        cell->ticks[i] += (int32_t)(now->ticks[i] - before[i]);
    memcpy(ms->ticks[ms->next], now->ticks, sizeof(ms->ticks[0]));
    ms->next = (uint8_t)((ms->next + 1) % WAITS_SAMPLES);
    ms->count += ms->count < WAITS_SAMPLES;
}

/* --- figures --- */

static unsigned oldest(const struct waits_ms *ms)
{
    return ms->count < WAITS_SAMPLES ? 0 : ms->next;
}

static uint64_t percent_of(int32_t part, uint32_t all)
{
    return part > 0 && all > 0 ? ((uint64_t)part * 100 + all / 2) / all : 0;
}

void waits_shares(const struct waits *w, uint32_t mobile, const struct sched_wait_now *now,
                  uint64_t percent[SCHED_WAIT_CAUSES])
{
    static const uint32_t none[SCHED_WAIT_CAUSES];
    const struct waits_ms *ms = &w->mobiles[mobile];
    const uint32_t *since = ms->count > 0 && !is_another(ms, now) ? ms->ticks[oldest(ms)] : none;
    uint32_t all = age_ticks(now->ticks) - age_ticks(since);
    for (unsigned i = 0; i < SCHED_WAIT_CAUSES; i++)
        percent[i] = percent_of((int32_t)(now->ticks[i] - since[i]), all);
}

static const struct waits_cell *known_cell(const struct waits *w, struct waits_at at)
{
    static const struct waits_cell none;
    return at.index < w->cell_count && w->cells[at.index].id == at.id ? &w->cells[at.index] : &none;
}

uint64_t waits_cell_us(const struct waits *w, struct waits_at at, enum sched_wait_cause cause)
{
    int64_t ticks = known_cell(w, at)->ticks[cause];
    return ticks > 0 ? ((uint64_t)ticks << SCHED_WAIT_TICK_BITS) / 1000 : 0;
}
