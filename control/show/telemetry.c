/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/telemetry.h"
#include "control/base/asker.h"
#include "control/base/utf8.h"
#include "control/report/field.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <rte_telemetry.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * A page of a table, for a socket with messages of limited length: the records from number `first` on, as
 * many as fit. All records are put into its sink, in order; those before and behind the page are ignored.
 */

struct show_page {
    struct field_sink sink;
    const struct field *fields;
    uint32_t first, index; /* of the page's first record, and of the next record to be put */
    uint32_t room_octets, room_rows;
    bool is_named; /* a row is an object of integers and texts; else a list of texts, a cell for each field */
    json_t *rows;
};

#define PAGE_OCTETS 9000 /* of the 16 KiB that DPDK sends in one message */
#define ROWS_MAX    200
#define CELL_CHARS  120
#define CELL_EXTRA  4 /* quotes, comma and blank */

/* Whether the next record is in this page. */
static bool is_in_part(const struct show_page *page)
{
    return page->index >= page->first && page->room_octets > 0 &&
           json_array_size(page->rows) < page->room_rows;
}

static bool wants(struct field_sink *sink)
{
    struct show_page *page = (struct show_page *)sink;
    bool is_wanted = is_in_part(page);
    page->index += !is_wanted;
    return is_wanted;
}

/* --- cells --- */

static const char *telemetry_text_of(struct field_value value, char out[CELL_CHARS + 1])
{
    switch (value.is) {
    case FIELD_IS_COUNT:
        snprintf(out, CELL_CHARS + 1, "%" PRIu64, value.count);
        return out;
    case FIELD_IS_NUMBER:
        snprintf(out, CELL_CHARS + 1, "%.3f", value.number);
        return out;
    case FIELD_IS_TEXT:
        return value.text;
    case FIELD_IS_BOOL:
        return value.flag ? "yes" : "no";
    default:
        return "-";
    }
}

/* Texts too long for the socket are truncated; in an object a value that is not known is left out. */
static void put_cell(struct show_page *page, json_t *row, const char *name, struct field_value value)
{
    char room[CELL_CHARS + 1], cut[CELL_CHARS + 1];
    uint32_t octets = (uint32_t)utf8_copy(cut, sizeof(cut), telemetry_text_of(value, room)) + CELL_EXTRA;
    if (!page->is_named) {
        json_array_append_new(row, json_string(cut));
    } else if (value.is != FIELD_IS_NULL) {
        octets += (uint32_t)strlen(name) + CELL_EXTRA;
        json_object_set_new(
            row, name, value.is == FIELD_IS_COUNT ? json_integer((json_int_t)value.count) : json_string(cut));
    }
    page->room_octets = octets < page->room_octets ? page->room_octets - octets : 0;
}

static void put_cells(struct show_page *page, json_t *row, const struct field *fields, const void *record)
{
    for (const struct field *field = fields; field->name; field++) {
        if (field->type == FIELD_PART)
            put_cells(page, row, field->rows, field_record(field, record));
        else
            put_cell(page, row, field->name, field_value_of(field, record));
    }
}

static void telemetry_put(struct field_sink *sink, const char *key, const void *record)
{
    struct show_page *page = (struct show_page *)sink;
    bool is_here = is_in_part(page);
    page->index++;
    if (!is_here)
        return;
    json_t *row = page->is_named ? json_object() : json_array();
    put_cells(page, row, page->fields, record);
    json_array_append_new(page->rows, row);
}

/* For records of these fields. rows is the caller's when the page has ended. */
static void show_page_init(struct show_page *page, const struct field *fields, uint32_t first, bool is_named)
{
    *page = (struct show_page){.sink = {.put = telemetry_put, .wants = wants},
                               .fields = fields,
                               .first = first,
                               .is_named = is_named,
                               .room_octets = PAGE_OCTETS,
                               .room_rows = ROWS_MAX,
                               .rows = json_array()};
}

/* Without a limit of octets, and up to `rows`. */
static void show_page_allow(struct show_page *page, uint32_t rows)
{
    page->room_octets = UINT32_MAX;
    page->room_rows = rows;
}

