/* SPDX-License-Identifier: BSD-3-Clause */
/* N(U): given out, and taken or refused. */
#include "dataplane/context/llc_entity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void given_out(void **state)
{
    struct llc_entity e = {0};
    for (unsigned i = 0; i < 1100; i++)
        assert_int_equal(llc_entity_take_nu(&e), i % 512);
    assert_int_equal(e.vur, 0);
}

struct receipt {
    uint16_t nu;
    bool is_taken;
};

struct receipt_row {
    const char *name;
    uint16_t vur; /* after all before it came */
    struct receipt receipts[8];
    uint16_t count, vur_after;
};

static const struct receipt_row rows[] = {
    {"in order", 10, {{10, 1}, {11, 1}}, 2, 12},
    {"twice", 10, {{10, 1}, {10, 0}, {9, 0}}, 3, 11},
    {"511, then 0", 511, {{511, 1}, {0, 1}, {511, 0}, {0, 0}}, 4, 1},
    {"one missing comes late, once", 10, {{12, 1}, {11, 1}, {11, 0}, {10, 1}, {10, 0}, {12, 0}}, 6, 13},
    {"oldest of the window seen", 100, {{68, 0}}, 1, 100},
    {"one behind the window is new", 100, {{67, 1}, {67, 0}, {68, 1}}, 3, 69},
    {"leap of 31: the last before it still seen", 100, {{130, 1}, {99, 0}, {100, 1}}, 3, 131},
    {"leap of 32: nothing before it known", 100, {{131, 1}, {100, 1}, {100, 0}, {130, 1}}, 4, 132},
    {"leap of 200", 100, {{300, 1}, {299, 1}, {299, 0}, {269, 1}, {268, 1}}, 5, 269},
    {"late over the end", 2, {{5, 1}, {4, 1}, {511, 0}, {2, 1}, {3, 1}, {3, 0}}, 6, 6},
    {"missing before the end", 511, {{1, 1}, {511, 1}, {0, 1}, {0, 0}, {511, 0}}, 5, 2},
    {"as far ahead as can be", 100, {{67, 1}}, 1, 68},
};

static void receive_before(struct llc_entity *e, uint16_t vur)
{
    *e = (struct llc_entity){.vur = (vur + 512 - 40) % 512};
    for (unsigned i = 40; i > 0; i--)
        assert_true(llc_entity_accept(e, (uint16_t)((vur + 512 - i) % 512)));
    assert_int_equal(e->vur, vur);
}

static void received(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct llc_entity e;
        receive_before(&e, rows[i].vur);
        for (unsigned k = 0; k < rows[i].count; k++)
            if (llc_entity_accept(&e, rows[i].receipts[k].nu) != rows[i].receipts[k].is_taken)
                fail_msg("%s: %u", rows[i].name, rows[i].receipts[k].nu);
        if (e.vur != rows[i].vur_after)
            fail_msg("%s: V(UR) is %u", rows[i].name, e.vur);
    }
}

/* Nothing came yet: every number is taken once. */
static void first_of_all(void **state)
{
    for (uint16_t nu = 0; nu < 512; nu++) {
        struct llc_entity e = {0};
        assert_true(llc_entity_accept(&e, nu));
        assert_false(llc_entity_accept(&e, nu));
    }
}

/* A pass over all numbers against a list of what was seen; from each, every distance. */
static void against_a_list(void **state)
{
    for (int step = -40; step < 480; step++) {
        struct llc_entity e = {0};
        receive_before(&e, 77);
        uint16_t nu = (uint16_t)((77 + 512 + step) % 512);
        bool was_seen = step < 0 && step >= -32;
        assert_int_equal(llc_entity_accept(&e, nu), !was_seen);
        assert_false(llc_entity_accept(&e, nu));
    }
}

/* Sending moves nothing of receiving, and the other way round. */
static void directions(void **state)
{
    struct llc_entity e = {0};
    llc_entity_take_nu(&e);
    assert_true(llc_entity_accept(&e, 0));
    assert_true(llc_entity_accept(&e, 1));
    assert_int_equal(llc_entity_take_nu(&e), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_out),      cmocka_unit_test(received),   cmocka_unit_test(first_of_all),
        cmocka_unit_test(against_a_list), cmocka_unit_test(directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
