/* SPDX-License-Identifier: BSD-3-Clause */
/* The word that was probably meant, by the cases that the helpers in Lua and Python are tested with, too. */
#include "control/base/words.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATOR " | "

/* Cuts "word | a,b | meant" in place. False: a comment. */
static bool cut(char *line, char *parts[3])
{
    line[strcspn(line, "\n")] = '\0';
    for (unsigned i = 0; i < 3; i++) {
        char *end = strstr(line, SEPARATOR);
        parts[i] = line;
        if (end)
            *end = '\0';
        line = end ? end + strlen(SEPARATOR) : "";
    }
    return *parts[0] != '#' && *parts[2];
}

static void check(char *parts[3])
{
    struct words words = {.count = 0};
    char *rest = parts[1], *name;
    while ((name = strsep(&rest, ",")))
        words_add(&words, name);
    const char *nearest = words_nearest(&words, parts[0]);
    assert_string_equal(nearest ? nearest : "-", parts[2]);
}

TEST(the_nearest_word_is_that_of_the_cases)
{
    char line[256], *parts[3];
    unsigned rows = 0;
    FILE *file = fopen("tests/data/words.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file))
        if (cut(line, parts)) {
            check(parts);
            rows++;
        }
    fclose(file);
    assert_true(rows > 10);
}

static void assert_said(const struct words *words, const char *word, const char *said)
{
    char *text = words_unknown(words, "order", word);
    assert_string_equal(text, said);
    free(text);
}

TEST(the_message_lists_the_names)
{
    struct words words = {.list = {"mobiles", "fifo"}, .count = 2};
    assert_said(&words, "x", "'x' is no order: one of mobiles, fifo");
    assert_said(&words, "lifo", "'lifo' is no order: one of mobiles, fifo; did you mean 'fifo'?");
    assert_said(&(struct words){.count = 0}, "x", "'x' is no order");
    while (words.count < 41)
        words_add(&words, "y");
    char *text = words_unknown(&words, "order", "fifi");
    assert_non_null(strstr(text, "y, y, ...; did you mean 'fifo'?"));
    free(text);
}

TEST(no_more_names_are_kept_than_there_is_room_for)
{
    struct words words = {.count = 0};
    for (unsigned i = 0; i <= WORDS_MOST; i++)
        assert_int_equal(words_add(&words, "y"), i < WORDS_MOST);
    assert_int_equal(words.count, WORDS_MOST);
}

TEST(one_is_no_plural)
{
    assert_string_equal(words_plural(0), "s");
    assert_string_equal(words_plural(1), "");
    assert_string_equal(words_plural(2), "s");
}

UNIT_MAIN(NULL, NULL)
