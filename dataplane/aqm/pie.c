/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PIE (RFC 8033). Every update, with the queue's delay d in seconds and the one before:
 *   p += (alpha (d - target) + beta (d - before)) x k, k = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2, 1 for p
 * below 10^-6, 10^-5, 10^-4, 0.001, 0.01, 0.1, and above; p *= 0.98 after two delays of 0; 0 <= p <= 1
 * (section 4.2). d is the backlog over the known rate, or over the estimate of section 5.2, or the age of
 * the last packet that left (section 4.3). Section 4.1's safeguards, 4.4's burst allowance, 5.1's ECN up to
 * 10 %, 5.4's derandomisation and 5.5's cap on steps are implemented; the last two can be turned off.
 *
 * No timer runs: the updates due since the last packet are made when the next one arrives or leaves. Their
 * input does not change between two packets, so the result is the timer's. After UPDATES_MAX in a row the
 * rest are skipped.
 */
#include "dataplane/aqm/aqm.h"

#define UPDATES_MAX    256
#define MEASURE_MAX_NS INT64_C(10000000000000)
#define FIVE_15        UINT64_C(30517578125)
#define NS_UNITS       1000000000000000 /* millionths a second times ns, in a whole */

enum {
    ECN,
    TARGET,
    UPDATE,
    ALPHA,
    BETA,
    BURST,
    DELAY,
    DQ_THRESHOLD,
    CAP,
    DERANDOMIZE,
    MARK_MAX,
    MEAN_OCTETS,
    PARAMS
};
enum { DELAY_KNOWN, DELAY_ESTIMATE, DELAY_AGE };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [TARGET] = {"target", "delay to aim at", AQM_DURATION, 100000, 60000000000, 15000000, NULL},
    [UPDATE] = {"update", "between two updates of the chance", AQM_DURATION, 1000000, 10000000000, 15000000,
                NULL},
    [ALPHA] = {"alpha", "weight of the delay's distance from target, per second", AQM_SHARE, 0, 100000000,
               125000, NULL},
    [BETA] = {"beta", "weight of the delay's change, per second", AQM_SHARE, 0, 100000000, 1250000, NULL},
    [BURST] = {"burst", "after a time without congestion, nothing is signalled for this time", AQM_DURATION,
               0, 60000000000, 150000000, NULL},
    [DELAY] = {"delay",
               "where the delay comes from: backlog over the known rate, over an estimated one, or the age "
               "of packets",
               AQM_CHOICE, 0, 2, DELAY_KNOWN, "known estimate age"},
    [DQ_THRESHOLD] = {"estimate_octets", "octets that the estimator times", AQM_OCTETS, 500, 65536, 16384,
                      NULL},
    [CAP] = {"cap", "above 10 % the chance grows by at most 2 % an update", AQM_FLAG, 0, 1, 1, NULL},
    [DERANDOMIZE] = {"derandomize", "no two signals close to each other, none far from the last", AQM_FLAG, 0,
                     1, 0, NULL},
    [MARK_MAX] = {"mark_max", "chance above which ECN capable packets are dropped, too", AQM_SHARE, 0,
                  1000000, 100000, NULL},
    [MEAN_OCTETS] = {"mean_octets", "size of a typical N-PDU; with two of them waiting nothing is signalled",
                     AQM_OCTETS, 20, 65535, 500, NULL},
};

struct pie {
    int64_t target_ns, update_ns, alpha_ppm, beta_ppm, burst_ns;
    int64_t fifth, fiftieth, mark_max, accumulate_low, accumulate_high;
    int64_t below[6]; /* 10^-6 .. 0.1 */
    uint64_t estimate_octets, least_octets;
    uint8_t delay;
    bool is_capped, is_derandomized;
};

struct pie_state {
    int64_t chance, accumulated; /* accumulated: in 1/16 */
    int64_t delay_before_ns, burst_ns, update_ns;
    int64_t age_ns;                        /* of the last packet that left */
    uint64_t backlog_octets, rate_bps;     /* since the last packet */
    int64_t measure_since_ns, measured_ns; /* measured: time in which estimate_octets leave, 0: not known */
    int64_t gone_octets;                   /* octets that left since then, -1: no measurement runs */
};

