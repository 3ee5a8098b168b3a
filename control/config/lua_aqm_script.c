/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_aqm_script.h"

#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_TABLE = 1, STACK_VIEW, STACK_MEMORIES, STACK_ENQUEUE, STACK_DEQUEUE, STACK_TOP = STACK_DEQUEUE };

/* The Lua stack keeps the script's table, its view, the memories of its instances and the hooks. */
struct lua_aqm_script {
    lua_State *L;
    struct aqm_ops ops;
    char name[64], failure[256];
};

struct law {
    struct lua_aqm_script *script;
};

struct state {
    int memory; /* index into memories */
};

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    ((struct law *)law)->script = ops->context;
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    lua_State *L = ((const struct law *)law)->script->L;
    lua_newtable(L);
    ((struct state *)state)->memory = luaL_ref(L, STACK_MEMORIES);
}

static void set_number(lua_State *L, const char *key, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, STACK_VIEW, key);
}

static void set_integer(lua_State *L, const char *key, uint64_t number)
{
    lua_pushinteger(L, (lua_Integer)number);
    lua_setfield(L, STACK_VIEW, key);
}

static void show(lua_State *L, const struct aqm_view *view)
{
    set_integer(L, "backlog_octets", view->backlog_octets);
    set_integer(L, "backlog_pkts", view->backlog_pkts);
    set_integer(L, "rate_bps", view->rate_bps);
    set_integer(L, "octets", view->octets);
    set_integer(L, "tag", view->tag);
    set_number(L, "sojourn_s", (double)view->sojourn_ns / 1e9);
    set_number(L, "age_s", (double)view->age_ns / 1e9);
    set_number(L, "parked_s", (double)view->parked_ns / 1e9);
    set_number(L, "left_s", view->left_ns == MOMENT_NEVER ? HUGE_VAL : (double)view->left_ns / 1e9);
    set_number(L, "random", (double)(view->random >> 11) / 9007199254740992.0);
    lua_pushstring(L, qclass_name(view->qclass));
    lua_setfield(L, STACK_VIEW, "class");
    lua_pushboolean(L, view->ecn != AQM_ECN_NOT);
    lua_setfield(L, STACK_VIEW, "is_ecn_capable");
}

static enum aqm_verdict fail(struct lua_aqm_script *script, const char *message)
{
    snprintf(script->failure, sizeof(script->failure), "%s", message ? message : "?");
    lua_settop(script->L, STACK_TOP);
    return AQM_PASS;
}

/* The verdict that the hook left on the stack. */
static enum aqm_verdict verdict_of(struct lua_aqm_script *script)
{
    static const struct {
        const char *word;
        enum aqm_verdict verdict;
    } words[] = {{"pass", AQM_PASS}, {"mark", AQM_MARK}, {"drop", AQM_DROP}};
    const char *said = lua_isnil(script->L, -1) ? "pass" : lua_tostring(script->L, -1);
    for (size_t i = 0; said && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].word, said) == 0) {
            lua_settop(script->L, STACK_TOP);
            return words[i].verdict;
        }
    }
    return fail(script, "a hook must return \"pass\", \"mark\" or \"drop\"");
}

static enum aqm_verdict ask(const struct law *law, const struct state *state, int hook,
                            const struct aqm_view *view, int64_t now)
{
    struct lua_aqm_script *script = law->script;
    lua_State *L = script->L;
    if (script->failure[0])
        return AQM_PASS;
    show(L, view);
    lua_pushvalue(L, hook);
    lua_pushvalue(L, STACK_VIEW);
    lua_rawgeti(L, STACK_MEMORIES, state->memory);
    lua_pushnumber(L, (double)now / 1e9);
    if (lua_pcall(L, 3, 1, 0) != LUA_OK)
        return fail(script, lua_tostring(L, -1));
    return verdict_of(script);
}

