/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 (RFC 3629) of texts from outside the program: names of files, configurations, peers. JSON must be
 * UTF-8. */
#ifndef CONTROL_BASE_UTF8_H
#define CONTROL_BASE_UTF8_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

struct utf8_char {
    const char *bytes; /* to write: of the text, or U+FFFD */
    unsigned octets;   /* of those, 1 to 4 */
    unsigned taken;    /* octets of the text that they stand for */
};

/*
 * The character that a text begins with. Ill-formed octets (overlong forms, surrogates, more than U+10FFFF, a
 * sequence that is cut) become U+FFFD, one for each longest beginning of a sequence (Unicode 15,
 * section 3.9). The text is not empty and ends with NUL.
 */
struct utf8_char utf8_next(const char *text);

/*
 * Octets of the character that a text begins with, if a terminal or an editor obeys it or shows nothing for
 * it: a control character (C0, DEL, C1), a change of direction or joint (U+061C, U+200B to U+200F, U+202A to
 * U+202E, U+2060 to U+206F), a separator of lines (U+2028, U+2029), a byte order mark (U+FEFF), marks of
 * annotations and tags (U+FFF9 to U+FFFB, U+E0000 to U+E007F), octets that are no UTF-8. 0: the character is
 * shown. The text is not empty and ends with NUL.
 */
unsigned utf8_unshown(const char *text);

/* The text behind the byte order mark that it begins with: programs for tables and some editors write one. */
const char *utf8_behind_mark(const char *text);

/* Prints `octets` of a text, to the end of the last character, with a question mark for each that is not
 * shown. */
void utf8_print(FILE *out, const char *text, size_t octets);

/* Prints a message as fprintf() does: a line, or a part of one. Names of files in it may be of any kind: all
 * but its line end is printed as above. */
__attribute__((format(printf, 2, 3))) void utf8_printf(FILE *out, const char *format, ...);

/* Copies as many whole characters as there is room for, ill-formed octets replaced as above, and ends them
 * with NUL. Returns their octets. cap is at least 1. */
size_t utf8_copy(char *out, size_t cap, const char *text);

/* A JSON string of a text, ill-formed octets replaced as above. NULL: no memory. The caller's. */
json_t *utf8_json(const char *text);

#endif
