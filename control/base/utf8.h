/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 (RFC 3629) of texts from outside the program: names of files, configurations, peers. JSON must be
 * UTF-8. */
#ifndef CONTROL_BASE_UTF8_H
#define CONTROL_BASE_UTF8_H

#include <jansson.h>
#include <stddef.h>

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

/* Copies as many whole characters as there is room for, ill-formed octets replaced as above, and ends them
 * with NUL. Returns their octets. cap is at least 1. */
size_t utf8_copy(char *out, size_t cap, const char *text);

/* A JSON string of a text, ill-formed octets replaced as above. NULL: no memory. The caller's. */
json_t *utf8_json(const char *text);

#endif
