/* SPDX-License-Identifier: BSD-3-Clause */
/* Where mobiles are put and how they move: borders crossed against the rates of the fluid-flow model. */
#include "bss/motion.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>

#define MS     (MOMENT_SECOND / 1000)
#define ROOT_3 1.7320508075688772
#define PI     3.141592653589793

static const struct motion_layout line = {.cells = 8, .radius_m = 500},
                                  plane = {.is_plane = true, .cells = 24, .columns = 6, .radius_m = 500};

static bool within(double value, double low, double high)
{
    return value >= low && value <= high;
}

/* Each mobile begins within its own cell, and the nearest centre is that of its cell. */
TEST(begins_in_its_cell)
{
    const struct motion_layout *const layouts[] = {&line, &plane};
    for (size_t i = 0; i < COUNT(layouts); i++)
        for (unsigned cell = 0; cell < layouts[i]->cells; cell++)
            for (unsigned k = 0; k < 20; k++) {
                struct motion motion;
                struct motion_config config = {.speed_mps = 10, .seed = 3, .stream = 20 * cell + k};
                motion_init(&motion, layouts[i], &config, cell);
                assert_int_equal(motion_cell(&motion, layouts[i]), cell);
                assert_true(within(motion_distance_m(&motion, layouts[i], cell), 0, 500));
            }
}

/* On a line the mean distance from the centre is R / 2, in a hexagon that of a uniform place, 0.6080 R. */
TEST(begins_anywhere_in_it)
{
    static const struct {
        const struct motion_layout *layout;
        double mean_m;
    } rows[] = {{&line, 250}, {&plane, 304}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double sum_m = 0;
        for (unsigned k = 0; k < 20000; k++) {
            struct motion motion;
            struct motion_config config = {.speed_mps = 10, .seed = 5, .stream = k};
            motion_init(&motion, rows[i].layout, &config, 3);
            sum_m += motion_distance_m(&motion, rows[i].layout, 3);
        }
        assert_true(within(sum_m / 20000 / rows[i].mean_m, 0.98, 1.02));
    }
}

static double crossings(const struct motion_layout *layout, struct motion_config config, int64_t time_ns)
{
    unsigned count = 0;
    for (unsigned mobile = 0; mobile < 96; mobile++) {
        struct motion motion;
        config.stream = mobile;
        motion_init(&motion, layout, &config, mobile % layout->cells);
        unsigned cell = mobile % layout->cells;
        for (int64_t now = 0; now < time_ns; now += 400 * MS) {
            motion_step(&motion, layout, 400 * MS);
            unsigned next = motion_cell(&motion, layout);
            count += next != cell;
            cell = next;
        }
    }
    return count / 96.0;
}

/* Borders crossed by a mobile in 20 minutes: v t / (2 R) on a line, 4 v t / (sqrt(3) pi R) on the plane. */
TEST(crosses_borders_at_the_rate_of_fluid_flow)
{
    static const struct {
        const struct motion_layout *layout;
        double speed_mps;
        bool has_waypoints;
        double within; /* a share of the rate */
    } rows[] = {
        {&line, 5, false, 0.02},  {&line, 40, false, 0.01},  {&line, 20, true, 0.02},
        {&plane, 5, false, 0.05}, {&plane, 40, false, 0.02}, {&plane, 40, true, 0.03},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct motion_config config = {
            .speed_mps = rows[i].speed_mps, .has_waypoints = rows[i].has_waypoints, .seed = 1};
        double rate = rows[i].layout->is_plane ? 4 / (ROOT_3 * PI) : 0.5;
        double expected = rate * rows[i].speed_mps / 500 * 1200;
        double found = crossings(rows[i].layout, config, 1200 * MOMENT_SECOND);
        assert_true(within(found / expected, 1 - rows[i].within, 1 + rows[i].within));
    }
}

/* The way is speed times time, at waypoints too; a pause takes its time from it. */
TEST(rests_at_waypoints)
{
    static const struct {
        bool has_waypoints;
        int64_t pause_ns;
        double least_m, most_m;
    } rows[] = {{false, 0, 36000, 36000}, {true, 0, 35999, 36000}, {true, 60 * MOMENT_SECOND, 24000, 32000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct motion motion;
        struct motion_config config = {
            .speed_mps = 10, .has_waypoints = rows[i].has_waypoints, .pause_ns = rows[i].pause_ns, .seed = 2};
        double way_m = 0;
        motion_init(&motion, &plane, &config, 0);
        for (int k = 0; k < 36000; k++)
            way_m += motion_step(&motion, &plane, 100 * MS);
        assert_true(within(way_m, rows[i].least_m - 1e-3, rows[i].most_m + 1e-3));
    }
}

/* Equal seeds give equal ways, other streams others. */
TEST(repeats_by_seed)
{
    struct motion_config config = {.speed_mps = 10, .seed = 1, .stream = 1};
    struct motion one, same, other;
    motion_init(&one, &plane, &config, 7);
    motion_init(&same, &plane, &config, 7);
    config.stream = 2;
    motion_init(&other, &plane, &config, 7);
    motion_step(&one, &plane, 77 * MOMENT_SECOND);
    motion_step(&same, &plane, 77 * MOMENT_SECOND);
    motion_step(&other, &plane, 77 * MOMENT_SECOND);
    assert_memory_equal(&one, &same, sizeof(one));
    assert_true(one.x_m != other.x_m);
}

UNIT_MAIN(NULL, NULL)