static const char *pie_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    static const int64_t below_ppm[] = {1, 10, 100, 1000, 10000, 100000};
    struct pie *pie = law;
    *pie = (struct pie){
        .target_ns = values[TARGET],
        .update_ns = values[UPDATE],
        .alpha_ppm = values[ALPHA],
        .beta_ppm = values[BETA],
        .burst_ns = values[BURST],
        .fifth = AQM_FIXED_ONE / 5,
        .fiftieth = aqm_fixed_ppm(20000),
        .mark_max = aqm_fixed_ppm(values[MARK_MAX]),
        .accumulate_low = aqm_fixed_ppm(850000) / 16,
        .accumulate_high = aqm_fixed_ppm(8500000 / 16),
        .estimate_octets = (uint64_t)values[DQ_THRESHOLD],
        .least_octets = 2 * (uint64_t)values[MEAN_OCTETS],
        .delay = (uint8_t)values[DELAY],
        .is_capped = values[CAP],
        .is_derandomized = values[DERANDOMIZE],
    };
    for (int i = 0; i < 6; i++)
        pie->below[i] = aqm_fixed_ppm(below_ppm[i]);
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    const struct pie *pie = law;
    struct pie_state *s = state;
    s->burst_ns = pie->burst_ns;
    s->update_ns = now + pie->update_ns;
    s->gone_octets = -1;
}

static int64_t delay_ns(const struct pie *pie, const struct pie_state *s)
{
    if (s->backlog_octets == 0)
        return 0;
    if (pie->delay == DELAY_KNOWN && s->rate_bps > 0)
        return aqm_fixed_serial_ns(s->backlog_octets, s->rate_bps);
    if (pie->delay == DELAY_ESTIMATE)
        return (int64_t)((aqm_wide)s->backlog_octets * s->measured_ns / (int64_t)pie->estimate_octets);
    return s->age_ns;
}

/*
 * Converts 10^15 units to one whole, rounded towards 0, for at most 2^62 units: 2^62 / 10^15 = 2^47 / 5^15.
 * Each step of this long division fits into 64 bits, where division by a constant is a multiplication.
 */
static aqm_wide whole_of(int64_t units)
{
    uint64_t left = units < 0 ? -(uint64_t)units : (uint64_t)units;
    aqm_uwide whole = (aqm_uwide)(left / FIVE_15) << 47;
    left = left % FIVE_15 << 28;
    whole += (aqm_uwide)(left / FIVE_15) << 19;
    left = left % FIVE_15 << 19;
    whole += left / FIVE_15;
    return units < 0 ? -(aqm_wide)whole : (aqm_wide)whole;
}

/* The update's step before scaling by p (the k above). */
static aqm_wide push_of(const struct pie *pie, int64_t delay, int64_t before)
{
    const aqm_wide most = (aqm_wide)NS_UNITS * 4096;
    aqm_wide units =
        (aqm_wide)pie->alpha_ppm * (delay - pie->target_ns) + (aqm_wide)pie->beta_ppm * (delay - before);
    return whole_of((int64_t)(units > most ? most : units < -most ? -most : units));
}

/* Scales the step by k; keeps the chance within 0 .. 1. */
static int64_t step_of(const struct pie *pie, const struct pie_state *s, aqm_wide push)
{
    static const uint8_t shifts[] = {11, 9, 7, 5, 3, 1, 0};
    int range = 0;

    while (range < 6 && s->chance >= pie->below[range])
        range++;
    aqm_wide step = push < 0 ? -(-push >> shifts[range]) : push >> shifts[range];
    if (range == 6 && pie->is_capped && step > pie->fiftieth)
        step = pie->fiftieth;
    if (step > AQM_FIXED_ONE - s->chance)
        return AQM_FIXED_ONE - s->chance;
    return step < -s->chance ? -s->chance : (int64_t)step;
}

static void update(const struct pie *pie, struct pie_state *s, int64_t delay, aqm_wide push)
{
    int64_t half_ns = pie->target_ns / 2;
    int64_t chance = s->chance + step_of(pie, s, push);
    if (delay == 0 && s->delay_before_ns == 0)
        chance -= chance / 50;
    s->chance = chance;
    s->burst_ns = s->burst_ns > pie->update_ns ? s->burst_ns - pie->update_ns : 0;
    if (s->chance == 0 && delay < half_ns && s->delay_before_ns < half_ns)
        s->burst_ns = pie->burst_ns;
    s->delay_before_ns = delay;
}

/* Skips up to `most` due updates that would change nothing but the time of the next. */
static void skip(const struct pie *pie, struct pie_state *s, int64_t most, int64_t now)
{
    int64_t due = now >= s->update_ns ? (now - s->update_ns) / pie->update_ns + 1 : 0;
    s->update_ns += pie->update_ns * (due < most ? due : most);
}

