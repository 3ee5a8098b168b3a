/* SPDX-License-Identifier: BSD-3-Clause */
/* Cell reselection by C1 and C2: each condition of TS 45.008 clause 6.6.2, and the level. */
#include "bss/reselect.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>

#define S MOMENT_SECOND

static const double no_offsets[3], offsets[3] = {0, 10, 0};
static const uint8_t areas[3] = {1, 1, 2};
static const struct reselect_config standard = {.cells = 3,
                                                .power_dbm = 57,
                                                .loss_1km_db = 126.4,
                                                .exponent = 3.52,
                                                .shadow_m = 20,
                                                .access_min_dbm = -104,
                                                .same_area_db = 4,
                                                .other_area_db = 8,
                                                .again_db = 5,
                                                .again_ns = 15 * S,
                                                .hold_ns = 5 * S,
                                                .offsets_db = no_offsets,
                                                .areas = areas};

/* A mobile hears fixed levels from 0 s on and decides each half second; when it reselects, and which cell. */
struct row {
    double levels_dbm[3];
    const double *offsets_db;
    int64_t last_ns; /* it came to cell 0 then */
    int64_t at_ns;   /* MOMENT_NEVER: it stays */
    unsigned cell;
};

static const struct row rows[] = {
    {{-80, -80, -80}, no_offsets, MOMENT_NEVER, MOMENT_NEVER, 0},
    {{-80, -77, -77}, no_offsets, MOMENT_NEVER, MOMENT_NEVER, 0}, /* within the hysteresis */
    {{-80, -75, -75}, no_offsets, MOMENT_NEVER, 5 * S, 1},        /* into another area it is larger */
    {{-80, -75, -71}, no_offsets, MOMENT_NEVER, 5 * S, 2},        /* the greater C2 */
    {{-80, -72, -71.9}, offsets, MOMENT_NEVER, 5 * S, 1},         /* by the offset, too */
    {{-80, -85, -81}, offsets, MOMENT_NEVER, 5 * S, 1},
    {{-80, -75.5, -90}, no_offsets, 0, 20 * S, 1},            /* 4.5 dB: 15 s after, and then for 5 s */
    {{-80, -74.5, -90}, no_offsets, 0, 5 * S, 1},             /* 5.5 dB */
    {{-105, -103, -120}, no_offsets, MOMENT_NEVER, 5 * S, 1}, /* C1 below 0: no margin */
    {{-105, -104.5, -120}, no_offsets, MOMENT_NEVER, MOMENT_NEVER, 0}, /* nor has another C1 above 0 */
    {{-103, -101, -120}, no_offsets, MOMENT_NEVER, MOMENT_NEVER, 0},
};

static void play(const struct row *row)
{
    struct reselect r = {.own = 0};
    struct reselect_cell cells[3];
    struct reselect_config config = standard;
    int64_t now = 0, at_ns = MOMENT_NEVER;
    unsigned to = 0;
    config.offsets_db = row->offsets_db;
    reselect_init(&r, &config, cells, 0);
    if (row->last_ns != MOMENT_NEVER)
        reselect_enter(&r, 0, row->last_ns);
    for (int i = 0; i < 3; i++)
        cells[i].level_dbm = row->levels_dbm[i];
    for (; now < 30 * S && at_ns == MOMENT_NEVER; now += S / 2)
        if ((to = reselect_decide(&r, now)) != 0)
            at_ns = now;
    assert_int_equal(at_ns, row->at_ns);
    assert_int_equal(to, row->cell);
}

TEST(by_row)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&rows[i]);
}

/* Five seconds without an interruption. */
TEST(interrupted)
{
    struct reselect r = {.own = 0};
    struct reselect_cell cells[3];
    reselect_init(&r, &standard, cells, 0);
    cells[0].level_dbm = -80;
    cells[2].level_dbm = -100;
    for (int64_t now = 0; now < 60 * S; now += S) {
        cells[1].level_dbm = now % (5 * S) == 4 * S ? -80 : -70;
        assert_int_equal(reselect_decide(&r, now), 0);
    }
}

/* 57 dBm less 126.4 dB at 1 km, less 35.2 dB a decade. */
TEST(level)
{
    static const struct {
        double distance_m, level_dbm;
    } hears[] = {{1000, -69.4}, {10000, -104.6}, {100, -34.2}, {1, 1.0}, {10, 1.0}};
    struct reselect r = {.own = 0};
    struct reselect_cell cells[3];
    reselect_init(&r, &standard, cells, 0);
    for (size_t i = 0; i < COUNT(hears); i++) {
        reselect_walk(&r, 0, S);
        reselect_hear(&r, 1, hears[i].distance_m);
        assert_true(fabs(cells[1].level_dbm - hears[i].level_dbm) < 1e-9);
    }
}

/* A step of 20 dB: what is left of it after each second is exp(-1/2.5), and nothing without an average. */
TEST(average)
{
    static const int64_t averages_ns[] = {5 * S / 2, 0};
    for (size_t k = 0; k < COUNT(averages_ns); k++) {
        struct reselect r = {.own = 0};
        struct reselect_cell cells[3];
        struct reselect_config config = standard;
        config.average_ns = averages_ns[k];
        config.exponent = 2;
        reselect_init(&r, &config, cells, 0);
        reselect_hear(&r, 1, 1000);
        for (int i = 1; i <= 10; i++) {
            reselect_walk(&r, 0, S);
            reselect_hear(&r, 1, 10000);
            double left_db = averages_ns[k] ? 20 * exp(-i / 2.5) : 0;
            assert_true(fabs(cells[1].level_dbm - (57 - 126.4 - 20 + left_db)) < 1e-9);
        }
    }
}

/* Over 30000 steps of 10 m: sigma, and exp(-10/20) = 0.607 of one step's value in the next one. */
TEST(shadowing)
{
    struct reselect r = {.own = 0};
    struct reselect_cell cells[3];
    struct reselect_config config = standard;
    double squares = 0, products = 0, before = 0;
    config.shadow_db = 6;
    rng_init(&r.rng, 1, 1);
    reselect_init(&r, &config, cells, 0);
    for (int i = 0; i < 30000; i++) {
        reselect_walk(&r, 10, S);
        double now = cells[1].shadow_db;
        squares += now * now;
        products += now * before;
        before = now;
    }
    assert_true(fabs(sqrt(squares / 30000) - 6) < 0.15);
    assert_true(fabs(products / squares - 0.607) < 0.02);
    reselect_walk(&r, 0, S);
    assert_true(cells[1].shadow_db == before);
}

UNIT_MAIN(NULL, NULL)
