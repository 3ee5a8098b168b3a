-- SPDX-License-Identifier: BSD-3-Clause
-- Reads a configuration: runs its text in the sandbox, checks the value by a schema, and reports errors with their
-- lines.

local hidden = require "schema.hidden"
local keylines = require "schema.keylines"
local sandbox = require "schema.sandbox"
local schema = require "schema.schema"

local config = {}

-- The kind of a configuration by the keys of its table: of a node, a scenario, an emulated BSS, or a study.

-- By the folder of their schema, in the order in which the first of equals wins.
local ORDER <const> = { "node", "scenario", "bss", "study" }
local IS <const> = {
  node = "the configuration of a node, for gbflow serve and replay",
  scenario = "a scenario, for gbflow run",
  bss = "the configuration of an emulated BSS, for gbflow emulate",
  study = "a study, for gbflow sweep",
}
local WANTED <const> = { node = "the configuration of a node", scenario = "a scenario",
  bss = "the configuration of an emulated BSS", study = "a study" }

local function known_keys(value, kind)
  local count = 0
  for _, field in ipairs(require(kind .. ".schema").fields) do
    count = count + (rawget(value, field.name) ~= nil and 1 or 0)
  end
  return count
end

-- "node", "scenario", "bss" or "study": the kind that knows most keys of the table, and how many. nil: no kind knows
-- any.
function config.kind_of_value(value)
  local found, most = nil, 0
  for _, kind in ipairs(ORDER) do
    local count = known_keys(value, kind)
    if count > most then
      found, most = kind, count
    end
  end
  return found, most
end

-- The message about a table of which another kind knows more keys than the wanted one; nil: there is none.
function config.complaint_of_kind(value, wanted)
  local kind, count = config.kind_of_value(value)
  if kind and kind ~= wanted and count > known_keys(value, wanted) then
    return string.format("is %s; expected %s", IS[kind], WANTED[wanted])
  end
end

-- Reading and checking

local PAGES = {
  bss = { title = "Emulated BSS", noun = "configuration of `gbflow emulate`", about = "" },
  node = { has_changes = true, title = "Node configuration", noun = "configuration", about = "" },
  study = { title = "Study", noun = "study for `gbflow sweep`", about = table.concat({
    "`gbflow sweep STUDY.lua --out DIR` runs the scenario at each combination of the axes' points,\n"
      .. "with each seed. `--dry-run` checks the study and prints its runs. Before the first run the\n"
      .. "scenario is loaded with each point of each axis, so a wrong value ends the command at once.\n"
      .. "A second call keeps the runs that have ended, unless the program, the scenario, the point's\n"
      .. "changes or a file of an AQM scheme changed. `--seeds N` takes the seeds 1 to N in place of the study's.\n",
    "A scenario may have these keys itself, as its key `study`, without `scenario` and `title`: one file for\n"
      .. "`gbflow run` and `gbflow sweep`, such as those in `config/gallery` ([gallery](../gallery/index.md)).\n",
    "[study.md](../study.md) says what the command writes, and what its page shows.\n\n",
  }, "\n") },
  scenario = { title = "Scenario", noun = "scenario", about = table.concat({
    "`math.random` uses the run's seed (`--seed`), so that equal seeds give equal runs.\n",
    "`--set path=value` changes a value from the command line: `--set cells[1].pdchs=2`,\n"
      .. "`--set sgsn.lifetime.sgsn_max=5s`, `--set mobiles.anna.class=thp2`. It also takes a table:\n"
      .. "`--set 'cells[1].flow_control={ every = \"10 s\" }'`.\n",
    "`require \"lib.radio\"` runs `lib/radio.lua` of the scenario's folder, once, and gives what it returns. This\n"
      .. "file sees what the scenario sees, also `require` and the run's random numbers. `provenance.json` keeps its\n"
      .. "text. Files of traces (`bler_trace`, `trace`) are paths below the scenario's folder, too.\n",
    "In place of a value, `{ assumed = { value = ..., why = \"...\", holds_over = \"...\" } }` marks an "
      .. "assumption about a value\nthat a publication does not state. The run uses `value`; "
      .. "the report lists all assumptions.\n\n",
  }, "\n") },
}

local function descriptor_of(schema_name)
  return require(schema_name .. ".schema")
end

local function one_error(filename, line, message)
  return nil, { string.format("%s:%d: %s", filename, line, message) }
end

-- Errors or warnings of schema.check() as lines "FILE:LINE: PATH: MESSAGE".
function config.formatted(filename, list)
  local lines = {}
  for i, entry in ipairs(list) do
    lines[i] = string.format("%s:%d: %s: %s", filename, entry.line, hidden.all(entry.path), hidden.keys(entry.message))
  end
  return lines
end

-- read(text, filename, options) -> the table that the text returns, unchecked, where its keys stand (keylines), and the
-- meter of its functions; or nil and a list of one error. options: see sandbox.load().
function config.read(text, filename, options)
  local value, err, meter = sandbox.load(text, filename, options)
  if err then
    return one_error(filename, err.line, err.message)
  end
  local where = keylines.scan(text)
  if type(value) ~= "table" then
    local form = "returns %s; a configuration is a text that ends in: return { ... }"
    return one_error(filename, where:line(""), form:format(value == nil and "nothing" or "a " .. type(value)))
  end
  return value, where, meter
end

-- load(text, filename, schema_name) -> the checked table and a list of warnings, or nil and a list of errors: lines
-- "FILE:LINE: PATH: MESSAGE", without PATH where it is about the text as a whole. schema_name: "node".
function config.load(text, filename, schema_name, options)
  local value, where = config.read(text, filename, options)
  if not value then
    return nil, where
  end
  local complaint = config.complaint_of_kind(value, schema_name)
  if complaint then
    return one_error(filename, where:line(""), complaint)
  end
  local checked, errors, warnings = schema.check(descriptor_of(schema_name), value, where)
  if #errors > 0 then
    return nil, config.formatted(filename, errors)
  end
  return checked, config.formatted(filename, warnings)
end

-- The kind of a text: "node", "scenario", "bss" or "study"; nil: it fails to run, or no kind knows any of its keys.
function config.kind_of(text, filename)
  local value, errors = config.read(text, filename)
  if not value then
    return nil, errors
  end
  return (config.kind_of_value(value))
end

local function example_of(text)
  return text and "\n## An example\n\n```lua\n" .. text .. "```\n" or ""
end

local function changes_of(schema_name)
  return PAGES[schema_name].has_changes and require(schema_name .. ".changes").document() or ""
end

-- The reference of a schema's keys, a page of Markdown. example, optional: a text that ends the page.
function config.document(schema_name, example)
  local page = PAGES[schema_name]
  return table.concat({
    "<!-- Made by scripts/gen-docs.sh from lua/" .. schema_name .. "/schema.lua; change that one. -->\n",
    "# " .. page.title .. "\n",
    "A " .. page.noun .. " is a Lua file that returns a table. It can use the tables `math`, `string` and `table` "
      .. "only.\n`gbflow check FILE` validates it. An unknown key is an error. `[]` stands for each item of a list.\n",
    "A quantity is a string: a decimal number and a unit (`\"0.1 s\"`). It is not rounded. Units:\n",
    schema.document_units(),
    "`kB` and `MB` are powers of 1000, `KiB` and `MiB` of 1024. Some quantities may be `\"infinite\"`.\n",
    page.about .. schema.document(descriptor_of(schema_name)) .. changes_of(schema_name) .. example_of(example),
  }, "\n")
end

return config
