/* SPDX-License-Identifier: BSD-3-Clause */
/* Words: the names that a thing may have, and the one that was probably meant by another word.
 * lua/schema/scalar.lua and python/gbflow_results/words.py judge alike: tests/data/words.txt has the
 * cases. */
#ifndef CONTROL_BASE_WORDS_H
#define CONTROL_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS_MOST = 1024 };

struct words {
    const char *list[WORDS_MOST]; /* the caller's */
    unsigned count;
};

/* A name more. False: there are WORDS_MOST, none is added. */
bool words_add(struct words *words, const char *name);

/* The name with the fewest edits to the word, two at most; the first of several, capitals or not. NULL: none
 * is alike. Names that differ by digits alone, such as CS-1 and CS-2, are no slip of each other. */
const char *words_nearest(const struct words *words, const char *word);

/* "'lifo' is no order: one of mobiles, fifo, sfq; did you mean 'fifo'?", of many names the first. To be
 * freed; NULL without memory. */
char *words_unknown(const struct words *words, const char *noun, const char *word);

/* The end of a noun of so many: "" or "s". */
const char *words_plural(uint64_t count);

#endif
