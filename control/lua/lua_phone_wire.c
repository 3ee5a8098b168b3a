/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobile identities as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/wire/identity.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

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
    int n = identity_encode(bytes, sizeof bytes, &identity);
    if (n < 0)
        return luaL_error(L, "identity: a value is too large for its field");
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
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
        {"ipv6_octets", ipv6_octets_lua},
        {"identity", identity_lua},
        {"identity_octets", identity_octets_lua},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
