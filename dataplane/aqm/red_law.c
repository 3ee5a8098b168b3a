/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/red_law.h"

#define IDLE_MAX_NS (INT64_C(1) << 42) /* more than an hour, after which the average counts as 0 */
#define RATE_MAX    (UINT64_C(1) << 40)

void red_law_curve(struct red_curve *curve, int64_t min, int64_t max, bool is_gentle)
{
    int64_t span = (max - min) << RED_LAW_BITS;
    curve->min = min << RED_LAW_BITS;
    curve->max = max << RED_LAW_BITS;
    curve->end = is_gentle ? 2 * curve->max : curve->max;
    curve->slope = (int64_t)(((aqm_wide)curve->max_chance << RED_LAW_BITS) / span);
    curve->gentle_slope =
        (int64_t)(((aqm_wide)(AQM_FIXED_ONE - curve->max_chance) << RED_LAW_BITS) / curve->max);
}

void red_law_packet(struct red_law *law, uint64_t octets, int64_t packet_ns)
{
    law->packet_octets = octets;
    law->packet_ns = packet_ns;
    law->inverse = (uint64_t)(((aqm_uwide)1 << 94) / ((aqm_uwide)octets * 8000000000U));
}

int64_t red_law_chance(const struct red_curve *curve, int64_t average)
{
    if (average < curve->min)
        return 0;
    if (average >= curve->end)
        return AQM_FIXED_ONE;
    if (average < curve->max)
        return (int64_t)((aqm_wide)(average - curve->min) * curve->slope >> RED_LAW_BITS);
    aqm_wide rise = (aqm_wide)(average - curve->max) * curve->gentle_slope >> RED_LAW_BITS;
    return curve->max_chance + (int64_t)rise;
}

double red_law_rate(const struct red_curve *curve, int64_t average)
{
    double p = aqm_fixed_double(red_law_chance(curve, average));
    if (p <= 0 || p >= 1)
        return p <= 0 ? 0 : 1;
    double whole =
        (double)(int64_t)(1 / p); /* gaps of 1 .. whole have the chance p each, the next gap has the rest */
    return 1 / ((whole + 1) * (1 - whole * p / 2));
}

/* Number of packets of mean size that would have left in this time. */
static uint64_t packets_in(const struct red_law *law, int64_t idle_ns, uint64_t rate_bps)
{
    if (rate_bps == 0)
        return (uint64_t)idle_ns / (uint64_t)law->packet_ns;
    aqm_uwide bit_ns = (aqm_uwide)(uint64_t)idle_ns * (rate_bps < RATE_MAX ? rate_bps : RATE_MAX);
    return (uint64_t)((bit_ns >> 32) * law->inverse >> 62);
}

static void average_in(const struct red_law *law, const struct red_curve *curve, struct red_state *state,
                       const struct aqm_view *view, int64_t now)
{
    if (view->backlog_pkts > 0) {
        uint64_t waiting = law->counts_packets ? view->backlog_pkts : view->backlog_octets;
        state->average += aqm_fixed_mul((int64_t)(waiting << RED_LAW_BITS) - state->average, curve->weight);
        return;
    }
    int64_t idle_ns = now - state->idle_since_ns;
    if (state->average > 0 && idle_ns > 0) {
        uint64_t m = packets_in(law, idle_ns < IDLE_MAX_NS ? idle_ns : IDLE_MAX_NS, view->rate_bps);
        state->average = aqm_fixed_mul(state->average, aqm_fixed_power(AQM_FIXED_ONE - curve->weight, m));
    }
    state->idle_since_ns = now;
}

/* Whether a draw is below chance / (1 - count chance), without the division. */
static bool is_hit(int64_t chance, uint32_t count, uint64_t random)
{
    aqm_wide left = AQM_FIXED_ONE - (aqm_wide)chance * count;
    return left <= 0 || aqm_fixed_mul(aqm_fixed_uniform(random), (int64_t)left) < chance;
}

static int64_t by_size(const struct red_law *law, int64_t chance, uint32_t octets)
{
    if (law->size_factor == 0)
        return chance;
    aqm_uwide scaled = (aqm_uwide)(uint64_t)chance * octets * law->size_factor >> 32;
    return scaled < (aqm_uwide)AQM_FIXED_ONE ? (int64_t)scaled : AQM_FIXED_ONE;
}

enum aqm_verdict red_law_arrive(const struct red_law *law, const struct red_curve *curve,
                                struct red_state *state, const struct aqm_view *view, int64_t now)
{
    average_in(law, curve, state, view, now);
    if (state->average < curve->min) {
        state->count = 0;
        return AQM_PASS;
    }
    if (state->average >= curve->end) {
        state->count = 0;
        return law->marks_above_max ? AQM_MARK : AQM_DROP;
    }
    int64_t chance = by_size(law, red_law_chance(curve, state->average), view->octets);
    if (is_hit(chance, state->count, view->random)) {
        state->count = 0;
        return AQM_MARK;
    }
    state->count++;
    return AQM_PASS;
}
