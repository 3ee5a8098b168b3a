/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_config.h"

#include "control/config/lua_config_node.h"
#include "control/lua/lua_host.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX_OCTETS ((size_t)16 << 20)

bool lua_config_push_text(lua_State *L, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    size_t got, octets = 0;
    do {
        char *room = luaL_prepbuffer(&text);
        got = fread(room, 1, LUAL_BUFFERSIZE, file);
        luaL_addsize(&text, got);
        octets += got;
    } while (got > 0 && octets <= FILE_MAX_OCTETS);
    bool is_whole = !ferror(file) && octets <= FILE_MAX_OCTETS;
    fclose(file);
    luaL_pushresult(&text);
    if (!is_whole) {
        fprintf(stderr, "%s: cannot be read, or is longer than %zu octets\n", path, FILE_MAX_OCTETS);
        lua_pop(L, 1);
    }
    return is_whole;
}

void lua_config_print_lines(lua_State *L, const char *kind)
{
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        fprintf(stderr, "%s%s\n", kind, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

bool lua_config_load_node(lua_State *L, const char *path, struct node_config *config)
{
    if (!lua_config_push_text(L, path))
        return false;
    lua_host_require(L, "schema.config");
    lua_getfield(L, -1, "load");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushstring(L, path);
    lua_pushliteral(L, "node");
    lua_host_call(L, 3, 2);
    if (lua_isnil(L, -2)) {
        lua_config_print_lines(L, "");
        lua_pop(L, 1);
        return false;
    }
    lua_config_print_lines(L, "warning: ");
    lua_config_node(L, config);
    return true;
}
