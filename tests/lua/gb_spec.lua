-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane against tables of rows, with the real codecs; at the end, that every row of the machines was
-- taken.

local cases = require "cases"
local fsm = require "fsm"
local gb_player = require "gb_player"
local wire = require "gbflow_wire"

local TABLES = { "gb_ns_rows", "gb_bvc_rows", "gb_flow_rows", "gb_ms_rows", "gb_pfc_rows", "gb_error_rows",
  "gb_radio_rows", "gb_flow_case_rows",
  "gb_negative_bssgp_rows", "gb_negative_ns_rows", "gb_paging_rows", "gb_sns_rows", "gb_sns_change_rows" }
local MACHINES = { "ns_vc", "ns_vc_ip", "ns_sns", "ns_sns_own", "ns_test", "bvc", "ms_flow", "ms_flush", "ms_pfc",
  "ms_paging", "ms_suspension" }

local taken = {}

local function observe(machine, state, event)
  local own = machine.states[state].on[event] or (event == "otherwise" and machine.states[state].otherwise)
  taken[machine.name .. " " .. (own and state or "*") .. " " .. event] = true
end

for _, name in ipairs(TABLES) do
  describe(name, function()
    for _, scenario in ipairs(require(name)) do
      it(scenario.name, function()
        local want, got = gb_player.play(scenario, wire, observe)
        assert.equal(want, got)
      end)
    end
  end)
end

describe("cases", function()
  for _, kind in ipairs(cases.KINDS) do
    it(("%s: %d or more, each with its clause, none twice"):format(kind.name, kind.least), function()
      local rows, seen = cases.of(kind), {}
      assert.is_true(#rows >= kind.least)
      for _, row in ipairs(rows) do
        assert.is_string(row.clause, row.name)
        assert.is_nil(seen[row.name], row.name)
        seen[row.name] = true
      end
    end)
  end
end)

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

describe("docs/machines", function()
  for _, name in ipairs(MACHINES) do
    it(name .. " is what scripts/draw-fsm.sh draws: every state and event is there", function()
      local svg, module = read("docs/machines/" .. name .. ".svg"), require(name)
      for _, item in ipairs(fsm.rows(module.machine or module)) do
        assert.is_truthy(svg:find(">" .. item.event .. "<", 1, true), item.event)
        assert.is_truthy(item.state == "*" or svg:find(">" .. item.state .. "<", 1, true), item.state)
      end
    end)
  end
end)

describe("the machines", function()
  for _, name in ipairs(MACHINES) do
    it(name .. ": every row is taken by some scenario", function()
      local missing = {}
      local module = require(name)
      for _, item in ipairs(fsm.rows(module.machine or module)) do
        local key = name .. " " .. item.state .. " " .. item.event
        if not taken[key] then missing[#missing + 1] = key end
      end
      assert.same({}, missing)
    end)
  end
end)
