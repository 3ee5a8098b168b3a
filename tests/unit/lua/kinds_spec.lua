-- SPDX-License-Identifier: BSD-3-Clause
-- The kind of a configuration, and what a command says that was given another kind.

local config = require "schema.config"
local scenario = require "scenario.read"
local spec_tools = require "spec_tools"

local read = spec_tools.read

local FILES = {
  node = "config/nodes/live-lab.lua", scenario = "config/scenarios/quickstart.lua", bss = "config/bss/lab.lua",
  study = "config/studies/buckets.lua",
}

local LOAD = {
  node = function(text) return config.load(text, "f.lua", "node") end,
  scenario = function(text) return scenario.load(text, "f.lua") end,
  bss = function(text) return config.load(text, "f.lua", "bss") end,
  study = function(text) return config.load(text, "f.lua", "study") end,
}

-- Loaded as, the file's kind, the whole message behind the line number.
local NODE = "is the configuration of a node, for gbflow serve and replay; expected "
local SCENARIO = "is a scenario, for gbflow run; expected "
local BSS = "is the configuration of an emulated BSS, for gbflow emulate; expected "
local STUDY = "is a study, for gbflow sweep; expected "
local ROWS = {
  { "scenario", "study", STUDY .. "a scenario" },
  { "node", "study", STUDY .. "the configuration of a node" },
  { "study", "scenario", SCENARIO .. "a study" },
  { "node", "scenario", SCENARIO .. "the configuration of a node" },
  { "node", "bss", BSS .. "the configuration of a node" },
  { "scenario", "node", NODE .. "a scenario" },
  { "scenario", "bss", BSS .. "a scenario" },
  { "bss", "node", NODE .. "the configuration of an emulated BSS" },
  { "bss", "scenario", SCENARIO .. "the configuration of an emulated BSS" },
}

describe("kinds", function()
  for _, row in ipairs(ROWS) do
    it("names a " .. row[2] .. " that is loaded as a " .. row[1], function()
      local value, errors = LOAD[row[1]](read(FILES[row[2]]))
      assert.is_nil(value)
      assert.equal(1, #errors)
      assert.equal(row[3], errors[1]:match("^f%.lua:%d+: (.*)$"))
    end)
  end

  it("leaves a text with mistakes to the schema of its own kind", function()
    local _, errors = LOAD.node("return { gn = {}, gb = {}, cels = {}, duratoin = 1 }")
    assert.truthy(#errors > 1)
  end)
end)
