/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS = 1000000 };

/* Signals in a run of packets when gaps are uniform over 1 .. 1/p: renewal theory. */
static void assert_rate(uint64_t signals, double p)
{
    if (p <= 0 || p >= 1) {
        assert_int_equal(signals, p <= 0 ? 0 : PACKETS);
        return;
    }
    double k = floor(1 / p), rest = 1 - k * p;
    double mean = p * k * (k + 1) / 2 + rest * (k + 1);
    double square = p * k * (k + 1) * (2 * k + 1) / 6 + rest * (k + 1) * (k + 1);
    kit_assert_near((double)signals, PACKETS / mean, sqrt(PACKETS * (square - mean * mean) / pow(mean, 3)));
}

/* The share of packets that reports tell: one of the mean gap. */
static void assert_share(double share, double p)
{
    double k = p > 0 ? floor(1 / p + 1e-9) : 0, rest = 1 - k * p;
    double mean = p * k * (k + 1) / 2 + rest * (k + 1);
    assert_true(fabs(share - (p > 0 ? 1 / mean : 0)) < 1e-6);
}

static double law(double average, double min, double max, double max_chance, bool is_gentle)
{
    if (average < min)
        return 0;
    if (average < max)
        return max_chance * (average - min) / (max - min);
    return is_gentle && average < 2 * max ? max_chance + (1 - max_chance) * (average - max) / max : 1;
}

/* The paper's thresholds, over the average queue: a queue that never changes is its own average. */
TEST(signals_by_the_average)
{
    static const uint32_t octets[] = {0,     14500, 15000, 15500, 16500, 20000, 25000, 30000, 35000,
                                      40000, 44500, 45000, 45500, 60000, 75000, 89500, 90000, 120000};
    for (int gentle = 0; gentle < 2; gentle++) {
        for (size_t i = 0; i < COUNT(octets); i++) {
            struct kit kit;
            kit_init(&kit, "red", gentle ? "ecn=1 weight=1000000 gentle=1" : "ecn=1 weight=1000000", i + 1);
            uint64_t signals = kit_signals(&kit, kit_view(octets[i]), PACKETS);
            assert_rate(signals, law(octets[i], 15000, 45000, 0.2, gentle));
            assert_share(kit.setup->ops->chance(kit.setup->law, octets[i]),
                         law(octets[i], 15000, 45000, 0.2, gentle));
            struct aqm_counts total = aqm_setup_total(kit.setup);
            bool is_beyond = octets[i] >= (gentle ? 90000 : 45000);
            assert_int_equal(is_beyond ? total.dropped : total.marked, signals);
            kit_fini(&kit);
        }
    }
}

/* Counted in packets, without ECN: all are drops. */
TEST(counts_packets_where_told)
{
    static const uint32_t packets[] = {4, 5, 6, 8, 10, 14, 15};
    for (size_t i = 0; i < COUNT(packets); i++) {
        struct kit kit;
        kit_init(&kit, "red", "mode=1 weight=1000000 max_chance=500000", i + 1);
        struct aqm_view view = kit_view(1000000);
        view.backlog_pkts = packets[i];
        uint64_t signals = kit_signals(&kit, view, PACKETS);
        assert_rate(signals, law(packets[i], 5, 15, 0.5, false));
        assert_int_equal(aqm_setup_total(kit.setup).dropped, signals);
        kit_fini(&kit);
    }
}

