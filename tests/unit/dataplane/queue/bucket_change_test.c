/* SPDX-License-Identifier: BSD-3-Clause */
/* What changes a bucket other than an LLC-PDU, and what long or large numbers do to it. */
#include "dataplane/queue/bucket.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define MS      INT64_C(1000000)
#define S       INT64_C(1000000000)
#define YEAR_NS (INT64_C(365) * 86400 * S)
#define OCTET   ((bucket_nbit)8000000000)

enum op { TAKE, SET, RATIO, DISCARD, RESET, LOOK };

/* One change: SET has Bmax and R, the others one operand; then the level in 10^-9 bit and rounded up. */
struct change {
    int64_t at_ns;
    enum op op;
    uint64_t a, rate_bps;
    bucket_nbit level_nbit;
    uint64_t level_octets;
};

static void apply(struct bucket *b, const struct change *c)
{
    switch (c->op) {
    case TAKE:
        bucket_take(b, (uint32_t)c->a, c->at_ns);
        break;
    case SET:
        bucket_set(b, c->a, c->rate_bps, c->at_ns);
        assert_int_equal(b->max_octets, c->a);
        assert_int_equal(b->rate_bps, c->rate_bps);
        break;
    case RATIO:
        bucket_set_ratio(b, (uint32_t)c->a, c->at_ns);
        break;
    case DISCARD:
        bucket_discard(b, c->a, c->at_ns);
        break;
    case RESET:
        bucket_reset(b, c->at_ns);
        break;
    case LOOK:
        return;
    }
    assert_true(b->t_ns == c->at_ns);
    if (bucket_level_nbit(b) != c->level_nbit)
        fail_msg("level after the change at %lld", (long long)c->at_ns);
}

static void walk(const struct change *changes, size_t count)
{
    struct bucket b;
    bucket_init(&b, 1000, 8000, 0);
    for (size_t i = 0; i < count; i++) {
        apply(&b, &changes[i]);
        assert_int_equal(bucket_level_octets(&b, changes[i].at_ns), changes[i].level_octets);
    }
}

/* The octets of before leak at the rate of before. */
TEST(parameters_change_while_it_leaks)
{
    static const struct change changes[] = {
        {0, TAKE, 1000, 0, 1000 * OCTET, 1000},
        {250 * MS, LOOK, 0, 0, 0, 750},
        {250 * MS, SET, 1000, 16000, 750 * OCTET, 750},
        {500 * MS, LOOK, 0, 0, 0, 250},
        {500 * MS, SET, 100, 8000, 250 * OCTET, 250}, /* above the new Bmax: kept */
        {600 * MS, SET, 100, 0, 150 * OCTET, 150},
        {100 * S, LOOK, 0, 0, 0, 150},
        {100 * S, SET, 1000, 3, 150 * OCTET, 150},
        {100 * S + 1, SET, 1000, 3, 150 * OCTET - 3, 150},
        {100 * S + 2, SET, 1000, 8000, 150 * OCTET - 6, 150},
        {101 * S, SET, 1000, 8000, 0, 0},
    };
    walk(changes, COUNT(changes));
}

TEST(the_peer_says_the_level)
{
    static const struct change changes[] = {
        {0, TAKE, 700, 0, 700 * OCTET, 700},
        {100 * MS, RATIO, 50, 0, 500 * OCTET, 500},
        {200 * MS, LOOK, 0, 0, 0, 400},
        {200 * MS, RATIO, 0, 0, 0, 0},
        {300 * MS, RATIO, 100, 0, 1000 * OCTET, 1000},
        {300 * MS, RATIO, 255, 0, 2550 * OCTET, 2550},
        {1300 * MS, LOOK, 0, 0, 0, 1550},
        {1300 * MS, SET, 333, 8000, 1550 * OCTET, 1550},
        {1300 * MS, RATIO, 33, 0, OCTET * 10989 / 100, 110},
        {1300 * MS, SET, 0, 8000, OCTET * 10989 / 100, 110},
        {1300 * MS, RATIO, 100, 0, 0, 0},
    };
    walk(changes, COUNT(changes));
}

TEST(octets_leave_unsent)
{
    static const struct change changes[] = {
        {0, TAKE, 1000, 0, 1000 * OCTET, 1000},
        {100 * MS, DISCARD, 300, 0, 600 * OCTET, 600},
        {200 * MS, DISCARD, 0, 0, 500 * OCTET, 500},
        {200 * MS, DISCARD, 500, 0, 0, 0},
        {200 * MS, TAKE, 100, 0, 100 * OCTET, 100},
        {200 * MS, DISCARD, 101, 0, 0, 0},
        {200 * MS, TAKE, 100, 0, 100 * OCTET, 100},
        {200 * MS, DISCARD, UINT64_MAX, 0, 0, 0},
        {200 * MS, TAKE, 100, 0, 100 * OCTET, 100},
        {5 * S, DISCARD, 50, 0, 0, 0}, /* had run empty: no credit from below zero */
        {5 * S, TAKE, 10, 0, 10 * OCTET, 10},
    };
    walk(changes, COUNT(changes));
}

