/* SPDX-License-Identifier: BSD-3-Clause */
/* How rows of show_rows() are printed (show.h): as a table, as what fits a terminal, or as JSON. */
#include "control/show/show.h"

#include "control/base/utf8.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *show_cell(const json_t *rows, size_t row, size_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(rows, row), column));
    return text ? text : "";
}

static bool is_number(const json_t *rows, size_t column)
{
    return strcmp(show_cell(rows, 1, column), "n") == 0;
}

static int width_of(const json_t *rows, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < json_array_size(rows); row++) {
        size_t width = strlen(show_cell(rows, row, column));
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

const char *show_take_name(const char *list, char name[SHOW_NAME_CHARS])
{
    size_t chars = strcspn(list, ",");
    snprintf(name, SHOW_NAME_CHARS, "%.*s", (int)chars, list);
    return list[chars] ? list + chars + 1 : NULL;
}

/* In its column: a number stands right. Texts may be a peer's. */
static void print_cell(const char *space, const char *text, int width, bool is_right)
{
    int octets = (int)strlen(text), blanks = width > octets ? width - octets : 0;
    printf("%s%*s", space, is_right ? blanks : 0, "");
    utf8_print(stdout, text, (size_t)octets);
    printf("%*s", is_right ? 0 : blanks, "");
}

/* Indices of columns, in the order of a list of names; NULL or
 * SHOW_ALL: all. Returns their number. */
static size_t order_columns(const json_t *rows, const char *list, size_t order[SHOW_COLUMNS_MAX])
{
    size_t columns = json_array_size(json_array_get(rows, 0)), count = 0;
    char name[SHOW_NAME_CHARS];
    list = list && strcmp(list, SHOW_ALL) == 0 ? NULL : list;
    for (size_t i = 0; !list && i < columns && count < SHOW_COLUMNS_MAX; i++)
        order[count++] = i;
    while (list) {
        list = show_take_name(list, name);
        for (size_t i = 0; i < columns && count < SHOW_COLUMNS_MAX; i++)
            if (strcmp(show_cell(rows, 0, i), name) == 0)
                order[count++] = i;
    }
    return count;
}

static void print_row(const json_t *rows, size_t row, const size_t *order, const int *widths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_cell(i > 0 ? "  " : "", show_cell(rows, row, order[i]), widths[i], is_number(rows, order[i]));
    printf("\n");
}

static void print_columns(const json_t *rows, const size_t *order, size_t count)
{
    int widths[SHOW_COLUMNS_MAX];
    for (size_t i = 0; i < count; i++)
        widths[i] = width_of(rows, order[i]);
    for (size_t row = 0; row < json_array_size(rows); row++)
        if (row != 1) /* the kinds */
            print_row(rows, row, order, widths, count);
}

static void print_text(const json_t *rows, const char *list)
{
    size_t order[SHOW_COLUMNS_MAX], count = order_columns(rows, list, order);
    print_columns(rows, order, count);
}

/* --- a terminal --- */

/* Columns that matter most, by table, the first ones first; the others follow in the table's order. */
static const struct {
    const char *table, *columns;
} important[] = {
    {"ms",
     "imsi,tlli,bvci,state,waits_for,queued_npdus,sent,dropped,out_bps,sojourn_p95_us,moves,contexts,nsei"},
    {"bvc", "nsei,bvci,cell_id,state,usable,queued_npdus,rate_bps,out_bps,sojourn_p95_us,dropped_per_s"},
    {"link", "nsei,worker,queued_npdus,out_bps,leak_bps,sojourn_p95_us,dropped_per_s"},
    {"node", "version,program,uptime_s,mobiles,contexts,npdu_in,npdu_out,npdu_dropped,uplink_npdus"},
};

/* 0: standard output is no terminal, or one without a width. */
static unsigned terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct fit {
    const json_t *rows;
    bool is_taken[SHOW_COLUMNS_MAX];
    size_t columns, count; /* of the table, taken */
    unsigned left;         /* of the terminal's width */
};

/* Takes a column if there is room for it. */
static void take_column(struct fit *fit, size_t column)
{
    unsigned width = (unsigned)width_of(fit->rows, column) + (fit->count > 0 ? 2 : 0);
    if (fit->is_taken[column] || width > fit->left)
        return;
    fit->is_taken[column] = true;
    fit->left -= width;
    fit->count++;
}

static void take_important(struct fit *fit, const char *list)
{
    size_t order[SHOW_COLUMNS_MAX], count = order_columns(fit->rows, list, order);
    for (size_t i = 0; i < count; i++)
        take_column(fit, order[i]);
}

/* One row, a line for each value. */
static void print_lines(const json_t *rows, size_t columns)
{
    int widest = 0;
    for (size_t i = 0; i < columns; i++) {
        int width = (int)strlen(show_cell(rows, 0, i));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < columns; i++) {
        const char *text = show_cell(rows, SHOW_HEADER_ROWS, i);
        printf("%s:%*s", show_cell(rows, 0, i), widest + 1 - (int)strlen(show_cell(rows, 0, i)), "");
        utf8_print(stdout, text, strlen(text));
        printf("\n");
    }
}

/* The columns that fit, in the table's order. The last line counts the others. */
static void print_fitting(const char *what, const json_t *rows, unsigned width)
{
    struct fit fit = {.rows = rows, .left = width, .columns = json_array_size(json_array_get(rows, 0))};
    size_t order[SHOW_COLUMNS_MAX] = {0}, count = 0;
    fit.columns = fit.columns < SHOW_COLUMNS_MAX ? fit.columns : SHOW_COLUMNS_MAX;
    for (size_t i = 0; i < sizeof(important) / sizeof(important[0]); i++)
        if (strcmp(important[i].table, what) == 0)
            take_important(&fit, important[i].columns);
    take_important(&fit, NULL);
    if (fit.count < fit.columns && json_array_size(rows) == SHOW_HEADER_ROWS + 1) {
        print_lines(rows, fit.columns);
        return;
    }
    for (size_t i = 0; i < fit.columns; i++)
        if (fit.is_taken[i])
            order[count++] = i;
    print_columns(rows, order, count);
    if (count < fit.columns)
        printf("(%zu of %zu columns; --columns all has the others)\n", count, fit.columns);
}

static json_t *value_of(const json_t *rows, size_t row, size_t column)
{
    const char *text = show_cell(rows, row, column);
    if (!is_number(rows, column))
        return json_string(text);
    if (strcmp(text, "-") == 0)
        return json_null();
    return strchr(text, '.') ? json_real(strtod(text, NULL))
                             : json_integer((json_int_t)strtoull(text, NULL, 10));
}

static void print_json(const json_t *rows, const char *list_of_columns)
{
    size_t order[SHOW_COLUMNS_MAX], count = order_columns(rows, list_of_columns, order);
    json_t *list = json_array();
    for (size_t row = SHOW_HEADER_ROWS; row < json_array_size(rows); row++) {
        json_t *object = json_object();
        for (size_t i = 0; i < count; i++)
            json_object_set_new(object, show_cell(rows, 0, order[i]), value_of(rows, row, order[i]));
        json_array_append_new(list, object);
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENSURE_ASCII);
    printf("\n");
    json_decref(list);
}

void show_print(const struct show_options *options, const json_t *rows)
{
    unsigned width = terminal_width();
    if (options->is_json)
        print_json(rows, options->columns);
    else if (options->columns || width == 0)
        print_text(rows, options->columns);
    else
        print_fitting(options->what, rows, width);
}
