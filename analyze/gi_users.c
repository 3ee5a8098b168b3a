/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_users.h"

#include <stdlib.h>
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

static void thin(struct gi_users_sketch *s)
{
    s->stride *= 2;
    s->kept /= 2;
    for (uint32_t i = 0; i < s->kept; i++)
        s->values[i] = s->values[i + i];
}

void gi_users_sketch_add(struct gi_users_sketch *s, double value)
{
    if (s->stride == 0)
        s->stride = 1;
    if (s->kept == GI_USERS_SKETCH_VALUES)
        thin(s);
    if (s->count++ % s->stride == 0)
        s->values[s->kept++] = (float)value;
}

static int gi_users_compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double gi_users_sketch_median(const struct gi_users_sketch *s)
{
    float sorted[GI_USERS_SKETCH_VALUES];
    if (s->kept == 0)
        return 0;
    memcpy(sorted, s->values, s->kept * sizeof(sorted[0]));
    qsort(sorted, s->kept, sizeof(sorted[0]), gi_users_compare);
    uint32_t half = s->kept / 2;
    return s->kept % 2 ? (double)sorted[half] : ((double)sorted[half - 1] + (double)sorted[half]) / 2;
}

bool gi_users_new(struct gi_users *u, uint32_t limit)
{
    u->refused = 0;
    for (unsigned i = 0; i < GI_USERS_STRANGERS; i++)
        u->strangers[i] = (struct gi_stranger){.last_ns = INT64_MIN};
    return gi_pool_new(&u->pool, limit, sizeof(struct gi_user)) && u64_map_new(&u->map, limit);
}

void gi_users_free(struct gi_users *u)
{
    gi_pool_free(&u->pool);
    if (u->map.slots)
        u64_map_free(&u->map);
}

uint64_t gi_users_hash(struct gi_address a)
{
    uint64_t x = a.low ^ a.high * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

uint64_t gi_users_pair(struct gi_address a, uint16_t a_port, struct gi_address b, uint16_t b_port)
{
    uint64_t one = gi_users_hash(a) + (uint64_t)a_port * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t two = gi_users_hash(b) + (uint64_t)b_port * UINT64_C(0x9e3779b97f4a7c15);
    return gi_users_hash((struct gi_address){.high = one + two, .low = one ^ two});
}

uint32_t gi_users_find(const struct gi_users *u, struct gi_address a)
{
    uint32_t number = u64_map_get(&u->map, gi_users_hash(a));
    return number != U64_MAP_NONE && gi_packet_is_same(gi_users_at(u, number)->address, a) ? number
                                                                                           : GI_USERS_NONE;
}

static struct gi_stranger *stranger_of(struct gi_users *u, struct gi_address a)
{
    return &u->strangers[gi_users_hash(a) % GI_USERS_STRANGERS];
}

uint32_t gi_users_add(struct gi_users *u, struct gi_address a)
{
    uint32_t number = gi_users_find(u, a);
    if (number != GI_USERS_NONE)
        return number;
    number = gi_pool_take(&u->pool);
    if (number == GI_POOL_NONE || u64_map_add(&u->map, gi_users_hash(a), number) < 0) {
        if (number != GI_POOL_NONE)
            gi_pool_put(&u->pool, number);
        u->refused++;
        return GI_USERS_NONE;
    }
    const struct gi_stranger *s = stranger_of(u, a);
    struct gi_user *user = gi_users_at(u, number);
    user->address = a;
    user->last_ns = gi_packet_is_same(s->address, a) ? s->last_ns : INT64_MIN;
    return number;
}

void gi_users_meet(struct gi_users *u, const struct gi_packet *p)
{
    *stranger_of(u, p->src) = (struct gi_stranger){p->src, p->at_ns};
    *stranger_of(u, p->dst) = (struct gi_stranger){p->dst, p->at_ns};
}
