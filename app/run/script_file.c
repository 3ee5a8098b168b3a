/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/scenario_config.h"

#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The first line that is neither empty nor a comment (#) names the columns, in any order; each further one is
 * an exchange. Connections and pages have names of their own, integers, which become indices.
 */

enum {
    MOST_EXCHANGES = 1000000,
    LINE_OCTETS = 1024, /* of a line, its end included */
    MOST_CELLS = 16,
    VALUE_CHARS = 40, /* of a value in a message */
    FIRST_ROOM = 1024,
};

enum column { EXCHANGE, AFTER, WAIT, CONNECTION, REQUEST, RESPONSE, SERVER, TRANSPORT, THINK, PAGE, COLUMNS };

enum form { NUMBER, SECONDS, WORD };

static const struct {
    const char *name;
    enum form form;
    bool is_needed, may_be_empty;
    double most;
} columns[COLUMNS] = {
    [EXCHANGE] = {"exchange", NUMBER, true, false, MOST_EXCHANGES},
    [AFTER] = {"after", NUMBER, true, false, MOST_EXCHANGES},
    [WAIT] = {"wait_s", SECONDS, true, false, 86400},
    [CONNECTION] = {"connection", NUMBER, true, false, 4e9},
    [REQUEST] = {"request_octets", NUMBER, true, false, 1e9},
    [RESPONSE] = {"response_octets", NUMBER, true, false, 1e9},
    [SERVER] = {"server", WORD, false, true, 0},
    [TRANSPORT] = {"transport", WORD, false, true, 0},
    [THINK] = {"think_s", SECONDS, false, true, 3600},
    [PAGE] = {"page", NUMBER, false, true, 4e9},
};

struct reading {
    const char *path;
    unsigned line;
    struct app_script *script;
    unsigned cells;                /* of the header; 0: it has not come */
    enum column order[MOST_CELLS]; /* of the header's cells */
};

/* A line without its end, and the values of its cells. */
struct row {
    double values[COLUMNS]; /* of numbers and seconds; NAN: empty or absent */
};

static bool wrong(const struct reading *r, const char *value, const char *remedy)
{
    utf8_printf(stderr, "%s:%u: '%.*s': %s\n", r->path, r->line, VALUE_CHARS, value, remedy);
    return false;
}

static bool wrong_cell(const struct reading *r, enum column column, const char *value, const char *remedy)
{
    utf8_printf(stderr, "%s:%u: %s '%.*s': %s\n", r->path, r->line, columns[column].name, VALUE_CHARS, value,
                remedy);
    return false;
}

/* --- cells --- */

