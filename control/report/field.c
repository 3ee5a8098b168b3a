/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/field.h"
#include "control/base/json_stream.h"
#include "control/base/utf8.h"
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

void fields_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void fields_put_count(json_t *object, const char *key, uint64_t value)
{
    fields_put(object, key, json_integer((json_int_t)value));
}

void fields_put_seconds(json_t *object, const char *key, int64_t ns)
{
    fields_put(object, key, json_real((double)ns / MOMENT_SECOND));
}

void fields_ip(uint32_t address, char out[INET_ADDRSTRLEN])
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

bool fields_write(json_t *object, const char *path)
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

struct json_sink {
    struct field_sink sink;
    const struct field *rows;
    json_t *into; /* a list, a map, or what an object's only record is written to */
};

static void add_rows(json_t *object, const struct field *rows, const void *record);

static json_t *json_of(struct field_value value)
{
    switch (value.is) {
    case FIELD_IS_COUNT:
        return json_integer((json_int_t)value.count);
    case FIELD_IS_NUMBER:
        return json_real(value.number);
    case FIELD_IS_TEXT:
        return utf8_json(value.text);
    case FIELD_IS_BOOL:
        return json_boolean(value.flag);
    default:
        return json_null();
    }
}

static json_t *counts_of(const struct field_words *words, const uint64_t *counts)
{
    json_t *object = json_object();
    for (unsigned i = words->first; i < words->end; i++)
        fields_put_count(object, words->list[i].name, counts[i]);
    return object;
}

static void report_field_put(struct field_sink *sink, const char *key, const void *record)
{
    struct json_sink *s = (struct json_sink *)sink;
    if (!key && json_is_object(s->into)) {
        add_rows(s->into, s->rows, record);
        return;
    }
    json_t *object = field_json(s->rows, record);
    if (key)
        json_object_set_new(s->into, key, object);
    else
        json_array_append_new(s->into, object);
}

/* The value of a row that has rows below it. */
static json_t *below(const struct field *field, const void *record)
{
    struct json_sink s = {{.put = report_field_put}, field->rows, NULL};
    if (field->type == FIELD_COUNTS)
        return counts_of(field->words, record);
    s.into = field->type == FIELD_LIST ? json_array() : json_object();
    if (field->each)
        field->each(record, &s.sink);
    else
        add_rows(s.into, field->rows, record);
    return s.into;
}

static bool is_empty(const json_t *value)
{
    return json_array_size(value) == 0 && json_object_size(value) == 0;
}

static void field_add(json_t *object, const struct field *field, const void *record)
{
    if (field->type < FIELD_COUNTS) {
        fields_put(object, field->name, json_of(field_value_of(field, record)));
        return;
    }
    json_t *value = below(field, field_record(field, record));
    if (field->is_optional && is_empty(value))
        json_decref(value);
    else
        fields_put(object, field->name, value);
}

static void add_rows(json_t *object, const struct field *rows, const void *record)
{
    for (const struct field *field = rows; field->name; field++) {
        if (field->type == FIELD_PART)
            add_rows(object, field->rows, field_record(field, record));
        else
            field_add(object, field, record);
    }
}

json_t *field_json(const struct field *rows, const void *record)
{
    json_t *object = json_object();
    add_rows(object, rows, record);
    return object;
}

/* --- the same, written value by value --- */

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