/*
 * All due updates have the same delay, so only the first sees a change of it. After one that changes
 * nothing, no later one does.
 */
static void catch_up(const struct pie *pie, struct pie_state *s, int64_t now)
{
    int64_t delay = delay_ns(pie, s);
    aqm_wide push = 0;
    for (int i = 0; i < UPDATES_MAX && now >= s->update_ns; i++) {
        struct pie_state before = *s;
        if (i < 2)
            push = push_of(pie, delay, s->delay_before_ns);
        update(pie, s, delay, push);
        s->update_ns += pie->update_ns;
        if (s->chance == before.chance && s->burst_ns == before.burst_ns && delay == before.delay_before_ns) {
            skip(pie, s, UPDATES_MAX - 1 - i, now);
            break;
        }
    }
    if (now >= s->update_ns)
        s->update_ns = now + pie->update_ns;
}

static bool is_hit(const struct pie *pie, struct pie_state *s, uint64_t random)
{
    bool hit = aqm_fixed_uniform(random) < s->chance;
    if (!pie->is_derandomized)
        return hit;
    s->accumulated = s->chance > 0 ? s->accumulated + (s->chance >> 4) : 0;
    hit = s->accumulated >= pie->accumulate_high || (hit && s->accumulated >= pie->accumulate_low);
    if (hit)
        s->accumulated = 0;
    return hit;
}

static enum aqm_verdict pie_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct pie *pie = law;
    struct pie_state *s = state;
    if (now >= s->update_ns)
        catch_up(pie, s, now);
    s->rate_bps = view->rate_bps;
    s->backlog_octets = view->backlog_octets;
    bool is_safe = s->burst_ns > 0 || (s->delay_before_ns < pie->target_ns / 2 && s->chance < pie->fifth) ||
                   view->backlog_octets <= pie->least_octets;
    if (!is_safe && is_hit(pie, s, view->random))
        return s->chance <= pie->mark_max ? AQM_MARK : AQM_DROP;
    s->backlog_octets += view->octets;
    return AQM_PASS;
}

/*
 * Section 5.2: the time in which estimate_octets leave, averaged with weight 1/4 at the RFC's value of it.
 */
static void pie_measure(const struct pie *pie, struct pie_state *s, const struct aqm_view *view, int64_t now)
{
    int64_t threshold = (int64_t)pie->estimate_octets;
    if (s->gone_octets < 0) {
        if (view->backlog_octets + view->octets < pie->estimate_octets)
            return;
        s->gone_octets = 0;
        s->measure_since_ns = now;
    }
    s->gone_octets += view->octets;
    if (s->gone_octets < threshold)
        return;
    int64_t took_ns = now - s->measure_since_ns;
    took_ns = took_ns > MEASURE_MAX_NS ? MEASURE_MAX_NS : took_ns;
    s->measured_ns =
        s->measured_ns == 0 ? took_ns : (took_ns * threshold + s->measured_ns * (65536 - threshold)) / 65536;
    s->gone_octets = -1;
}

static enum aqm_verdict pie_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct pie *pie = law;
    struct pie_state *s = state;
    if (now >= s->update_ns)
        catch_up(pie, s, now);
    if (pie->delay == DELAY_ESTIMATE)
        pie_measure(pie, s, view, now);
    s->age_ns = view->age_ns - view->parked_ns;
    s->rate_bps = view->rate_bps;
    s->backlog_octets = view->backlog_octets;
    return AQM_PASS;
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct pie *pie = law;
    const struct pie_state *s = state;
    out[0] = (struct aqm_reading){"chance", aqm_fixed_double(s->chance)};
    out[1] = (struct aqm_reading){"delay_s", (double)s->delay_before_ns / 1e9};
    out[2] = (struct aqm_reading){"burst_s", (double)s->burst_ns / 1e9};
    out[3] = (struct aqm_reading){
        "estimate_bps", s->measured_ns > 0 ? (double)pie->estimate_octets * 8e9 / (double)s->measured_ns : 0};
    return 4;
}

const struct aqm_ops pie_ops = {
    .name = "pie",
    .title = "proportional integral controller enhanced",
    .summary = "Signals at random with a chance that a controller moves, every update, by the delay's "
               "distance from target and "
               "by its change.",
    .source = "RFC 8033",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct pie),
    .state_octets = sizeof(struct pie_state),
    .flags = AQM_DRAWS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = pie_prepare,
    .init = init,
    .enqueue = pie_enqueue,
    .dequeue = pie_dequeue,
    .read = read,
};
