/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The syntax of a command: the words that it takes, read from its --help, which is the only list of them: the
 * forms of its usage, lists ("WHAT is one of:"), and options. From them follow what may stand at a place of a
 * line, and what an abbreviation stands for.
 */
#ifndef APP_CONSOLE_SYNTAX_H
#define APP_CONSOLE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#define SYNTAX_WORDS       96
#define SYNTAX_FORMS       6
#define SYNTAX_TOKENS      6
#define SYNTAX_NAME_CHARS  40
#define SYNTAX_WHAT_CHARS  320
#define SYNTAX_ERROR_CHARS 512

/* An option, or a word of a list. */
struct syntax_word {
    char name[SYNTAX_NAME_CHARS], what[SYNTAX_WHAT_CHARS];
    char
        noun[SYNTAX_NAME_CHARS]; /* of the list: "WHAT"; of an option its argument: "NAME", "[SECONDS]", "" */
};

/* "IMSI": a value; "subscriber": the word itself. */
struct syntax_token {
    char text[SYNTAX_NAME_CHARS];
    bool is_word, is_optional, is_repeated;
};

struct syntax_form {
    struct syntax_token tokens[SYNTAX_TOKENS];
    unsigned count;
};

struct syntax {
    struct syntax_word words[SYNTAX_WORDS];
    unsigned word_count;
    struct syntax_form forms[SYNTAX_FORMS];
    unsigned form_count;
};

/* Of the text that a command prints for --help. */
void syntax_read(struct syntax *s, const char *help);

/* A word or value at a place. Texts are those of the syntax. */
struct syntax_choice {
    const char *name, *what; /* what: "" of a value */
    bool is_value;           /* name is a placeholder: "IMSI"; or of an option's argument: "--imsi" */
    bool is_joined;          /* a further part follows without a blank: "gb=" */
};

struct syntax_choices {
    struct syntax_choice list[SYNTAX_WORDS + SYNTAX_FORMS];
    unsigned count;
    bool is_end; /* the line may end here */
};

/* Finds what may follow these words, which stand behind the command's name. */
void syntax_follow(const struct syntax *s, char *const *words, unsigned count,
                   struct syntax_choices *choices);

/* A message without subject: a word begins all of these. */
void syntax_name_choices(const char *word, const struct syntax_choices *choices,
                         char error[SYNTAX_ERROR_CHARS]);

/* Of words that are there only as abbreviations, each is replaced by the word of the syntax if it is the only
 * one. False, with a message without subject: one has several. */
bool syntax_expand(const struct syntax *s, char **words, unsigned count, char error[SYNTAX_ERROR_CHARS]);

/* The option of a word, "--imsi" or "--imsi=1". NULL: it is no option. */
const struct syntax_word *syntax_option(const struct syntax *s, const char *word);

#endif
