/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_llc.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"

#include <lauxlib.h>
#include <string.h>

void lua_llc_init(struct lua_llc *llc, lua_State *L, lua_llc_emit emit, void *arg)
{
    *llc = (struct lua_llc){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "llc.unnumbered");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_require(L, "gbflow_llc");
    lua_host_call(L, 2, 1);
    llc->object = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_llc_fini(struct lua_llc *llc)
{
    luaL_unref(llc->L, LUA_REGISTRYINDEX, llc->object);
}

/* --- intents --- */

static enum lua_llc_op op_of(lua_State *L)
{
    static const char *const names[] = {
        [LUA_LLC_SEND] = "send", [LUA_LLC_N201_U] = "n201_u", [LUA_LLC_RESET] = "reset"};
    char name[16];
    lua_table_text(L, "op", name, sizeof(name));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return (enum lua_llc_op)i;
    luaL_error(L, "the host knows no intent '%s'", name);
    return LUA_LLC_RESET;
}

/* Of the intent on top of the stack, whose table keeps the octets alive. */
static struct lua_llc_intent read_intent(lua_State *L)
{
    struct lua_llc_intent intent = {.op = op_of(L), .mobile = (uint32_t)lua_table_integer(L, "mobile")};
    if (intent.op == LUA_LLC_SEND) {
        lua_getfield(L, -1, "octets");
        intent.bytes = lua_tolstring(L, -1, &intent.octets);
        lua_pop(L, 1);
    } else {
        intent.octets = (size_t)lua_table_integer(L, "octets");
    }
    return intent;
}

/* --- calls --- */

static void push_method(const struct lua_llc *llc, const char *method)
{
    lua_rawgeti(llc->L, LUA_REGISTRYINDEX, llc->object);
    lua_getfield(llc->L, -1, method);
    lua_insert(llc->L, -2);
}

/* Calls the method whose arguments but the last, `now`, are on the stack, and hands out the intents. */
static void call(struct lua_llc *llc, int arguments, int64_t now)
{
    lua_State *L = llc->L;
    lua_pushinteger(L, now);
    lua_host_call(L, arguments + 2, 1);
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        struct lua_llc_intent intent = read_intent(L);
        llc->emit(llc->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void push_place(lua_State *L, uint32_t nsei, uint32_t bvci)
{
    lua_pushfstring(L, "%I/%I", (LUAI_UACINT)nsei, (LUAI_UACINT)bvci);
}

void lua_llc_ms_add(struct lua_llc *llc, const struct lua_llc_mobile *mobile, int64_t now)
{
    push_method(llc, "ms_add");
    lua_pushinteger(llc->L, mobile->slot);
    push_place(llc->L, mobile->nsei, mobile->bvci);
    if (mobile->iov_ui >= 0)
        lua_pushinteger(llc->L, mobile->iov_ui);
    else
        lua_pushnil(llc->L);
    call(llc, 3, now);
}

void lua_llc_ms_del(struct lua_llc *llc, uint32_t slot, int64_t now)
{
    push_method(llc, "ms_del");
    lua_pushinteger(llc->L, slot);
    call(llc, 1, now);
}

void lua_llc_cell_open(struct lua_llc *llc, uint32_t nsei, uint32_t bvci, int64_t now)
{
    push_method(llc, "cell_open");
    push_place(llc->L, nsei, bvci);
    call(llc, 1, now);
}

void lua_llc_cell_closed(struct lua_llc *llc, uint32_t nsei, uint32_t bvci)
{
    push_method(llc, "cell_closed");
    push_place(llc->L, nsei, bvci);
    lua_host_call(llc->L, 2, 0);
}

void lua_llc_frame(struct lua_llc *llc, uint32_t slot, const uint8_t *bytes, size_t octets, int64_t now)
{
    push_method(llc, "frame");
    lua_pushinteger(llc->L, slot);
    lua_pushlstring(llc->L, (const char *)bytes, octets);
    call(llc, 2, now);
}

void lua_llc_advance(struct lua_llc *llc, int64_t now)
{
    push_method(llc, "advance");
    call(llc, 0, now);
}

int64_t lua_llc_next_ns(const struct lua_llc *llc)
{
    push_method(llc, "next_at");
    lua_host_call(llc->L, 1, 1);
    int64_t at = lua_isnil(llc->L, -1) ? MOMENT_NEVER : lua_tointeger(llc->L, -1);
    lua_pop(llc->L, 1);
    return at;
}

void lua_llc_counts(const struct lua_llc *llc, void (*each)(void *arg, const struct lua_llc_count *count),
                    void *arg)
{
    lua_State *L = llc->L;
    push_method(llc, "report");
    lua_host_call(L, 1, 1);
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
