/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of objects of the running process, of its tables. */
#include "app/console/console.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MOST 500

/* Where the values of a placeholder or an option stand. */
static const struct {
    const char *noun, *table, *column;
} sources[] = {
    {"IMSI", "subscribers", "imsi"},   {"IMSI|TLLI|P-TMSI|ADDRESS", "subscribers", "imsi"},
    {"--imsi", "subscribers", "imsi"}, {"NSVCI", "nse", "nsvci"},
    {"BVCI", "bvc", "bvci"},           {"--bvci", "bvc", "bvci"},
    {"--nsei", "nse", "nsei"},         {"--tlli", "ms", "tlli"},
};

/* Whether a list of lines has this one. */
static bool has_line(const char *lines, const char *line, size_t chars)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == chars && strncmp(at, line, chars) == 0)
            return true;
    return false;
}

/* Those lines of a table's column, in their place, that begin so, each once. False: there may be more. */
static bool keep_lines(char *text, const char *begin)
{
    char *out = text, *at = text + strcspn(text, "\n"); /* the first one is the column's name */
    size_t chars = strlen(begin);
    unsigned kept = 0;
    for (at += *at == '\n', *out = '\0'; strchr(at, '\n') && kept < VALUES_MOST;) {
        at += strspn(at, " ");
        size_t line = strcspn(at, " \n");
        char *next = at + strcspn(at, "\n");
        next += *next == '\n';
        bool is_kept = line >= chars && line > 0 && strncmp(at, begin, chars) == 0 && at[0] != '-' &&
                       !has_line(text, at, line);
        kept += is_kept;
        if (is_kept) {
            memmove(out, at, line);
            out += line;
            *out++ = '\n';
            *out = '\0';
        }
        at = next;
    }
    return *at == '\0';
}

/* The names in the first line of a table that begin so. */
static char *columns_of(const char *table, const char *begin)
{
    char show[] = "show", *const words[] = {show, (char *)table};
    char *text = console_said(words, 2), *out = text;
    bool is_last = !text;
    for (char *at = text; !is_last;) {
        at += strspn(at, " ");
        size_t chars = strcspn(at, " \n");
        is_last = at[chars] != ' ';
        if (chars > 0 && at[chars] && strncmp(at, begin, strlen(begin)) == 0) {
            memmove(out, at, chars);
            out += chars;
            *out++ = '\n';
        }
        at += chars + 1;
    }
    if (text)
        *out = '\0';
    return text;
}

char *console_values(const char *placeholder, const char *table, const char *begin, bool *is_all)
{
    if (table && strcmp(placeholder, "--columns") == 0)
        return columns_of(table, begin);
    for (unsigned i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (strcmp(sources[i].noun, placeholder) != 0)
            continue;
        char show[] = "show", columns[] = "--columns";
        char *const words[] = {show, (char *)sources[i].table, columns, (char *)sources[i].column};
        char *text = console_said(words, 4);
        *is_all = text && keep_lines(text, begin);
        return text;
    }
    return NULL;
}
