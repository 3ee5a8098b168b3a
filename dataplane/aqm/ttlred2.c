/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TTL-based RED, variant 2 of the AQM paper (its Fig. 3): an arriving packet is given a lifetime, uniform
 * over low .. high with the chance max_chance, else over high .. 2 high. It is signalled when it would leave
 * at that age or later.
 */
#include "dataplane/aqm/aqm.h"

#define TAG_BITS 10 /* a tag counts 2^10 ns */

enum { ECN, LOW, HIGH, MAX_CHANCE, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [LOW] = {"low", "least lifetime", AQM_DURATION, 0, 600000000000, 750000000, NULL},
    [HIGH] = {"high", "lifetime that few stay below; twice that is the largest", AQM_DURATION, 1000000,
              600000000000, 2250000000, NULL},
    [MAX_CHANCE] = {"max_chance", "share of packets with a lifetime below high", AQM_SHARE, 0, 1000000,
                    200000, NULL},
};

struct ttlred2 {
    int64_t low_ns, high_ns, max_chance;
    int64_t short_scale, long_scale; /* ns over a whole 2^62 of uniform */
};

static const char *ttlred2_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct ttlred2 *t = law;
    if (values[LOW] >= values[HIGH])
        return "low must be less than high";
    int64_t max_chance = aqm_fixed_ppm(values[MAX_CHANCE]), rest = AQM_FIXED_ONE - max_chance;
    t->low_ns = values[LOW];
    t->high_ns = values[HIGH];
    t->max_chance = max_chance;
    t->short_scale =
        max_chance > 0 ? (int64_t)((aqm_wide)(t->high_ns - t->low_ns) * AQM_FIXED_ONE / max_chance) : 0;
    t->long_scale = rest > 0 ? (int64_t)((aqm_wide)t->high_ns * AQM_FIXED_ONE / rest) : 0;
    return NULL;
}

/* One draw gives both the branch and the place in it. */
static enum aqm_verdict ttlred2_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct ttlred2 *t = law;
    int64_t uniform = aqm_fixed_uniform(view->random);
    bool is_short = uniform < t->max_chance;
    int64_t within = is_short ? uniform : uniform - t->max_chance;
    int64_t lifetime_ns = (is_short ? t->low_ns : t->high_ns) +
                          aqm_fixed_mul(within, is_short ? t->short_scale : t->long_scale);
    view->tag = (uint32_t)(lifetime_ns >> TAG_BITS);
    return AQM_PASS;
}

static enum aqm_verdict ttlred2_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return view->age_ns >= (int64_t)view->tag << TAG_BITS ? AQM_MARK : AQM_PASS;
}

static double chance(const void *law, int64_t at)
{
    const struct ttlred2 *t = law;
    double max_chance = aqm_fixed_double(t->max_chance), low = (double)t->low_ns, high = (double)t->high_ns;
    if (at <= t->low_ns)
        return 0;
    if (at <= t->high_ns)
        return max_chance * ((double)at - low) / (high - low);
    return at >= 2 * t->high_ns ? 1 : max_chance + (1 - max_chance) * ((double)at - high) / high;
}

const struct aqm_ops ttlred2_ops = {
    .name = "ttlred2",
    .title = "TTL-based RED, variant 2",
    .summary = "Gives each packet a random lifetime, uniform over low .. high with the chance max_chance and "
               "over high .. "
               "2 high otherwise, and signals it at that age.",
    .source = "the AQM paper, section III.D, Fig. 3",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct ttlred2),
    .flags = AQM_DRAWS | AQM_RATELESS,
    .axis = AQM_AXIS_AGE,
    .prepare = ttlred2_prepare,
    .enqueue = ttlred2_enqueue,
    .dequeue = ttlred2_dequeue,
    .chance = chance,
};
