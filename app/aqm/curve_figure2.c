/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/aqm/curve.h"

#include "control/report/field.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"

#include <string.h>

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

static struct aqm_setup *setup_of(const struct aqm_curve *curve, size_t c)
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
    struct aqm_setup *setup = setup_of(curve, c);
    json_t *object = json_object(), *formula = json_array(), *measured = json_array();
    if (setup)
        draw(setup, c, curve->packets, counts);
    aqm_setup_free(setup);
    for (int n = 0; n <= CHECKS; n++) {
        signalled += counts[n];
        json_array_append_new(formula, json_real(equation_1(c, n)));
        json_array_append_new(measured, json_real((double)signalled / curve->packets));
    }
    fields_put_seconds(object, "low_s", cases[c].low_ns);
    fields_put_seconds(object, "high_s", cases[c].high_ns);
    fields_put_seconds(object, "period_s", cases[c].period_ns);
    fields_put(object, "max_chance", json_real((double)cases[c].max_chance_ppm / 1e6));
    fields_put(object, "formula", formula);
    fields_put(object, "signalled", measured);
    return object;
}

json_t *aqm_curve_figure2(const struct aqm_curve *curve)
{
    json_t *all = json_array(), *object = json_object(), *stated = json_object();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        json_array_append_new(all, one_case(curve, c));
    const json_t *first = json_array_get(all, 0);
    json_t *measured = json_array_get(json_object_get(first, "signalled"), STATED);
    fields_put_count(stated, "check", STATED);
    fields_put(stated, "published", json_real(STATED_VALUE));
    fields_put(stated, "formula", json_real(equation_1(0, STATED)));
    fields_put(stated, "signalled", json_incref(measured));
    fields_put(object, "cases", all);
    fields_put(object, "stated", stated);
    return object;
}
