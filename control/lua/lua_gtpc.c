/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gtpc.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <sys/random.h>

int lua_gtpc_random(lua_State *L)
{
    uint64_t limit = (uint64_t)luaL_checkinteger(L, 1), number;
    luaL_argcheck(L, limit >= 1 && limit <= UINT32_MAX, 1, "out of range 1 .. 4294967295");
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return luaL_error(L, "getrandom() gives no random number");
    lua_pushinteger(L, (lua_Integer)(number % limit) + 1);
    return 1;
}

/* may_answer(theirs, now, is_proven): whether one more answer may be sent to an address; if so, charges it.
 * Its upvalue is the struct lua_gtpc. */
static int may_answer(lua_State *L)
{
    struct lua_gtpc *gtpc = lua_touserdata(L, lua_upvalueindex(1));
    struct budget *budget = lua_toboolean(L, 3) ? &gtpc->ggsn_answers : &gtpc->answers;
    const char *theirs = luaL_checkstring(L, 1);
    int64_t now = luaL_checkinteger(L, 2);
    uint8_t octets[16];
    if (inet_pton(AF_INET, theirs, octets) == 1)
        lua_pushboolean(L, budget_take(budget, budget_source_ipv4(bytes_get_u32(octets)), now));
    else if (inet_pton(AF_INET6, theirs, octets) == 1)
        lua_pushboolean(L, budget_take(budget, budget_source_ipv6(octets), now));
    else
        return luaL_argerror(L, 1, "not an IP address");
    return 1;
}

void lua_gtpc_init(struct lua_gtpc *gtpc, const struct lua_intents *intents, uint8_t recovery)
{
    lua_object_push_new(intents->L, "gn.sessions");
    lua_host_require(intents->L, "wire.gtpc");
    lua_pushinteger(intents->L, recovery);
    lua_pushcfunction(intents->L, lua_gtpc_random);
    budget_init(&gtpc->answers);
    budget_init(&gtpc->ggsn_answers);
    lua_pushlightuserdata(intents->L, gtpc);
    lua_pushcclosure(intents->L, may_answer, 1);
    lua_object_init(&gtpc->object, intents, "gtpc", 5);
}

void lua_gtpc_fini(struct lua_gtpc *gtpc)
{
    lua_object_fini(&gtpc->object);
}

/* --- calls --- */

void lua_gtpc_add(struct lua_gtpc *gtpc, const struct lua_gtpc_wanted *wanted, int64_t now)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "add");
    lua_pushinteger(L, (lua_Integer)wanted->id);
    lua_createtable(L, 0, 16);
    lua_table_set_text(L, "imsi", wanted->imsi);
    lua_table_set_text(L, "msisdn", wanted->msisdn);
    lua_table_set_text(L, "imeisv", wanted->imeisv);
    lua_table_set_text(L, "apn", wanted->apn);
    lua_table_set_text(L, "pdp_type", wanted->pdp_type);
    lua_table_set_text(L, "class", wanted->qclass);
    lua_table_set_text(L, "ours", wanted->ours);
    lua_table_set_text(L, "ggsn", wanted->ggsn);
    lua_table_set_text(L, "ipv4", wanted->ipv4);
    lua_table_set_text(L, "ipv6", wanted->ipv6);
    lua_table_set_integer(L, "teid", wanted->teid);
    lua_table_set_integer(L, "nsapi", wanted->nsapi);
    if (wanted->pco) {
        lua_pushlstring(L, (const char *)wanted->pco, wanted->pco_octets);
        lua_setfield(L, -2, "pco");
    }
    if (wanted->tft) {
        lua_pushlstring(L, (const char *)wanted->tft, wanted->tft_octets);
        lua_setfield(L, -2, "tft");
    }
    if (wanted->linked) {
        lua_pushinteger(L, (lua_Integer)wanted->linked);
        lua_setfield(L, -2, "linked");
    }
    lua_table_set_boolean(L, "is_once", wanted->is_once);
    lua_table_set_integer(L, "zone", wanted->place.zone);
    if (wanted->charging)
        lua_table_set_integer(L, "charging", wanted->charging);
    if (wanted->taken) {
        lua_pushlstring(L, wanted->taken, wanted->taken_octets);
        lua_setfield(L, -2, "taken");
    }
    if (wanted->place.has_cell) {
        lua_pushlstring(L, (const char *)wanted->place.cell, AREA_CELL);
        lua_setfield(L, -2, "cell");
    }
    lua_object_call(&gtpc->object, 2, now);
}

void lua_gtpc_set_place(struct lua_gtpc *gtpc, uint64_t id, const struct lua_gtpc_place *place)
{
    if (place->has_cell)
        lua_object_put(&gtpc->object, "set_place", LUA_ARG(id), LUA_ARG(place->zone),
                       LUA_OCTETS(place->cell, AREA_CELL));
    else
        lua_object_put(&gtpc->object, "set_place", LUA_ARG(id), LUA_ARG(place->zone));
}

void lua_gtpc_del(struct lua_gtpc *gtpc, uint64_t id, int64_t now)
{
    lua_object_send(&gtpc->object, now, "del", LUA_ARG(id));
}

