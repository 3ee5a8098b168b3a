/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/lua_core.h"

#include "control/core/core.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/budget.h"
#include "dataplane/base/bytes.h"

#include <lauxlib.h>

/* A function whose upvalue is the core. */
static void push_function(lua_State *L, struct core *core, lua_CFunction function)
{
    lua_pushlightuserdata(L, core);
    lua_pushcclosure(L, function, 1);
}

static struct core *core_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* --- what new() of each gets besides the configuration; each returns how many arguments these are --- */

static int push_gb(lua_State *L, struct core *unused_core)
{
    lua_host_require(L, "gbflow_wire");
    return 1;
}

/* has_memory(kind): whether a new entity of compression can begin */
static int has_memory(lua_State *L)
{
    lua_Integer kind = luaL_checkinteger(L, 1);
    lua_pushboolean(L, kind >= 0 && kind < COMPRESSION_KINDS &&
                           compression_pool_has(&core_of(L)->compression, (enum compression_kind)kind));
    return 1;
}

static int push_llc(lua_State *L, struct core *core)
{
    lua_host_require(L, "gbflow_llc");
    push_function(L, core, has_memory);
    return 2;
}

static int push_gn(lua_State *unused_L, struct core *unused_core)
{
    return 0;
}

/* may_answer(theirs, now, is_proven): whether one more answer may be sent to an address; if so, charges it.
 */
static int may_answer(lua_State *L)
{
    struct core *core = core_of(L);
    struct budget *budget = lua_toboolean(L, 3) ? &core->gtpc_ggsn_answers : &core->gtpc_answers;
    const char *theirs = luaL_checkstring(L, 1);
    int64_t now = luaL_checkinteger(L, 2);
    uint8_t octets[16];
    size_t count = lua_table_text_ip(theirs, octets);
    luaL_argcheck(L, count > 0, 1, "not an IP address");
    uint64_t source = count == 4 ? budget_source_ipv4(bytes_get_u32(octets)) : budget_source_ipv6(octets);
    lua_pushboolean(L, budget_take(budget, source, now));
    return 1;
}

static int push_gtpc(lua_State *L, struct core *core)
{
    budget_init(&core->gtpc_answers);
    budget_init(&core->gtpc_ggsn_answers);
    lua_host_require(L, "wire.gtpc");
    lua_pushinteger(L, core->config->live.restarts);
    lua_pushcfunction(L, lua_host_random);
    push_function(L, core, may_answer);
    return 4;
}

/* is_listed(imsi): whether a mobile of mobiles.list or mobiles.file has it */
static int is_listed(lua_State *L)
{
    const struct core_sessions *sessions = &core_of(L)->sessions;
    const char *imsi = luaL_checkstring(L, 1);
    lua_pushboolean(L, sessions->arg && sessions->is_listed(sessions->arg, imsi));
    return 1;
}

static int push_phones(lua_State *L, struct core *core)
{
    lua_host_require(L, "wire.phone");
    lua_pushcfunction(L, lua_host_random);
    push_function(L, core, is_listed);
    return 3;
}

/* --- all of them --- */

static const struct {
    const char *name, *module;
    int (*push)(lua_State *L, struct core *core);
} rows[CORE_OBJECTS] = {
#define OBJECT(object, module) [CORE_OBJECT_##object] = {#object, module, push_##object},
#include "control/core/events.def"
};

void lua_core_make(struct core *core, enum core_object object)
{
    lua_State *L = core->intents.L;
    lua_pushvalue(L, -1);
    lua_object_push_new(L, rows[object].module);
    int more = rows[object].push(L, core);
    lua_object_init(&core->objects[object], &core->intents, rows[object].name, 1 + more);
}

void lua_core_drop(struct core *core, enum core_object object)
{
    lua_object_fini(&core->objects[object]);
    core->objects[object] = (struct lua_object){0};
}

/* --- NS-VCs after a restart --- */

#define SNS UINT32_MAX /* in place of an NS-VCI: the first one of an NSE with IP-SNS */

static uint32_t number_of(const struct node_config *config, uint32_t nsei, uint32_t nsvci)
{
    int nse = node_config_nse(config, nsei);
    uint32_t i = 0;
    while (i < config->nsvc_count &&
           (config->nsvcs[i].nse != nse || config->nsvcs[i].is_free ||
            (nsvci != SNS && (config->nsvcs[i].is_absent || config->nsvcs[i].nsvci != nsvci))))
        i++;
    return i;
}

static void number_nsvc(lua_State *L, void *config, uint32_t nsei)
{
    lua_table_set_integer(L, "number", number_of(config, nsei, (uint32_t)lua_table_integer(L, "nsvci")));
}

static void number_nse(lua_State *L, void *config, uint32_t unused_parent)
{
    uint32_t nsei = (uint32_t)lua_table_integer(L, "nsei");
    lua_table_each(L, "nsvcs", number_nsvc, config, nsei);
    if (lua_table_enter(L, "sns")) {
        lua_table_set_integer(L, "number", number_of(config, nsei, SNS));
        lua_pop(L, 1);
    }
}

void lua_core_number(lua_State *L, const struct node_config *config)
{
    lua_table_each(L, "nses", number_nse, (void *)config, 0);
}
