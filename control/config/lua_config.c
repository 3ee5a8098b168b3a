/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_config.h"

#include "control/config/lua_aqm.h"
#include "control/config/lua_budget.h"
#include "control/config/lua_config_node.h"
#include "control/config/lua_text.h"
#include "control/config/mobile_table.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_wire.h"

const luaL_Reg lua_modules[] = {
    {"gbflow_wire", luaopen_gbflow_wire},     {"gbflow_crypto", luaopen_gbflow_crypto},
    {"gbflow_record", luaopen_gbflow_record}, {"gbflow_llc", luaopen_gbflow_llc},
    {"gbflow_aqm", luaopen_gbflow_aqm},       {"gbflow_aqm_choices", luaopen_gbflow_aqm_choices},
    {"gbflow_budget", luaopen_gbflow_budget}, {NULL, NULL},
};

bool lua_config_load_node(lua_State *L, const char *path, struct node_config *config)
{
    if (!lua_text_load_config(L, path, "node"))
        return false;
    lua_config_node(L, config);
    return mobile_table_read(config, path);
}
