/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by schedule, by chance against Erlang's formulas, and both at once. */
#include "bss/calls.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define S MOMENT_SECOND

TEST(by_schedule)
{
    static const struct calls_config config = {
        .channels = 4, .first_ns = 10 * S, .every_ns = 60 * S, .hold_ns = 3 * S, .taken = 3};
    static const struct {
        int64_t at_ns;
        unsigned held;
        int64_t due_ns;
    } rows[] = {
        {0, 0, 10 * S},      {10 * S - 1, 0, 10 * S}, {10 * S, 3, 13 * S},   {13 * S - 1, 3, 13 * S},
        {13 * S, 0, 70 * S}, {72 * S, 3, 73 * S},     {200 * S, 0, 250 * S}, /* much at once */
    };
    struct calls calls;
    calls_init(&calls, &config);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(calls_step(&calls, rows[i].at_ns), rows[i].held);
        assert_int_equal(calls_due_ns(&calls), rows[i].due_ns);
    }
}

TEST(none)
{
    static const struct calls_config config = {.channels = 1};
    struct calls calls;
    calls_init(&calls, &config);
    assert_int_equal(calls_due_ns(&calls), MOMENT_NEVER);
    assert_int_equal(calls_step(&calls, MOMENT_NEVER - 1), 0);
}

/* Erlang B: B(0) = 1, B(n) = a B(n - 1) / (n + a B(n - 1)). */
static double loss_of(double erlang, unsigned channels)
{
    double loss = 1;
    for (unsigned n = 1; n <= channels; n++)
        loss = erlang * loss / (n + erlang * loss);
    return loss;
}

/* Over more than ten thousand calls: what is lost, and channels held on average, within 2 points. */
TEST(by_chance)
{
    static const struct {
        unsigned channels;
        int64_t interval_ns, hold_ns;
    } rows[] = {{1, 10 * S, 10 * S}, {3, 10 * S, 20 * S}, {8, 10 * S, 30 * S}, {4, 5 * S, 40 * S}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct calls_config config = {.channels = rows[i].channels, .start_ns = 100 * S, .seed = i + 1};
        struct calls calls;
        double held = 0, erlang = (double)rows[i].hold_ns / (double)rows[i].interval_ns;
        int64_t now = 0, end_ns = 200000 * S;
        config.interval_ns = rows[i].interval_ns;
        config.mean_hold_ns = rows[i].hold_ns;
        calls_init(&calls, &config);
        assert_true(calls_due_ns(&calls) > 100 * S);
        while (now < end_ns) {
            unsigned channels = calls_step(&calls, now);
            int64_t next_ns = moment_min(calls_due_ns(&calls), end_ns);
            assert_in_range(channels, 0, rows[i].channels);
            held += (double)channels * (double)(next_ns - now) / (double)end_ns;
            now = next_ns;
        }
        double expected = loss_of(erlang, rows[i].channels),
               lost = (double)calls.lost / (double)calls.offered;
        assert_true(calls.offered > 10000);
        assert_true(lost > expected - 0.02 && lost < expected + 0.02);
        assert_true(held / (erlang * (1 - expected)) > 0.98 && held / (erlang * (1 - expected)) < 1.02);
    }
}

/* Steps of any length give the same calls, and both sources share the channels. */
TEST(whenever_asked)
{
    static const struct calls_config config = {.channels = 3,
                                               .first_ns = 7 * S,
                                               .every_ns = 20 * S,
                                               .hold_ns = 5 * S,
                                               .taken = 2,
                                               .interval_ns = 4 * S,
                                               .mean_hold_ns = 6 * S,
                                               .seed = 5};
    struct calls fine, coarse;
    calls_init(&fine, &config);
    calls_init(&coarse, &config);
    for (int64_t now = 0; now < 2000 * S; now += S / 10) {
        unsigned held = calls_step(&fine, now);
        assert_in_range(held, 0, 3);
        if (now % (7 * S) == 0)
            assert_int_equal(calls_step(&coarse, now), held);
    }
    assert_true(fine.lost > 50);
}

UNIT_MAIN(NULL, NULL)
