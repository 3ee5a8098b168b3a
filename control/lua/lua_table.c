/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_table.h"
#include "control/lua/lua_host.h"

#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory)
        lua_guard_no_memory("the configuration");
    return memory;
}

lua_Integer lua_table_integer(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    lua_Integer value = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

lua_Integer lua_table_integer_or(lua_State *L, const char *key, lua_Integer absent)
{
    lua_getfield(L, -1, key);
    lua_Integer value = lua_isnil(L, -1) ? absent : lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

bool lua_table_boolean(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

void lua_table_text(lua_State *L, const char *key, char *out, size_t cap)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    snprintf(out, cap, "%s", text ? text : "");
    lua_pop(L, 1);
}

char *lua_table_string(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    char *copy = checked(strdup(lua_tostring(L, -1)));
    lua_pop(L, 1);
    return copy;
}

uint32_t lua_table_address(lua_State *L, const char *key)
{
    char dotted[INET_ADDRSTRLEN];
    struct in_addr in = {0};
    lua_table_text(L, key, dotted, sizeof(dotted));
    int is_good = inet_pton(AF_INET, dotted, &in);
    assert(is_good == 1);
    (void)is_good;
    return ntohl(in.s_addr);
}

void lua_table_set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

void lua_table_set_boolean(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

void lua_table_set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

bool lua_table_ipv6(lua_State *L, const char *key, uint8_t octets[16])
{
    lua_getfield(L, -1, key);
    bool is_there = lua_isstring(L, -1) && inet_pton(AF_INET6, lua_tostring(L, -1), octets) == 1;
    lua_pop(L, 1);
    return is_there;
}

size_t lua_table_text_ip(const char *text, uint8_t octets[16])
{
    if (inet_pton(AF_INET6, text, octets) == 1)
        return 16;
    return inet_pton(AF_INET, text, octets) == 1 ? 4 : 0;
}

size_t lua_table_ip(lua_State *L, const char *key, uint8_t octets[16])
{
    lua_getfield(L, -1, key);
    size_t count = lua_isstring(L, -1) ? lua_table_text_ip(lua_tostring(L, -1), octets) : 0;
    lua_pop(L, 1);
    return count;
}

bool lua_table_enter(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    if (lua_istable(L, -1))
        return true;
    lua_pop(L, 1);
    return false;
}

void lua_table_each(lua_State *L, const char *key, lua_table_each_fn fn, void *arg, uint32_t parent)
{
    if (!lua_table_enter(L, key))
        return;
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        fn(L, arg, parent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void copy_items(lua_State *to, lua_State *from)
{
    lua_newtable(to);
    for (lua_pushnil(from); lua_next(from, -2); lua_pop(from, 1)) {
        lua_pushvalue(from, -2);
        lua_table_copy(to, from);
        lua_pop(from, 1);
        lua_table_copy(to, from);
        lua_rawset(to, -3);
    }
}

void lua_table_copy(lua_State *to, lua_State *from)
{
    luaL_checkstack(from, 4, "copy of a table");
    luaL_checkstack(to, 4, "copy of a table");
    if (lua_istable(from, -1)) {
        copy_items(to, from);
    } else if (lua_isinteger(from, -1)) {
        lua_pushinteger(to, lua_tointeger(from, -1));
    } else if (lua_type(from, -1) == LUA_TNUMBER) {
        lua_pushnumber(to, lua_tonumber(from, -1));
    } else if (lua_type(from, -1) == LUA_TSTRING) {
        size_t octets;
        const char *text = lua_tolstring(from, -1, &octets);
        lua_pushlstring(to, text, octets);
    } else {
        lua_pushboolean(to, lua_toboolean(from, -1));
    }
}

void *lua_table_append(void *array, uint32_t *count, size_t octets)
{
    void **at = array;
    char *grown = *at;
    if ((*count & (*count - 1)) == 0) /* there is room up to the next power of two */
        grown = checked(reallocarray(*at, *count > 0 ? 2 * (size_t)*count : 1, octets));
    *at = grown;
    return memset(grown + octets * (*count)++, 0, octets);
}

void lua_object_push_new(lua_State *L, const char *module)
{
    lua_host_require(L, module);
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
}

void lua_object_init(struct lua_object *o, const struct lua_intents *intents, const char *who, int arguments)
{
    lua_State *L = intents->L;
    lua_host_call(L, arguments, 1);
    *o = (struct lua_object){.L = L, .ref = luaL_ref(L, LUA_REGISTRYINDEX), .who = who, .intents = intents};
}

void lua_object_fini(struct lua_object *o)
{
    if (o->L)
        luaL_unref(o->L, LUA_REGISTRYINDEX, o->ref);
}

void lua_object_push(const struct lua_object *o, const char *method)
{
    lua_rawgeti(o->L, LUA_REGISTRYINDEX, o->ref);
    lua_getfield(o->L, -1, method);
    lua_insert(o->L, -2);
}

/* The error's text is on top of the stack. */
static void tell(const struct lua_object *o)
{
    const struct lua_intents *intents = o->intents;
    bool is_text = lua_type(o->L, -1) == LUA_TSTRING;
    if (intents->fail)
        intents->fail(intents->arg, o, is_text ? lua_tostring(o->L, -1) : "an error without a text");
    lua_pop(o->L, 1);
}

bool lua_object_ask(const struct lua_object *o, int arguments, int results)
{
    if (lua_host_try(o->L, arguments + 1, results))
        return true;
    tell(o);
    for (int i = 0; i < results; i++)
        lua_newtable(o->L);
    return false;
}

void lua_object_call(const struct lua_object *o, int arguments, int64_t now)
{
    lua_pushinteger(o->L, now);
    lua_object_ask(o, arguments + 1, 1);
    lua_intents_take(o->intents, o);
    lua_pop(o->L, 1);
}

void lua_object_advance(const struct lua_object *o, int64_t now)
{
    lua_object_push(o, "advance");
    lua_object_call(o, 0, now);
}

void lua_object_keep_records(lua_State *L)
{
    lua_host_require(L, "base.records");
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "is_on");
    lua_pop(L, 1);
}

void lua_object_adopt(const struct lua_object *o, const char *key, const void *octets, size_t count,
                      int64_t now)
{
    lua_object_push(o, "adopt");
    lua_pushstring(o->L, key);
    lua_pushlstring(o->L, octets, count);
    lua_object_call(o, 2, now);
}

void lua_object_adopted(const struct lua_object *o, int64_t now)
{
    lua_object_push(o, "adopted");
    lua_object_call(o, 0, now);
}

bool lua_object_has(const struct lua_object *o, uint64_t number)
{
    lua_object_push(o, "has");
    lua_pushinteger(o->L, (lua_Integer)number);
    bool has = lua_object_ask(o, 1, 1) && lua_toboolean(o->L, -1);
    lua_pop(o->L, 1);
    return has;
}

int64_t lua_object_next_ns(const struct lua_object *o)
{
    if (!o->L)
        return MOMENT_NEVER;
    lua_object_push(o, "next_at");
    lua_object_ask(o, 0, 1);
    int64_t at = lua_isinteger(o->L, -1) ? lua_tointeger(o->L, -1) : MOMENT_NEVER;
    lua_pop(o->L, 1);
    return at;
}

/* The octets of hexadecimal digits; absent: none. */
static struct ie_span lua_table_octets_of(lua_State *L, const char *key, uint8_t *room, size_t cap)
{
    size_t count = 0, digits = 0;
    lua_getfield(L, -1, key);
    const char *text = lua_tolstring(L, -1, &digits);
    for (unsigned octet; count < cap && 2 * count < digits && sscanf(text + 2 * count, "%2x", &octet) == 1;)
        room[count++] = (uint8_t)octet;
    lua_pop(L, 1);
    return (struct ie_span){.at = room, .octets = count};
}

static int lua_table_number_of(lua_State *L, const char *key)
{
    return (int)lua_table_integer_or(L, key, BSSGP_ELEMENTS_NONE);
}

static int priority_of(lua_State *L)
{
    if (!lua_table_enter(L, "priority"))
        return BSSGP_ELEMENTS_NONE;
    int octet = lua_table_number_of(L, "octet");
    lua_pop(L, 1);
    return octet;
}

bool lua_elements_of(lua_State *L, struct bssgp_elements *out)
{
    uint8_t capability[BSSGP_ELEMENTS_OCTETS], drx[2], lsa[BSSGP_ELEMENTS_OCTETS];
    const struct bssgp_elements_values values = {
        .ms_ra_capability = lua_table_octets_of(L, "ra_capability", capability, sizeof capability),
        .drx_parameters = lua_table_octets_of(L, "drx", drx, sizeof drx),
        .lsa_information = lua_table_octets_of(L, "lsa_information", lsa, sizeof lsa),
        .priority = priority_of(L),
        .service_utran_cco = lua_table_number_of(L, "service_utran_cco"),
        .spid = lua_table_number_of(L, "spid"),
    };
    *out = (struct bssgp_elements){0};
    return bssgp_elements_encode(out, &values) >= 0;
}

void lua_elements_read(lua_State *L, struct bssgp_elements *out)
{
    *out = (struct bssgp_elements){0};
    if (!lua_table_enter(L, "elements"))
        return;
    bool is_good = lua_elements_of(L, out);
    assert(is_good);
    (void)is_good;
    lua_pop(L, 1);
}

/* --- texts of Lua --- */

/* Lua has a table of all short texts, garbage included. When it is full, Lua doubles it at once, and halves
 * it when three quarters are empty; with half a million either takes 10 ms. So it gets its size at the start.
 * Garbage of the 64 MiB at which a collection begins, and what is made until its end, has 260 000 texts. */
#define TEXTS               (1 << 19)
#define TEXTS_MOBILES       16384               /* with fewer, garbage is less */
#define TEXTS_MEMORY_OCTETS ((size_t)256 << 20) /* with a lower limit of memory, too */
#define TEXTS_OF_LIST       512                 /* the collector goes through a list at once */
#define SCATTER             2654435761u         /* Lua's hash of numbers in sequence has long chains */

/* With half as many texts as it has room for, the table is doubled for the last time. A quarter stays: with
 * fewer texts it would be halved. */
static int make_texts(lua_State *L)
{
    lua_newtable(L);
    lua_pushnil(L); /* in place of a list */
    for (int i = 0; i <= TEXTS / 2; i++) {
        const uint32_t number = (uint32_t)i * SCATTER;
        if (i <= TEXTS / 4 && i % TEXTS_OF_LIST == 0) {
            lua_pop(L, 1);
            lua_createtable(L, TEXTS_OF_LIST, 0);
            lua_pushvalue(L, -1);
            lua_rawseti(L, -3, i / TEXTS_OF_LIST + 1);
        }
        lua_pushlstring(L, (const char *)&number, sizeof(number));
        if (i <= TEXTS / 4)
            lua_rawseti(L, -2, i % TEXTS_OF_LIST + 1);
        else
            lua_pop(L, 1);
    }
    lua_pop(L, 1);
    luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

void lua_host_prepare(lua_State *L, uint32_t mobiles, size_t limit_octets)
{
    if (mobiles < TEXTS_MOBILES || limit_octets < TEXTS_MEMORY_OCTETS)
        return;
    int is_running = lua_gc(L, LUA_GCISRUNNING);
    lua_gc(L, LUA_GCSTOP);
    lua_pushcfunction(L, make_texts);
    if (!lua_host_try(L, 0, 0))
        lua_pop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    if (is_running)
        lua_gc(L, LUA_GCRESTART);
}
