-- SPDX-License-Identifier: BSD-3-Clause
-- Records: what a state machine has to know again after control has restarted. Control keeps them in C, outside of Lua,
-- as text by key; a restart gives each of them to adopt() of the object that wrote it.
--
--   records.is_on           whether machines write records: in a live node
--   records.pack(value)     text of a boolean, an integer, a string, or a table of these and of such tables; equal
--                           values have equal texts
--   records.unpack(text)    the value again; an error if the text is not one of pack()

local records = { is_on = false }

local DEPTH_MAX <const> = 8

local function before(a, b)
  if type(a) ~= type(b) then return type(a) < type(b) end
  return a < b
end

local function sorted_keys(value)
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, before)
  return keys
end

local put

local PUT <const> = {
  boolean = function(out, value) out[#out + 1] = value and "t" or "f" end,
  integer = function(out, value) out[#out + 1] = "i" .. string.pack("<i8", value) end,
  string = function(out, value) out[#out + 1] = "s" .. string.pack("<s4", value) end,
  table = function(out, value, depth)
    assert(depth < DEPTH_MAX, "a record is too deep")
    out[#out + 1] = "{"
    for _, key in ipairs(sorted_keys(value)) do
      put(out, key, depth + 1)
      put(out, value[key], depth + 1)
    end
    out[#out + 1] = "}"
  end,
}

function put(out, value, depth)
  local kind = math.type(value) or type(value)
  local writer = PUT[kind] or error("a record cannot have a " .. kind)
  writer(out, value, depth)
end

function records.pack(value)
  local out = {}
  put(out, value, 0)
  return table.concat(out)
end

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
