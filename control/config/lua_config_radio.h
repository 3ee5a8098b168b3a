/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the optional elements of mobiles' DL-UNITDATA from the checked tables of lua/node/radio.lua. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_RADIO_H
#define CONTROL_CONFIG_LUA_CONFIG_RADIO_H

#include "control/config/node_config.h"

#include <lua.h>

/* Appends `elements` of the table on top of the stack, which stays there, to config->elements; returns their
 * number there, or `otherwise` when the table has none. */
uint32_t lua_config_radio_add(lua_State *L, struct node_config *config, uint32_t otherwise);

/* Reads `dl_unitdata` of the `gb` on top of the stack. */
void lua_config_radio_switches(lua_State *L, struct node_config *config);

#endif
