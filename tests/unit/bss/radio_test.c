/* SPDX-License-Identifier: BSD-3-Clause */
/* The radio against closed forms: when an LLC-PDU arrives, when it dies, when a TBF is set up. */
#include "bss/radio.h"

#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define ENDLESS RADIO_INFINITE_CS

TEST(codings)
{
    static const struct {
        const char *name;
        unsigned payload_octets;
    } rows[RADIO_CODINGS] = {
        {"CS-1", 20},   {"CS-2", 30},   {"CS-3", 36},   {"CS-4", 50},  {"MCS-1", 22},
        {"MCS-2", 28},  {"MCS-3", 37},  {"MCS-4", 44},  {"MCS-5", 56}, {"MCS-6", 74},
        {"MCS-7", 112}, {"MCS-8", 136}, {"MCS-9", 148},
    };
    for (int i = 0; i < RADIO_CODINGS; i++) {
        assert_string_equal(radio_coding_name(i), rows[i].name);
        assert_int_equal(radio_payload_octets(i), rows[i].payload_octets);
    }
}

/* One LLC-PDU alone: set-up, then ceil(blocks / slots) periods from the next instant of the grid, then delay.
 */
TEST(time_of_one)
{
    static const struct {
        enum radio_coding coding;
        unsigned octets, pdchs, slots;
        int64_t at_ms, setup_ms, delay_ms, arrives_ms;
    } rows[] = {
        {RADIO_CS2, 29, 1, 1, 0, 0, 0, 20},
        {RADIO_CS2, 30, 1, 1, 0, 0, 0, 40}, /* the length indicator needs a block of its own */
        {RADIO_CS2, 59, 1, 1, 0, 0, 0, 40},
        {RADIO_CS2, 60, 1, 1, 0, 0, 0, 60},
        {RADIO_CS2, 59, 2, 1, 0, 0, 0, 40},
        {RADIO_CS2, 59, 1, 2, 0, 0, 0, 40},
        {RADIO_CS2, 59, 2, 2, 0, 0, 0, 20},
        {RADIO_CS2, 1506, 4, 4, 0, 0, 0, 260}, /* 51 blocks */
        {RADIO_CS2, 1506, 8, 4, 0, 0, 0, 260},
        {RADIO_CS1, 1506, 4, 4, 0, 0, 0, 380}, /* 76 */
        {RADIO_CS3, 1506, 4, 4, 0, 0, 0, 220}, /* 42 */
        {RADIO_CS4, 1506, 4, 4, 0, 0, 0, 160}, /* 31 */
        {RADIO_MCS9, 1506, 4, 4, 0, 0, 0, 60}, /* 11 */
        {RADIO_CS2, 29, 1, 1, 1, 0, 0, 40},    /* waits for the grid */
        {RADIO_CS2, 29, 1, 1, 19, 0, 0, 40},
        {RADIO_CS2, 29, 1, 1, 20, 0, 0, 40},
        {RADIO_CS2, 29, 1, 1, 0, 200, 0, 220},
        {RADIO_CS2, 29, 1, 1, 5, 200, 0, 240},
        {RADIO_CS2, 29, 1, 1, 5, 195, 0, 220},
        {RADIO_CS2, 59, 1, 1, 5, 195, 7, 247},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int way = 0; way < RADIO_WAYS; way++) {
            struct radio_way_config one = {.slots = rows[i].slots,
                                           .setup_ns = rows[i].setup_ms * KIT_MS_NS,
                                           .delay_ns = rows[i].delay_ms * KIT_MS_NS};
            struct radio_config config = {rows[i].pdchs, rows[i].coding, .down = one, .up = one};
            struct radio_kit kit;
            radio_kit_init(&kit, &config);
            radio_kit_run(&kit, rows[i].at_ms * KIT_MS_NS);
            radio_kit_fill(&kit, way, 0xc1, rows[i].octets, 1);
            radio_kit_finish(&kit);
            assert_int_equal(kit.count, 1);
            assert_int_equal(kit.events[0].at_ns, rows[i].arrives_ms * KIT_MS_NS);
            radio_kit_fini(&kit);
        }
}

