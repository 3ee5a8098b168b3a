-- SPDX-License-Identifier: BSD-3-Clause
-- Tables with more than Lua gives them.
--
--   tables.large_map(kinds)   kinds.key, kinds.value: "digits", else integer keys and any values
--   tables.from_digits(text), tables.to_digits(value)   digits as an integer; other texts stay what they are
--   tables.shard(map, i)      the i-th of its tables, 1 .. SHARDS, to go through in steps: keys and values as they are
--   tables.remove(list, item)
--   tables.has(list, item)
--   tables.copy(t)            one with the same entries
--   tables.sorted(t, field)   list of its values, by a field that differs
--   tables.counts(t)          { { name =, count = }, ... } of counters by name, sorted
--
-- A large map is a table of up to a million entries, used like any other: map[key], map[key] = value, pairs(map). Lua
-- doubles a table at once, and its collector goes through a table at once: with half a million entries each takes tens
-- of milliseconds, in which the control thread answers nothing. Here the entries are in 1024 tables. Digits, such as an
-- IMSI, are an integer, which the collector need not look at.

local tables = {}

local SHARDS <const> = 1024
local MOST_DIGITS <const> = 17

tables.SHARDS = SHARDS

local POWERS <const> = {} -- of 10, by the number of digits
for digits = 1, MOST_DIGITS do POWERS[digits] = math.tointeger(10 ^ digits) end

-- With a 1 in front, as digits may begin with 0. Other texts stay what they are.
function tables.from_digits(text)
  if not text or #text > MOST_DIGITS or not text:find("^%d+$") then return text end
  return POWERS[#text] + math.tointeger(tonumber(text))
end

function tables.to_digits(value)
  if not math.type(value) then return value end
  return ("%d"):format(value):sub(2)
end

local function same(value)
  return value
end

local function shard_of(shards, key)
  if not math.type(key) then return shards[1] end
  return shards[1 + ((key ~ key >> 10 ~ key >> 20) & (SHARDS - 1))]
end

local function each(shards, key_out, value_out)
  return coroutine.wrap(function()
    for _, shard in ipairs(shards) do
      for key, value in pairs(shard) do coroutine.yield(key_out(key), value_out(value)) end
    end
  end)
end

function tables.large_map(kinds)
  local is_key, is_value = kinds and kinds.key == "digits", kinds and kinds.value == "digits"
  local key_in, key_out = is_key and tables.from_digits or same, is_key and tables.to_digits or same
  local value_in, value_out = is_value and tables.from_digits or same, is_value and tables.to_digits or same
  local shards = {}
  for i = 1, SHARDS do shards[i] = {} end
  return setmetatable({}, {
    shards = shards,
    __index = function(_, key)
      key = key_in(key)
      if key ~= nil then return value_out(shard_of(shards, key)[key]) end
    end,
    __newindex = function(_, key, value)
      key = key_in(key)
      shard_of(shards, key)[key] = value_in(value)
    end,
    __pairs = function() return each(shards, key_out, value_out) end,
  })
end

function tables.shard(map, i)
  return getmetatable(map).shards[i]
end

-- Removes the first occurrence of an item from a list; returns whether it was there.
function tables.remove(list, item)
  for i, other in ipairs(list) do
    if other == item then
      table.remove(list, i)
      return true
    end
  end
  return false
end

function tables.has(list, item)
  for _, other in ipairs(list) do
    if other == item then return true end
  end
  return false
end

function tables.copy(t)
  local new = {}
  for key, value in next, t do new[key] = value end
  return new
end

function tables.sorted(t, field)
  local list = {}
  for _, value in next, t do list[#list + 1] = value end
  table.sort(list, function(a, b) return a[field] < b[field] end)
  return list
end

function tables.counts(t)
  local list = {}
  for name, count in next, t do list[#list + 1] = { name = name, count = count } end
  return tables.sorted(list, "name")
end

return tables
