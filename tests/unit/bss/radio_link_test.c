/* SPDX-License-Identifier: BSD-3-Clause */
/* RLC blocks of a radio with C/I: what arrives at a C/I, repetitions combined and in halves, two RLC blocks
   in one of MCS-7 to MCS-9, windows, reduced TTI, and that nothing is lost or changes its order. */
#include "bss/link_adaptation.h"
#include "bss/link_quality.h"
#include "bss/radio_air.h"

#include <math.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define DB        1000
#define SECOND_NS (1000 * KIT_MS_NS)
#define TLLI      0xc0u

enum { PERIODS_PER_S = 50, LONG_S = 200 };

/* One PDCH, one mobile, a fixed scheme at a fixed C/I. */
static struct radio_config fixed(enum radio_coding coding, int ci_mdb)
{
    return (struct radio_config){.pdchs = 1,
                                 .coding = coding,
                                 .seed = 7,
                                 .down = {.slots = 1},
                                 .up = {.slots = 1},
                                 .link = {.is_there = true, .mean_mdb = ci_mdb, .initial = coding}};
}

/* An LLC-PDU for each RLC block. */
static void saturate(struct radio_kit *kit, const struct radio_config *config, unsigned seconds)
{
    size_t octets = radio_coding_rlc_octets(config->coding) - 1;
    radio_kit_fill(kit, RADIO_DOWN, TLLI, octets, 2 * seconds * PERIODS_PER_S * config->pdchs);
    radio_kit_run(kit, seconds * SECOND_NS - 1);
}

/* Plays a saturated cell. Returns the LLC-PDUs that arrived, an RLC block each. */
static double arrived(const struct radio_config *config, struct radio_link_stats *stats)
{
    struct radio_kit kit;
    radio_kit_init(&kit, config);
    saturate(&kit, config, LONG_S);
    *stats = *radio_link_stats_get(kit.radio, RADIO_DOWN);
    size_t count = radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, TLLI);
    radio_kit_fini(&kit);
    return (double)count;
}

static bool is_near(double found, double expected, double deviation)
{
    if (fabs(found - expected) <= 5 * deviation + 20)
        return true;
    print_error("%g where %g is expected\n", found, expected);
    return false;
}

static const struct radio_link_config plain;

/* Payload x (1 - BLER) of each scheme at each C/I. */
TEST(fixed_schemes)
{
    struct radio_link_stats stats;
    for (enum radio_coding coding = 0; coding < RADIO_CODINGS; coding++)
        for (int ci_db = 8; ci_db <= 36; ci_db += 7) {
            struct radio_config config = fixed(coding, ci_db * DB);
            double good = 1 - link_quality_bler_ppm(&plain, coding, ci_db * DB) / 1e6;
            double tries = LONG_S * PERIODS_PER_S * (coding >= RADIO_MCS7 ? 2 : 1);
            assert_true(is_near(arrived(&config, &stats), tries * good, sqrt(tries * good * (1 - good))));
            assert_int_equal(stats.radio_blocks[coding], LONG_S * PERIODS_PER_S);
            assert_int_equal(stats.parts, tries);
            assert_int_equal(stats.split_blocks + stats.combined_parts, 0);
            assert_int_equal(stats.ci_sum_mdb, ci_db * DB * LONG_S * PERIODS_PER_S);
        }
}

/* Tries of a block whose C/I adds up: 1 + B(1) + B(2) + ..., B(k) the BLER at k times the ratio. */
static double tries_of(enum radio_coding coding, int ci_mdb)
{
    double tries = 1, sum_mdb = ci_mdb;
    for (int k = 2; k < 1000; k++) {
        tries += link_quality_bler_ppm(&plain, coding, (int64_t)sum_mdb) / 1e6;
        sum_mdb = ci_mdb + 10 * log10(k) * DB;
    }
    return tries;
}

