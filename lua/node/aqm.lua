-- SPDX-License-Identifier: BSD-3-Clause
-- The AQM schemes' parameters as a schema: the descriptors of a scheme in C, in units of the configuration.
--
-- A scheme is a table {name, title, summary, source, axis, params = {{name, kind, min, max, initial, doc, words}, ...}}
-- with bounds and defaults in base units, as the module gbflow_aqm returns it.

local config = require "schema.config"
local sandbox = require "schema.sandbox"
local schema = require "schema.schema"
local schema_scalar = require "schema.scalar"
local tables = require "base.tables"
local units = require "base.units"

local aqm = {}

local MAX_PARAMETERS <const> = 15 -- and `ecn`, which each scheme in Lua has

-- The program's schemes; not available outside of the program.
local has_program, program = pcall(require, "gbflow_aqm_choices")

-- A number in base units in the form of a configuration.
local function as_given(param, value)
  if units.is_kind(param.kind) then
    return units.format(param.kind, value)
  elseif param.kind == "boolean" then
    return value ~= 0
  elseif param.kind == "enum" then
    return param.words[value + 1]
  end
  return value
end

local function field_of(param)
  local field = { name = param.name, type = param.kind, doc = param.doc, default = as_given(param, param.initial) }
  if param.kind == "enum" then
    field.values = param.words
  elseif param.kind ~= "boolean" then
    field.allow_infinite = units.is_kind(param.kind) and param.max == units.INFINITE
    field.min, field.max = as_given(param, param.min), not field.allow_infinite and as_given(param, param.max) or nil
  end
  return field
end

-- descriptor(scheme) -> the record of its parameters, for schema.check().
function aqm.descriptor(scheme)
  local fields = {}
  for i, param in ipairs(scheme.params) do
    fields[i] = field_of(param)
  end
  return { type = "record", noun = "scheme " .. scheme.name, fields = fields }
end

-- The choice of a scheme in a node's configuration

local SCOPES = { "class_of_nse", "class_of_bvc", "ms", "flow" }

local function given_text(name, form, doc)
  return { name = name, type = "string", form = form, absent = "none", doc = doc }
end

local function common()
  return {
    given_text("scheme", "a name of `gbflow aqm list`", "a built-in scheme"),
    { name = "scope", type = "enum", values = SCOPES, absent = "\"flow\" with `flow_queues`, else \"ms\"",
      doc = "scope of an instance: a class of an NSE or of a cell, a mobile, or a flow queue of a mobile" },
    given_text("plugin", "a file name", "a shared object with a scheme, in the folder of plug-ins (docs/security.md)"),
    given_text("lua", "a path", "a Lua file with a scheme; in virtual time only"),
  }
end

-- The scheme that a table names, or nil and a message why it cannot be loaded.
local function scheme_of(value)
  for _, kind in ipairs({ "scheme", "plugin", "lua" }) do
    if has_program and type(value[kind]) == "string" then
      local scheme, message = program.find(kind, value[kind])
      if not scheme and kind == "scheme" then
        local names = program.names()
        message = schema_scalar.unknown(value[kind], "AQM scheme", names)
          .. (schema_scalar.question(names, value[kind]) == "" and "; `gbflow aqm list` prints all" or "")
      elseif not scheme then
        message = schema_scalar.given(value[kind]) .. ": " .. message
      end
      return scheme, message
    end
  end
end

local function check_choice(value, fail, warn)
  local count = (value.scheme and 1 or 0) + (value.plugin and 1 or 0) + (value.lua and 1 or 0)
  if count ~= 1 then
    fail({}, "names one of scheme, plugin and lua")
    return
  elseif not has_program then
    return
  end
  local kind = value.scheme and "scheme" or value.plugin and "plugin" or "lua"
  local scheme, message = scheme_of(value)
  if scheme and scheme.is_unread then
    warn({ kind }, "the plug-in is not loaded here: its code and its parameters are not checked")
    return
  end
  message = message or scheme and program.check(kind, value[kind], aqm.values(scheme, value))
  if message then
    fail({ kind }, message)
  end
end

