/* SPDX-License-Identifier: BSD-3-Clause */
/* GTPv1-C messages for Lua. The module keeps no state. */
#ifndef CONTROL_LUA_LUA_GTPC_WIRE_H
#define CONTROL_LUA_LUA_GTPC_WIRE_H

#include <lua.h>

/*
 * Opens the module gbflow_gtpc: pushes one table and returns 1.
 *
 *   decode(octets)   a UDP payload: a message as below; or nil and a word: "truncated", "malformed",
 *                    "unsupported".
 *   encode(message)  its octets. Raises an error for a value that cannot be encoded.
 *
 * A message is { type = "create_request", teid =, seq =, and its elements among: cause, recovery, selection,
 * nsapi, linked_nsapi, teid_data, teid_control, arp, rat_type, numbers; teardown, a boolean; imsi, apn,
 * msisdn; pdp_type = "ipv4", "ipv6" or "ipv4v6" with user_ipv4 and user_ipv6; control and user, addresses of
 * a GSN; qos, octets behind the one of ARP }. Addresses are texts. A decoded one with qos has class, the
 * traffic class of that; it lacks selection, apn, msisdn and rat_type. Types: echo, create, update, delete,
 * each with _request and _response.
 */
int luaopen_gbflow_gtpc(lua_State *L);

#endif
