/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_table.h"

#include "dataplane/base/moment.h"

#define ROUNDS 8 /* of the sweep in idle_s */

bool gi_table_new(struct gi_table *t, uint32_t limit)
{
    *t = (struct gi_table){.swept_ns = INT64_MIN};
    return gi_pool_new(&t->pool, limit, sizeof(struct gi_conn)) && u64_map_new(&t->map, limit);
}

void gi_table_free(struct gi_table *t)
{
    gi_pool_free(&t->pool);
    if (t->map.slots)
        u64_map_free(&t->map);
}

/* The same for both directions. */
static uint64_t key_of(struct gi_address a, uint16_t a_port, struct gi_address b, uint16_t b_port)
{
    uint64_t one = gi_users_hash(a) + (uint64_t)a_port * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t two = gi_users_hash(b) + (uint64_t)b_port * UINT64_C(0x9e3779b97f4a7c15);
    return gi_users_hash((struct gi_address){.high = one + two, .low = one ^ two});
}

static bool is_of(const struct gi_conn *c, const struct gi_packet *p)
{
    bool is_up = c->mobile_port == p->src_port && c->server_port == p->dst_port &&
                 gi_packet_is_same(c->mobile, p->src) && gi_packet_is_same(c->server, p->dst);
    return is_up || (c->mobile_port == p->dst_port && c->server_port == p->src_port &&
                     gi_packet_is_same(c->mobile, p->dst) && gi_packet_is_same(c->server, p->src));
}

struct gi_conn *gi_table_find(const struct gi_table *t, const struct gi_packet *p)
{
    uint32_t number = u64_map_get(&t->map, key_of(p->src, p->src_port, p->dst, p->dst_port));
    struct gi_conn *c = number == U64_MAP_NONE ? NULL : gi_pool_at(&t->pool, number);
    return c && is_of(c, p) ? c : NULL;
}

struct gi_conn *gi_table_add(struct gi_table *t, const struct gi_packet *p)
{
    uint32_t number = gi_pool_take(&t->pool);
    if (number != GI_POOL_NONE &&
        u64_map_add(&t->map, key_of(p->src, p->src_port, p->dst, p->dst_port), number) == 0)
        return gi_pool_at(&t->pool, number);
    if (number != GI_POOL_NONE)
        gi_pool_put(&t->pool, number);
    t->refused++;
    return NULL;
}

static uint32_t number_of(const struct gi_table *t, const struct gi_conn *c)
{
    return (uint32_t)((size_t)((const uint8_t *)c - t->pool.records) / t->pool.record_octets);
}

void gi_table_delete(struct gi_table *t, struct gi_conn *c)
{
    uint32_t number = number_of(t, c);
    u64_map_del(&t->map, key_of(c->mobile, c->mobile_port, c->server, c->server_port), number);
    gi_pool_put(&t->pool, number);
}

static bool is_over(const struct gi_conn *c, const struct gi_limits *limits, int64_t now)
{
    int64_t wait_ns = gi_conn_has_ended(c) ? moment_min(limits->closed_ns, limits->idle_ns) : limits->idle_ns;
    return c->is_open && now - c->last_ns >= wait_ns;
}

struct gi_conn *gi_table_sweep(struct gi_table *t, const struct gi_limits *limits, int64_t now)
{
    int64_t step_ns = limits->idle_ns / ROUNDS / (t->pool.touched + 1) + 1;
    if (t->swept_ns == INT64_MIN || t->pool.touched == 0)
        t->swept_ns = now;
    /* After a long gap one round suffices. */
    t->swept_ns = moment_max(t->swept_ns, now - step_ns * t->pool.touched);
    while (t->swept_ns + step_ns <= now) {
        t->hand = t->hand < t->pool.touched ? t->hand : 0;
        struct gi_conn *c = gi_pool_at(&t->pool, t->hand++);
        t->swept_ns += step_ns;
        if (is_over(c, limits, now))
            return c;
    }
    return NULL;
}

struct gi_conn *gi_table_any(struct gi_table *t)
{
    for (; t->hand < t->pool.touched; t->hand++) {
        struct gi_conn *c = gi_pool_at(&t->pool, t->hand);
        if (c->is_open)
            return c;
    }
    return NULL;
}
