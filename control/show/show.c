/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/show.h"
#include "control/report/field.h"

#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS_MAX 64
#define NAME_CHARS  64

/* --- output --- */

static const char *cell(const json_t *rows, size_t row, size_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(rows, row), column));
    return text ? text : "";
}

static bool is_number(const json_t *rows, size_t column)
{
    return strcmp(cell(rows, 1, column), "n") == 0;
}

static int width_of(const json_t *rows, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < json_array_size(rows); row++) {
        size_t width = strlen(cell(rows, row, column));
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

/* --- columns --- */

/* The first name of a list, between commas; returns the list behind it, NULL: that was all. */
static const char *take_name(const char *list, char name[NAME_CHARS])
{
    size_t chars = strcspn(list, ",");
    snprintf(name, NAME_CHARS, "%.*s", (int)chars, list);
    return list[chars] ? list + chars + 1 : NULL;
}

static bool has_column(const struct field *fields, const char *name)
{
    for (const struct field *field = fields; field->name; field++)
        if (field->type == FIELD_PART ? has_column(field->rows, name) : strcmp(field->name, name) == 0)
            return true;
    return false;
}

static void add_columns(struct words *words, const struct field *fields)
{
    for (const struct field *field = fields; field->name; field++)
        if (field->type == FIELD_PART)
            add_columns(words, field->rows);
        else
            words_add(words, field->name);
}

void show_list_columns(const struct field *table, struct words *words)
{
    add_columns(words, table->rows);
}

const char *show_wrong_column(const struct field *table, const char *list)
{
    static char name[NAME_CHARS];
    while (list) {
        list = take_name(list, name);
        if (!has_column(table->rows, name))
            return name;
    }
    return NULL;
}

/* In its column: a number stands right. Texts may be a peer's. */
static void print_cell(const char *space, const char *text, int width, bool is_right)
{
    int octets = (int)strlen(text), blanks = width > octets ? width - octets : 0;
    printf("%s%*s", space, is_right ? blanks : 0, "");
    utf8_print(stdout, text, (size_t)octets);
    printf("%*s", is_right ? 0 : blanks, "");
}

/* Indices of columns, in the order of a list of names; NULL: all. Returns their number. */
static size_t order_columns(const json_t *rows, const char *list, size_t order[COLUMNS_MAX])
{
    size_t columns = json_array_size(json_array_get(rows, 0)), count = 0;
    char name[NAME_CHARS];
    for (size_t i = 0; !list && i < columns && count < COLUMNS_MAX; i++)
        order[count++] = i;
    while (list) {
        list = take_name(list, name);
        for (size_t i = 0; i < columns && count < COLUMNS_MAX; i++)
            if (strcmp(cell(rows, 0, i), name) == 0)
                order[count++] = i;
    }
    return count;
}

static void print_text(const json_t *rows, const char *list)
{
    size_t order[COLUMNS_MAX], count = order_columns(rows, list, order);
    int widths[COLUMNS_MAX];
    for (size_t i = 0; i < count; i++)
        widths[i] = width_of(rows, order[i]);
    for (size_t row = 0; row < json_array_size(rows); row++) {
        if (row == 1) /* the kinds */
            continue;
        for (size_t i = 0; i < count; i++)
            print_cell(i > 0 ? "  " : "", cell(rows, row, order[i]), widths[i], is_number(rows, order[i]));
        printf("\n");
    }
}

static json_t *value_of(const json_t *rows, size_t row, size_t column)
{
    const char *text = cell(rows, row, column);
    if (!is_number(rows, column))
        return json_string(text);
    if (strcmp(text, "-") == 0)
        return json_null();
    return strchr(text, '.') ? json_real(strtod(text, NULL))
                             : json_integer((json_int_t)strtoull(text, NULL, 10));
}

static void print_json(const json_t *rows, const char *list_of_columns)
{
    size_t order[COLUMNS_MAX], count = order_columns(rows, list_of_columns, order);
    json_t *list = json_array();
    for (size_t row = SHOW_HEADER_ROWS; row < json_array_size(rows); row++) {
        json_t *object = json_object();
        for (size_t i = 0; i < count; i++)
            json_object_set_new(object, cell(rows, 0, order[i]), value_of(rows, row, order[i]));
        json_array_append_new(list, object);
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENSURE_ASCII);
    printf("\n");
    json_decref(list);
}

static void show_print(const struct show_options *options, const json_t *rows)
{
    if (options->is_json)
        print_json(rows, options->columns);
    else
        print_text(rows, options->columns);
}

/* Removes rows that begin otherwise. False, with a line on stderr: none is left. */
static bool keep_begin(const struct show_options *options, json_t *rows)
{
    for (size_t row = json_array_size(rows); row-- > SHOW_HEADER_ROWS;)
        if (strncmp(cell(rows, row, 0), options->begin, strlen(options->begin)) != 0)
            json_array_remove(rows, row);
    bool is_left = json_array_size(rows) > SHOW_HEADER_ROWS;
    if (!is_left)
        command_error("show", "%s: no %s begins with '%s'; gbflow show %s lists all", options->what,
                      cell(rows, 0, 0), options->begin, options->what);
    return is_left;
}

bool show_table(const struct show_options *options)
{
    json_t *rows = show_rows(options->path, options->what);
    bool is_right = rows && (!options->begin || keep_begin(options, rows));
    if (is_right)
        show_print(options, rows);
    json_decref(rows);
    return is_right;
}

#define KEY_CHARS          512
#define WATCH_NUMBER_CHARS 32

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

struct table {
    json_t *rows, *by_key; /* by_key: row by its labels */
    int64_t at_ns;
};

/* The kind of each column, in order. */
static unsigned list_kinds(const struct field *fields, enum field_kind *kinds, unsigned count)
{
    for (const struct field *field = fields; field->name && count < COLUMNS_MAX; field++) {
        if (field->type == FIELD_PART)
            count = list_kinds(field->rows, kinds, count);
        else
            kinds[count++] = field->meaning->kind;
    }
    return count;
}

static const char *watch_cell(const json_t *row, size_t column)
{
    const char *text = json_string_value(json_array_get(row, column));
    return text ? text : "";
}

/* A row's labels up to its first number: states that follow numbers may change. */
static void key_of(const json_t *row, const enum field_kind *kinds, unsigned count, char out[KEY_CHARS])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count && kinds[i] == FIELD_LABEL && used < KEY_CHARS; i++)
        used += (size_t)snprintf(out + used, KEY_CHARS - used, "%s|", watch_cell(row, i));
}

