/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_config_diff.h"

#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/config/lua_budget.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "control/config/mobile_table.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *lua_config_diff_text(const char *path)
{
    lua_State *L = lua_host_new(lua_modules);
    char *text = NULL;
    if (L && lua_text_push_regular(L, path)) {
        size_t octets;
        const char *all = lua_tolstring(L, -1, &octets);
        if (strlen(all) == octets)
            text = strdup(all);
        else
            fprintf(stderr, "%s: octet %zu is 0; the file is no text\n", path, strlen(all) + 1);
    }
    lua_host_free(L);
    return text;
}

void lua_config_diff_text_free(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

/* Pushes the checked table of a text; false, with lines on stderr and nothing pushed. */
static bool push_checked(lua_State *L, const char *path, const char *text, bool has_warnings)
{
    lua_host_require(L, "schema.config");
    lua_getfield(L, -1, "load");
    lua_remove(L, -2);
    lua_pushstring(L, text);
    lua_pushstring(L, path);
    lua_pushliteral(L, "node");
    if (!lua_budget_call(L, 3, 2, path))
        return false;
    bool is_right = !lua_isnil(L, -2);
    if (is_right && !has_warnings)
        lua_pop(L, 1);
    else
        lua_text_print_lines(L, is_right ? "warning: " : "");
    if (!is_right)
        lua_pop(L, 1);
    return is_right;
}

bool lua_config_diff_is_right(const char *path, const char *text)
{
    struct node_config config = {0};
    lua_State *L = lua_host_new(lua_modules);
    bool is_right = L && push_checked(L, path, text, true);
    if (is_right)
        lua_config_node(L, &config);
    node_config_free(&config);
    lua_host_free(L);
    return is_right;
}

struct state_text {
    const char *path, *text;
    lua_State *L;
};

/* Those of the objects, so that it takes no time when they are made. */
static void load_modules(lua_State *L)
{
    static const char *const names[] = {"gb.host", "llc.unnumbered", "gn.paths", "gn.sessions", "gmm.phones"};
    for (size_t i = 0; L && i < sizeof(names) / sizeof(names[0]); i++) {
        lua_host_require(L, names[i]);
        lua_pop(L, 1);
    }
}

static void lua_config_diff_prepare(lua_State *L)
{
    lua_getfield(L, -1, "limits");
    lua_host_prepare(L, (uint32_t)lua_table_integer(L, "mobiles"),
                     (size_t)lua_table_integer(L, "lua_memory"));
    lua_pop(L, 1);
}

static void read_state(void *arg)
{
    struct state_text *state = arg;
    state->L = lua_host_new(lua_modules);
    if (!state->L)
        return;
    if (push_checked(state->L, state->path, state->text, false)) {
        lua_config_diff_prepare(state->L);
        load_modules(state->L);
        return;
    }
    lua_host_free(state->L);
    state->L = NULL;
}

lua_State *lua_config_diff_state(const char *path, const char *text)
{
    struct state_text state = {path, text, NULL};
    if (lua_guard_run(read_state, &state))
        return state.L;
    lua_host_free(state.L);
    return NULL;
}

/* --- lists of the result, on top of the stack --- */

static void print_refused(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    if (diff->refused_count++ < LUA_TEXT_LINES)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
}

static void read_added(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint32_t *index = lua_table_append(&diff->added, &diff->added_count, sizeof(*index));
    *index = (uint32_t)lua_tointeger(L, -1) - 1;
}

static void read_removed(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    char *imsi = lua_table_append(&diff->removed, &diff->removed_count, NODE_CONFIG_IMSI_CHARS);
    snprintf(imsi, NODE_CONFIG_IMSI_CHARS, "%s", lua_tostring(L, -1));
}

static void read_link(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *nse = lua_table_append(&diff->links, &diff->link_count, sizeof(*nse));
    *nse = (uint16_t)(lua_tointeger(L, -1) - 1);
}

static void read_new_nse(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *nse = lua_table_append(&diff->nses, &diff->nse_count, sizeof(*nse));
    *nse = (uint16_t)(lua_tointeger(L, -1) - 1);
}

static void read_gone_nse(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *nsei = lua_table_append(&diff->gone_nses, &diff->gone_nse_count, sizeof(*nsei));
    *nsei = (uint16_t)lua_tointeger(L, -1);
}

static void read_endpoints(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *nse = lua_table_append(&diff->endpoints, &diff->endpoints_count, sizeof(*nse));
    *nse = (uint16_t)(lua_tointeger(L, -1) - 1);
}

/* The index of the cell {nse, cell} on top of the stack. */
static uint16_t cell_at(lua_State *L, const struct lua_config_diff *diff)
{
    uint32_t nse = (uint32_t)lua_table_integer(L, "nse") - 1,
             skip = (uint32_t)lua_table_integer(L, "cell") - 1, i = 0;
    while (diff->config.cells[i].nse != nse || skip-- > 0)
        i++;
    return (uint16_t)i;
}

static void read_policy(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *cell = lua_table_append(&diff->policies, &diff->policy_count, sizeof(*cell));
    *cell = cell_at(L, diff);
}

static void read_new_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint16_t *cell = lua_table_append(&diff->cells, &diff->cell_count, sizeof(*cell));
    *cell = cell_at(L, diff);
}

