/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/queue/wheel_model.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "dataplane/queue/wheel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MS         INT64_C(1000000)
#define S          INT64_C(1000000000)
#define HOUR       (3600 * S)
#define MOST_TAKEN 40
#define POW(bits)  (INT64_C(1) << (bits))

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

static void *wheel_id(uintptr_t i)
{
    return (void *)(i * 8);
}

static void assert_takes(struct wheel *w, int64_t at_ns, uintptr_t i, int64_t now)
{
    struct wheel_entry got;
    assert_true(wheel_next_ns(w) == at_ns);
    assert_true(wheel_take(w, &got, now));
    assert_true(got.at_ns == at_ns);
    assert_ptr_equal(got.who, wheel_id(i));
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
            assert_true(wheel_set(&w, at_ns, wheel_id(i)));
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
                    assert_true(wheel_set(&w, instant(starts_ns[s], waits_ns[i]), wheel_id(i)));
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
    assert_true(wheel_set(&w, MOMENT_NEVER, wheel_id(1)));
    assert_true(wheel_set(&w, INT64_MIN, wheel_id(2)));
    assert_true(wheel_set(&w, MOMENT_NEVER - 1, wheel_id(3)));
    assert_true(wheel_set(&w, 0, wheel_id(4)));
    assert_true(wheel_set(&w, MOMENT_NEVER, wheel_id(5)));
    assert_takes(&w, INT64_MIN, 2, INT64_MIN);
    assert_takes_none(&w, -1);
    assert_takes(&w, 0, 4, HOUR);
    assert_takes_none(&w, MOMENT_NEVER - 2);
    assert_takes(&w, MOMENT_NEVER - 1, 3, MOMENT_NEVER - 1);
    assert_takes_none(&w, MOMENT_NEVER - 1);
    assert_takes(&w, MOMENT_NEVER, 1, MOMENT_NEVER);
    assert_true(wheel_set(&w, MOMENT_NEVER, wheel_id(6)));
    assert_true(wheel_set(&w, MOMENT_NEVER - 1, wheel_id(7)));
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
                assert_true(wheel_set(&w, at_ns, wheel_id(++last)));
            for (unsigned i = 0; i < (unsigned)left_ns % 7; i++)
                assert_takes_none(&w, now);
        }
        for (unsigned i = 0; i < 500; i++) { /* others join while they leave */
            assert_takes(&w, at_ns, ++next, at_ns);
            assert_true(wheel_set(&w, at_ns, wheel_id(++last)));
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
        assert_true(wheel_set(&w, 20 * S, wheel_id(i)));
    for (uintptr_t i = 0; i < crowd; i++)
        assert_takes(&w, 20 * S, i, 20 * S);
    for (uintptr_t i = 0; i < crowd; i++) /* which has passed now */
        assert_true(wheel_set(&w, 10 * S, wheel_id(i)));
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
                assert_true(wheel_set(&w, (int64_t)prng_magnitude(&seed, INT64_MAX - 1), wheel_id(0)));
            assert_false(wheel_set(&w, 5, wheel_id(1)));
            while (w.count > caps[c] / 3) {
                assert_true(wheel_take(&w, &got, wheel_next_ns(&w)));
                assert_true(got.at_ns >= last_ns);
                assert_ptr_equal(got.who, wheel_id(0));
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
        assert_true(wheel_set(&w, instants_ns[i / 100] + (int64_t)i % 100, wheel_id(i)));
    assert_takes(&w, 10, 0, 10);
    for (uintptr_t i = 500; i < 1000; i++)
        assert_true(wheel_set(&w, -(int64_t)i, wheel_id(i)));
    assert_true(wheel_set(&w, 0, wheel_id(1000)));
    assert_false(wheel_set(&w, 0, wheel_id(1001)));
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
        assert_true(wheel_set(w, start_ns + step_ns * (int64_t)i, wheel_id(i)));
    for (uintptr_t i = 0; i < polls; i++)
        assert_takes_none(w, start_ns - 10 * MS);
}

/* What is not spread yet goes, or all but an entry of it; another may join. */
TEST(purging_what_is_half_spread)
{
    const int64_t start_ns = POW(31), step_ns = 50000;
    for (uintptr_t polls = 2; polls < 50; polls += short_form_is_wanted() ? 3 : 1)
        for (uintptr_t left = 15 * polls - 15; left <= 15 * polls + 1 && left < 600; left++) {
            struct wheel w;
            bool joins = left % 2;
            uintptr_t stale = left;
            half_spread(&w, polls, start_ns, step_ns);
            wheel_purge(&w, is_from, &stale);
            assert_int_equal(w.count, left);
            if (joins)
                assert_true(wheel_set(&w, start_ns + 1, wheel_id(600)));
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
        assert_true(wheel_set(&w, (int64_t)prng_between(&seed, 50 * MS, 600 * MS), wheel_id(i)));
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

/* The wheel against a sorted array: the same entries in the same order at the same instants, whatever
 * happens. */

#define STEPS     60000
#define US        UINT64_C(1000)
#define RANDOM_MS UINT64_C(1000000)
#define RANDOM_S  UINT64_C(1000000000)
#define DAY       (86400 * RANDOM_S)

/*
 * One kind of load: waits and jumps of `now` up to so much, of every magnitude or (even) uniform; instants
 * are multiples of grain_ns; one in past_in lies in the past; `fill` entries are kept set when it can be.
 */
struct load {
    const char *what;
    int64_t start_ns;
    uint32_t cap, fill;
    uint64_t wait_ns, jump_ns, grain_ns;
    unsigned past_in;
    bool even;
};

static const struct load loads[] = {
    {"every magnitude", 0, 2000, 1500, UINT64_C(1) << 62, DAY, 1, 50, false},
    {"a wheel of few", 0, 7, 7, DAY, DAY, 1, 9, false},
    {"a wheel of one", -100, 1, 1, DAY, DAY, 1, 9, false},
    {"a wheel made for 100 thousand", 77, 100000, 1500, DAY, RANDOM_S, 1, 50, false},
    {"a wheel made for a million", 77, 1000000, 1500, RANDOM_S, RANDOM_MS, 1, 50, false},
    {"backlogged mobiles", 5, 4000, 3500, 600 * RANDOM_MS, 500 * US, 1, 0, true},
    {"backlogged mobiles, a wheel made for more", 5, 500000, 3500, 600 * RANDOM_MS, 500 * US, 1, 0, true},
    {"mobiles in step", 5, 500000, 3500, RANDOM_S, 10 * RANDOM_MS, 100 * RANDOM_MS, 100, true},
    {"ties all over", 0, 3000, 2500, 20 * RANDOM_S, 20 * RANDOM_MS, RANDOM_S, 50, true},
    {"a crowd in a microsecond", 0, 100000, 3500, US, 20, 1, 50, true},
    {"a crowd in a millisecond", 0, 100000, 3500, RANDOM_MS, 300, 1, 50, true},
    {"mostly past", 0, 3000, 2000, RANDOM_S, RANDOM_MS, 1, 2, false},
    {"before zero", INT64_MIN, 3000, 1000, UINT64_C(1) << 62, UINT64_C(1) << 50, 1, 50, false},
    {"the end of time", INT64_MAX - (int64_t)DAY, 3000, 1000, DAY, RANDOM_S, 1, 50, false},
    {"idle for years", 0, 100, 20, 1000 * DAY, 3000 * DAY, 1, 50, false},
};

struct pair {
    struct wheel wheel;
    struct wheel_model model;
    const struct load *load;
    uint64_t seed;
    uintptr_t last_id;
    int64_t now;
    unsigned refused, taken, waited;
};

static uint64_t some(struct pair *p, uint64_t most)
{
    return p->load->even ? prng_below(&p->seed, most + 1) : prng_magnitude(&p->seed, most);
}

static int64_t add(int64_t a, uint64_t b)
{
    return b > (uint64_t)(INT64_MAX - 1) || a > INT64_MAX - 1 - (int64_t)b ? INT64_MAX - 1 : a + (int64_t)b;
}

static int64_t some_instant(struct pair *p)
{
    uint64_t far_ns = some(p, p->load->wait_ns);
    if (p->load->past_in && prng_below(&p->seed, p->load->past_in) == 0)
        return p->now < INT64_MIN + (int64_t)far_ns ? INT64_MIN : p->now - (int64_t)far_ns;
    int64_t at_ns = add(p->now, far_ns);
    return at_ns - at_ns % (int64_t)p->load->grain_ns;
}

static void set(struct pair *p)
{
    int64_t at_ns = some_instant(p);
    uintptr_t id = ++p->last_id;
    bool is_set = wheel_model_set(&p->model, at_ns, id);
    if (wheel_set(&p->wheel, at_ns, (void *)(id * 8)) != is_set) /* owners keep three bits for themselves */
        fail_msg("%s: full or not", p->load->what);
    p->refused += !is_set;
}

static void assert_next(struct pair *p, const struct wheel_entry *got)
{
    struct wheel_model_entry expect = {0};
    if (!wheel_model_take(&p->model, &expect, p->now))
        fail_msg("%s: due or not at %lld", p->load->what, (long long)p->now);
    if (got->at_ns != expect.at_ns || (uintptr_t)got->who != expect.id * 8)
        fail_msg("%s: %lld of %lld came out, not %lld of %lld", p->load->what, (long long)got->who / 8,
                 (long long)got->at_ns, (long long)expect.id, (long long)expect.at_ns);
    p->taken++;
}

/* One entry or several, until none is due. */
static bool take(struct pair *p)
{
    struct wheel_entry got[MOST_TAKEN];
    uint32_t most = 1 + (uint32_t)prng_below(&p->seed, MOST_TAKEN);
    uint32_t count = prng_below(&p->seed, 2) ? wheel_take_many(&p->wheel, got, most, p->now)
                                             : wheel_take(&p->wheel, got, p->now) + 0U;
    for (uint32_t i = 0; i < count; i++)
        assert_next(p, &got[i]);
    if (count == 0 && wheel_model_next_ns(&p->model) <= p->now && p->model.count > 0)
        fail_msg("%s: due or not at %lld", p->load->what, (long long)p->now);
    p->waited += count == 0;
    return count > 0;
}

static bool is_stale(const struct wheel_entry *entry, void *arg)
{
    const uintptr_t *stale = arg;
    return (uintptr_t)entry->who / 8 % *stale == 0;
}

/* To just before, to or beyond the next instant, or anywhere. */
static void pass_time(struct pair *p)
{
    int64_t next_ns = wheel_model_next_ns(&p->model);
    switch (prng_below(&p->seed, 4)) {
    case 0:
        if (next_ns > p->now && next_ns != INT64_MAX)
            p->now = next_ns - 1;
        break;
    case 1:
        if (next_ns > p->now && next_ns != INT64_MAX)
            p->now = next_ns;
        break;
    case 2:
        p->now = add(p->now, 1);
        break;
    default:
        p->now = add(p->now, some(p, p->load->jump_ns));
        break;
    }
}

static void step(struct pair *p)
{
    uint64_t dice = prng_below(&p->seed, 1000);
    if (dice == 0) {
        uintptr_t stale = 2 + prng_below(&p->seed, 5);
        wheel_model_purge(&p->model, stale);
        wheel_purge(&p->wheel, is_stale, &stale);
    } else if (dice < 10) {
        while (take(p))
            ;
    } else if (p->model.count < p->load->fill || dice < 20) {
        set(p);
    } else if (dice < 500) {
        pass_time(p);
        take(p);
    } else {
        take(p);
    }
    if (wheel_next_ns(&p->wheel) != wheel_model_next_ns(&p->model))
        fail_msg("%s: next is %lld, not %lld", p->load->what, (long long)wheel_next_ns(&p->wheel),
                 (long long)wheel_model_next_ns(&p->model));
    assert_int_equal(p->wheel.count, p->model.count);
}

TEST(agrees_with_a_sorted_array)
{
    struct pair *p = malloc(sizeof *p);
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(loads); i++) {
        *p = (struct pair){.load = &loads[i], .seed = 60 + i, .now = loads[i].start_ns};
        p->model.cap = loads[i].cap < WHEEL_MODEL_CAP ? loads[i].cap : WHEEL_MODEL_CAP;
        assert_true(wheel_new(&p->wheel, loads[i].cap));
        for (unsigned n = 0; n < STEPS; n++)
            step(p);
        assert_in_range(p->taken, STEPS / 100, STEPS);
        assert_in_range(p->waited, STEPS / 100, STEPS);
        assert_int_equal(p->refused > 0, loads[i].cap == loads[i].fill);
        p->now = INT64_MAX - 1;
        while (take(p))
            ;
        assert_int_equal(p->wheel.count, 0);
        wheel_free(&p->wheel);
    }
    free(p);
}

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
