/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/red.h"

#include "dataplane/aqm/aqm.h"

/* The average stays 0 until an N-PDU finds others queued, and the first of these sets idle_since_ns. */
static inline bool red_law_is_idle(const struct red_state *state)
{
    return state->average == 0 && state->count == 0;
}

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

/* The chance p at an average, before spacing and size. */
static int64_t red_law_chance(const struct red_curve *curve, int64_t average)
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

/* Signals per packet at a steady average, by the law of the gap: 1 / E[gap]. For reports. */
static double red_law_rate(const struct red_curve *curve, int64_t average)
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

enum {
    ECN,
    MODE,
    MIN,
    MAX,
    MIN_PACKETS,
    MAX_PACKETS,
    MAX_CHANCE,
    WEIGHT,
    GENTLE,
    BY_SIZE,
    ABOVE_MAX,
    PACKET_OCTETS,
    PACKET_TIME,
    PARAMS
};
enum { MODE_OCTETS, MODE_PACKETS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [MODE] = {"mode", "what the queue is measured in: min and max count, or min_packets and max_packets",
              AQM_CHOICE, 0, 1, MODE_OCTETS, "octets packets"},
    [MIN] = {"min", "average below which nothing is signalled", AQM_OCTETS, 1, 100000000, 15000, NULL},
    [MAX] = {"max", "average from which everything is dropped, or where the gentle slope begins", AQM_OCTETS,
             2, 100000000, 45000, NULL},
    [MIN_PACKETS] = {"min_packets", "the same as min in packets", AQM_PACKETS, 1, 1000000, 5, NULL},
    [MAX_PACKETS] = {"max_packets", "the same as max in packets", AQM_PACKETS, 2, 1000000, 15, NULL},
    [MAX_CHANCE] = {"max_chance", "chance at max", AQM_SHARE, 1, 1000000, 200000, NULL},
    [WEIGHT] = {"weight", "of the queue's length in its average, at each arrival", AQM_SHARE, 1, 1000000,
                2000, NULL},
    [GENTLE] = {"gentle", "the chance rises from max_chance to 1 between max and twice max", AQM_FLAG, 0, 1,
                0, NULL},
    [BY_SIZE] = {"by_size", "the chance of an N-PDU grows with its size: times octets over mean_octets",
                 AQM_FLAG, 0, 1, 0, NULL},
    [ABOVE_MAX] = {"mark_above_max", "with ecn: mark even where all would be dropped", AQM_FLAG, 0, 1, 0,
                   NULL},
    [PACKET_OCTETS] = {"mean_octets", "size of a typical N-PDU", AQM_OCTETS, 20, 65535, 500, NULL},
    [PACKET_TIME] = {"idle_packet", "its time on an empty queue, where the rate is not known", AQM_DURATION,
                     1000, 10000000000, 50000000, NULL},
};

static const char *red_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct red_law *red = law;
    bool counts_packets = values[MODE] == MODE_PACKETS;
    int64_t min = values[counts_packets ? MIN_PACKETS : MIN],
            max = values[counts_packets ? MAX_PACKETS : MAX];
    if (min >= max)
        return counts_packets ? "min_packets must be less than max_packets" : "min must be less than max";
    red->counts_packets = counts_packets;
    red->is_gentle = values[GENTLE];
    red->marks_above_max = values[ABOVE_MAX];
    red->curve.max_chance = aqm_fixed_ppm(values[MAX_CHANCE]);
    red->curve.weight = aqm_fixed_ppm(values[WEIGHT]);
    red_law_curve(&red->curve, min, max, red->is_gentle);
    red_law_packet(red, (uint64_t)values[PACKET_OCTETS], values[PACKET_TIME]);
    red->size_factor = values[BY_SIZE] ? (UINT64_C(1) << 32) / red->packet_octets : 0;
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    ((struct red_state *)state)->idle_since_ns = now;
}

static enum aqm_verdict red_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct red_law *red = law;
    return red_law_arrive(red, &red->curve, state, view, now);
}

static enum aqm_verdict red_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    red_law_leave(state, view, now);
    return AQM_PASS;
}

static bool is_idle(const void *law, const void *state)
{
    return red_law_is_idle(state);
}

static double chance(const void *law, int64_t at)
{
    const struct red_law *red = law;
    if (red->size_factor > 0)
        return -1;
    int64_t waiting = red->counts_packets ? at / (int64_t)red->packet_octets : at;
    return red_law_rate(&red->curve, waiting << RED_LAW_BITS);
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct red_law *red = law;
    const struct red_state *s = state;
    out[0].name = red->counts_packets ? "average_packets" : "average_octets";
    out[0].value = (double)s->average / (double)(1 << RED_LAW_BITS);
    return 1;
}

const struct aqm_ops red_ops = {
    .name = "red",
    .title = "random early detection",
    .summary = "Signals with a chance that grows with the average queue: 0 at min, max_chance at max, all "
               "beyond; signals are "
               "spaced by the count of packets since the last. gentle: up to 1 at twice max.",
    .source = "Floyd and Jacobson 1993; gentle RED: Floyd 2000; the AQM paper, section III.C",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct red_law),
    .state_octets = sizeof(struct red_state),
    .flags = AQM_DRAWS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = red_prepare,
    .init = init,
    .enqueue = red_enqueue,
    .dequeue = red_dequeue,
    .chance = chance,
    .read = read,
    .is_idle = is_idle,
};