static void read_gone_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    struct lua_config_diff_cell *cell =
        lua_table_append(&diff->gone_cells, &diff->gone_cell_count, sizeof(*cell));
    cell->nsei = (uint16_t)lua_table_integer(L, "nsei");
    cell->bvci = (uint16_t)lua_table_integer(L, "bvci");
}

static void read_nsvc(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    uint32_t nse = (uint32_t)lua_table_integer(L, "nse") - 1,
             skip = (uint32_t)lua_table_integer(L, "nsvc") - 1;
    for (uint32_t i = 0; i < diff->config.nsvc_count; i++) {
        if (diff->config.nsvcs[i].nse != nse || skip-- > 0)
            continue;
        uint32_t *nsvc = lua_table_append(&diff->nsvcs, &diff->nsvc_count, sizeof(*nsvc));
        *nsvc = i;
        return;
    }
}

static void read_gone(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    struct lua_config_diff_gone *gone = lua_table_append(&diff->gone, &diff->gone_count, sizeof(*gone));
    gone->nsei = (uint16_t)lua_table_integer(L, "nsei");
    gone->nsvci = (uint16_t)lua_table_integer(L, "nsvci");
}

static void read_class(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    struct lua_config_diff_class *entry =
        lua_table_append(&diff->classes, &diff->class_count, sizeof(*entry));
    entry->mobile = (uint32_t)lua_table_integer(L, "mobile") - 1;
    entry->context = (uint32_t)lua_table_integer(L, "context") - 1;
}

static void read_scheme(lua_State *L, void *arg, uint32_t parent)
{
    struct lua_config_diff *diff = arg;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (strcmp(n_pdu_qclass_name((enum qclass)k), lua_tostring(L, -1)) == 0)
            diff->schemes |= (uint8_t)(1U << k);
}

static void read_result(struct lua_config_diff *diff)
{
    lua_State *L = diff->L;
    lua_table_each(L, "refused", print_refused, diff, 0);
    if (diff->refused_count > LUA_TEXT_LINES)
        fprintf(stderr, "and %u more\n", diff->refused_count - LUA_TEXT_LINES);
    lua_table_each(L, "added", read_added, diff, 0);
    lua_table_each(L, "removed", read_removed, diff, 0);
    lua_table_each(L, "policies", read_policy, diff, 0);
    lua_table_each(L, "links", read_link, diff, 0);
    lua_table_each(L, "nses", read_new_nse, diff, 0);
    lua_table_each(L, "gone_nses", read_gone_nse, diff, 0);
    lua_table_each(L, "cells", read_new_cell, diff, 0);
    lua_table_each(L, "gone_cells", read_gone_cell, diff, 0);
    lua_table_each(L, "nsvcs", read_nsvc, diff, 0);
    lua_table_each(L, "gone", read_gone, diff, 0);
    lua_table_each(L, "endpoints", read_endpoints, diff, 0);
    lua_table_each(L, "classes", read_class, diff, 0);
    lua_table_each(L, "schemes", read_scheme, diff, 0);
    diff->has_timers = lua_table_boolean(L, "timers");
    diff->has_limits = lua_table_boolean(L, "limits");
    diff->has_live = lua_table_boolean(L, "live");
    diff->has_phones = lua_table_boolean(L, "phones");
    diff->has_addresses = lua_table_boolean(L, "addresses");
    diff->has_accepted = lua_table_boolean(L, "accepted");
    diff->has_gtpc = lua_table_boolean(L, "gtpc");
    diff->has_llc = lua_table_boolean(L, "llc");
    lua_getfield(L, -1, "told");
    const char *told = lua_tostring(L, -1);
    diff->told = told ? strdup(told) : NULL;
    lua_pop(L, 1);
    diff->told_count = (uint32_t)lua_table_integer(L, "told_count");
}

/* Replaces the list of rejected paths by lines for the operator. */
static void explain_refused(lua_State *L, const char *path, const char *new_text)
{
    lua_host_require(L, "node.diff");
    lua_getfield(L, -1, "explain");
    lua_remove(L, -2);
    lua_getfield(L, -2, "refused");
    lua_pushstring(L, new_text);
    lua_pushstring(L, path);
    lua_host_call(L, 3, 1);
    lua_setfield(L, -2, "refused");
}

