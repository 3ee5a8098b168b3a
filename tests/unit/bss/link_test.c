/* SPDX-License-Identifier: BSD-3-Clause */
/* C/I, its curves and its filter, the choice of coding schemes, and the schemes of repetitions. */
#include "bss/link_adaptation.h"
#include "bss/link_quality.h"

#include <math.h>

#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define DB    1000
#define S_NS  (1000 * KIT_MS_NS)
#define TLLI  0xc0u
#define DRAWN 4000

static const struct radio_link_config plain;

/* BLER is 10 % at the C/I that TS 45.005 has for it, 1 far below, 0 far above, and falls in between. */
TEST(curves)
{
    static const int ten_percent_mdb[RADIO_CODINGS] = {9000,  13000, 15000, 23000, 9500,  12000, 16500,
                                                       21500, 14500, 17000, 23500, 29000, 32000};
    for (enum radio_coding coding = 0; coding < RADIO_CODINGS; coding++) {
        uint32_t last = link_quality_bler_ppm(&plain, coding, -50 * DB);
        assert_int_equal(last, 1000000);
        assert_int_equal(link_quality_bler_ppm(&plain, coding, ten_percent_mdb[coding]), 100000);
        assert_int_equal(link_quality_bler_ppm(&plain, coding, ten_percent_mdb[coding] + 500), 73500);
        for (int ci_mdb = -50 * DB; ci_mdb <= 100 * DB; ci_mdb += 100) {
            uint32_t ppm = link_quality_bler_ppm(&plain, coding, ci_mdb);
            assert_true(ppm <= last);
            last = ppm;
        }
        assert_int_equal(last, 0);
        struct radio_link_config moved = {.shift_mdb = {[RADIO_CS3] = 1500, [RADIO_MCS8] = -2000}};
        assert_int_equal(link_quality_ten_percent_mdb(coding), ten_percent_mdb[coding]);
        assert_int_equal(
            link_quality_bler_ppm(&moved, coding, ten_percent_mdb[coding] + moved.shift_mdb[coding]), 100000);
    }
}

/* The C/I of two tries together is the sum of the ratios. */
TEST(sums)
{
    for (int one = -10 * DB; one <= 30 * DB; one += 370)
        for (int other = -10 * DB; other <= 30 * DB; other += 410) {
            double sum = 10 * log10(pow(10, one / 10.0 / DB) + pow(10, other / 10.0 / DB)) * DB;
            assert_true(fabs(link_quality_sum_mdb(one, other) - sum) < 50);
        }
}

/* Mean and deviations over mobiles and over time, and the correlation after the decorrelation time. */
TEST(deviations)
{
    static const struct {
        int spread_mdb, shadowing_mdb;
    } rows[] = {{0, 0}, {6000, 0}, {0, 8000}, {3000, 4000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_link_config config = {.is_there = true,
                                           .mean_mdb = 15 * DB,
                                           .spread_mdb = rows[i].spread_mdb,
                                           .shadowing_mdb = rows[i].shadowing_mdb,
                                           .decorrelation_ns = S_NS};
        double sum = 0, squares = 0, products = 0;
        struct link_quality_params params;
        link_quality_params_init(&params, &config);
        for (uint32_t tlli = 0; tlli < DRAWN; tlli++) {
            struct link_quality quality;
            link_quality_init(&quality, &config, 1, tlli);
            double from = link_quality_ci_mdb(&quality, &params, &config, RADIO_DOWN, 7 * S_NS) - 15 * DB;
            double to = link_quality_ci_mdb(&quality, &params, &config, RADIO_DOWN, 8 * S_NS) - 15 * DB;
            sum += from;
            squares += from * from;
            products += from * to;
        }
        double variance = pow(rows[i].spread_mdb, 2) + pow(rows[i].shadowing_mdb, 2);
        double product = pow(rows[i].spread_mdb, 2) + pow(rows[i].shadowing_mdb, 2) * exp(-1);
        assert_true(fabs(sum / DRAWN) <= 5 * sqrt(variance / DRAWN));
        assert_true(fabs(squares / DRAWN - variance) <= 0.08 * variance);
        assert_true(fabs(products / DRAWN - product) <= 0.08 * variance);
    }
}

/* Means: that of the cell, its steps, the mobile's own; the uplink differs. */
TEST(means)
{
    static const struct radio_link_step steps[] = {{S_NS, 10 * DB}, {3 * S_NS, -5 * DB}};
    struct radio_link_config config = {.is_there = true,
                                       .mean_mdb = 20 * DB,
                                       .up_offset_mdb = -2 * DB,
                                       .steps = steps,
                                       .step_count = 2,
                                       .start_ns = S_NS,
                                       .repeat_ns = 5 * S_NS};
    static const struct {
        int64_t at_s;
        int ci_db;
    } rows[] = {{0, 20}, {1, 20}, {2, 10}, {3, 10}, {4, -5}, {5, -5}, {6, 20}, {7, 10}, {14, -5}};
    struct link_quality quality;
    struct link_quality_params params;
    link_quality_params_init(&params, &config);
    link_quality_init(&quality, &config, 1, TLLI);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t now = rows[i].at_s * S_NS;
        assert_int_equal(link_quality_ci_mdb(&quality, &params, &config, RADIO_DOWN, now),
                         rows[i].ci_db * DB);
        assert_int_equal(link_quality_ci_mdb(&quality, &params, &config, RADIO_UP, now),
                         (rows[i].ci_db - 2) * DB);
    }
    quality.own_mean_mdb = 7 * DB;
    assert_int_equal(link_quality_ci_mdb(&quality, &params, &config, RADIO_DOWN, 99 * S_NS), 7 * DB);
}

