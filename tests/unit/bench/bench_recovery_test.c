/* SPDX-License-Identifier: BSD-3-Clause */
/* The recovery after overload of simulated devices. */
#include "tests/unit/unit.h"

#include "bench/statistics/recovery.h"

#include <stdint.h>

#define SLOT_NS 100
#define START   1000000

static struct bench_recovery *begin(void)
{
    static struct bench_recovery r;
    bench_recovery_begin(&r, START, SLOT_NS);
    return &r;
}

/* Ten N-PDUs in each slot, of which those of slots below `lost` do not come. */
static void send(struct bench_recovery *r, unsigned slots, unsigned lost)
{
    for (unsigned slot = 0; slot < slots; slot++) {
        const int64_t at_ns = START + (int64_t)slot * SLOT_NS + 50;
        bench_recovery_sent(r, at_ns, 10);
        for (unsigned i = 0; i < 10 && slot >= lost; i++)
            bench_recovery_came(r, at_ns);
    }
}

TEST(test_nothing_is_lost)
{
    struct bench_recovery *r = begin();
    assert_false(bench_recovery_is_over(r));
    send(r, 100, 0);
    assert_int_equal(bench_recovery_ns(r), 0);
    assert_int_equal(bench_recovery_lost(r), 0);
    assert_true(bench_recovery_is_over(r));
}

TEST(test_recovery_ends_behind_the_last_loss)
{
    struct bench_recovery *r = begin();
    send(r, 100, 30);
    assert_int_equal(bench_recovery_ns(r), 30 * SLOT_NS);
    assert_int_equal(bench_recovery_lost(r), 300);
    assert_true(bench_recovery_is_over(r));
    /* One more, later. */
    bench_recovery_sent(r, START + 60 * SLOT_NS, 1);
    assert_int_equal(bench_recovery_ns(r), 61 * SLOT_NS);
    assert_int_equal(bench_recovery_lost(r), 301);
    /* And in the last tenth. */
    bench_recovery_sent(r, START + 95 * SLOT_NS, 1);
    assert_false(bench_recovery_is_over(r));
}

TEST(test_npdus_of_the_overload_belong_to_no_slot)
{
    struct bench_recovery *r = begin();
    bench_recovery_sent(r, START - 1, 10);
    bench_recovery_came(r, START - 1);
    assert_int_equal(bench_recovery_ns(r), 0);
    assert_int_equal(bench_recovery_lost(r), 0);
    send(r, 10, 0);
    assert_true(bench_recovery_is_over(r));
}

TEST(test_late_npdus_belong_to_the_last_slot)
{
    struct bench_recovery *r = begin();
    const int64_t behind_ns = START + (BENCH_RECOVERY_SLOTS + 7) * SLOT_NS;
    bench_recovery_sent(r, behind_ns, 2);
    bench_recovery_came(r, behind_ns);
    assert_int_equal(bench_recovery_ns(r), BENCH_RECOVERY_SLOTS * SLOT_NS);
    bench_recovery_came(r, behind_ns);
    assert_int_equal(bench_recovery_ns(r), 0);
}

UNIT_MAIN(NULL, NULL)
