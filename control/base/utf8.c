/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT        "\xef\xbf\xbd" /* U+FFFD */
#define REPLACEMENT_OCTETS 3

/* Well-formed sequences by their first octet (Unicode 15, table 3-7): length and range of the second octet;
 * all further ones are 80 to BF. */
static const struct {
    unsigned char first, last, octets, low, high;
} sequences[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* Octets of the sequence, of which the first *good (at least 1) are well-formed. 0: no sequence begins with
 * this octet. */
static unsigned length_of(const unsigned char *text, unsigned *good)
{
    *good = 1;
    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
        if (text[0] < sequences[i].first || text[0] > sequences[i].last)
            continue;
        unsigned char low = sequences[i].low, high = sequences[i].high;
        while (*good < sequences[i].octets && text[*good] >= low && text[*good] <= high) {
            low = 0x80, high = 0xbf;
            ++*good;
        }
        return sequences[i].octets;
    }
    return 0;
}

struct utf8_char utf8_next(const char *text)
{
    unsigned good, octets = length_of((const unsigned char *)text, &good);
    if (good == octets)
        return (struct utf8_char){text, octets, octets};
    return (struct utf8_char){REPLACEMENT, REPLACEMENT_OCTETS, good};
}

static uint32_t code_of(const char *text, unsigned octets)
{
    uint32_t code = octets == 1 ? (unsigned char)*text : (unsigned char)*text & (0xffU >> (octets + 1));
    for (unsigned i = 1; i < octets; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

const char *utf8_behind_mark(const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(text, mark, sizeof(mark) - 1) == 0 ? text + sizeof(mark) - 1 : text;
}

unsigned utf8_unshown(const char *text)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f},  {0x2028, 0x202e},
                  {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    struct utf8_char c = utf8_next(text);
    if (c.bytes != text)
        return c.taken;
    uint32_t code = code_of(text, c.octets);
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return c.octets;
    return 0;
}

void utf8_print(FILE *out, const char *text, size_t octets)
{
    for (const char *at = text; at < text + octets;) {
        unsigned unshown = utf8_unshown(at), taken = utf8_next(at).taken;
        fwrite(unshown ? "?" : at, 1, unshown ? 1 : taken, out);
        at += taken;
    }
}

void utf8_printf(FILE *out, const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    int octets = vasprintf(&text, format, values);
    va_end(values);
    if (octets < 0)
        return;
    bool has_end = octets > 0 && text[octets - 1] == '\n';
    utf8_print(out, text, (size_t)octets - has_end);
    fputs(has_end ? "\n" : "", out);
    free(text);
}

size_t utf8_copy(char *out, size_t cap, const char *text)
{
    size_t octets = 0;
    while (*text) {
        struct utf8_char c = utf8_next(text);
        if (octets + c.octets >= cap)
            break;
        memcpy(out + octets, c.bytes, c.octets);
        octets += c.octets;
        text += c.taken;
    }
    out[octets] = '\0';
    return octets;
}

json_t *utf8_json(const char *text)
{
    size_t cap = strlen(text) * REPLACEMENT_OCTETS + 1;
    char *clean = malloc(cap);
    json_t *string = clean ? json_stringn(clean, utf8_copy(clean, cap, text)) : NULL;
    free(clean);
    return string;
}
