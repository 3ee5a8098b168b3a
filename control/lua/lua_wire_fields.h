/* SPDX-License-Identifier: BSD-3-Clause */
/* One field of a PDU's struct as a Lua value, and back, by its row in the table of elements
 * (docs/wire-lua.md, Values). */
#ifndef CONTROL_LUA_LUA_WIRE_FIELDS_H
#define CONTROL_LUA_LUA_WIRE_FIELDS_H

#include <lua.h>

#include "dataplane/wire/pdu.h"

/** Pushes the field of the struct at `in` that the row names: one value. */
void lua_wire_field_push(lua_State *state, const struct ie *ie, const void *in);

/**
 * Reads the value on top of the stack into the struct at `out`. Raises a Lua error naming the field when type
 * or range are wrong. May push anchors for octets that the struct then points to: the struct holds until the
 * caller's C function returns. Octet strings are pointed to and must stay in a table of the caller.
 */
void lua_wire_field_pull(lua_State *state, const struct ie *ie, void *out);

#endif
