/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of the node over DPDK's telemetry socket: "/gbflow/nse", and "/gbflow/nse,FIRST" for the rows from
 * FIRST on. The answer is a list of lists of texts: names of columns, kinds of columns (n or s), then rows;
 * without rows: FIRST is beyond the table. Commands, "/gbflow/capture_start,...", answer with one row.
 *
 * DPDK calls from threads of its own. A query waits for the control thread, which answers between its other
 * work, so that only the control thread reads control's data.
 */
#ifndef CONTROL_LIVE_TELEMETRY_H
#define CONTROL_LIVE_TELEMETRY_H

#include "control/live/wake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct field;
struct json_t;
struct live;
struct live_tables_order;

/* One of table and order. */
struct telemetry_question {
    const struct field *table;
    const struct live_tables_order *order;
    unsigned first;         /* of the table's rows */
    const char *parameters; /* of the order; NULL: none */
};

struct telemetry {
    struct live_wake *control;
    pthread_mutex_t askers; /* held by the thread whose query is pending: one at a time */
    pthread_mutex_t lock;   /* of the following */
    pthread_cond_t answered;
    atomic_bool is_asked; /* written by askers and control */
    bool is_over;         /* the node is ending: queries get no answer */
    const struct telemetry_question *question;
    struct json_t *rows;
};

/* Registers the commands, once in a process. */
void telemetry_init(struct telemetry *telemetry, struct live_wake *control);

/* Control thread: whether a query is pending; answers it. */
bool telemetry_is_asked(const struct telemetry *telemetry);
void telemetry_answer(struct telemetry *telemetry, struct live *live);

/* Control thread: ends pending and later queries without an answer. */
void telemetry_stop(struct telemetry *telemetry);

#endif
