/* SPDX-License-Identifier: BSD-3-Clause */
/* The key `cells` of a checked scenario or of a file for `gbflow emulate` (lua/scenario/radio.lua). */
#ifndef APP_RUN_LUA_CELLS_H
#define APP_RUN_LUA_CELLS_H

#include "app/run/scenario_config.h"

#include <lua.h>

/* Reads the key of the table on top of the stack: the radio and the calls of each cell. */
void lua_cells_read(lua_State *L, struct scenario_config *config);

/* The number, from 1, of the trace that the table on top of the stack names; a new one is added. */
uint32_t lua_cells_trace(lua_State *L, struct scenario_config *config, enum trace_kind kind);

#endif
