/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gtpc.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"

#include <lauxlib.h>
#include <string.h>

void lua_gtpc_init(struct lua_gtpc *gtpc, lua_State *L, uint8_t recovery, lua_gtpc_emit emit, void *arg)
{
    *gtpc = (struct lua_gtpc){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "gn.sessions");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_require(L, "gbflow_gtpc");
    lua_pushinteger(L, recovery);
    lua_host_call(L, 3, 1);
    gtpc->object = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_gtpc_fini(struct lua_gtpc *gtpc)
{
    luaL_unref(gtpc->L, LUA_REGISTRYINDEX, gtpc->object);
}

/* --- intents --- */

static enum lua_gtpc_op op_of(lua_State *L)
{
    static const char *const names[] = {[LUA_GTPC_SEND] = "send",
                                        [LUA_GTPC_UP] = "up",
                                        [LUA_GTPC_CLASS] = "class",
                                        [LUA_GTPC_DOWN] = "down",
                                        [LUA_GTPC_LOG] = "log"};
    char name[16];
    lua_table_text(L, "op", name, sizeof(name));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return (enum lua_gtpc_op)i;
    luaL_error(L, "the host knows no intent '%s'", name);
    return LUA_GTPC_LOG;
}

/* A text of the table on top of the stack, which keeps it alive; NULL: it is not there. */
static const char *text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

static struct lua_gtpc_intent read_intent(lua_State *L)
{
    struct lua_gtpc_intent intent = {
        .op = op_of(L),
        .id = (uint64_t)lua_table_integer(L, "id"),
        .ours = text_of(L, "ours"),
        .theirs = text_of(L, "theirs"),
        .port = (uint16_t)lua_table_integer(L, "port"),
        .ggsn_teid = (uint32_t)lua_table_integer(L, "ggsn_teid"),
        .ipv4 = text_of(L, "ipv4"),
        .ipv6 = text_of(L, "ipv6"),
        .qclass = text_of(L, "class"),
        .level = text_of(L, "level"),
        .text = text_of(L, "text"),
    };
    if (intent.op == LUA_GTPC_UP)
        intent.theirs = text_of(L, "ggsn");
    lua_getfield(L, -1, "octets");
    intent.bytes = lua_tolstring(L, -1, &intent.octets);
    lua_pop(L, 1);
    return intent;
}

/* --- calls --- */

static void push_method(const struct lua_gtpc *gtpc, const char *method)
{
    lua_rawgeti(gtpc->L, LUA_REGISTRYINDEX, gtpc->object);
    lua_getfield(gtpc->L, -1, method);
    lua_insert(gtpc->L, -2);
}

/* Calls the method whose arguments but the last, `now`, are on the stack, and hands out the intents. */
static void call(struct lua_gtpc *gtpc, int arguments, int64_t now)
{
    lua_State *L = gtpc->L;
    lua_pushinteger(L, now);
    lua_host_call(L, arguments + 2, 1);
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        struct lua_gtpc_intent intent = read_intent(L);
        gtpc->emit(gtpc->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text); /* nil for NULL */
    lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, lua_Integer number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, key);
}

void lua_gtpc_add(struct lua_gtpc *gtpc, const struct lua_gtpc_wanted *wanted, int64_t now)
{
    lua_State *L = gtpc->L;
    push_method(gtpc, "add");
    lua_pushinteger(L, (lua_Integer)wanted->id);
    lua_createtable(L, 0, 12);
    set_text(L, "imsi", wanted->imsi);
    set_text(L, "msisdn", wanted->msisdn);
    set_text(L, "apn", wanted->apn);
    set_text(L, "pdp_type", wanted->pdp_type);
    set_text(L, "class", wanted->qclass);
    set_text(L, "ours", wanted->ours);
    set_text(L, "ggsn", wanted->ggsn);
    set_text(L, "ipv4", wanted->ipv4);
    set_text(L, "ipv6", wanted->ipv6);
    set_number(L, "teid", wanted->teid);
    set_number(L, "nsapi", wanted->nsapi);
    call(gtpc, 2, now);
}

void lua_gtpc_del(struct lua_gtpc *gtpc, uint64_t id, int64_t now)
{
    push_method(gtpc, "del");
    lua_pushinteger(gtpc->L, (lua_Integer)id);
    call(gtpc, 1, now);
}

void lua_gtpc_set_teid(struct lua_gtpc *gtpc, uint64_t id, uint32_t teid)
{
    push_method(gtpc, "set_teid");
    lua_pushinteger(gtpc->L, (lua_Integer)id);
    lua_pushinteger(gtpc->L, teid);
    lua_host_call(gtpc->L, 3, 0);
}

void lua_gtpc_change(struct lua_gtpc *gtpc, uint64_t id, const char *qclass, int64_t now)
{
    push_method(gtpc, "change");
    lua_pushinteger(gtpc->L, (lua_Integer)id);
    lua_pushstring(gtpc->L, qclass);
    call(gtpc, 2, now);
}

void lua_gtpc_lost(struct lua_gtpc *gtpc, uint64_t id, const char *why, int64_t now)
{
    push_method(gtpc, "lost");
    lua_pushinteger(gtpc->L, (lua_Integer)id);
    lua_pushstring(gtpc->L, why);
    call(gtpc, 2, now);
}

void lua_gtpc_receive(struct lua_gtpc *gtpc, const struct lua_gtpc_way *way, const uint8_t *bytes,
                      size_t octets, int64_t now)
{
    lua_State *L = gtpc->L;
    push_method(gtpc, "receive");
    lua_createtable(L, 0, 3);
    set_text(L, "ours", way->ours);
    set_text(L, "theirs", way->theirs);
    set_number(L, "port", way->port);
    lua_pushlstring(L, (const char *)bytes, octets);
    call(gtpc, 2, now);
}

void lua_gtpc_reachable(struct lua_gtpc *gtpc, const char *theirs, int64_t now)
{
    push_method(gtpc, "reachable");
    lua_pushstring(gtpc->L, theirs);
    call(gtpc, 1, now);
}

void lua_gtpc_advance(struct lua_gtpc *gtpc, int64_t now)
{
    push_method(gtpc, "advance");
    call(gtpc, 0, now);
}

int64_t lua_gtpc_next_ns(const struct lua_gtpc *gtpc)
{
    push_method(gtpc, "next_at");
    lua_host_call(gtpc->L, 1, 1);
    int64_t at = lua_isnil(gtpc->L, -1) ? MOMENT_NEVER : lua_tointeger(gtpc->L, -1);
    lua_pop(gtpc->L, 1);
    return at;
}

void lua_gtpc_list(const struct lua_gtpc *gtpc, void *arg,
                   void (*each)(void *arg, const struct lua_gtpc_row *row))
{
    lua_State *L = gtpc->L;
    push_method(gtpc, "list");
    lua_host_call(L, 1, 1);
    lua_Integer rows = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        struct lua_gtpc_row row = {.id = (uint64_t)lua_table_integer(L, "id"),
                                   .state = text_of(L, "state"),
                                   .cause = text_of(L, "cause")};
        each(arg, &row);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
