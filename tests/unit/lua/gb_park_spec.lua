-- SPDX-License-Identifier: BSD-3-Clause
-- Cells with many mobiles that a reload deletes: the mobiles are assigned to other cells in short steps.
local gb = require "gb.plane"
local gb_player = require "gb_player"
local wire = require "gbflow_wire"
local spec_tools = require "spec_tools"

local count, thousands_of = spec_tools.count, spec_tools.thousands_of

local MANY <const> = 16000
local NSE <const>, OLD <const>, NEW <const>, OTHER <const> = 101, 1234, 1235, 1236

local function rig()
  local g = gb.new(gb_player.configs.three_cells, wire)
  for i = 1, MANY do g:ms_add(i, 0xc0000000 + i * 7, NSE, OLD) end
  g:cell_leaves(NSE, OLD)
  return g
end

describe("a cell that will be deleted", function()
  it("gives its mobiles away in short steps, and gets none", function()
    local g, moved, most = rig(), 0, 0
    while g:is_parking() do
      local intents = g:park(0)
      moved, most = moved + count(intents, "ms_cell"), math.max(most, #intents)
    end
    assert.equal(MANY, moved)
    assert.equal(100, most)
    assert.equal(0, count(g:on_heard(1, NSE, OLD, 1), "ms_cell"))
    assert.equal(1, g.counts.move_unknown_cell)
    assert.equal(NEW, g:ms_state(1, 1).bvci)
  end)

  it("has but those left that were added since", function()
    local g = rig()
    while g:is_parking() do g:park(0) end
    g:ms_add(MANY + 1, 0xd0000001, NSE, OLD)
    g:ms_add(MANY + 2, 0xd0000002, NSE, OLD)
    g:ms_del(MANY + 2, 1)
    local intents
    assert.is_true(thousands_of(function() intents = g:cell_del(NSE, OLD, 2) end) < 10)
    assert.equal(1, count(intents, "ms_cell"))
    assert.equal("bvc_del", intents[#intents].op)
    assert.equal(NEW, g:ms_state(MANY + 1, 2).bvci)
  end)

  it("leaves those alone that went to another one meanwhile", function()
    local g, moved = rig(), 0
    g:park(0)
    for slot = 1, MANY do
      if g:ms_state(slot, 0).bvci == OLD then g:on_heard(slot, NSE, OTHER, 1) end
    end
    while g:is_parking() do moved = moved + count(g:park(2), "ms_cell") end
    assert.equal(0, moved)
  end)

  it("is no refuge for the mobiles of another one", function()
    local g = rig()
    g:cell_leaves(NSE, NEW)
    while g:is_parking() do g:park(0) end
    assert.equal(OTHER, g:ms_state(1, 1).bvci)
  end)
end)