void lua_gtpc_moved(struct lua_gtpc *gtpc, uint64_t id, int64_t now)
{
    lua_object_send(&gtpc->object, now, "moved", LUA_ARG(id));
}

void lua_gtpc_rim(struct lua_gtpc *gtpc, const struct lua_field_octets *pdu,
                  const struct lua_field_octets *routing, int64_t now)
{
    lua_object_send(&gtpc->object, now, "rim", LUA_OCTETS(pdu->bytes, pdu->count),
                    LUA_OCTETS(routing->bytes, routing->count));
}

void lua_gtpc_configure(struct lua_gtpc *gtpc, lua_State *from, int64_t now)
{
    lua_object_push(&gtpc->object, "configure");
    lua_getfield(from, -1, "phones");
    lua_table_copy(gtpc->object.L, from);
    lua_pop(from, 1);
    lua_object_call(&gtpc->object, 1, now);
}

void lua_gtpc_sgsn(struct lua_gtpc *gtpc, const void *octets, size_t count,
                   const uint64_t ids[LUA_GTPC_NSAPIS], int64_t now)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "sgsn");
    lua_pushlstring(L, octets, count);
    lua_newtable(L);
    for (int nsapi = 0; nsapi < LUA_GTPC_NSAPIS; nsapi++) {
        if (ids[nsapi] == 0)
            continue;
        lua_pushinteger(L, (lua_Integer)ids[nsapi]);
        lua_seti(L, -2, nsapi);
    }
    lua_object_call(&gtpc->object, 2, now);
}

void lua_gtpc_set_teid(struct lua_gtpc *gtpc, uint64_t id, uint32_t teid)
{
    lua_object_put(&gtpc->object, "set_teid", LUA_ARG(id), LUA_ARG(teid));
}

void lua_gtpc_change(struct lua_gtpc *gtpc, uint64_t id, const struct lua_gtpc_change *change, int64_t now)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "change");
    lua_pushinteger(L, (lua_Integer)id);
    lua_pushstring(L, change->qclass);
    if (change->tft)
        lua_pushlstring(L, (const char *)change->tft, change->tft_octets);
    else
        lua_pushnil(L);
    lua_object_call(&gtpc->object, 3, now);
}

void lua_gtpc_lost(struct lua_gtpc *gtpc, uint64_t id, const char *why, int64_t now)
{
    lua_object_send(&gtpc->object, now, "lost", LUA_ARG(id), LUA_ARG(why));
}

void lua_gtpc_check(struct lua_gtpc *gtpc, uint64_t id, int64_t now)
{
    lua_object_send(&gtpc->object, now, "check", LUA_ARG(id));
}

void lua_gtpc_receive(struct lua_gtpc *gtpc, const struct lua_gtpc_way *way, const uint8_t *bytes,
                      size_t octets, int64_t now)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "receive");
    lua_createtable(L, 0, 4);
    lua_table_set_text(L, "ours", way->ours);
    lua_table_set_text(L, "theirs", way->theirs);
    lua_table_set_integer(L, "port", way->port);
    lua_table_set_boolean(L, "is_right_port", way->is_right_port);
    lua_pushlstring(L, (const char *)bytes, octets);
    lua_object_call(&gtpc->object, 2, now);
}

void lua_gtpc_reachable(struct lua_gtpc *gtpc, const char *theirs, int64_t now)
{
    lua_object_send(&gtpc->object, now, "reachable", LUA_ARG(theirs));
}

void lua_gtpc_count(const struct lua_gtpc *gtpc, struct lua_gtpc_counts *counts)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "count");
    lua_object_ask(&gtpc->object, 0, 1);
#define COUNT(name) .name = (uint64_t)lua_table_integer(L, #name)
    *counts = (struct lua_gtpc_counts){
        COUNT(malformed),          COUNT(unexpected),           COUNT(restarts),
        COUNT(refused_requests),   COUNT(foreign_requests),     COUNT(rate_limited),
        COUNT(foreign_addresses),  COUNT(unconfirmed_restarts), COUNT(unconfirmed_errors),
        COUNT(unchecked_requests), COUNT(control_errors),       COUNT(repeated_requests),
        COUNT(unknown_types),      COUNT(other_versions),       COUNT(rim_sent),
        COUNT(rim_received)};
#undef COUNT
    lua_pop(L, 1);
}

bool lua_gtpc_is_empty(const struct lua_gtpc *gtpc)
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "is_empty");
    bool is_empty = lua_object_ask(&gtpc->object, 0, 1) && lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_empty;
}

/* A text of the table on top of the stack, which keeps it alive. */
static const char *lua_gtpc_text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

void lua_gtpc_list(const struct lua_gtpc *gtpc, void *arg,
                   void (*each)(void *arg, const struct lua_gtpc_row *row))
{
    lua_State *L = gtpc->object.L;
    lua_object_push(&gtpc->object, "list");
    lua_object_ask(&gtpc->object, 0, 1);
    lua_Integer rows = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        struct lua_gtpc_row row = {.id = (uint64_t)lua_table_integer(L, "id"),
                                   .state = lua_gtpc_text_of(L, "state"),
                                   .cause = lua_gtpc_text_of(L, "cause")};
        each(arg, &row);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
