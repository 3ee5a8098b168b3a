/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/field.h"
#include "control/base/json_stream.h"
#include "control/base/whole_file.h"

#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct field_value count_of(uint64_t count)
{
    return (struct field_value){.is = count == FIELD_NONE ? FIELD_IS_NULL : FIELD_IS_COUNT, .count = count};
}

static struct field_value field_number_of(double number)
{
    return (struct field_value){.is = isfinite(number) ? FIELD_IS_NUMBER : FIELD_IS_NULL, .number = number};
}

static struct field_value field_text_of(const char *text)
{
    return (struct field_value){.is = text ? FIELD_IS_TEXT : FIELD_IS_NULL, .text = text};
}

static struct field_value seconds_of(int64_t ns)
{
    return field_number_of(ns == MOMENT_NEVER ? NAN : (double)ns / MOMENT_SECOND);
}

struct field_value field_value_of(const struct field *field, const void *record)
{
    const void *at = field_record(field, record);
    switch (field->type) {
    case FIELD_U8:
        return count_of(*(const uint8_t *)at);
    case FIELD_U16:
        return count_of(*(const uint16_t *)at);
    case FIELD_U32:
        return count_of(*(const uint32_t *)at);
    case FIELD_U64:
        return count_of(*(const uint64_t *)at);
    case FIELD_NS:
        return seconds_of(*(const int64_t *)at);
    case FIELD_REAL:
        return field_number_of(*(const double *)at);
    case FIELD_BOOL:
        return (struct field_value){.is = FIELD_IS_BOOL, .flag = *(const bool *)at};
    case FIELD_TEXT:
        return field_text_of(*(const char *const *)at);
    case FIELD_CHARS:
        return field_text_of(at);
    default:
        assert(!"a row that holds others has no value");
        return (struct field_value){.is = FIELD_IS_NULL};
    }
}

bool field_is_number(const struct field *field)
{
    return field->type <= FIELD_REAL;
}

void field_json_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void field_json_put_count(json_t *object, const char *key, uint64_t value)
{
    field_json_put(object, key, json_integer((json_int_t)value));
}

void field_json_put_seconds(json_t *object, const char *key, int64_t ns)
{
    field_json_put(object, key, json_real((double)ns / MOMENT_SECOND));
}

void field_ip(uint32_t address, char out[INET_ADDRSTRLEN])
{
    struct in_addr in = {.s_addr = htonl(address)};
    inet_ntop(AF_INET, &in, out, INET_ADDRSTRLEN);
}

/* Closes the file, NULL: none, and says which error it had. */
static bool field_complain(const char *path, int error, FILE *file)
{
    int late = file ? whole_file_close(file, path) : 0;
    error = error ? error : late;
    if (error)
        fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(error));
    return error == 0;
}

bool field_json_dump(json_t *object, const char *path)
{
    errno = 0;
    FILE *file = whole_file_open(path);
    bool is_dumped = file && json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                     fputc('\n', file) != EOF;
    bool is_good = field_complain(path, is_dumped ? 0 : errno ? errno : EIO, file);
    json_decref(object);
    return is_good;
}

#define PATH_CHARS 160

struct walk {
    void (*each)(void *arg, const struct field_list_row *row);
    void *arg;
};

static void list(const struct walk *walk, const char *above, const char *when, const struct field *rows);

/* The path of a row: its name, and the label of a map or of counters by name. */
static void put_path(char out[PATH_CHARS], const char *above, const struct field *field)
{
    const char *dot = *above ? "." : "";
    switch (field->type) {
    case FIELD_LIST:
        snprintf(out, PATH_CHARS, "%s%s%s[]", above, dot, field->name);
        break;
    case FIELD_MAP:
        snprintf(out, PATH_CHARS, "%s%s%s.%s", above, dot, field->name, field->label);
        break;
    case FIELD_COUNTS:
        snprintf(out, PATH_CHARS, "%s%s%s.%s", above, dot, field->name, field->words->label);
        break;
    default:
        snprintf(out, PATH_CHARS, "%s%s%s", above, dot, field->name);
    }
}