/* Pushes the table that lua/node/diff.lua needs of the running node. */
static void push_running(lua_State *L, const struct node_config *config)
{
    const struct {
        const char *name;
        uint32_t value;
    } limits[] = {{"mobiles", config->limits.mobiles},
                  {"contexts", config->limits.contexts},
                  {"npdu_buffers", config->limits.npdu_buffers},
                  {"reassemblies", config->limits.reassemblies}};
    lua_createtable(L, 0, 2);
    lua_newtable(L);
    for (uint32_t i = 0; i < config->nse_count; i++) {
        if (config->nses[i].is_gone)
            continue;
        lua_pushinteger(L, config->nses[i].worker);
        lua_seti(L, -2, config->nses[i].nsei);
    }
    lua_setfield(L, -2, "workers");
    lua_newtable(L);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        lua_pushinteger(L, limits[i].value);
        lua_setfield(L, -2, limits[i].name);
    }
    lua_setfield(L, -2, "limits");
}

/* Contexts of mobiles.file are not in the tables that Lua compares. */
static void refuse_links(struct lua_config_diff *diff, const struct link_settings *running)
{
    diff->refused_count++;
    fprintf(stderr,
            "%s: %u contexts in acknowledged mode need more links than the %u of the start: "
            "memory for links is taken at the start; give llc.acknowledged.links as many as will be needed\n",
            diff->config.mobiles.file, diff->config.abm.links, running->links);
}

/* --- the whole --- */

struct reading {
    struct lua_config_diff *diff;
    const struct lua_config_diff_texts *texts;
    const struct node_config *running;
    bool is_right;
};

static void read_both(void *arg)
{
    struct reading *reading = arg;
    struct lua_config_diff *diff = reading->diff;
    const struct lua_config_diff_texts *texts = reading->texts;
    lua_State *L = diff->L;
    if (!push_checked(L, texts->path, texts->new_text, false))
        return;
    lua_config_node(L, &diff->config);
    if (!mobile_table_read(&diff->config, texts->path))
        return;
    if (!push_checked(L, texts->path, texts->old_text, false))
        return;
    lua_host_require(L, "node.diff");
    lua_getfield(L, -1, "diff");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushvalue(L, -3);
    push_running(L, reading->running);
    lua_host_call(L, 3, 1);
    explain_refused(L, texts->path, texts->new_text);
    read_result(diff);
    lua_pop(L, 1);
    if (diff->config.mobiles.adds_links && diff->config.abm.links > reading->running->abm.links)
        refuse_links(diff, &reading->running->abm);
    if (!mobile_digest_diff(diff, reading->running)) {
        fprintf(stderr, "out of memory\n");
        return;
    }
    reading->is_right = diff->refused_count == 0;
}

bool lua_config_diff_new(struct lua_config_diff *diff, const struct lua_config_diff_texts *texts,
                         const struct node_config *running)
{
    struct reading reading = {diff, texts, running, false};
    *diff = (struct lua_config_diff){.L = lua_host_new(lua_modules)};
    return diff->L && lua_guard_run(read_both, &reading) && reading.is_right;
}

void lua_config_diff_free(struct lua_config_diff *diff)
{
    free(diff->added);
    free(diff->removed);
    free(diff->policies);
    free(diff->links);
    free(diff->nses);
    free(diff->gone_nses);
    free(diff->cells);
    free(diff->gone_cells);
    free(diff->nsvcs);
    free(diff->gone);
    free(diff->endpoints);
    free(diff->classes);
    free(diff->told);
    node_config_free(&diff->config);
    lua_host_free(diff->L);
    *diff = (struct lua_config_diff){0};
}

char *lua_config_diff_effective(lua_State *L)
{
    char *text = NULL;
    lua_host_require(L, "node.changes");
    lua_getfield(L, -1, "effective");
    lua_remove(L, -2);
    lua_pushvalue(L, -2);
    lua_host_call(L, 1, 1);
    if (lua_isstring(L, -1))
        text = strdup(lua_tostring(L, -1));
    lua_pop(L, 1);
    return text;
}

static void each_timer(lua_State *L, const char *group, void *arg,
                       void (*fn)(void *arg, const char *group, const char *name, int64_t value))
{
    lua_getfield(L, -1, group);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        fn(arg, group, lua_tostring(L, -2), lua_tointeger(L, -1));
    lua_pop(L, 1);
}

void lua_config_diff_timers(const struct lua_config_diff *diff, void *arg,
                            void (*fn)(void *arg, const char *group, const char *name, int64_t value))
{
    lua_getfield(diff->L, -1, "timers");
    each_timer(diff->L, "ns", arg, fn);
    each_timer(diff->L, "bssgp", arg, fn);
    lua_pop(diff->L, 1);
}
