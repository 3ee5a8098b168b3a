/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a scenario file through lua/scenario/read.lua: sandboxed, checked by its schema, changed by the
 * command line. */
#ifndef APP_RUN_LUA_SCENARIO_H
#define APP_RUN_LUA_SCENARIO_H

#include "app/run/scenario_config.h"

#include <lua.h>
#include <stdbool.h>

struct lua_scenario_options {
    uint64_t seed;                          /* of math.random in the file, and of the run */
    const struct scenario_config_set *sets; /* --set path=value, the caller's */
    uint32_t set_count;
};

/*
 * Loads a scenario. True: *config is filled in, with the nodes of its SGSNs (free it with
 * scenario_config_free()), and the list of the checked tables of these nodes is on top of the stack for their
 * Lua control planes. False: the errors were
 * printed to stderr, a line each, nothing is pushed, and *config is empty. Warnings are printed too.
 */
bool lua_scenario_load(lua_State *L, const char *path, const struct lua_scenario_options *options,
                       struct scenario_config *config);

/*
 * Loads a scenario for the sake of its key `study`. True: the checked scenario is on top of the stack, its
 * study above. False: lines on stderr say why, nothing is pushed.
 */
bool lua_scenario_push_study(lua_State *L, const char *path);

/*
 * 1: the file is a scenario; 0: it is a node's configuration; -1, with a line on stderr: it cannot be read.
 * Decided by the keys that only one of the two has; a file whose execution fails counts as a node's, unless
 * it has `require`.
 */
int lua_scenario_detect(lua_State *L, const char *path);

/* From the checked table of a scenario (lua/scenario/schema.lua) to struct scenario_config. */

/*
 * Reads the table on top of the stack, which stays there. lua_scenario_read_nodes() comes before: nodes have
 * the identities of the mobiles. Ends the program when memory is short.
 */
void lua_scenario_read(lua_State *L, struct scenario_config *config);

/* Reads the list of the nodes' checked tables on top of the stack, which stays there. */
void lua_scenario_read_nodes(lua_State *L, struct scenario_config *config);

/* Reads the keys of LLC and SNDCP of the mobile on top of Lua's stack; all 0 without. */
void lua_scenario_read_stack(lua_State *L, struct ms_settings *settings);

/* The key `mobility`, after cells and mobiles have been read. */
void lua_mobility_read(lua_State *L, struct scenario_config *config);

#endif