TEST(redundancy)
{
    static const struct {
        enum radio_coding coding;
        int below_db;
    } rows[] = {{RADIO_MCS1, 3}, {RADIO_MCS4, 6}, {RADIO_MCS5, 2},
                {RADIO_MCS6, 9}, {RADIO_MCS9, 1}, {RADIO_MCS9, 12}};
    static const int ten_percent_db[RADIO_CODINGS] = {
        [RADIO_MCS1] = 9, [RADIO_MCS4] = 21, [RADIO_MCS5] = 14, [RADIO_MCS6] = 17, [RADIO_MCS9] = 32};
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum radio_coding coding = rows[i].coding;
        int ci_mdb = (ten_percent_db[coding] - rows[i].below_db) * DB;
        struct radio_config config = fixed(coding, ci_mdb);
        struct radio_link_stats stats;
        config.link.has_redundancy = true;
        double tries = LONG_S * PERIODS_PER_S * (coding >= RADIO_MCS7 ? 2 : 1);
        double expected = tries / tries_of(coding, ci_mdb);
        assert_true(is_near(arrived(&config, &stats), expected, 0.005 * expected));
        assert_true(stats.combined_parts > 0);
        config.link.has_redundancy = false;
        assert_true(arrived(&config, &stats) < expected);
        assert_int_equal(stats.combined_parts, 0);
    }
    struct radio_config gprs = fixed(RADIO_CS2, 12 * DB);
    struct radio_link_stats stats;
    gprs.link.has_redundancy = true;
    arrived(&gprs, &stats);
    assert_int_equal(stats.combined_parts, 0);
}

/* The RLC blocks of MCS-9 fail separately: a radio block has an error with 1 - (1 - B)^2. */
TEST(two_rlc_blocks)
{
    struct radio_config config = fixed(RADIO_MCS9, 30 * DB);
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    saturate(&kit, &config, LONG_S);
    double bler = link_quality_bler_ppm(&plain, RADIO_MCS9, 30 * DB) / 1e6, count = LONG_S * PERIODS_PER_S;
    double bad = 1 - (1 - bler) * (1 - bler);
    assert_true(is_near((double)radio_link_stats_get(kit.radio, RADIO_DOWN)->bad_parts, 2 * count * bler,
                        sqrt(2 * count * bler * (1 - bler))));
    assert_true(is_near((double)radio_stats_get(kit.radio, RADIO_DOWN)->bad_blocks, count * bad,
                        sqrt(count * bad * (1 - bad))));
    radio_kit_fini(&kit);
}

/* All blocks of the first scheme fail for 100 ms. Reports ask for a lower scheme, in which they are repeated:
   whole, or in halves if that is allowed. Then the C/I is high. */
TEST(splits)
{
    static const struct {
        enum radio_coding first;
        int ci_db;
        enum radio_coding last; /* of the repetitions */
        bool is_split;
    } rows[] = {
        {RADIO_MCS9, 22, RADIO_MCS6, false}, {RADIO_MCS8, 18, RADIO_MCS6, false},
        {RADIO_MCS7, 13, RADIO_MCS5, false}, {RADIO_MCS6, 5, RADIO_MCS3, true},
        {RADIO_MCS9, 5, RADIO_MCS3, true},   {RADIO_MCS8, 5, RADIO_MCS3, true},
        {RADIO_MCS7, 3, RADIO_MCS2, true},   {RADIO_MCS5, 3, RADIO_MCS2, true},
        {RADIO_MCS4, 2, RADIO_MCS1, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int can_split = 0; can_split < 2; can_split++) {
            struct radio_link_step steps[] = {{0, rows[i].ci_db * DB}, {100 * KIT_MS_NS, 60 * DB}};
            struct radio_config config = fixed(rows[i].first, 0);
            struct radio_kit kit;
            config.link.is_adaptive = true;
            config.link.has_splits = can_split;
            config.link.steps = steps;
            config.link.step_count = 2;
            config.link.report_ns = 40 * KIT_MS_NS;
            config.down.retransmission_ns = 20 * KIT_MS_NS;
            radio_kit_init(&kit, &config);
            radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(rows[i].first) - 1, 8);
            radio_kit_finish(&kit);
            const struct radio_link_stats *stats = radio_link_stats_get(kit.radio, RADIO_DOWN);
            assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, TLLI), 8);
            assert_int_equal(stats->split_blocks > 0, rows[i].is_split && can_split);
            assert_int_equal(stats->radio_blocks[rows[i].last] > 0, !rows[i].is_split || can_split);
            radio_kit_fini(&kit);
        }
}

