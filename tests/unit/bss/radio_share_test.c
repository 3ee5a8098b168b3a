/* SPDX-License-Identifier: BSD-3-Clause */
/* The radio under load: what a full cell carries, who gets it, what block errors cost, and that chance
   repeats itself. */
#include "bss/radio.h"

#include <string.h>

#include "dataplane/base/rng.h"
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define SECOND_NS    (1000 * KIT_MS_NS)
#define FIRST_TLLI   0xc0u
#define BLOCK_OCTETS 29 /* of an LLC-PDU that fills a block of CS-2 */

enum { PERIODS_PER_S = 50 };

static uint64_t delivered(const struct radio_kit *kit, enum radio_way way, unsigned mobile)
{
    return radio_kit_count(kit, way, RADIO_KIT_DELIVERED, FIRST_TLLI + mobile);
}

/* Octets of a full cell: payload x 50 x PDCHs a second, exactly; fewer only by the mobiles' slots. */
TEST(a_full_cell)
{
    static const struct {
        enum radio_coding coding;
        unsigned pdchs, slots, mobiles, blocks; /* blocks: of a period */
    } rows[] = {
        {RADIO_CS1, 1, 1, 1, 1}, {RADIO_CS2, 1, 4, 1, 1},  {RADIO_CS2, 4, 4, 1, 4},   {RADIO_CS2, 4, 3, 1, 3},
        {RADIO_CS3, 8, 4, 1, 4}, {RADIO_CS4, 8, 4, 2, 8},  {RADIO_CS2, 7, 2, 3, 6},   {RADIO_CS2, 5, 2, 3, 5},
        {RADIO_CS2, 3, 1, 7, 3}, {RADIO_MCS9, 4, 4, 3, 4}, {RADIO_CS1, 64, 8, 8, 64},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int way = 0; way < RADIO_WAYS; way++) {
            struct radio_way_config one = {.slots = rows[i].slots};
            struct radio_config config = {rows[i].pdchs, rows[i].coding, .down = one, .up = one};
            unsigned payload = radio_coding_payload_octets(rows[i].coding), frames = 0;
            struct radio_kit kit;
            radio_kit_init(&kit, &config);
            for (unsigned m = 0; m < rows[i].mobiles; m++)
                radio_kit_fill(&kit, way, FIRST_TLLI + m, payload - 1, 20 * PERIODS_PER_S * rows[i].slots);
            radio_kit_run(&kit, 20 * SECOND_NS);
            for (unsigned m = 0; m < rows[i].mobiles; m++)
                frames += (unsigned)delivered(&kit, way, m);
            assert_int_equal(frames, 20 * PERIODS_PER_S * rows[i].blocks);
            assert_int_equal(radio_possible_blocks(kit.radio, 0, kit.now) * rows[i].blocks,
                             (uint64_t)frames * rows[i].pdchs);
            radio_kit_fini(&kit);
        }
}

/* LLC-PDUs that do not fit blocks share them: nothing but one octet each is lost. */
TEST(no_octet_is_wasted)
{
    static const unsigned rows[] = {4, 29, 30, 31, 100, 506, 1506};
    static const struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_kit kit;
        unsigned octets = 900 * PERIODS_PER_S * 30;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, rows[i], 20000);
        radio_kit_run(&kit, 900 * SECOND_NS);
        unsigned whole = octets / (rows[i] + 1);
        assert_int_equal(delivered(&kit, RADIO_DOWN, 0), whole < 20000 ? whole : 20000);
        radio_kit_fini(&kit);
    }
}

/* Mobiles with enough to send differ by one block at most, at any time, whatever their LLC-PDUs' sizes. */
TEST(equal_turns)
{
    static const struct {
        unsigned pdchs, slots, mobiles;
    } rows[] = {{1, 1, 3}, {4, 4, 3}, {4, 2, 5}, {7, 4, 4}, {8, 8, 110}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = {rows[i].pdchs, RADIO_CS2, .down.slots = rows[i].slots, .up.slots = 1};
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        for (unsigned m = 0; m < rows[i].mobiles; m++)
            radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI + m, BLOCK_OCTETS, 200);
        for (int64_t at = 0; at <= SECOND_NS; at += RADIO_BLOCK_NS) {
            uint64_t least = UINT64_MAX, most = 0;
            radio_kit_run(&kit, at);
            for (unsigned m = 0; m < rows[i].mobiles; m++) {
                uint64_t frames = delivered(&kit, RADIO_DOWN, m);
                least = frames < least ? frames : least;
                most = frames > most ? frames : most;
            }
            assert_true(most - least <= 1);
        }
        radio_kit_fini(&kit);
    }
}

