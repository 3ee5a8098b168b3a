/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

/* The paper's rule, applied by hand: min 15000, max 45000, so the middle is 27000 .. 33000. */
static double adapted(double chance, double average)
{
    if (average > 33000 && chance <= 0.5)
        return chance + fmin(0.01, chance / 4);
    return average < 27000 && chance >= 0.01 ? chance * 0.9 : chance;
}

TEST(moves_the_chance)
{
    static const struct {
        uint32_t octets;
        const char *set;
        double initial;
    } rows[] = {{26900, "weight=1000000 max_chance=101000", 0.101},
                {27100, "weight=1000000 max_chance=101000", 0.101},
                {32900, "weight=1000000 max_chance=101000", 0.101},
                {33100, "weight=1000000 max_chance=101000", 0.101},
                {44000, "weight=1000000 max_chance=500000", 0.5},
                {16000, "weight=1000000 max_chance=10000", 0.01},
                {40000, "weight=1000000 max_chance=10000", 0.01},
                {1000, "weight=1000000 max_chance=500000", 0.5}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        double chance = rows[i].initial;
        kit_init(&kit, "adaptive_red", rows[i].set, 1);
        struct aqm_view view = kit_view(rows[i].octets);
        for (int k = 0; k < 100; k++) {
            /* The look comes before the arrival, so the very first one still sees an empty queue. */
            kit_come(&kit, &view, k * 500 * MS + 499 * MS);
            if (k > 0)
                chance = adapted(chance, rows[i].octets);
            if (fabs(kit_reading(&kit, "max_chance") - chance) >= 1e-9)
                fail_msg("row %zu, look %d: %.12f, not %.12f", i, k, kit_reading(&kit, "max_chance"), chance);
        }
        kit_fini(&kit);
    }
}

/* Gentle, with the chance that it has come to. */
TEST(signals_by_its_chance)
{
    static const struct {
        uint32_t octets;
        double p;
    } rows[] = {{20000, 0.1 / 6}, {30000, 0.05}, {67500, 0.55}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_init(&kit, "adaptive_red", "weight=1000000 interval=60000000000", i + 1);
        double k = floor(1 / rows[i].p), mean = (k + 1) * (1 - k * rows[i].p / 2);
        double square = rows[i].p * k * (k + 1) * (2 * k + 1) / 6 + (1 - k * rows[i].p) * (k + 1) * (k + 1);
        uint64_t signals = kit_signals(&kit, kit_view(rows[i].octets), 1000000);
        kit_assert_near((double)signals, 1e6 / mean, sqrt(1e6 * (square - mean * mean) / pow(mean, 3)));
        kit_fini(&kit);
    }
}

/* Thresholds and weight from the latest known rate (0: not known), for packets of 500 octets. */
TEST(follows_the_rate)
{
    static const struct {
        uint64_t rate_bps;
        double min, packets_a_second;
    } rows[] = {{80000, 5000, 20}, {20000, 2500, 5}, {2048000, 128000, 512},
                {0, 128000, 512},  {4000, 2500, 1},  {1000, 2500, 1}};
    struct kit kit;
    kit_init(&kit, "adaptive_red", "target_delay=1000000000", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_view(1000);
        view.rate_bps = rows[i].rate_bps;
        kit_come(&kit, &view, (int64_t)i);
        assert_true(fabs(kit_reading(&kit, "min_octets") - rows[i].min) < 1);
        assert_true(fabs(kit_reading(&kit, "weight") - (1 - exp(-1 / rows[i].packets_a_second))) < 1e-12);
    }
    kit_fini(&kit);
}

/* A packet comes each 9 ms and one leaves each 10 ms: the average settles in the middle. */
TEST(settles_in_the_middle)
{
    struct kit kit;
    double sum = 0;
    int64_t backlog = 0, leaves_ns = 10 * MS, samples = 0;
    kit_init(&kit, "adaptive_red", "max_chance=10000", 1);
    for (int64_t now = 0; now < 3600000 * MS; now += 9 * MS) {
        for (; leaves_ns <= now; leaves_ns += 10 * MS)
            backlog -= backlog > 0 ? 500 : 0;
        struct aqm_view view = kit_view((uint64_t)backlog);
        backlog += kit_come(&kit, &view, now) == AQM_PASS ? 500 : 0;
        if (now < 1800000 * MS)
            continue;
        sum += kit_reading(&kit, "average_octets");
        samples++;
    }
    assert_true(sum / (double)samples > 26000 && sum / (double)samples < 34000);
    kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