/* A payload that no coding scheme has. */
TEST(payload_of_its_own)
{
    struct radio_config config = {1, RADIO_CS1, .payload_octets = 71, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, 0xc1, 70, 3);
    radio_kit_run(&kit, 60 * KIT_MS_NS);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, 0xc1), 3);
    radio_kit_fini(&kit);
}

/* The second of two: which set-up does it pay? A row per case: what was put when, and when it arrives. */
TEST(set_up_and_release)
{
    static const struct {
        enum radio_way first, second;
        int64_t second_at_ms, arrives_ms;
        unsigned setups; /* of the second one's way */
    } rows[] = {
        /* The first is put at 0; down it leaves at 200 and arrives at 220, up at 100 and 120. */
        {RADIO_DOWN, RADIO_DOWN, 0, 240, 1},
        {RADIO_DOWN, RADIO_DOWN, 100, 240, 1},
        {RADIO_DOWN, RADIO_DOWN, 210, 240, 1},
        {RADIO_DOWN, RADIO_DOWN, 1000, 1020, 1},
        {RADIO_DOWN, RADIO_DOWN, 2219, 2240, 1}, /* 2 s after its last block */
        {RADIO_DOWN, RADIO_DOWN, 2220, 2440, 2},
        {RADIO_UP, RADIO_UP, 619, 640, 1},
        {RADIO_UP, RADIO_UP, 620, 740, 2},
        {RADIO_UP, RADIO_DOWN, 60, 280, 1}, /* not open yet */
        {RADIO_UP, RADIO_DOWN, 100, 180, 1},
        {RADIO_UP, RADIO_DOWN, 619, 700, 1},
        {RADIO_UP, RADIO_DOWN, 620, 840, 1},
        {RADIO_DOWN, RADIO_UP, 2000, 2120, 1}, /* no shorter access */
    };
    struct radio_config config = {
        1, RADIO_CS2, .down = {.slots = 1, .setup_ns = 200 * KIT_MS_NS, .setup_beside_ns = 60 * KIT_MS_NS},
        .up = {.slots = 1, .setup_ns = 100 * KIT_MS_NS, .release_ns = 500 * KIT_MS_NS}};
    config.down.release_ns = 2000 * KIT_MS_NS;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, rows[i].first, 0xc1, 29, 1);
        radio_kit_run(&kit, rows[i].second_at_ms * KIT_MS_NS);
        radio_kit_fill(&kit, rows[i].second, 0xc1, 29, 1);
        radio_kit_finish(&kit);
        assert_int_equal(kit.now, rows[i].arrives_ms * KIT_MS_NS);
        assert_int_equal(radio_stats_get(kit.radio, rows[i].second)->setups, rows[i].setups);
        assert_int_equal(kit.count, 2);
        radio_kit_fini(&kit);
    }
}

/* Behind `ahead` blocks of another LLC-PDU, at one block a period: the age at the first block decides. */
TEST(lifetime_to_the_block)
{
    static const struct {
        unsigned at_ms, ahead_blocks, lifetime_cs, octets;
        bool lives;
    } rows[] = {
        {0, 10, 20, 29, true},       {0, 10, 19, 29, false},
        {0, 10, 20, 1500, true}, /* air time comes on top */
        {0, 10, 19, 1500, false},    {0, 0, 0, 29, true},
        {1, 0, 0, 29, false},        {1, 0, 1, 29, false},
        {1, 0, 2, 29, true},         {5, 10, 22, 29, true},
        {5, 10, 21, 29, false},      {0, 500, 999, 29, false},
        {0, 500, 1000, 29, true},    {0, 500, 0xfffe, 29, true},
        {0, 500, ENDLESS, 29, true},
    };
    static const struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_run(&kit, rows[i].at_ms * KIT_MS_NS);
        radio_kit_fill(&kit, RADIO_DOWN, 0xc1, 29, rows[i].ahead_blocks);
        radio_kit_put(&kit, RADIO_DOWN, 0xc1, rows[i].octets, (uint16_t)rows[i].lifetime_cs);
        radio_kit_finish(&kit);
        assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_LIFETIME, 0xc1), !rows[i].lives);
        assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 0xc1).discarded_frames, !rows[i].lives);
        radio_kit_fini(&kit);
    }
}

