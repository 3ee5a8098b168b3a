/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of `gbflow show` (docs/serve.md). Control makes them from its own data; of the workers it reads
 * only single counters, while they count.
 */
#ifndef CONTROL_LIVE_TABLES_H
#define CONTROL_LIVE_TABLES_H

#include "control/report/field.h"

struct live;

/* A row for each table, a list of records by name; record: struct live. */
extern const struct field live_tables[];

/* The table of that name, NULL. */
const struct field *live_tables_find(const char *name);

/* An order to the node, with parameters. */
struct live_tables_order {
    const char *name, *what;
    /* NULL: done; else a message. parameters may be NULL. */
    const char *(*act)(struct live *live, const char *parameters);
};

/* All orders; a name NULL ends them. */
extern const struct live_tables_order live_tables_orders[];
const struct live_tables_order *live_tables_find_order(const char *name);

/* The answer to an order, a table of one record: "ok", or a message. */
struct live_tables_answer {
    const char *result;
};
extern const struct field live_tables_answer[];

#endif