/* 0.1 at the mean size. */
TEST(scales_with_size_where_told)
{
    static const struct {
        uint32_t octets;
        double p;
    } rows[] = {{40, 0.008}, {250, 0.05}, {500, 0.1}, {1500, 0.3}, {20000, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_init(&kit, "red", "by_size=1 weight=1000000 mean_octets=500", i + 1);
        struct aqm_view view = kit_view(30000);
        view.octets = rows[i].octets;
        assert_rate(kit_signals(&kit, view, PACKETS), rows[i].p);
        kit_fini(&kit);
    }
}

/* Each gap from 1 to 1/p as often as any other, none longer. */
TEST_IN(gaps_are_uniform, struct kit, kit, kit_init(kit, "red", "weight=1000000", 7), kit_fini(kit))
{
    int64_t counts[11] = {0}, gap = 0, gaps = 0;
    struct aqm_view view = kit_view(30000);
    for (int i = 0; i < PACKETS; i++) {
        gap++;
        if (kit_come(kit, &view, i) == AQM_PASS)
            continue;
        assert_in_range(gap, 1, 10);
        counts[gap]++;
        gaps++;
        gap = 0;
    }
    for (int i = 1; i <= 10; i++)
        kit_assert_near((double)counts[i], (double)gaps / 10, sqrt((double)gaps * 0.09));
}

/* Below the least threshold and above the end, packets since the last signal are forgotten. */
TEST(gaps_begin_anew_outside)
{
    static const uint32_t outside[] = {14000, 46000};
    enum { GAPS = PACKETS / 10 };
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        struct kit kit;
        struct aqm_view inside = kit_view(30000), out = kit_view(outside[i]);
        int64_t counts[11] = {0};
        kit_init(&kit, "red", "weight=1000000", 7 + i);
        for (int k = 0; k < GAPS; k++) {
            int gap = 1;
            for (int passed = 0; passed < 3; passed++)
                kit_come(&kit, &inside, k);
            kit_come(&kit, &out, k);
            for (; kit_come(&kit, &inside, k) == AQM_PASS; gap++)
                assert_in_range(gap, 1, 9);
            counts[gap]++;
        }
        for (int gap = 1; gap <= 10; gap++)
            kit_assert_near((double)counts[gap], GAPS / 10.0, sqrt(GAPS * 0.09));
        kit_fini(&kit);
    }
}

TEST(averages_as_published)
{
    struct kit kit;
    struct rng r;
    double average = 0;
    kit_init(&kit, "red", "weight=2000 min=90000000 max=100000000", 1);
    rng_init(&r, 1, 0);
    for (int i = 0; i < 5000; i++) {
        struct aqm_view view = kit_view(500 + rng_below(&r, 60000));
        kit_come(&kit, &view, i);
        average += 0.002 * ((double)view.backlog_octets - average);
        assert_true(fabs(kit_reading(&kit, "average_octets") - average) < 0.001);
    }
    kit_fini(&kit);
}

/* The average shrinks by as many packets of 500 octets as the idle time had room for. */
TEST(forgets_while_idle)
{
    static const struct {
        uint64_t rate_bps;
        int64_t idle_ns;
        double m;
    } rows[] = {{80000, 0, 0},          {80000, 49 * MS, 0},      {80000, 51 * MS, 1},
                {80000, 1026 * MS, 20}, {40000, 1026 * MS, 10},   {8000000000, 1001 * MS, 2002000},
                {0, 101 * MS, 10},      {0, 3600000 * MS, 360000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_init(&kit, "red", "weight=100000 mean_octets=500 idle_packet=10000000 min=90000000 max=100000000",
                 1);
        struct aqm_view view = kit_view(30000);
        for (int k = 0; k < 100; k++)
            kit_come(&kit, &view, k);
        double before = kit_reading(&kit, "average_octets");
        view = kit_view(0);
        kit_leave(&kit, &view, 40 * MS);
        view.rate_bps = rows[i].rate_bps;
        kit_come(&kit, &view, 40 * MS + rows[i].idle_ns);
        assert_true(fabs(kit_reading(&kit, "average_octets") - before * pow(0.9, rows[i].m)) < 0.001);
        kit_fini(&kit);
    }
}

TEST(marks_beyond_max_only_when_told)
{
    static const struct {
        const char *set;
        enum aqm_ecn ecn;
        enum aqm_verdict expect;
    } rows[] = {{"ecn=1", AQM_ECN_ECT0, AQM_DROP},
                {"ecn=1 mark_above_max=1", AQM_ECN_ECT0, AQM_MARK},
                {"ecn=1 mark_above_max=1", AQM_ECN_NOT, AQM_DROP},
                {"mark_above_max=1", AQM_ECN_ECT0, AQM_DROP}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_init(&kit, "red", rows[i].set, 1);
        struct aqm_view view = kit_view(200000000);
        view.ecn = rows[i].ecn;
        assert_int_equal(kit_come(&kit, &view, 0), rows[i].expect);
        kit_fini(&kit);
    }
}

TEST(refuses_what_contradicts_itself)
{
    struct kit kit;
    assert_string_equal(kit_refusal(&kit, "red", "min=45000"), "min must be less than max");
    assert_string_equal(kit_refusal(&kit, "red", "mode=1 min_packets=15"),
                        "min_packets must be less than max_packets");
    assert_string_equal(kit_refusal(&kit, "red", "min_packets=15"), "");
}

UNIT_MAIN(NULL, NULL)
