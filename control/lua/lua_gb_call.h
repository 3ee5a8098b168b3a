/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls from the control plane of Gb into Lua. For the lua_gb*.c files only. */
#ifndef CONTROL_LUA_LUA_GB_CALL_H
#define CONTROL_LUA_LUA_GB_CALL_H

#include "control/lua/lua_gb.h"

/* Pushes a method and its object; the arguments follow. */
void lua_gb_push_method(const struct lua_gb *gb, const char *method);

/* Calls the method whose arguments but the last, `now`, are on the stack, and hands out the intents that it
 * returns. */
void lua_gb_call_at(struct lua_gb *gb, int arguments, int64_t now);

#endif
