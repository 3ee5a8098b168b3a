/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of what a decoder found: a verdict, then "name=value" pairs between tabs; lists have commas. */
#ifndef TESTS_ORACLES_JUDGES_SAYING_H
#define TESTS_ORACLES_JUDGES_SAYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAYING_MAX_CHARS = 32768 };

struct saying {
    size_t chars;
    bool is_list;
    char text[SAYING_MAX_CHARS];
};

/* Begins a line: "ok", or the name of an enum err. */
void saying_begin(struct saying *s, int answer);

void saying_number(struct saying *s, const char *name, uint64_t value);

void saying_octets(struct saying *s, const char *name, const uint8_t *bytes, size_t octets);

void saying_text(struct saying *s, const char *name, const char *text);

/* Opens a list, to which saying_item() and saying_octets_item() add; the next name closes it. */
void saying_list(struct saying *s, const char *name);

void saying_item(struct saying *s, uint64_t value);

void saying_octets_item(struct saying *s, const uint8_t *bytes, size_t octets);

#endif
