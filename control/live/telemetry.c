/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/telemetry.h"

#include "control/live/live.h"
#include "control/live/show_page.h"
#include "control/live/tables.h"

#include <errno.h>
#include <rte_telemetry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     "/gbflow/"
#define WORD_CHARS 64
#define HELP_CHARS 128

/* The callback of a command has no user argument in DPDK 22.11. */
static struct telemetry *telemetry_of_process;

/* --- DPDK's thread --- */

/* A table from row `first` on, or an order with its parameters; neither: unknown name. */
static struct telemetry_question question_of(const char *name, const char *parameters)
{
    return (struct telemetry_question){
        .table = live_tables_find(name),
        .order = live_tables_find_order(name),
        .first = parameters ? (unsigned)strtoul(parameters, NULL, 10) : 0,
        .parameters = parameters,
    };
}

static const struct field *columns_of(const struct telemetry_question *question)
{
    return question->table ? question->table->rows : live_tables_answer;
}

/* The rows of the answer, the caller's; NULL: the node is ending. */
static json_t *ask(struct telemetry *t, const struct telemetry_question *question)
{
    json_t *rows;
    pthread_mutex_lock(&t->askers);
    pthread_mutex_lock(&t->lock);
    t->question = question;
    atomic_store(&t->is_asked, true);
    live_wake_call(t->control);
    while (atomic_load(&t->is_asked) && !t->is_over)
        pthread_cond_wait(&t->answered, &t->lock);
    rows = t->rows;
    t->rows = NULL;
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_unlock(&t->askers);
    return rows;
}

static void add_row(struct rte_tel_data *d, const json_t *row)
{
    struct rte_tel_data *list = rte_tel_data_alloc();
    if (!list)
        return;
    rte_tel_data_start_array(list, RTE_TEL_STRING_VAL);
    for (size_t i = 0; i < json_array_size(row); i++)
        rte_tel_data_add_array_string(list, json_string_value(json_array_get(row, i)));
    rte_tel_data_add_array_container(d, list, 0);
}

/* Two rows: names and kinds. */
static void add_columns(struct rte_tel_data *d, const struct field *columns)
{
    json_t *names = json_array(), *kinds = json_array();
    show_page_columns(columns, names, kinds);
    add_row(d, names);
    add_row(d, kinds);
    json_decref(names);
    json_decref(kinds);
}

static int on_command(const char *command, const char *params, struct rte_tel_data *d)
{
    struct telemetry_question question = question_of(command + strlen(PREFIX), params);
    bool is_known = question.table || question.order;
    json_t *rows = is_known && telemetry_of_process ? ask(telemetry_of_process, &question) : NULL;

    if (!rows)
        return -ENODEV;
    rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
    add_columns(d, columns_of(&question));
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(d, json_array_get(rows, i));
    json_decref(rows);
    return 0;
}

/* --- control thread --- */

static void register_command(const char *name, const char *help)
{
    char command[WORD_CHARS];
    snprintf(command, sizeof(command), PREFIX "%s", name);
    rte_telemetry_register_cmd(command, on_command, help);
}

void telemetry_init(struct telemetry *t, struct live_wake *control)
{
    *t = (struct telemetry){.control = control};
    pthread_mutex_init(&t->askers, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->answered, NULL);
    telemetry_of_process = t;
    for (const struct field *table = live_tables; table->name; table++) {
        char help[HELP_CHARS];
        snprintf(help, sizeof(help), "%s Parameter: number of the first row (0)", table->meaning->sentence);
        register_command(table->name, help);
    }
    for (const struct live_tables_order *order = live_tables_orders; order->name; order++)
        register_command(order->name, order->what);
}

bool telemetry_is_asked(const struct telemetry *t)
{
    return atomic_load(&t->is_asked);
}

/* The rows of the answer. */
static json_t *answer(const struct telemetry_question *question, struct live *live)
{
    struct show_page page;
    show_page_init(&page, columns_of(question), question->table ? question->first : 0);
    if (question->table) {
        question->table->each(live, &page.sink);
    } else {
        const char *wrong = question->order->act(live, question->parameters);
        const struct live_tables_answer result = {wrong ? wrong : "ok"};
        field_put(&page.sink, NULL, &result);
    }
    return page.rows;
}

void telemetry_answer(struct telemetry *t, struct live *live)
{
    if (!telemetry_is_asked(t))
        return;
    pthread_mutex_lock(&t->lock);
    t->rows = answer(t->question, live);
    atomic_store(&t->is_asked, false);
    pthread_cond_broadcast(&t->answered);
    pthread_mutex_unlock(&t->lock);
}

void telemetry_stop(struct telemetry *t)
{
    if (!t->control)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_over = true;
    pthread_cond_broadcast(&t->answered);
    pthread_mutex_unlock(&t->lock);
}
