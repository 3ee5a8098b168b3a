/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_users.h"

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