/* Takes the text up to the next comma, without blanks around it; *rest is NULL behind the last one. */
static char *take_cell(char **rest)
{
    char *cell = *rest, *comma = strchr(cell, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    cell += strspn(cell, " \t");
    size_t octets = strlen(cell);
    while (octets > 0 && strchr(" \t\r", cell[octets - 1]))
        cell[--octets] = '\0';
    return cell;
}

static bool take_header(struct reading *r, char *text)
{
    bool is_there[COLUMNS] = {false};
    while (text) {
        const char *cell = take_cell(&text);
        unsigned column = 0;
        while (column < COLUMNS && strcmp(cell, columns[column].name) != 0)
            column++;
        if (column == COLUMNS)
            return wrong(r, cell,
                         "no such column: exchange, after, wait_s, connection, request_octets, "
                         "response_octets, server, transport, think_s, page");
        if (is_there[column])
            return wrong(r, cell, "the column is there twice: leave one out");
        is_there[column] = true;
        r->order[r->cells++] = (enum column)column;
    }
    for (unsigned column = 0; column < COLUMNS; column++)
        if (columns[column].is_needed && !is_there[column])
            return wrong(r, columns[column].name, "the column is missing in the header: add it");
    return true;
}

static bool take_word(const struct reading *r, enum column column, const char *cell)
{
    if (column == SERVER)
        return !*cell || wrong_cell(r, column, cell, "servers have no names yet: leave it empty");
    return !*cell || strcmp(cell, "tcp") == 0 ||
           wrong_cell(r, column, cell, "only tcp can be played: write tcp, or leave it empty");
}

static bool take_number(const struct reading *r, enum column column, const char *cell, double *out)
{
    bool is_seconds = columns[column].form == SECONDS;
    char *end, remedy[96];
    *out = NAN;
    if (!*cell && columns[column].may_be_empty)
        return true;
    bool is_plain = cell[strspn(cell, is_seconds ? "0123456789.eE-+" : "0123456789")] == '\0';
    *out = strtod(cell, &end);
    if (*cell && is_plain && !*end && *out >= 0 && *out <= columns[column].most)
        return true;
    snprintf(remedy, sizeof(remedy), "needs %s from 0 to %.0f", is_seconds ? "seconds" : "an integer",
             columns[column].most);
    return wrong_cell(r, column, cell, remedy);
}

/* --- rows --- */

static bool make_room(const struct reading *r)
{
    uint32_t n = r->script->count;
    if (n > 0 && (n < FIRST_ROOM || (n & (n - 1)) != 0))
        return true;
    struct app_script_exchange *more =
        reallocarray(r->script->exchanges, n ? 2 * (size_t)n : FIRST_ROOM, sizeof(*more));
    if (!more)
        return wrong(r, "", "out of memory");
    r->script->exchanges = more;
    return true;
}

static uint32_t index_or_none(double value)
{
    return isnan(value) ? APP_SCRIPT_NONE : (uint32_t)value;
}

static bool add(const struct reading *r, const struct row *row)
{
    const double *values = row->values;
    uint32_t number = r->script->count + 1;
    char value[VALUE_CHARS], remedy[96];
    if (values[EXCHANGE] != number) {
        snprintf(value, sizeof(value), "%.0f", values[EXCHANGE]);
        snprintf(remedy, sizeof(remedy), "exchanges count 1, 2, 3: this one is %u", number);
        return wrong_cell(r, EXCHANGE, value, number > MOST_EXCHANGES ? "at most 1000000 exchanges" : remedy);
    }
    if (values[AFTER] >= number) {
        snprintf(value, sizeof(value), "%.0f", values[AFTER]);
        return wrong_cell(r, AFTER, value, "needs the number of an exchange above, or 0: the beginning");
    }
    if (values[REQUEST] == 0 && values[RESPONSE] == 0)
        return wrong_cell(r, REQUEST, "0", "an exchange without octets: request or response needs some");
    if (!make_room(r))
        return false;
    r->script->exchanges[r->script->count++] = (struct app_script_exchange){
        .after = values[AFTER] > 0 ? (uint32_t)values[AFTER] - 1 : APP_SCRIPT_NONE,
        .connection = (uint32_t)values[CONNECTION],
        .page = index_or_none(values[PAGE]),
        .request_octets = (uint32_t)values[REQUEST],
        .response_octets = (uint32_t)values[RESPONSE],
        .wait_ns = llround(values[WAIT] * (double)MOMENT_SECOND),
        .think_ns = isnan(values[THINK]) ? 0 : llround(values[THINK] * (double)MOMENT_SECOND),
    };
    return true;
}

static bool take_row(const struct reading *r, char *text)
{
    struct row row;
    unsigned cells = 0;
    for (unsigned column = 0; column < COLUMNS; column++)
        row.values[column] = NAN;
    for (; text && cells < r->cells; cells++) {
        const char *cell = take_cell(&text);
        enum column column = r->order[cells];
        bool is_right = columns[column].form == WORD ? take_word(r, column, cell)
                                                     : take_number(r, column, cell, &row.values[column]);
        if (!is_right)
            return false;
    }
    if (text || cells < r->cells)
        return wrong(r, text ? text : "", "needs as many values as the header has columns");
    return add(r, &row);
}

static bool take_line(struct reading *r, char *text)
{
    text += strspn(text, " \t\r");
    if (*text == '\0' || *text == '#')
        return true;
    return r->cells ? take_row(r, text) : take_header(r, text);
}

static bool read_lines(struct reading *r, FILE *file)
{
    char line[LINE_OCTETS +
              1]; /* what fgets() does not write stays a new line: an octet 0 before it ends no text */
    bool is_right = true;
    for (r->line = 1; is_right; r->line++) {
        memset(line, '\n', sizeof(line));
        if (!fgets(line, LINE_OCTETS, file))
            break;
        if (!strchr(line, '\n') && (!feof(file) || line[strlen(line) + 1] != '\n'))
            return wrong(r, line, "the line is too long, or has an octet 0: at most 1022 octets of text");
        line[strcspn(line, "\n")] = '\0';
        is_right = take_line(r, r->line == 1 ? (char *)utf8_behind_mark(line) : line);
    }
    if (is_right && ferror(file))
        utf8_printf(stderr, "%s: cannot be read\n", r->path);
    return is_right && !ferror(file);
}

/* --- names to indices --- */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts names and leaves each one once. Returns how many. */
static uint32_t distinct(uint32_t *names, uint32_t count)
{
    uint32_t kept = 0;
    qsort(names, count, sizeof(*names), compare);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || names[kept - 1] != names[i])
            names[kept++] = names[i];
    return kept;
}

static uint32_t place(const uint32_t *names, uint32_t count, uint32_t name)
{
    const uint32_t *at = bsearch(&name, names, count, sizeof(*names), compare);
    return (uint32_t)(at - names);
}

static bool make_indices(struct app_script *script)
{
    uint32_t *names = calloc(script->count, sizeof(*names)), pages = 0;
    if (!names)
        return false;
    for (uint32_t i = 0; i < script->count; i++)
        names[i] = script->exchanges[i].connection;
    script->connection_count = distinct(names, script->count);
    for (uint32_t i = 0; i < script->count; i++)
        script->exchanges[i].connection =
            place(names, script->connection_count, script->exchanges[i].connection);
    for (uint32_t i = 0; i < script->count; i++)
        if (script->exchanges[i].page != APP_SCRIPT_NONE)
            names[pages++] = script->exchanges[i].page;
    script->page_count = distinct(names, pages);
    for (uint32_t i = 0; i < script->count; i++)
        if (script->exchanges[i].page != APP_SCRIPT_NONE)
            script->exchanges[i].page = place(names, script->page_count, script->exchanges[i].page);
    free(names);
    return true;
}

bool script_file_read(struct script_file *f, const char *folder)
{
    char path[PATH_MAX];
    struct reading reading = {.path = path, .script = &f->script};
    snprintf(path, sizeof(path), "%s%s", folder, f->file);
    FILE *file = trace_open(path);
    if (!file)
        return false;
    bool is_right = read_lines(&reading, file);
    fclose(file);
    if (is_right && f->script.count == 0)
        utf8_printf(stderr, "%s: has no exchange: a header line, then a line for each\n", path);
    if (!is_right || f->script.count == 0)
        return false;
    if (!make_indices(&f->script))
        utf8_printf(stderr, "%s: out of memory\n", path);
    return f->script.connection_count > 0;
}

void script_file_fini(struct script_file *f)
{
    free(f->file);
    free(f->script.exchanges);
    *f = (struct script_file){0};
}
