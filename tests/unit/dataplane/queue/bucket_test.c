/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/queue/bucket_model.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "dataplane/queue/bucket.h"

#define MS         INT64_C(1000000)
#define S          INT64_C(1000000000)
#define OCTET      ((bucket_nbit)8000000000)
#define CENTURY_NS (INT64_C(100) * 366 * 86400 * S)

/* One LLC-PDU of a sequence: when it comes, how long it is, when it goes and the level then. */
struct pass {
    int64_t arrival_ns;
    uint32_t octets;
    int64_t sent_ns;
    uint64_t level_octets;
};

static void assert_level(const struct bucket *b, uint64_t octets, int64_t now)
{
    assert_int_equal(bucket_level_octets(b, now), octets);
    assert_true(b->t_ns == now);
    assert_true(bucket_level_nbit(b) == octets * OCTET);
}

/* Not a nanosecond before sent_ns, unless it came or its turn came no sooner. */
static void assert_goes_at(const struct bucket *b, const struct pass *p, int64_t from_ns)
{
    assert_int_equal(moment_max(from_ns, bucket_earliest_ns(b, p->octets)), p->sent_ns);
    if (p->sent_ns == MOMENT_NEVER) {
        assert_false(bucket_can_take(b, p->octets, CENTURY_NS));
        return;
    }
    assert_true(bucket_can_take(b, p->octets, p->sent_ns));
    if (p->sent_ns > from_ns) {
        assert_false(bucket_can_take(b, p->octets, from_ns));
        assert_false(bucket_can_take(b, p->octets, p->sent_ns - 1));
    }
}

static void walk(uint64_t max_octets, uint64_t rate_bps, const struct pass *passes, size_t count)
{
    struct bucket b;
    int64_t last_ns = 0;
    bucket_init(&b, max_octets, rate_bps, 0);
    for (size_t i = 0; i < count; i++) {
        const struct pass *p = &passes[i];
        assert_goes_at(&b, p, moment_max(p->arrival_ns, last_ns));
        if (p->sent_ns == MOMENT_NEVER)
            return;
        bucket_take(&b, p->octets, p->sent_ns);
        assert_level(&b, p->level_octets, p->sent_ns);
        last_ns = p->sent_ns;
    }
}

TEST(sequence_a)
{
    static const struct pass passes[] = {
        {0, 400, 0, 400},         {0, 400, 0, 800},      {0, 400, 200 * MS, 1000},
        {0, 400, 600 * MS, 1000}, {0, 400, 1 * S, 1000}, {10 * S, 400, 10 * S, 400},
    };
    walk(1000, 8000, passes, COUNT(passes));
}

TEST(sequence_b)
{
    static const struct pass passes[] = {
        {0, 1500, 0, 1500},           {0, 60, 120 * MS, 1500},
        {0, 60, 240 * MS, 1500},      {1 * S, 1400, 3040 * MS, 1500},
        {20 * S, 1500, 20 * S, 1500},
    };
    walk(1500, 4000, passes, COUNT(passes));
}

TEST(sequence_c)
{
    static const struct pass passes[] = {
        {0, 400, 0, 400},
        {0, 400, 0, 800},
        {0, 400, MOMENT_NEVER, 800},
    };
    walk(1000, 0, passes, COUNT(passes));
}

/* Two mobiles and their cell: all levels tested, all charged at one instant. */
TEST(sequence_d)
{
    static const struct {
        int ms;
        int64_t sent_ns;
        uint64_t ms_octets, bvc_octets;
    } rows[] = {
        {0, 0, 600, 600}, {1, 100 * MS, 600, 1000}, {0, 400 * MS, 800, 1000}, {1, 700 * MS, 600, 1000}};
    struct bucket bvc, ms[2];
    bucket_init(&bvc, 1000, 16000, 0);
    bucket_init(&ms[0], 800, 8000, 0);
    bucket_init(&ms[1], 800, 8000, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bucket *own = &ms[rows[i].ms];
        int64_t at_ns = moment_max(bucket_earliest_ns(own, 600), bucket_earliest_ns(&bvc, 600));
        assert_int_equal(at_ns, rows[i].sent_ns);
        bucket_take(own, 600, at_ns);
        bucket_take(&bvc, 600, at_ns);
        assert_level(own, rows[i].ms_octets, at_ns);
        assert_level(&bvc, rows[i].bvc_octets, at_ns);
    }
}

