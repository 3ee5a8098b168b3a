/* SPDX-License-Identifier: BSD-3-Clause */
/* Ciphers and authentication as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/crypto/gea.h"

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

int luaopen_gbflow_crypto(lua_State *L)
{
    static const luaL_Reg functions[] = {{"refusal", refusal}, {"fault", fault}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
