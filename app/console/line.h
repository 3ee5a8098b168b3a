/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of the console, split into words as a shell splits it: quotes, backslashes, comments, and one |.
 * Nothing is expanded; what else a shell would redirect or join is refused. */
#ifndef APP_CONSOLE_LINE_H
#define APP_CONSOLE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_OCTETS 4096
#define LINE_WORDS  64

struct line {
    char text[2 * LINE_OCTETS + 2]; /* of the words, NUL behind each */
    char *words[LINE_WORDS + 1];    /* NULL behind the last */
    unsigned count;
    unsigned filter; /* the word that the | stands before, or count if none does yet; 0: there is no | */
    char open;       /* the quote that has no end, \ a backslash at the end; NUL: none */
    bool is_within;  /* the text ends in the last word, not behind it */
};

/* Splits a text of so many octets. NULL, or why it is no line: it is too long, has too many words, a NUL, a
 * control character, octets that are no UTF-8, or a shell's ; & < > or a second | outside quotes. A
 * quote without an end
 * is no error here: `open` names it. */
const char *line_split(struct line *line, const char *text, size_t octets);

#endif