/* The recursion of TS 45.008 §10.2.3.2.1, in floating point, with gaps between samples. */
TEST(filter)
{
    static const int t_avg_ms[] = {10, 20, 60, 240, 2000};
    for (size_t i = 0; i < COUNT(t_avg_ms); i++) {
        struct radio_config config = {.coding = RADIO_MCS9,
                                      .link = {.is_adaptive = true, .t_avg_ns = t_avg_ms[i] * KIT_MS_NS}};
        double e = t_avg_ms[i] > 20 ? 20.0 / t_avg_ms[i] : 1, weight = 0, filtered = 0;
        struct link_adaptation adaptation;
        link_adaptation_init(&adaptation, &config.link);
        link_adaptation_turn(&adaptation, &config, 0, 0);
        for (int period = 0; period < 300; period++) {
            int ci_mdb = period * 7919 % 20000;
            bool is_there = period % 3 != 1 && (period < 100 || period > 150);
            weight = weight * (1 - e) + (is_there ? e : 0);
            if (!is_there)
                continue;
            filtered += e / weight * (ci_mdb - filtered);
            link_adaptation_sample(&adaptation, &config, ci_mdb, period * RADIO_BLOCK_NS);
            link_adaptation_sample(&adaptation, &config, 0, period * RADIO_BLOCK_NS);
            assert_true(fabs(link_adaptation_filtered_mdb(&adaptation) - filtered) < 20);
        }
    }
}

/* The best scheme has no better one, and rises with the C/I. */
TEST(best)
{
    static const enum radio_coding greatest[] = {RADIO_CS1, RADIO_CS4, RADIO_MCS1, RADIO_MCS4, RADIO_MCS9};
    for (size_t i = 0; i < COUNT(greatest); i++) {
        struct radio_config config = {.coding = greatest[i]};
        enum radio_coding least = greatest[i] >= RADIO_MCS1 ? RADIO_MCS1 : RADIO_CS1;
        for (int ci_mdb = -20 * DB; ci_mdb < 60 * DB; ci_mdb += 100) {
            enum radio_coding best = link_adaptation_best(&config, ci_mdb);
            assert_in_range(best, least, greatest[i]);
            for (enum radio_coding other = least; other <= greatest[i]; other++)
                assert_true(radio_coding_payload_octets(other) *
                                (1e6 - link_quality_bler_ppm(&plain, other, ci_mdb)) <=
                            radio_coding_payload_octets(best) *
                                (1e6 - link_quality_bler_ppm(&plain, best, ci_mdb)));
        }
        assert_int_equal(link_adaptation_best(&config, 60 * DB), greatest[i]);
        assert_int_equal(link_adaptation_best(&config, -30 * DB), least);
    }
}