/* A higher level has all it can use; what that leaves goes to the next; within a level turns are equal. */
TEST(levels)
{
    static const struct {
        unsigned level, frames; /* of mobiles 0 to 3; waiting */
        unsigned delivered[2];  /* of each after 10 and 20 periods of 4 blocks, 2 of them for one mobile */
    } rows[] = {{0, 30, {20, 30}}, {1, 100, {10, 25}}, {1, 100, {10, 25}}, {7, 100, {0, 0}}};
    static const struct radio_config config = {4, RADIO_CS2, .down.slots = 2, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    for (unsigned m = 0; m < COUNT(rows); m++) {
        assert_true(radio_level(kit.radio, FIRST_TLLI + m, rows[m].level));
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI + m, BLOCK_OCTETS, rows[m].frames);
    }
    for (unsigned part = 0; part < 2; part++) {
        radio_kit_run(&kit, (part + 1) * 10 * RADIO_BLOCK_NS);
        for (unsigned m = 0; m < COUNT(rows); m++)
            assert_int_equal(delivered(&kit, RADIO_DOWN, m), rows[m].delivered[part]);
    }
    radio_kit_fini(&kit);
}

/* Mobiles that cannot send yet leave the whole air to the one that can. */
TEST(who_waits_hinders_nobody)
{
    struct radio_config config = {4, RADIO_CS2, .down.slots = 4, .up.slots = 1};
    config.down.setup_ns = 200 * KIT_MS_NS;
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, BLOCK_OCTETS, 100);
    radio_kit_run(&kit, 100 * KIT_MS_NS);
    for (unsigned m = 1; m < 4; m++)
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI + m, BLOCK_OCTETS, 100);
    radio_kit_run(&kit, 300 * KIT_MS_NS);
    assert_int_equal(delivered(&kit, RADIO_DOWN, 0), 20);
    radio_kit_run(&kit, 400 * KIT_MS_NS);
    for (unsigned m = 1; m < 4; m++)
        assert_int_equal(delivered(&kit, RADIO_DOWN, m), 5);
    radio_kit_fini(&kit);
}

/* A mobile with large LLC-PDUs gets the same octets as one with small ones. */
TEST(turns_are_blocks_not_frames)
{
    static const struct radio_config config = {2, RADIO_CS2, .down.slots = 2, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, BLOCK_OCTETS, 1000);
    radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI + 1, 1499, 20); /* 50 blocks */
    radio_kit_run(&kit, 20 * SECOND_NS);
    assert_int_equal(delivered(&kit, RADIO_DOWN, 0), 1000);
    assert_int_equal(delivered(&kit, RADIO_DOWN, 1), 20);
    radio_kit_fini(&kit);
}

/* Blocks for N of them are N / (1 - p) in the mean, with variance N p / (1 - p)^2. */
TEST(repetitions_cost_what_they_must)
{
    static const struct {
        uint32_t bler_ppm;
        unsigned least, most; /* mean -+ 3 sigma of 100 000 */
    } rows[] = {
        {10000, 100914, 101106}, {100000, 110778, 111445}, {300000, 142114, 143600}, {0, 100000, 100000}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (int way = 0; way < RADIO_WAYS; way++) {
                struct radio_way_config one = {
                    .slots = 4, .bler_ppm = rows[i].bler_ppm, .retransmission_ns = 100 * KIT_MS_NS};
                struct radio_config config = {4, RADIO_CS2, .seed = seed, .down = one, .up = one};
                struct radio_kit kit;
                radio_kit_init(&kit, &config);
                radio_kit_fill(&kit, way, FIRST_TLLI, BLOCK_OCTETS, 100000);
                radio_kit_finish(&kit);
                const struct radio_stats *stats = radio_stats_get(kit.radio, way);
                assert_in_range(stats->blocks, rows[i].least, rows[i].most);
                assert_int_equal(stats->repeated_blocks, stats->blocks - 100000);
                assert_int_equal(stats->bad_blocks, stats->repeated_blocks);
                assert_int_equal(stats->delivered.frames, 100000);
                radio_kit_fini(&kit);
            }
}

/* From the end of a bad block to its repetition: the first instant of the grid after the delay. */
TEST(a_bad_block_waits)
{
    static const struct {
        int64_t retransmission_ms, cycle_ms;
    } rows[] = {{0, 20}, {1, 40}, {20, 40}, {80, 100}, {81, 120}, {280, 300}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
        config.down.bler_ppm = 700000;
        config.down.retransmission_ns = rows[i].retransmission_ms * KIT_MS_NS;
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, BLOCK_OCTETS, 1);
        radio_kit_finish(&kit);
        uint64_t repeated = radio_stats_get(kit.radio, RADIO_DOWN)->repeated_blocks;
        assert_true(repeated > 0);
        assert_int_equal(kit.now, (int64_t)repeated * rows[i].cycle_ms * KIT_MS_NS + RADIO_BLOCK_NS);
        radio_kit_fini(&kit);
    }
}