/* A split block stays split when the C/I is high again; a half that has arrived is not sent again; what was
   received before the split does not count. */
TEST(halves)
{
    static const int later_db[] = {13, 60};
    for (size_t i = 0; i < COUNT(later_db); i++) {
        struct radio_link_step steps[] = {{0, -10 * DB}, {500 * KIT_MS_NS, later_db[i] * DB}};
        struct radio_config config = fixed(RADIO_MCS6, 0);
        struct radio_kit kit;
        config.link.is_adaptive = config.link.has_splits = config.link.has_redundancy = true;
        config.link.steps = steps;
        config.link.step_count = 2;
        config.link.report_ns = 20 * KIT_MS_NS;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(RADIO_MCS6) - 1, 1);
        radio_kit_finish(&kit);
        const struct radio_link_stats *stats = radio_link_stats_get(kit.radio, RADIO_DOWN);
        assert_int_equal(stats->split_blocks, 1);
        assert_int_equal(stats->radio_blocks[RADIO_MCS6], 1);
        assert_int_equal(stats->parts - stats->bad_parts, 2);
        assert_int_equal(stats->radio_blocks[RADIO_MCS3], stats->parts - 1);
        assert_int_equal(stats->combined_parts, stats->parts - 3);
        radio_kit_fini(&kit);
    }
}

/* MCS-9 and MCS-6 share a code, MCS-8 and MCS-6 do not: the repetitions in MCS-6 count what came before, or
   not. */
TEST(codes)
{
    static const struct {
        enum radio_coding first;
        int ci_db;
        bool is_shared;
    } rows[] = {{RADIO_MCS9, 21, true}, {RADIO_MCS7, 13, true}, {RADIO_MCS8, 20, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = fixed(rows[i].first, rows[i].ci_db * DB);
        struct radio_kit kit;
        config.link.is_adaptive = config.link.has_redundancy = true;
        config.link.report_ns = 40 * KIT_MS_NS;
        config.down.retransmission_ns = 60 * KIT_MS_NS;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(rows[i].first) - 1, 4);
        radio_kit_finish(&kit);
        const struct radio_link_stats *stats = radio_link_stats_get(kit.radio, RADIO_DOWN);
        assert_int_equal(stats->combined_parts, rows[i].is_shared ? stats->parts - 4 : 0);
        assert_int_equal(stats->radio_blocks[rows[i].first], 2);
        assert_true(stats->parts >= 8);
        radio_kit_fini(&kit);
    }
}

/* A bad block goes again `retransmission` after its end. The TBF closes `release` after the last block. */
TEST(instants)
{
    static const struct {
        int tti_ms, again_ms; /* end of the repetition */
    } rows[] = {{20, 80}, {10, 60}};
    static const struct radio_link_step steps[] = {{0, -20 * DB}, {5 * KIT_MS_NS, 60 * DB}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = fixed(RADIO_MCS6, 0);
        struct radio_kit kit;
        config.pdchs = config.down.slots = config.up.slots = 2;
        config.link.steps = steps;
        config.link.step_count = 2;
        config.block_ns = rows[i].tti_ms * KIT_MS_NS;
        config.down.retransmission_ns = 40 * KIT_MS_NS;
        config.down.release_ns = 50 * KIT_MS_NS;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(RADIO_MCS6) - 1, 1);
        radio_kit_finish(&kit);
        assert_int_equal(kit.now, rows[i].again_ms * KIT_MS_NS);
        assert_int_equal(radio_stats_get(kit.radio, RADIO_DOWN)->repeated_blocks, 1);
        kit.now += 40 * KIT_MS_NS;
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, 20, 1);
        assert_int_equal(radio_stats_get(kit.radio, RADIO_DOWN)->setups, 1);
        radio_kit_finish(&kit);
        kit.now += 60 * KIT_MS_NS;
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, 20, 1);
        assert_int_equal(radio_stats_get(kit.radio, RADIO_DOWN)->setups, 2);
        radio_kit_fini(&kit);
    }
}

