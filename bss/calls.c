/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/calls.h"

#include "bss/announce.h"
#include "dataplane/base/moment.h"

#include <assert.h>

static void plan_arrival(struct calls *calls, int64_t now)
{
    calls->arrival_ns = moment_add(now, rng_exponential_ns(&calls->rng, calls->config.interval_ns));
}

void calls_init(struct calls *calls, const struct calls_config *config)
{
    assert(config->channels >= 1 && config->channels <= CALLS_MAX_CHANNELS);
    assert(!config->every_ns || (config->hold_ns > 0 && config->hold_ns < config->every_ns));
    assert(!config->every_ns || (config->taken >= 1 && config->taken <= config->channels));
    *calls = (struct calls){.config = *config, .schedule_ns = MOMENT_NEVER, .arrival_ns = MOMENT_NEVER};
    rng_init(&calls->rng, config->seed, 0);
    if (config->every_ns)
        calls->schedule_ns = config->first_ns;
    if (config->interval_ns)
        plan_arrival(calls, config->start_ns);
}

/* Index of the call that ends first; at least one is there. */
static unsigned first_to_end(const struct calls *calls)
{
    unsigned first = 0;
    for (unsigned i = 1; i < calls->count; i++)
        if (calls->end_ns[i] < calls->end_ns[first])
            first = i;
    return first;
}

static int64_t first_end_ns(const struct calls *calls)
{
    return calls->count ? calls->end_ns[first_to_end(calls)] : MOMENT_NEVER;
}

int64_t calls_due_ns(const struct calls *calls)
{
    return moment_min(first_end_ns(calls), moment_min(calls->schedule_ns, calls->arrival_ns));
}

static void turn_schedule(struct calls *calls)
{
    const struct calls_config *config = &calls->config;
    bool is_beginning = !calls->scheduled;
    calls->scheduled = is_beginning ? config->taken : 0;
    calls->schedule_ns += is_beginning ? config->hold_ns : config->every_ns - config->hold_ns;
}

/* The length of a lost call is drawn, too: the draws of later calls do not depend on whether it was lost. */
static void arrive(struct calls *calls, int64_t now)
{
    int64_t end_ns = moment_add(now, rng_exponential_ns(&calls->rng, calls->config.mean_hold_ns));
    calls->offered++;
    if (calls->count + calls->scheduled < calls->config.channels)
        calls->end_ns[calls->count++] = end_ns;
    else
        calls->lost++;
    plan_arrival(calls, now);
}

static void end_first(struct calls *calls)
{
    unsigned first = first_to_end(calls);
    calls->count--;
    calls->end_ns[first] = calls->end_ns[calls->count];
}

/* Of one instant, calls that end come first and leave room for calls that begin. */
static void run_instant(struct calls *calls, int64_t now)
{
    if (first_end_ns(calls) == now)
        end_first(calls);
    else if (calls->schedule_ns == now)
        turn_schedule(calls);
    else
        arrive(calls, now);
}

unsigned calls_step(struct calls *calls, int64_t now)
{
    for (int64_t due_ns; (due_ns = calls_due_ns(calls)) <= now;)
        run_instant(calls, due_ns);
    unsigned held = calls->count + calls->scheduled;
    return held < calls->config.channels ? held : calls->config.channels;
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
    if (bss_cell_is_up(cell))
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
