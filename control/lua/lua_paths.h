/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the supervision of paths to GGSNs in Lua (lua/gn/paths.lua): its inputs are Echo Responses and time,
 * its outputs intents. */
#ifndef CONTROL_LUA_LUA_PATHS_H
#define CONTROL_LUA_LUA_PATHS_H

#include "control/lua/lua_object.h"

#include <stdint.h>

struct lua_paths {
    struct lua_object object;
};

/* The state and counters of a path. */
struct lua_paths_state {
    char state[8]; /* "off": not supervised; "unknown": nothing heard yet; "up"; "down" */
    uint64_t requests, repeats, answers, losses;
};

/* Makes the object of the checked configuration on top of the stack, and pops that. */
void lua_paths_init(struct lua_paths *paths, const struct lua_intents *intents);
void lua_paths_fini(struct lua_paths *paths);

/* A path, `name` in logs, has got its first context, or lost its last one. */
void lua_paths_add(struct lua_paths *paths, uint32_t path, const char *name, int64_t now);
void lua_paths_del(struct lua_paths *paths, uint32_t path, int64_t now);

/* The Echo Request with this number was answered. */
void lua_paths_answered(struct lua_paths *paths, uint32_t path, uint16_t seq, int64_t now);

void lua_paths_get(const struct lua_paths *paths, uint32_t path, struct lua_paths_state *out);

#endif