/* The window of a direction ends what may be sent before the oldest missing block. */
TEST(windows)
{
    static const unsigned rows[] = {64, 192, 1024};
    size_t last = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = fixed(RADIO_MCS9, 32 * DB);
        struct radio_link_stats stats;
        config.down.retransmission_ns = 2 * SECOND_NS;
        config.down.window_blocks = rows[i];
        config.window_blocks = 8; /* of the cell, overruled */
        size_t count = (size_t)arrived(&config, &stats);
        assert_true(count > last + last / 10);
        last = count;
    }
    struct radio_config config = fixed(RADIO_MCS9, 60 * DB);
    struct radio_kit kit;
    config.down.window_blocks = 1; /* less than a radio block carries */
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(RADIO_MCS9) - 1, 10);
    radio_kit_finish(&kit);
    assert_int_equal(kit.now, 10 * RADIO_BLOCK_NS);
    radio_kit_fini(&kit);
}

/* Reduced TTI: pairs of PDCHs carry a block in 10 ms. The cell carries as much, and an LLC-PDU arrives
 * earlier. */
TEST(reduced_tti)
{
    static const struct {
        unsigned pdchs, slots, blocks; /* of an LLC-PDU */
        int tti_ms, arrives_ms;
    } rows[] = {{2, 2, 1, 20, 20}, {2, 2, 1, 10, 10}, {2, 2, 3, 20, 40}, {2, 2, 3, 10, 30},
                {8, 4, 4, 20, 20}, {8, 4, 4, 10, 20}, {8, 4, 6, 20, 40}, {8, 4, 6, 10, 30}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = fixed(RADIO_MCS6, 60 * DB);
        struct radio_kit kit;
        config.pdchs = rows[i].pdchs;
        config.down.slots = config.up.slots = rows[i].slots;
        config.block_ns = rows[i].tti_ms * KIT_MS_NS;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_UP, TLLI, rows[i].blocks * radio_coding_rlc_octets(RADIO_MCS6) - 1, 1);
        radio_kit_finish(&kit);
        assert_int_equal(kit.now, rows[i].arrives_ms * KIT_MS_NS);
        assert_int_equal(radio_possible_blocks(kit.radio, 0, SECOND_NS), rows[i].pdchs * PERIODS_PER_S);
        kit.now = SECOND_NS;
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, radio_coding_rlc_octets(RADIO_MCS6) - 1, 1000);
        radio_kit_run(&kit, 2 * SECOND_NS);
        assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, TLLI),
                         PERIODS_PER_S * rows[i].slots);
        radio_channels_set(kit.radio, 1, kit.now); /* calls leave one PDCH of a pair */
        radio_kit_run(&kit, kit.now + 20 * KIT_MS_NS);
        assert_int_equal(radio_due_ns(kit.radio) == INT64_MAX, rows[i].tti_ms == 10);
        radio_kit_fini(&kit);
    }
}

/* A mobile that comes back to the cell begins with the first scheme. */
TEST(back)
{
    for (int leaves = 0; leaves < 2; leaves++) {
        struct radio_config config = fixed(RADIO_MCS9, 60 * DB);
        struct radio_kit kit;
        config.link.is_adaptive = true;
        config.link.initial = RADIO_MCS2;
        config.link.report_ns = 100 * KIT_MS_NS;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, 500, 1);
        radio_kit_finish(&kit);
        const struct radio_link_stats *stats = radio_link_stats_get(kit.radio, RADIO_DOWN);
        uint64_t before = stats->radio_blocks[RADIO_MCS2];
        assert_int_equal(before, 5);
        if (leaves) {
            radio_leave(kit.radio, TLLI);
            radio_enter(kit.radio, TLLI, kit.now);
        }
        radio_kit_fill(&kit, RADIO_DOWN, TLLI, 20, 1);
        radio_kit_finish(&kit);
        assert_int_equal(stats->radio_blocks[RADIO_MCS2] - before, leaves);
        radio_kit_fini(&kit);
    }
}

