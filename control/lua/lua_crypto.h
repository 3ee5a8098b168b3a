/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program can cipher with, for the checks of configurations. */
#ifndef CONTROL_LUA_LUA_CRYPTO_H
#define CONTROL_LUA_LUA_CRYPTO_H

#include <lua.h>

/*
 * Opens the module: pushes a table of two functions that answer nil where all is well, else text that says
 * why not, and returns 1.
 *   refusal(algorithm)  the number of a GEA
 *   fault(name)         an engine of gea.h, after its self-test
 */
int luaopen_gbflow_crypto(lua_State *L);

#endif
