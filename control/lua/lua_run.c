/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of the build: runs a Lua program, as lua5.4 does, which need not be installed.
 * usage: lua_run PROGRAM ARGUMENT... */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    if (!L || argc < 2)
        return 2;
    luaL_openlibs(L);
    lua_createtable(L, argc, 0);
    for (int i = 1; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - 1);
    }
    lua_setglobal(L, "arg");
    bool is_good = luaL_dofile(L, argv[1]) == LUA_OK;
    if (!is_good)
        fprintf(stderr, "%s: %s\n", argv[1], lua_tostring(L, -1));
    lua_close(L);
    return fflush(stdout) != 0 || !is_good;
}
