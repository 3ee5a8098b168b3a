/* SPDX-License-Identifier: BSD-3-Clause */
/* Available GEA algorithms and engines, for the checks of configurations. */
#ifndef CONTROL_LUA_LUA_CRYPTO_H
#define CONTROL_LUA_LUA_CRYPTO_H

#include <lua.h>

/*
 * Opens the module: pushes a table of two functions and returns 1. They return nil, or the reason as text.
 *   refusal(algorithm)  why a GEA (number) is not available
 *   fault(name)         why an engine of gea.h cannot be used; runs its self-test
 */
int luaopen_gbflow_crypto(lua_State *L);

#endif
