/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs in Lua: an octet that chooses one, then a message. It is read, or refused by a word; what can be
 * written is read and written alike. */
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/lua_lines.h"

#include <lauxlib.h>

static lua_State *lua;

/* A function of the octets of an input. */
static const char *const take =
    "local codecs = { require('wire.gtp_mobility'), require('wire.gsup') }\n"
    "local words = { truncated = true, malformed = true, unsupported = true }\n"
    "return function(input)\n"
    "  local codec = codecs[1 + (input:byte() or 0) % #codecs]\n"
    "  local message, word = codec.decode(input:sub(2))\n"
    "  if not message then return assert(words[word], word) end\n"
    "  local is_made, made = pcall(codec.encode, message)\n"
    "  if not is_made then return assert(made == 'is too large' or made:find(\"^field '\"), made) end\n"
    "  assert(codec.encode(assert(codec.decode(made))) == made, 'is written otherwise')\n"
    "end\n";

static int take_ref;

static void start(void)
{
    lua = lua_host_new(lua_modules);
    FUZZ_CHECK(lua && luaL_loadstring(lua, take) == LUA_OK);
    lua_host_call(lua, 0, 1);
    take_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_lines_count(lua);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (!lua)
        start();
    lua_rawgeti(lua, LUA_REGISTRYINDEX, take_ref);
    lua_pushlstring(lua, (const char *)bytes, len);
    lua_host_call(lua, 1, 0);
    return 0;
}