/* Of MCS-5 in a cell of MCS-9, whose blocks carry 56 and 148 octets. */
TEST(good_rate)
{
    struct radio_config config = {.coding = RADIO_MCS9, .link = {.is_there = true, .is_adaptive = true}};
    struct link_adaptation adaptation;
    config.link.initial = RADIO_MCS5;
    link_adaptation_init(&adaptation, &config.link);
    uint64_t all = link_adaptation_good_ppm(&adaptation, &config);
    assert_int_equal(all, UINT64_C(1000000) * radio_coding_payload_octets(RADIO_MCS5) /
                              radio_coding_payload_octets(RADIO_MCS9));
    link_adaptation_sample(&adaptation, &config, 14500, 0);
    assert_in_range(link_adaptation_good_ppm(&adaptation, &config), all * 9 / 10 - 1, all * 9 / 10 + 1);
}

/* Reports: none before their time; hysteresis; a new TBF forgets what was measured. */
TEST(reports)
{
    struct radio_config config = {.coding = RADIO_CS4,
                                  .link = {.is_there = true,
                                           .is_adaptive = true,
                                           .initial = RADIO_CS2,
                                           .hysteresis_mdb = 4 * DB,
                                           .report_ns = 10 * RADIO_BLOCK_NS}};
    static const struct {
        int64_t period;
        int ci_db;
        int64_t tbf_ns;
        enum radio_coding coding;
    } rows[] = {
        {0, 40, 0, RADIO_CS2},  {9, 40, 0, RADIO_CS2},  {10, 40, 0, RADIO_CS4}, {12, 21, 0, RADIO_CS4},
        {20, 18, 0, RADIO_CS4}, {30, 10, 0, RADIO_CS3}, {35, 0, 0, RADIO_CS3},  {45, 0, 0, RADIO_CS1},
        {46, 40, 7, RADIO_CS1}, {55, 40, 7, RADIO_CS1}, {56, 9, 7, RADIO_CS4},
    };
    struct link_adaptation adaptation;
    link_adaptation_init(&adaptation, &config.link);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t now = rows[i].period * RADIO_BLOCK_NS;
        assert_int_equal(link_adaptation_turn(&adaptation, &config, rows[i].tbf_ns, now), rows[i].coding);
        link_adaptation_sample(&adaptation, &config, rows[i].ci_db * DB, now);
    }
}

/* The first sample of a TBF counts alone. */
TEST(new_tbf)
{
    struct radio_config config = {.coding = RADIO_MCS9,
                                  .link = {.is_adaptive = true, .t_avg_ns = S_NS, .report_ns = S_NS}};
    struct link_adaptation adaptation;
    link_adaptation_init(&adaptation, &config.link);
    for (int period = 0; period < 60; period++) {
        int64_t now = period * RADIO_BLOCK_NS;
        link_adaptation_turn(&adaptation, &config, period < 50 ? 0 : now, now);
        link_adaptation_sample(&adaptation, &config, period * DB, now);
        if (period >= 50)
            assert_int_equal(link_adaptation_filtered_mdb(&adaptation), period * DB);
    }
    assert_true(link_adaptation_filtered_mdb(&adaptation) > 0);
}

/* TS 44.060 tables 8.1.1.1 (with resegmentation) and 8.1.1.2: rows by the first scheme MCS-9 to MCS-1,
   columns by the scheme commanded, MCS-9 to MCS-1. */
TEST(repetitions)
{
    static const char *const split[] = {"966633333", "886633333", "777552222", "966633333", "777552222",
                                        "444444111", "333333333", "222222222", "111111111"};
    static const char *const whole[] = {"966666666", "886666666", "777555555", "966666666", "777555555",
                                        "444444444", "333333333", "222222222", "111111111"};
    for (int first = 9; first >= 1; first--)
        for (int command = 9; command >= 1; command--) {
            enum radio_coding from = RADIO_MCS1 + first - 1, to = RADIO_MCS1 + command - 1;
            assert_int_equal(link_adaptation_repeat(from, to, true) - RADIO_MCS1 + 1,
                             split[9 - first][9 - command] - '0');
            assert_int_equal(link_adaptation_repeat(from, to, false) - RADIO_MCS1 + 1,
                             whole[9 - first][9 - command] - '0');
        }
    for (enum radio_coding coding = RADIO_CS1; coding <= RADIO_CS4; coding++)
        assert_int_equal(link_adaptation_repeat(coding, RADIO_CS1, true), coding);
}

UNIT_MAIN(NULL, NULL)
