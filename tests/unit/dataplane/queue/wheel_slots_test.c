/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/wheel.h"
#include "tests/unit/unit.h"

/* Caps, and how wide a slot of the base level then is: 48 entries in it when half a second holds cap. */
static const struct {
    uint32_t cap, base_shift;
} wheels[] = {
    {1, 20},      {60, 20},     {16000, 20},   {22888, 20},   {22889, 19},   {50000, 18},   {120000, 17},
    {196608, 16}, {500000, 15}, {1200000, 14}, {2000000, 13}, {3000000, 12}, {6000000, 11},
};

/* The layout: from one nanosecond up to all of time, each level's ring long enough for the one above it. */
TEST(levels_cover_all_of_time)
{
    for (size_t i = 0; i < COUNT(wheels); i++) {
        struct wheel_slots s;
        uint32_t slots = 0;
        assert_true(wheel_slots_new(&s, wheels[i].cap));
        assert_int_equal(s.levels[0].shift, 0);
        assert_int_equal(s.levels[s.base].shift, wheels[i].base_shift);
        for (uint32_t level = 0; level <= s.top; level++) {
            unsigned next_shift = level < s.top ? s.levels[level + 1].shift : 64;
            uint32_t turns = level >= s.base && level < s.top ? 2 : 1;
            assert_int_equal(s.levels[level].slots, turns << (next_shift - s.levels[level].shift));
            assert_int_equal(s.levels[level].first_slot, slots);
            slots += s.levels[level].slots;
        }
        assert_int_equal(s.slots_count, slots);
        wheel_slots_free(&s);
    }
}

/* One entry in each slot and the others together need the most chunks; one more is there for moving. */
TEST(the_worst_case_has_room)
{
    for (size_t i = 0; i < COUNT(wheels); i++) {
        struct wheel_slots s;
        uint32_t count = 0;
        assert_true(wheel_slots_new(&s, wheels[i].cap));
        for (uint32_t level = 0; level <= s.top; level++)
            for (uint32_t slot = 0; slot < s.levels[level].slots && count < wheels[i].cap; slot++, count++) {
                int64_t at_ns = (int64_t)((uint64_t)slot << s.levels[level].shift);
                wheel_slots_put(&s, level, (struct wheel_entry){at_ns, NULL});
            }
        for (; count < wheels[i].cap; count++)
            wheel_slots_put(&s, s.base, (struct wheel_entry){0, NULL});
        assert_in_range(s.spare_count, 1, 2);
        wheel_slots_free(&s);
    }
}

/* Slots are found in the order of the ring from any instant, and hold what was put in the order of putting.
 */
TEST(slots_come_in_order)
{
    static const uint32_t steps[] = {1, 63, 64, 65, 500, 1023};
    struct wheel_slots s;
    assert_true(wheel_slots_new(&s, 100000));
    for (size_t i = 0; i < COUNT(steps); i++)
        for (int64_t from = -2000; from < 2000; from += 333) {
            int64_t width_ns = INT64_C(1) << s.levels[s.base].shift, last = from + 1023;
            for (int64_t slot = from; slot <= last; slot += steps[i])
                for (int64_t n = 0; n < 20; n++)
                    wheel_slots_put(&s, s.base, (struct wheel_entry){slot * width_ns + 20 - n, &s});
            for (int64_t slot = from; slot <= last; slot += steps[i]) {
                struct wheel_place at = wheel_slots_first(&s, s.base, from * width_ns + 5);
                uint32_t count, header;
                assert_true(at.start_ns == slot * width_ns);
                assert_true(wheel_slots_at(&s, at)->least_ns == at.start_ns + 1);
                assert_false(wheel_slots_is_short(&s, at, 1));
                assert_true(wheel_slots_is_short(&s, at, 2));
                header = wheel_slots_take_chunk(&s, at, &count);
                assert_int_equal(count, WHEEL_SLOTS_CHUNK_ENTRIES);
                assert_true(s.cells[header + 1].entry.at_ns == at.start_ns + 20);
                wheel_slots_give_back(&s, header);
                assert_true(wheel_slots_is_short(&s, at, 1));
                header = wheel_slots_take_chunk(&s, at, &count);
                assert_int_equal(count, 20 - WHEEL_SLOTS_CHUNK_ENTRIES);
                assert_true(s.cells[header + count].entry.at_ns == at.start_ns + 1);
                wheel_slots_give_back(&s, header);
                assert_false(wheel_slots_is_used(&s, at));
            }
            assert_int_equal(s.levels_used, 0);
            assert_int_equal(s.spare_count, s.chunks);
        }
    wheel_slots_free(&s);
}

UNIT_MAIN(NULL, NULL)
