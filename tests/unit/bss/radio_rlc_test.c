/* SPDX-License-Identifier: BSD-3-Clause */
/* A radio in RLC unacknowledged mode: which LLC-PDUs a bad block takes with it, and that nothing is repeated.
 */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#include "bss/radio.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <string.h>

#define MS KIT_MS_NS

enum { ANNA = 1, SEED = 7, BLOCK_OCTETS = 30, MOST_BLOCKS = 4096, ALWAYS_PPM = 999999 };

/* Octets of LLC-PDUs, so that they share blocks in several ways; the last fills its block exactly. */
static const struct {
    uint32_t bler_ppm;
    unsigned octets, count;
} rows[] = {
    {0, 44, 100},      {100000, 29, 600},  {100000, 44, 600}, {100000, 9, 600},
    {100000, 30, 600}, {100000, 119, 300}, {500000, 14, 600}, {ALWAYS_PPM, 59, 50},
};

/* Chance, drawn again block by block; the radio has the same numbers. */
static void draw(bool bad[MOST_BLOCKS], enum radio_way way, uint32_t bler_ppm)
{
    struct rng rng;
    rng_init(&rng, SEED, way);
    for (unsigned i = 0; i < MOST_BLOCKS; i++)
        bad[i] = bler_ppm && rng_chance_ppm(&rng, bler_ppm);
}

static bool is_hurt(const bool bad[MOST_BLOCKS], unsigned octets, unsigned number)
{
    unsigned stream = octets + 1; /* its length indicator */
    for (unsigned at = number * stream; at < (number + 1) * stream; at++)
        if (bad[at / BLOCK_OCTETS])
            return true;
    return false;
}

static void play(size_t i, enum radio_way way)
{
    static bool bad[MOST_BLOCKS];
    struct radio_config config = {
        1, RADIO_CS2, .seed = SEED, .is_unacknowledged = true, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    unsigned stream = rows[i].count * (rows[i].octets + 1), hurt = 0;
    config.down.bler_ppm = config.up.bler_ppm = rows[i].bler_ppm;
    draw(bad, way, rows[i].bler_ppm);
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, way, ANNA, rows[i].octets, rows[i].count);
    radio_kit_finish(&kit);
    assert_int_equal(kit.count, rows[i].count);
    for (unsigned number = 0; number < rows[i].count; number++) {
        bool is_lost = is_hurt(bad, rows[i].octets, number);
        assert_int_equal(kit.events[number].number, number);
        assert_int_equal(kit.events[number].what, is_lost ? RADIO_DISCARD_RLC : RADIO_KIT_DELIVERED);
        hurt += is_lost;
    }
    const struct radio_stats *stats = radio_stats_get(kit.radio, way);
    assert_int_equal(stats->discarded[RADIO_DISCARD_RLC].frames, hurt);
    assert_int_equal(stats->repeated_blocks, 0);
    assert_int_equal(stats->blocks, (stream + BLOCK_OCTETS - 1) / BLOCK_OCTETS);
    assert_int_equal(kit.now, (int64_t)stats->blocks * RADIO_BLOCK_NS);
    radio_kit_fini(&kit);
}

TEST(who_had_octets_in_it_is_lost)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int way = 0; way < RADIO_WAYS; way++)
            play(i, (enum radio_way)way);
}

/* The LLC-PDU that a mobile takes along begins with its first octet again: what had hurt it is past. */
TEST(a_cell_change_heals)
{
    static const struct radio_errors_step steps[] = {{0, ALWAYS_PPM, ALWAYS_PPM}, {200 * MS, 0, 0}};
    const struct radio_config config = {1,
                                        RADIO_CS2,
                                        .is_unacknowledged = true,
                                        .down.slots = 1,
                                        .up.slots = 1,
                                        .errors = {.steps = steps, .step_count = COUNT(steps)}};
    for (int is_away = 0; is_away < 2; is_away++) {
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, ANNA, 599, 1);
        radio_kit_run(&kit, 100 * MS);
        if (is_away)
            radio_leave(kit.radio, ANNA);
        radio_kit_run(&kit, 200 * MS);
        radio_enter(kit.radio, ANNA, kit.now);
        radio_kit_finish(&kit);
        assert_int_equal(kit.count, 1);
        assert_int_equal(kit.events[0].what, is_away ? RADIO_KIT_DELIVERED : RADIO_DISCARD_RLC);
        radio_kit_fini(&kit);
    }
}

/* The BSS does not know of it: no LLC-DISCARDED. */
TEST(the_sgsn_is_not_told)
{
    static const struct bss_play_row script[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^100", "in~c1:29"},
        {1020, NULL, "lost~c1:29!5"},
        {1100, "put 1800~c1*29", ""},
        {1200, NULL, ""},
        {1300, "dl_unitdata@1800~c1*299^100", "in~c1:299"},
        {1500, NULL, "lost~c1:299!5"},
    };
    static const struct radio_config radio = {
        .pdchs = 1,
        .coding = RADIO_CS2,
        .is_unacknowledged = true,
        .down = {.slots = 1, .bler_ppm = ALWAYS_PPM},
        .up = {.slots = 1, .bler_ppm = ALWAYS_PPM},
    };
    static const uint16_t nsvcis[] = {101};
    static const struct bss_cell_config cells[] = {ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1},
                                                       .bvc = {50000, 160000}, .ms_default = {25000, 80000},
                                                       .radio = &radio)};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    bss_player_run(&config, script, COUNT(script));
}

UNIT_MAIN(NULL, NULL)
