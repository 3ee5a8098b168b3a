/* SPDX-License-Identifier: BSD-3-Clause */
/* The module gbflow_phone: the codecs of GMM, SM, GSUP and IPA for Lua. */
#ifndef CONTROL_LUA_LUA_PHONE_WIRE_H
#define CONTROL_LUA_LUA_PHONE_WIRE_H

#include <lua.h>

/* Opens the module: leaves its table on the stack. */
int luaopen_gbflow_phone(lua_State *L);

#endif
