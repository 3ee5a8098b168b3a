/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/aqm/curve.h"

#include "control/base/command.h"
#include "control/report/field.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <string.h>

#define POINTS       81
#define ONSETS       5
#define SLOTS        120
#define RUNS         50 /* that an onset is the mean of */
#define SLOT_NS      (MOMENT_SECOND / 2)
#define PACKET       500   /* octets */
#define SETTLING     10000 /* packets */
#define REACH_MIN_NS (2 * MOMENT_SECOND)

/* One instance of the scheme and its queue. */
struct bench {
    struct aqm_setup *setup;
    uint64_t rate_bps;
    int64_t spacing_ns, now;
    _Alignas(64) uint8_t state[AQM_MAX_STATE];
};

static struct aqm_setup *setup_of(const struct aqm_curve *curve)
{
    char message[256];
    struct aqm_choice choice = {curve->ops, curve->values, curve->seed, 0};
    struct aqm_setup *setup = aqm_setup_new(&choice, message, sizeof(message));
    if (!setup)
        fprintf(stderr, "gbflow aqm: %s: %s\n", curve->ops->name, message);
    return setup;
}

static void curve_start(struct bench *b, const struct aqm_curve *curve, struct aqm_setup *setup)
{
    b->setup = setup;
    b->rate_bps = curve->rate_bps;
    b->spacing_ns = (int64_t)((uint64_t)PACKET * 8 * (uint64_t)MOMENT_SECOND / curve->rate_bps);
    b->now = 1;
    aqm_setup_start(setup, b->state, b->now);
}

/* One packet arrives and one leaves; true when the scheme signalled (marked or dropped). */
static bool pass_one(struct bench *b, enum aqm_axis axis, int64_t at)
{
    double octet_ns = 8e9 / (double)b->rate_bps;
    int64_t age_ns = axis == AQM_AXIS_AGE ? at : (int64_t)((double)at * octet_ns);
    uint64_t backlog_octets = axis == AQM_AXIS_AGE ? (uint64_t)((double)at / octet_ns) : (uint64_t)at;
    struct aqm_view view = {
        .backlog_octets = backlog_octets,
        .backlog_pkts = (uint32_t)((backlog_octets + PACKET - 1) / PACKET),
        .rate_bps = b->rate_bps,
        .sojourn_ns = age_ns,
        .left_ns = MOMENT_NEVER,
        .octets = PACKET,
        .ecn = AQM_ECN_ECT0,
    };
    bool is_signalled = aqm_setup_ask(b->setup, AQM_AT_ENQUEUE, b->state, &view, b->now) != AQM_PASS;
    if (!is_signalled) {
        view.age_ns = age_ns;
        is_signalled = aqm_setup_ask(b->setup, AQM_AT_DEQUEUE, b->state, &view, b->now) != AQM_PASS;
    }
    b->now += b->spacing_ns;
    return is_signalled;
}

static int64_t largest(const struct aqm_curve *curve, enum aqm_kind kind)
{
    int64_t found = 0;
    for (uint32_t i = 0; i < curve->ops->param_count; i++)
        if (curve->ops->params[i].kind == kind && curve->values[i] > found)
            found = curve->values[i];
    return found;
}

/* Beyond a threshold, unless there is none. */
static int64_t beyond(int64_t threshold)
{
    return moment_min(threshold, INT64_MAX / 22) * 22 / 10;
}

static int64_t reach_of(const struct aqm_curve *curve)
{
    if (curve->reach > 0)
        return curve->reach;
    if (curve->ops->axis == AQM_AXIS_BACKLOG)
        return beyond(largest(curve, AQM_OCTETS));
    return moment_max(beyond(largest(curve, AQM_DURATION)), REACH_MIN_NS);
}

static double shown(const struct aqm_curve *curve, int64_t at)
{
    return curve->ops->axis == AQM_AXIS_AGE ? (double)at / 1e9 : (double)at;
}

