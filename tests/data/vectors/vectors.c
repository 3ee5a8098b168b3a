/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/data/vectors/vectors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vector rows[VECTORS_MAX_ROWS];

_Noreturn static void give_up(const char *file, const char *what)
{
    fprintf(stderr, "%s/%s: %s\n", VECTORS_DIR, file, what);
    abort();
}

static size_t octets_from_hex(uint8_t *out, size_t cap, const char *hex)
{
    size_t digits = strlen(hex);
    if (digits == 0 || digits % 2 || digits / 2 > cap || strspn(hex, "0123456789abcdef") != digits)
        return 0;
    for (size_t i = 0; i < digits / 2; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        out[i] = (uint8_t)value;
    }
    return digits / 2;
}

static void parse_line(struct vector *row, const char *file, const char *line)
{
    char hex[2 * VECTORS_MAX_OCTETS + 2];
    if (sscanf(line, "%u %47s %7s %1025s", &row->number, row->name, row->column, hex) != 4)
        give_up(file, line);
    row->octets = octets_from_hex(row->bytes, sizeof row->bytes, hex);
    if (row->octets == 0)
        give_up(file, line);
}

const struct vector *vectors_load(const char *file, size_t *count)
{
    char path[4096], line[2048];
    snprintf(path, sizeof path, "%s/%s", VECTORS_DIR, file);
    FILE *f = fopen(path, "r");
    if (!f)
        give_up(file, "cannot open");
    memset(rows, 0, sizeof rows);
    *count = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || isspace((unsigned char)line[0]))
            continue;
        if (*count == VECTORS_MAX_ROWS)
            give_up(file, "too many rows");
        parse_line(&rows[(*count)++], file, line);
    }
    fclose(f);
    return rows;
}

const struct vector *vectors_get(unsigned number)
{
    static const char *const files[] = {"ns.txt", "bssgp.txt", "llc.txt", "gn.txt"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        size_t count;
        const struct vector *v = vectors_load(files[f], &count);
        for (size_t i = 0; i < count; i++)
            if (v[i].number == number)
                return &v[i];
    }
    give_up("*.txt", "no such row");
}