static enum aqm_verdict enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    struct lua_aqm_script *script = ((const struct law *)law)->script;
    enum aqm_verdict verdict = ask(law, state, STACK_ENQUEUE, view, now);
    int is_whole;
    lua_getfield(script->L, STACK_VIEW, "tag");
    lua_Integer tag = lua_tointegerx(script->L, -1, &is_whole);
    lua_settop(script->L, STACK_TOP);
    if (!is_whole || tag < 0 || tag > UINT32_MAX)
        return script->failure[0] ? AQM_PASS
                                  : fail(script, "view.tag must be a whole number from 0 to 4294967295");
    view->tag = (uint32_t)tag;
    return verdict;
}

static enum aqm_verdict dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return ask(law, state, STACK_DEQUEUE, view, now);
}

static const struct aqm_param params[] = {AQM_PARAM_ECN(0)};

static void make_ops(struct lua_aqm_script *script)
{
    script->ops = (struct aqm_ops){
        .name = script->name,
        .title = "a Lua function",
        .summary = "Defined by its file.",
        .source = "the file",
        .params = params,
        .param_count = sizeof(params) / sizeof(params[0]),
        .law_octets = sizeof(struct law),
        .state_octets = sizeof(struct state),
        .flags = AQM_DRAWS | AQM_DRAWS_DEQUEUE,
        .axis = lua_isnil(script->L, STACK_ENQUEUE) ? AQM_AXIS_AGE : AQM_AXIS_BACKLOG,
        .context = script,
        .prepare = prepare,
        .init = init,
        .enqueue = lua_isnil(script->L, STACK_ENQUEUE) ? NULL : enqueue,
        .dequeue = lua_isnil(script->L, STACK_DEQUEUE) ? NULL : dequeue,
    };
}

static bool is_hook(lua_State *L, int at)
{
    return lua_isfunction(L, at) || lua_isnil(L, at);
}

/* Leaves STACK_TOP values. */
static const char *read_table(struct lua_aqm_script *script)
{
    lua_State *L = script->L;
    lua_newtable(L);
    lua_newtable(L);
    lua_getfield(L, STACK_TABLE, "enqueue");
    lua_getfield(L, STACK_TABLE, "dequeue");
    lua_getfield(L, STACK_TABLE, "name");
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    snprintf(script->name, sizeof(script->name), "%s", name ? name : "");
    lua_settop(L, STACK_TOP);
    if (!name || !*name)
        return "name: missing; set it to the scheme's name";
    if (!is_hook(L, STACK_ENQUEUE) || !is_hook(L, STACK_DEQUEUE))
        return "enqueue and dequeue must be functions";
    if (lua_isnil(L, STACK_ENQUEUE) && lua_isnil(L, STACK_DEQUEUE))
        return "enqueue and dequeue: missing; a scheme needs one of them";
    return NULL;
}

/* Leaves the table that the file returns as the only value on the stack. */
static bool read_file(lua_State *L, const char *path)
{
    if (!lua_text_push(L, path))
        return false;
    lua_host_require(L, "schema.config");
    lua_getfield(L, -1, "read");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushstring(L, path);
    lua_host_call(L, 2, 2);
    if (lua_isnil(L, -2)) {
        lua_text_print_lines(L, "");
        return false;
    }
    lua_settop(L, STACK_TABLE);
    return true;
}

/* The state has no modules in C, which schema/config.lua does not need: lua_modules has the AQM choices,
 * which include this file. */
static const luaL_Reg no_modules[] = {{NULL, NULL}};

struct lua_aqm_script *lua_aqm_script_new(const char *path)
{
    struct lua_aqm_script *script = calloc(1, sizeof(*script));
    if (!script || !(script->L = lua_host_new(no_modules)) || !read_file(script->L, path)) {
        lua_aqm_script_free(script);
        return NULL;
    }
    const char *wrong = read_table(script);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", path, wrong);
        lua_aqm_script_free(script);
        return NULL;
    }
    make_ops(script);
    return script;
}

void lua_aqm_script_free(struct lua_aqm_script *script)
{
    if (!script)
        return;
    lua_host_free(script->L);
    free(script);
}

const struct aqm_ops *lua_aqm_script_ops(const struct lua_aqm_script *script)
{
    return &script->ops;
}

const char *lua_aqm_script_failure(const struct lua_aqm_script *script)
{
    return script->failure[0] ? script->failure : NULL;
}
