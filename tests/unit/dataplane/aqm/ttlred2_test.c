/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define PACKETS (short_form_is_wanted() ? 250000 : 1000000)

static const struct {
    const char *set;
    double low_s, high_s, max_chance;
} cases[] = {
    {"low=750000000 high=2250000000 max_chance=200000", 0.75, 2.25, 0.2},
    {"low=0 high=1000000000 max_chance=500000", 0, 1, 0.5},
    {"low=1000000000 high=3000000000 max_chance=1000000", 1, 3, 1},
    {"low=100000000 high=5000000000 max_chance=0", 0.1, 5, 0},
};

/* The paper's Fig. 3 as a distribution. */
static double figure_3(size_t c, double age_s)
{
    double low = cases[c].low_s, high = cases[c].high_s, p = cases[c].max_chance;
    if (age_s <= low)
        return 0;
    if (age_s <= high)
        return p * (age_s - low) / (high - low);
    return age_s >= 2 * high ? 1 : p + (1 - p) * (age_s - high) / high;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The age at which a packet of this tag is first signalled, by bisection over the hook's answers. */
static double lifetime_s(struct kit *kit, const struct aqm_view *view)
{
    int64_t passes_ns = -1, ends_ns = INT64_C(1) << 36;
    while (ends_ns - passes_ns > 1) {
        struct aqm_view aged = *view;
        aged.age_ns = passes_ns + (ends_ns - passes_ns) / 2;
        if (kit_leave(kit, &aged, 0) == AQM_PASS)
            passes_ns = aged.age_ns;
        else
            ends_ns = aged.age_ns;
    }
    return (double)ends_ns / 1e9;
}

/* Kolmogorov and Smirnov's distance, below its 1 % point. */
TEST(lifetimes_are_distributed_as_published)
{
    double *lifetimes = calloc(PACKETS, sizeof(*lifetimes));
    assert_non_null(lifetimes);
    for (size_t c = 0; c < COUNT(cases); c++) {
        double distance = 0;
        struct kit kit;
        kit_init(&kit, "ttlred2", cases[c].set, c + 1);
        for (int i = 0; i < PACKETS; i++) {
            struct aqm_view view = kit_aged(0);
            assert_int_equal(kit_come(&kit, &view, 0), AQM_PASS);
            lifetimes[i] = lifetime_s(&kit, &view);
        }
        qsort(lifetimes, PACKETS, sizeof(*lifetimes), compare);
        for (int i = 0; i < PACKETS; i++) {
            double law = figure_3(c, lifetimes[i]);
            distance = fmax(distance, fmax((i + 1) / (double)PACKETS - law, law - i / (double)PACKETS));
            assert_true(fabs(kit.setup->ops->chance(kit.setup->law, (int64_t)(lifetimes[i] * 1e9)) - law) <
                        1e-6);
        }
        assert_true(distance * sqrt(PACKETS) < 1.628);
        kit_fini(&kit);
    }
    free(lifetimes);
}

TEST(marks_instead_of_dropping)
{
    struct kit kit;
    kit_init(&kit, "ttlred2", "ecn=1", 1);
    struct aqm_view view = kit_aged(0);
    kit_come(&kit, &view, 0);
    view.age_ns = 4500 * MS;
    assert_int_equal(kit_leave(&kit, &view, 0), AQM_MARK);
    view.ecn = AQM_ECN_NOT;
    assert_int_equal(kit_leave(&kit, &view, 0), AQM_DROP);
    kit_fini(&kit);
    assert_string_equal(kit_refusal(&kit, "ttlred2", "low=2250000000"), "low must be less than high");
}

UNIT_MAIN(NULL, NULL)
