/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/wheel.h"

#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define MS        INT64_C(1000000)
#define S         INT64_C(1000000000)
#define HOUR      (3600 * S)
#define POW(bits) (INT64_C(1) << (bits))

/* Caps whose wheels are laid out differently, and instants to begin at. */
static const uint32_t caps[] = {40, 100, 9000, 20000, 40000, 80000, 160000, 320000, 640000, 1300000};
static const int64_t starts_ns[] = {INT64_MIN, -5 * S - 1, 0, 1, POW(40) - 1, 7 * HOUR};

static const int64_t waits_ns[] = {
    0,           1,           2,           63,          64,          POW(10) - 1, POW(10),     POW(10) + 1,
    POW(12) - 1, POW(12),     POW(12) + 1, POW(20) - 1, POW(20),     POW(20) + 1, POW(24) - 1, POW(24),
    POW(24) + 1, POW(29) - 1, POW(29),     POW(29) + 1, POW(36) - 1, POW(36),     POW(36) + 1, POW(38) - 1,
    POW(38),     POW(38) + 1, POW(47) - 1, POW(47),     POW(47) + 1, POW(48) - 1, POW(48),     POW(48) + 1,
    POW(56) - 1, POW(56),     POW(56) + 1, POW(60) - 1, POW(60),     POW(60) + 1, POW(62),     INT64_MAX - 1,
};

static void *id(uintptr_t i)
{
    return (void *)(i * 8);
}

static void assert_takes(struct wheel *w, int64_t at_ns, uintptr_t i, int64_t now)
{
    struct wheel_entry got;
    assert_true(wheel_next_ns(w) == at_ns);
    assert_true(wheel_take(w, &got, now));
    assert_true(got.at_ns == at_ns);
    assert_ptr_equal(got.who, id(i));
}

static void assert_takes_none(struct wheel *w, int64_t now)
{
    struct wheel_entry got;
    assert_false(wheel_take(w, &got, now));
}

/* start + wait, MOMENT_NEVER when there is no such instant. */
static int64_t instant(int64_t start_ns, int64_t wait_ns)
{
    return moment_add(start_ns, wait_ns);
}

/* Alone in a wheel that is not asked on the way. */
TEST(a_wait_is_exact)
{
    for (size_t s = 0; s < COUNT(starts_ns); s++)
        for (size_t i = 0; i < COUNT(waits_ns); i++) {
            struct wheel w;
            int64_t at_ns = instant(starts_ns[s], waits_ns[i]);
            assert_true(wheel_new(&w, 1));
            assert_takes_none(&w, starts_ns[s]);
            assert_true(wheel_set(&w, at_ns, id(i)));
            if (at_ns > starts_ns[s])
                assert_takes_none(&w, at_ns - 1);
            assert_takes(&w, at_ns, i, at_ns);
            assert_takes_none(&w, at_ns);
            assert_true(wheel_next_ns(&w) == MOMENT_NEVER);
            wheel_free(&w);
        }
}

/* All of them together, set from the last to the first, in wheels of every layout. */
TEST(every_border_is_exact)
{
    for (size_t c = 0; c < COUNT(caps); c++)
        for (size_t s = 0; s < COUNT(starts_ns); s++) {
            struct wheel w;
            assert_true(wheel_new(&w, caps[c]));
            assert_takes_none(&w, starts_ns[s]);
            for (size_t i = COUNT(waits_ns); i-- > 0;)
                if (instant(starts_ns[s], waits_ns[i]) < MOMENT_NEVER)
                    assert_true(wheel_set(&w, instant(starts_ns[s], waits_ns[i]), id(i)));
            for (size_t i = 0; i < COUNT(waits_ns) && w.count > 0; i++) {
                int64_t at_ns = instant(starts_ns[s], waits_ns[i]);
                if (i > 0 && at_ns - 1 > instant(starts_ns[s], waits_ns[i - 1]))
                    assert_takes_none(&w, at_ns - 1);
                assert_takes(&w, at_ns, i, at_ns);
            }
            assert_int_equal(w.count, 0);
            wheel_free(&w);
        }
}

