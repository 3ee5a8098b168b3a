-- SPDX-License-Identifier: BSD-3-Clause
-- Changes to a scenario from the command line: --set path=value. A path is that of an error message (cells[1].pdchs);
-- an item of a list may also be called by its name (mobiles.anna.class). A value is plain text, or a literal of Lua: a
-- number, true, false, a quoted text, a table.

local hidden = require "schema.hidden"
local keylines = require "schema.keylines"
local sandbox = require "schema.sandbox"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

local scenario_sets = {}

local LIMITS = { work = 100000 }
local REPLACES <const> = { rate = "pdchs", pdchs = "rate" } -- of a cell: one follows from the other

-- "mobiles.anna.traffic[1]" -> {"mobiles", "anna", "traffic", 1}, or nil.
local function keys_of(path)
  local keys, rest = {}, "." .. path
  while rest ~= "" do
    local name, after_name = rest:match("^%.([%a_][%w_-]*)(.*)$")
    local index, after_index = rest:match("^%[(%d+)%](.*)$")
    rest = after_name or after_index
    if not rest then
      return nil
    end
    keys[#keys + 1] = name or math.tointeger(tonumber(index))
  end
  return keys
end

local function is_literal(text)
  return text:find("^%s*[{\"'%d+-]") or text == "true" or text == "false"
end

local function value_of(text)
  local value = is_literal(text) and sandbox.load("return " .. text, "--set", { limits = LIMITS })
  if value == nil or value == false and text ~= "false" then
    return text
  end
  return value
end

-- The index of the item with a name.
local function item_key(list, key, where)
  local names = {}
  for i, item in ipairs(list) do
    names[i] = type(item) == "table" and type(item.name) == "string" and item.name or "?"
    if names[i] == key then
      return i
    end
  end
  return nil, schema_scalar.unknown(key, "item of " .. where, names)
end

-- The key of the next step in a table, or nil and a message.
local function resolved(value, key, where)
  if math.type(key) == "integer" then
    if value[key] == nil then
      return nil, string.format("there is no %s[%d]; it has %s", where, key, units.counted(#value, "item"))
    end
    return key
  elseif value[1] ~= nil then
    return item_key(value, key, where)
  end
  return key
end

local function plain(value)
  while type(value) == "table" and type(value.assumed) == "table" and value.assumed.value ~= nil do
    value = value.assumed.value
  end
  return value
end

-- A copy of `value` with `change.value` at change.keys[at...]; all other parts are shared. change.touched
-- collects the paths that the change made or replaced.
local function changed_at(value, change, at, above)
  value = plain(value)
  local where = keylines.path_of(above)
  if type(value) ~= "table" then
    return nil, string.format("%s is %s and has nothing below it", where, schema_scalar.given(value))
  end
  local key, complaint = resolved(value, change.keys[at], where)
  if not key then
    return nil, complaint
  end
  local copy, is_last = tables.copy(value), at == #change.keys
  above[#above + 1] = key
  if is_last or copy[key] == nil then
    change.touched[#change.touched + 1] = keylines.path_of(above)
  end
  if is_last then
    copy[key] = change.value
    if #above == 3 and above[1] == "cells" and REPLACES[key] then copy[REPLACES[key]] = nil end
  else
    copy[key], complaint = changed_at(copy[key] == nil and {} or copy[key], change, at + 1, above)
  end
  return copy, complaint
end

-- apply(value, {path =, value = text, place =}) -> the changed value and the change {option, touched = paths}, or nil
-- and a message that names the option, or in its stead the place in a study. `value` itself is not changed.
function scenario_sets.apply(value, set)
  local option = hidden.all(string.format("%s %s=%s", set.place or "--set", set.path, set.value))
  local keys = keys_of(set.path)
  if not keys then
    return nil, option .. ": malformed path; the form is path=value, such as cells[1].pdchs=2"
  end
  local change = { option = option, keys = keys, value = value_of(set.value), touched = {} }
  local result, complaint = changed_at(value, change, 1, {})
  if complaint then
    return nil, option .. ": " .. hidden.keys(complaint)
  end
  return result, change
end

-- The last change of a list that caused an error at `path`, or nil.
function scenario_sets.cause_of(changes, path)
  for i = #changes, 1, -1 do
    for _, touched in ipairs(changes[i].touched) do
      if path == touched or path:sub(1, #touched) == touched and path:find("^[.[]", #touched + 1) then
        return changes[i]
      end
    end
  end
end

return scenario_sets
