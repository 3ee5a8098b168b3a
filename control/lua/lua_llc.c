/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_llc.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>

/* has_memory(kind); its upvalue is the struct lua_llc. */
static int has_memory(lua_State *L)
{
    const struct lua_llc *llc = lua_touserdata(L, lua_upvalueindex(1));
    lua_Integer kind = luaL_checkinteger(L, 1);
    lua_pushboolean(L, !llc->has_memory || llc->has_memory(llc->arg, (unsigned)kind));
    return 1;
}

void lua_llc_init(struct lua_llc *llc, const struct lua_intents *intents)
{
    lua_State *L = intents->L;
    lua_object_push_new(L, "llc.unnumbered");
    lua_host_require(L, "gbflow_llc");
    lua_pushlightuserdata(L, llc);
    lua_pushcclosure(L, has_memory, 1);
    lua_object_init(&llc->object, intents, "llc", 3);
}

void lua_llc_fini(struct lua_llc *llc)
{
    lua_object_fini(&llc->object);
}

/* --- calls --- */

static void push_place(lua_State *L, uint32_t nsei, uint32_t bvci)
{
    lua_pushfstring(L, "%I/%I", (LUAI_UACINT)nsei, (LUAI_UACINT)bvci);
}

void lua_llc_ms_add(struct lua_llc *llc, const struct lua_llc_mobile *mobile, int64_t now)
{
    lua_object_push(&llc->object, "ms_add");
    lua_pushinteger(llc->object.L, mobile->slot);
    push_place(llc->object.L, mobile->nsei, mobile->bvci);
    if (mobile->iov_ui >= 0)
        lua_pushinteger(llc->object.L, mobile->iov_ui);
    else
        lua_pushnil(llc->object.L);
    lua_object_call(&llc->object, 3, now);
}

void lua_llc_ms_del(struct lua_llc *llc, uint32_t slot, int64_t now)
{
    lua_object_send(&llc->object, now, "ms_del", LUA_ARG(slot));
}

void lua_llc_pdp_add(struct lua_llc *llc, const struct lua_llc_context *context, int64_t now)
{
    lua_State *L = llc->object.L;
    lua_object_push(&llc->object, "pdp_add");
    lua_pushinteger(L, context->slot);
    lua_createtable(L, 0, 6);
    lua_table_set_integer(L, "nsapi", context->nsapi);
    lua_table_set_integer(L, "sapi", context->sapi);
    lua_table_set_boolean(L, "takes_headers", context->takes_headers);
    lua_table_set_boolean(L, "takes_data", context->takes_data);
    lua_table_set_boolean(L, "is_acknowledged", context->is_acknowledged);
    lua_table_set_boolean(L, "is_old", context->is_old);
    lua_object_call(&llc->object, 2, now);
}

void lua_llc_pdp_mode(struct lua_llc *llc, uint32_t slot, uint8_t nsapi, bool is_acknowledged, int64_t now)
{
    lua_object_push(&llc->object, "pdp_mode");
    lua_pushinteger(llc->object.L, slot);
    lua_pushinteger(llc->object.L, nsapi);
    lua_pushboolean(llc->object.L, is_acknowledged);
    lua_object_call(&llc->object, 3, now);
}

void lua_llc_pdp_del(struct lua_llc *llc, uint32_t slot, uint8_t nsapi, int64_t now)
{
    lua_object_send(&llc->object, now, "pdp_del", LUA_ARG(slot), LUA_ARG(nsapi));
}

void lua_llc_reset(struct lua_llc *llc, uint32_t slot, int64_t now)
{
    lua_object_send(&llc->object, now, "reset", LUA_ARG(slot));
}

void lua_llc_settled(struct lua_llc *llc, uint32_t slot, int64_t now)
{
    lua_object_send(&llc->object, now, "settled", LUA_ARG(slot));
}

void lua_llc_cell_open(struct lua_llc *llc, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_push(&llc->object, "cell_open");
    push_place(llc->object.L, nsei, bvci);
    lua_object_call(&llc->object, 1, now);
}

void lua_llc_cell_closed(struct lua_llc *llc, uint32_t nsei, uint32_t bvci)
{
    lua_object_push(&llc->object, "cell_closed");
    push_place(llc->object.L, nsei, bvci);
    lua_object_ask(&llc->object, 1, 0);
}

void lua_llc_frame(struct lua_llc *llc, uint32_t slot, const uint8_t *bytes, size_t octets, int64_t now)
{
    lua_object_send(&llc->object, now, "frame", LUA_ARG(slot), LUA_OCTETS(bytes, octets));
}

void lua_llc_counts(const struct lua_llc *llc, void (*each)(void *arg, const struct lua_llc_count *count),
                    void *arg)
{
    lua_State *L = llc->object.L;
    lua_object_push(&llc->object, "report");
    lua_object_ask(&llc->object, 0, 1);
    lua_Integer entries = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= entries; i++) {
        lua_geti(L, -1, i);
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1);
        lua_pop(L, 1);
        const struct lua_llc_count count = {
            .name = name, /* the entry keeps it alive */
            .sapi = (uint8_t)lua_table_integer(L, "sapi"),
            .protocol = (uint8_t)lua_table_integer(L, "protocol"),
            .message = (uint8_t)lua_table_integer(L, "message"),
            .count = (uint64_t)lua_table_integer(L, "count"),
        };
        each(arg, &count);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
