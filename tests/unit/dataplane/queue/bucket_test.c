/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/bucket.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

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

UNIT_MAIN(NULL, NULL)
