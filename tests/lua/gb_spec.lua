-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane against tables of rows, with the real codecs; at the end, that every row of the machines was
-- taken.

local fsm = require "fsm"
local gb_player = require "gb_player"
local wire = require "gbflow_wire"

local TABLES = { "gb_ns_rows", "gb_bvc_rows", "gb_flow_rows", "gb_error_rows" }
local MACHINES = { "ns_vc", "ns_test", "bvc", "ms_flow" }

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

describe("the machines", function()
  for _, name in ipairs(MACHINES) do
    it(name .. ": every row is taken by some scenario", function()
      local missing = {}
      for _, item in ipairs(fsm.rows(require(name))) do
        local key = name .. " " .. item.state .. " " .. item.event
        if not taken[key] then missing[#missing + 1] = key end
      end
      assert.same({}, missing)
    end)
  end
end)