/* An LLC-PDU comes with the last of its blocks, however late, and so do those behind it. */
TEST(nothing_comes_before_it_is_whole)
{
    struct radio_config config = {4, RADIO_CS2, .down.slots = 4, .up.slots = 1};
    config.down.bler_ppm = 300000;
    config.down.retransmission_ns = 80 * KIT_MS_NS;
    for (config.seed = 1; config.seed <= 10; config.seed++) {
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, 599, 5); /* 20 blocks each, in 500 ms if none is bad */
        radio_kit_finish(&kit);
        assert_int_equal(kit.count, 5);
        assert_int_equal(kit.events[4].at_ns, kit.now);
        assert_true(kit.events[0].at_ns >= 100 * KIT_MS_NS + 100 * KIT_MS_NS); /* one of 20 is bad at least */
        assert_true(kit.now > 500 * KIT_MS_NS);
        radio_kit_fini(&kit);
    }
}

/* A window of one block is stop-and-wait: the air rests while a bad one waits. */
TEST(window)
{
    struct radio_config config = {1, RADIO_CS2, .window_blocks = 1, .down.slots = 1, .up.slots = 1};
    config.down.bler_ppm = 500000;
    config.down.retransmission_ns = 80 * KIT_MS_NS;
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, BLOCK_OCTETS, 1000);
    radio_kit_finish(&kit);
    uint64_t repeated = radio_stats_get(kit.radio, RADIO_DOWN)->repeated_blocks;
    assert_int_equal(kit.now, (int64_t)(5 * repeated + 1000) * RADIO_BLOCK_NS);
    radio_kit_fini(&kit);
}

/* One of n blocks is not for data, both ways alike. */
TEST(control_takes_its_share)
{
    static const struct {
        unsigned one_in, pdchs, periods, blocks; /* blocks: with data */
    } rows[] = {{0, 4, 1200, 4800},
                {2, 4, 1200, 2400},
                {12, 4, 1200, 4400},
                {12, 1, 1200, 1100},
                {20, 3, 1200, 3420}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = {rows[i].pdchs, RADIO_CS2, .down.slots = rows[i].pdchs, .up.slots = 1};
        config.down.control_one_in = rows[i].one_in;
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, FIRST_TLLI, BLOCK_OCTETS, 10000);
        radio_kit_run(&kit, rows[i].periods * RADIO_BLOCK_NS - 1);
        const struct radio_stats *stats = radio_stats_get(kit.radio, RADIO_DOWN);
        assert_int_equal(stats->blocks, rows[i].pdchs * rows[i].periods);
        assert_int_equal(stats->blocks - stats->control_blocks, rows[i].blocks);
        radio_kit_fini(&kit);
    }
}

static int64_t ms_below(struct rng *rng, uint64_t ms)
{
    return (int64_t)rng_below(rng, ms) * KIT_MS_NS;
}

static struct radio_way_config random_way(struct rng *rng)
{
    return (struct radio_way_config){
        .slots = 1 + (unsigned)rng_below(rng, 4),
        .bler_ppm = rng_below(rng, 3) ? (uint32_t)rng_below(rng, 400000) : 0,
        .retransmission_ns = ms_below(rng, 300),
        .setup_ns = ms_below(rng, 400),
        .setup_beside_ns = ms_below(rng, 100),
        .release_ns = ms_below(rng, 2000),
        .delay_ns = ms_below(rng, 50),
        .control_one_in = rng_below(rng, 2) ? 2 + (unsigned)rng_below(rng, 20) : 0,
        .mobile_limit_octets = rng_below(rng, 2) ? 5000 + rng_below(rng, 20000) : 0,
        .cell_limit_octets = rng_below(rng, 2) ? 20000 + rng_below(rng, 50000) : 0,
    };
}

