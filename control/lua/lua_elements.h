/* SPDX-License-Identifier: BSD-3-Clause */
/* The optional elements of a mobile's DL-UNITDATA (TS 48.018 clause 10.2.1), from the checked tables of
 * lua/node/radio.lua. */
#ifndef CONTROL_LUA_LUA_ELEMENTS_H
#define CONTROL_LUA_LUA_ELEMENTS_H

#include "dataplane/wire/bssgp.h"

#include <lua.h>
#include <stdbool.h>

/* Reads the table on top of the stack, which stays there; false: the values do not fit. */
bool lua_elements_of(lua_State *L, struct bssgp_elements *out);

/* Reads `elements` of the table on top of the stack, which stays there; absent: *out is empty. */
void lua_elements_read(lua_State *L, struct bssgp_elements *out);

#endif
