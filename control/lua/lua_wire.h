/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs for Lua: each opens a module of functions and tables. */
#ifndef CONTROL_LUA_LUA_WIRE_H
#define CONTROL_LUA_LUA_WIRE_H

#include "dataplane/wire/ie.h"

#include <lua.h>

/* NS and BSSGP codecs for Lua. docs/wire-lua.md describes the functions and the fields of each PDU. The
   module keeps no state and reads no clock. */

/**
 * Opens the module: pushes one table {ns_decode, ns_encode, bssgp_decode, bssgp_encode} and returns 1. For
 * luaL_requiref(state, "gbflow_wire", luaopen_gbflow_wire, 0), or found by `require "gbflow_wire"` in the
 * loadable form of the same file. Raises a Lua error only when memory is short.
 */
int luaopen_gbflow_wire(lua_State *state);

/* One field of a PDU's struct as a Lua value, and back, by its row in the table of elements
 * (docs/wire-lua.md, Values). */

/** Pushes the field of the struct at `in` that the row names: one value. */
void lua_wire_field_push(lua_State *state, const struct ie *ie, const void *in);

/**
 * Reads the value on top of the stack into the struct at `out`. Raises a Lua error naming the field when type
 * or range are wrong. May push anchors for octets that the struct then points to: the struct holds until the
 * caller's C function returns. Octet strings are pointed to and must stay in a table of the caller.
 */
void lua_wire_field_pull(lua_State *state, const struct ie *ie, void *out);

/* Available GEA algorithms and engines, for the checks of configurations. */

/*
 * Opens the module: pushes a table of two functions and returns 1. They return nil, or the reason as text.
 *   refusal(algorithm)  why a GEA (number) is not available
 *   fault(name)         why an engine of gea.h cannot be used; runs its self-test
 */
int luaopen_gbflow_crypto(lua_State *L);

/* The module gbflow_record: pack(value) and unpack(text) of lua/base/records.lua. */
int luaopen_gbflow_record(lua_State *L);

/* LLC's unnumbered frames for Lua, without FCS. The module keeps no state. */

/*
 * Opens the module gbflow_llc: pushes one table and returns 1.
 *
 *   decode(octets)  a frame that a mobile sent: { sapi =, format = "i", "s", "ui" or "u", info = } or nil and
 * a word. U frames have frame = "xid", "sabm", ... (nil: undefined), is_command, pf and, for "xid", xid = {
 * NAME = value, l3 = octets, reset = true, refused = { NAME... } } where the field is well formed; NAMEs are
 * those of llc_xid.h. encode(frame)   the octets of a U frame to a mobile from { sapi =, frame =, is_command
 * =, pf =, xid = }. Raises an error for a value that cannot be encoded.
 *
 * Of SNDCP's field in XID, l3:
 *
 *   sndcp_decode(octets)   { ENTITY..., version =, is_whole = }; is_whole = false: the rest is cut short.
 *   sndcp_encode(list)     its octets, or nil: they are more than 255.
 *
 *   sndcp_parameters(kind, algorithm, octets)   an entity's parameters as numbers, as many as are there.
 *
 *   sndcp_pack(kind, algorithm, numbers)        their octets.
 *
 * An ENTITY is { kind = "header" or "data", number =, nsapis = bits, parameters = octets, is_proposal = }; a
 * proposal also has algorithm = number, name = that of sndcp_xid.c or nil, values = { PCOMP or DCOMP... }.
 */
int luaopen_gbflow_llc(lua_State *L);

#endif
