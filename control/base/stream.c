/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/stream.h"

#include "control/base/command.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* UTF-8 (RFC 3629) of texts from outside the program: names of files, configurations, peers. JSON must be
 * UTF-8. */

struct utf8_char {
    const char *bytes; /* to write: of the text, or U+FFFD */
    unsigned octets;   /* of those, 1 to 4 */
    unsigned taken;    /* octets of the text that they stand for */
};

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

/*
 * The character that a text begins with. Ill-formed octets (overlong forms, surrogates, more than U+10FFFF, a
 * sequence that is cut) become U+FFFD, one for each longest beginning of a sequence (Unicode 15,
 * section 3.9). The text is not empty and ends with NUL.
 */
static struct utf8_char utf8_next(const char *text)
{
    unsigned good, octets = length_of((const unsigned char *)text, &good);
    if (good == octets)
        return (struct utf8_char){text, octets, octets};
    return (struct utf8_char){REPLACEMENT, REPLACEMENT_OCTETS, good};
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
    json_stream_text(s, "version", version_text());
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

#define MOST_OCTETS ((off_t)1 << 30)

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

bool csv_open(struct csv *csv, const char *path, const char **error)
{
    struct stat status;
    csv->file = NULL;
    csv->line_number = 0;
    csv->fault = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_there = fd >= 0 && fstat(fd, &status) == 0;
    *error = !is_there                      ? strerror(errno)
             : !S_ISREG(status.st_mode)     ? "is not a regular file"
             : status.st_size > MOST_OCTETS ? "is larger than 1 GiB"
                                            : NULL;
    if (!*error)
        csv->file = fdopen(fd, "rb");
    if (csv->file)
        setvbuf(csv->file, csv->buffer, _IOFBF, sizeof(csv->buffer));
    else if (fd >= 0)
        close(fd);
    return csv->file != NULL;
}

void csv_close(struct csv *csv)
{
    if (csv->file)
        fclose(csv->file);
    explicit_bzero(csv, sizeof(*csv));
}

static void stream_fail(struct csv *csv, const char *at, const char *fault)
{
    csv->fault = fault;
    csv->fault_column = (uint32_t)(at - csv->line) + 1;
}

/* Removes the quotes of a field; returns the end of the field in the line, NULL if it has none. */
static char *unquote(char *text)
{
    char *out = text;
    for (char *at = text + 1; *at; at++) {
        if (*at == '"' && at[1] != '"') {
            *out = '\0';
            return at + 1;
        }
        at += *at == '"';
        *out++ = *at;
    }
    return NULL;
}

/* Takes the field at `text`; returns the one behind it, NULL at the end of the line. */
static char *take_field(struct csv *csv, char *text)
{
    char *end = text + strcspn(text, ",");
    csv->fields[csv->count++] = (struct csv_field){text, (uint32_t)(text - csv->line) + 1};
    if (*text == '"')
        end = unquote(text);
    if (!end || (*end && *end != ','))
        stream_fail(csv, end ? end : text,
                    end ? "a comma is missing after the quotes" : "the quotes do not end");
    if (!end || *end != ',')
        return NULL;
    *end = '\0';
    return end + 1;
}

static void split(struct csv *csv)
{
    char *next = csv->line;
    if (csv->line_number == 1 && strncmp(next, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        next += strlen(BYTE_ORDER_MARK);
    csv->count = 0;
    while (next && csv->count < CSV_FIELDS)
        next = take_field(csv, next);
    if (next)
        stream_fail(csv, next, "too many fields");
}

/* Reads a line with its end. Returns its octets, 0: the file has ended. Octets of the line can be 0, so that
 * only the last one is the end that fgets() puts. */
static size_t get_line(struct csv *csv)
{
    memset(csv->line, 0xff, sizeof(csv->line));
    if (!fgets(csv->line, sizeof(csv->line), csv->file))
        return 0;
    csv->line_number++;
    return (size_t)((char *)memrchr(csv->line, '\0', sizeof(csv->line)) - csv->line);
}

/* Reads a line without its end. False: there is none, or it is not a line of text. */
static bool read_line(struct csv *csv)
{
    size_t octets = get_line(csv);
    bool has_end = octets > 0 && csv->line[octets - 1] == '\n';
    if (octets == 0 && ferror(csv->file))
        stream_fail(csv, csv->line, "cannot be read");
    else if (octets > 0 && strlen(csv->line) != octets)
        stream_fail(csv, csv->line + strlen(csv->line), "an octet 0; the file is not a text");
    else if (octets > 0 && !has_end && !feof(csv->file))
        stream_fail(csv, csv->line, "the line is too long: at most 4094 octets");
    if (octets == 0 || csv->fault)
        return false;
    octets -= has_end;
    octets -= octets > 0 && csv->line[octets - 1] == '\r';
    csv->line[octets] = '\0';
    return true;
}

bool csv_next(struct csv *csv)
{
    do {
        csv->fault = NULL;
        if (!read_line(csv))
            return false;
    } while (csv->line[0] == '\0' || csv->line[0] == '#');
    split(csv);
    return true;
}
