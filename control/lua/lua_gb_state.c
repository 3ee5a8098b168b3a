/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gb_state.h"

#include "control/lua/lua_table.h"

/* Calls a method of the control plane without arguments; pushes its result. */
static void push(const struct lua_gb *gb, const char *method)
{
    lua_object_push(&gb->object, method);
    lua_object_ask(&gb->object, 0, 1);
}

/* The argument of functions for lua_table_each(): the caller's fn and its arg. */
struct visit {
    void *arg;
    void (*on_nsvc)(void *arg, const struct lua_gb_state_nsvc *nsvc);
    void (*on_bvc)(void *arg, const struct lua_gb_state_bvc *bvc);
    void (*on_count)(void *arg, const struct lua_gb_state_count *count);
};

static uint32_t number(lua_State *L, const char *key)
{
    return (uint32_t)lua_table_integer(L, key);
}

static void read_nsvc(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    struct lua_gb_state_nsvc nsvc = {
        .nsei = number(L, "nsei"), .nsvci = number(L, "nsvci"), .index = number(L, "index")};
    lua_table_text(L, "state", nsvc.state, sizeof(nsvc.state));
    lua_table_text(L, "test", nsvc.test, sizeof(nsvc.test));
    visit->on_nsvc(visit->arg, &nsvc);
}

static void read_bvc(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    struct lua_gb_state_bvc bvc = {.nsei = number(L, "nsei"),
                                   .bvci = number(L, "bvci"),
                                   .is_usable = lua_table_boolean(L, "usable"),
                                   .own_buckets = number(L, "own_buckets")};
    lua_table_text(L, "state", bvc.state, sizeof(bvc.state));
    if (lua_table_enter(L, "announced")) {
        bvc.is_announced = true;
        bvc.bucket_octets = (uint64_t)lua_table_integer(L, "bucket_octets");
        bvc.rate_bps = (uint64_t)lua_table_integer(L, "rate_bps");
        bvc.ms_bucket_octets = (uint64_t)lua_table_integer(L, "ms_bucket_octets");
        bvc.ms_rate_bps = (uint64_t)lua_table_integer(L, "ms_rate_bps");
        lua_pop(L, 1);
    }
    visit->on_bvc(visit->arg, &bvc);
}

static void read_count(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    lua_getfield(L, -1, "name");
    struct lua_gb_state_count count = {.name = lua_tostring(L, -1)};
    lua_pop(L, 1); /* the table keeps the text alive */
    count.count = (uint64_t)lua_table_integer(L, "count");
    visit->on_count(visit->arg, &count);
}

void lua_gb_state_nsvcs(const struct lua_gb *gb, void *arg,
                        void (*fn)(void *arg, const struct lua_gb_state_nsvc *nsvc))
{
    struct visit visit = {.arg = arg, .on_nsvc = fn};
    push(gb, "state");
    lua_table_each(gb->object.L, "nsvcs", read_nsvc, &visit, 0);
    lua_pop(gb->object.L, 1);
}

void lua_gb_state_bvcs(const struct lua_gb *gb, void *arg,
                       void (*fn)(void *arg, const struct lua_gb_state_bvc *bvc))
{
    struct visit visit = {.arg = arg, .on_bvc = fn};
    push(gb, "state");
    lua_table_each(gb->object.L, "bvcs", read_bvc, &visit, 0);
    lua_pop(gb->object.L, 1);
}

void lua_gb_state_counts(const struct lua_gb *gb, void *arg,
                         void (*fn)(void *arg, const struct lua_gb_state_count *count))
{
    struct visit visit = {.arg = arg, .on_count = fn};
    push(gb, "count_list");
    lua_table_each(gb->object.L, "counts", read_count, &visit, 0);
    lua_pop(gb->object.L, 1);
}

bool lua_gb_state_ms(const struct lua_gb *gb, uint32_t tlli, int64_t now, struct lua_gb_state_ms *ms)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "ms_state");
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, now);
    lua_object_ask(&gb->object, 2, 1);
    bool is_there = lua_istable(L, -1);
    if (is_there)
        *ms = (struct lua_gb_state_ms){.nsei = number(L, "nsei"),
                                       .bvci = number(L, "bvci"),
                                       .moves = number(L, "moves"),
                                       .is_suspended = lua_table_boolean(L, "suspended"),
                                       .is_paged = lua_table_boolean(L, "paged")};
    lua_pop(L, 1);
    return is_there;
}
