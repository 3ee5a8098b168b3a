/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of the fields of reports (control/report/field.h) as text, Markdown and JSON. Tables of docs/
 * and titles of python/gbflow_report are made of the latter two. */
#include "control/base/command.h"
#include "control/report/field.h"

#include "app/emulate/emulate.h"
#include "app/replay/replay.h"
#include "app/run/summary.h"
#include "control/live/live.h"
#include "control/live/tables.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow fields [REPORT [PATH]] [--format text|markdown|json]\n"
    "\n"
    "Lists the fields of a report: path, unit, meaning. PATH: only fields whose path\n"
    "begins with it; a path that ends in REASON lists the reasons, too. Without\n"
    "REPORT: lists the reports.\n"
    "\n"
    "  --format FORMAT  text, markdown (a table), or json (an object by path, without\n"
    "                   REPORT of all reports)\n"
    "\n"
    "Exit status: 0 success, 2 wrong arguments.\n";

static const struct report {
    const char *name, *what;
    const struct field *rows;
} reports[] = {
    {"summary", "summary.json of gbflow run", summary},
    {"series", "series.csv of gbflow run", run_apps_series},
    {"replay", "gbflow replay --json", replay_report},
    {"serve", "gbflow serve --json", live_report},
    {"emulate", "gbflow emulate --json", emulate_report},
    {"show", "tables of gbflow show", live_tables},
    {"bss", "tables of gbflow show --prefix of gbflow emulate", emulate_tables},
};

#define REPORTS (sizeof(reports) / sizeof(reports[0]))

struct listing {
    const char *path; /* that paths have to begin with */
    bool is_series;   /* has a column more */
    unsigned count;   /* of rows listed */
    json_t *json;
};

static bool is_listed(struct listing *listing, const struct field_list_row *row)
{
    bool is_listed = strncmp(row->path, listing->path, strlen(listing->path)) == 0;
    listing->count += is_listed;
    return is_listed;
}

/* Whether its words are to be listed, too. */
static bool has_words(const struct listing *listing, const struct field_list_row *row)
{
    return row->field->words && strcmp(row->path, listing->path) == 0;
}

/* --- text --- */

static void print_row(void *arg, const struct field_list_row *row)
{
    struct listing *listing = arg;
    const struct field_words *words = row->field->words;
    if (!is_listed(listing, row))
        return;
    printf("%s%s%s\n    %s%s%s%s\n", row->path, *row->field->meaning->unit ? "  " : "",
           row->field->meaning->unit, row->field->meaning->sentence, row->when ? " Only " : "",
           row->when ? row->when : "", row->when ? "." : "");
    for (unsigned i = words ? words->first : 0; has_words(listing, row) && i < words->end; i++)
        printf("  %s\n    %s\n", words->list[i].name, words->list[i].sentence);
}

/* --- Markdown --- */

/* Text of a cell. */
static void print_cell(const char *text)
{
    for (; *text; text++)
        printf("%s%c", strchr("|<*", *text) ? "\\" : "", *text);
}

static void print_words(const struct field_words *words)
{
    printf("| Reason | Meaning |\n| --- | --- |\n");
    for (unsigned i = words->first; i < words->end; i++) {
        printf("| `%s` | ", words->list[i].name);
        print_cell(words->list[i].sentence);
        printf(" |\n");
    }
}

static void print_markdown_row(void *arg, const struct field_list_row *row)
{
    struct listing *listing = arg;
    if (!is_listed(listing, row))
        return;
    if (has_words(listing, row)) {
        print_words(row->field->words);
        return;
    }
    if (listing->count == 1)
        printf(listing->is_series ? "| Name | `of` | Unit | Meaning |\n| --- | --- | --- | --- |\n"
                                  : "| Field | Unit | Meaning |\n| --- | --- | --- |\n");
    printf("| `%s` | ", row->path);
    if (listing->is_series) {
        print_cell(row->field->label);
        printf(" | ");
    }
    printf("%s | ", row->field->meaning->unit);
    print_cell(row->field->meaning->sentence);
    if (row->when)
        printf(" Only %s.", row->when);
    printf(" |\n");
}

/* --- JSON --- */

static void add_text(json_t *object, const char *key, const char *text)
{
    if (text)
        field_json_put(object, key, json_string(text));
}

