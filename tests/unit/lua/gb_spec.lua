-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane against tables of rows, with the real codecs; at the end, that every row of the machines was
-- taken.

local cases = require "cases"
local fsm = require "base.fsm"
local gb_host = require "gb.host"
local gb_player = require "gb_player"
local gb_text = require "gb_text"
local wire = require "gbflow_wire"

local TABLES = { "gb_ns_rows", "gb_bvc_rows", "gb_flow_rows", "gb_ms_rows", "gb_pfc_rows", "gb_error_rows",
  "gb_radio_rows", "gb_flow_case_rows",
  "gb_negative_bssgp_rows", "gb_negative_ns_rows", "gb_paging_rows", "gb_sns_rows", "gb_sns_change_rows",
  "gb_sns_owners_rows",
  "gb_gone_rows", "gb_elsewhere_rows", "gb_rim_rows", "gb_proxy_rows", "gb_act_rows" }
local MACHINES = { "ns_vc", "ns_vc_ip", "ns_sns", "ns_sns_own", "ns_test", "bvc", "ms_flow", "ms_flush", "ms_pfc",
  "ms_paging", "ms_suspension", "bvc_order" }

local taken = {}

local function note(_, instance, event, row)
  local machine, state = instance.machine, instance.machine.states[instance.state]
  if not row then return end
  if row == state.otherwise then event = "otherwise" end
  taken[machine.name .. " " .. (row == machine.any[event] and "*" or instance.state) .. " " .. event] = true
end

local function pass() end

for _, name in ipairs(TABLES) do
  describe(name, function()
    for _, scenario in ipairs(require(name)) do
      it(scenario.name, function()
        fsm.trace = { step = note, message = pass, close = pass }
        local want, got = gb_player.play(scenario, wire)
        fsm.trace = nil
        assert.equal(want, got)
      end)
      it(scenario.name .. ", after a reload of all timers", function()
        assert.equal(gb_player.play(scenario, wire, true))
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

-- How many tables and entries hang on a value.
local function weight_of(value, seen)
  if type(value) ~= "table" or seen[value] then return 0 end
  seen[value] = true
  local sum = 1
  for key, item in pairs(value) do sum = sum + 1 + weight_of(key, seen) + weight_of(item, seen) end
  return sum
end

describe("a thousand NSEs and cells", function()
  it("come and go, with mobiles in them, and leave nothing", function()
    local function cell(bvci)
      return { bvci = bvci, cell_id = { mcc = "001", mnc = "01", lac = 1, rac = 0, ci = bvci } }
    end
    local ways = { { nsvcs = { { nsvci = 7, address = "10.99.0.7", udp_port = 23000 } } },
      { nsvcs = {}, sns = { address = "10.99.0.7", udp_port = 23000, own_address = "10.99.0.1", own_port = 23000,
        max_nsvcs = 4, endpoints = { { address = "10.99.0.1", udp_port = 23000, signalling_weight = 1,
          data_weight = 1 } } } } }
    local host = gb_host.new(gb_player.configs.features, wire)
    local function ask(name, ...) return host.timers:take(host.gb[name](host.gb, ...)) end
    for _, line in ipairs { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
      "0 [0] bvc_reset bvci=0 cause=8", "0 [0] bvc_reset bvci=1234 cause=8 cell_id=001-01-13135-0-20960" } do
      local rx = gb_text.parse_received(wire, line)
      host:on_pdu(rx.nsvc, rx.octets, 0)
    end
    host:ms_add(1, 0xc0000001, 101, 1234, "001010000000001")
    local before
    for i = 1, 1000 do
      local now, nsei = i * 1000000, 1000 + i
      local way = ways[i % 2 + 1]
      local config = { nsei = nsei, nsvcs = way.nsvcs, sns = way.sns, cells = { cell(i + 2000) } }
      ask("nse_add", config, 1, now)
      host.gb:cell_add(101, cell(i + 5000))
      host:on_heard(1, nsei, i + 2000, now)
      host:on_page_wanted(1, now)
      ask("nse_close", nsei, now)
      ask("nse_del", nsei, now)
      host:on_heard(1, 101, i + 5000, now)
      ask("cell_del", 101, i + 5000, now)
      assert.equal(101, host:ms_state(1, 0).nsei)
      host:advance(now + 100)
      if i == 200 then before = weight_of(host, {}) end
    end
    assert.is_true(weight_of(host, {}) < before + 200, weight_of(host, {}) .. " and " .. before)
    assert.equal(6, host.gb.nsvc_count)
  end)
end)

describe("the machines", function()
  for _, name in ipairs(MACHINES) do
    it(name .. ": every row is taken by some scenario", function()
      local missing = {}
      for _, item in ipairs(fsm.rows(fsm.defined[name])) do
        local key = name .. " " .. item.state .. " " .. item.event
        if not taken[key] then missing[#missing + 1] = key end
      end
      assert.same({}, missing)
    end)
  end
end)
