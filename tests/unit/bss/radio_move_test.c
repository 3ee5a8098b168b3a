/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that leave a radio and come back, at random: nothing is lost but what is taken, and nothing
 * overtakes. */
#include "bss/radio.h"

#include <string.h>

#include "dataplane/base/rng.h"
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define MS_NS INT64_C(1000000)

enum { MOBILES = 5, STEPS = 20000 };

static const struct radio_config config = {
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

    radio_kit_init(&kit, &config);
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct radio_kit kit;
        struct taken taken = {0};
        radio_kit_init(&kit, &config);
        radio_leave(kit.radio, 1);
        radio_kit_put(&kit, RADIO_DOWN, 1, 50, rows[i].given_cs);
        radio_kit_run(&kit, rows[i].after_ns);
        take_all(&kit, 1, &taken);
        assert_int_equal(taken.frames, 1);
        assert_int_equal(taken.lifetime_cs, rows[i].left_cs);
        radio_kit_fini(&kit);
    }
}

UNIT_MAIN(NULL, NULL)
