/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps of a cell reselection: means of the drawn parts against a count over all frames, and what each key
 * does. */
#include "bss/cell_gap.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>

#define MS       (MOMENT_SECOND / 1000)
#define FRAME_MS (60.0 / 13)

static const struct cell_gap_config drawn = {.sync_ns = CELL_GAP_DRAWN, .information_ns = CELL_GAP_DRAWN};

/* In frames, by walking: from the beginning of each frame of the 51 to the end of a frame with SCH. */
static double mean_sync_frames(void)
{
    int sum = 0;
    for (int begin = 0; begin < 51; begin++) {
        int frame = begin;
        while (frame % 51 % 10 != 1 || frame % 51 > 41)
            frame++;
        sum += frame + 1 - begin;
    }
    return sum / 51.0;
}

/* Likewise until blocks with types 1, 3 and 13 have been heard from their first frame on. */
static double mean_information_frames(void)
{
    int sum = 0;
    for (int begin = 0; begin < 408; begin++) {
        bool has_1 = false, has_3 = false, has_13 = false;
        int frame = begin;
        for (; !(has_1 && has_3 && has_13); frame++) {
            int multiframe = frame / 51 % 8;
            if (frame % 51 != 5 || frame - 3 < begin)
                continue;
            has_1 |= multiframe == 0;
            has_3 |= multiframe == 2 || multiframe == 6;
            has_13 |= multiframe == 4;
        }
        sum += frame - begin;
    }
    return sum / 408.0;
}

TEST(means)
{
    const double sync_ms = mean_sync_frames() * FRAME_MS,
                 information_ms = mean_information_frames() * FRAME_MS;
    double sync_sum = 0, information_sum = 0;
    struct rng rng;
    rng_init(&rng, 1, 1);
    for (int i = 0; i < 100000; i++) {
        struct cell_gap gap = cell_gap_draw(&drawn, false, &rng);
        assert_in_range(gap.sync_ns, 4 * MS, 60 * MS);
        assert_in_range(gap.information_ns, 900 * MS, 1900 * MS);
        sync_sum += (double)gap.sync_ns / MS;
        information_sum += (double)gap.information_ns / MS;
    }
    assert_true(fabs(sync_sum / 1e5 / sync_ms - 1) < 0.01);
    assert_true(fabs(information_sum / 1e5 / information_ms - 1) < 0.01);
    assert_true(fabs(information_ms - 1428) < 1);
}

TEST(keys)
{
    static const struct {
        struct cell_gap_config config;
        bool is_other_area;
        int64_t sum_ms;
    } rows[] = {
        {{30 * MS, 1000 * MS, false, 200 * MS, 5 * MS, 1500 * MS}, false, 1235},
        {{30 * MS, 1000 * MS, false, 200 * MS, 5 * MS, 1500 * MS}, true, 2730},
        {{30 * MS, 1000 * MS, true, 200 * MS, 5 * MS, 1500 * MS}, false, 235},
        {{30 * MS, CELL_GAP_DRAWN, true, 0, 0, 0}, false, 30},
        {{0, 0, false, 0, 0, 0}, false, 0},
    };
    struct rng rng;
    rng_init(&rng, 1, 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cell_gap gap = cell_gap_draw(&rows[i].config, rows[i].is_other_area, &rng);
        assert_int_equal(cell_gap_sum_ns(&gap), rows[i].sum_ms * MS);
    }
}

/* NACC changes no random number of what follows. */
TEST(draws)
{
    struct cell_gap_config config = drawn;
    struct rng with, without;
    rng_init(&with, 1, 1);
    rng_init(&without, 1, 1);
    cell_gap_draw(&config, false, &without);
    config.has_nacc = true;
    config.sync_ns = 0;
    cell_gap_draw(&config, true, &with);
    assert_true(rng_u64(&with) == rng_u64(&without));
}

UNIT_MAIN(NULL, NULL)
