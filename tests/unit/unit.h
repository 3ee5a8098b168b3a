/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka, and tests that list themselves: TEST(name) is followed by its body, a program ends with
 * UNIT_MAIN(). */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The fields of a row, the elements of a list: as many on a line as it has room for. */
#define ROW(...)                                                                                             \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define LIST(...)                                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* Tests of one program, in the order of their definitions. */
#define UNIT_MOST 64
static __attribute__((unused)) struct CMUnitTest unit_tests[UNIT_MOST];
static __attribute__((unused)) size_t unit_count;

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* setup and teardown: what runs before and after this test alone, int (void **state), or NULL. */
#define TEST_WITH(name, setup, teardown)                                                                     \
    static void name(void **state);                                                                          \
    static __attribute__((constructor)) void unit_list_##name(void)                                          \
    {                                                                                                        \
        assert_true(unit_count < UNIT_MOST);                                                                 \
        unit_tests[unit_count++] = (struct CMUnitTest){#name, name, setup, teardown, NULL};                  \
    }                                                                                                        \
    static void name(void **state)

/* The body has a fixture of a type by this name: begin makes it, end takes it apart. */
#define TEST_IN(name, type, it, begin, end)                                                                  \
    static void name##_in(type *it);                                                                         \
    TEST(name)                                                                                               \
    {                                                                                                        \
        type fixture;                                                                                        \
        type *it = &fixture;                                                                                 \
        begin;                                                                                               \
        name##_in(it);                                                                                       \
        end;                                                                                                 \
    }                                                                                                        \
    static void name##_in(type *it)

/* A test of one call; one that calls play(&row) for each row. */
#define TEST_CALL(name, ...)                                                                                 \
    TEST(name)                                                                                               \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }
#define TEST_EACH(name, play, rows)                                                                          \
    TEST(name)                                                                                               \
    {                                                                                                        \
        for (size_t i = 0; i < COUNT(rows); i++)                                                             \
            play(&(rows)[i]);                                                                                \
    }

/* begin and end: what runs before the first and after the last, or NULL. */
#define UNIT_RUN(begin, end) _cmocka_run_group_tests("tests", unit_tests, unit_count, begin, end)
#define UNIT_MAIN(begin, end)                                                                                \
    int main(void)                                                                                           \
    {                                                                                                        \
        return UNIT_RUN(begin, end);                                                                         \
    }

#endif
