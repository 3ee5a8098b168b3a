/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/metrics.h"

#include "control/base/command.h"
#include "dataplane/base/moment.h"

#include <jansson.h>
#include <rte_version.h>
#include <stdbool.h>
#include <string.h>

#define WORD_CHARS   64
#define DPDK_WORD    "DPDK "
#define LABELS_CHARS 1024

/* --- names --- */

static const struct {
    const char *word, *replacement;
    double factor;
} words[] = {
    {"us", "seconds", 1e-6}, {"s", "seconds", 1}, {"bps", "octets_per_second", 0.125},
    {"ms", "mobile", 1},     {"gb", "gbip", 1},   {"count", "", 1},
};

static size_t add_word(char *out, size_t used, const char *word)
{
    int added = word[0] ? snprintf(out + used, METRICS_NAME_CHARS - used, "_%s", word) : 0;
    return used + (size_t)added < METRICS_NAME_CHARS ? used + (size_t)added : METRICS_NAME_CHARS - 1;
}

static size_t add_words(char *out, size_t used, const char *text, double *factor)
{
    bool is_per = false;
    while (*text) {
        char word[WORD_CHARS];
        size_t chars = strcspn(text, "_");
        snprintf(word, sizeof(word), "%.*s", (int)chars, text);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (strcmp(word, words[i].word) == 0) {
                *factor *= words[i].factor;
                snprintf(word, sizeof(word), "%s", is_per ? "second" : words[i].replacement);
                break;
            }
        is_per = strcmp(word, "per") == 0;
        used = add_word(out, used, word);
        text += chars + (text[chars] == '_');
    }
    return used;
}

double metrics_name(char out[METRICS_NAME_CHARS], const char *family, const struct field *field)
{
    double factor = 1;
    size_t used = (size_t)snprintf(out, METRICS_NAME_CHARS, "gbflow");
    used = add_words(out, used, family, &factor);
    add_words(out, used, field->name, &factor);
    return factor;
}

/* --- labels --- */

static void put_escaped(FILE *out, const char *text, bool has_quotes)
{
    for (const char *c = text; *c; c++)
        if (*c == '\n')
            fputs("\\n", out);
        else if (*c == '\\' || (*c == '"' && has_quotes))
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
}

static void put_label(FILE *out, const char *space, const char *name, const json_t *value)
{
    fprintf(out, "%s%s=\"", space, name);
    if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_string(value))
        put_escaped(out, json_string_value(value), true);
    fputc('"', out);
}

/* False: nothing says what the row is of, and its samples would be those of another such row. */
static bool is_named(const char *list, const json_t *row)
{
    for (const char *at = list; at && *at;) {
        char name[WORD_CHARS];
        size_t chars = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)chars, at);
        if (json_object_get(row, name))
            return true;
        at += chars + (at[chars] == ',');
    }
    return !list;
}

/* "{a="1",b="2"}", with one more label if state is not NULL. */
static void put_labels(FILE *out, const char *list, const char *state, const json_t *row)
{
    const char *space = "{";
    for (const char *at = list; at && *at;) {
        char name[WORD_CHARS];
        size_t chars = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)chars, at);
        put_label(out, space, name, json_object_get(row, name));
        space = ",";
        at += chars + (at[chars] == ',');
    }
    if (state) {
        put_label(out, space, state, json_object_get(row, state));
        space = ",";
    }
    if (*space == ',')
        fputc('}', out);
}

static bool has_word(const char *list, const char *word)
{
    size_t chars = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, chars) == 0 && (at[chars] == ',' || !at[chars]))
            return true;
    }
    return false;
}

/* --- families --- */

struct family {
    const struct metrics_table *what;
    const struct field *field;
    const json_t *rows;
    enum metrics_format format;
};

static void put_head(FILE *out, const struct family *f, const char *name, bool is_counter)
{
    const char *suffix = is_counter && f->format == METRICS_TEXT ? "_total" : "";
    fprintf(out, "# HELP %s%s ", name, suffix);
    put_escaped(out, f->field->meaning->sentence, f->format == METRICS_OPEN);
    fprintf(out, "\n# TYPE %s%s %s\n", name, suffix, is_counter ? "counter" : "gauge");
}

/* Numbers that are not integers are texts in rows (telemetry.h). */
static void put_number(FILE *out, const json_t *value, double factor)
{
    if (json_is_string(value))
        fprintf(out, " %s\n", json_string_value(value));
    else if (factor == 1)
        fprintf(out, " %llu\n", (unsigned long long)json_integer_value(value));
    else
        fprintf(out, " %.9g\n", (double)json_integer_value(value) * factor);
}

static void put_family(FILE *out, const struct family *f, bool is_state)
{
    bool is_counter = !is_state && f->field->meaning->kind == FIELD_COUNTER, has_head = false;
    char name[METRICS_NAME_CHARS];
    double factor = metrics_name(name, f->what->family, f->field);
    size_t at;
    json_t *row;

    json_array_foreach(f->rows, at, row)
    {
        const json_t *value = json_object_get(row, f->field->name);
        if (!value || !is_named(f->what->labels, row))
            continue;
        if (!has_head)
            put_head(out, f, name, is_counter);
        has_head = true;
        fprintf(out, "%s%s", name, is_counter ? "_total" : "");
        put_labels(out, f->what->labels, is_state ? f->field->name : NULL, row);
        if (is_state)
            fputs(" 1\n", out);
        else
            put_number(out, value, factor);
    }
}

static void put_fields(FILE *out, struct family *f, const struct field *fields)
{
    for (const struct field *field = fields; field->name; field++) {
        bool is_state = field->type < FIELD_COUNTS && has_word(f->what->states, field->name);
        f->field = field;
        if (field->type == FIELD_PART)
            put_fields(out, f, field->rows);
        else if (is_state || (field_is_number(field) && field->meaning->kind != FIELD_LABEL))
            put_family(out, f, is_state);
    }
}

/* OpenMetrics names the family without the suffix of its type. */
void metrics_write_process(FILE *out, int64_t start_ns, enum metrics_format format)
{
    const char *commit = command_commit(), *dpdk = rte_version();
    bool is_open = format == METRICS_OPEN;
    dpdk += strncmp(dpdk, DPDK_WORD, strlen(DPDK_WORD)) == 0 ? strlen(DPDK_WORD) : 0;
    fprintf(out, "# HELP gbflow_build%s Version of gbflow that runs, its commit, and its DPDK.\n",
            is_open ? "" : "_info");
    fprintf(out, "# TYPE gbflow_build%s %s\n", is_open ? "" : "_info", is_open ? "info" : "gauge");
    fprintf(out, "gbflow_build_info{version=\"");
    put_escaped(out, command_version(), true);
    fprintf(out, "\",commit=\"");
    put_escaped(out, commit[0] ? commit : "unknown", true);
    fprintf(out, "\",dpdk=\"");
    put_escaped(out, dpdk, true);
    fprintf(out,
            "\"} 1\n"
            "# HELP process_start_time_seconds Start of the process, in seconds since 1970.\n"
            "# TYPE process_start_time_seconds gauge\n"
            "process_start_time_seconds %.3f\n",
            (double)start_ns / MOMENT_SECOND);
}

void metrics_write(FILE *out, const struct metrics_table *what, const struct field *table, const json_t *rows,
                   enum metrics_format format)
{
    struct family f = {.what = what, .rows = rows, .format = format};
    put_fields(out, &f, table->rows);
}
