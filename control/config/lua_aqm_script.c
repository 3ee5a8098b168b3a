/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_aqm_script.h"
#include "control/config/lua_budget.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"

#include "control/config/lua_aqm.h"
#include "dataplane/aqm/aqm.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <errno.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_TABLE = 1,
    STACK_VIEW,
    STACK_MEMORIES,
    STACK_ENQUEUE,
    STACK_DEQUEUE,
    STACK_METER,
    STACK_EXPLAIN,
    STACK_TOP = STACK_EXPLAIN
};

/* A call of a hook may execute 100 000 instructions of Lua, and library functions work for CALL_WORK units of
 * lua/schema/sandbox.lua. Both begin again with each call. CALL_NS of processor time bounds instructions that
 * compare or make long strings. */
#define COUNT_STRIDE     1000
#define STRIDES_PER_CALL 100
#define CALL_WORK        1000000
#define CALL_NS          MOMENT_SECOND

/* The Lua stack keeps the script's table, its view, the memories of its instances and the parameters of its
 * laws, the hooks, the meter of library functions and the handler of errors. */
struct lua_aqm_script {
    lua_State *L;
    struct aqm_ops ops;
    struct aqm_param params[AQM_MAX_PARAMS];
    char name[64], failure[512];
    char *path;
    int strides_left;   /* of the present call */
    uint64_t n_pdus[2]; /* that enqueue and dequeue were asked about */
};

struct law {
    struct lua_aqm_script *script;
    int parameters; /* index into memories */
};

struct state {
    int memory; /* index into memories */
};

static void lua_aqm_script_on_count(lua_State *L, lua_Debug *unused_record)
{
    struct lua_aqm_script *script = *(struct lua_aqm_script **)lua_getextraspace(L);
    if (script->strides_left-- > 0)
        return;
    lua_pushfstring(L, "takes too long: more than %d instructions in a call",
                    COUNT_STRIDE * STRIDES_PER_CALL);
    lua_error(L);
}

/* --- parameters --- */

static void push_value(lua_State *L, const struct aqm_param *param, int64_t value)
{
    char word[64];
    if (param->kind == AQM_DURATION)
        lua_pushnumber(L, (double)value / 1e9);
    else if (param->kind == AQM_SHARE)
        lua_pushnumber(L, (double)value / 1e6);
    else if (param->kind == AQM_FLAG)
        lua_pushboolean(L, value != 0);
    else if (param->kind == AQM_CHOICE && aqm_param_word(param, value, word, sizeof(word)))
        lua_pushstring(L, word);
    else
        lua_pushinteger(L, value);
}

static const char *lua_aqm_script_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct lua_aqm_script *script = ops->context;
    lua_State *L = script->L;
    lua_newtable(L);
    for (uint32_t i = 0; i < ops->param_count; i++) {
        push_value(L, &ops->params[i], values[i]);
        lua_setfield(L, -2, ops->params[i].name);
    }
    *(struct law *)law = (struct law){.script = script, .parameters = luaL_ref(L, STACK_MEMORIES)};
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    lua_State *L = ((const struct law *)law)->script->L;
    lua_newtable(L);
    ((struct state *)state)->memory = luaL_ref(L, STACK_MEMORIES);
}

/* --- calls --- */

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
    lua_pushstring(L, n_pdu_qclass_name(view->qclass));
    lua_setfield(L, STACK_VIEW, "class");
    lua_pushboolean(L, view->ecn != AQM_ECN_NOT);
    lua_setfield(L, STACK_VIEW, "is_ecn_capable");
}

