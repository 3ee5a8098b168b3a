/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/field_json.h"

#include "control/base/utf8.h"
#include "control/report/fields.h"

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

static void put(struct field_sink *sink, const char *key, const void *record)
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
    struct json_sink s = {{.put = put}, field->rows, NULL};
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

static void add(json_t *object, const struct field *field, const void *record)
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
            add(object, field, record);
    }
}

json_t *field_json(const struct field *rows, const void *record)
{
    json_t *object = json_object();
    add_rows(object, rows, record);
    return object;
}

bool field_json_write(const struct field *rows, const void *record, const char *path)
{
    return fields_write(field_json(rows, record), path);
}
