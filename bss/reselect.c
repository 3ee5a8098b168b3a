/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/reselect.h"

#include "dataplane/base/moment.h"

#include <math.h>

#define LEAST_KM 0.01 /* nearer than that the level does not rise */

/* Of mean 0 and variance 1. */
static double normal(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(rng_u64(rng) >> 11) * 0x1p-53;
    return sum;
}

void reselect_init(struct reselect *r, const struct reselect_config *config, struct reselect_cell *cells,
                   unsigned own)
{
    struct rng rng = r->rng;
    *r = (struct reselect){.config = config,
                           .cells = cells,
                           .own = own,
                           .lost_ns = MOMENT_NEVER,
                           .last_ns = MOMENT_NEVER,
                           .rng = rng};
    for (unsigned i = 0; i < config->cells; i++)
        cells[i] = (struct reselect_cell){.better_ns = MOMENT_NEVER, .level_dbm = NAN};
    for (unsigned i = 0; i < config->cells && config->shadow_db > 0; i++)
        cells[i].shadow_db = config->shadow_db * normal(&r->rng);
}

void reselect_walk(struct reselect *r, double way_m, int64_t time_ns)
{
    const struct reselect_config *config = r->config;
    r->kept = config->average_ns > 0 ? exp(-(double)time_ns / (double)config->average_ns) : 0;
    if (config->shadow_db <= 0 || way_m <= 0)
        return;
    double kept = exp(-way_m / config->shadow_m), fresh_db = config->shadow_db * sqrt(1 - kept * kept);
    for (unsigned i = 0; i < config->cells; i++)
        r->cells[i].shadow_db = kept * r->cells[i].shadow_db + fresh_db * normal(&r->rng);
}

void reselect_hear(struct reselect *r, unsigned cell, double distance_m)
{
    const struct reselect_config *config = r->config;
    double loss_db = config->loss_1km_db + 10 * config->exponent * log10(fmax(distance_m / 1000, LEAST_KM));
    double level_dbm = config->power_dbm - loss_db - r->cells[cell].shadow_db,
           before_dbm = r->cells[cell].level_dbm;
    r->cells[cell].level_dbm = isnan(before_dbm) ? level_dbm : level_dbm + r->kept * (before_dbm - level_dbm);
}

static double c1(const struct reselect *r, unsigned cell)
{
    return r->cells[cell].level_dbm - r->config->access_min_dbm;
}

static double c2(const struct reselect *r, unsigned cell)
{
    return c1(r, cell) + r->config->offsets_db[cell];
}

static double margin_db(const struct reselect *r, unsigned cell, int64_t now)
{
    const struct reselect_config *config = r->config;
    bool is_again = r->last_ns != MOMENT_NEVER && now - r->last_ns < config->again_ns;
    bool is_same = config->areas[cell] == config->areas[r->own];
    double hysteresis_db = is_same ? config->same_area_db : config->other_area_db;
    return is_again ? fmax(hysteresis_db, config->again_db) : hysteresis_db;
}

/* Since when a condition holds without interruption. */
static int64_t since(int64_t before_ns, bool holds, int64_t now)
{
    return holds ? moment_min(before_ns, now) : MOMENT_NEVER;
}

static bool has_held(const struct reselect *r, int64_t since_ns, int64_t now)
{
    return since_ns != MOMENT_NEVER && now - since_ns >= r->config->hold_ns;
}

static void note(struct reselect *r, int64_t now)
{
    r->lost_ns = since(r->lost_ns, c1(r, r->own) < 0, now);
    for (unsigned i = 0; i < r->config->cells; i++) {
        bool is_better = i != r->own && c1(r, i) > 0 && c2(r, i) > c2(r, r->own) + margin_db(r, i, now);
        r->cells[i].better_ns = since(r->cells[i].better_ns, is_better, now);
    }
}

unsigned reselect_decide(struct reselect *r, int64_t now)
{
    note(r, now);
    bool is_lost = has_held(r, r->lost_ns, now);
    unsigned best = r->own;
    for (unsigned i = 0; i < r->config->cells; i++) {
        bool may = i != r->own && c1(r, i) > 0 && (is_lost || has_held(r, r->cells[i].better_ns, now));
        if (may && (best == r->own || c2(r, i) > c2(r, best)))
            best = i;
    }
    return best;
}

void reselect_enter(struct reselect *r, unsigned cell, int64_t now)
{
    r->own = cell;
    r->last_ns = now;
    r->lost_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < r->config->cells; i++)
        r->cells[i].better_ns = MOMENT_NEVER;
}
