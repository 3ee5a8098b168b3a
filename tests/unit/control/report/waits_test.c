/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of the times for which mobiles wait: the last minute of a mobile, the sums of cells. */
#include "control/report/waits.h"
#include "tests/unit/unit.h"

#define SECOND_TICKS ((uint32_t)(MOMENT_SECOND >> SCHED_WAIT_TICK_BITS))

static const struct waits_at cell = {1, 0x10002}, other_cell = {1, 0x10003};

/* A mobile that was made at second 0, at a second: so much of its time for its own bucket and its turn. */
static struct sched_wait_now at(uint32_t second, uint32_t own_s, uint32_t turn_s)
{
    struct sched_wait_now now = {.cause = SCHED_WAIT_NONE};
    now.ticks[SCHED_WAIT_MS] = own_s * SECOND_TICKS;
    now.ticks[SCHED_WAIT_TURN] = turn_s * SECOND_TICKS;
    now.ticks[SCHED_WAIT_NONE] = (second - own_s - turn_s) * SECOND_TICKS;
    return now;
}

static void check_shares(const struct waits *w, const struct sched_wait_now *now, unsigned own, unsigned turn)
{
    uint64_t percent[SCHED_WAIT_CAUSES];
    waits_shares(w, 0, now, percent);
    assert_int_equal(percent[SCHED_WAIT_MS], own);
    assert_int_equal(percent[SCHED_WAIT_TURN], turn);
    assert_int_equal(percent[SCHED_WAIT_NONE], 100 - own - turn);
    assert_int_equal(percent[SCHED_WAIT_BVC], 0);
}

#define WAITS_TEST(name) TEST_IN(name, struct waits, w, assert_true(waits_new(w, 100, 2)), waits_free(w))

WAITS_TEST(shares_are_of_the_last_minute)
{
    struct sched_wait_now now = at(10, 5, 1);
    check_shares(w, &now, 50, 10);
    for (unsigned second = 20; second <= 100; second += 20) {
        now = at(second, second / 2, 0);
        waits_sample(w, 0, cell, &now);
    }
    now = at(110, 50, 20); /* since second 60: 20 s for its bucket, 20 s for its turn */
    check_shares(w, &now, 40, 40);
}

WAITS_TEST(a_cell_counts_each_increase_once)
{
    struct sched_wait_now now = at(20, 3, 2);
    waits_sample(w, 0, cell, &now);
    waits_sample(w, 0, cell, &now);
    now = at(40, 7, 2);
    waits_sample(w, 0, cell, &now);
    assert_in_range(waits_cell_us(w, cell, SCHED_WAIT_MS), 6990000, 7000000);
    assert_in_range(waits_cell_us(w, cell, SCHED_WAIT_TURN), 1990000, 2000000);
    assert_int_equal(waits_cell_us(w, other_cell, SCHED_WAIT_MS), 0);
    now = at(60, 8, 2);
    waits_sample(w, 0, other_cell, &now);
    assert_in_range(waits_cell_us(w, other_cell, SCHED_WAIT_MS), 990000, 1000000);
    assert_int_equal(waits_cell_us(w, cell, SCHED_WAIT_MS), 0);
}

WAITS_TEST(another_mobile_in_the_slot)
{
    struct sched_wait_now now = at(40, 30, 0);
    waits_sample(w, 0, cell, &now);
    now = at(50, 0, 5);
    now.born_ticks = 45 * SECOND_TICKS;
    check_shares(w, &now, 0, 10);
    waits_sample(w, 0, cell, &now);
    assert_in_range(waits_cell_us(w, cell, SCHED_WAIT_TURN), 4990000, 5000000);
    assert_in_range(waits_cell_us(w, cell, SCHED_WAIT_MS), 29990000, 30000000);
}

/* Each mobile once in a period. */
WAITS_TEST(slices)
{
    uint32_t first, end, next = 0;
    for (unsigned i = 0; i < WAITS_SLICES; i++) {
        int64_t now = i * WAITS_PERIOD_NS / WAITS_SLICES;
        assert_true(waits_begin(w, now, &first, &end));
        assert_false(waits_begin(w, now, &first, &end));
        assert_int_equal(first, next);
        next = end;
    }
    assert_int_equal(next, 100);
}

UNIT_MAIN(NULL, NULL)