/* A bucket that holds level_octets at 0 gets these parameters then. */
static const struct {
    const char *what;
    uint64_t max_octets, rate_bps, level_octets;
    uint32_t octets;
    int64_t earliest_ns;
} borders[] = {
    {"B* = Bmax conforms", 1000, 8000, 600, 400, 0},
    {"one octet more waits for one octet", 1000, 8000, 600, 401, 1 * MS},
    {"L = Bmax into an empty bucket", 1000, 8000, 0, 1000, 0},
    {"L = Bmax waits for the last bit and no longer", 500, 8000, 500, 500, 500 * MS},
    {"oversized waits until just after empty", 1000, 8000, 500, 1500, 500 * MS + 1},
    {"oversized by one octet", 1000, 8000, 500, 1001, 500 * MS + 1},
    {"oversized into an empty bucket", 1000, 8000, 0, 1001, 1},
    {"an uneven rate rounds up", 500, 3, 500, 500, INT64_C(1333333333334)},
    {"an uneven rate, oversized", 500, 3, 500, 501, INT64_C(1333333333334)},
    {"Bmax fell below the level", 1000, 8000, 5000, 100, 4100 * MS},
    {"R = 0 with room", 1000, 0, 600, 400, 0},
    {"R = 0 without room", 1000, 0, 600, 401, MOMENT_NEVER},
    {"R = 0 and oversized, empty", 1000, 0, 0, 1001, MOMENT_NEVER},
    {"R = 0 and above Bmax", 1000, 0, 1001, 1, MOMENT_NEVER},
    {"Bmax = 0, empty", 0, 4800, 0, 1, 1},
    {"Bmax = 0, drains first", 0, 4800, 600, 1, 1 * S + 1},
    {"Bmax = 0 and R = 0", 0, 0, 0, 1, MOMENT_NEVER},
    {"Bmax = 0 and R = 0 with a level", 0, 0, 600, 1, MOMENT_NEVER},
    {"1 bit/s", 100, 1, 100, 1, 8 * S},
    {"1 bit/s, the whole of it", 100, 1, 100, 100, 800 * S},
    {"7 bit/s", 100, 7, 100, 1, INT64_C(1142857143)},
    {"100 bit/s", 1000, 100, 1000, 1503, 80 * S + 1},
    {"100 bit/s, one octet", 1000, 100, 1000, 1, 80 * MS},
    {"largest values", BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, BUCKET_MAX_OCTETS, 1, 2},
    {"largest values, 1526 octets", BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, BUCKET_MAX_OCTETS, 1526, 1863},
    {"largest level at the largest rate", 0, BUCKET_MAX_RATE_BPS, BUCKET_MAX_OCTETS, 1, 8 * S + 1},
    {"largest level at 100 bit/s", 1000, 100, BUCKET_MAX_OCTETS, 1000, INT64_C(524280000) * S},
    {"largest level at 1 bit/s: beyond the clock", 1, 1, BUCKET_MAX_OCTETS, 2, MOMENT_NEVER},
};

TEST(earliest_at_the_borders)
{
    for (size_t i = 0; i < COUNT(borders); i++) {
        struct bucket b;
        uint32_t octets = borders[i].octets;
        int64_t at_ns = borders[i].earliest_ns;
        bucket_init(&b, borders[i].level_octets, 0, 0);
        bucket_set_ratio(&b, 100, 0);
        bucket_set(&b, borders[i].max_octets, borders[i].rate_bps, 0);

        if (bucket_earliest_ns(&b, octets) != at_ns)
            fail_msg("%s: %lld", borders[i].what, (long long)bucket_earliest_ns(&b, octets));
        if (bucket_can_take(&b, octets, 0) != (at_ns == 0))
            fail_msg("%s: wrong at once", borders[i].what);
        if (at_ns > 0 && bucket_can_take(&b, octets, at_ns - 1))
            fail_msg("%s: a nanosecond early", borders[i].what);
        if (at_ns != MOMENT_NEVER && !bucket_can_take(&b, octets, at_ns))
            fail_msg("%s: late", borders[i].what);
    }
}

TEST(asking_changes_nothing)
{
    struct bucket b;
    bucket_init(&b, 1000, 8000, 5);
    bucket_take(&b, 900, 5);
    assert_int_equal(bucket_level_octets(&b, 5), 900);
    for (int64_t now = 5; now < 5 * S; now += 100 * MS) {
        bucket_can_take(&b, 500, now);
        bucket_level_octets(&b, now);
        bucket_earliest_ns(&b, 1500);
    }
    assert_level(&b, 900, 5);
    assert_int_equal(bucket_earliest_ns(&b, 500), 400 * MS + 5);
}

