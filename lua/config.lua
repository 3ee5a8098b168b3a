-- SPDX-License-Identifier: BSD-3-Clause
-- Reads a configuration: runs its text in the sandbox, checks the value by a schema, and says where it is wrong.

local keylines = require "keylines"
local sandbox = require "sandbox"
local schema = require "schema"

local config = {}

local TITLES = { node = "Node configuration" }

local function descriptor_of(schema_name)
  return require(schema_name .. "_schema")
end

local function one_error(filename, line, message)
  return nil, { string.format("%s:%d: %s", filename, line, message) }
end

local function formatted(filename, list)
  local lines = {}
  for i, entry in ipairs(list) do
    lines[i] = string.format("%s:%d: %s: %s", filename, entry.line, entry.path, entry.message)
  end
  return lines
end

-- load(text, filename, schema_name) -> the checked table and a list of warnings, or nil and a list of errors: lines
-- "FILE:LINE: PATH: MESSAGE", without PATH where it is about the text as a whole. schema_name: "node". options: see
-- sandbox.load().
function config.load(text, filename, schema_name, options)
  local descriptor = descriptor_of(schema_name)
  local value, err = sandbox.load(text, filename, options)
  if err then
    return one_error(filename, err.line, err.message)
  end
  local where = keylines.scan(text)
  if type(value) ~= "table" then
    local form = "returns %s; a configuration is a text that ends in: return { ... }"
    return one_error(filename, where:line(""), form:format(value == nil and "nothing" or "a " .. type(value)))
  end
  local checked, errors, warnings = schema.check(descriptor, value, where)
  if #errors > 0 then
    return nil, formatted(filename, errors)
  end
  return checked, formatted(filename, warnings)
end

-- The reference of a schema's keys, a page of Markdown.
function config.document(schema_name)
  return table.concat({
    "<!-- Made by scripts/gen-docs.sh from lua/" .. schema_name .. "_schema.lua; change that one. -->\n",
    "# " .. TITLES[schema_name] .. "\n",
    "A configuration is a Lua file that returns a table. It sees the tables `math`, `string` and `table` and nothing "
      .. "else;\n`gbflow check FILE` says whether it is right. An unknown key is an error. `[]` stands for each item "
      .. "of a list.\n",
    "A quantity is text: a decimal number and a unit, exact (`\"0.1 s\"`). Units:\n",
    schema.document_units(),
    "`kB` and `MB` are powers of 1000, `KiB` and `MiB` of 1024. Where allowed, `\"infinite\"` is a quantity too.\n",
    schema.document(descriptor_of(schema_name)),
  }, "\n")
end

return config