static struct radio_config random_config(struct rng *rng, uint64_t seed)
{
    struct radio_config config = {.pdchs = 1 + (unsigned)rng_below(rng, 8), .seed = seed};
    config.coding = (enum radio_coding)rng_below(rng, RADIO_CODINGS);
    config.window_blocks = (unsigned)rng_below(rng, 130);
    config.down = random_way(rng);
    config.up = random_way(rng);
    return config;
}

/* Bursts and pauses, to some mobiles, either way, until all has come to an end. */
static void play_random(struct radio_kit *kit, struct rng *rng)
{
    for (unsigned i = 0; i < 2000; i++) {
        enum radio_way way = rng_below(rng, 3) ? RADIO_DOWN : RADIO_UP;
        uint16_t lifetime_cs = rng_below(rng, 2) ? (uint16_t)rng_below(rng, 600) : RADIO_INFINITE_CS;
        uint32_t tlli = FIRST_TLLI + (uint32_t)rng_below(rng, 5);
        radio_kit_put(kit, way, tlli, 4 + rng_below(rng, 1500), lifetime_cs);
        if (rng_below(rng, 4) == 0)
            radio_kit_run(kit, kit->now + ms_below(rng, rng_below(rng, 50) ? 200 : 5000));
    }
    radio_kit_check(kit);
    radio_kit_finish(kit);
    for (int way = 0; way < RADIO_WAYS; way++)
        assert_int_equal(radio_stats_get(kit->radio, way)->queued.frames, 0);
}

static void random_run(struct radio_kit *kit, uint64_t scene, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, scene, 7);
    struct radio_config config = random_config(&rng, seed);
    config.down.bler_ppm += 1000; /* so that the seed matters */
    radio_kit_init(kit, &config);
    play_random(kit, &rng);
}

static bool is_same(const struct radio_kit *a, const struct radio_kit *b)
{
    return a->count == b->count && memcmp(a->events, b->events, a->count * sizeof *a->events) == 0;
}

TEST(chance_repeats_itself)
{
    unsigned discards = 0;
    for (uint64_t scene = 1; scene <= 20; scene++) {
        struct radio_kit first, second, other;
        random_run(&first, scene, 5);
        random_run(&second, scene, 5);
        random_run(&other, scene, 6);
        assert_true(is_same(&first, &second));
        assert_false(is_same(&first, &other));
        for (int reason = 0; reason < RADIO_DISCARDS; reason++)
            discards |= (unsigned)!!radio_stats_get(first.radio, RADIO_DOWN)->discarded[reason].frames
                        << reason;
        radio_kit_fini(&first);
        radio_kit_fini(&second);
        radio_kit_fini(&other);
    }
    assert_int_equal(discards, 7); /* the scenes have seen every reason */
}

/* Up and down have their own chance: traffic one way leaves the other as it was. */
TEST(ways_do_not_disturb_each_other)
{
    struct radio_way_config one = {.slots = 2, .bler_ppm = 200000, .retransmission_ns = 100 * KIT_MS_NS};
    struct radio_config config = {2, RADIO_CS2, .seed = 9, .down = one, .up = one};
    struct radio_kit alone, both;
    radio_kit_init(&alone, &config);
    radio_kit_init(&both, &config);
    radio_kit_fill(&alone, RADIO_DOWN, FIRST_TLLI, 500, 100);
    radio_kit_fill(&both, RADIO_DOWN, FIRST_TLLI, 500, 100);
    radio_kit_fill(&both, RADIO_UP, FIRST_TLLI, 500, 100);
    radio_kit_finish(&alone);
    radio_kit_finish(&both);
    size_t next = 0;
    for (size_t i = 0; i < both.count; i++)
        if (both.events[i].way == RADIO_DOWN)
            assert_memory_equal(&both.events[i], &alone.events[next++], sizeof *both.events);
    assert_int_equal(next, 100);
    assert_int_not_equal(radio_stats_get(both.radio, RADIO_UP)->bad_blocks,
                         radio_stats_get(both.radio, RADIO_DOWN)->bad_blocks);
    radio_kit_fini(&alone);
    radio_kit_fini(&both);
}

UNIT_MAIN(NULL, NULL)