/* One whose octets fill up the last block of another one has begun with it; what dies costs no block. */
TEST(lifetime_in_a_shared_block)
{
    static const struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_put(&kit, RADIO_DOWN, 0xc1, 49, ENDLESS); /* 50 of the 60 octets of two blocks */
    radio_kit_put(&kit, RADIO_DOWN, 0xc1, 29, 1);       /* dies at 20 ms, when the second is filled */
    radio_kit_put(&kit, RADIO_DOWN, 0xc1, 39, 2);       /* 10 octets at 20 ms, 30 at 40 ms */
    radio_kit_put(&kit, RADIO_DOWN, 0xc1, 29, 3);       /* dies at 60 ms */
    radio_kit_put(&kit, RADIO_DOWN, 0xc1, 29, 6);
    radio_kit_finish(&kit);
    assert_int_equal(kit.now, 80 * KIT_MS_NS);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_LIFETIME, 0xc1), 2);
    assert_int_equal(radio_stats_get(kit.radio, RADIO_DOWN)->blocks, 4);
    radio_kit_fini(&kit);
}

/* All that waits dies at once, in the period in which another mobile takes the block. */
TEST(the_dead_leave_their_turn)
{
    static const struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, 0xc1, 29, 1);
    for (unsigned i = 0; i < 3; i++)
        radio_kit_put(&kit, RADIO_DOWN, 0xc2, 29, 1);
    radio_kit_put(&kit, RADIO_DOWN, 0xc3, 29, 1);
    radio_kit_fill(&kit, RADIO_DOWN, 0xc4, 29, 1);
    radio_kit_finish(&kit);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_LIFETIME, 0xc2), 3);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_LIFETIME, 0xc3), 1);
    assert_int_equal(kit.now, 40 * KIT_MS_NS);
    assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 0xc2).queued.frames, 0);
    radio_kit_fini(&kit);
}

TEST(limits)
{
    struct radio_config config = {1, RADIO_CS2, .down = {.slots = 1}, .up = {.slots = 1}};
    config.down.mobile_limit_octets = 100;
    config.down.cell_limit_octets = 150;
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    assert_true(radio_kit_put(&kit, RADIO_DOWN, 0xc1, 60, ENDLESS));
    assert_true(radio_kit_put(&kit, RADIO_DOWN, 0xc1, 40, ENDLESS));
    assert_false(radio_kit_put(&kit, RADIO_DOWN, 0xc1, 4, ENDLESS));
    assert_true(radio_kit_put(&kit, RADIO_DOWN, 0xc2, 50, ENDLESS));
    assert_false(radio_kit_put(&kit, RADIO_DOWN, 0xc3, 4, ENDLESS));
    assert_true(radio_kit_put(&kit, RADIO_UP, 0xc1, 1000, ENDLESS));
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_MOBILE_FULL, 0xc1), 1);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_CELL_FULL, 0xc3), 1);
    assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 0xc1).queued.octets, 100);
    assert_int_equal(radio_queue_get(kit.radio, RADIO_UP, 0xc1).queued.octets, 1000);
    radio_kit_run(&kit, 50 * KIT_MS_NS);
    assert_false(radio_kit_put(&kit, RADIO_DOWN, 0xc1, 60, ENDLESS)); /* what is on the air counts */
    radio_kit_finish(&kit);
    assert_true(radio_kit_put(&kit, RADIO_DOWN, 0xc1, 60, ENDLESS));
    assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 0xc1).queued_max_octets, 100);
    assert_int_equal(radio_stats_get(kit.radio, RADIO_DOWN)->queued_max_octets, 150);
    radio_kit_fini(&kit);
}

