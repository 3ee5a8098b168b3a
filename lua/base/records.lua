-- SPDX-License-Identifier: BSD-3-Clause
-- Records: what a state machine has to know again after control has restarted. Control keeps them in C, outside of Lua,
-- as text by key; a restart gives each of them to adopt() of the object that wrote it.
--
--   records.is_on           whether machines write records: in a live node
--   records.pack(value)     text of a boolean, an integer, a string, or a table of these and of such tables; equal
--                           values have equal texts. Keys are strings and integers. In C (control/lua/lua_record.c): a
--                           phone that attaches has six records
--   records.unpack(text)    the value again; an error if the text is not one of pack()

local records = { is_on = false }

records.pack = require("gbflow_record").pack

local take

-- Each takes what follows the tag, and returns the value and the place behind it.
local TAKE <const> = {
  t = function(_, at) return true, at end,
  f = function(_, at) return false, at end,
  i = function(text, at) return string.unpack("<i8", text, at) end,
  s = function(text, at) return string.unpack("<s4", text, at) end,
  ["{"] = function(text, at)
    local value = {}
    while text:sub(at, at) ~= "}" do
      local key, behind = take(text, at)
      value[key], at = take(text, behind)
    end
    return value, at + 1
  end,
}

function take(text, at)
  local taker = TAKE[text:sub(at, at)] or error("a record has an unknown tag")
  return taker(text, at + 1)
end

function records.unpack(text)
  local value, at = take(text, 1)
  assert(at == #text + 1, "a record is too long")
  return value
end

return records
