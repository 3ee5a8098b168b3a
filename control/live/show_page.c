/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_page.h"

#include "control/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PAGE_OCTETS 9000 /* of the 16 KiB that DPDK sends in one message */
#define ROWS_MAX    200
#define CELL_CHARS  120
#define CELL_EXTRA  4 /* quotes, comma and blank */

void show_page_init(struct show_page *page, uint32_t first)
{
    *page = (struct show_page){.first = first, .room_octets = PAGE_OCTETS, .rows = json_array()};
}

bool show_page_row(struct show_page *page)
{
    uint32_t index = page->index++;
    page->row = NULL;
    if (index < page->first || page->room_octets == 0 || json_array_size(page->rows) == ROWS_MAX)
        return false;
    page->row = json_array();
    json_array_append_new(page->rows, page->row);
    return true;
}

void show_page_text(struct show_page *page, const char *text)
{
    char cut[CELL_CHARS + 1];
    if (!page->row)
        return;
    uint32_t octets = (uint32_t)utf8_copy(cut, sizeof(cut), text) + CELL_EXTRA;
    json_array_append_new(page->row, json_string(cut));
    page->room_octets = octets < page->room_octets ? page->room_octets - octets : 0;
}

void show_page_number(struct show_page *page, uint64_t number)
{
    show_page_format(page, "%llu", (unsigned long long)number);
}

void show_page_format(struct show_page *page, const char *format, ...)
{
    char text[CELL_CHARS + 1];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    show_page_text(page, text);
}