TEST(reset_empties_and_keeps_parameters)
{
    static const struct change changes[] = {
        {0, TAKE, 1000, 0, 1000 * OCTET, 1000},
        {100 * MS, RESET, 0, 0, 0, 0},
        {100 * MS, TAKE, 800, 0, 800 * OCTET, 800},
        {200 * MS, LOOK, 0, 0, 0, 700},
    };
    struct bucket b;
    walk(changes, COUNT(changes));
    bucket_init(&b, 1000, 8000, 0);
    bucket_reset(&b, 7);
    assert_int_equal(b.max_octets, 1000);
    assert_int_equal(b.rate_bps, 8000);
}

/* Rates times decades of nanoseconds need 93 bits. */
TEST(decades_of_idling)
{
    static const uint64_t rates_bps[] = {1, 7, 100, 80000, 6553500, BUCKET_MAX_RATE_BPS};
    static const int64_t idle_ns[] = {20 * YEAR_NS, 50 * YEAR_NS, 100 * YEAR_NS, 290 * YEAR_NS,
                                      INT64_MAX - 1};
    for (size_t r = 0; r < COUNT(rates_bps); r++)
        for (size_t i = 0; i < COUNT(idle_ns); i++) {
            struct bucket b;
            bucket_init(&b, 10000, rates_bps[r], 0);
            bucket_take(&b, 10000, 0);
            assert_int_equal(bucket_level_octets(&b, idle_ns[i]), 0);
            assert_true(bucket_can_take(&b, 20000, idle_ns[i]));
            bucket_take(&b, 20000, idle_ns[i]);
            assert_true(bucket_level_nbit(&b) == 20000 * OCTET);
            assert_false(bucket_can_take(&b, 1, idle_ns[i]));
        }
}

/* The largest bucket holds what is put in, overfull too, and loses no bit of it at any rate. */
TEST(the_largest_levels)
{
    struct bucket b;
    bucket_init(&b, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 0);
    bucket_set_ratio(&b, 255, 0);
    assert_true(bucket_level_nbit(&b) == OCTET * BUCKET_MAX_OCTETS / 100 * 255);
    assert_int_equal(bucket_level_octets(&b, 0), UINT64_C(16711425000));
    assert_int_equal(bucket_earliest_ns(&b, 1500), INT64_C(12400001832));
    bucket_take(&b, UINT32_MAX, 0);
    assert_int_equal(bucket_level_octets(&b, 0), UINT64_C(16711425000) + UINT32_MAX);
    bucket_set(&b, 1, 0, 290 * YEAR_NS);
    assert_true(bucket_level_nbit(&b) == 0);
}

/* More than any peer can announce, charged without asking: still every bit of it, and it all leaks. */
TEST(charged_without_asking)
{
    struct bucket b;
    bucket_nbit level_nbit = 0;
    bucket_init(&b, BUCKET_MAX_OCTETS, 0, 0);
    for (unsigned i = 0; i < 100000; i++) {
        bucket_take(&b, UINT32_MAX, 0);
        level_nbit += OCTET * UINT32_MAX;
    }
    assert_true(level_nbit >> 80 != 0);
    assert_true(bucket_level_nbit(&b) == level_nbit);
    assert_int_equal(b.max_octets, BUCKET_MAX_OCTETS);
    bucket_set(&b, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 0);
    assert_int_equal(bucket_earliest_ns(&b, UINT32_MAX),
                     (level_nbit - OCTET * (BUCKET_MAX_OCTETS - UINT32_MAX) + BUCKET_MAX_RATE_BPS - 1) /
                         BUCKET_MAX_RATE_BPS);
    bucket_take(&b, 1, 200 * YEAR_NS);
    assert_true(bucket_level_nbit(&b) == OCTET);
}

/* Never less than what is in there. */
TEST(a_level_rounds_up)
{
    struct bucket b;
    bucket_init(&b, 1000, 1, 0);
    bucket_take(&b, 10, 0);
    assert_int_equal(bucket_level_octets(&b, 1), 10);
    assert_int_equal(bucket_level_octets(&b, 8 * S - 1), 10);
    assert_int_equal(bucket_level_octets(&b, 8 * S), 9);
    assert_int_equal(bucket_level_octets(&b, 80 * S - 1), 1);
    assert_int_equal(bucket_level_octets(&b, 80 * S), 0);
}

UNIT_MAIN(NULL, NULL)
