/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/calls.h"

#include <assert.h>

#include "dataplane/base/moment.h"

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
