/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers to strangers: so many at once, so many a second, for each and for all. */
#include "dataplane/base/budget.h"

#include "dataplane/base/moment.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define MS INT64_C(1000000)

/* In this order: so many takes at an instant, of which so many are granted. */
struct budget_row {
    int64_t at_ms;
    uint32_t ip;
    unsigned takes, granted;
};

static void walk(const struct budget_row *rows, size_t count, int64_t start_ns)
{
    struct budget b;
    budget_init(&b);
    for (size_t i = 0; i < count; i++) {
        unsigned granted = 0;
        for (unsigned k = 0; k < rows[i].takes; k++)
            granted += budget_take(&b, rows[i].ip, start_ns + rows[i].at_ms * MS);
        if (granted != rows[i].granted)
            fail_msg("row %zu: %u granted", i, granted);
    }
}

TEST(one_source)
{
    static const struct budget_row rows[] = {
        {0, 7, 11, 10},   {99, 7, 1, 0},     {100, 7, 2, 1},    {199, 7, 1, 0},     {450, 7, 9, 3},
        {450, 8, 11, 10}, {1500, 7, 11, 10}, {1500, 8, 11, 10}, {90000, 7, 30, 10},
    };
    static const int64_t starts_ns[] = {0, MOMENT_SECOND, -MOMENT_SECOND, INT64_MIN / 2, INT64_MAX / 2};
    for (size_t i = 0; i < COUNT(starts_ns); i++)
        walk(rows, COUNT(rows), starts_ns[i]);
}

/* A hundred at once, and then one each ten milliseconds, whoever asks. */
TEST(all_sources)
{
    struct budget b;
    unsigned granted = 0;
    budget_init(&b);
    for (uint32_t ip = 0; ip < 300; ip++)
        granted += budget_take(&b, ip, 0);
    assert_int_equal(granted, 100);
    assert_false(budget_take(&b, 1000, 10 * MS - 1));
    assert_true(budget_take(&b, 1000, 10 * MS));
    assert_false(budget_take(&b, 1001, 10 * MS));
    assert_true(budget_take(&b, 1001, 20 * MS));
}

/* What is refused for one reason is not charged for another. */
TEST(refused_costs_nothing)
{
    struct budget b;
    budget_init(&b);
    for (unsigned i = 0; i < 1000; i++)
        budget_take(&b, 7, 0);
    for (uint32_t ip = 100; ip < 190; ip++)
        assert_true(budget_take(&b, ip, 0));
    for (unsigned i = 0; i < 1000; i++)
        assert_false(budget_take(&b, 300, 0));
    for (unsigned i = 0; i < 10; i++)
        assert_true(budget_take(&b, 300, 100 * MS));
}

/* Whatever comes when: bounds over the whole time hold, and a place for each source is found (asserted). */
TEST(chance)
{
    struct budget b;
    uint64_t random = 5, granted[256] = {0}, all = 0;
    int64_t now = 0;
    budget_init(&b);
    for (unsigned i = 0; i < 300000; i++) {
        uint32_t ip = (uint32_t)prng_below(&random, prng_below(&random, 2) ? 256 : 4);
        now += (int64_t)prng_magnitude(&random, 20 * MS);
        if (budget_take(&b, ip, now)) {
            granted[ip]++;
            all++;
        }
        assert_true(all <= 100 + (uint64_t)(now / (10 * MS)));
        assert_true(granted[ip] <= 10 + (uint64_t)(now / (100 * MS)));
    }
    assert_true(all > (uint64_t)(now / (10 * MS)) / 4);
}

UNIT_MAIN(NULL, NULL)