/* Time before zero is time as well. */
TEST(any_clock_will_do)
{
    struct bucket b;
    bucket_init(&b, 1000, 8000, -2 * S);
    bucket_take(&b, 1000, -2 * S);
    assert_int_equal(bucket_earliest_ns(&b, 1000), -1 * S);
    assert_false(bucket_can_take(&b, 1000, -1 * S - 1));
    assert_true(bucket_can_take(&b, 1000, -1 * S));
}

/* --- What changes a bucket other than an LLC-PDU, and what long or large numbers do to it --- */

#define YEAR_NS (INT64_C(365) * 86400 * S)

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

static void change_walk(const struct change *changes, size_t count)
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
    change_walk(changes, COUNT(changes));
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
    change_walk(changes, COUNT(changes));
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
    change_walk(changes, COUNT(changes));
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
    change_walk(changes, COUNT(changes));
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

/* --- The bucket against the clause's own text, over parameters and times of every magnitude --- */

#define CASES        100000
#define LLC_MAX      1526
#define FULL_PERCENT 100

struct pair {
    struct bucket bucket;
    struct bucket_model model;
};

static uint64_t some_octets(uint64_t *seed)
{
    return prng_magnitude(seed, prng_below(seed, 4) ? 20000 : BUCKET_MAX_OCTETS);
}

static uint64_t some_rate(uint64_t *seed)
{
    return prng_magnitude(seed, prng_below(seed, 4) ? 200000 : BUCKET_MAX_RATE_BPS);
}

static void assert_same_level(const struct pair *p, int64_t now, unsigned i)
{
    __int128 level = bucket_model_level(&p->model, now);
    uint64_t octets = (uint64_t)((level + BUCKET_MODEL_OCTET - 1) / BUCKET_MODEL_OCTET);
    if (bucket_level_octets(&p->bucket, now) != octets)
        fail_msg("case %u: level differs at %lld", i, (long long)now);
}

/* earliest_ns() is the border itself: the nanosecond before does not conform. */
static void assert_border(const struct pair *p, uint32_t octets, unsigned i)
{
    int64_t at_ns = bucket_earliest_ns(&p->bucket, octets);
    if (at_ns != bucket_model_earliest_ns(&p->model, octets, p->bucket.t_ns))
        fail_msg("case %u: earliest differs, %lld", i, (long long)at_ns);
    if (at_ns == MOMENT_NEVER) {
        if (bucket_can_take(&p->bucket, octets, MOMENT_NEVER - 1))
            fail_msg("case %u: never, and yet", i);
        return;
    }
    if (!bucket_can_take(&p->bucket, octets, at_ns))
        fail_msg("case %u: does not conform at its earliest", i);
    if (at_ns > p->bucket.t_ns && bucket_can_take(&p->bucket, octets, at_ns - 1))
        fail_msg("case %u: conforms a nanosecond before", i);
}

/* bucket_try_word() agrees, unless the level needs more than 63 bits. True: it does not. */
static bool assert_word(const struct bucket *b, uint32_t octets, int64_t now, unsigned i)
{
    uint64_t word = 0;
    bucket_nbit after;
    bool is_long = bucket_level_nbit(b) >> 63 > 0;
    bool fits = bucket_try(b, octets, now, &after) && !is_long;
    if (bucket_try_word(b, octets, now, &word) != fits || (fits && word != after))
        fail_msg("case %u: in words it differs", i);
    return !is_long;
}

/* bucket_try_busy() agrees wherever level, Bmax and length are short; elsewhere it says no more than that it
 * does not know. True: they are. */
static bool assert_busy(const struct bucket *b, uint32_t octets, int64_t now, unsigned i)
{
    uint64_t word = 0;
    bucket_nbit after;
    bool fits = bucket_try(b, octets, now, &after), does = bucket_try_busy(b, octets, now, &word);
    bool is_short = bucket_level_nbit(b) >> 63 == 0 && b->max_octets < BUCKET_SMALL_OCTETS &&
                    octets <= BUCKET_WORD_OCTETS;
    if (is_short ? does != fits : does)
        fail_msg("case %u: a busy one differs", i);
    if (does && word != after)
        fail_msg("case %u: a busy one has another level", i);
    return is_short;
}

