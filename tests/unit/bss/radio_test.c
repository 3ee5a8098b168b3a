/* SPDX-License-Identifier: BSD-3-Clause */
/* The radio against closed forms: when an LLC-PDU arrives, when it dies, when a TBF is set up. */
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#include "bss/radio.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <string.h>

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
        assert_int_equal(radio_coding_payload_octets(i), rows[i].payload_octets);
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

/* Mobiles that leave a radio and come back, at random: nothing is lost but what is taken, and nothing
 * overtakes. */

#define MS_NS INT64_C(1000000)

enum { MOBILES = 5, STEPS = 20000 };

static const struct radio_config move_config = {
    .pdchs = 3,
    .coding = RADIO_CS2,
    .window_blocks = 8,
    .seed = 1,
    .down = {.slots = 2, .bler_ppm = 200000, .retransmission_ns = 60 * MS_NS, .setup_ns = 50 * MS_NS},
    .up = {.slots = 1, .bler_ppm = 100000, .retransmission_ns = 40 * MS_NS, .setup_ns = 20 * MS_NS},
};

struct taken {
    uint64_t frames, octets;
    uint16_t lifetime_cs; /* of the last */
};

static void on_take(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs)
{
    struct taken *taken = arg;
    taken->frames++;
    taken->octets += frame->octets;
    taken->lifetime_cs = lifetime_cs;
}

static void take_all(struct radio_kit *kit, uint32_t tlli, struct taken *taken)
{
    for (int way = 0; way < RADIO_WAYS; way++) {
        uint64_t before = taken->octets;
        uint64_t octets = radio_take(kit->radio, (enum radio_way)way, tlli, on_take, taken, kit->now);
        assert_int_equal(octets, taken->octets - before);
        assert_int_equal(radio_queue_get(kit->radio, (enum radio_way)way, tlli).queued.octets, 0);
    }
}

/* One thing that may happen to a mobile. What is on the air when it leaves still arrives. */
static void act(struct radio_kit *kit, struct rng *rng, uint32_t tlli, bool *is_away, struct taken *taken)
{
    switch (rng_below(rng, 12)) {
    case 0:
        radio_leave(kit->radio, tlli);
        radio_kit_run(kit, kit->now + RADIO_BLOCK_NS);
        *is_away = true;
        break;
    case 1:
        radio_enter(kit->radio, tlli, kit->now);
        *is_away = false;
        break;
    case 2:
        if (*is_away)
            take_all(kit, tlli, taken);
        break;
    default:
        radio_kit_put(kit, (enum radio_way)rng_below(rng, RADIO_WAYS), tlli, (size_t)rng_between(rng, 4, 200),
                      RADIO_INFINITE_CS);
        break;
    }
}

/* The kit looks at order and conservation; here nothing may come to a mobile that is away. There are more
 * blocks of each mobile than have numbers. */
TEST(at_random)
{
    struct radio_kit kit;
    struct rng rng;
    struct taken taken = {0};
    bool is_away[MOBILES] = {false};
    uint64_t queued[MOBILES];

    radio_kit_init(&kit, &move_config);
    rng_init(&rng, 7, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t tlli = (uint32_t)rng_below(&rng, MOBILES);
        act(&kit, &rng, tlli, &is_away[tlli], &taken);
        assert_int_equal(radio_is_away(kit.radio, tlli), is_away[tlli]);
        for (uint32_t k = 0; k < MOBILES; k++)
            queued[k] = radio_queue_get(kit.radio, RADIO_DOWN, k).queued.frames;
        radio_kit_run(&kit, kit.now + (int64_t)rng_below(&rng, 50) * MS_NS);
        for (uint32_t k = 0; k < MOBILES; k++)
            if (is_away[k])
                assert_int_equal(radio_queue_get(kit.radio, RADIO_DOWN, k).queued.frames, queued[k]);
    }
    for (uint32_t k = 0; k < MOBILES; k++)
        radio_enter(kit.radio, k, kit.now);
    radio_kit_finish(&kit);
    for (int way = 0; way < RADIO_WAYS; way++)
        assert_int_equal(radio_stats_get(kit.radio, way)->queued.frames, 0);
    assert_true(taken.frames > 100);
    radio_kit_fini(&kit);
}

