-- SPDX-License-Identifier: BSD-3-Clause
-- Acts on NS-VCs and cells that cannot be done: they are refused with object, value and remedy; and which one is meant.

local gb_player = require "gb_player"
local given = require "gb_given"
local gb_text = require "gb_text"
local wire = require "gbflow_wire"

local function node(config, lines)
  local g = gb_player.node(config, wire)
  for _, line in ipairs(lines or {}) do
    local rx = gb_text.parse_received(wire, line)
    g:on_pdu(rx.nsvc, rx.octets, 0)
  end
  return g
end

local function nsvc(act, nsvci, nsei) return { verb = "nsvc", act = act, nsvci = nsvci or "1800", nsei = nsei } end
local function bvc(act, bvci, nsei) return { verb = "bvc", act = act, bvci = bvci or "1234", nsei = nsei } end

local ROWS <const> = {
  { order = nsvc("reset", "7"), says = "NSVCI 7: no NS-VC has it" },
  { order = nsvc("reset", "x"), says = "NSVCI x: no NS-VC has it" },
  { order = nsvc("reset", "1800", "9"), says = "NSVCI 1800 of NSE 9: no NS-VC has it" },
  { order = nsvc("rest"), says = "'rest' is not one of reset, block, unblock" },
  { order = nsvc("unblock"), says = "NSVCI 1800 of NSE 101: it is unblocked, so there is nothing to unblock" },
  { order = bvc("reset", "7"), says = "BVCI 7: no cell has it" },
  { order = bvc("rest"), says = "'rest' is not one of reset, block, unblock" },
  { order = bvc("unblock"), says = "BVCI 1234 of NSE 101: it is not blocked by an operator" },
  { given = {}, order = bvc("reset"), says = "no NS-VC of its NSE is in service to carry BVC-RESET" },
  { given = {}, order = nsvc("block"), says = "it is dead, so there is nothing to block" },
  { config = "two_nses", order = bvc("block"),
    says = "BVCI 1234: the NSEs 101, 102 have one each; choose one by --nsei" },
  { first = nsvc("block"), order = nsvc("reset"), says = "an act on it is in progress" },
  { first = bvc("reset"), order = bvc("reset"), says = "an act on it is in progress" },
  { first = bvc("block"), order = bvc("block"), says = "it is blocked already" },
}

describe("an act on a link", function()
  for _, row in ipairs(ROWS) do
    it("is refused: " .. row.says, function()
      local g = node(row.config or "one", row.given or given.CELL_UP)
      if row.first then g:act(row.first, 1, 0) end
      assert.is_truthy(g:plan(row.order).refusal:find(row.says, 1, true), g:plan(row.order).refusal)
    end)
  end

  it("is about the NSE that is named", function()
    local plan = node("two_nses", given.CELL_UP):plan(bvc("block", "1234", "102"))
    assert.is_nil(plan.refusal)
    assert.is_truthy(plan.says:find("BVCI 1234 of NSE 102", 1, true))
  end)
end)
