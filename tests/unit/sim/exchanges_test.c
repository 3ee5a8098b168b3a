/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/exchanges.h"

#include "tests/unit/unit.h"

enum { MANY = 300 };

/* Each number is that of a request that was sent, and its first answer counts alone, however late. */
TEST(answers_count_once)
{
    struct exchanges x = {0};
    assert_int_equal(exchanges_end(&x, 0, 5), -1);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(exchanges_begin(&x, 10 * i));
    assert_int_equal(x.count, MANY);
    assert_int_equal(exchanges_end(&x, MANY, 4000), -1);
    assert_int_equal(exchanges_end(&x, UINT32_MAX, 4000), -1);
    assert_int_equal(exchanges_end(&x, MANY - 1, 4000), 4000 - 10 * (MANY - 1));
    assert_int_equal(exchanges_end(&x, 7, 70), 0);
    assert_int_equal(exchanges_end(&x, 7, 99), -1);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(x.began_ns[i], 10 * i);
        assert_int_equal(x.took_ns[i], i == 7 ? 0 : i == MANY - 1 ? 4000 - 10 * (MANY - 1) : -1);
    }
    exchanges_free(&x);
}

/* A freed one is empty, and begins with number 0. */
TEST(begins_again)
{
    struct exchanges x = {0};
    assert_true(exchanges_begin(&x, 1));
    exchanges_free(&x);
    assert_int_equal(x.count, 0);
    assert_true(exchanges_begin(&x, 2));
    assert_int_equal(exchanges_end(&x, 0, 5), 3);
    exchanges_free(&x);
}

UNIT_MAIN(NULL, NULL)