/* Keeps the error: the place is the line of the error, else that of the hook. */
static enum aqm_verdict lua_aqm_script_fail(struct lua_aqm_script *script, int hook, int line,
                                            const char *message)
{
    lua_Debug record = {.linedefined = 0};
    lua_pushvalue(script->L, hook);
    lua_getinfo(script->L, ">S", &record);
    bool is_enqueue = hook == STACK_ENQUEUE;
    snprintf(script->failure, sizeof(script->failure), "%s:%d: %s, N-PDU %" PRIu64 ": %s", script->path,
             line > 0 ? line : record.linedefined, is_enqueue ? "enqueue" : "dequeue",
             script->n_pdus[!is_enqueue], message);
    lua_settop(script->L, STACK_TOP);
    return AQM_PASS;
}

/* The error on top of the stack: a table by sandbox.explain(), or a text when memory is short. */
static enum aqm_verdict fail_by_error(struct lua_aqm_script *script, int hook)
{
    lua_State *L = script->L;
    int line = 0;
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "line");
        line = (int)lua_tointeger(L, -1);
        lua_getfield(L, -2, "message");
    }
    const char *message = lua_tostring(L, -1);
    return lua_aqm_script_fail(script, hook, line, message ? message : "an error without a text");
}

/* The verdict that the hook left on the stack. */
static enum aqm_verdict verdict_of(struct lua_aqm_script *script, int hook)
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
    return lua_aqm_script_fail(script, hook, 0, "a hook must return \"pass\", \"mark\" or \"drop\"");
}

static enum aqm_verdict lua_aqm_script_ask(const struct law *law, const struct state *state, int hook,
                                           const struct aqm_view *view, int64_t now)
{
    struct lua_aqm_script *script = law->script;
    lua_State *L = script->L;
    if (script->failure[0])
        return AQM_PASS;
    script->n_pdus[hook == STACK_DEQUEUE]++;
    script->strides_left = STRIDES_PER_CALL;
    show(L, view);
    lua_pushinteger(L, CALL_WORK);
    lua_setfield(L, STACK_METER, "left");
    lua_pushvalue(L, hook);
    lua_pushvalue(L, STACK_VIEW);
    lua_rawgeti(L, STACK_MEMORIES, state->memory);
    lua_pushnumber(L, (double)now / 1e9);
    lua_rawgeti(L, STACK_MEMORIES, law->parameters);
    lua_host_begin(L);
    int status = lua_pcall(L, 4, 1, STACK_EXPLAIN);
    lua_host_end(L);
    if (status != LUA_OK)
        return fail_by_error(script, hook);
    return verdict_of(script, hook);
}

static enum aqm_verdict lua_aqm_script_enqueue(const void *law, void *state, struct aqm_view *view,
                                               int64_t now)
{
    struct lua_aqm_script *script = ((const struct law *)law)->script;
    enum aqm_verdict verdict = lua_aqm_script_ask(law, state, STACK_ENQUEUE, view, now);
    int is_whole;
    lua_getfield(script->L, STACK_VIEW, "tag");
    lua_Integer tag = lua_tointegerx(script->L, -1, &is_whole);
    lua_settop(script->L, STACK_TOP);
    if (!is_whole || tag < 0 || tag > UINT32_MAX)
        return script->failure[0]
                   ? AQM_PASS
                   : lua_aqm_script_fail(script, STACK_ENQUEUE, 0,
                                         "view.tag must be a whole number from 0 to 4294967295");
    view->tag = (uint32_t)tag;
    return verdict;
}

static enum aqm_verdict lua_aqm_script_dequeue(const void *law, void *state, struct aqm_view *view,
                                               int64_t now)
{
    return lua_aqm_script_ask(law, state, STACK_DEQUEUE, view, now);
}

/* --- the file --- */

/* A text of the script's table, which keeps it; parameters' texts are kept so, too. */
static const char *lua_aqm_script_text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

static int64_t lua_aqm_script_number_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    int64_t number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number;
}