/* What is left of the lifetime goes along, rounded down. */
TEST(lifetime)
{
    static const struct {
        uint16_t given_cs;
        int64_t after_ns;
        uint16_t left_cs;
    } rows[] = {
        {RADIO_INFINITE_CS, 5000 * MS_NS, RADIO_INFINITE_CS},
        {100, 0, 100},
        {100, 10 * MS_NS, 99},
        {100, 11 * MS_NS, 98},
        {100, 1000 * MS_NS, 0},
        {100, 9000 * MS_NS, 0},
        {RADIO_INFINITE_CS - 1, 0, RADIO_INFINITE_CS - 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_kit kit;
        struct taken taken = {0};
        radio_kit_init(&kit, &move_config);
        radio_leave(kit.radio, 1);
        radio_kit_put(&kit, RADIO_DOWN, 1, 50, rows[i].given_cs);
        radio_kit_run(&kit, rows[i].after_ns);
        take_all(&kit, 1, &taken);
        assert_int_equal(taken.frames, 1);
        assert_int_equal(taken.lifetime_cs, rows[i].left_cs);
        radio_kit_fini(&kit);
    }
}

/* Block error rates that vary: steps hold from their instant on, states have their lengths and shares. */

#define MS KIT_MS_NS

enum { ANNA = 1, BERT = 2, BLOCK_OCTETS = 29, NONE = -1 };

static const struct radio_errors_step steps[] = {{100, 10, 11}, {200, 20, 21}, {300, 30, 31}};

TEST(holds_steps)
{
    static const struct {
        int64_t start_ns, repeat_ns, now;
        int bler_ppm; /* NONE: that of the cell */
    } rows[] = {
        {0, 0, 0, NONE},    {0, 0, 99, NONE},     {0, 0, 100, 10},       {0, 0, 199, 10},
        {0, 0, 200, 20},    {0, 0, 300, 30},      {0, 0, 9999, 30},      {50, 0, 149, NONE},
        {50, 0, 150, 10},   {0, 400, 399, 30},    {0, 400, 400, NONE},   {0, 400, 500, 10},
        {0, 400, 4200, 20}, {1000, 400, 5, NONE}, {1000, 400, 1500, 10},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_errors_config config = {.steps = steps,
                                             .step_count = COUNT(steps),
                                             .start_ns = rows[i].start_ns,
                                             .repeat_ns = rows[i].repeat_ns};
        const struct radio_errors_step *step = radio_errors_step_at(&config, rows[i].now);
        assert_int_equal(step ? (int)step->bler_ppm : NONE, rows[i].bler_ppm);
    }
    assert_null(radio_errors_step_at(&(struct radio_errors_config){0}, 5));
}

/* States of a mobile by steps of 1 ms: share of the bad one in ten thousand, and the number of its visits. */
struct states {
    unsigned bad, visits;
};

static struct states states_of(int64_t good_ns, int64_t bad_ns, uint64_t seed, uint32_t tlli)
{
    enum { SAMPLES = 1000000 };
    struct radio_errors_config config = {.good_ns = good_ns, .bad_ns = bad_ns, .bad_bler_ppm = 1};
    struct radio_errors_fade fade;
    struct states states = {0};
    bool was_bad = false;
    radio_errors_fade_init(&fade, &config, seed, tlli);
    for (int64_t i = 0; i < SAMPLES; i++) {
        bool is_bad = radio_errors_is_bad(&fade, &config, i * MS);
        states.bad += is_bad;
        states.visits += is_bad && !was_bad;
        was_bad = is_bad;
    }
    states.bad /= SAMPLES / 10000;
    return states;
}

/* A thousand seconds; shares within three of their standard deviations, visits as well. */
TEST(visits_states)
{
    static const struct {
        int64_t good_ns, bad_ns;
        unsigned bad, bad_width, visits, visits_width;
    } rows[] = {
        {900 * MS, 100 * MS, 1000, 120, 1000, 140},
        {1000 * MS, 1000 * MS, 5000, 480, 500, 70},
        {2000 * MS, 500 * MS, 2000, 340, 400, 65},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct states states = states_of(rows[i].good_ns, rows[i].bad_ns, 1, ANNA);
        assert_in_range(states.bad, rows[i].bad - rows[i].bad_width, rows[i].bad + rows[i].bad_width);
        assert_in_range(states.visits, rows[i].visits - rows[i].visits_width,
                        rows[i].visits + rows[i].visits_width);
    }
    assert_int_equal(states_of(0, 0, 1, ANNA).bad, 0);
}

TEST(is_by_seed_and_mobile)
{
    struct states one = states_of(900 * MS, 100 * MS, 1, ANNA), same = states_of(900 * MS, 100 * MS, 1, ANNA);
    assert_memory_equal(&one, &same, sizeof(one));
    assert_int_not_equal(one.visits, states_of(900 * MS, 100 * MS, 2, ANNA).visits);
    assert_int_not_equal(one.visits, states_of(900 * MS, 100 * MS, 1, BERT).visits);
}

/* Bad blocks of both directions in windows of time; the step's rate has no effect in the bad state. */
TEST(spoils_blocks)
{
    static const struct radio_errors_step on_and_off[] = {
        {0, 0, 0}, {2000 * MS, 500000, 0}, {4000 * MS, 0, 500000}};
    static const struct {
        int64_t until_ns;
        enum radio_way bad;
        bool is_any_bad;
    } rows[] = {{2000 * MS, RADIO_DOWN, false}, {4000 * MS, RADIO_DOWN, true}, {6000 * MS, RADIO_UP, true}};
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1,
                                  .errors = {.steps = on_and_off, .step_count = COUNT(on_and_off)}};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    for (int way = 0; way < RADIO_WAYS; way++)
        radio_kit_fill(&kit, (enum radio_way)way, ANNA, BLOCK_OCTETS, 1000);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t before[RADIO_WAYS];
        for (int way = 0; way < RADIO_WAYS; way++)
            before[way] = radio_stats_get(kit.radio, (enum radio_way)way)->bad_blocks;
        radio_kit_run(&kit, rows[i].until_ns - 1);
        for (int way = 0; way < RADIO_WAYS; way++) {
            uint64_t bad = radio_stats_get(kit.radio, (enum radio_way)way)->bad_blocks - before[way];
            bool is_bad = rows[i].is_any_bad && way == (int)rows[i].bad;
            assert_in_range(bad, is_bad ? 25 : 0, is_bad ? 75 : 0);
        }
    }
    radio_kit_finish(&kit);
    radio_kit_fini(&kit);
}

