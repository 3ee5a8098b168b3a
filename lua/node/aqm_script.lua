-- SPDX-License-Identifier: BSD-3-Clause
-- An AQM scheme in a Lua file: its table, read in the sandbox, with its parameters in the form of aqm_schema.lua.

local config = require "schema.config"
local sandbox = require "schema.sandbox"
local schema = require "schema.schema"

local aqm_script = {}

local MAX_PARAMETERS <const> = 15 -- and `ecn`, which each scheme in Lua has

local LOWEST <const> = { octets = "0 octets", integer = 0, duration = "0 s", percent = "0 %" }

local function name_of_parameter()
  return { name = "name", type = "string", required = true, max = 31, pattern = "^%a[%w_]*$",
    form = "a letter, then letters, digits and _", doc = "name, as in configurations" }
end

local KIND <const> = { name = "kind", type = "enum", required = true, doc = "kind of the value",
  values = { "octets", "integer", "duration", "percent", "boolean", "enum" } }

local DOC <const> = { name = "doc", type = "string", required = true, doc = "a sentence for `gbflow aqm show`" }

local function in_range(value, fail)
  if value.min > value.max then
    fail({ "min" }, "is larger than max")
  elseif value.default < value.min or value.default > value.max then
    fail({ "default" }, "is out of the range from min to max")
  end
end

local function among_values(value, fail)
  for _, word in ipairs(value.values) do
    if word == value.default then return end
  end
  fail({ "default" }, "is not one of the values")
end

local WORD <const> = { type = "string", max = 31, pattern = "^[%w_]+$", form = "letters, digits and _" }

local FIELDS = {
  boolean = { { name = "default", type = "boolean", required = true, doc = "default" } },
  enum = {
    { name = "values", type = "list", required = true, min = 1, max = 16, item = WORD, doc = "the words" },
    { name = "default", type = "string", required = true, doc = "default" },
  },
}
for kind, lowest in pairs(LOWEST) do
  FIELDS[kind] = {}
  for i, name in ipairs({ "min", "max", "default" }) do
    FIELDS[kind][i] = { name = name, type = kind, required = true, min = lowest, doc = name }
  end
end

-- The descriptor of a parameter: the fields of its kind.
local function of_kind(value)
  local fields = { name_of_parameter(), KIND, DOC, table.unpack(FIELDS[value.kind] or {}) }
  local check = value.kind == "enum" and among_values or LOWEST[value.kind] and in_range or nil
  return { type = "record", noun = "a parameter", fields = fields, check = check }
end

local PARAMETER = { type = "record", noun = "a parameter", fields = { name_of_parameter(), KIND, DOC },
  variant = of_kind }

local function names_differ(list, fail)
  local seen = { ecn = true }
  for i, parameter in ipairs(list) do
    if seen[parameter.name] then
      fail({ i, "name" }, "is given twice" .. (parameter.name == "ecn" and "; each scheme in Lua has it" or ""))
    end
    seen[parameter.name] = true
  end
end

local SCRIPT <const> = { type = "record", noun = "a scheme", is_open = true, fields = {
  { name = "title", type = "string", default = "a Lua function", doc = "title" },
  { name = "summary", type = "string", default = "Defined by its file.", doc = "the law in a sentence" },
  { name = "parameters", type = "list", default = {}, max = MAX_PARAMETERS, item = PARAMETER, doc = "parameters",
    check = names_differ },
} }

-- Bounds and default as whole numbers in the units of enum aqm_kind.
local function param_of(parameter)
  local param = { name = parameter.name, kind = parameter.kind, doc = parameter.doc, min = 0, max = 1,
    initial = parameter.default == true and 1 or 0 }
  if parameter.kind == "enum" then
    param.words, param.max = table.concat(parameter.values, " "), #parameter.values - 1
    for i, word in ipairs(parameter.values) do
      param.initial = word == parameter.default and i - 1 or param.initial
    end
  elseif parameter.kind ~= "boolean" then
    param.min, param.max, param.initial = parameter.min, parameter.max, parameter.default
  end
  return param
end

-- read(text, path) -> { name, title, summary, enqueue, dequeue, params, meter }, the first and the hooks as the text
-- gives them; or nil and a list of errors. From then on methods of strings are the sandbox's.
function aqm_script.read(text, path)
  local value, where, meter = config.read(text, path)
  if not value then
    return nil, where
  end
  local checked, errors = schema.check(SCRIPT, value, where)
  if #errors > 0 then
    return nil, config.formatted(path, errors)
  end
  local params = {}
  for i, parameter in ipairs(checked.parameters) do
    params[i] = param_of(parameter)
  end
  getmetatable("").__index = meter.strings
  return { name = value.name, title = checked.title, summary = checked.summary, enqueue = value.enqueue,
    dequeue = value.dequeue, params = params, meter = meter }
end

-- explain(message) -> an error of a hook as {line, message}; a handler of lua_pcall().
aqm_script.explain = sandbox.explain

return aqm_script
