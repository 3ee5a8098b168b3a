-- SPDX-License-Identifier: BSD-3-Clause
-- Assumptions, values that a paper does not state: in place of any value,
-- { assumed = { value =, why =, holds_over = } } is allowed. The checked table has the plain value; the list of
-- assumptions goes into the report.

local keylines = require "schema.keylines"
local schema_scalar = require "schema.scalar"

local scenario_assumptions = {}

local ALLOWED <const> = "assumed = { value = ..., why = \"...\", holds_over = \"...\" }"
local MAX_DEPTH <const> = 4
local TEXTS = { "why", "holds_over" }
local KNOWN = { value = true, why = true, holds_over = true }
local HERE <const> = false -- in the tree of assumptions, which is by keys: there is one at this place

local function names_in(value)
  local names = {}
  for name in next, value do
    names[#names + 1] = name
  end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names
end

-- A value as a file would have it, on one line.
local function written(value, depth)
  if type(value) == "string" then
    return depth > 0 and '"' .. value .. '"' or value
  elseif type(value) ~= "table" or depth > MAX_DEPTH then
    return schema_scalar.given(value)
  end
  local parts = {}
  for i, item in ipairs(value) do
    parts[i] = written(item, depth + 1)
  end
  local count = #parts
  for _, name in ipairs(names_in(value)) do
    if not (math.type(name) == "integer" and name >= 1 and name <= count) then
      parts[#parts + 1] = tostring(name) .. " = " .. written(value[name], depth + 1)
    end
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

-- Reports errors of an assumption itself; true if there is none.
local function check_assumed(assumed, keys, complain)
  if type(assumed) ~= "table" then
    complain(keylines.below(keys, "assumed"), schema_scalar.given(assumed) .. " where a table belongs: " .. ALLOWED)
    return false
  end
  local is_right = true
  local function wrong(name, message)
    complain(keylines.below(keys, "assumed", name), message)
    is_right = false
  end
  for _, name in ipairs(names_in(assumed)) do
    if not KNOWN[name] then
      wrong(name, string.format("unknown key %s; allowed keys: value, why, holds_over", schema_scalar.given(name)))
    end
  end
  if assumed.value == nil then
    wrong("value", "missing; an assumption needs it: " .. ALLOWED)
  elseif type(assumed.value) == "table" and assumed.value.assumed ~= nil then
    wrong("value", "an assumption within an assumption")
  end
  for _, name in ipairs(TEXTS) do
    if assumed[name] == nil then
      wrong(name, "missing; an assumption needs it: " .. ALLOWED)
    elseif type(assumed[name]) ~= "string" or assumed[name] == "" then
      wrong(name, schema_scalar.given(assumed[name]) .. " where text belongs")
    end
  end
  return is_right
end

local Assumptions = {}
Assumptions.__index = Assumptions

-- For schema.check(): the plain value of an assumption; nil if the assumption itself is wrong.
function Assumptions:plain(value, keys, complain)
  local assumed = value.assumed
  if assumed == nil then
    return value
  end
  if next(value, next(value)) ~= nil then
    complain(keys, "'assumed' stands alone: " .. ALLOWED)
    return nil
  elseif not check_assumed(assumed, keys, complain) then
    return nil
  end
  local at = self.root
  for _, key in ipairs(keys) do
    at[key] = at[key] or {}
    at = at[key]
  end
  at[HERE] = true
  self.list[#self.list + 1] = { path = keylines.path_of(keys), value = written(assumed.value, 0), why = assumed.why,
    holds_over = assumed.holds_over }
  return assumed.value
end

-- The keys in the text for `keys`, with the `assumed` tables on the path.
function Assumptions:through(keys)
  if not self.root[keys[1]] then
    return keys
  end
  local list, at = {}, self.root
  for _, key in ipairs(keys) do
    list[#list + 1] = key
    at = at and at[key]
    if at and at[HERE] then
      list[#list + 1] = "assumed"
      list[#list + 1] = "value"
    end
  end
  return list
end

-- Lines in the text, as schema.check() asks for them (keylines).
for _, name in ipairs({ "line", "opening", "repeated" }) do
  Assumptions[name] = function(self, keys) return self.where[name](self.where, self:through(keys)) end
end

-- new(keylines.scan(text)) -> { list = { {path, value, why, holds_over}... } } with the methods above.
function scenario_assumptions.new(where)
  return setmetatable({ where = where, has_repeated = where.has_repeated, root = {}, list = {} }, Assumptions)
end

return scenario_assumptions
