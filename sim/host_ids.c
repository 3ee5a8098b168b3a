/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_ids.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_ROWS  4 /* a power of two */
#define HASH_FACTOR UINT32_C(2654435769)

bool host_ids_new(struct host_ids *ids, uint32_t max)
{
    *ids =
        (struct host_ids){.rows = calloc(FIRST_ROWS, sizeof(*ids->rows)), .mask = FIRST_ROWS - 1, .max = max};
    return ids->rows != NULL;
}

void host_ids_free(struct host_ids *ids)
{
    free(ids->rows);
    *ids = (struct host_ids){0};
}

/* The row of an address, or the free one for it. */
static struct host_ids_row *row_of(const struct host_ids *ids, uint32_t address)
{
    uint32_t i = (address * HASH_FACTOR >> 8) & ids->mask;
    while (ids->rows[i].is_used && ids->rows[i].address != address)
        i = (i + 1) & ids->mask;
    return &ids->rows[i];
}

static void grow(struct host_ids *ids)
{
    struct host_ids old = *ids;
    ids->mask = 2 * old.mask + 1;
    ids->rows = calloc((size_t)ids->mask + 1, sizeof(*ids->rows));
    if (!ids->rows) {
        fprintf(stderr, "gbflow: out of memory for IPv4 identifications\n");
        exit(1);
    }
    for (uint32_t i = 0; i <= old.mask; i++)
        if (old.rows[i].is_used)
            *row_of(ids, old.rows[i].address) = old.rows[i];
    free(old.rows);
}

uint16_t host_ids_take(struct host_ids *ids, uint32_t address, bool *is_full)
{
    struct host_ids_row *row = row_of(ids, address);
    *is_full = !row->is_used && ids->count == ids->max;
    if (*is_full)
        return ids->shared++;
    if (!row->is_used) {
        if (2 * (ids->count + 1) > ids->mask) {
            grow(ids);
            row = row_of(ids, address);
        }
        *row = (struct host_ids_row){.address = address, .is_used = true};
        ids->count++;
    }
    return row->next++;
}
