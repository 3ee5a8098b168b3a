/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/show_page.h"

#include "control/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static const char *text_of(struct field_value value, char out[CELL_CHARS + 1])
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
    uint32_t octets = (uint32_t)utf8_copy(cut, sizeof(cut), text_of(value, room)) + CELL_EXTRA;
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

static void put(struct field_sink *sink, const char *key, const void *record)
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

void show_page_init(struct show_page *page, const struct field *fields, uint32_t first, bool is_named)
{
    *page = (struct show_page){.sink = {.put = put, .wants = wants},
                               .fields = fields,
                               .first = first,
                               .is_named = is_named,
                               .room_octets = PAGE_OCTETS,
                               .room_rows = ROWS_MAX,
                               .rows = json_array()};
}

void show_page_allow(struct show_page *page, uint32_t rows)
{
    page->room_octets = UINT32_MAX;
    page->room_rows = rows;
}

void show_page_columns(const struct field *fields, json_t *names, json_t *kinds)
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
