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

/* --- columns --- */

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
    static char name[SHOW_NAME_CHARS];
    while (list && strcmp(list, SHOW_ALL) != 0) {
        list = show_take_name(list, name);
        if (!has_column(table->rows, name))
            return name;
    }
    return NULL;
}

/* Removes rows that begin otherwise. False, with a line on stderr: none is left. */
static bool keep_begin(const struct show_options *options, json_t *rows)
{
    for (size_t row = json_array_size(rows); row-- > SHOW_HEADER_ROWS;)
        if (strncmp(show_cell(rows, row, 0), options->begin, strlen(options->begin)) != 0)
            json_array_remove(rows, row);
    bool is_left = json_array_size(rows) > SHOW_HEADER_ROWS;
    if (!is_left)
        command_error("show", "%s: no %s begins with '%s'; gbflow show %s lists all", options->what,
                      show_cell(rows, 0, 0), options->begin, options->what);
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
    for (const struct field *field = fields; field->name && count < SHOW_COLUMNS_MAX; field++) {
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
    enum field_kind kinds[SHOW_COLUMNS_MAX];
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
    enum field_kind kinds[SHOW_COLUMNS_MAX];
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
