/* SPDX-License-Identifier: BSD-3-Clause */
/* NS and BSSGP codecs for Lua. docs/wire-lua.md describes the functions and the fields of each PDU. The
   module keeps no state and reads no clock. */
#ifndef CONTROL_LUA_LUA_WIRE_H
#define CONTROL_LUA_LUA_WIRE_H

#include <lua.h>

/**
 * Opens the module: pushes one table {ns_decode, ns_encode, bssgp_decode, bssgp_encode} and returns 1. For
 * luaL_requiref(state, "gbflow_wire", luaopen_gbflow_wire, 0), or found by `require "gbflow_wire"` in the
 * loadable form of the same file. Raises a Lua error only when memory is short.
 */
int luaopen_gbflow_wire(lua_State *state);

#endif
