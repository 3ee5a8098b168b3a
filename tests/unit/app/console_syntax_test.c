/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of a command's help: which may follow others, and for which an abbreviation stands. */
#include "app/console/syntax.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static const char help[] = "usage: gbflow show WHAT [--json] [--watch [SECONDS]] [--nsei NSEI]\n"
                           "       gbflow show subscriber IMSI|TLLI [--json]\n"
                           "       gbflow show config\n"
                           "              [--file]\n"
                           "\n"
                           "WHAT is one of:\n"
                           "  node           The node.\n"
                           "  nse            NS-VCs of\n"
                           "                 each NSE.\n"
                           "  subscribers    Phones.\n"
                           "\n"
                           "LEVEL is one of: error warn. CATEGORY is one of:\n"
                           "  gb     Gb.\n"
                           "\n"
                           "  --json             as JSON\n"
                           "  --watch [SECONDS]  again and again\n"
                           "  --nsei NSEI        of one NSE\n"
                           "  --file             the text\n";
static const char log_help[] = "usage: gbflow log [[CATEGORY=]LEVEL ...]\n"
                               "\n"
                               "LEVEL is one of: error warn. CATEGORY is one of:\n"
                               "  gb     Gb.\n"
                               "  gmm    Phones.\n";

/* Splits at blanks, in place. */
static unsigned split(char *text, char **words)
{
    unsigned count = 0;
    for (char *word; (word = strsep(&text, " "));)
        if (*word)
            words[count++] = word;
    return count;
}

static const struct {
    const char *help, *words, *choices;
    bool is_end;
} follows[] = {
    {help, "", "node nse subscribers subscriber config", false},
    {help, "nse", "", true},
    {help, "nse --nsei", "=--nsei", false},
    {help, "nse --nsei 101", "", true},
    {help, "subscriber", "=IMSI|TLLI", false},
    {help, "subscriber 262", "", true},
    {help, "config", "", true},
    {help, "nosuch", "", false},
    {log_help, "", "error warn gb= gmm=", true},
    {log_help, "gb=warn", "error warn gb= gmm=", true},
};

TEST(words_that_may_follow)
{
    for (size_t i = 0; i < COUNT(follows); i++) {
        static struct syntax syntax;
        struct syntax_choices choices;
        char text[64], *words[8], found[256] = "";
        syntax_read(&syntax, follows[i].help);
        snprintf(text, sizeof(text), "%s", follows[i].words);
        syntax_follow(&syntax, words, split(text, words), &choices);
        for (unsigned k = 0; k < choices.count; k++) {
            const struct syntax_choice *choice = &choices.list[k];
            if (choice->name[0] != '-' || choice->is_value)
                sprintf(found + strlen(found), "%s%s%s%s", found[0] ? " " : "", choice->is_value ? "=" : "",
                        choice->name, choice->is_joined ? "=" : "");
        }
        assert_string_equal(found, follows[i].choices);
        assert_int_equal(choices.is_end, follows[i].is_end);
    }
}

TEST(texts_of_words_and_options)
{
    static struct syntax syntax;
    struct syntax_choices choices;
    syntax_read(&syntax, help);
    syntax_follow(&syntax, NULL, 0, &choices);
    assert_string_equal(choices.list[1].what, "NS-VCs of each NSE.");
    assert_string_equal(syntax_option(&syntax, "--nsei=5")->noun, "NSEI");
    assert_string_equal(syntax_option(&syntax, "--watch")->noun, "[SECONDS]");
    assert_null(syntax_option(&syntax, "--ns"));
    assert_null(syntax_option(&syntax, "nse"));
}

static const struct {
    const char *help, *words, *result; /* result: words, or the message */
} expansions[] = {
    {help, "nse", "nse"},
    {help, "ns", "nse"},
    {help, "no --json", "node --json"},
    {help, "--nsei no ns", "--nsei no nse"},
    {help, "n", "'n' is ambiguous: node, nse"},
    {help, "sub", "subscribers"},
    {help, "sub 262", "subscriber 262"},
    {help, "subscriber sub", "subscriber sub"},
    {help, "nosuch", "nosuch"},
    {log_help, "w", "warn"},
    {log_help, "gb=w", "gb=w"},
    {log_help, "gb", "gb"},
};

TEST(abbreviations)
{
    for (size_t i = 0; i < COUNT(expansions); i++) {
        static struct syntax syntax;
        char text[64], *words[8], result[256] = "", error[SYNTAX_ERROR_CHARS];
        syntax_read(&syntax, expansions[i].help);
        snprintf(text, sizeof(text), "%s", expansions[i].words);
        unsigned count = split(text, words);
        if (syntax_expand(&syntax, words, count, error))
            for (unsigned k = 0; k < count; k++)
                sprintf(result + strlen(result), "%s%s", k > 0 ? " " : "", words[k]);
        else
            strcpy(result, error);
        assert_string_equal(result, expansions[i].result);
    }
}

/* More than there is room for, and lines that are none. */
TEST(any_text_is_read)
{
    static struct syntax syntax;
    static char text[65536];
    syntax_read(&syntax, "");
    assert_int_equal(syntax.form_count, 0);
    for (unsigned i = 0; i < 1000; i++)
        sprintf(text + strlen(text), "%s x [[A=]B ...] %s is one of: a b\n\n  word%u  it\n",
                i < 20 ? "usage: gbflow" : "", "NOUN", i);
    syntax_read(&syntax, text);
    assert_true(syntax.form_count <= SYNTAX_FORMS && syntax.word_count <= SYNTAX_WORDS);
    memset(text, '[', sizeof(text) - 1);
    syntax_read(&syntax, text);
}

UNIT_MAIN(NULL, NULL)
