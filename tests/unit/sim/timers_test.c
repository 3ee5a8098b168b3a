/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/timers.h"

#include "dataplane/base/moment.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define TIMERS 97
#define STEPS  50000

/* What ought to be set, found by looking at all of it. */
struct reference {
    struct timers timers;
    struct timer timer[TIMERS];
    int64_t at_ns[TIMERS];
    bool set[TIMERS];
};

static int64_t earliest(const struct reference *r)
{
    int64_t at_ns = MOMENT_NEVER;
    for (size_t i = 0; i < TIMERS; i++)
        if (r->set[i])
            at_ns = moment_min(at_ns, r->at_ns[i]);
    return at_ns;
}

static void assert_invariant(const struct reference *r)
{
    uint32_t count = 0;
    for (size_t i = 0; i < TIMERS; i++) {
        const struct timer *timer = &r->timer[i];
        if ((timer->pos > 0) != r->set[i])
            fail_msg("timer %zu", i);
        if (timer->pos == 0)
            continue;
        count++;
        if (r->timers.heap[timer->pos - 1] != timer || timer->at_ns != r->at_ns[i] || timer->kind != i)
            fail_msg("timer %zu is another", i);
    }
    assert_int_equal(r->timers.count, count);
    if (timers_next_ns(&r->timers) != earliest(r))
        fail_msg("next is another");
}

/* Takes what is due; its index, or -1. */
static int take(struct reference *r, int64_t now)
{
    int64_t due_ns = earliest(r);
    struct timer *timer = timers_take_due(&r->timers, now);
    if (due_ns > now || due_ns == MOMENT_NEVER) {
        assert_null(timer);
        return -1;
    }
    assert_non_null(timer);
    assert_true(timer->at_ns == due_ns);
    assert_int_equal(timer->pos, 0);
    assert_true(r->set[timer->kind]);
    r->set[timer->kind] = false;
    return (int)timer->kind;
}

static int step(struct reference *r, uint64_t *seed, uint64_t span_ns)
{
    size_t i = prng_below(seed, TIMERS);
    int64_t at_ns = (int64_t)prng_below(seed, span_ns);
    switch (prng_below(seed, 8)) {
    case 0:
        timers_cancel(&r->timers, &r->timer[i]);
        r->set[i] = false;
        return -1;
    case 1:
    case 2:
        return take(r, at_ns);
    default:
        timers_set(&r->timers, &r->timer[i], at_ns);
        r->at_ns[i] = at_ns;
        r->set[i] = true;
        return -1;
    }
}

static struct reference *reference_new(void)
{
    struct reference *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (uint32_t i = 0; i < TIMERS; i++)
        r->timer[i].kind = i;
    return r;
}

static void reference_free(struct reference *r)
{
    timers_free(&r->timers);
    free(r);
}

/* Few instants make many ties, many make few. */
static const uint64_t spans_ns[] = {1, 5, 100, UINT64_C(1) << 40, INT64_MAX};

TEST(sets_moves_cancels_takes)
{
    for (size_t s = 0; s < COUNT(spans_ns); s++) {
        struct reference *r = reference_new();
        uint64_t seed = 30 + s;
        for (unsigned i = 0; i < STEPS; i++) {
            step(r, &seed, spans_ns[s]);
            assert_invariant(r);
        }
        while (take(r, MOMENT_NEVER) >= 0)
            assert_invariant(r);
        assert_true(timers_next_ns(&r->timers) == MOMENT_NEVER);
        reference_free(r);
    }
}

/* Two heaps that see the same calls take equal instants in the same order, wherever in memory they lie. */
TEST(ties_have_one_order)
{
    for (size_t s = 0; s < 3; s++) {
        struct reference *a = reference_new(), *b = reference_new();
        uint64_t seed_a = 40 + s, seed_b = 40 + s;
        for (unsigned i = 0; i < STEPS; i++)
            assert_int_equal(step(a, &seed_a, spans_ns[s]), step(b, &seed_b, spans_ns[s]));
        reference_free(a);
        reference_free(b);
    }
}

TEST(equal_instants_by_rank)
{
    static const uint32_t ranks[] = {5, 1, 7, 0, 3, 6, 2, 4};
    struct timers t = {0};
    struct timer timer[COUNT(ranks)] = {0};
    for (int64_t at_ns = 2; at_ns > 0; at_ns--)
        for (size_t i = 0; i < COUNT(ranks); i++) {
            timer[i].rank = ranks[i];
            timers_set(&t, &timer[i], at_ns);
        }
    for (uint32_t rank = 0; rank < COUNT(ranks); rank++)
        assert_int_equal(timers_take_due(&t, 1)->rank, rank);
    assert_null(timers_take_due(&t, 1));
    timers_free(&t);
}

TEST(every_place_is_usable)
{
    struct reference *r = reference_new();
    int64_t last_ns = INT64_MIN;
    uint64_t seed = 50;
    for (size_t i = 0; i < TIMERS; i++) {
        r->at_ns[i] = (int64_t)prng_u64(&seed);
        r->set[i] = true;
        timers_set(&r->timers, &r->timer[i], r->at_ns[i]);
    }
    assert_invariant(r);
    for (size_t i = 0; i < TIMERS; i++) {
        int index = take(r, MOMENT_NEVER);
        assert_in_range(index, 0, TIMERS - 1);
        assert_true(r->at_ns[index] >= last_ns);
        last_ns = r->at_ns[index];
    }
    assert_int_equal(take(r, MOMENT_NEVER), -1);
    reference_free(r);
}

TEST(the_edges_of_time)
{
    struct timers t = {0};
    struct timer a = {0}, b = {0};
    assert_true(timers_next_ns(&t) == MOMENT_NEVER);
    assert_null(timers_take_due(&t, MOMENT_NEVER));
    timers_cancel(&t, &a); /* not set: no effect */
    assert_int_equal(t.count, 0);

    timers_set(&t, &a, INT64_MIN);
    timers_set(&t, &b, 7);
    assert_ptr_equal(timers_take_due(&t, INT64_MIN), &a);
    assert_null(timers_take_due(&t, 6));
    assert_ptr_equal(timers_take_due(&t, 7), &b);
    timers_cancel(&t, &b);
    assert_int_equal(t.count, 0);
    timers_free(&t);
}

UNIT_MAIN(NULL, NULL)
