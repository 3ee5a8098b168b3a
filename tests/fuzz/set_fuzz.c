/* SPDX-License-Identifier: BSD-3-Clause */
/* Options --set of `gbflow run`: lines PATH=VALUE, applied to a scenario one after the other. The result is a
 * value, or errors of one line each; the scenario itself stays as it was. */
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/lua_lines.h"

#include <lauxlib.h>
#include <string.h>

static lua_State *lua;

/* A function of the text of an input. */
static const char *const apply =
    "local load, apply = require('scenario.read').load, require('scenario.sets').apply\n"
    "local text = [[return { title = 'set', duration = '10 s', cells = { { bvci = 2, pdchs = 4, coding = "
    "'CS-2' } },\n"
    "  mobiles = { { name = 'anna', traffic = { { ping = { every = '1 s' } } } } } }]]\n"
    "assert(load(text, 'fuzz', {}))\n"
    "return function(input)\n"
    "  local sets, value = {}, { cells = { { bvci = 2 } }, mobiles = { { name = 'anna', n = { 1, 2 } } } }\n"
    "  for path, text in input:gmatch('([^\\n=]*)=([^\\n]*)') do\n"
    "    if #sets < 8 then sets[#sets + 1] = { path = path, value = text } end\n"
    "  end\n"
    "  for _, one in ipairs(sets) do\n"
    "    local changed, change = apply(value, one)\n"
    "    assert(changed == nil and type(change) == 'string' or type(changed) == 'table' and change.option)\n"
    "  end\n"
    "  assert(#value.cells == 1 and value.cells[1].bvci == 2 and value.mobiles[1].n[2] == 2, 'changed in "
    "place')\n"
    "  local result, lines = load(text, 'fuzz', { sets = sets })\n"
    "  assert(type(lines) == 'table' and (result or #lines > 0))\n"
    "  for _, line in ipairs(lines) do assert(#line > 0 and not line:find('\\n'), line) end\n"
    "end\n";

static int apply_ref;

static void start(void)
{
    lua = lua_host_new(lua_modules);
    FUZZ_CHECK(lua && luaL_loadstring(lua, apply) == LUA_OK);
    lua_host_call(lua, 0, 1);
    apply_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_lines_count(lua);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (!lua)
        start();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, apply_ref);
    lua_pushlstring(lua, (const char *)bytes, len);
    lua_host_call(lua, 1, 0);
    return 0;
}
