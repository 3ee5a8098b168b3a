/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of a process over DPDK's telemetry socket and over its own (telemetry_socket.h), made of the rows of
 * field.h:
 *
 *   "/gbflow/ms,ROW"       a dictionary of numbers and texts: a row of a table, from 0 on; a value that is
 * not known is left out, and beyond the table there is none
 *   "/gbflow/ms"           a dictionary: "rows", their number
 *   "/gbflow/drops"        of a table of names with a counter: a dictionary of its counters
 *   "/gbflow/table/ms"     for show.h: a list of lists of texts: names of columns, kinds of columns (n or s),
 *                          then rows; with ",FIRST" the rows from FIRST on; without rows: beyond the table
 *   "/gbflow/capture_stop" an order: a dictionary with its "result"
 *
 * DPDK 22.11 has no lists of dictionaries, so the form is that of "/ethdev/stats,PORT".
 *
 * DPDK calls from threads of its own, as that of metrics does. A query waits for the control thread, which
 * answers between its other work, so that only the control thread reads control's data. The commands of
 * telemetry_socket.h are answered in the control thread itself.
 */
#ifndef CONTROL_SHOW_TELEMETRY_H
#define CONTROL_SHOW_TELEMETRY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct asker;
struct field;
struct json_t;

/* An order to the process, with parameters; a name NULL ends a list. It has one of act, act_for, tell and
 * follow. */
struct telemetry_order {
    const char *name, *what;
    /* NULL: done; else a message. parameters may be NULL. */
    const char *(*act)(void *record, const char *parameters);
    bool is_read_only;                      /* act() changes nothing: it needs no right to act */
    bool (*is_pending)(const void *record); /* the answer has to wait; NULL: it never has to */
    /* As act(). */
    const char *(*act_for)(void *record, const char *parameters, const struct asker *asker);
    /* Changes nothing; the answer, the caller's. Not at DPDK's socket, whose answers are flat. */
    struct json_t *(*tell)(void *record, const char *parameters);
    /* In the place of act(), of telemetry_socket.h alone: the record sends messages to the client's socket
     * `fd` from now on, until it is told that the client has gone. */
    const char *(*follow)(void *record, const char *parameters, int fd);
    void (*leave)(void *record, int fd);
    /* More of the answer than its result, over gbflow's own socket: an object, the caller's; NULL: no memory.
     * No function: nothing more. */
    struct json_t *(*answer)(const void *record);
};

#define TELEMETRY_NODE "node"
#define TELEMETRY_BSS  "BSS"

/* Carries out an order with act or act_for. */
const char *telemetry_carry_out(const struct telemetry_order *order, void *record, const char *parameters,
                                const struct asker *asker);

/* A list of tables (rows of FIELD_LIST), their record, and orders (NULL: none). */
struct telemetry_source {
    const char *kind; /* of process, in the greeting of telemetry_socket.h: TELEMETRY_NODE or TELEMETRY_BSS */
    const struct field *tables;
    void *record;
    const struct telemetry_order *orders;
    void (*wake)(void *arg); /* any thread: wakes the control thread */
    void *arg;
};

/* One of table and order. */
struct telemetry_question {
    const struct field *table;
    const struct telemetry_order *order;
    unsigned first;         /* of the table's rows */
    bool is_compact;        /* rows are lists of texts; else one dictionary */
    bool is_whole;          /* without a row's number */
    bool is_large;          /* as many rows as TELEMETRY_ROWS; else as many as fit into DPDK's message */
    const char *parameters; /* of the order; NULL: none */
};

struct telemetry {
    struct telemetry_source source;
    pthread_mutex_t askers; /* held by the thread whose query is pending: one at a time */
    pthread_mutex_t lock;   /* of the following */
    pthread_cond_t answered;
    atomic_bool is_asked; /* written by askers and control */
    bool is_over;         /* the process is ending: queries get no answer */
    const struct telemetry_question *question;
    struct json_t *rows;
    bool is_pending;   /* control's: the order is carried out, and its answer waits */
    const char *wrong; /* the order's result meanwhile */
};

#define TELEMETRY_ROWS 1000

/* Any thread but control's: rows of a table from `first` on, objects of numbers and texts, at most
 * TELEMETRY_ROWS, the caller's. NULL: the process is ending, or control has not answered within wait_ns. */
struct json_t *telemetry_ask(struct telemetry *telemetry, const struct field *table, unsigned first,
                             int64_t wait_ns);

/* For telemetry_socket.h, in the control thread: the answer of a table by the command's name behind
 * "/gbflow/", with or without parameters (NULL). The caller's; null: no such table. */
struct json_t *telemetry_reply(const struct telemetry_source *source, const char *name,
                               const char *parameters);

/* Likewise, an order by its name; NULL: there is none. */
const struct telemetry_order *telemetry_order_of(const struct telemetry_source *source, const char *name);

/* Registers the commands, once in a process. */
void telemetry_init(struct telemetry *telemetry, const struct telemetry_source *source);

/* Control thread: whether there is a query that nothing was done for; answers the query, or later. */
bool telemetry_is_asked(const struct telemetry *telemetry);
void telemetry_answer(struct telemetry *telemetry);

/* Control thread: ends pending and later queries without an answer. */
void telemetry_stop(struct telemetry *telemetry);

/* The row of a list of tables with that name; NULL. */
const struct field *telemetry_table(const struct field *tables, const char *name);

#endif