static void add_row(void *arg, const struct field_list_row *row)
{
    static const char *const kinds[] = {
        [FIELD_LABEL] = "label", [FIELD_COUNTER] = "counter", [FIELD_GAUGE] = "gauge"};
    struct listing *listing = arg;
    const struct field *field = row->field;
    const struct field_words *words = field->words;
    if (!is_listed(listing, row))
        return;
    json_t *object = json_object();
    add_text(object, "kind", field->rows ? "record" : kinds[field->meaning->kind]);
    add_text(object, "unit", field->meaning->unit);
    add_text(object, "sentence", field->meaning->sentence);
    add_text(object, "when", row->when);
    add_text(object, "of", listing->is_series ? field->label : NULL);
    if (words)
        field_json_put(object, "words", json_object());
    for (unsigned i = words ? words->first : 0; words && i < words->end; i++)
        add_text(json_object_get(object, "words"), words->list[i].name, words->list[i].sentence);
    field_json_put(listing->json, row->path, object);
}

static json_t *json_of(const struct report *report, const char *path, unsigned *count)
{
    struct listing listing = {path, report->rows == run_apps_series, 0, json_object()};
    field_list(report->rows, add_row, &listing);
    *count = listing.count;
    return listing.json;
}

static int print_json(json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(object);
    return COMMAND_OK;
}

/* --- the command --- */

static int print_reports(bool is_json)
{
    json_t *all = json_object();
    unsigned count;
    for (size_t i = 0; i < REPORTS; i++) {
        if (is_json)
            field_json_put(all, reports[i].name, json_of(&reports[i], "", &count));
        else
            printf("%-8s  %s\n", reports[i].name, reports[i].what);
    }
    if (is_json)
        return print_json(all);
    json_decref(all);
    return COMMAND_OK;
}

static int refuse_report(const char *name)
{
    struct words words = {.count = 0};
    for (size_t i = 0; i < REPORTS; i++)
        words_add(&words, reports[i].name);
    return command_unknown("fields", "", "report", name, &words);
}

static void add_path(void *words, const struct field_list_row *row)
{
    char *path = strdup(row->path);
    if (path && !words_add(words, path))
        free(path);
}

static int refuse_path(const struct report *report, const char *path)
{
    struct words words = {.count = 0};
    field_list(report->rows, add_path, &words);
    const char *nearest = words_nearest(&words, path);
    int status =
        command_refuse("fields", "no field's path begins with '%s'%s%s%s", path,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    for (unsigned i = 0; i < words.count; i++)
        free((char *)words.list[i]);
    return status;
}

static int list_report(const struct report *report, const char *path, const char *format)
{
    struct listing listing = {path, report->rows == run_apps_series, 0, NULL};
    if (strcmp(format, "json") == 0) {
        json_t *object = json_of(report, path, &listing.count);
        if (listing.count > 0)
            return print_json(object);
        json_decref(object);
    } else {
        field_list(report->rows, strcmp(format, "text") == 0 ? print_row : print_markdown_row, &listing);
    }
    return listing.count > 0 ? COMMAND_OK : refuse_path(report, path);
}

static const struct report *command_fields_find(const char *name)
{
    for (size_t i = 0; i < REPORTS; i++)
        if (strcmp(reports[i].name, name) == 0)
            return &reports[i];
    return NULL;
}

static bool is_format(const char *format)
{
    return strcmp(format, "text") == 0 || strcmp(format, "markdown") == 0 || strcmp(format, "json") == 0;
}

int command_fields(int argc, char **argv)
{
    const char *format = "text";
    const struct command_option options[] = {{.name = "format", .text = &format}};
    const struct command_parser parser = {.command = "fields", .options = options, .count = 1};
    int status = command_parse(&parser, argc, argv);

    if (!command_accepted(usage, &status))
        return status;
    if (!is_format(format))
        return command_wrong("fields", "--format is text, markdown or json, not ", format);
    if (argc - optind > 2)
        return command_wrong("fields", "too many arguments: ", argv[optind + 2]);
    if (argc == optind)
        return print_reports(strcmp(format, "json") == 0);
    const struct report *report = command_fields_find(argv[optind]);
    if (!report)
        return refuse_report(argv[optind]);
    return list_report(report, argc - optind > 1 ? argv[optind + 1] : "", format);
}
