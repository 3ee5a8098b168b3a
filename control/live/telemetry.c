/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/telemetry.h"

#include "control/live/live.h"
#include "control/live/tables.h"

#include <errno.h>
#include <rte_telemetry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     "/gbflow/"
#define WORDS_MAX  32
#define WORD_CHARS 64

/* DPDK 22.11 hands no argument of ours to a command. */
static struct telemetry *telemetry_of_process;

/* --- the asking thread --- */

/* The rows of a table, the caller's; NULL: the node is ending. */
static json_t *ask(struct telemetry *t, const struct live_show_table *table, const char *parameters)
{
    json_t *rows;
    pthread_mutex_lock(&t->askers);
    pthread_mutex_lock(&t->lock);
    t->table = table;
    t->first = parameters ? (unsigned)strtoul(parameters, NULL, 10) : 0;
    t->parameters = parameters;
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

/* "nsei:n state:s" as two rows: names, kinds. */
static void add_columns(struct rte_tel_data *d, const char *columns)
{
    json_t *names = json_array(), *kinds = json_array();
    char name[WORD_CHARS], kind[2];
    int used;
    for (; sscanf(columns, " %63[^:]:%1s%n", name, kind, &used) == 2; columns += used) {
        json_array_append_new(names, json_string(name));
        json_array_append_new(kinds, json_string(kind));
    }
    add_row(d, names);
    add_row(d, kinds);
    json_decref(names);
    json_decref(kinds);
}

static int on_command(const char *command, const char *params, struct rte_tel_data *d)
{
    const struct live_show_table *table = live_show_find(command + strlen(PREFIX));
    json_t *rows = table && telemetry_of_process ? ask(telemetry_of_process, table, params) : NULL;

    if (!rows)
        return -ENODEV;
    rte_tel_data_start_array(d, RTE_TEL_CONTAINER);
    add_columns(d, table->columns);
    for (size_t i = 0; i < json_array_size(rows); i++)
        add_row(d, json_array_get(rows, i));
    json_decref(rows);
    return 0;
}

/* --- control --- */

void telemetry_init(struct telemetry *t, struct live_wake *control)
{
    *t = (struct telemetry){.control = control};
    pthread_mutex_init(&t->askers, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->answered, NULL);
    telemetry_of_process = t;
    for (const struct live_show_table *table = live_show_tables; table->name; table++) {
        char command[WORD_CHARS], help[128];
        snprintf(command, sizeof(command), PREFIX "%s", table->name);
        snprintf(help, sizeof(help),
                 table->act ? "Orders %s" : "Shows %s. Parameter: number of the first row (0)", table->what);
        rte_telemetry_register_cmd(command, on_command, help);
    }
}

bool telemetry_is_asked(const struct telemetry *t)
{
    return atomic_load(&t->is_asked);
}

static void carry_out(const struct telemetry *t, struct live *live, struct show_page *page)
{
    const char *wrong = t->table->act(live, t->parameters);
    if (show_page_row(page))
        show_page_text(page, wrong ? wrong : "ok");
}

void telemetry_answer(struct telemetry *t, struct live *live)
{
    struct show_page page;
    if (!telemetry_is_asked(t))
        return;
    pthread_mutex_lock(&t->lock);
    show_page_init(&page, t->table->act ? 0 : t->first);
    if (t->table->act)
        carry_out(t, live, &page);
    else
        t->table->fill(live, &page);
    t->rows = page.rows;
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