/* Never is an instant like others, only the last. */
TEST(the_edges_of_time)
{
    struct wheel w;
    assert_true(wheel_new(&w, 9));
    assert_true(wheel_next_ns(&w) == MOMENT_NEVER);
    assert_takes_none(&w, INT64_MIN);
    assert_true(wheel_set(&w, MOMENT_NEVER, id(1)));
    assert_true(wheel_set(&w, INT64_MIN, id(2)));
    assert_true(wheel_set(&w, MOMENT_NEVER - 1, id(3)));
    assert_true(wheel_set(&w, 0, id(4)));
    assert_true(wheel_set(&w, MOMENT_NEVER, id(5)));
    assert_takes(&w, INT64_MIN, 2, INT64_MIN);
    assert_takes_none(&w, -1);
    assert_takes(&w, 0, 4, HOUR);
    assert_takes_none(&w, MOMENT_NEVER - 2);
    assert_takes(&w, MOMENT_NEVER - 1, 3, MOMENT_NEVER - 1);
    assert_takes_none(&w, MOMENT_NEVER - 1);
    assert_takes(&w, MOMENT_NEVER, 1, MOMENT_NEVER);
    assert_true(wheel_set(&w, MOMENT_NEVER, id(6)));
    assert_true(wheel_set(&w, MOMENT_NEVER - 1, id(7)));
    assert_takes(&w, MOMENT_NEVER - 1, 7, MOMENT_NEVER);
    assert_takes(&w, MOMENT_NEVER, 5, MOMENT_NEVER);
    assert_takes(&w, MOMENT_NEVER, 6, MOMENT_NEVER);
    assert_takes_none(&w, MOMENT_NEVER);
    assert_int_equal(w.count, 0);
    wheel_free(&w);
}

/* Set before, beside and after one another, near and far, asked and not asked: equal instants keep order. */
TEST(equal_instants_keep_the_order_of_setting)
{
    for (size_t c = 0; c < COUNT(caps); c++) {
        struct wheel w;
        uintptr_t last = 0, next = 0;
        int64_t at_ns = HOUR + 12345, now = 0;
        if (caps[c] < 9000)
            continue;
        assert_true(wheel_new(&w, caps[c]));
        for (int64_t left_ns = HOUR; left_ns > 0; left_ns -= left_ns / 3 + 1) {
            now = at_ns - left_ns;
            for (unsigned i = 0; i < 40; i++)
                assert_true(wheel_set(&w, at_ns, id(++last)));
            for (unsigned i = 0; i < (unsigned)left_ns % 7; i++)
                assert_takes_none(&w, now);
        }
        for (unsigned i = 0; i < 500; i++) { /* others join while they leave */
            assert_takes(&w, at_ns, ++next, at_ns);
            assert_true(wheel_set(&w, at_ns, id(++last)));
        }
        while (w.count > 0)
            assert_takes(&w, at_ns, ++next, at_ns);
        assert_int_equal(next, last);
        wheel_free(&w);
    }
}

/* Quadratic work would take minutes. */
TEST(a_crowd_at_one_instant)
{
    struct wheel w;
    const uintptr_t crowd = 300000;
    assert_true(wheel_new(&w, (uint32_t)crowd));
    for (uintptr_t i = 0; i < crowd; i++)
        assert_true(wheel_set(&w, 20 * S, id(i)));
    for (uintptr_t i = 0; i < crowd; i++)
        assert_takes(&w, 20 * S, i, 20 * S);
    for (uintptr_t i = 0; i < crowd; i++) /* which has passed now */
        assert_true(wheel_set(&w, 10 * S, id(i)));
    for (uintptr_t i = 0; i < crowd; i++)
        assert_takes(&w, 10 * S, i, 20 * S);
    assert_takes_none(&w, 20 * S);
    wheel_free(&w);
}

/* As many as it was made for, wherever they lie; refused beyond, and usable again. */
TEST(every_place_is_usable)
{
    for (size_t c = 0; c < COUNT(caps) && caps[c] <= 40000; c++) {
        struct wheel w;
        struct wheel_entry got;
        uint64_t seed = 70 + c;
        assert_true(wheel_new(&w, caps[c]));
        for (unsigned round = 0; round < 3; round++) {
            int64_t last_ns = INT64_MIN;
            while (w.count < caps[c])
                assert_true(wheel_set(&w, (int64_t)prng_magnitude(&seed, INT64_MAX - 1), id(0)));
            assert_false(wheel_set(&w, 5, id(1)));
            while (w.count > caps[c] / 3) {
                assert_true(wheel_take(&w, &got, wheel_next_ns(&w)));
                assert_true(got.at_ns >= last_ns);
                assert_ptr_equal(got.who, id(0));
                last_ns = got.at_ns;
            }
        }
        wheel_free(&w);
    }
}