TEST(words_agree)
{
    uint64_t seed = 21;
    unsigned short_levels = 0, busy = 0, taken = 0;
    for (unsigned i = 0; i < CASES; i++) {
        struct bucket b;
        uint64_t max = some_octets(&seed), rate = some_rate(&seed);
        uint32_t octets =
            (uint32_t)prng_between(&seed, 1, prng_below(&seed, 8) ? LLC_MAX : BUCKET_WORD_OCTETS);
        int64_t later_ns = (int64_t)prng_magnitude(&seed, INT64_C(1) << 61);
        bucket_init(&b, some_octets(&seed), 0, 0);
        bucket_set_ratio(&b, (uint32_t)prng_below(&seed, 256), 0);
        bucket_set(&b, max, rate, 0);
        short_levels += assert_word(&b, octets, later_ns, i);
        busy += assert_busy(&b, octets, later_ns, i);
        if (bucket_again_ns(&b, octets, 0) != bucket_reopen_ns(&b, octets, 0))
            fail_msg("case %u: opens again at another instant", i);
        taken += bucket_can_take(&b, octets, later_ns);
    }
    assert_in_range(short_levels, CASES / 2, CASES - 100);
    assert_in_range(busy, CASES / 2, CASES - 100);
    assert_in_range(taken, CASES / 10, CASES - CASES / 10);
}

TEST(earliest_is_exact)
{
    uint64_t seed = 20;
    unsigned waits = 0;
    for (unsigned i = 0; i < CASES; i++) {
        struct pair p;
        uint64_t max = some_octets(&seed), rate = some_rate(&seed), level = some_octets(&seed);
        int64_t now = (int64_t)prng_magnitude(&seed, INT64_C(1) << 61);
        uint32_t octets = (uint32_t)prng_between(&seed, 1, prng_below(&seed, 8) ? LLC_MAX : UINT32_MAX);
        bucket_init(&p.bucket, level, 0, now);
        bucket_model_init(&p.model, level, 0, now);
        bucket_set_ratio(&p.bucket, FULL_PERCENT, now);
        bucket_model_set_ratio(&p.model, FULL_PERCENT, now);
        bucket_set(&p.bucket, max, rate, now);
        bucket_model_set(&p.model, max, rate, now);
        assert_border(&p, octets, i);
        waits += !bucket_can_take(&p.bucket, octets, now);
    }
    assert_in_range(waits, CASES / 10, CASES - CASES / 10); /* else it asked one side only */
}

static void change(struct pair *p, uint64_t *seed, int64_t now)
{
    uint64_t octets = some_octets(seed), rate = some_rate(seed);
    uint32_t percent = (uint32_t)prng_below(seed, 256);
    switch (prng_below(seed, 8)) {
    case 0:
        bucket_set_ratio(&p->bucket, percent, now);
        bucket_model_set_ratio(&p->model, percent, now);
        break;
    case 1:
        bucket_reset(&p->bucket, now);
        bucket_model_reset(&p->model, now);
        break;
    case 2:
    case 3:
        bucket_set(&p->bucket, octets, rate, now);
        bucket_model_set(&p->model, octets, rate, now);
        break;
    default:
        bucket_discard(&p->bucket, octets, now);
        bucket_model_discard(&p->model, octets, now);
        break;
    }
}

/* A long life: LLC-PDUs whenever they conform or a little later, changes in between, nothing ever drifts. */
TEST(a_life_of_changes)
{
    struct pair p;
    uint64_t seed = 21;
    int64_t now = 0;
    unsigned taken = 0;
    bucket_init(&p.bucket, 10000, 80000, now);
    bucket_model_init(&p.model, 10000, 80000, now);
    for (unsigned i = 0; i < CASES; i++) {
        uint32_t octets = (uint32_t)prng_between(&seed, 1, LLC_MAX);
        now += (int64_t)prng_magnitude(&seed, 100 * MOMENT_SECOND);
        assert_same_level(&p, now, i);
        if (bucket_can_take(&p.bucket, octets, now) != bucket_model_can_take(&p.model, octets, now))
            fail_msg("case %u: conforms or not", i);
        assert_border(&p, octets, i);
        if (prng_below(&seed, 8) == 0) {
            change(&p, &seed, now);
        } else if (bucket_model_can_take(&p.model, octets, now)) {
            bucket_take(&p.bucket, octets, now);
            bucket_model_take(&p.model, octets, now);
            int64_t open_ns = moment_max(now, bucket_earliest_ns(&p.bucket, octets));
            if (bucket_reopen_ns(&p.bucket, octets, now) != open_ns ||
                bucket_again_ns(&p.bucket, octets, now) != open_ns)
                fail_msg("case %u: opens again at another instant", i);
            taken++;
        }
        assert_same_level(&p, now, i);
    }
    assert_in_range(taken, CASES / 10, CASES);
}

UNIT_MAIN(NULL, NULL)
