/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Lua file as an AQM scheme, for virtual time and experiments. The file returns a table:
 *   { name = "...", parameters = { ... }, enqueue = function(view, memory, now_s, parameters) ... end,
 *     dequeue = ... }
 * Each hook returns "pass", "mark" or "drop"; nothing is "pass". memory is a table of the instance's own.
 * view has backlog_octets, backlog_pkts, rate_bps, octets, class, is_ecn_capable, random (0 .. 1), tag, and
 * in seconds sojourn_s, age_s, parked_s, left_s (math.huge: unlimited). dequeue reads in view.tag the integer
 * that enqueue wrote for the N-PDU. The file can use math, string and table, as configurations can.
 */
#ifndef CONTROL_CONFIG_LUA_AQM_SCRIPT_H
#define CONTROL_CONFIG_LUA_AQM_SCRIPT_H

#include "dataplane/aqm/aqm.h"

#include <lua.h>
#include <stddef.h>

struct lua_aqm_script;

/* Reads a file. NULL, with a line on stderr: it is not a valid scheme. */
struct lua_aqm_script *lua_aqm_script_new(const char *path);

/* Frees a script, or NULL; no setup made of its scheme may be in use any more. */
void lua_aqm_script_free(struct lua_aqm_script *script);

/* The scheme; it lives as long as the script. */
const struct aqm_ops *lua_aqm_script_ops(const struct lua_aqm_script *script);

/*
 * The first error of a hook, with FILE:LINE and the number of the N-PDU, after which the scheme passes all
 * N-PDUs; NULL: no error. A call that takes more than 100 000 instructions of Lua is an error, too. A run
 * with such an error has failed.
 */
const char *lua_aqm_script_failure(const struct lua_aqm_script *script);

#endif
