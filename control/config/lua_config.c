/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_config.h"

#include "control/config/lua_budget.h"
#include "control/config/lua_config_node.h"
#include "control/config/lua_text.h"
#include "control/config/mobile_table.h"
#include "control/lua/lua_host.h"

bool lua_config_load_node(lua_State *L, const char *path, struct node_config *config)
{
    if (!lua_text_push(L, path))
        return false;
    lua_host_require(L, "schema.config");
    lua_getfield(L, -1, "load");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushstring(L, path);
    lua_pushliteral(L, "node");
    if (!lua_budget_call(L, 3, 2, path))
        return false;
    if (lua_isnil(L, -2)) {
        lua_text_print_lines(L, "");
        lua_pop(L, 1);
        return false;
    }
    lua_text_print_lines(L, "warning: ");
    lua_config_node(L, config);
    return mobile_table_read(config, path);
}
