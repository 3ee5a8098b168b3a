/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of a table of texts, as a socket with messages of a limited length takes it: the rows from `first`
 * on, as many as have room. Rows are offered in order, all of them; those before and behind the part are
 * passed over.
 */
#ifndef CONTROL_LIVE_SHOW_PAGE_H
#define CONTROL_LIVE_SHOW_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct show_page {
    uint32_t first, index; /* of the part's first row, and of the row at hand */
    uint32_t room_octets;
    json_t *rows; /* list of lists of texts */
    json_t *row;  /* the one at hand, NULL: not in this part */
};

/* rows is the caller's when the page has ended. */
void show_page_init(struct show_page *page, uint32_t first);

/* Begins the next row. False: it is not in this part, and its cells need not be made. */
bool show_page_row(struct show_page *page);

/* Its cells. A text is cut where it gets too long for the socket. */
void show_page_text(struct show_page *page, const char *text);
void show_page_number(struct show_page *page, uint64_t number);
__attribute__((format(printf, 2, 3))) void show_page_format(struct show_page *page, const char *format, ...);

#endif
