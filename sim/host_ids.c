/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_ids.h"

#include <stdlib.h>

#define HASH_FACTOR UINT32_C(2654435769)

bool host_ids_new(struct host_ids *ids, uint32_t max)
{
    uint32_t rows = 2;
    while (rows < 2 * max)
        rows *= 2;
    *ids = (struct host_ids){.rows = calloc(rows, sizeof(*ids->rows)), .mask = rows - 1, .max = max};
    return ids->rows != NULL;
}

void host_ids_free(struct host_ids *ids)
{
    free(ids->rows);
    *ids = (struct host_ids){0};
}

uint16_t host_ids_take(struct host_ids *ids, uint32_t address, bool *is_full)
{
    uint32_t i = (address * HASH_FACTOR >> 8) & ids->mask;
    while (ids->rows[i].is_used && ids->rows[i].address != address)
        i = (i + 1) & ids->mask;
    struct host_ids_row *row = &ids->rows[i];
    *is_full = !row->is_used && ids->count == ids->max;
    if (*is_full)
        return ids->shared++;
    if (!row->is_used) {
        *row = (struct host_ids_row){.address = address, .is_used = true};
        ids->count++;
    }
    return row->next++;
}