/* Errors in the bad state only, of one mobile while the other one is well. */
TEST(fades_one_by_one)
{
    static const struct radio_config config = {
        2,
        RADIO_CS2,
        .seed = 3,
        .down.slots = 1,
        .up.slots = 1,
        .errors = {.good_ns = 1000 * MS, .bad_ns = 1000 * MS, .bad_bler_ppm = 900000}};
    struct radio_errors_fade fades[2];
    struct radio_kit kit;
    uint64_t expected[2] = {0}, periods = 500;
    radio_errors_fade_init(&fades[0], &config.errors, config.seed, ANNA);
    radio_errors_fade_init(&fades[1], &config.errors, config.seed, BERT);
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 1000);
    radio_kit_fill(&kit, RADIO_DOWN, BERT, BLOCK_OCTETS, 1000);
    for (uint64_t i = 0; i < periods; i++)
        for (int mobile = 0; mobile < 2; mobile++)
            expected[mobile] +=
                !radio_errors_is_bad(&fades[mobile], &config.errors, (int64_t)i * RADIO_BLOCK_NS);
    radio_kit_run(&kit, (int64_t)periods * RADIO_BLOCK_NS);
    for (uint32_t mobile = 0; mobile < 2; mobile++) {
        size_t good = radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, mobile ? BERT : ANNA);
        assert_in_range(good, expected[mobile] - 64,
                        expected[mobile] + 90); /* a window; one in ten bad ones */
    }
    assert_int_not_equal(expected[0], expected[1]);
    radio_kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