static void list_one(const struct walk *walk, const char *above, const char *when, const struct field *field)
{
    char path[PATH_CHARS];
    struct field_list_row row = {path, field, field->when ? field->when : when};
    put_path(path, above, field);
    walk->each(walk->arg, &row);
    if (field->rows)
        list(walk, path, row.when, field->rows);
}

static void list(const struct walk *walk, const char *above, const char *when, const struct field *rows)
{
    for (const struct field *field = rows; field->name; field++) {
        if (field->type == FIELD_PART)
            list(walk, above, when, field->rows);
        else
            list_one(walk, above, when, field);
    }
}

void field_list(const struct field *rows, void (*each)(void *arg, const struct field_list_row *row),
                void *arg)
{
    const struct walk walk = {each, arg};
    list(&walk, "", NULL, rows);
}

/* --- JSON, written value by value --- */

struct stream_sink {
    struct field_sink sink;
    const struct field *field;
    struct json_stream *out;
    bool has_begun; /* the list, map or object */
};

static void stream_rows(struct json_stream *out, const struct field *rows, const void *record);

static void stream_value(struct json_stream *out, const char *key, struct field_value value)
{
    switch (value.is) {
    case FIELD_IS_COUNT:
        json_stream_count(out, key, value.count);
        break;
    case FIELD_IS_NUMBER:
        json_stream_real(out, key, value.number);
        break;
    case FIELD_IS_TEXT:
        json_stream_text(out, key, value.text);
        break;
    case FIELD_IS_BOOL:
        json_stream_bool(out, key, value.flag);
        break;
    default:
        json_stream_null(out, key);
    }
}

static void stream_begin(struct stream_sink *s)
{
    if (!s->has_begun && s->field->type == FIELD_LIST)
        json_stream_array(s->out, s->field->name);
    else if (!s->has_begun)
        json_stream_object(s->out, s->field->name);
    s->has_begun = true;
}

static void stream_put(struct field_sink *sink, const char *key, const void *record)
{
    struct stream_sink *s = (struct stream_sink *)sink;
    bool is_own = key || s->field->type == FIELD_LIST;
    stream_begin(s);
    if (is_own)
        json_stream_object(s->out, key);
    stream_rows(s->out, s->field->rows, record);
    if (is_own)
        json_stream_end(s->out);
}

static void stream_counts(struct json_stream *out, const struct field_words *words, const uint64_t *counts)
{
    for (unsigned i = words->first; i < words->end; i++)
        json_stream_count(out, words->list[i].name, counts[i]);
}

/* A row that has rows below it. */
static void stream_below(struct json_stream *out, const struct field *field, const void *record)
{
    struct stream_sink s = {{.put = stream_put}, field, out, false};
    if (field->each) {
        field->each(record, &s.sink);
        if (!s.has_begun && field->is_optional)
            return;
    }
    stream_begin(&s);
    if (field->type == FIELD_COUNTS)
        stream_counts(out, field->words, record);
    else if (!field->each)
        stream_rows(out, field->rows, record);
    json_stream_end(out);
}

static void stream_rows(struct json_stream *out, const struct field *rows, const void *record)
{
    for (const struct field *field = rows; field->name; field++) {
        const void *below = field_record(field, record);
        if (field->type == FIELD_PART)
            stream_rows(out, field->rows, below);
        else if (field->type >= FIELD_COUNTS)
            stream_below(out, field, below);
        else
            stream_value(out, field->name, field_value_of(field, record));
    }
}

bool field_json_write(const struct field *rows, const void *record, const char *path)
{
    errno = 0;
    FILE *file = whole_file_open(path);
    if (file) {
        struct json_stream out = {.file = file};
        json_stream_object(&out, NULL);
        stream_rows(&out, rows, record);
        json_stream_end(&out);
    }
    bool is_written = file && !ferror(file);
    return field_complain(path, is_written ? 0 : errno ? errno : EIO, file);
}
