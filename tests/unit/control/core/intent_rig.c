/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/control/core/intent_rig.h"
#include "tests/unit/unit.h"

#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/core/core_intent.h"

void intent_rig_init(struct core *core)
{
    core_intent_init(core, lua_host_new(lua_modules));
}

void intent_rig_fini(struct core *core)
{
    lua_State *L = core->intents.L;
    core_intent_fini(core);
    assert_int_equal(lua_gettop(L), 0);
    lua_host_free(L);
}

void intent_rig_emit(struct core *core, const char *intents)
{
    lua_State *L = core->intents.L;
    const struct lua_object from = {.L = L, .who = "test", .intents = &core->intents};
    lua_pushfstring(L, "return { %s }", intents);
    if (luaL_loadstring(L, lua_tostring(L, -1)) != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
        fail_msg("%s: %s", intents, lua_tostring(L, -1));
    lua_intents_take(&core->intents, &from);
    lua_settop(L, 0);
}