static void put_rate(json_t *row, unsigned column, const json_t *before, double seconds)
{
    char text[WATCH_NUMBER_CHARS];
    uint64_t now = strtoull(watch_cell(row, column), NULL, 10),
             was = strtoull(watch_cell(before, column), NULL, 10);
    if (!before || watch_cell(row, column)[0] == '-' || now < was)
        snprintf(text, sizeof(text), "-");
    else
        snprintf(text, sizeof(text), "%.0f", (double)(now - was) / seconds);
    json_array_set_new(row, column, json_string(text));
}

/* Counters become rates; returns the rows as they were, by their keys. */
static json_t *make_rates(struct table *table, const json_t *before, double seconds,
                          const struct field *fields)
{
    enum field_kind kinds[COLUMNS_MAX];
    unsigned count = list_kinds(fields, kinds, 0);
    json_t *by_key = json_object();
    for (size_t i = SHOW_HEADER_ROWS; i < json_array_size(table->rows); i++) {
        char key[KEY_CHARS];
        json_t *row = json_array_get(table->rows, i);
        key_of(row, kinds, count, key);
        json_object_set_new(by_key, key, json_deep_copy(row));
        for (unsigned k = 0; k < count; k++)
            if (kinds[k] == FIELD_COUNTER)
                put_rate(row, k, json_object_get(before, key), seconds);
    }
    return by_key;
}

/* "sent" becomes "sent/s". */
static void rename_counters(json_t *names, const struct field *fields)
{
    enum field_kind kinds[COLUMNS_MAX];
    unsigned count = list_kinds(fields, kinds, 0);
    for (unsigned i = 0; i < count; i++) {
        char name[KEY_CHARS];
        if (kinds[i] != FIELD_COUNTER)
            continue;
        snprintf(name, sizeof(name), "%s/s", watch_cell(names, i));
        json_array_set_new(names, i, json_string(name));
    }
}

static void wait_until(int64_t end_ns)
{
    int64_t left_ns = end_ns - clock_now_ns();
    struct timespec wait = {.tv_sec = left_ns / MOMENT_SECOND, .tv_nsec = left_ns % MOMENT_SECOND};
    if (left_ns > 0)
        nanosleep(&wait, NULL);
}

static void print(const struct show_options *options, const struct table *table, bool is_first)
{
    if (isatty(STDOUT_FILENO) && !options->is_json)
        printf("\033[H\033[2J");
    else if (!is_first)
        printf("\n");
    show_print(options, table->rows);
    fflush(stdout);
}

bool show_watch(const struct show_options *options)
{
    const struct field *fields = options->table->rows;
    struct table table = {0};
    json_t *before = NULL;
    bool is_first = true, is_answered = true;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    while (!is_over && !ferror(stdout)) {
        int64_t was_ns = table.at_ns;
        table = (struct table){.rows = show_rows(options->path, options->what), .at_ns = clock_now_ns()};
        is_answered = table.rows != NULL;
        if (!is_answered)
            break;
        table.by_key = make_rates(&table, before, (double)(table.at_ns - was_ns) / MOMENT_SECOND, fields);
        if (!options->is_json && !options->columns)
            rename_counters(json_array_get(table.rows, 0), fields);
        print(options, &table, is_first);
        json_decref(table.rows);
        json_decref(before);
        before = table.by_key;
        is_first = false;
        wait_until(table.at_ns + (int64_t)(options->watch_s * MOMENT_SECOND));
    }
    json_decref(before);
    return is_answered || is_over;
}
