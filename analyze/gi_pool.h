/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of one size, taken and put back by number. The address range is reserved at the start; a record
 * gets memory at its first use, so resident memory follows the largest number in use.
 */
#ifndef ANALYZE_GI_POOL_H
#define ANALYZE_GI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GI_POOL_NONE UINT32_MAX

/* Invariant: `touched` records were used at some time, `count` are in use. */
struct gi_pool {
    uint8_t *records;
    size_t record_octets;
    uint32_t limit, touched, count, free;
};

/* record_octets: at least 4, a multiple of 8. False: no room in the address space. */
bool gi_pool_new(struct gi_pool *p, uint32_t limit, size_t record_octets);
void gi_pool_free(struct gi_pool *p);

/* The number of a zeroed record; GI_POOL_NONE: all are in use. */
uint32_t gi_pool_take(struct gi_pool *p);
void gi_pool_put(struct gi_pool *p, uint32_t number);

static inline void *gi_pool_at(const struct gi_pool *p, uint32_t number)
{
    return p->records + number * p->record_octets;
}

#endif
