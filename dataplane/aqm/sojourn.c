/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With a known drain rate the wait of a packet is known on its arrival, without an average, an estimator or
 * an interval of observation. The chance of a signal follows this wait:
 *   p = max_chance ((s - low) / (high - low))^2 between low and high, s the expected sojourn,
 * max_chance from high on, all from twice high on. Squared because TCP's rate is proportional to 1 /
 * sqrt(p), and so to 1 / (s - low). Signals are spaced as RED's are. No average tolerates bursts; a slow
 * start of ten packets whose wait is less than low needs none.
 * Without a known rate it signals nothing.
 */
#include "dataplane/aqm/aqm.h"

enum { ECN, LOW, HIGH, MAX_CHANCE, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(1),
    [LOW] = {"low", "expected sojourn up to which nothing is signalled", AQM_DURATION, 0, 600000000000,
             250000000, NULL},
    [HIGH] = {"high", "expected sojourn with max_chance; from twice that on all are dropped", AQM_DURATION,
              1000000, 600000000000, 2000000000, NULL},
    [MAX_CHANCE] = {"max_chance", "chance at high", AQM_SHARE, 1, 1000000, 200000, NULL},
};

struct sojourn {
    int64_t low_ns, high_ns;
    int64_t max_chance;
    int64_t per_ns; /* 1 / (high - low), a factor times 2^20 */
};

struct sojourn_state {
    uint32_t count; /* let in since the last signal */
};

static const char *sojourn_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct sojourn *s = law;
    if (values[HIGH] - values[LOW] < 1000000)
        return "high must be at least 1 ms more than low";
    s->low_ns = values[LOW];
    s->high_ns = values[HIGH];
    s->max_chance = aqm_fixed_ppm(values[MAX_CHANCE]);
    s->per_ns = (int64_t)(((aqm_wide)AQM_FIXED_ONE << 20) / (values[HIGH] - values[LOW]));
    return NULL;
}

static int64_t chance_at(const struct sojourn *s, int64_t sojourn_ns)
{
    if (sojourn_ns <= s->low_ns)
        return 0;
    if (sojourn_ns >= s->high_ns)
        return s->max_chance;
    int64_t way = (int64_t)((aqm_wide)(sojourn_ns - s->low_ns) * s->per_ns >> 20);
    return aqm_fixed_mul(aqm_fixed_mul(way, way), s->max_chance);
}

static enum aqm_verdict sojourn_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct sojourn *s = law;
    struct sojourn_state *kept = state;
    if (view->sojourn_ns >= 2 * s->high_ns)
        return AQM_DROP;
    int64_t chance = chance_at(s, view->sojourn_ns);
    aqm_wide left = AQM_FIXED_ONE - (aqm_wide)chance * kept->count;
    if (chance > 0 && (left <= 0 || aqm_fixed_mul(aqm_fixed_uniform(view->random), (int64_t)left) < chance)) {
        kept->count = 0;
        return AQM_MARK;
    }
    kept->count = chance > 0 ? kept->count + 1 : 0;
    return AQM_PASS;
}

/* Signals per packet when gaps are uniform over 1 .. 1/p. */
static double chance(const void *law, int64_t at)
{
    const struct sojourn *s = law;
    double p = aqm_fixed_double(chance_at(s, at));
    if (p <= 0 || p >= 1 || at >= 2 * s->high_ns)
        return p <= 0 ? 0 : 1;
    double whole = (double)(int64_t)(1 / p);
    return 1 / ((whole + 1) * (1 - whole * p / 2));
}

const struct aqm_ops sojourn_ops = {
    .name = "sojourn",
    .title = "expected sojourn",
    .summary = "Signals by the wait that a packet has before it at the known rate: with the chance "
               "max_chance times the "
               "square of the way from low to high, all from twice high on.",
    .source = "gbflow's own, for queues whose drain rate is known",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct sojourn),
    .state_octets = sizeof(struct sojourn_state),
    .flags = AQM_DRAWS,
    .axis = AQM_AXIS_AGE,
    .prepare = sojourn_prepare,
    .enqueue = sojourn_enqueue,
    .chance = chance,
};