static enum aqm_kind kind_of(const char *name)
{
    enum aqm_kind kind = AQM_OCTETS;
    while (kind < AQM_CHOICE && strcmp(aqm_param_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

/* `ecn`, then those of lua/node/aqm.lua, which has checked them; returns how many. */
static uint32_t read_params(struct lua_aqm_script *script)
{
    lua_State *L = script->L;
    uint32_t count = 1;
    script->params[0] = (struct aqm_param)AQM_PARAM_ECN(0);
    lua_getfield(L, STACK_TABLE, "params");
    for (; count < AQM_MAX_PARAMS && lua_geti(L, -1, count) == LUA_TTABLE; count++) {
        script->params[count] = (struct aqm_param){.name = lua_aqm_script_text_of(L, "name"),
                                                   .doc = lua_aqm_script_text_of(L, "doc"),
                                                   .kind = kind_of(lua_aqm_script_text_of(L, "kind")),
                                                   .min = lua_aqm_script_number_of(L, "min"),
                                                   .max = lua_aqm_script_number_of(L, "max"),
                                                   .initial = lua_aqm_script_number_of(L, "initial"),
                                                   .words = lua_aqm_script_text_of(L, "words")};
        lua_pop(L, 1);
    }
    lua_settop(L, STACK_TOP);
    return count;
}

static void make_ops(struct lua_aqm_script *script)
{
    lua_pushvalue(script->L, STACK_TABLE);
    script->ops = (struct aqm_ops){
        .name = script->name,
        .title = lua_aqm_script_text_of(script->L, "title"),
        .summary = lua_aqm_script_text_of(script->L, "summary"),
        .source = "the file",
        .params = script->params,
        .param_count = read_params(script),
        .law_octets = sizeof(struct law),
        .state_octets = sizeof(struct state),
        .flags = AQM_DRAWS | AQM_DRAWS_DEQUEUE,
        .axis = lua_isnil(script->L, STACK_ENQUEUE) ? AQM_AXIS_AGE : AQM_AXIS_BACKLOG,
        .context = script,
        .prepare = lua_aqm_script_prepare,
        .init = init,
        .enqueue = lua_isnil(script->L, STACK_ENQUEUE) ? NULL : lua_aqm_script_enqueue,
        .dequeue = lua_isnil(script->L, STACK_DEQUEUE) ? NULL : lua_aqm_script_dequeue,
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
    lua_getfield(L, STACK_TABLE, "meter");
    lua_host_require(L, "node.aqm");
    lua_getfield(L, -1, "explain");
    lua_remove(L, -2);
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
    lua_host_require(L, "node.aqm");
    lua_getfield(L, -1, "read");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushstring(L, path);
    if (!lua_budget_call(L, 2, 2, path))
        return false;
    if (lua_isnil(L, -2)) {
        lua_text_print_lines(L, "");
        return false;
    }
    lua_settop(L, STACK_TABLE);
    return true;
}

/* Only the module that the sandbox uses: lua_modules has the AQM choices, which include this file. */
static const luaL_Reg modules[] = {{"gbflow_budget", luaopen_gbflow_budget}, {NULL, NULL}};

struct lua_aqm_script *lua_aqm_script_new(const char *path)
{
    struct lua_aqm_script *script = calloc(1, sizeof(*script));
    if (!script || !(script->path = strdup(path)) || !(script->L = lua_host_new(modules)) ||
        !read_file(script->L, path)) {
        lua_aqm_script_free(script);
        return NULL;
    }
    const char *wrong = read_table(script);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", path, wrong);
        lua_aqm_script_free(script);
        return NULL;
    }
    if (!lua_host_watch(script->L, CALL_NS, "of a hook"))
        fprintf(stderr, "%s: warning: no limit of processor time for its calls: %s\n", path, strerror(errno));
    make_ops(script);
    *(struct lua_aqm_script **)lua_getextraspace(script->L) = script;
    lua_sethook(script->L, lua_aqm_script_on_count, LUA_MASKCOUNT, COUNT_STRIDE);
    return script;
}

void lua_aqm_script_free(struct lua_aqm_script *script)
{
    if (!script)
        return;
    lua_host_free(script->L);
    free(script->path);
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
