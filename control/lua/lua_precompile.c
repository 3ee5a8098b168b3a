/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of the build: writes the bytecode of a Lua file to standard output, with its lines and names.
 * Loading that takes a seventh of the time that parsing the text takes. */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>

static int lua_precompile_put(lua_State *unused_state, const void *bytes, size_t octets, void *out)
{
    return fwrite(bytes, 1, octets, out) != octets;
}

/* usage: precompile FILE NAME; the name is that of messages, "@lua/base/units.lua". */
int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    static char text[1 << 20];
    FILE *file = L && argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t octets = file ? fread(text, 1, sizeof(text), file) : sizeof(text);
    if (file)
        fclose(file);
    if (octets == sizeof(text) || luaL_loadbufferx(L, text, octets, argv[2], "t") != LUA_OK ||
        lua_dump(L, lua_precompile_put, stdout, 0) != 0) {
        fprintf(stderr, "precompile: %s\n",
                L && lua_gettop(L) > 0 ? lua_tostring(L, -1) : "cannot read or write");
        return 1;
    }
    lua_close(L);
    return fflush(stdout) != 0;
}