/* Names and kinds ("n": number, "s": text) of the columns, appended to two lists. */
static void show_page_columns(const struct field *fields, json_t *names, json_t *kinds)
{
    for (const struct field *field = fields; field->name; field++) {
        if (field->type == FIELD_PART) {
            show_page_columns(field->rows, names, kinds);
            continue;
        }
        json_array_append_new(names, json_string(field->name));
        json_array_append_new(kinds, json_string(field_is_number(field) ? "n" : "s"));
    }
}

#define PREFIX     "/gbflow/"
#define COMPACT    "table/"
#define WORD_CHARS 64
#define HELP_CHARS 128

/* The callback of a command has no user argument in DPDK 22.11. */
static struct telemetry *telemetry_of_process;

const struct field *telemetry_table(const struct field *tables, const char *name)
{
    const struct field *found = NULL;
    for (const struct field *table = tables; table->name && !found; table++)
        if (table->type == FIELD_PART)
            found = telemetry_table(table->rows, name);
        else if (strcmp(table->name, name) == 0)
            found = table;
    return found;
}

const struct telemetry_order *telemetry_order_of(const struct telemetry_source *source, const char *name)
{
    for (const struct telemetry_order *order = source->orders; order && order->name; order++)
        if (strcmp(order->name, name) == 0)
            return order;
    return NULL;
}

/* --- DPDK's thread --- */

/* A table from row `first` on, or an order with its parameters; neither: unknown name. */
static struct telemetry_question question_of(const struct telemetry_source *source, const char *name,
                                             const char *parameters)
{
    bool is_compact = strncmp(name, COMPACT, strlen(COMPACT)) == 0;
    const char *word = is_compact ? name + strlen(COMPACT) : name;
    return (struct telemetry_question){
        .table = telemetry_table(source->tables, word),
        .order = is_compact ? NULL : telemetry_order_of(source, word),
        .is_compact = is_compact,
        .is_whole = !parameters,
        .first = parameters ? (unsigned)strtoul(parameters, NULL, 10) : 0,
        .parameters = parameters,
    };
}

/* Waits for the answer; false: not until end_ns. */
static bool wait_for(struct telemetry *t, int64_t end_ns)
{
    const struct timespec end = {.tv_sec = end_ns / MOMENT_SECOND, .tv_nsec = end_ns % MOMENT_SECOND};
    int status = 0;
    while (atomic_load(&t->is_asked) && !t->is_over && status == 0)
        status = end_ns == MOMENT_NEVER
                     ? pthread_cond_wait(&t->answered, &t->lock)
                     : pthread_cond_clockwait(&t->answered, &t->lock, CLOCK_MONOTONIC, &end);
    return !atomic_load(&t->is_asked);
}

/* The rows of the answer, the caller's; NULL: the process is ending, or there was none until end_ns. */
static json_t *show_telemetry_ask(struct telemetry *t, const struct telemetry_question *question,
                                  int64_t end_ns)
{
    const struct timespec end = {.tv_sec = end_ns / MOMENT_SECOND, .tv_nsec = end_ns % MOMENT_SECOND};
    json_t *rows;
    if (pthread_mutex_clocklock(&t->askers, CLOCK_MONOTONIC, &end) != 0)
        return NULL;
    pthread_mutex_lock(&t->lock);
    t->question = question;
    atomic_store(&t->is_asked, true);
    t->source.wake(t->source.arg);
    if (!wait_for(t, end_ns))
        atomic_store(&t->is_asked, false);
    rows = t->rows;
    t->rows = NULL;
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_unlock(&t->askers);
    return rows;
}

json_t *telemetry_ask(struct telemetry *t, const struct field *table, unsigned first, int64_t wait_ns)
{
    const struct telemetry_question question = {.table = table, .first = first, .is_large = true};
    return show_telemetry_ask(t, &question, clock_now_ns() + wait_ns);
}

static void add_texts(struct rte_tel_data *d, const json_t *row)
{
    struct rte_tel_data *list = rte_tel_data_alloc();
    if (!list)
        return;
    rte_tel_data_start_array(list, RTE_TEL_STRING_VAL);
    for (size_t i = 0; i < json_array_size(row); i++)
        rte_tel_data_add_array_string(list, json_string_value(json_array_get(row, i)));
    rte_tel_data_add_array_container(d, list, 0);
}

