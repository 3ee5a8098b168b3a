/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/json_stream.h"

#include "control/base/utf8.h"
#include "control/base/version.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void escape(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        struct utf8_char c = utf8_next(text);
        unsigned char first = (unsigned char)*c.bytes;
        if (first == '"' || first == '\\')
            fprintf(file, "\\%c", first);
        else if (first < 0x20 || first == 0x7f)
            fprintf(file, "\\u%04x", first);
        else
            fwrite(c.bytes, 1, c.octets, file);
        text += c.taken;
    }
    fputc('"', file);
}

/* Writes comma, line break and key before a value. */
static void begin(struct json_stream *s, const char *key)
{
    if (s->has_one[s->depth])
        fputc(',', s->file);
    if (s->depth)
        fprintf(s->file, "\n%*s", (int)(2 * s->depth), "");
    s->has_one[s->depth] = true;
    if (key) {
        escape(s->file, key);
        fputs(": ", s->file);
    }
}

static void enter(struct json_stream *s, const char *key, char left, char right)
{
    assert(s->depth < JSON_STREAM_DEPTH);
    begin(s, key);
    fputc(left, s->file);
    s->close[s->depth++] = right;
    s->has_one[s->depth] = false;
}

void json_stream_object(struct json_stream *s, const char *key)
{
    enter(s, key, '{', '}');
}

void json_stream_array(struct json_stream *s, const char *key)
{
    enter(s, key, '[', ']');
}

void json_stream_begin(struct json_stream *s, const char *schema)
{
    json_stream_object(s, NULL);
    json_stream_text(s, "schema", schema);
    json_stream_text(s, "version", version_text());
}

void json_stream_end(struct json_stream *s)
{
    assert(s->depth > 0);
    bool has_any = s->has_one[s->depth--];
    if (has_any)
        fprintf(s->file, "\n%*s", (int)(2 * s->depth), "");
    fputc(s->close[s->depth], s->file);
    if (s->depth == 0)
        fputc('\n', s->file);
}

void json_stream_count(struct json_stream *s, const char *key, uint64_t value)
{
    begin(s, key);
    fprintf(s->file, "%" PRIu64, value);
}

void json_stream_number(struct json_stream *s, const char *key, double value)
{
    begin(s, key);
    if (isfinite(value))
        fprintf(s->file, "%.12g", value);
    else
        fputs("null", s->file);
}

void json_stream_text(struct json_stream *s, const char *key, const char *text)
{
    begin(s, key);
    escape(s->file, text);
}

void json_stream_null(struct json_stream *s, const char *key)
{
    begin(s, key);
    fputs("null", s->file);
}

void json_stream_bool(struct json_stream *s, const char *key, bool value)
{
    begin(s, key);
    fputs(value ? "true" : "false", s->file);
}
