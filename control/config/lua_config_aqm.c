/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the AQM choice of a class from a checked configuration. */
#include "control/config/lua_config_node.h"

#include "control/config/plugin_folder.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_table.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/n_pdu.h"

#include <stdio.h>
#include <string.h>

#define PATH_CHARS 256

static int64_t word_index(const struct aqm_param *param, const char *wanted)
{
    char word[PATH_CHARS];
    int64_t i = 0;
    while (aqm_param_word(param, i, word, sizeof(word)) && strcmp(word, wanted) != 0)
        i++;
    return i;
}

static int64_t value_of(lua_State *L, const struct aqm_param *param)
{
    char text[PATH_CHARS];
    switch (param->kind) {
    case AQM_FLAG:
        return lua_table_boolean(L, param->name);
    case AQM_CHOICE:
        lua_table_text(L, param->name, text, sizeof(text));
        return word_index(param, text);
    default:
        return lua_table_integer(L, param->name);
    }
}

static bool has(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    bool is_there = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return is_there;
}

static uint8_t scope_of(lua_State *L, const struct node_config *config)
{
    static const char *const names[] = {[SCHED_AQM_CLASS_OF_NSE] = "class_of_nse",
                                        [SCHED_AQM_CLASS_OF_BVC] = "class_of_bvc",
                                        [SCHED_AQM_MS] = "ms",
                                        [SCHED_AQM_FLOW] = "flow"};
    char text[PATH_CHARS] = "";
    if (has(L, "scope"))
        lua_table_text(L, "scope", text, sizeof(text));
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++)
        if (strcmp(names[i], text) == 0)
            return (uint8_t)i;
    return config->policy.sched.flow_queues > 0 ? SCHED_AQM_FLOW : SCHED_AQM_MS;
}

/* Cannot fail except for memory: the check of the configuration has found the scheme before. */
static const struct aqm_ops *lua_config_aqm_find(lua_State *L, struct node_config *config)
{
    const char *kind = has(L, "scheme") ? "scheme" : has(L, "plugin") ? "plugin" : "lua";
    char name[PATH_CHARS], message[PATH_CHARS] = "no memory";
    lua_table_text(L, kind, name, sizeof(name));
    if (!config->aqm)
        config->aqm = aqm_choices_new();
    const struct aqm_ops *ops =
        config->aqm ? aqm_choices_find(config->aqm, kind, name, message, sizeof(message)) : NULL;
    if (!ops) {
        fprintf(stderr, "gbflow: %s: %s\n", name, message);
        lua_guard_no_memory("the AQM scheme");
    }
    return ops;
}

/* Reads the `aqm` of one class on top of the stack. */
static void read_class(lua_State *L, struct node_config *config, unsigned k)
{
    if (has(L, "plugin") && !plugin_folder_is_allowed())
        return;
    const struct aqm_ops *ops = lua_config_aqm_find(L, config);
    int64_t *values = config->aqm->values[k];
    for (uint32_t i = 0; i < ops->param_count; i++)
        values[i] = value_of(L, &ops->params[i]);
    config->policy.sched.aqm[k] = (struct sched_aqm_params){
        .choice = {.ops = ops, .values = values, .seed = 1, .stream = k}, .scope = scope_of(L, config)};
}

static void read_own(lua_State *L, struct node_config *config, unsigned k)
{
    if (!lua_table_enter(L, "class"))
        return;
    if (lua_table_enter(L, n_pdu_qclass_name((enum qclass)k))) {
        if (lua_table_enter(L, "aqm")) {
            read_class(L, config, k);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void lua_config_aqm_read(lua_State *L, struct node_config *config)
{
    if (lua_table_enter(L, "aqm")) {
        for (unsigned k = QCLASS_CONVERSATIONAL; k < QCLASS_COUNT; k++)
            read_class(L, config, k);
        lua_pop(L, 1);
    }
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        read_own(L, config, k);
}
