/* SPDX-License-Identifier: BSD-3-Clause */
/* From the checked table of a scenario (lua/scenario/schema.lua) to struct scenario_config. */
#ifndef APP_RUN_LUA_SCENARIO_READ_H
#define APP_RUN_LUA_SCENARIO_READ_H

#include "app/run/scenario_config.h"

#include <lua.h>

/*
 * Reads the table on top of the stack, which stays there. config->node must be filled in: it has the
 * identities of the mobiles. Ends the program when memory is short.
 */
void lua_scenario_read(lua_State *L, struct scenario_config *config);

/* Reads the key `cells` only: the radio and the calls of each. */
void lua_scenario_read_cells(lua_State *L, struct scenario_config *config);

#endif
