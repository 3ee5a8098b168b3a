/* SPDX-License-Identifier: BSD-3-Clause */
/* The bucket against the clause's own text, over parameters and times of every magnitude. */
#include "dataplane/queue/bucket.h"

#include "dataplane/base/moment.h"
#include "tests/unit/dataplane/queue/bucket_model.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

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

TEST(words_agree)
{
    uint64_t seed = 21;
    unsigned short_levels = 0, taken = 0;
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
        taken += bucket_can_take(&b, octets, later_ns);
    }
    assert_in_range(short_levels, CASES / 2, CASES - 100);
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
            taken++;
        }
        assert_same_level(&p, now, i);
    }
    assert_in_range(taken, CASES / 10, CASES);
}

UNIT_MAIN(NULL, NULL)