static json_t *point(const struct aqm_curve *curve, struct aqm_setup *setup, int64_t at)
{
    struct bench b;
    uint64_t signals = 0;
    double formula = curve->ops->chance ? curve->ops->chance(setup->law, at) : -1;
    curve_start(&b, curve, setup);
    for (int i = 0; i < SETTLING; i++)
        pass_one(&b, curve->ops->axis, at);
    for (uint32_t i = 0; i < curve->packets; i++)
        signals += pass_one(&b, curve->ops->axis, at);
    json_t *object = json_object();
    field_json_put(object, "at", json_real(shown(curve, at)));
    field_json_put(object, "formula", formula < 0 ? json_null() : json_real(formula));
    field_json_put(object, "signalled", json_real((double)signals / curve->packets));
    return object;
}

static json_t *onset(const struct aqm_curve *curve, struct aqm_setup *setup, int64_t at)
{
    struct bench b;
    uint64_t signals[SLOTS] = {0}, packets[SLOTS] = {0};
    json_t *shares = json_array(), *object = json_object();
    for (int run = 0; run < RUNS; run++) {
        curve_start(&b, curve, setup);
        for (int64_t slot = 0; slot < SLOTS; slot = b.now / SLOT_NS) {
            signals[slot] += pass_one(&b, curve->ops->axis, at);
            packets[slot]++;
        }
    }
    for (int slot = 0; slot < SLOTS; slot++) {
        double share = packets[slot] > 0 ? (double)signals[slot] / (double)packets[slot] : -1;
        json_array_append_new(shares, share < 0 ? json_null() : json_real(share));
    }
    field_json_put(object, "at", json_real(shown(curve, at)));
    field_json_put(object, "shares", shares);
    return object;
}

static json_t *parameters(const struct aqm_curve *curve)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < curve->ops->param_count; i++) {
        char text[64];
        aqm_param_show(&curve->ops->params[i], curve->values[i], text, sizeof(text));
        field_json_put(object, curve->ops->params[i].name, json_string(text));
    }
    return object;
}

static json_t *lists(const struct aqm_curve *curve, struct aqm_setup *setup, json_t *object)
{
    json_t *points = json_array(), *onsets = json_array();
    int64_t reach = reach_of(curve);
    for (int64_t i = 0; i < POINTS; i++)
        json_array_append_new(points, point(curve, setup, reach / (POINTS - 1) * i));
    for (int64_t i = 1; i <= ONSETS; i++)
        json_array_append_new(onsets, onset(curve, setup, reach / ONSETS * i));
    field_json_put(object, "points", points);
    field_json_put(object, "onset_slot_s", json_real((double)SLOT_NS / 1e9));
    field_json_put_count(object, "onset_runs", RUNS);
    field_json_put(object, "onset", onsets);
    return object;
}

json_t *aqm_curve_measure(const struct aqm_curve *curve)
{
    struct aqm_setup *setup = setup_of(curve);
    if (!setup)
        return NULL;
    json_t *object = json_object();
    field_json_put(object, "schema", json_string("gbflow-aqm-curve/1"));
    field_json_put(object, "version", json_string(command_version()));
    field_json_put(object, "scheme", json_string(curve->ops->name));
    field_json_put(object, "title", json_string(curve->ops->title));
    field_json_put(object, "summary", json_string(curve->ops->summary));
    field_json_put(object, "source", json_string(curve->ops->source));
    field_json_put(object, "parameters", parameters(curve));
    field_json_put(object, "axis",
                   json_string(curve->ops->axis == AQM_AXIS_AGE ? "age_s" : "backlog_octets"));
    field_json_put_count(object, "rate_bps", curve->rate_bps);
    field_json_put_count(object, "packet_octets", PACKET);
    field_json_put_count(object, "settling_packets", SETTLING);
    field_json_put_count(object, "packets", curve->packets);
    field_json_put_count(object, "seed", curve->seed);
    lists(curve, setup, object);
    aqm_setup_free(setup);
    return object;
}

#define MS           (MOMENT_SECOND / 1000)
#define CHECKS       200
#define STATED       50
#define STATED_VALUE 0.9991

