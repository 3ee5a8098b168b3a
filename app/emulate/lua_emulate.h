/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a file for `gbflow emulate` through lua/schema/config.lua: sandboxed, checked by lua/bss/schema.lua.
 */
#ifndef APP_EMULATE_LUA_EMULATE_H
#define APP_EMULATE_LUA_EMULATE_H

#include "app/emulate/config.h"
#include "app/emulate/phones.h"

#include <lua.h>
#include <stdbool.h>

/*
 * True: *config is filled in (free it with emulate_config_free()). False: the errors were printed to stderr,
 * a line each, and *config is empty. Warnings are printed too. *phones, where phones are configured, uses L
 * until emulate_phones_free(); else it is NULL. phones may be NULL: they are checked alone.
 */
bool lua_emulate_load(lua_State *L, const char *path, struct emulate_config *config,
                      struct emulate_phones **phones);

#endif
