/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC's unnumbered frames for Lua, without FCS. The module keeps no state. */
#ifndef CONTROL_LUA_LUA_LLC_WIRE_H
#define CONTROL_LUA_LUA_LLC_WIRE_H

#include <lua.h>

/*
 * Opens the module gbflow_llc: pushes one table and returns 1.
 *
 *   decode(octets)  a frame that a mobile sent: { sapi =, format = "i", "s", "ui" or "u", info = } or nil and
 * a word. U frames have frame = "xid", "sabm", ... (nil: undefined), is_command, pf and, for "xid", xid = {
 * NAME = value, l3 = octets, reset = true, refused = { NAME... } } where the field is well formed; NAMEs are
 * those of llc_xid.h. encode(frame)   the octets of a U frame to a mobile from { sapi =, frame =, is_command
 * =, pf =, xid = }. Raises an error for a value that cannot be encoded.
 */
int luaopen_gbflow_llc(lua_State *L);

#endif
