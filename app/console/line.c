/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console/line.h"

#include "control/base/utf8.h"

#include <string.h>

#define NO_CHAR "\xEF\xBF\xBD" /* U+FFFD, which keys.h has for octets of no character */

struct splitter {
    struct line *line;
    const char *at;
    char *out;
    bool is_in_word;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *wrong_text(const char *text, size_t octets)
{
    if (octets > LINE_OCTETS)
        return "it has more than 4096 octets; shorten it";
    if (strlen(text) != octets)
        return "it has a NUL; delete it";
    for (const char *at = text; *at; at += utf8_next(at).taken)
        if (*at != '\t' && (utf8_unshown(at) > 0 || strncmp(at, NO_CHAR, strlen(NO_CHAR)) == 0))
            return "it has a control character, or octets that are no UTF-8; delete them";
    return NULL;
}

/* False: there is no room for a word more. */
static bool begin_word(struct splitter *s)
{
    if (s->is_in_word)
        return true;
    if (s->line->count == LINE_WORDS)
        return false;
    s->line->words[s->line->count++] = s->out;
    return s->is_in_word = true;
}

static void end_word(struct splitter *s)
{
    if (s->is_in_word)
        *s->out++ = '\0';
    s->is_in_word = false;
}

/* Between quotes; ends at the second one, or at the end of the text. */
static void take_quoted(struct splitter *s, char quote)
{
    for (s->at++; *s->at && *s->at != quote; s->at++) {
        if (quote == '"' && *s->at == '\\' && s->at[1] && strchr("\"\\$`", s->at[1]))
            s->at++;
        *s->out++ = *s->at;
    }
    if (*s->at)
        s->at++;
    else
        s->line->open = quote;
}

static void take_escaped(struct splitter *s)
{
    if (*++s->at)
        *s->out++ = *s->at++;
    else
        s->line->open = '\\';
}

static void take_part(struct splitter *s)
{
    if (*s->at == '\'' || *s->at == '"')
        take_quoted(s, *s->at);
    else if (*s->at == '\\')
        take_escaped(s);
    else
        *s->out++ = *s->at++;
}

const char *line_split(struct line *line, const char *text, size_t octets)
{
    struct splitter s = {.line = line, .at = text, .out = line->text};
    const char *wrong = wrong_text(text, octets);
    *line = (struct line){.count = 0};
    while (!wrong && *s.at && (s.is_in_word || *s.at != '#')) {
        if (is_blank(*s.at)) {
            end_word(&s);
            s.at++;
        } else if (*s.at == '|' && line->count > 0 && line->filter == 0) {
            end_word(&s);
            line->filter = line->count;
            s.at++;
        } else if (strchr(";|&<>", *s.at)) {
            wrong = "; | & < > join and redirect commands in a shell only, but for one | before grep or "
                    "less; quote "
                    "them, or call gbflow there";
        } else if (begin_word(&s)) {
            take_part(&s);
        } else {
            wrong = "it has more than 64 words; shorten it";
        }
    }
    line->is_within = s.is_in_word;
    end_word(&s);
    line->words[line->count] = NULL;
    return wrong;
}