static bool is_odd(const struct wheel_entry *entry, void *arg)
{
    (*(unsigned *)arg)++;
    return (uintptr_t)entry->who / 8 % 2 == 1;
}

/* From what is sorted already, from what came late, from near and far slots; the owner is asked once each. */
TEST(purging_leaves_the_others)
{
    static const int64_t instants_ns[] = {10, 1000, 50 * MS, 20 * S, 300 * HOUR};
    struct wheel w;
    unsigned asked = 0;
    assert_true(wheel_new(&w, 1000));
    for (uintptr_t i = 0; i < 500; i++)
        assert_true(wheel_set(&w, instants_ns[i / 100] + (int64_t)i % 100, id(i)));
    assert_takes(&w, 10, 0, 10);
    for (uintptr_t i = 500; i < 1000; i++)
        assert_true(wheel_set(&w, -(int64_t)i, id(i)));
    assert_true(wheel_set(&w, 0, id(1000)));
    assert_false(wheel_set(&w, 0, id(1001)));
    wheel_purge(&w, is_odd, &asked);
    assert_int_equal(asked, 1000);
    assert_int_equal(w.count, 500);
    for (uintptr_t i = 998; i >= 500; i -= 2)
        assert_takes(&w, -(int64_t)i, i, 10);
    assert_takes(&w, 0, 1000, 10);
    for (uintptr_t i = 2; i < 500; i += 2)
        assert_takes(&w, instants_ns[i / 100] + (int64_t)i % 100, i, 301 * HOUR);
    assert_takes_none(&w, MOMENT_NEVER);
    wheel_purge(&w, is_odd, &asked);
    assert_int_equal(asked, 1000);
    wheel_free(&w);
}

static bool is_from(const struct wheel_entry *entry, void *arg)
{
    return (uintptr_t)entry->who / 8 >= *(const uintptr_t *)arg;
}

/* Entries 0 to 599 of one slot, which so many polls have begun to spread. */
static void half_spread(struct wheel *w, uintptr_t polls, int64_t start_ns, int64_t step_ns)
{
    assert_true(wheel_new(w, 100000));
    assert_takes_none(w, 0);
    for (uintptr_t i = 0; i < 600; i++)
        assert_true(wheel_set(w, start_ns + step_ns * (int64_t)i, id(i)));
    for (uintptr_t i = 0; i < polls; i++)
        assert_takes_none(w, start_ns - 10 * MS);
}

/* What is not spread yet goes, or all but an entry of it; another may join. */
TEST(purging_what_is_half_spread)
{
    const int64_t start_ns = POW(31), step_ns = 50000;
    for (uintptr_t polls = 2; polls < 50; polls++)
        for (uintptr_t left = 15 * polls - 15; left <= 15 * polls + 1 && left < 600; left++) {
            struct wheel w;
            bool joins = left % 2;
            uintptr_t stale = left;
            half_spread(&w, polls, start_ns, step_ns);
            wheel_purge(&w, is_from, &stale);
            assert_int_equal(w.count, left);
            if (joins)
                assert_true(wheel_set(&w, start_ns + 1, id(600)));
            assert_takes(&w, start_ns, 0, start_ns);
            if (joins)
                assert_takes(&w, start_ns + 1, 600, start_ns + 1);
            for (uintptr_t i = 1; i < left; i++)
                assert_takes(&w, start_ns + step_ns * (int64_t)i, i, start_ns + S);
            assert_int_equal(w.count, 0);
            wheel_free(&w);
        }
}

/* A million entries set and taken among 65 thousand that wait; the wheel never is late nor early. */
TEST(a_long_life)
{
    struct wheel w;
    struct wheel_entry got;
    uint64_t seed = 80;
    int64_t now = 0;
    assert_true(wheel_new(&w, 100000));
    for (uintptr_t i = 0; i < 65536; i++)
        assert_true(wheel_set(&w, (int64_t)prng_between(&seed, 50 * MS, 600 * MS), id(i)));
    for (unsigned n = 0; n < 1000000; n++) {
        assert_true(wheel_next_ns(&w) >= now);
        now = wheel_next_ns(&w);
        if (!wheel_take(&w, &got, now) || got.at_ns != now)
            fail_msg("event %u", n);
        assert_true(wheel_set(&w, now + (int64_t)prng_between(&seed, 50 * MS, 600 * MS), got.who));
    }
    assert_int_equal(w.count, 65536);
    wheel_free(&w);
}

UNIT_MAIN(NULL, NULL)
