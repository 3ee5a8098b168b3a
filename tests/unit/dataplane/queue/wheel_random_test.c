/* SPDX-License-Identifier: BSD-3-Clause */
/* The wheel against a sorted array: the same entries in the same order at the same instants, whatever
 * happens. */
#include "dataplane/queue/wheel.h"

#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/queue/wheel_model.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define STEPS 60000
#define US    UINT64_C(1000)
#define MS    UINT64_C(1000000)
#define S     UINT64_C(1000000000)
#define DAY   (86400 * S)

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
    {"a wheel made for 100 thousand", 77, 100000, 1500, DAY, S, 1, 50, false},
    {"a wheel made for a million", 77, 1000000, 1500, S, MS, 1, 50, false},
    {"backlogged mobiles", 5, 4000, 3500, 600 * MS, 500 * US, 1, 0, true},
    {"backlogged mobiles, a wheel made for more", 5, 500000, 3500, 600 * MS, 500 * US, 1, 0, true},
    {"mobiles in step", 5, 500000, 3500, S, 10 * MS, 100 * MS, 100, true},
    {"ties all over", 0, 3000, 2500, 20 * S, 20 * MS, S, 50, true},
    {"a crowd in a microsecond", 0, 100000, 3500, US, 20, 1, 50, true},
    {"a crowd in a millisecond", 0, 100000, 3500, MS, 300, 1, 50, true},
    {"mostly past", 0, 3000, 2000, S, MS, 1, 2, false},
    {"before zero", INT64_MIN, 3000, 1000, UINT64_C(1) << 62, UINT64_C(1) << 50, 1, 50, false},
    {"the end of time", INT64_MAX - (int64_t)DAY, 3000, 1000, DAY, S, 1, 50, false},
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

static bool take(struct pair *p)
{
    struct wheel_model_entry expect;
    struct wheel_entry got;
    bool is_due = wheel_model_take(&p->model, &expect, p->now);
    if (wheel_take(&p->wheel, &got, p->now) != is_due)
        fail_msg("%s: due or not at %lld", p->load->what, (long long)p->now);
    p->waited += !is_due;
    if (!is_due)
        return false;
    if (got.at_ns != expect.at_ns || (uintptr_t)got.who != expect.id * 8)
        fail_msg("%s: %lld of %lld came out, not %lld of %lld", p->load->what, (long long)got.who / 8,
                 (long long)got.at_ns, (long long)expect.id, (long long)expect.at_ns);
    p->taken++;
    return true;
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

UNIT_MAIN(NULL, NULL)
