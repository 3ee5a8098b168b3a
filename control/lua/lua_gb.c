/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gb_call.h"

#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"

#include <lauxlib.h>

/* --- life --- */

void lua_gb_init(struct lua_gb *gb, lua_State *L, lua_gb_emit emit, void *arg)
{
    *gb = (struct lua_gb){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "gb.host");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_require(L, "gbflow_wire");
    lua_host_call(L, 2, 1);
    gb->host = luaL_ref(L, LUA_REGISTRYINDEX);
    gb->numbers = lua_gb_intent_numbers(L);
}

void lua_gb_fini(struct lua_gb *gb)
{
    luaL_unref(gb->L, LUA_REGISTRYINDEX, gb->host);
    luaL_unref(gb->L, LUA_REGISTRYINDEX, gb->numbers);
}

/* --- calls --- */

void lua_gb_push_method(const struct lua_gb *gb, const char *method)
{
    lua_rawgeti(gb->L, LUA_REGISTRYINDEX, gb->host);
    lua_getfield(gb->L, -1, method);
    lua_insert(gb->L, -2);
}

/* Calls the method with its arguments, and hands out the intents it returns. */
static void call(struct lua_gb *gb, int arguments)
{
    lua_State *L = gb->L;
    struct lua_gb_intent intent;

    lua_host_call(L, arguments + 1, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, gb->numbers);
    int numbers = lua_gettop(L);
    lua_Unsigned count = lua_rawlen(L, -2);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, numbers - 1, (lua_Integer)i);
        lua_gb_intent_read(L, numbers, &intent);
        gb->emit(gb->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

void lua_gb_call_at(struct lua_gb *gb, int arguments, int64_t now)
{
    lua_pushinteger(gb->L, now);
    call(gb, arguments + 1);
}

void lua_gb_start(struct lua_gb *gb, int64_t now)
{
    lua_gb_push_method(gb, "start");
    lua_gb_call_at(gb, 0, now);
}

void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now)
{
    lua_gb_push_method(gb, "pdu");
    lua_pushinteger(gb->L, nsvc);
    lua_pushlstring(gb->L, (const char *)bytes, octets);
    lua_gb_call_at(gb, 2, now);
}

static void push_place(lua_State *L, uint32_t tlli, uint32_t nsei, uint32_t bvci)
{
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, nsei);
    lua_pushinteger(L, bvci);
}

void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_gb_push_method(gb, "heard");
    push_place(gb->L, tlli, nsei, bvci);
    lua_gb_call_at(gb, 3, now);
}

static void call_with_tlli(struct lua_gb *gb, const char *method, uint32_t tlli, int64_t now)
{
    lua_gb_push_method(gb, method);
    lua_pushinteger(gb->L, tlli);
    lua_gb_call_at(gb, 1, now);
}

void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "page_wanted", tlli, now);
}

void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "reached", tlli, now);
}

void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms)
{
    lua_gb_push_method(gb, "ms_add");
    push_place(gb->L, ms->tlli, ms->nsei, ms->bvci);
    if (ms->imsi[0])
        lua_pushstring(gb->L, ms->imsi);
    else
        lua_pushnil(gb->L);
    lua_host_call(gb->L, 5, 0);
}

void lua_gb_ms_del(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "ms_del", tlli, now);
}

static void push_pfc(lua_State *L, const struct lua_gb_pfc *pfc)
{
    lua_pushinteger(L, pfc->tlli);
    lua_pushinteger(L, pfc->pdp);
    lua_pushinteger(L, pfc->pfi);
}

void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_gb_push_method(gb, "pfc_add");
    push_pfc(gb->L, pfc);
    lua_pushstring(gb->L, pfc->qclass);
    lua_gb_call_at(gb, 4, now);
}

void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_gb_push_method(gb, "pfc_del");
    push_pfc(gb->L, pfc);
    lua_gb_call_at(gb, 3, now);
}

void lua_gb_advance(struct lua_gb *gb, int64_t now)
{
    lua_gb_push_method(gb, "advance");
    lua_gb_call_at(gb, 0, now);
}

int64_t lua_gb_next_ns(const struct lua_gb *gb)
{
    lua_gb_push_method(gb, "next_at");
    lua_host_call(gb->L, 1, 1);
    int64_t at = lua_isnil(gb->L, -1) ? MOMENT_NEVER : lua_tointeger(gb->L, -1);
    lua_pop(gb->L, 1);
    return at;
}
