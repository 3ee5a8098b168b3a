/* SPDX-License-Identifier: BSD-3-Clause */
/* The differences between the configuration of a running node and a new one (lua/node/diff.lua). */
#ifndef CONTROL_CONFIG_LUA_CONFIG_DIFF_H
#define CONTROL_CONFIG_LUA_CONFIG_DIFF_H

#include "control/config/node_config.h"

#include <lua.h>
#include <stdbool.h>

struct lua_config_diff_gone {
    uint16_t nsei, nsvci;
};

struct lua_config_diff_cell {
    uint16_t nsei, bvci;
};

struct lua_config_diff_class {
    uint32_t mobile, context; /* in config.list, and among its contexts */
};

/* Added and changed entities are indices in the new configuration; deleted ones are identifiers. */
struct lua_config_diff {
    lua_State *L;              /* with the new checked table on top of its stack */
    struct node_config config; /* the new one */
    uint32_t added_count, removed_count, policy_count, link_count, nse_count, gone_nse_count, cell_count,
        gone_cell_count, nsvc_count, gone_count, endpoints_count, class_count, told_count;
    uint32_t refused_count;
    uint32_t *added;                         /* in config.list */
    char (*removed)[NODE_CONFIG_IMSI_CHARS]; /* in order */
    uint16_t *policies;                      /* in config.cells */
    uint16_t *links;                         /* in config.nses */
    uint16_t *nses;                          /* in config.nses: added ones */
    uint16_t *gone_nses;
    uint16_t *cells; /* in config.cells: those added to existing NSEs */
    struct lua_config_diff_cell *gone_cells;
    uint32_t *nsvcs;                       /* in config.nsvcs */
    struct lua_config_diff_gone *gone;     /* deleted NS-VCs; to be deleted before others are added */
    uint16_t *endpoints;                   /* in config.nses: those with changed SGSN endpoints (IP-SNS) */
    struct lua_config_diff_class *classes; /* contexts over GTP-C of which only the class is changed */
    char *told;      /* what differs, a line each: key, value before and value after; NULL: nothing */
    uint8_t schemes; /* bit per class: another AQM scheme */
    bool has_timers, has_limits, has_live, has_phones, has_addresses, has_accepted, has_gtpc, has_llc;
};

/*
 * Reads both texts and compares them. `running` has values that the old text lacks: the worker of each NSE,
 * the limits of the start, and the digests of the mobiles of mobiles.file. False: the new text has an error,
 * or a change that a running node cannot make, which was printed with its line, path and reason.
 * lua_config_diff_free() must be called in either case.
 */
struct lua_config_diff_texts {
    const char *path, *old_text, *new_text;
};
bool lua_config_diff_new(struct lua_config_diff *diff, const struct lua_config_diff_texts *texts,
                         const struct node_config *running);
void lua_config_diff_free(struct lua_config_diff *diff);

/* mobile_digest.c: adds to diff->added and diff->removed the mobiles of mobiles.file whose digests differ
 * between the running node and diff->config; one with another digest is in both. False: out of memory. */
bool mobile_digest_diff(struct lua_config_diff *diff, const struct node_config *running);

/* Exchanges the digests of two configurations: those of the new one are in force. */
void mobile_digest_swap(struct node_config *a, struct node_config *b);

/* Calls fn with each timer of Gb: "ns" or "bssgp", its key, ns or count. */
void lua_config_diff_timers(const struct lua_config_diff *diff, void *arg,
                            void (*fn)(void *arg, const char *group, const char *name, int64_t value));

/* The whole text of a file, for lua_config_diff_text_free(); NULL, with a line on stderr. */
char *lua_config_diff_text(const char *path);

/* Whether a text is a valid node: reads it in a state of its own, as lua_config_diff_new() does. False, with
 * its errors on stderr. */
bool lua_config_diff_is_right(const char *path, const char *text);

/* A new state with the checked table of a text that is right on top of its stack, for lua_host_free(); NULL:
 * out of memory, or processor time. */
lua_State *lua_config_diff_state(const char *path, const char *text);

/* All values of the checked node on top of a state, defaults included: lines of key, tabulator and value, for
 * free(); NULL: no memory. */
char *lua_config_diff_effective(lua_State *L);

/* Wipes and frees a text, which may have ciphering keys; NULL is allowed. */
void lua_config_diff_text_free(char *text);

#endif
