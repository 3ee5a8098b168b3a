/* SPDX-License-Identifier: BSD-3-Clause */
/* Supervision of paths to GGSNs in Lua (lua/gn/paths.lua) as C sees it: answers and time go in, intents come
 * out. */
#ifndef CONTROL_LUA_LUA_PATHS_H
#define CONTROL_LUA_LUA_PATHS_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

enum lua_paths_op {
    LUA_PATHS_ECHO, /* path, seq: send an Echo Request */
    LUA_PATHS_LOSE, /* path: end its contexts */
    LUA_PATHS_LOG,  /* level, text */
};

struct lua_paths_intent {
    enum lua_paths_op op;
    uint32_t path;
    uint16_t seq;
    const char *level, *text; /* until emit() returns */
};

/* Called for each intent, in order. */
typedef void (*lua_paths_emit)(void *arg, const struct lua_paths_intent *intent);

struct lua_paths {
    lua_State *L;
    int object; /* registry reference */
    lua_paths_emit emit;
    void *arg;
};

/* What is known of a path. */
struct lua_paths_state {
    char state[8]; /* "off": not supervised; "unknown": nothing heard yet; "up"; "down" */
    uint64_t requests, repeats, answers, losses;
};

/* Makes it of the checked configuration on top of the stack, and pops that. The state stays the caller's. */
void lua_paths_init(struct lua_paths *paths, lua_State *L, lua_paths_emit emit, void *arg);
void lua_paths_fini(struct lua_paths *paths);

/* A path, called `name` in logs, has its first context, or has lost its last one. */
void lua_paths_add(struct lua_paths *paths, uint32_t path, const char *name, int64_t now);
void lua_paths_del(struct lua_paths *paths, uint32_t path, int64_t now);

/* The Echo Request with this number was answered. */
void lua_paths_answered(struct lua_paths *paths, uint32_t path, uint16_t seq, int64_t now);

/* Lets timers expire that are due. */
void lua_paths_advance(struct lua_paths *paths, int64_t now);

/* When the next timer expires, MOMENT_NEVER. */
int64_t lua_paths_next_ns(const struct lua_paths *paths);

void lua_paths_get(const struct lua_paths *paths, uint32_t path, struct lua_paths_state *out);

#endif
