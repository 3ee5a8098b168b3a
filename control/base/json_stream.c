/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/json_stream.h"

#include "control/base/command.h"
#include "control/base/utf8.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_plain(unsigned char octet)
{
    return octet >= 0x20 && octet < 0x7f && octet != '"' && octet != '\\';
}

static void base_stream_put(FILE *file, const char *bytes, size_t octets)
{
    fwrite_unlocked(bytes, 1, octets, file);
}

static void escape_one(FILE *file, unsigned char octet)
{
    static const char controls[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    const char *known = octet ? strchr(controls, octet) : NULL;
    if (known)
        fprintf(file, "\\%c", letters[known - controls]);
    else
        fprintf(file, "\\u%04x", octet);
}

static void escape(FILE *file, const char *text)
{
    putc_unlocked('"', file);
    while (*text) {
        size_t plain = 0;
        while (is_plain((unsigned char)text[plain]))
            plain++;
        base_stream_put(file, text, plain);
        text += plain;
        if (!*text)
            break;
        struct utf8_char c = utf8_next(text);
        if (c.octets == 1)
            escape_one(file, (unsigned char)*c.bytes);
        else
            base_stream_put(file, c.bytes, c.octets);
        text += c.taken;
    }
    putc_unlocked('"', file);
}

static void break_line(const struct json_stream *s)
{
    static const char blanks[2 * JSON_STREAM_DEPTH + 1] = "                                ";
    putc_unlocked('\n', s->file);
    base_stream_put(s->file, blanks, 2 * (size_t)s->depth);
}

/* Writes comma, line break and key before a value. */
static void base_stream_begin(struct json_stream *s, const char *key)
{
    if (s->has_one[s->depth])
        putc_unlocked(',', s->file);
    if (s->depth)
        break_line(s);
    s->has_one[s->depth] = true;
    if (key) {
        escape(s->file, key);
        base_stream_put(s->file, ": ", 2);
    }
}

static void enter(struct json_stream *s, const char *key, char left, char right)
{
    assert(s->depth < JSON_STREAM_DEPTH);
    base_stream_begin(s, key);
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
    json_stream_text(s, "version", command_version());
}

void json_stream_end(struct json_stream *s)
{
    assert(s->depth > 0);
    bool has_any = s->has_one[s->depth--];
    if (has_any)
        break_line(s);
    fputc(s->close[s->depth], s->file);
    if (s->depth == 0)
        fputc('\n', s->file);
}

void json_stream_count(struct json_stream *s, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    base_stream_begin(s, key);
    base_stream_put(s->file, digits + at, sizeof(digits) - at);
}

void json_stream_number(struct json_stream *s, const char *key, double value)
{
    base_stream_begin(s, key);
    if (isfinite(value))
        fprintf(s->file, "%.12g", value);
    else
        fputs("null", s->file);
}

/* As jansson writes it: with a point or an exponent, and that without zeros in front: 1e-7. */
void json_stream_real(struct json_stream *s, const char *key, double value)
{
    char text[40];
    int octets = snprintf(text, sizeof(text) - 2, "%.12g", value);
    char *exponent = strchr(text, 'e');
    if (exponent) {
        char *to = exponent + 1 + (exponent[1] == '-'), *from = exponent + 2;
        while (*from == '0')
            from++;
        memmove(to, from, strlen(from) + 1);
    } else if (!strchr(text, '.')) {
        memcpy(text + octets, ".0", 3);
    }
    base_stream_begin(s, key);
    base_stream_put(s->file, text, strlen(text));
}

void json_stream_text(struct json_stream *s, const char *key, const char *text)
{
    base_stream_begin(s, key);
    escape(s->file, text);
}

void json_stream_null(struct json_stream *s, const char *key)
{
    base_stream_begin(s, key);
    fputs("null", s->file);
}

void json_stream_bool(struct json_stream *s, const char *key, bool value)
{
    base_stream_begin(s, key);
    fputs(value ? "true" : "false", s->file);
}
