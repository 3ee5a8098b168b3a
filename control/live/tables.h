/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables that a running node shows (docs/serve.md). Made by control from what it knows itself; of the
 * workers only single counters are read, while they count.
 */
#ifndef CONTROL_LIVE_TABLES_H
#define CONTROL_LIVE_TABLES_H

#include "control/live/show_page.h"

struct live;

struct live_show_table {
    const char *name, *what;
    const char *columns; /* "name:n other:s", n: numbers, s: texts */
    void (*fill)(const struct live *live, struct show_page *page);
    /* An order instead, with parameters or NULL: its one row, "result:s", is "ok" or what is wrong. */
    const char *(*act)(struct live *live, const char *parameters);
};

/* All tables; a name NULL ends them. */
extern const struct live_show_table live_show_tables[];

/* The table of that name, NULL. */
const struct live_show_table *live_show_find(const char *name);

#endif