/* A name of DPDK's telemetry has letters, digits, '_' and '/'. */
static void put_name(char *out, size_t cap, const char *name)
{
    size_t i;
    for (i = 0; i + 1 < cap && name[i]; i++)
        out[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
    out[i] = '\0';
}

static void put_dictionary(struct rte_tel_data *d, json_t *row)
{
    const char *name;
    json_t *value;
    rte_tel_data_start_dict(d);
    json_object_foreach(row, name, value)
    {
        char word[WORD_CHARS];
        put_name(word, sizeof(word), name);
        if (json_is_integer(value))
            rte_tel_data_add_dict_uint(d, word, (uint64_t)json_integer_value(value));
        else
            rte_tel_data_add_dict_string(d, word, json_string_value(value));
    }
}

/* Two rows: names and kinds. */
static void add_columns(struct rte_tel_data *d, const struct field *columns)
{
    json_t *names = json_array(), *kinds = json_array();
    show_page_columns(columns, names, kinds);
    add_texts(d, names);
    add_texts(d, kinds);
    json_decref(names);
    json_decref(kinds);
}

static void put_lists(struct rte_tel_data *d, const struct field *columns, const json_t *rows)
{
    rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
    add_columns(d, columns);
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_texts(d, json_array_get(rows, i));
}

static int on_command(const char *command, const char *params, struct rte_tel_data *d)
{
    struct telemetry *t = telemetry_of_process;
    struct telemetry_question question = {0};
    if (t)
        question = question_of(&t->source, command + strlen(PREFIX), params);
    json_t *rows = question.table || question.order ? show_telemetry_ask(t, &question, MOMENT_NEVER) : NULL;

    if (!rows)
        return -ENODEV;
    if (question.is_compact)
        put_lists(d, question.table->rows, rows);
    else
        put_dictionary(d, json_array_get(rows, 0));
    json_decref(rows);
    return 0;
}

/* --- control thread --- */

static void register_command(const char *folder, const char *name, const char *help)
{
    char command[WORD_CHARS];
    snprintf(command, sizeof(command), PREFIX "%s%s", folder, name);
    if (rte_telemetry_register_cmd(command, on_command, help) != 0)
        fprintf(stderr, "gbflow: warning: DPDK's telemetry does not take the command %s\n", command);
}

static void register_tables(const struct field *tables)
{
    for (const struct field *table = tables; table->name; table++) {
        char help[HELP_CHARS];
        if (table->type == FIELD_PART) {
            register_tables(table->rows);
            continue;
        }
        snprintf(help, sizeof(help), "%s Parameter: number of a row, from 0 on", table->meaning->sentence);
        register_command("", table->name, help);
        register_command(COMPACT, table->name,
                         "The same for gbflow show. Parameter: number of the first row (0)");
    }
}

void telemetry_init(struct telemetry *t, const struct telemetry_source *source)
{
    *t = (struct telemetry){.source = *source};
    pthread_mutex_init(&t->askers, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->answered, NULL);
    telemetry_of_process = t;
    register_tables(source->tables);
    for (const struct telemetry_order *order = source->orders; order && order->name; order++)
        if (order->act || order->act_for)
            register_command("", order->name, order->what);
}

bool telemetry_is_asked(const struct telemetry *t)
{
    return atomic_load(&t->is_asked) && !t->is_pending;
}

const char *telemetry_carry_out(const struct telemetry_order *order, void *record, const char *parameters,
                                const struct asker *asker)
{
    return order->act_for ? order->act_for(record, parameters, asker) : order->act(record, parameters);
}

/* Carries an order out, once. False: its answer has to wait. */
static bool is_done(struct telemetry *t)
{
    const struct telemetry_order *order = t->question->order;
    if (t->question->table)
        return true;
    if (!t->is_pending)
        t->wrong = telemetry_carry_out(order, t->source.record, t->question->parameters, &(struct asker){0});
    t->is_pending = order->is_pending && order->is_pending(t->source.record);
    return !t->is_pending;
}

/* Whether a table has names and one counter only. */
static bool is_of_counters(const struct field *field)
{
    while (field->name && field->type < FIELD_COUNTS && field->meaning->kind == FIELD_LABEL)
        field++;
    return field->name && field->type < FIELD_COUNTS && field->meaning->kind == FIELD_COUNTER &&
           !field[1].name;
}

/* The rows of a table of counters become one, by their names. */
static json_t *merge(json_t *rows)
{
    json_t *list = json_array(), *merged = json_object(), *row, *value;
    const char *name;
    size_t at;
    json_array_foreach(rows, at, row)
    {
        char word[WORD_CHARS] = "";
        json_object_foreach(row, name, value)
        {
            size_t used = strlen(word);
            if (json_is_string(value))
                snprintf(word + used, sizeof(word) - used, "%s%s", used ? "_" : "", json_string_value(value));
            else
                json_object_set(merged, word, value);
        }
    }
    json_array_append_new(list, merged);
    json_decref(rows);
    return list;
}

static json_t *one_row(json_t *row)
{
    json_t *list = json_array();
    json_array_append_new(list, row);
    return list;
}

/* The record of a table: a list of tables may be one of a part of the record. */
static const void *record_of(const struct field *tables, const struct field *wanted, const void *record)
{
    const void *found = NULL;
    for (const struct field *table = tables; table->name && !found; table++)
        if (table == wanted)
            found = record;
        else if (table->type == FIELD_PART)
            found = record_of(table->rows, wanted, field_record(table, record));
    return found;
}

static json_t *table_of(const struct telemetry_question *question, const struct telemetry_source *source)
{
    const struct field *table = question->table;
    bool is_counted = question->is_whole && !question->is_compact && !is_of_counters(table->rows);
    struct show_page page;

    show_page_init(&page, table->rows, is_counted ? UINT32_MAX : question->first, !question->is_compact);
    if (question->is_large)
        show_page_allow(&page, TELEMETRY_ROWS);
    table->each(record_of(source->tables, table, source->record), &page.sink);
    if (is_counted) {
        json_decref(page.rows);
        return one_row(json_pack("{s:I}", "rows", (json_int_t)page.index));
    }
    return question->is_whole && !question->is_compact ? merge(page.rows) : page.rows;
}

/* The rows of the answer. */
static json_t *show_telemetry_answer(const struct telemetry *t)
{
    if (t->question->table)
        return table_of(t->question, &t->source);
    return one_row(json_pack("{s:s}", "result", t->wrong ? t->wrong : "ok"));
}

/* A dictionary, or of a compact question the columns, kinds and rows. */
static json_t *reply_of(const struct telemetry_question *question, json_t *rows)
{
    json_t *reply;
    if (question->is_compact) {
        json_t *names = json_array(), *kinds = json_array();
        show_page_columns(question->table->rows, names, kinds);
        json_array_insert_new(rows, 0, kinds);
        json_array_insert_new(rows, 0, names);
        return rows;
    }
    reply = json_incref(json_array_get(rows, 0));
    json_decref(rows);
    return reply ? reply : json_object();
}

json_t *telemetry_reply(const struct telemetry_source *source, const char *name, const char *parameters)
{
    const struct telemetry_question question = question_of(source, name, parameters);
    return question.table ? reply_of(&question, table_of(&question, source)) : json_null();
}

void telemetry_answer(struct telemetry *t)
{
    if (!atomic_load(&t->is_asked))
        return;
    pthread_mutex_lock(&t->lock);
    /* The query may have been withdrawn; only a table's is, which never waits. */
    if (atomic_load(&t->is_asked) && is_done(t)) {
        t->rows = show_telemetry_answer(t);
        atomic_store(&t->is_asked, false);
        pthread_cond_broadcast(&t->answered);
    }
    pthread_mutex_unlock(&t->lock);
}

void telemetry_stop(struct telemetry *t)
{
    if (!t->source.tables)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_over = true;
    pthread_cond_broadcast(&t->answered);
    pthread_mutex_unlock(&t->lock);
}