/* Each mobile has its own C/I; without one it has the cell's. */
TEST(own_ci)
{
    struct radio_config config = fixed(RADIO_MCS9, 40 * DB);
    struct radio_kit kit;
    config.pdchs = 2;
    radio_kit_init(&kit, &config);
    assert_true(radio_ci(kit.radio, TLLI + 1, 20 * DB));
    for (unsigned m = 0; m < 2; m++)
        radio_kit_fill(&kit, RADIO_DOWN, TLLI + m, 100, 1000);
    radio_kit_run(&kit, 10 * SECOND_NS);
    assert_true(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, TLLI) > 500);
    assert_true(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, TLLI + 1) < 50);
    radio_kit_fini(&kit);
}

/* Mobiles that come and go, and calls, while C/I varies: every LLC-PDU arrives, in its order, and equal seeds
   give equal events. */
TEST(storm)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct radio_kit kits[2];
        for (int k = 0; k < 2; k++) {
            struct radio_config config = fixed(seed % 2 ? RADIO_MCS9 : RADIO_CS4, 18 * DB);
            struct rng rng;
            rng_init(&rng, seed, 99);
            config.pdchs = 4;
            config.seed = seed;
            config.down.slots = config.up.slots = 4;
            config.down.retransmission_ns = config.up.retransmission_ns = seed * 20 * KIT_MS_NS;
            config.down.window_blocks = config.up.window_blocks = seed < 4 ? 64 : 512;
            config.block_ns = seed % 3 ? 0 : RADIO_BLOCK_NS / 2;
            config.link = (struct radio_link_config){.is_there = true,
                                                     .mean_mdb = 18 * DB,
                                                     .spread_mdb = 4 * DB,
                                                     .shadowing_mdb = 8 * DB,
                                                     .decorrelation_ns = 300 * KIT_MS_NS,
                                                     .is_adaptive = true,
                                                     .initial = seed % 2 ? RADIO_MCS5 : RADIO_CS1,
                                                     .t_avg_ns = 240 * KIT_MS_NS,
                                                     .report_ns = 200 * KIT_MS_NS,
                                                     .has_redundancy = seed<5, .has_splits = seed> 1};
            struct radio_kit *kit = &kits[k];
            radio_kit_init(kit, &config);
            for (int i = 0; i < 3000; i++) {
                uint32_t tlli = TLLI + (uint32_t)rng_below(&rng, 5);
                unsigned what = (unsigned)rng_below(&rng, 40);
                if (what == 0)
                    radio_leave(kit->radio, tlli);
                else if (what < 4)
                    radio_enter(kit->radio, tlli, kit->now);
                else if (what == 4)
                    radio_channels_set(kit->radio, (unsigned)rng_below(&rng, 5), kit->now);
                else if (what < 30)
                    radio_kit_put(kit, what & 1, tlli, 4 + rng_below(&rng, 600), RADIO_INFINITE_CS);
                else
                    radio_kit_run(kit, kit->now + (int64_t)rng_below(&rng, 300) * KIT_MS_NS);
            }
            radio_channels_set(kit->radio, 4, kit->now);
            for (uint32_t m = 0; m < 5; m++)
                radio_enter(kit->radio, TLLI + m, kit->now);
            radio_kit_finish(kit);
            for (int way = 0; way < RADIO_WAYS; way++)
                assert_int_equal(radio_stats_get(kit->radio, way)->queued.frames, 0);
        }
        assert_int_equal(kits[0].count, kits[1].count);
        assert_memory_equal(kits[0].events, kits[1].events, kits[0].count * sizeof *kits[0].events);
        for (int k = 0; k < 2; k++)
            radio_kit_fini(&kits[k]);
    }
}

UNIT_MAIN(NULL, NULL)
