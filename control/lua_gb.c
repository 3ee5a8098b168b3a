/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua_gb.h"

#include "control/lua_host.h"
#include "dataplane/base/moment.h"

#include <lauxlib.h>
#include <string.h>

static const char *const op_names[] = {
    [LUA_GB_SEND] = "send",
    [LUA_GB_NSVC_STATE] = "nsvc_state",
    [LUA_GB_BVC_RESET] = "bvc_reset",
    [LUA_GB_BVC_STATE] = "bvc_state",
    [LUA_GB_BVC_FLOW] = "flow_control_bvc",
    [LUA_GB_MS_FLOW] = "flow_control_ms",
    [LUA_GB_MS_DEFAULTS] = "ms_defaults",
    [LUA_GB_DISCARDED] = "discarded",
    [LUA_GB_COUNT] = "count",
    [LUA_GB_LOG] = "log",
};

void lua_gb_init(struct lua_gb *gb, lua_State *L, lua_gb_emit emit, void *arg)
{
    *gb = (struct lua_gb){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "gb_host");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_require(L, "gbflow_wire");
    lua_host_call(L, 2, 1);
    gb->host = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_gb_fini(struct lua_gb *gb)
{
    luaL_unref(gb->L, LUA_REGISTRYINDEX, gb->host);
}

/* --- one intent, on top of the stack
 * ---------------------------------------------------------------------------------- */

static uint64_t number(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    uint64_t value = (uint64_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

static bool flag(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* A string that the intent's table keeps alive. */
static const char *string(lua_State *L, const char *key, size_t *octets)
{
    lua_getfield(L, -1, key);
    const char *value = lua_tolstring(L, -1, octets);
    lua_pop(L, 1);
    return value;
}

static enum lua_gb_op op_of(lua_State *L)
{
    const char *name = string(L, "op", NULL);
    for (size_t i = 0; i < sizeof(op_names) / sizeof(op_names[0]); i++)
        if (strcmp(op_names[i], name) == 0)
            return (enum lua_gb_op)i;
    luaL_error(L, "the host knows no intent '%s'", name);
    return LUA_GB_LOG;
}

static void read_payload(lua_State *L, struct lua_gb_intent *intent)
{
    size_t octets;
    if (intent->op == LUA_GB_SEND) {
        intent->bytes = string(L, "octets", &octets);
        intent->octets = octets;
    } else if (intent->op == LUA_GB_DISCARDED) {
        intent->octets = number(L, "octets");
    }
    intent->text = string(L, intent->op == LUA_GB_COUNT ? "name" : "text", NULL);
    intent->level = string(L, "level", NULL);
}

static void read_intent(lua_State *L, struct lua_gb_intent *intent)
{
    *intent = (struct lua_gb_intent){
        .op = op_of(L),
        .nsvc = (uint32_t)number(L, "nsvc"),
        .nsei = (uint32_t)number(L, "nsei"),
        .bvci = (uint32_t)number(L, "bvci"),
        .tlli = (uint32_t)number(L, "tlli"),
        .is_usable = flag(L, "usable"),
        .bucket_octets = number(L, "bucket_octets"),
        .rate_bps = number(L, "rate_bps"),
        .ms_bucket_octets = number(L, "ms_bucket_octets"),
        .ms_rate_bps = number(L, "ms_rate_bps"),
        .ratio_percent = -1,
    };
    lua_getfield(L, -1, "ratio_percent");
    if (!lua_isnil(L, -1))
        intent->ratio_percent = (int32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    read_payload(L, intent);
}

/* --- calls
 * ------------------------------------------------------------------------------------------------------------
 */

static void push_method(const struct lua_gb *gb, const char *method)
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
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        read_intent(L, &intent);
        gb->emit(gb->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void lua_gb_start(struct lua_gb *gb, int64_t now)
{
    push_method(gb, "start");
    lua_pushinteger(gb->L, now);
    call(gb, 1);
}

void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now)
{
    push_method(gb, "pdu");
    lua_pushinteger(gb->L, nsvc);
    lua_pushlstring(gb->L, (const char *)bytes, octets);
    lua_pushinteger(gb->L, now);
    call(gb, 3);
}

void lua_gb_advance(struct lua_gb *gb, int64_t now)
{
    push_method(gb, "advance");
    lua_pushinteger(gb->L, now);
    call(gb, 1);
}

int64_t lua_gb_next_ns(const struct lua_gb *gb)
{
    push_method(gb, "next_at");
    lua_host_call(gb->L, 1, 1);
    int64_t at = lua_isnil(gb->L, -1) ? MOMENT_NEVER : lua_tointeger(gb->L, -1);
    lua_pop(gb->L, 1);
    return at;
}
