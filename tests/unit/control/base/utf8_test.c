/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in JSON: UTF-8 passes, what is not UTF-8 becomes U+FFFD, control characters are escaped; by both
 * writers. */
#include "control/base/json_stream.h"
#include "control/base/utf8.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FFFD "\xef\xbf\xbd"

/* A text, and what it is after JSON was written and read again. The ill-formed ones are those of Unicode 15,
 * tables 3-8 to 3-11, and their neighbours. */
static const struct {
    const char *in, *out;
} rows[] = {
    {"", ""},
    {"plain text, 100 %", "plain text, 100 %"},
    {"z\xc3\xbcrich.lua", "z\xc3\xbcrich.lua"},
    {"\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf", "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf"},
    {"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"},
    {"\xed\x9f\xbf \xee\x80\x80", "\xed\x9f\xbf \xee\x80\x80"},
    ROW("a\xff"
        "b",
        "a" FFFD "b"),
    {"\x80\xbf", FFFD FFFD},
    {"\xc3", FFFD},
    {"\xc3z", FFFD "z"},
    {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A"},
    {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A"},
    {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B"},
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A"},
    {"\xf4\x8f\xbf", FFFD},
    {"\xf5\x80\x80\x80", FFFD FFFD FFFD FFFD},
    {"\"quoted\" \\ /", "\"quoted\" \\ /"},
    {"\x01\t\n\x1f\x7f", "\x01\t\n\x1f\x7f"},
};

#define ROWS (COUNT(rows))

/* {"KEY": "TEXT"} as the stream writes it; the caller's. */
static char *streamed(const char *key, const char *text)
{
    char *out = NULL;
    size_t octets;
    struct json_stream s = {.file = open_memstream(&out, &octets)};
    assert_non_null(s.file);
    json_stream_object(&s, NULL);
    json_stream_text(&s, key, text);
    json_stream_end(&s);
    fclose(s.file);
    return out;
}

TEST(a_stream_of_json_holds_the_text)
{
    for (size_t i = 0; i < ROWS; i++) {
        char *out = streamed(rows[i].in, rows[i].in);
        json_t *root = json_loads(out, 0, NULL);
        assert_non_null(root);
        assert_string_equal(json_string_value(json_object_get(root, rows[i].out)), rows[i].out);
        json_decref(root);
        free(out);
    }
}

TEST(a_json_string_holds_the_text)
{
    for (size_t i = 0; i < ROWS; i++) {
        json_t *string = utf8_json(rows[i].in);
        assert_string_equal(json_string_value(string), rows[i].out);
        json_decref(string);
    }
}

TEST(a_copy_ends_at_a_character)
{
    static const struct {
        const char *text;
        size_t cap;
        const char *out;
    } copies[] = {
        {"z\xc3\xbcrich", 1, ""},
        {"z\xc3\xbcrich", 3, "z"},
        {"z\xc3\xbcrich", 4, "z\xc3\xbc"},
        {"z\xc3\xbcrich", 99, "z\xc3\xbcrich"},
        {"\xff\xff", 4, FFFD},
    };
    for (size_t i = 0; i < COUNT(copies); i++) {
        char out[99];
        assert_int_equal(utf8_copy(out, copies[i].cap, copies[i].text), strlen(copies[i].out));
        assert_string_equal(out, copies[i].out);
    }
}

TEST(octets_of_a_stream)
{
    static const struct {
        const char *text, *out;
    } written[] = {
        {"z\xc3\xbcrich", "{\n  \"k\": \"z\xc3\xbcrich\"\n}\n"},
        {"\x01\n\x7f", "{\n  \"k\": \"\\u0001\\n\\u007f\"\n}\n"},
        {"\"\\", "{\n  \"k\": \"\\\"\\\\\"\n}\n"},
    };
    for (size_t i = 0; i < COUNT(written); i++) {
        char *out = streamed("k", written[i].text);
        assert_string_equal(out, written[i].out);
        free(out);
    }
}

/* A stream in memory, and what was written there, which the caller frees. */
struct written {
    char *out;
    size_t octets;
    struct json_stream stream;
};

static void open_written(struct written *w)
{
    *w = (struct written){0};
    w->stream.file = open_memstream(&w->out, &w->octets);
}

TEST(numbers_of_a_stream)
{
    static const struct {
        double value;
        const char *out;
    } written[] = {
        {0, "0.0"},
        {-3, "-3.0"},
        {1e9, "1000000000.0"},
        {0.1, "0.1"},
        {1e-7, "1e-7"},
        {2.5e20, "2.5e20"},
        {1e100, "1e100"},
        {1.0 / 3, "0.333333333333"},
        {1e11, "100000000000.0"},
        {123456789012345.0, "1.23456789012e14"},
        {-1e-10, "-1e-10"},
    };
    for (size_t i = 0; i < COUNT(written); i++) {
        struct written w;
        open_written(&w);
        json_stream_real(&w.stream, NULL, written[i].value);
        fclose(w.stream.file);
        assert_string_equal(w.out, written[i].out);
        json_t *real = json_real(written[i].value);
        char *dumped = json_dumps(real, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        assert_string_equal(dumped, w.out);
        json_decref(real);
        free(dumped);
        free(w.out);
    }
}

TEST(counts_of_a_stream)
{
    static const struct {
        uint64_t value;
        const char *out;
    } written[] = {{0, "0"}, {9, "9"}, {10, "10"}, {UINT64_MAX, "18446744073709551615"}};
    for (size_t i = 0; i < COUNT(written); i++) {
        struct written w;
        open_written(&w);
        json_stream_count(&w.stream, NULL, written[i].value);
        fclose(w.stream.file);
        assert_string_equal(w.out, written[i].out);
        free(w.out);
    }
}

/* A name of a file has no line end of its own; that of the message stays. */
TEST(messages_show_what_is_shown)
{
    static const struct {
        const char *name, *out;
    } printed[] = {
        {"a.csv", "a.csv: 7 rows\n"},
        {"a\x1b[31m\n\x7f", "a?[31m??: 7 rows\n"},
        {"\xe2\x80\xae\xc2\x9b"
         "31m\xff",
         "??31m?: 7 rows\n"},
        {"\n", "?: 7 rows\n"},
    };
    for (size_t i = 0; i < COUNT(printed); i++) {
        char *text = NULL;
        size_t octets;
        FILE *out = open_memstream(&text, &octets);
        utf8_printf(out, "%s: %d rows\n", printed[i].name, 7);
        fclose(out);
        assert_string_equal(text, printed[i].out);
        free(text);
    }
}

UNIT_MAIN(NULL, NULL)
