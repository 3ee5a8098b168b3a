/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs in Lua: an octet that chooses one, then a message. It is read, or refused by a word; what can be
 * written is read and written alike. */
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/lua_lines.h"

#include <lauxlib.h>

static lua_State *lua;

/* A function of the octets of an input. What is read of a phone's message can be written, in no more octets,
 * but for a reserved transaction. */
static const char *const take =
    "local phone, codecs = require('wire.phone'), { require('wire.gtp_mobility'), require('wire.gsup') }\n"
    "local function of_phone(name, sender)\n"
    "  return { is_phone = true, encode = phone[name .. '_encode'], decode = function(octets)\n"
    "    local message, word, cause = phone[name .. '_decode'](octets, sender)\n"
    "    assert(message or cause == 96 or cause == 97 or name == 'sm' and cause == 0)\n"
    "    return message, word\n"
    "  end, inner = name == 'cp' and of_phone('rp', sender) }\n"
    "end\n"
    "for _, name in ipairs({ 'cp', 'gmm', 'sm' }) do\n"
    "  codecs[#codecs + 1] = of_phone(name, 'ms')\n"
    "  codecs[#codecs + 1] = of_phone(name, 'sgsn')\n"
    "end\n"
    "codecs[#codecs + 1] = { is_phone = true, encode = function(identity)\n"
    "  return phone.identity_octets(identity.kind, identity.value)\n"
    "end, decode = function(octets)\n"
    "  local kind, value = phone.identity(octets)\n"
    "  if not kind then return nil, 'malformed' end\n"
    "  return { kind = kind, value = value }\n"
    "end }\n"
    "local words = { truncated = true, malformed = true, unsupported = true }\n"
    "local function check(codec, octets)\n"
    "  local message, word = codec.decode(octets)\n"
    "  if not message then return assert(words[word], word) end\n"
    "  local is_made, made = pcall(codec.encode, message)\n"
    "  assert(is_made or not codec.is_phone or message.ti == 7, made)\n"
    "  if not is_made then return assert(made == 'is too large' or made:find(\"^field '\"), made) end\n"
    "  assert(codec.encode(assert(codec.decode(made))) == made, 'is written otherwise')\n"
    "  assert(not codec.is_phone or #made <= #octets, 'has more octets')\n"
    "  if codec.inner and message.user_data then check(codec.inner, message.user_data) end\n"
    "end\n"
    "return function(input) check(codecs[1 + (input:byte() or 0) % #codecs], input:sub(2)) end\n";

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
