/* SPDX-License-Identifier: BSD-3-Clause */
/* Ciphers and authentication as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/crypto/gea.h"
#include "dataplane/crypto/kdf.h"

#include <lauxlib.h>

static int refusal(lua_State *L)
{
    lua_Integer algorithm = luaL_checkinteger(L, 1);
    lua_pushstring(L,
                   gea_refusal(algorithm >= 0 && algorithm <= UINT8_MAX ? (unsigned)algorithm : UINT8_MAX));
    return 1;
}

static int fault(lua_State *L)
{
    const char *reason;
    gea_init(luaL_checkstring(L, 1), &reason);
    lua_pushstring(L, reason);
    return 1;
}

/* kc128(ck, ik): the key of GEA4. */
static int kc128(lua_State *L)
{
    size_t octets[2];
    const char *ck = luaL_checklstring(L, 1, &octets[0]), *ik = luaL_checklstring(L, 2, &octets[1]);
    uint8_t key[KDF_KEY_OCTETS];
    luaL_argcheck(L, octets[0] == KDF_KEY_OCTETS, 1, "CK has 16 octets");
    luaL_argcheck(L, octets[1] == KDF_KEY_OCTETS, 2, "IK has 16 octets");
    kdf_kc128(key, (const uint8_t *)ck, (const uint8_t *)ik);
    lua_pushlstring(L, (const char *)key, sizeof key);
    return 1;
}

int luaopen_gbflow_crypto(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"refusal", refusal}, {"fault", fault}, {"kc128", kc128}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
