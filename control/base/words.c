/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 40, /* characters of a word that is compared */
    FAR = 3,      /* edits from which words are not alike */
    SHOWN = 40,   /* names in a message */
};

bool words_add(struct words *words, const char *name)
{
    if (words->count == WORDS_MOST)
        return false;
    words->list[words->count++] = name;
    return true;
}

static bool is_equal(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, replacements and swaps of neighbours between two words of less than LONGEST
 * characters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST], n = (unsigned)strlen(a), m = (unsigned)strlen(b);
    for (unsigned i = 0; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            unsigned least = above[j - 1] + !is_equal(a[i - 1], b[j - 1]);
            least = least <= above[j] ? least : above[j] + 1;
            least = least <= row[j - 1] ? least : row[j - 1] + 1;
            bool is_swap = i > 1 && j > 1 && is_equal(a[i - 1], b[j - 2]) && is_equal(a[i - 2], b[j - 1]);
            row[j] = is_swap && second[j - 2] + 1 < least ? second[j - 2] + 1 : least;
        }
    }
    return rows[n % 3][m];
}

static const char *past_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

static bool differ_by_digits(const char *a, const char *b)
{
    bool is_other = strcmp(a, b) != 0;
    for (a = past_digits(a), b = past_digits(b); *a && *a == *b;
         a = past_digits(a + 1), b = past_digits(b + 1))
        ;
    return is_other && *a == *b;
}

const char *words_nearest(const struct words *words, const char *word)
{
    const char *nearest = NULL;
    unsigned least = FAR;
    for (unsigned i = 0; i < words->count && strlen(word) < LONGEST; i++) {
        const char *name = words->list[i];
        unsigned edits = strlen(name) < LONGEST ? distance(word, name) : FAR;
        if (edits < least && edits < strlen(name)) {
            nearest = name;
            least = edits;
        }
    }
    return nearest && !differ_by_digits(word, nearest) ? nearest : NULL;
}

char *words_unknown(const struct words *words, const char *noun, const char *word)
{
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    if (!out)
        return NULL;
    fprintf(out, "'%s' is no %s", word, noun);
    for (unsigned i = 0; i < words->count && i < SHOWN; i++)
        fprintf(out, "%s%s", i ? ", " : ": one of ", words->list[i]);
    fputs(words->count > SHOWN ? ", ..." : "", out);
    const char *nearest = words_nearest(words, word);
    if (nearest)
        fprintf(out, "; did you mean '%s'?", nearest);
    fclose(out);
    return text;
}

const char *words_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
