-- SPDX-License-Identifier: BSD-3-Clause
-- Errors inside the Gb control plane: the event is lost and told, its NSE begins again, one with too many is shut, and
-- the other NSE never notices. A codec raises the errors, on the octets BAD, and in the answer to NS-ALIVE.

local gb_host = require "gb.host"
local gb_player = require "gb_player"
local gb_text = require "gb_text"
local wire = require "gbflow_wire"

local BAD <const>, SECOND <const> = "\255bad", 1000000000
local UP = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack", "0 [0] bvc_reset bvci=0 cause=8",
  "0 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960", "1 reset cause=1 nsei=102 nsvci=1900", "1 unblock",
  "1 alive_ack", "1 [0] bvc_reset bvci=0 cause=8", "1 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960" }

local broken = {}

local function decode(octets)
  return octets == BAD and error("the codec breaks") or wire.ns_decode(octets)
end

local function encode(pdu)
  return broken[pdu.pdu] and error("the encoder breaks") or wire.ns_encode(pdu)
end

local function play(host, lines, now)
  local all = {}
  for _, line in ipairs(lines) do
    local rx = gb_text.parse_received(wire, line)
    for _, intent in ipairs(host:on_pdu(rx.nsvc, rx.octets, now)) do all[#all + 1] = intent end
  end
  return all
end

local function new(limits)
  local config = {}
  for key, value in pairs(gb_player.configs.two_nses) do config[key] = value end
  config.limits = limits
  local host = gb_host.new(config, setmetatable({ ns_decode = decode, ns_encode = encode }, { __index = wire }))
  play(host, UP, 0)
  return host
end

local function states(host)
  local list = {}
  for _, bvc in ipairs(host:state().bvcs) do list[#list + 1] = ("%d %s"):format(bvc.nsei, bvc.state) end
  return table.concat(list, ", ")
end

local function of(intents, op)
  local list = {}
  for _, intent in ipairs(intents) do
    if intent.op == op then list[#list + 1] = intent end
  end
  return list
end

describe("an error about an NSE", function()
  it("is told with a traceback, its cells begin again, and the other NSE stays", function()
    local host = new()
    assert.equal("101 unblocked, 102 unblocked", states(host))
    local intents = host:on_pdu(0, BAD, SECOND)
    local faults = of(intents, "fault")
    assert.equal(1, #faults)
    assert.equal(101, faults[1].nsei)
    assert.truthy(faults[1].text:find("the codec breaks") and faults[1].text:find("stack traceback"))
    assert.equal("101 unknown, 102 unblocked", states(host))
    local blocked = of(intents, "bvc_state")
    assert.equal("101 1234 false", ("%d %d %s"):format(blocked[1].nsei, blocked[1].bvci, blocked[1].usable))
    assert.equal(1, #of(intents, "send")) -- STATUS, BVCI unknown: the BSS resets the cell
    play(host, { UP[5] }, 2 * SECOND)
    assert.equal("101 unblocked, 102 unblocked", states(host))
  end)

  it("of which nobody knows the NSE is told and no more", function()
    local host = new()
    host.gb:open_run(SECOND)
    local faults = of(host.faults:contain(nil, "x", SECOND), "fault")
    assert.equal(1, #faults)
    assert.is_nil(faults[1].nsei)
    assert.equal("101 unblocked, 102 unblocked", states(host))
  end)

  it("may come of each event of the plane: none goes past the host", function()
    local host = new()
    for name in pairs(getmetatable(host.gb).__index) do
      if name:find("^on_") and name ~= "on_timer" then assert.is_function(host[name], name) end
    end
  end)

  it("leaves no posted event behind", function()
    local host = new()
    local act = getmetatable(host.gb.run).__index.count
    host.gb.run.count = function() error("a defect") end
    host.gb.run:post(host.gb.nsvcs[0].fsm, "no such event")
    local is_good = pcall(host.gb.run.drain, host.gb.run)
    host.gb.run.count = act
    assert.is_false(is_good)
    assert.is_true(host.gb.run.posted > 0)
    assert.equal(0, #host:on_pdu(0, gb_text.parse_received(wire, "0 alive_ack").octets, SECOND))
    assert.equal(0, host.gb.run.posted)
  end)
end)

describe("an error in a timer", function()
  it("is told, and the state has a timer again", function()
    local host = new()
    broken.alive = true
    local ended, seen = 200 * SECOND, 0
    local at = host:next_at()
    while at and at <= ended and seen < 3 do
      seen = seen + #of(host:advance(at), "fault")
      at = host:next_at()
    end
    broken.alive = nil
    assert.is_true(seen >= 3)
    assert.is_not_nil(host:next_at())
    for number = 0, 1 do
      local test = host.gb.nsvcs[number].test
      assert.equal(test.machine.states[test.state].timer, test.timer)
    end
  end)
end)

describe("an NSE with too many errors in a minute", function()
  local function fail(host, count, from, step)
    for i = 1, count do
      host:on_pdu(0, BAD, from + i * step)
      play(host, { UP[5] }, from + i * step)
    end
    return states(host)
  end

  it("is shut by the one beyond the limit, the other goes on", function()
    for _, row in ipairs { { nil, 10 }, { { lua_errors = 3 }, 3 } } do
      local host = new(row[1])
      assert.equal("101 unblocked, 102 unblocked", fail(host, row[2], SECOND, 1000))
      local intents = host:on_pdu(0, BAD, 2 * SECOND)
      assert.equal("error", of(intents, "log")[1].level)
      assert.truthy(of(intents, "log")[1].text:find("NSE 101 is shut after"))
      assert.equal(0, #play(host, { UP[5], "0 alive" }, 3 * SECOND))
      assert.equal("101 unknown, 102 unblocked", states(host))
      assert.equal(1, #of(play(host, { "1 alive" }, 3 * SECOND), "send"))
      assert.equal(2, host:state().counts.nse_shut)
    end
  end)

  it("is not shut by as many in a longer time", function()
    assert.equal("101 unblocked, 102 unblocked", fail(new { lua_errors = 3 }, 40, SECOND, 21 * SECOND))
  end)

  it("is open again when it was removed and added", function()
    local host = new { lua_errors = 1 }
    fail(host, 2, SECOND, 1000)
    local now = 2 * SECOND
    host:nse_close(101, now)
    host:nse_del(101, now)
    host.timers:take(host.gb:nse_add(gb_player.configs.two_nses.nses[1], 0, now))
    play(host, { UP[1], UP[2], UP[3], UP[4], UP[5] }, 3 * SECOND)
    assert.equal("102 unblocked, 101 unblocked", states(host))
  end)
end)
