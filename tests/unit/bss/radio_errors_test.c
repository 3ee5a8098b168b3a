/* SPDX-License-Identifier: BSD-3-Clause */
/* Block error rates that vary: steps hold from their instant on, states have their lengths and shares. */
#include "bss/radio.h"
#include "dataplane/base/moment.h"

#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

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
