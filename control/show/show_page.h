/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A page of a table, for a socket with messages of limited length: the records from number `first` on, as
 * many as fit. All records are put into its sink, in order; those before and behind the page are ignored.
 */
#ifndef CONTROL_SHOW_SHOW_PAGE_H
#define CONTROL_SHOW_SHOW_PAGE_H

#include "control/report/field.h"

#include <jansson.h>
#include <stdint.h>

struct show_page {
    struct field_sink sink;
    const struct field *fields;
    uint32_t first, index; /* of the page's first record, and of the next record to be put */
    uint32_t room_octets, room_rows;
    bool is_named; /* a row is an object of integers and texts; else a list of texts, a cell for each field */
    json_t *rows;
};

/* For records of these fields. rows is the caller's when the page has ended. */
void show_page_init(struct show_page *page, const struct field *fields, uint32_t first, bool is_named);

/* Without a limit of octets, and up to `rows`. */
void show_page_allow(struct show_page *page, uint32_t rows);

/* Names and kinds ("n": number, "s": text) of the columns, appended to two lists. */
void show_page_columns(const struct field *fields, json_t *names, json_t *kinds);

#endif
