-- SPDX-License-Identifier: BSD-3-Clause
-- Reads a scenario: runs its text in the sandbox with random numbers from a seed, applies the changes of the command
-- line, checks it by the schema, and makes its node.

local config = require "schema.config"
local hidden = require "schema.hidden"
local scenario_assumptions = require "scenario.assumptions"
local scenario_node = require "scenario.node"
local scenario_random = require "scenario.random"
local scenario_sets = require "scenario.sets"
local scenario_sgsns = require "scenario.sgsns"
local schema = require "schema.schema"

local scenario = {}

scenario.SEED = 1 -- when none is given

local function sandbox_options(seed, read)
  return { random = scenario_random.new(seed or scenario.SEED), read = read }
end

-- The value with all changes, and the changes; or nil and an error.
local function change_all(value, sets)
  local changes = {}
  for i, set in ipairs(sets or {}) do
    local changed, change = scenario_sets.apply(value, set)
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
    local cause = scenario_sets.cause_of(changes, entry.path)
    lines[i] = config.formatted(filename, { entry })[1]
    if cause then
      lines[i] = string.format("%s: %s: %s", cause.option, hidden.all(entry.path), hidden.keys(entry.message))
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

-- text: { value, where, filename }.
local function check(text, changes, fault_of)
  local filename, assumptions = text.filename, scenario_assumptions.new(text.where)
  local checked, errors, warnings = schema.check(require "scenario.schema", text.value, assumptions,
    function(given, keys, complain)
      return assumptions:plain(given, keys, complain)
    end, fault_of)
  if #errors > 0 then
    return nil, formatted(filename, errors, changes)
  end
  checked.assumptions = assumptions.list
  return checked, formatted(filename, warnings, changes)
end

-- load(text, filename, { seed = integer, sets = { {path =, value =}... }, read = function, fault_of = function })
-- -> the checked table and a list of warnings, or nil and a list of errors (config.load). read: as of sandbox.load, for
-- `require`. fault_of(file): why a file below the scenario's folder cannot be read, or nil. The table also has seed,
-- sets, and assumptions ({path, value, why, holds_over}...).
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
  local text_of = { value = changed, where = where, filename = filename }
  local checked, lines = check(text_of, changes, options.fault_of)
  if checked then
    checked.seed, checked.sets = options.seed or scenario.SEED, options.sets or {}
  end
  return checked, lines
end

local function node_of(view)
  local node, errors, warnings = schema.check(require "node.schema", scenario_node.table_of(view))
  if #errors > 0 then
    return nil, config.formatted("the scenario's node", errors)
  end
  scenario_node.add_mobiles(node, view)
  return node, config.formatted("the scenario's node", warnings)
end

-- nodes(checked) -> a list of the checked tables of the scenario's nodes (node_schema), one for each SGSN, and a list
-- of warnings, or nil and a list of errors. Either is a defect of gbflow: each valid scenario has valid nodes.
function scenario.nodes(checked)
  local nodes, warnings = {}, {}
  for i, view in ipairs(scenario_sgsns.views(checked)) do
    local node, lines = node_of(view)
    if not node then return nil, lines end
    nodes[i] = node
    table.move(lines, 1, #lines, #warnings + 1, warnings)
  end
  return nodes, warnings
end

return scenario
