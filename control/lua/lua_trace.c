/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_trace.h"

#include "control/lua/lua_host.h"

bool lua_trace_set(lua_State *L, const struct lua_trace_filter *filters, unsigned count)
{
    int top = lua_gettop(L);
    lua_getglobal(L, "require");
    lua_pushstring(L, "base.trace");
    bool is_good = lua_host_try(L, 1, 1);
    if (is_good) {
        lua_getfield(L, -1, "set");
        for (unsigned i = 0; i < count; i++) {
            lua_pushstring(L, filters[i].word);
            lua_pushstring(L, filters[i].categories);
        }
        is_good = lua_host_try(L, 2 * (int)count, 0);
    }
    lua_settop(L, top);
    return is_good;
}
