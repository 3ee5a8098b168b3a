/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as JSON and as lists of paths, by descriptors of every type. */
#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct inner {
    uint64_t count;
};

struct outer {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int64_t time_ns;
    double real;
    bool flag;
    const char *text;
    char chars[8];
    uint64_t counts[4];
    struct inner inner;
    unsigned records; /* that each() puts */
};

static const struct field inner_rows[] = {
    FIELD(struct inner, COUNTER, "count", "frames", count, "Frames."),
    FIELD_END,
};

static void each(const void *record, struct field_sink *sink)
{
    const struct outer *outer = record;
    for (unsigned i = 0; i < outer->records; i++) {
        struct inner inner = {i};
        if (field_wants(sink))
            field_put(sink, NULL, &inner);
    }
}

static void each_key(const void *record, struct field_sink *sink)
{
    const struct outer *outer = record;
    for (unsigned i = 0; i < outer->records; i++) {
        char key[2] = {(char)('a' + i)};
        struct inner inner = {i};
        field_put(sink, key, &inner);
    }
}

static const struct field_word words[] = {{"zero", "0."}, {"one", "1."}, {"two", "2."}, {"three", "3."}};
static const struct field_words middle = {"REASON", 1, 3, words};

#define VALUE(name, member) FIELD(struct outer, GAUGE, name, "frames", member, "A value.")

static const struct field values[] = {
    VALUE("u8", u8),          VALUE("u16", u16),   VALUE("u32", u32),   VALUE("u64", u64),
    VALUE("time_s", time_ns), VALUE("real", real), VALUE("flag", flag), VALUE("text", text),
    VALUE("chars", chars),    FIELD_END,
};

static const struct field counts[] = {
    FIELD_COUNTERS(struct outer, "drops", "frames", counts, middle, "Drops."),
    FIELD_END,
};

static const struct field below[] = {
    FIELD_INSIDE(OBJECT, "object", offsetof(struct outer, inner), inner_rows, "An object."),
    FIELD_ROWS(offsetof(struct outer, inner), inner_rows),
    FIELD_INSIDE(LIST, "list", 0, inner_rows, "A list.", .each = each),
    FIELD_INSIDE(MAP, "map", 0, inner_rows, "A map.", .each = each_key, .label = "KEY"),
    FIELD_INSIDE(OBJECT, "once", 0, inner_rows, "At most one.", .each = each, .is_optional = true,
                 .when = "at times"),
    FIELD_END,
};

static const struct field lists[] = {
    FIELD_INSIDE(LIST, "list", 0, inner_rows, "A list.", .each = each),
    FIELD_INSIDE(MAP, "map", 0, inner_rows, "A map.", .each = each_key, .label = "KEY"),
    FIELD_END,
};

/* --- JSON --- */