-- setting(absent, doc) -> the field `aqm`: a record whose fields are those of the scheme that it names, too.
function aqm.setting(absent, doc)
  local field = { name = "aqm", type = "record", noun = "aqm", absent = absent, doc = doc, fields = common(),
    check = check_choice }
  function field.variant(value)
    local scheme, fields = scheme_of(value), common()
    for _, param in ipairs(scheme and scheme.params or {}) do
      fields[#fields + 1] = field_of(param)
    end
    return { type = "record", noun = "aqm", fields = fields, check = check_choice,
      is_open = scheme and scheme.is_unread }
  end
  return field
end

-- values(scheme, checked) -> numbers in the order of the scheme's parameters, of a record that schema.check() made.
function aqm.values(scheme, checked)
  local values = {}
  for i, param in ipairs(scheme.params) do
    local value = checked[param.name]
    if param.kind == "boolean" then
      value = value and 1 or 0
    elseif param.kind == "enum" then
      for index, word in ipairs(param.words) do
        value = value == word and index - 1 or value
      end
    end
    values[i] = value
  end
  return values
end

local function read_word(param, text)
  if param and param.kind == "boolean" and (text == "true" or text == "false") then
    return text == "true"
  elseif param and param.kind == "integer" then
    return math.tointeger(tonumber(text)) or text
  end
  return text
end

-- parse(scheme, {"name=value", ...}) -> numbers in the order of its parameters, or nil and a list of messages.
function aqm.parse(scheme, settings)
  local given, by_name = {}, {}
  for _, param in ipairs(scheme.params) do
    by_name[param.name] = param
  end
  for _, setting in ipairs(settings) do
    local name, text = setting:match("^%s*([%w_]+)%s*=%s*(.-)%s*$")
    if not name then
      return nil, { "'" .. setting .. "' is not of the form parameter=value" }
    end
    given[name] = read_word(by_name[name], text)
  end
  local checked, errors = schema.check(aqm.descriptor(scheme), given)
  if #errors == 0 then
    return aqm.values(scheme, checked)
  end
  for i, entry in ipairs(errors) do
    errors[i] = entry.path .. ": " .. entry.message
  end
  return nil, errors
end

local function shown_default(field)
  return type(field.default) == "string" and '"' .. field.default .. '"' or tostring(field.default)
end

local function lines_of(scheme)
  local lines = {}
  for _, field in ipairs(aqm.descriptor(scheme).fields) do
    lines[#lines + 1] = string.format("  %-16s %s (%s)", field.name, shown_default(field), schema.allowed(field))
    lines[#lines + 1] = "                   " .. field.doc
  end
  return table.concat(lines, "\n")
end

-- describe(scheme) -> what `gbflow aqm show` prints.
function aqm.describe(scheme)
  local parts = { scheme.name .. ": " .. scheme.title, "", "law:    " .. scheme.summary, "source: " .. scheme.source,
    "" }
  if #scheme.params > 0 then
    parts[#parts + 1] = "parameters, with defaults and what is allowed:"
    parts[#parts + 1] = lines_of(scheme)
  else
    parts[#parts + 1] = "no parameters"
  end
  return table.concat(parts, "\n") .. "\n"
end

-- document(schemes) -> the reference of all schemes, in Markdown.
function aqm.document(schemes)
  local parts = { "# AQM schemes\n" }
  for _, scheme in ipairs(schemes) do
    parts[#parts + 1] = string.format("## %s: %s\n\n%s\n\nSource: %s.\n", scheme.name, scheme.title, scheme.summary,
      scheme.source)
    if #scheme.params > 0 then
      parts[#parts + 1] = schema.document(aqm.descriptor(scheme))
    end
  end
  return table.concat(parts, "\n")
end

-- An AQM scheme in a Lua file: its table, read in the sandbox, with its parameters in the form of the schema below.

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
  if not tables.has(value.values, value.default) then fail({ "default" }, "is not one of the values") end
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

-- The keys beside which parameters stand in `aqm`, and the parameter of each scheme in Lua.
local function taken_names()
  local taken = { ecn = "is given twice; each scheme in Lua has it" }
  for _, field in ipairs(common()) do
    taken[field.name] = ("is a key of `queues.aqm`: take another name than '%s'"):format(field.name)
  end
  return taken
end

local function names_differ(list, fail)
  local taken = taken_names()
  for i, parameter in ipairs(list) do
    if taken[parameter.name] then fail({ i, "name" }, taken[parameter.name]) end
    taken[parameter.name] = "is given twice"
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
function aqm.read(text, path)
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
aqm.explain = sandbox.explain

return aqm
