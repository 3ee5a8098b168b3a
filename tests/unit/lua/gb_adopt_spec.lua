-- SPDX-License-Identifier: BSD-3-Clause
-- A restart of control at each step of each scenario of the Gb control plane: a second one, made of the configuration
-- and of the records, shows the same states, and sends the BSS nothing but NS-ALIVE.

local gb = require "gb.plane"
local gb_player = require "gb_player"
local records = require "base.records"
local wire = require "gbflow_wire"

local TABLES = { "gb_ns_rows", "gb_bvc_rows", "gb_flow_rows", "gb_ms_rows", "gb_pfc_rows", "gb_error_rows",
  "gb_radio_rows", "gb_flow_case_rows", "gb_negative_bssgp_rows", "gb_negative_ns_rows", "gb_paging_rows",
  "gb_sns_rows", "gb_sns_change_rows", "gb_elsewhere_rows", "gb_proxy_rows",
  "gb_act_rows" }

-- Takes the records out of the intents of a control plane, into a store by key.
local function watch(g)
  local close_run = g.close_run
  g.store = {}
  function g.close_run(self, run)
    local left = {}
    for _, intent in ipairs(close_run(self, run)) do
      if intent.op == "keep" then
        self.store[intent.key] = intent.octets
      else
        left[#left + 1] = intent
      end
    end
    return left
  end
  return g
end

-- A control plane that adopts the records of another one, and its intents.
local function restarted(g, config, now)
  local new, sent = watch(gb.new(config, wire)), {}
  for tlli, bvc in pairs(g.mobiles.home) do new:ms_add(tlli, bvc.nse.nsei, bvc.bvci, g.mobiles.radio.imsi[tlli]) end
  local keys = {}
  for key in pairs(g.store) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    table.move(new:adopt(key, g.store[key], now), 1, 99, #sent + 1, sent)
  end
  table.move(new:adopted(now), 1, 99, #sent + 1, sent)
  return new, sent
end

local function text_of(g)
  local state, lines = g:state(), {}
  for _, vc in ipairs(state.nsvcs) do
    local owner = g.nsvcs[vc.index]
    lines[#lines + 1] = ("nsvc %d %s%s %s"):format(vc.index, vc.state, owner.usable and " usable" or "", owner.act)
  end
  for _, bvc in ipairs(state.bvcs) do
    local of, at = bvc.announced or {}, g:cell(bvc.nsei, bvc.bvci)
    lines[#lines + 1] = ("bvc %d/%d %s %s %s %s %d %s %s"):format(bvc.nsei, bvc.bvci, bvc.state, bvc.usable,
      of.rate_bps, of.ms_rate_bps, bvc.own_buckets, at.is_refused and "refused" or "", at.order and at.order.act)
  end
  for _, nse in ipairs(g.nses) do
    lines[#lines + 1] = ("nse %d %d %s %s"):format(nse.nsei, nse.usable_nsvcs, records.pack(nse.features),
      nse.resetting and nse.resetting.fsm.state or "")
  end
  for tlli, flows in pairs(g.mobiles.pfcs.flows) do
    for pfi, pfc in pairs(flows.pfcs) do
      if pfc.fsm.state ~= "absent" then
        lines[#lines + 1] = ("pfc %08x %d %s %d"):format(tlli, pfi, pfc.fsm.state, #pfc.users)
      end
    end
  end
  table.sort(lines)
  local m = state.mobiles
  local whole = {}
  for tlli, at in pairs(g.mobiles.moves.whole) do whole[#whole + 1] = ("moves %08x %d"):format(tlli, at) end
  table.sort(whole)
  table.move(whole, 1, #whole, #lines + 1, lines)
  lines[#lines + 1] = ("suspended %d flushing %d paged %d"):format(m.suspended, m.flushing, m.paged)
  return table.concat(lines, "\n")
end

-- What an adoption may not do: make the BSS begin again, or change what a usable cell has.
local HARMLESS <const> = { timer = true, cancel = true, log = true, act_kept = true }

local function harm_of(intents, g)
  for _, intent in ipairs(intents) do
    local pdu = intent.op == "send" and wire.ns_decode(intent.octets).pdu
    local vc = intent.op == "nsvc_state" and g.nsvcs[intent.nsvc]
    local bvc = intent.op == "bvc_state" and g:cell(intent.nsei, intent.bvci)
    local is_known = vc and not vc.usable and not intent.usable or bvc and not bvc.usable and not intent.usable
    if not HARMLESS[intent.op] and pdu ~= "alive" and not is_known then return pdu or intent.op end
  end
end

local CHANGES_CONFIGURATION <const> = { sns_endpoints = true }

local function changes_configuration(row)
  return row.call and (CHANGES_CONFIGURATION[row.call] or row.call:match("^nse_") or row.call:match("^cell_")
    or row.call:match("^nsvc_"))
end

local seen = {} -- many scenarios begin alike

local function check(player, config, now)
  local before = text_of(player.g)
  local whole = before .. records.pack(player.g.store)
  if seen[whole] == config then return end
  seen[whole] = config
  local new, sent = restarted(player.g, config, now)
  assert.equal(before, text_of(new))
  assert.is_nil(harm_of(sent, new))
  local again = restarted(new, config, now)
  assert.equal(before, text_of(again))
end

local function play(scenario)
  local config = gb_player.configs[scenario.config or "one"]
  local player = gb_player.new(scenario, wire)
  local now = 0
  for _, text in ipairs(scenario.given or {}) do player:receive(text, 0) end
  check(player, config, now)
  for _, row in ipairs(scenario.steps) do
    if changes_configuration(row) then return end
    player:step(row)
    now = (row.at or row.to or now / 1e6) * 1000000 // 1
    check(player, config, now)
  end
end

describe("a restart of control", function()
  local node = gb_player.node

  setup(function()
    records.is_on = true
    gb_player.node = function(...) return watch(node(...)) end
  end)

  teardown(function()
    records.is_on, gb_player.node = false, node
  end)

  for _, name in ipairs(TABLES) do
    it("at each step of " .. name, function()
      for _, scenario in ipairs(require(name)) do
        local is_good, why = pcall(play, scenario)
        assert(is_good, scenario.name .. ": " .. tostring(why))
      end
    end)
  end
end)
