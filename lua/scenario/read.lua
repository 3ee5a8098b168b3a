-- SPDX-License-Identifier: BSD-3-Clause
-- Reads a scenario: runs its text in the sandbox with random numbers from a seed, applies the changes of the command
-- line, checks it by the schema, and makes its node.

local config = require "schema.config"
local keylines = require "schema.keylines"
local sandbox = require "schema.sandbox"
local scenario_node = require "scenario.node"
local scenario_random = require "scenario.random"
local schema = require "schema.schema"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"

local scenario = {}

local ALLOWED = "assumed = { value = ..., why = \"...\", holds_over = \"...\" }"
local MAX_DEPTH <const> = 4

-- Values that a paper does not state: in place of any value, { assumed = { value =, why =, holds_over = } } is allowed.
-- The checked table has the plain value; the list of assumptions goes into the report.

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
local function new_assumptions(where)
  return setmetatable({ where = where, has_repeated = where.has_repeated, root = {}, list = {} }, Assumptions)
end

-- Changes to a scenario from the command line: --set path=value. A path is that of an error message (cells[1].pdchs);
-- an item of a list may also be called by its name (mobiles.anna.class). A value is plain text, or a literal of Lua: a
-- number, true, false, a quoted text, a table.

local LIMITS = { work = 100000 }

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

local function names_of(list)
  return schema_scalar.first_of(list, function(item)
    return type(item) == "table" and type(item.name) == "string" and item.name or "?"
  end)
end

-- The index of the item with a name.
local function item_key(list, key, where)
  for i, item in ipairs(list) do
    if type(item) == "table" and item.name == key then
      return i
    end
  end
  return nil, string.format("no item of %s is called '%s': one of %s", where, key, names_of(list))
end

-- The key of the next step in a table, or nil and a message.
local function resolved(value, key, where)
  if math.type(key) == "integer" then
    if value[key] == nil then
      return nil, string.format("there is no %s[%d]; it has %d items", where, key, #value)
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
  else
    copy[key], complaint = changed_at(copy[key] == nil and {} or copy[key], change, at + 1, above)
  end
  return copy, complaint
end

-- apply_set(value, {path =, value = text}) -> the changed value and the change {option, touched = paths}, or nil and a
-- message that names the option. `value` itself is not changed.
function scenario.apply_set(value, set)
  local option = string.format("--set %s=%s", set.path, set.value)
  local keys = keys_of(set.path)
  if not keys then
    return nil, option .. ": malformed path; the form is path=value, such as cells[1].pdchs=2"
  end
  local change = { option = option, keys = keys, value = value_of(set.value), touched = {} }
  local result, complaint = changed_at(value, change, 1, {})
  if complaint then
    return nil, option .. ": " .. complaint
  end
  return result, change
end

-- The last change of a list that caused an error at `path`, or nil.
local function cause_of(changes, path)
  for i = #changes, 1, -1 do
    for _, touched in ipairs(changes[i].touched) do
      if path == touched or path:sub(1, #touched) == touched and path:find("^[.[]", #touched + 1) then
        return changes[i]
      end
    end
  end
end

-- Reading

scenario.SEED = 1 -- when none is given

local function sandbox_options(seed, read)
  return { random = scenario_random.new(seed or scenario.SEED), read = read }
end

-- The value with all changes, and the changes; or nil and an error.
local function change_all(value, sets)
  local changes = {}
  for i, set in ipairs(sets or {}) do
    local changed, change = scenario.apply_set(value, set)
    if not changed then
      return nil, { change }
    end
    value, changes[i] = changed, change
  end
  return value, changes
end

-- Lines for a list of errors; an error caused by the command line has the option in place of file and line.
local function formatted(filename, list, changes)
  local lines = {}
  for i, entry in ipairs(list) do
    local cause = cause_of(changes, entry.path)
    lines[i] = config.formatted(filename, { entry })[1]
    if cause then
      lines[i] = string.format("%s: %s: %s", cause.option, entry.path, entry.message)
    end
  end
  return lines
end

-- Is this the text of a scenario, not of a node? A text that fails to run is neither, unless it has `require`, which
-- scenarios alone have: its error is that of a scenario.
function scenario.is_one(text, filename, read)
  local value = config.read(text, filename, sandbox_options(nil, read))
  if value == nil then
    return text:find("%f[%w_]require%f[^%w_]") ~= nil
  end
  return config.kind_of_value(value) == "scenario"
end

local function check(value, where, filename, changes)
  local assumptions = new_assumptions(where)
  local checked, errors, warnings = schema.check(require "scenario.schema", value, assumptions,
    function(given, keys, complain)
      return assumptions:plain(given, keys, complain)
    end)
  if #errors > 0 then
    return nil, formatted(filename, errors, changes)
  end
  checked.assumptions = assumptions.list
  return checked, formatted(filename, warnings, changes)
end

-- load(text, filename, { seed = integer, sets = { {path =, value =}... }, read = function }) -> the checked table and a
-- list of warnings, or nil and a list of errors (config.load). read: as of sandbox.load, for `require`. The table also
-- has seed, sets, and assumptions ({path, value, why, holds_over}...).
function scenario.load(text, filename, options)
  options = options or {}
  local value, where = config.read(text, filename, sandbox_options(options.seed, options.read))
  if not value then
    return nil, where
  end
  local complaint = config.complaint_of_kind(value, "scenario")
  if complaint then
    return nil, { string.format("%s:%d: %s", filename, where:line(""), complaint) }
  end
  local changed, changes = change_all(value, options.sets)
  if not changed then
    return nil, changes
  end
  local checked, lines = check(changed, where, filename, changes)
  if checked then
    checked.seed, checked.sets = options.seed or scenario.SEED, options.sets or {}
  end
  return checked, lines
end

-- node(checked) -> the checked table of the scenario's node (node_schema) and a list of warnings, or nil and a list of
-- errors. Either is a defect of gbflow: each valid scenario has a valid node.
function scenario.node(checked)
  local node, errors, warnings = schema.check(require "node.schema", scenario_node.table_of(checked))
  if #errors > 0 then
    return nil, config.formatted("the scenario's node", errors)
  end
  scenario_node.add_mobiles(node, checked)
  return node, config.formatted("the scenario's node", warnings)
end

return scenario
