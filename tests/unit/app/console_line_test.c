/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the console: words, quotes, comments, and texts that are no lines. */
#include "app/console/line.h"
#include "tests/unit/unit.h"

#include <string.h>

static const struct {
    const char *text, *words; /* words: separated by | */
    char open;
    bool is_within;
    unsigned filter;
} rows[] = {
    {"", "", 0, false, 0},
    {"  \t ", "", 0, false, 0},
    {"show nse", "show|nse", 0, true, 0},
    {" show\tnse ", "show|nse", 0, false, 0},
    {"show nse # a comment", "show|nse", 0, false, 0},
    {"# a comment", "", 0, false, 0},
    {"a#b", "a#b", 0, true, 0},
    {"'a b' \"c d\"e", "a b|c de", 0, true, 0},
    {"'' x", "|x", 0, true, 0},
    {"'a\\b' \"a\\b\" \"\\\"\\\\\"", "a\\b|a\\b|\"\\", 0, true, 0},
    {"a\\ b \\#c", "a b|#c", 0, true, 0},
    {"$HOME * ';|'\\>x", "$HOME|*|;|>x", 0, true, 0},
    {"show 'nse", "show|nse", '\'', true, 0},
    {"show \"nse", "show|nse", '"', true, 0},
    {"show nse\\", "show|nse", '\\', true, 0},
    {"show nse|grep 'a|b'", "show|nse|grep|a|b", 0, true, 2},
    {"help | less ", "help|less", 0, false, 1},
    {"help |", "help", 0, false, 1},
};

TEST(words_are_those_of_a_shell)
{
    static struct line line;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char words[256] = "";
        assert_null(line_split(&line, rows[i].text, strlen(rows[i].text)));
        for (unsigned k = 0; k < line.count; k++) {
            strcat(words, k > 0 ? "|" : "");
            strcat(words, line.words[k]);
        }
        assert_string_equal(words, rows[i].words);
        assert_int_equal(line.open, rows[i].open);
        assert_int_equal(line.is_within, rows[i].is_within);
        assert_int_equal(line.filter, rows[i].filter);
        assert_null(line.words[line.count]);
    }
}

static const char *wrong(const char *text, size_t octets)
{
    static struct line line;
    return line_split(&line, text, octets);
}

TEST(texts_that_are_no_lines)
{
    char text[LINE_OCTETS + 2];
    assert_non_null(strstr(wrong("a\0b", 3), "NUL"));
    assert_non_null(strstr(wrong("a\033b", 3), "control character"));
    assert_non_null(strstr(wrong("a\377b", 3), "UTF-8"));
    assert_non_null(strstr(wrong("a\xEF\xBF\xBD", 4), "UTF-8"));
    assert_non_null(strstr(wrong("show nse; show bvc", 18), "in a shell only"));
    assert_non_null(strstr(wrong("| less", 6), "in a shell only"));
    assert_non_null(strstr(wrong("help || less", 12), "in a shell only"));
    assert_non_null(strstr(wrong("help | grep a | less", 20), "in a shell only"));
    assert_non_null(strstr(wrong("show nse >x", 11), "in a shell only"));
    memset(text, 'a', sizeof(text));
    text[LINE_OCTETS] = '\0';
    assert_null(wrong(text, LINE_OCTETS));
    text[LINE_OCTETS] = 'a';
    text[LINE_OCTETS + 1] = '\0';
    assert_non_null(strstr(wrong(text, LINE_OCTETS + 1), "4096 octets"));
    for (unsigned i = 0; i < LINE_WORDS; i++)
        memcpy(text + 2 * i, "x ", 2);
    text[2 * LINE_WORDS] = '\0';
    assert_null(wrong(text, strlen(text)));
    memcpy(text + 2 * LINE_WORDS, "x", 2);
    assert_non_null(strstr(wrong(text, strlen(text)), "64 words"));
}

UNIT_MAIN(NULL, NULL)
