/* SPDX-License-Identifier: BSD-3-Clause */
/* PIE's hooks. What its controller makes of delays is judged by test_pie.py. */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS = 1000000 };

/* Lets the controller see a delay until its chance is where it is wanted, or this many updates. */
static int64_t drive(struct kit *kit, double delay_s, double until, int updates, int64_t now)
{
    for (int i = 0; i < updates && kit_reading(kit, "chance") < until; i++) {
        struct aqm_view view = kit_view((uint64_t)(delay_s * 10000));
        view.rate_bps = 80000;
        now += 10000 * MS;
        kit_leave(kit, &view, now);
    }
    return now;
}

#define FROZEN "update=10000000000 burst=0 alpha=20000 beta=0 cap=0 "

/* A chance that stays where it is: each packet signalled independently, and marks up to 10 %. */
TEST(signals_with_its_chance)
{
    static const double chances[] = {0.001, 0.02, 0.09, 0.11, 0.4, 0.9};
    for (size_t i = 0; i < COUNT(chances); i++) {
        struct kit kit;
        kit_init(&kit, "pie", FROZEN "ecn=1", i + 1);
        int64_t now = drive(&kit, 1, chances[i], 100000, 0);
        double p = kit_reading(&kit, "chance");
        assert_true(p >= chances[i] && p < chances[i] * 2);
        struct aqm_view view = kit_view(10000);
        view.rate_bps = 80000;
        uint64_t signals = 0;
        for (int k = 0; k < PACKETS; k++)
            signals += kit_come(&kit, &view, now + k) != AQM_PASS;
        kit_assert_near((double)signals, PACKETS * p, sqrt(PACKETS * p * (1 - p)));
        struct aqm_counts total = aqm_setup_total(kit.setup);
        assert_int_equal(p <= 0.1 ? total.marked : total.dropped, signals);
        kit_fini(&kit);
    }
}

/* Whatever the push, no chance is above 1, nor below 0. */
TEST(chance_has_bounds)
{
    struct kit kit;
    kit_init(&kit, "pie", "update=10000000000 burst=0 alpha=100000000 beta=0 cap=0", 1);
    int64_t now = drive(&kit, 1000, 2, 100, 0);
    assert_true(kit_reading(&kit, "chance") == 1);
    drive(&kit, 0, 2, 3000, now);
    assert_true(kit_reading(&kit, "chance") == 0);
    kit_fini(&kit);
}

/* 5.4: never before the chances add up to 0.85, never after 8.5. */
TEST_IN(derandomizes_where_told, struct kit, kit, kit_init(kit, "pie", FROZEN "derandomize=1", 1),
        kit_fini(kit))
{
    int64_t now = drive(kit, 1, 0.02, 100000, 0);
    double p = kit_reading(kit, "chance");
    struct aqm_view view = kit_view(10000);
    view.rate_bps = 80000;
    int gap = 0, signals = 0;
    for (int k = 0; k < PACKETS; k++) {
        gap++;
        if (kit_come(kit, &view, now + k) == AQM_PASS)
            continue;
        assert_in_range(gap, floor(0.85 / p), ceil(8.5 / p));
        gap = 0;
        signals++;
    }
    /* Gaps: 0.85 / p packets, then geometric. */
    double mean = ceil(0.85 / p) - 1 + 1 / p;
    kit_assert_near(signals, PACKETS / mean,
                    sqrt(PACKETS * (1 - p) / (p * p) / pow(mean, 3)) + PACKETS / mean * 0.001);
}

/* 4.1 and 4.4: rows of (delay seen last, chance, backlog, burst), and whether anything is ever signalled. */
TEST(keeps_its_safeguards)
{
    static const struct {
        const char *set;
        double delay_s, until;
        uint64_t backlog;
        bool expect;
    } rows[] = {
        {FROZEN, 1, 0.1, 10000, true},
        {FROZEN, 1, 0.1, 1000, false}, /* two packets of mean size */
        {FROZEN, 1, 0.1, 1001, true},
        {FROZEN "target=2200000000 alpha=0 beta=5000000", 1, 0.15, 10000,
         false}, /* below half of target and 20 % */
        {FROZEN "target=2100000000 alpha=0 beta=5000000", 1, 0.15, 10000, true}, /* its very half */
        {FROZEN "target=1900000000 alpha=0 beta=5000000", 1, 0.15, 10000, true},
        {"update=10000000000 burst=60000000000 alpha=100000000 cap=0", 1, 2, 10000, true},
        {"update=10000000000 burst=60000000000 alpha=100000000 beta=0 cap=0", 1, 0.04, 10000, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_init(&kit, "pie", rows[i].set, 1);
        int64_t now = drive(&kit, 0.01, 1, 1, 0);
        now = drive(&kit, rows[i].delay_s, rows[i].until, 1, now);
        now = drive(&kit, rows[i].delay_s + 0.05, rows[i].until, 2000, now);
        struct aqm_view view = kit_view(rows[i].backlog);
        view.rate_bps = 80000;
        bool found = false;
        for (int k = 0; k < 10000; k++)
            found |= kit_come(&kit, &view, now + k) != AQM_PASS;
        if (found != rows[i].expect)
            fail_msg("row %zu: chance %g, delay %g, burst %g", i, kit_reading(&kit, "chance"),
                     kit_reading(&kit, "delay_s"), kit_reading(&kit, "burst_s"));
        kit_fini(&kit);
    }
}

/* Packets of 500 octets leave at a rate that the estimator has to find out; 500 of its 16384 are one too
 * many. */
TEST(estimates_the_rate)
{
    static const double rates_bps[] = {20000, 80000, 2048000};
    for (size_t i = 0; i < COUNT(rates_bps); i++) {
        struct kit kit;
        kit_init(&kit, "pie", "delay=1", 1);
        for (int k = 1; k < 1000; k++) {
            struct aqm_view view = kit_view(20000);
            kit_leave(&kit, &view, (int64_t)(k * 500 * 8e9 / rates_bps[i]));
        }
        double found = kit_reading(&kit, "estimate_bps") / rates_bps[i];
        assert_true(found > 0.97 && found < 1.04);
        assert_true(fabs(kit_reading(&kit, "delay_s") - 20000 * 8 / rates_bps[i] / found) < 1e-3);
        kit_fini(&kit);
    }
}

/* Little to time: no measurement, no delay. */
TEST_IN(estimates_nothing_from_little, struct kit, kit, kit_init(kit, "pie", "delay=1", 1), kit_fini(kit))
{
    for (int k = 1; k < 1000; k++) {
        struct aqm_view view = kit_view(15000);
        kit_leave(kit, &view, k * 50 * MS);
    }
    assert_true(kit_reading(kit, "estimate_bps") == 0 && kit_reading(kit, "delay_s") == 0);
}

UNIT_MAIN(NULL, NULL)
