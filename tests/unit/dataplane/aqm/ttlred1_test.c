/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define PACKETS (short_form_is_wanted() ? 250000 : 1000000)

/* The paper's stated case, its simulations', a short one, and one whose last check is past high. */
static const struct {
    const char *set;
    double low_s, high_s, max_chance, period_s;
} cases[] = {
    {"low=1000000000 high=3000000000 max_chance=1000000 period=10000000", 1, 3, 1, 0.01},
    {"low=750000000 high=2250000000 max_chance=200000 period=10000000", 0.75, 2.25, 0.2, 0.01},
    {"low=0 high=100000000 max_chance=500000 period=10000000", 0, 0.1, 0.5, 0.01},
    {"low=50000000 high=85000000 max_chance=900000 period=10000000", 0.05, 0.085, 0.9, 0.01},
};

/* The paper's equation 1: signalled at the n-th check or earlier. */
static double equation_1(size_t c, int n)
{
    double survives = 1;
    for (int i = 1; i <= n; i++) {
        double over_s = i * cases[c].period_s, span_s = cases[c].high_s - cases[c].low_s;
        survives *= over_s >= span_s - 1e-12 ? 0 : 1 - over_s / span_s * cases[c].max_chance;
    }
    return 1 - survives;
}

static int64_t ns(double seconds)
{
    return (int64_t)llround(seconds * 1e9);
}

static uint64_t signalled_at(struct kit *kit, int64_t age_ns)
{
    uint64_t signals = 0;
    struct aqm_view view = kit_aged(age_ns);
    for (int i = 0; i < PACKETS; i++) {
        assert_int_equal(kit_come(kit, &view, 0), AQM_PASS);
        signals += kit_leave(kit, &view, age_ns) != AQM_PASS;
    }
    return signals;
}

/* 20 points of each case, at the very age of a check and a nanosecond before it. */
TEST(follows_equation_1)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        int last = (int)ceil((cases[c].high_s - cases[c].low_s) / cases[c].period_s - 1e-9);
        struct kit kit;
        kit_init(&kit, "ttlred1", cases[c].set, c + 1);
        for (int k = 1; k <= 20; k++) {
            int n = c == 0 ? 4 * k : last * k / 20;
            int64_t age_ns = ns(cases[c].low_s) + n * ns(cases[c].period_s);
            double p = equation_1(c, n), before = equation_1(c, n - 1);
            kit_assert_near((double)signalled_at(&kit, age_ns), PACKETS * p, sqrt(PACKETS * p * (1 - p)));
            kit_assert_near((double)signalled_at(&kit, age_ns - 1), PACKETS * before,
                            sqrt(PACKETS * before * (1 - before)));
            assert_true(fabs(kit.setup->ops->chance(kit.setup->law, age_ns) - p) < 1e-12);
        }
        kit_fini(&kit);
    }
}

/* The point that the paper states: 0.9991 after 50 checks. */
TEST_IN(meets_the_stated_point, struct kit, kit, kit_init(kit, "ttlred1", cases[0].set, 1), kit_fini(kit))
{
    assert_true(fabs(kit->setup->ops->chance(kit->setup->law, 1500 * MS) - 0.9991) < 0.00005);
    kit_assert_near((double)signalled_at(kit, 1500 * MS), PACKETS * 0.9991, sqrt(PACKETS * 0.9991 * 0.0009));
}

/* Asked again and again, as a head that has to wait is, it changes its mind once, at the age drawn. */
TEST_IN(signals_at_one_age, struct kit, kit, kit_init(kit, "ttlred1", cases[1].set, 1), kit_fini(kit))
{
    for (int i = 0; i < 1000; i++) {
        struct aqm_view view = kit_aged(0);
        kit_come(kit, &view, 0);
        int64_t due_ns = 750 * MS + view.tag * 10 * MS;
        assert_in_range(view.tag, 1, 150);
        for (view.age_ns = 0; view.age_ns < 2400 * MS; view.age_ns += 5 * MS)
            assert_int_equal(kit_leave(kit, &view, 0) != AQM_PASS, view.age_ns >= due_ns);
    }
}

/* Nothing younger than low + period is touched; everything is from high on. */
TEST_IN(is_sure_at_both_ends, struct kit, kit, kit_init(kit, "ttlred1", cases[1].set, 1), kit_fini(kit))
{
    assert_int_equal(signalled_at(kit, 760 * MS - 1), 0);
    assert_int_equal(signalled_at(kit, 2250 * MS), PACKETS);
}

TEST(refuses_what_contradicts_itself)
{
    struct kit kit;
    assert_string_equal(kit_refusal(&kit, "ttlred1", "low=2250000000"), "low must be less than high");
    assert_string_equal(kit_refusal(&kit, "ttlred1", "period=100000"),
                        "period is too short: at most 4096 checks lie between low and high");
    assert_string_equal(kit_refusal(&kit, "ttlred1", "low=0 high=4096000001 period=1000000"),
                        "period is too short: at most 4096 checks lie between low and high");
    assert_string_equal(kit_refusal(&kit, "ttlred1", "low=0 high=4096000000 period=1000000"), "");
    assert_string_equal(kit_refusal(&kit, "ttlred1", "period=600000000000"), "");
}

UNIT_MAIN(NULL, NULL)
