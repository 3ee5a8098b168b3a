/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec of SM, and mobile identities, as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/sm.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

static const char *err_name(int err)
{
    return err == ERR_TRUNCATED ? "truncated" : err == ERR_UNSUPPORTED ? "unsupported" : "malformed";
}

static void set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

/* --- SM --- */

static enum l3_sender sender_of(lua_State *L, int index)
{
    static const char *const names[] = {"ms", "sgsn", NULL};
    return luaL_checkoption(L, index, "ms", names) == 0 ? L3_FROM_MS : L3_FROM_SGSN;
}

/* nil, error, cause, message type */
static int lua_phone_wire_refuse(lua_State *L, int err, const struct l3 *l3)
{
    lua_pushnil(L);
    lua_pushstring(L, err_name(err));
    lua_pushinteger(L, l3->cause);
    lua_pushinteger(L, l3->type);
    return 4;
}

static int push_message(lua_State *L, const struct l3_grammar *grammar, const struct l3 *l3)
{
    lua_createtable(L, 0, 12);
    set_text(L, "message", l3->row->name);
    for (const struct l3_place *p = l3->row->places; p->form != L3_END; p++) {
        if (p->form == L3_SPARE || !l3_has(l3, p->ie))
            continue;
        lua_wire_field_push(L, &grammar->ies[p->ie], l3);
        lua_setfield(L, -2, grammar->ies[p->ie].name);
    }
    return 1;
}

/* The transaction: ti_flag is 0 in messages of the side that began it. A message that is refused is followed
 * by its transaction, too. With cause 0 it is to be ignored. */
static int sm_decode_lua(lua_State *L)
{
    struct sm sm;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = sm_decode(&sm, sender_of(L, 2), (const uint8_t *)bytes, len);
    if (n >= 0) {
        push_message(L, &sm_grammar, &sm.head);
        set_integer(L, "ti", sm.ti);
        set_integer(L, "ti_flag", sm.head.head >> 7);
        return 1;
    }
    lua_phone_wire_refuse(L, n, &sm.head);
    lua_pushinteger(L, sm.ti);
    lua_pushinteger(L, sm.head.head >> 7);
    return 6;
}

static lua_Integer integer_of(lua_State *L, const char *key, lua_Integer most)
{
    lua_getfield(L, 1, key);
    lua_Integer value = luaL_checkinteger(L, -1);
    if (value < 0 || value > most)
        luaL_error(L, "field '%s': must be 0 .. %I", key, (LUAI_UACINT)most);
    lua_pop(L, 1);
    return value;
}

static const struct l3_row *row_of(lua_State *L, const struct l3_grammar *grammar)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "message");
    const char *name = luaL_checkstring(L, -1);
    const struct l3_row *row = l3_row_by_name(grammar, name);
    if (!row)
        luaL_error(L, "no message has the name '%s'", name);
    lua_pop(L, 1);
    return row;
}

static bool has_field(const struct l3_grammar *grammar, const struct l3_row *row, const char *name)
{
    for (const struct l3_place *p = row->places; p->form != L3_END; p++)
        if (p->form != L3_SPARE && strcmp(grammar->ies[p->ie].name, name) == 0)
            return true;
    return strcmp(name, "message") == 0 || strcmp(name, "ti") == 0 || strcmp(name, "ti_flag") == 0;
}

static void refuse_unknown(lua_State *L, const struct l3_grammar *grammar, const struct l3_row *row)
{
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING || !has_field(grammar, row, lua_tostring(L, -1)))
            luaL_error(L, "%s: unknown field '%s'", row->name, luaL_tolstring(L, -1, NULL));
    }
}

static void lua_phone_wire_fill(lua_State *L, const struct l3_grammar *grammar, struct l3 *out)
{
    out->row = row_of(L, grammar);
    refuse_unknown(L, grammar, out->row);
    for (const struct l3_place *p = out->row->places; p->form != L3_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        luaL_checkstack(L, 8, NULL);
        if (p->form == L3_SPARE)
            continue;
        if (lua_getfield(L, 1, ie->name) != LUA_TNIL) {
            lua_wire_field_pull(L, ie, out);
            l3_mark(out, p->ie);
        } else if (l3_is_mandatory(p)) {
            luaL_error(L, "%s: field '%s' is missing", out->row->name, ie->name);
        }
    }
}

static int push_octets(lua_State *L, const char *name, const uint8_t *bytes, int n)
{
    if (n < 0)
        return luaL_error(L, "%s: a value is too large for its field", name);
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
}

static int sm_encode_lua(lua_State *L)
{
    uint8_t bytes[L3_MAX_OCTETS];
    struct sm sm = {0};
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    sm.head.head = (uint8_t)(integer_of(L, "ti_flag", 1) << 7 | L3_SM);
    sm.ti = (uint8_t)integer_of(L, "ti", 127);
    lua_phone_wire_fill(L, &sm_grammar, &sm.head);
    return push_octets(L, sm.head.row->name, bytes, sm_encode(bytes, sizeof bytes, &sm));
}

/* --- mobile identity --- */

static const char *const identity_types[] = {"none", "imsi", "imei", "imeisv", "tmsi", NULL};

/* identity(octets): a type's name, and its digits or number; nil: malformed. */
static int identity_lua(lua_State *L)
{
    struct identity identity;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    if (identity_decode(&identity, (const uint8_t *)bytes, len) < 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushstring(L, identity_types[identity.type]);
    if (identity.type == IDENTITY_TMSI)
        lua_pushinteger(L, identity.tmsi);
    else
        lua_pushstring(L, identity.digits);
    return 2;
}

/* identity_octets(type, digits or number) */
static int identity_octets_lua(lua_State *L)
{
    uint8_t bytes[IDENTITY_MAX_OCTETS];
    struct identity identity = {.type = (uint8_t)luaL_checkoption(L, 1, NULL, identity_types)};
    if (identity.type == IDENTITY_TMSI)
        identity.tmsi = (uint32_t)luaL_checkinteger(L, 2);
    else
        strncpy(identity.digits, luaL_optstring(L, 2, ""), sizeof identity.digits - 1);
    return push_octets(L, "identity", bytes, identity_encode(bytes, sizeof bytes, &identity));
}

/* ipv6_octets(text): the 16 octets of an IPv6 address. */
static int ipv6_octets_lua(lua_State *L)
{
    uint8_t octets[16];
    const char *text = luaL_checkstring(L, 1);
    luaL_argcheck(L, inet_pton(AF_INET6, text, octets) == 1, 1, "no IPv6 address");
    lua_pushlstring(L, (const char *)octets, sizeof octets);
    return 1;
}

int luaopen_gbflow_phone(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"sm_decode", sm_decode_lua},
        {"sm_encode", sm_encode_lua},
        {"ipv6_octets", ipv6_octets_lua},
        {"identity", identity_lua},
        {"identity_octets", identity_octets_lua},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
