/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of radio blocks: by a constant share, or by fading that comes and goes. */
#include "bss/radio.h"

#include "dataplane/base/moment.h"

#include <assert.h>

#define MOST_CYCLES  1000 /* that one call plays; after a longer rest the state is drawn again */
#define FIRST_STREAM 2    /* 0 and 1 are the directions' own */

void radio_errors_check(const struct radio_errors_config *config)
{
    assert(config->bad_bler_ppm < 1000000 && config->good_ns >= 0 && config->bad_ns >= 0);
    assert(!config->bad_ns == !config->good_ns);
    for (size_t i = 0; i < config->step_count; i++) {
        const struct radio_errors_step *step = &config->steps[i];
        assert(step->bler_ppm < 1000000 && step->bler_up_ppm < 1000000);
        assert(i == 0 || step->from_ns > step[-1].from_ns);
    }
}

/* A state that holds at `now`. Exponential lengths have no memory: what is left of one is one. */
static void draw(struct radio_errors_fade *fade, const struct radio_errors_config *config, int64_t now)
{
    uint64_t both_ns = (uint64_t)config->good_ns + (uint64_t)config->bad_ns;
    fade->is_bad = rng_below(&fade->rng, both_ns) < (uint64_t)config->bad_ns;
    fade->until_ns =
        moment_add(now, rng_exponential_ns(&fade->rng, fade->is_bad ? config->bad_ns : config->good_ns));
}

void radio_errors_fade_init(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                            uint64_t seed, uint32_t tlli)
{
    *fade = (struct radio_errors_fade){.until_ns = MOMENT_NEVER};
    if (!config->bad_ns)
        return;
    rng_init(&fade->rng, seed, FIRST_STREAM + (uint64_t)tlli);
    draw(fade, config, config->start_ns);
}

static void turn(struct radio_errors_fade *fade, const struct radio_errors_config *config)
{
    fade->is_bad = !fade->is_bad;
    fade->until_ns = moment_add(
        fade->until_ns, rng_exponential_ns(&fade->rng, fade->is_bad ? config->bad_ns : config->good_ns));
}

bool radio_errors_is_bad(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                         int64_t now)
{
    if (!config->bad_ns)
        return false;
    if (now - fade->until_ns > MOST_CYCLES * (config->good_ns + config->bad_ns))
        draw(fade, config, now);
    while (fade->until_ns <= now)
        turn(fade, config);
    return fade->is_bad;
}

/* The last step that begins at or before `at_ns`; at_ns is not before the first. */
static const struct radio_errors_step *last_until(const struct radio_errors_config *config, int64_t at_ns)
{
    size_t low = 0, high = config->step_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (config->steps[middle].from_ns <= at_ns)
            low = middle;
        else
            high = middle;
    }
    return &config->steps[low];
}

const struct radio_errors_step *radio_errors_step_at(const struct radio_errors_config *config, int64_t now)
{
    int64_t at_ns = now - config->start_ns;
    if (config->repeat_ns && at_ns > 0)
        at_ns %= config->repeat_ns;
    if (!config->step_count || at_ns < config->steps[0].from_ns)
        return NULL;
    return last_until(config, at_ns);
}