/* The file has the octets of that JSON, indented; `json` has it in one line, its members in order. */
static void assert_written(const struct field *fields, const struct outer *record, const char *json)
{
    char path[] = "/tmp/gbflow_field_XXXXXX", text[4096];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(field_json_write(fields, record, path));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t octets = fread(text, 1, sizeof(text) - 1, file);
    text[octets] = '\0';
    json_t *wanted = json_loads(json, 0, NULL);
    char *dumped = json_dumps(wanted, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    assert_int_equal(octets, strlen(dumped) + 1);
    assert_memory_equal(text, dumped, octets - 1);
    assert_int_equal(text[octets - 1], '\n');
    json_t *written = json_loads(text, 0, NULL);
    char *line = json_dumps(written, 0);
    assert_string_equal(line, json);
    free(line);
    free(dumped);
    json_decref(written);
    json_decref(wanted);
    fclose(file);
    close(fd);
    unlink(path);
}

TEST(records_are_json)
{
    static const struct {
        const struct field *fields;
        struct outer record;
        const char *json;
    } rows[] = {
        ROW(values,
            ROW(.u8 = 255, .u16 = 65535, .u32 = UINT32_MAX, .u64 = 1, .time_ns = 1500000000, .real = 0.25,
                .flag = true, .text = "z\xc3\xbc", .chars = "abc"),
            "{\"u8\": 255, \"u16\": 65535, \"u32\": 4294967295, \"u64\": 1, \"time_s\": 1.5, \"real\": 0.25, "
            "\"flag\": true, "
            "\"text\": \"z\xc3\xbc\", \"chars\": \"abc\"}"),
        ROW(values, {.u64 = FIELD_NONE, .time_ns = MOMENT_NEVER, .real = NAN},
            "{\"u8\": 0, \"u16\": 0, \"u32\": 0, \"u64\": null, \"time_s\": null, \"real\": null, \"flag\": "
            "false, "
            "\"text\": null, \"chars\": \"\"}"),
        {values,
         {.time_ns = -1000000000, .real = INFINITY, .text = "\xff", .chars = "\xc3"},
         "{\"u8\": 0, \"u16\": 0, \"u32\": 0, \"u64\": 0, \"time_s\": -1.0, \"real\": null, \"flag\": false, "
         "\"text\": \"\xef\xbf\xbd\", \"chars\": \"\xef\xbf\xbd\"}"},
        {counts, {.counts = {1, 2, 3, 4}}, "{\"drops\": {\"one\": 2, \"two\": 3}}"},
        {below,
         {.inner = {7}, .records = 0},
         "{\"object\": {\"count\": 7}, \"count\": 7, \"list\": [], \"map\": {}}"},
        {below,
         {.inner = {7}, .records = 1},
         "{\"object\": {\"count\": 7}, \"count\": 7, \"list\": [{\"count\": 0}], \"map\": {\"a\": "
         "{\"count\": 0}}, \"once\": {\"count\": 0}}"},
        ROW(lists, {.records = 2},
            "{\"list\": [{\"count\": 0}, {\"count\": 1}], \"map\": {\"a\": {\"count\": 0}, \"b\": "
            "{\"count\": 1}}}"),
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_written(rows[i].fields, &rows[i].record, rows[i].json);
}

/* --- lists --- */

struct found {
    char text[1024];
};

static void note(void *arg, const struct field_list_row *row)
{
    struct found *found = arg;
    strcat(found->text, row->path);
    strcat(found->text, row->when ? "?" : "");
    strcat(found->text, " ");
}

TEST(fields_are_listed_by_path)
{
    static const struct {
        const struct field *fields;
        const char *paths;
    } rows[] = {
        {values, "u8 u16 u32 u64 time_s real flag text chars "},
        {counts, "drops.REASON "},
        {below, "object object.count count list[] list[].count map.KEY map.KEY.count once? once.count? "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct found found = {""};
        field_list(rows[i].fields, note, &found);
        assert_string_equal(found.text, rows[i].paths);
    }
}

TEST(numbers_are_told_from_texts)
{
    static const bool are_numbers[] = {true, true, true, true, true, true, false, false, false};
    for (size_t i = 0; i < COUNT(are_numbers); i++)
        assert_int_equal(field_is_number(&values[i]), are_numbers[i]);
}

/* --- quantiles --- */

TEST(quantiles_are_by_nearest_rank)
{
    struct samples samples = {0};
    struct quantiles none = quantiles_of(&samples);
    assert_int_equal(none.count, 0);
    assert_true(none.mean_ns == MOMENT_NEVER && none.min_ns == MOMENT_NEVER && none.p50_ns == MOMENT_NEVER);
    assert_true(none.p95_ns == MOMENT_NEVER && none.p99_ns == MOMENT_NEVER && none.max_ns == MOMENT_NEVER);
    for (int64_t ns = 100; ns > 0; ns--)
        samples_add(&samples, ns);
    struct quantiles found = quantiles_of(&samples);
    assert_int_equal(found.count, 100);
    assert_int_equal(found.mean_ns, 50);
    assert_int_equal(found.min_ns, 1);
    assert_int_equal(found.p50_ns, 50);
    assert_int_equal(found.p95_ns, 95);
    assert_int_equal(found.p99_ns, 99);
    assert_int_equal(found.max_ns, 100);
    samples_free(&samples);
}

UNIT_MAIN(NULL, NULL)