/* The stated case first, then how each parameter moves the curve. */
static const struct {
    int64_t low_ns, high_ns, max_chance_ppm, period_ns;
} cases[] = {
    {1000 * MS, 3000 * MS, 1000000, 10 * MS}, {1000 * MS, 3000 * MS, 500000, 10 * MS},
    {1000 * MS, 3000 * MS, 200000, 10 * MS},  {750 * MS, 2250 * MS, 200000, 10 * MS},
    {1000 * MS, 3000 * MS, 1000000, 50 * MS},
};

/* Equation 1, multiplied out. */
static double equation_1(size_t c, int n)
{
    double survives = 1, span = (double)(cases[c].high_ns - cases[c].low_ns);
    for (int i = 1; i <= n; i++) {
        double share = (double)(i * cases[c].period_ns) / span;
        survives *= share >= 1 ? 0 : 1 - share * (double)cases[c].max_chance_ppm / 1e6;
    }
    return 1 - survives;
}

static struct aqm_setup *figure2_setup_of(const struct aqm_curve *curve, size_t c)
{
    const char *const names[] = {"low", "high", "max_chance", "period"};
    const int64_t given[] = {cases[c].low_ns, cases[c].high_ns, cases[c].max_chance_ppm, cases[c].period_ns};
    int64_t values[AQM_MAX_PARAMS];
    char message[128];
    memcpy(values, curve->values, sizeof(values));
    for (int i = 0; i < 4; i++)
        values[aqm_param_find(curve->ops, names[i])] = given[i];
    struct aqm_choice choice = {curve->ops, values, curve->seed, c + 1};
    return aqm_setup_new(&choice, message, sizeof(message));
}

/* How many packets are signalled at each check for the first time; counts[CHECKS + 1]: later. */
static void draw(struct aqm_setup *setup, size_t c, uint32_t packets, uint64_t *counts)
{
    for (uint32_t i = 0; i < packets; i++) {
        struct aqm_view view = {.octets = 500, .left_ns = MOMENT_NEVER};
        int n = 0;
        aqm_setup_ask(setup, AQM_AT_ENQUEUE, NULL, &view, 0);
        do
            view.age_ns = cases[c].low_ns + ++n * cases[c].period_ns;
        while (n <= CHECKS && aqm_setup_ask(setup, AQM_AT_DEQUEUE, NULL, &view, 0) == AQM_PASS);
        counts[n]++;
    }
}

static json_t *one_case(const struct aqm_curve *curve, size_t c)
{
    uint64_t counts[CHECKS + 2] = {0}, signalled = 0;
    struct aqm_setup *setup = figure2_setup_of(curve, c);
    json_t *object = json_object(), *formula = json_array(), *measured = json_array();
    if (setup)
        draw(setup, c, curve->packets, counts);
    aqm_setup_free(setup);
    for (int n = 0; n <= CHECKS; n++) {
        signalled += counts[n];
        json_array_append_new(formula, json_real(equation_1(c, n)));
        json_array_append_new(measured, json_real((double)signalled / curve->packets));
    }
    field_json_put_seconds(object, "low_s", cases[c].low_ns);
    field_json_put_seconds(object, "high_s", cases[c].high_ns);
    field_json_put_seconds(object, "period_s", cases[c].period_ns);
    field_json_put(object, "max_chance", json_real((double)cases[c].max_chance_ppm / 1e6));
    field_json_put(object, "formula", formula);
    field_json_put(object, "signalled", measured);
    return object;
}

json_t *aqm_curve_figure2(const struct aqm_curve *curve)
{
    json_t *all = json_array(), *object = json_object(), *stated = json_object();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        json_array_append_new(all, one_case(curve, c));
    const json_t *first = json_array_get(all, 0);
    json_t *measured = json_array_get(json_object_get(first, "signalled"), STATED);
    field_json_put_count(stated, "check", STATED);
    field_json_put(stated, "published", json_real(STATED_VALUE));
    field_json_put(stated, "formula", json_real(equation_1(0, STATED)));
    field_json_put(stated, "signalled", json_incref(measured));
    field_json_put(object, "cases", all);
    field_json_put(object, "stated", stated);
    return object;
}
