/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_pool.h"

#include <string.h>
#include <sys/mman.h>

bool gi_pool_new(struct gi_pool *p, uint32_t limit, size_t record_octets)
{
    void *at = mmap(NULL, limit * record_octets, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *p = (struct gi_pool){.record_octets = record_octets, .limit = limit, .free = GI_POOL_NONE};
    p->records = at == MAP_FAILED ? NULL : at;
    return p->records != NULL;
}

void gi_pool_free(struct gi_pool *p)
{
    if (p->records)
        munmap(p->records, p->limit * p->record_octets);
    p->records = NULL;
}

uint32_t gi_pool_take(struct gi_pool *p)
{
    uint32_t number = p->free;
    if (number != GI_POOL_NONE) {
        memcpy(&p->free, gi_pool_at(p, number), sizeof(p->free));
        memset(gi_pool_at(p, number), 0, p->record_octets);
    } else if (p->touched < p->limit) {
        number = p->touched++;
    } else {
        return GI_POOL_NONE;
    }
    p->count++;
    return number;
}

void gi_pool_put(struct gi_pool *p, uint32_t number)
{
    memset(gi_pool_at(p, number), 0, p->record_octets);
    memcpy(gi_pool_at(p, number), &p->free, sizeof(p->free));
    p->free = number;
    p->count--;
}
