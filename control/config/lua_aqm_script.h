/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Lua file as an AQM scheme, for virtual time and experiments. The file returns a table:
 *   { name = "...", enqueue = function(view, memory, now_s) ... end, dequeue = ... }
 * Each hook returns "pass", "mark" or "drop"; nothing is "pass". memory is a table of the instance's own.
 * view has backlog_octets, backlog_pkts, rate_bps, octets, class, is_ecn_capable, random (0 .. 1), tag, and
 * in seconds sojourn_s, age_s, parked_s, left_s (math.huge: without end); what enqueue writes to view.tag, a
 * whole number, dequeue finds there. The file sees math, string and table, as configurations do.
 */
#ifndef CONTROL_CONFIG_LUA_AQM_SCRIPT_H
#define CONTROL_CONFIG_LUA_AQM_SCRIPT_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

struct lua_aqm_script;

/* Reads a file. NULL, with a line on stderr, when it is not right. */
struct lua_aqm_script *lua_aqm_script_new(const char *path);

/* No setup made of its scheme may be in use any more. NULL is allowed. */
void lua_aqm_script_free(struct lua_aqm_script *script);

/* The scheme; it lives as long as the script. */
const struct aqm_ops *lua_aqm_script_ops(const struct lua_aqm_script *script);

/* What went wrong in a hook first, NULL: nothing. From there on the scheme lets all pass. */
const char *lua_aqm_script_failure(const struct lua_aqm_script *script);

#endif
