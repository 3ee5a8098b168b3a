/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules in C that lua/ requires: codecs, ciphers, AQM schemes. For lua_host_new(). */
#ifndef CONTROL_CONFIG_LUA_MODULES_H
#define CONTROL_CONFIG_LUA_MODULES_H

#include <lauxlib.h>

extern const luaL_Reg lua_modules[];

#endif
