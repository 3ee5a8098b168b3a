/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between the text that a node runs with and a new one (lua/node/diff.lua), with both read. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_DIFF_H
#define CONTROL_CONFIG_LUA_CONFIG_DIFF_H

#include "control/lua/lua_gb.h"
#include "control/config/node_config.h"

#include <lua.h>
#include <stdbool.h>

#define LUA_CONFIG_DIFF_ENDPOINTS 16

struct lua_config_diff_gone {
    uint16_t nsei, nsvci;
};

struct lua_config_diff_cell {
    uint16_t nsei, bvci;
};

struct lua_config_diff_class {
    uint32_t mobile, context; /* in config.list, and among its contexts */
};

/* What comes or differs as indices in the new configuration, what goes as it is called. */
struct lua_config_diff {
    lua_State *L;              /* with the new checked table on top of its stack */
    struct node_config config; /* the new one */
    uint32_t added_count, removed_count, policy_count, link_count, nse_count, gone_nse_count, cell_count,
        gone_cell_count, nsvc_count, gone_count, endpoints_count, class_count;
    uint32_t refused_count;
    uint32_t *added; /* in config.list */
    char (*removed)[NODE_CONFIG_IMSI_CHARS];
    uint16_t *policies; /* in config.cells */
    uint16_t *links;    /* in config.nses */
    uint16_t *nses;     /* in config.nses: those that are new */
    uint16_t *gone_nses;
    uint16_t *cells; /* in config.cells: those that are new in NSEs that are not */
    struct lua_config_diff_cell *gone_cells;
    uint32_t *nsvcs;                       /* in config.nsvcs */
    struct lua_config_diff_gone *gone;     /* NS-VCs that are no more, before those come */
    uint16_t *endpoints;                   /* in config.nses: those with other endpoints of ours */
    struct lua_config_diff_class *classes; /* of contexts over GTP-C that differ in nothing else */
    bool has_timers, has_limits, has_log_lines;
};

/*
 * Reads both texts and compares them. `running` says what the old text does not: which worker has each NSE,
 * and the limits of the start. False: the new one is wrong, which was printed; or something differs that a
 * running node cannot change, which was printed with its line, path and reason. Either way
 * lua_config_diff_free() is due.
 */
struct lua_config_diff_texts {
    const char *path, *old_text, *new_text;
};
bool lua_config_diff_new(struct lua_config_diff *diff, const struct lua_config_diff_texts *texts,
                         const struct node_config *running);
void lua_config_diff_free(struct lua_config_diff *diff);

/* Calls fn with each timer of Gb: "ns" or "bssgp", its key, ns or count. */
void lua_config_diff_timers(const struct lua_config_diff *diff, void *arg,
                            void (*fn)(void *arg, const char *group, const char *name, int64_t value));

/* Our endpoints of an NSE (index) in the new configuration, which has IP-SNS; returns how many. */
unsigned lua_config_diff_endpoints(const struct lua_config_diff *diff, uint16_t nse,
                                   struct lua_gb_endpoint list[LUA_CONFIG_DIFF_ENDPOINTS]);

/* The whole text of a file, the caller's to free(); NULL, with a line on stderr. */
char *lua_config_diff_text(const char *path);

#endif
