/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TTL-based RED, variant 1 of the AQM paper: a packet is checked every `period` from the age `low` on. The
 * n-th check, n = 1, 2, ..., comes at the age low + n period and signals it with the chance
 *   p(n) = min(1, max_chance n period / (high - low)), and surely from the age `high` on.
 * No check is made: on arrival the number of the check that will signal the packet is drawn from that law,
 * P(N > n) = (1 - p(1)) ... (1 - p(n)), and before it leaves its age is compared. A packet to be dropped
 * stays queued until then; it takes up no capacity of the link, so only the backlog differs.
 */
#include "dataplane/aqm/aqm.h"

#define CHECKS_MAX 4096
#define GUIDE_BITS 10

enum { ECN, LOW, HIGH, MAX_CHANCE, PERIOD, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [LOW] = {"low", "age from which packets are checked", AQM_DURATION, 0, 600000000000, 750000000, NULL},
    [HIGH] = {"high", "age from which every check signals", AQM_DURATION, 1000000, 600000000000, 2250000000,
              NULL},
    [MAX_CHANCE] = {"max_chance", "chance that a check at the age `high` is near to", AQM_SHARE, 1, 1000000,
                    200000, NULL},
    [PERIOD] = {"period", "between two checks of a packet", AQM_DURATION, 100000, 600000000000, 10000000,
                NULL},
};

struct ttlred1 {
    int64_t low_ns, period_ns;
    uint32_t checks;                  /* the last of them signals */
    uint16_t guide[1 << GUIDE_BITS];  /* smallest check number for the draws of a bucket */
    int64_t survives[CHECKS_MAX + 1]; /* chance of no signal in n checks */
};

static void make_guide(struct ttlred1 *t)
{
    uint32_t n = 0;
    for (uint32_t bucket = 1U << GUIDE_BITS; bucket-- > 0;) {
        int64_t largest = ((int64_t)(bucket + 1) << (AQM_FIXED_BITS - GUIDE_BITS)) - 1;
        while (largest < t->survives[n])
            n++;
        t->guide[bucket] = (uint16_t)n;
    }
}

static const char *ttlred1_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct ttlred1 *t = law;
    int64_t span = values[HIGH] - values[LOW], period = values[PERIOD];
    if (span <= 0)
        return "low must be less than high";
    if (span > (int64_t)CHECKS_MAX * period)
        return "period is too short: at most 4096 checks lie between low and high";
    t->low_ns = values[LOW];
    t->period_ns = period;
    t->checks = (uint32_t)((span + period - 1) / period);
    t->survives[0] = AQM_FIXED_ONE;
    int64_t slope = aqm_fixed_mul(aqm_fixed_ratio(period < span ? period : span, span),
                                  aqm_fixed_ppm(values[MAX_CHANCE]));
    for (uint32_t n = 1; n < t->checks; n++)
        t->survives[n] = aqm_fixed_mul(t->survives[n - 1], AQM_FIXED_ONE - slope * n);
    t->survives[t->checks] = 0;
    make_guide(t);
    return NULL;
}

static enum aqm_verdict ttlred1_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct ttlred1 *t = law;
    int64_t uniform = aqm_fixed_uniform(view->random);
    uint32_t n = t->guide[uniform >> (AQM_FIXED_BITS - GUIDE_BITS)];
    while (uniform < t->survives[n])
        n++;
    view->tag = n;
    return AQM_PASS;
}

static enum aqm_verdict ttlred1_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct ttlred1 *t = law;
    return view->age_ns >= t->low_ns + view->tag * t->period_ns ? AQM_MARK : AQM_PASS;
}

/* The paper's equation 1 at the number of checks made by an age. */
static double chance(const void *law, int64_t at)
{
    const struct ttlred1 *t = law;
    int64_t n = at < t->low_ns ? 0 : (at - t->low_ns) / t->period_ns;
    return 1 - aqm_fixed_double(t->survives[n < t->checks ? n : t->checks]);
}

const struct aqm_ops ttlred1_ops = {
    .name = "ttlred1",
    .title = "TTL-based RED, variant 1",
    .summary =
        "Checks each packet every period once it is older than low, and signals it with a chance that grows "
        "to "
        "max_chance at the age high, and surely from there on. The check is drawn when the packet comes.",
    .source = "the AQM paper, section III.D, equation 1 and Fig. 2",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct ttlred1),
    .flags = AQM_DRAWS | AQM_RATELESS,
    .axis = AQM_AXIS_AGE,
    .prepare = ttlred1_prepare,
    .enqueue = ttlred1_enqueue,
    .dequeue = ttlred1_dequeue,
    .chance = chance,
};
