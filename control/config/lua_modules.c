/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_modules.h"

#include "control/config/lua_aqm.h"
#include "control/config/lua_aqm_choices.h"
#include "control/config/lua_budget.h"
#include "control/lua/lua_crypto.h"
#include "control/lua/lua_gtpc_wire.h"
#include "control/lua/lua_llc_wire.h"
#include "control/lua/lua_phone_wire.h"
#include "control/lua/lua_wire.h"

const luaL_Reg lua_modules[] = {
    {"gbflow_wire", luaopen_gbflow_wire},
    {"gbflow_crypto", luaopen_gbflow_crypto},
    {"gbflow_gtpc", luaopen_gbflow_gtpc},
    {"gbflow_llc", luaopen_gbflow_llc},
    {"gbflow_aqm", luaopen_gbflow_aqm},
    {"gbflow_aqm_choices", luaopen_gbflow_aqm_choices},
    {"gbflow_budget", luaopen_gbflow_budget},
    {"gbflow_phone", luaopen_gbflow_phone},
    {NULL, NULL},
};
