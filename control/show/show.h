/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow show` reads a table of a running node over its socket and prints it: the client of
 * telemetry_socket.h. An answer that takes longer than 5 s is an error. */
#ifndef CONTROL_SHOW_SHOW_H
#define CONTROL_SHOW_SHOW_H

#include "control/base/words.h"

#include <stdbool.h>
#include <stddef.h>

struct field;
struct json_t;

#define SHOW_HEADER_ROWS 2 /* of show_rows(): names and kinds */

#define SHOW_ALL         "all"
#define SHOW_COLUMNS_MAX 64
#define SHOW_NAME_CHARS  64

struct show_options {
    const char *what, *path;   /* path: of show_find() */
    const struct field *table; /* the table `what` */
    const char *columns;       /* names in order, separated by commas, or SHOW_ALL; NULL: all that fit */
    const char *begin;         /* of the first column's values; NULL: any */
    bool is_json;
    double watch_s; /* time between two tables of show_watch() */
};

/* The names of a table's columns. */
void show_list_columns(const struct field *table, struct words *words);

/* The first name of a list that is no column of a table; static. NULL: all are, or list is NULL. */
const char *show_wrong_column(const struct field *table, const char *list);

/* The socket of the process of a name, with NULL of the only one that runs: of this kind (telemetry.h), or of
 * any if none is of this kind. Static. NULL, with a line on stderr: there is none, or several run. */
const char *show_find(const char *prefix, const char *kind);

/* Sends a command to a running node. False, with a line on stderr: it failed, or no answer came in time,
 * where `look` (the gbflow command that shows whether it has begun) is named, too. */
bool show_order(const char *path, const char *what, const char *parameters, const char *look);

/* The same, and prints the messages that the process sends from then on, a line each, until the process ends
 * (false, with a line on stderr). A signal ends the caller. */
bool show_follow(const char *path, const char *what, const char *parameters);

#define SHOW_TIMEOUT_S 5

/* The first message of a running process, on itself: "version", "pid", "kind", "acts"; the caller's. NULL,
 * with a line on stderr: it does not answer. */
struct json_t *show_greeting(const char *path);

/* The answer of a running node to an order with parameters, the caller's. NULL, with a line on stderr: it
 * does not answer within timeout_s. */
struct json_t *show_tell(const char *path, const char *what, const char *parameters, int timeout_s);

/* Whether the answer's result is "ok"; else with a line on stderr, but none if it is NULL. */
bool show_is_done(const struct json_t *answer);

/* Prints all of one subscriber, by IMSI, TLLI, P-TMSI or address. False, with a line on stderr: no such
 * subscriber, or no node answers. */
bool show_subscriber(const char *path, const char *key, bool is_json);

/* A table's rows, behind two that name the columns and their kinds; the caller's. NULL, with a line on
 * stderr, when no node answers, or not within 5 s. */
struct json_t *show_rows(const char *path, const char *what);

/* Prints rows on stdout (show_print.c): `columns` of the options, else all; on a terminal, whose width is
 * known, those that fit, the most important ones first, and one row that does not fit as lines `name: value`.
 */
void show_print(const struct show_options *options, const struct json_t *rows);

/* A cell's text, "" if there is none. Row 0 has names, row 1 kinds. */
const char *show_cell(const struct json_t *rows, size_t row, size_t column);

/* The first name of a list, between commas; returns the list behind it, NULL: that was all. */
const char *show_take_name(const char *list, char name[SHOW_NAME_CHARS]);

/* False, with a line on stderr, when no node answers. */
bool show_table(const struct show_options *options);

/* The same every watch_s seconds, counters as their increase a second, until the process is ended (true after
 * SIGINT) or no node answers (false). On a terminal each table replaces the one before. */
bool show_watch(const struct show_options *options);

#endif
