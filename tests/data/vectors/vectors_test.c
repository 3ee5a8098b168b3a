/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/data/vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

static void files_hold_their_rows(void **state)
{
    static const struct {
        const char *file;
        unsigned first, last;
    } expect[] = {{"ns.txt", 1, 19}, {"bssgp.txt", 20, 69}, {"llc.txt", 70, 92}, {"gn.txt", 93, 120}};
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        size_t count;
        const struct vector *rows = vectors_load(expect[i].file, &count);
        assert_int_equal(count, expect[i].last - expect[i].first + 1);
        for (size_t r = 0; r < count; r++)
            assert_int_equal(rows[r].number, expect[i].first + r);
    }
}

static void a_row_by_number(void **state)
{
    static const uint8_t alive[] = {0x0a};
    const struct vector *row = vectors_get(7);
    assert_string_equal(row->name, "ns_alive");
    assert_string_equal(row->column, "-");
    assert_int_equal(row->octets, 1);
    assert_memory_equal(row->bytes, alive, 1);
    row = vectors_get(68);
    assert_string_equal(row->column, "1800");
    assert_int_equal(row->octets, 213);
    assert_int_equal(row->bytes[212], 0x0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_their_rows),
        cmocka_unit_test(a_row_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