TEST(too_many_mobiles)
{
    static const struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    for (uint32_t tlli = 0; tlli < RADIO_MAX_MOBILES; tlli++)
        assert_true(radio_kit_put(&kit, RADIO_DOWN, 0xc0000000 + 97 * tlli, 4, ENDLESS));
    assert_false(radio_kit_put(&kit, RADIO_DOWN, 1, 4, ENDLESS));
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_DISCARD_CELL_FULL, 1), 1);
    assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 0xc0000000).queued.frames, 1);
    assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, 1).queued.frames, 0);
    radio_kit_fini(&kit);
}

/* Deadlines are only where something happens: nothing before the first, during set-up, or after the last. */
TEST(idle_costs_nothing)
{
    struct radio_config config = {4, RADIO_CS2, .down.slots = 4, .up.slots = 1};
    config.down.setup_ns = 1000 * KIT_MS_NS;
    config.down.release_ns = 5000 * KIT_MS_NS;
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    assert_int_equal(radio_step(kit.radio, 0), INT64_MAX);
    radio_kit_fill(&kit, RADIO_DOWN, 0xc1, 59, 1);
    assert_int_equal(radio_due_ns(kit.radio), 1000 * KIT_MS_NS);
    radio_kit_run(&kit, 3600000 * KIT_MS_NS);
    assert_int_equal(kit.steps, 2); /* the period and the arrival */
    assert_int_equal(radio_due_ns(kit.radio), INT64_MAX);
    radio_kit_fini(&kit);
}

/* Called late, it does what it missed, at the instants at which it was due, with what was there then. */
TEST(late_steps_change_nothing)
{
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    config.down.release_ns = 3600000 * KIT_MS_NS;
    struct radio_kit punctual, late;
    radio_kit_init(&punctual, &config);
    radio_kit_init(&late, &config);
    radio_kit_fill(&punctual, RADIO_DOWN, 0xc1, 500, 19); /* 318 blocks, the last with room */
    radio_kit_fill(&late, RADIO_DOWN, 0xc1, 500, 19);
    radio_kit_run(&punctual, 318 * RADIO_BLOCK_NS - 1);
    late.now = punctual.now;
    radio_kit_fill(&punctual, RADIO_DOWN, 0xc1, 500, 1);
    radio_kit_fill(&late, RADIO_DOWN, 0xc1, 500, 1);
    radio_kit_finish(&punctual);
    assert_int_equal(radio_step(late.radio, 3600000 * KIT_MS_NS), INT64_MAX);
    assert_int_equal(punctual.count, late.count);
    assert_memory_equal(punctual.events, late.events, late.count * sizeof *late.events);
    radio_kit_fini(&punctual);
    radio_kit_fini(&late);
}

TEST(possible_blocks)
{
    static const struct {
        int64_t from_ns, to_ns;
        uint64_t blocks;
    } rows[] = {
        {0, 0, 0},
        {0, 1, 3},
        {0, RADIO_BLOCK_NS, 3},
        {0, RADIO_BLOCK_NS + 1, 6},
        {1, RADIO_BLOCK_NS, 0},
        {1, RADIO_BLOCK_NS + 1, 3},
        {0, 50 * RADIO_BLOCK_NS, 150},
        {25 * RADIO_BLOCK_NS, 50 * RADIO_BLOCK_NS, 75},
    };
    static const struct radio_config config = {3, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(radio_possible_blocks(kit.radio, rows[i].from_ns, rows[i].to_ns), rows[i].blocks);
    radio_kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
