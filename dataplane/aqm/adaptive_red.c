/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive RED (Floyd, Gummadi and Shenker 2001): gentle RED whose max_chance is moved so that the average
 * stays in the middle of min and max. Every interval, when the average is
 *   above min + 0.6 (max - min) and max_chance <= 0.5:  max_chance += min(0.01, max_chance / 4)
 *   below min + 0.4 (max - min) and max_chance >= 0.01: max_chance *= 0.9
 * With target_delay and a known rate C, thresholds and weight follow the rate as the paper derives them:
 * min = max(5 packets, C target_delay / 2), max = 3 min, weight = 1 - exp(-1 / packets a second).
 * Updated when a packet arrives, at most once an interval; intervals without arrivals are skipped.
 */
#include "dataplane/aqm/red.h"

#define MIN_MAX_OCTETS 1000000000

enum { ECN, MIN, MAX, MAX_CHANCE, WEIGHT, TARGET_DELAY, INTERVAL, PACKET_OCTETS, PACKET_TIME, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [MIN] = {"min", "average below which nothing is signalled", AQM_OCTETS, 1, 100000000, 15000, NULL},
    [MAX] = {"max", "average where the gentle slope begins", AQM_OCTETS, 2, 100000000, 45000, NULL},
    [MAX_CHANCE] = {"max_chance", "chance at max, to begin with", AQM_SHARE, 10000, 500000, 100000, NULL},
    [WEIGHT] = {"weight", "of the queue's length in its average, at each arrival", AQM_SHARE, 1, 1000000,
                2000, NULL},
    [TARGET_DELAY] = {"target_delay",
                      "delay to aim at: min, max and weight then follow the known rate; 0: they stay",
                      AQM_DURATION, 0, 60000000000, 0, NULL},
    [INTERVAL] = {"interval", "between two updates of max_chance", AQM_DURATION, 1000000, 60000000000,
                  500000000, NULL},
    [PACKET_OCTETS] = {"mean_octets", "size of a typical N-PDU", AQM_OCTETS, 20, 65535, 500, NULL},
    [PACKET_TIME] = {"idle_packet", "its time on an empty queue, where the rate is not known", AQM_DURATION,
                     1000, 10000000000, 50000000, NULL},
};

struct adaptive_law {
    struct red_law red;
    int64_t target_delay_ns, interval_ns;
    int64_t step_max, least; /* 0.01 */
};

struct adaptive_state {
    struct red_state red;
    struct red_curve curve;
    int64_t look_ns;
    uint64_t rate_bps; /* for which the curve was computed */
};

static const char *adaptive_red_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct adaptive_law *a = law;
    if (values[MIN] >= values[MAX])
        return "min must be less than max";
    a->red.is_gentle = true;
    a->red.curve.max_chance = aqm_fixed_ppm(values[MAX_CHANCE]);
    a->red.curve.weight = aqm_fixed_ppm(values[WEIGHT]);
    red_law_curve(&a->red.curve, values[MIN], values[MAX], true);
    red_law_packet(&a->red, (uint64_t)values[PACKET_OCTETS], values[PACKET_TIME]);
    a->target_delay_ns = values[TARGET_DELAY];
    a->interval_ns = values[INTERVAL];
    a->step_max = a->least = aqm_fixed_ppm(10000);
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    const struct adaptive_law *a = law;
    struct adaptive_state *s = state;
    s->red.idle_since_ns = now;
    s->curve = a->red.curve;
    s->look_ns = now + a->interval_ns;
}

/* 1 - exp(-x), 0 <= x <= 1, as the alternating series. */
static int64_t one_minus_exp(int64_t x)
{
    int64_t term = x, sum = 0;
    for (int n = 1; term > 0; n++) {
        sum += n & 1 ? term : -term;
        term = aqm_fixed_mul(term, x) / (n + 1);
    }
    return sum;
}

static void follow_rate(const struct adaptive_law *a, struct adaptive_state *s, uint64_t rate_bps)
{
    uint64_t packet_bits = a->red.packet_octets * 8;
    aqm_uwide half_delay = (aqm_uwide)rate_bps * (uint64_t)a->target_delay_ns / 16000000000U;
    int64_t least = (int64_t)(5 * a->red.packet_octets);
    int64_t min = half_delay > (uint64_t)least ? (int64_t)half_delay : least;
    min = half_delay > MIN_MAX_OCTETS ? MIN_MAX_OCTETS : min;
    int64_t x =
        rate_bps > packet_bits ? aqm_fixed_ratio((int64_t)packet_bits, (int64_t)rate_bps) : AQM_FIXED_ONE;
    s->rate_bps = rate_bps;
    s->curve.weight = one_minus_exp(x);
    red_law_curve(&s->curve, min, 3 * min, true);
}

static void adapt(const struct adaptive_law *a, struct adaptive_state *s)
{
    struct red_curve *curve = &s->curve;
    int64_t fifth = (curve->max - curve->min) / 5;
    int64_t step = curve->max_chance / 4 < a->step_max ? curve->max_chance / 4 : a->step_max;
    if (s->red.average > curve->min + 3 * fifth && curve->max_chance <= AQM_FIXED_ONE / 2)
        curve->max_chance += step;
    else if (s->red.average < curve->min + 2 * fifth && curve->max_chance >= a->least)
        curve->max_chance = curve->max_chance / 10 * 9;
    red_law_curve(curve, curve->min >> RED_LAW_BITS, curve->max >> RED_LAW_BITS, true);
}

static enum aqm_verdict adaptive_red_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct adaptive_law *a = law;
    struct adaptive_state *s = state;
    if (a->target_delay_ns > 0 && view->rate_bps > 0 && view->rate_bps != s->rate_bps)
        follow_rate(a, s, view->rate_bps);
    if (now >= s->look_ns) {
        adapt(a, s);
        s->look_ns = now + a->interval_ns;
    }
    return red_law_arrive(&a->red, &s->curve, &s->red, view, now);
}

static enum aqm_verdict adaptive_red_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    red_law_leave(&((struct adaptive_state *)state)->red, view, now);
    return AQM_PASS;
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct adaptive_state *s = state;
    out[0] = (struct aqm_reading){"average_octets", (double)s->red.average / (double)(1 << RED_LAW_BITS)};
    out[1] = (struct aqm_reading){"max_chance", aqm_fixed_double(s->curve.max_chance)};
    out[2] = (struct aqm_reading){"min_octets", (double)s->curve.min / (double)(1 << RED_LAW_BITS)};
    out[3] = (struct aqm_reading){"weight", aqm_fixed_double(s->curve.weight)};
    return 4;
}

const struct aqm_ops adaptive_red_ops = {
    .name = "adaptive_red",
    .title = "adaptive RED",
    .summary = "Gentle RED that moves max_chance, by additions of at most 0.01 and factors of 0.9, until the "
               "average stays "
               "halfway between min and max.",
    .source = "Floyd, Gummadi and Shenker 2001",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct adaptive_law),
    .state_octets = sizeof(struct adaptive_state),
    .flags = AQM_DRAWS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = adaptive_red_prepare,
    .init = init,
    .enqueue = adaptive_red_enqueue,
    .dequeue = adaptive_red_dequeue,
    .read = read,
};
