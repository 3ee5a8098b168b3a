-- SPDX-License-Identifier: BSD-3-Clause
-- A restart of control at each step of each scenario of the Gb control plane: a second one, made of the configuration
-- and of the records, shows the same states, and sends the BSS nothing but NS-ALIVE.

local gb = require "gb.plane"
local gb_player = require "gb_player"
local gb_text = require "gb_text"
local mobile_book = require "mobile.book"
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

-- Contexts say again what they want, as sessions make them do.
local function want_again(g, new, now)
  for ms, flows in pairs(g.mobiles.pfcs.flows) do
    for pfi, pfc in pairs(flows.pfcs) do
      for _, pdp in ipairs(pfc.users) do new:pfc_add(ms.slot, pdp, pfi, "background", now) end
    end
  end
end

-- Those that are found by their TLLI, or the others, as control adds them (control/sessions/sessions_restart.c).
local function add_mobiles(book, new, are_found)
  for slot, ms in pairs(book.at) do
    if (book.slot_of_tlli[ms.tlli] == slot) == are_found then
      new:ms_add(slot, ms.tlli, ms.cell.nse.nsei, ms.cell.bvci, mobile_book.imsi_of(ms))
    end
  end
end

-- A control plane that adopts the records of another one, and its intents.
local function restarted(g, config, now)
  local new, sent = watch(gb.new(config, wire)), {}
  add_mobiles(g.mobiles.book, new, true)
  add_mobiles(g.mobiles.book, new, false)
  local keys = {}
  for key in pairs(g.store) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    table.move(new:adopt(key, g.store[key], now), 1, 99, #sent + 1, sent)
  end
  table.move(new:adopted(now), 1, 99, #sent + 1, sent)
  want_again(g, new, now)
  return new, sent
end

local function text_of(g)
  local state, lines = g:state(), {}
  for _, vc in ipairs(state.nsvcs) do
    local owner = g.nsvcs[vc.index]
    lines[#lines + 1] = ("nsvc %d %s%s %s"):format(vc.index, vc.state, owner.usable and " usable" or "", owner.act)
  end
  for _, bvc in ipairs(state.bvcs) do
    local at = g:cell(bvc.nsei, bvc.bvci)
    lines[#lines + 1] = ("bvc %d/%d %s %s %s %s %d %s %s %s %s %s"):format(bvc.nsei, bvc.bvci, bvc.state, at.usable,
      bvc.rate_bps, bvc.ms_rate_bps, bvc.ms_buckets, at.is_refused and "refused" or "", at.order and at.order.act,
      records.pack(at.counts_as or {}),
      records.pack(bvc.state ~= "unknown" and at.named or {}), at.usable and at.waiting.state)
  end
  for _, nse in ipairs(g.nses) do
    lines[#lines + 1] = ("nse %d %d %s %s"):format(nse.nsei, nse.usable_nsvcs, records.pack(nse.features),
      nse.resetting and nse.resetting.fsm.state or "")
  end
  for ms, flows in pairs(g.mobiles.pfcs.flows) do
    for pfi, pfc in pairs(flows.pfcs) do
      if pfc.fsm.state ~= "absent" then
        lines[#lines + 1] = ("pfc %d %d %s %d %q"):format(ms.slot, pfi, pfc.fsm.state, #pfc.users,
          pfc.abqp or "")
      end
    end
  end
  table.sort(lines)
  local m = state.mobiles
  local whole = {}
  for slot, ms in pairs(g.mobiles.book.at) do
    if ms.whole_at then whole[#whole + 1] = ("moves %d %d"):format(slot, ms.whole_at) end
    if ms.radio and ms.radio.is_told then
      whole[#whole + 1] = ("radio %d %s %s"):format(slot, ms.radio.ra_capability, ms.radio.drx)
    end
  end
  for ms in pairs(g.mobiles.suspended) do
    whole[#whole + 1] = ("suspended %d %d"):format(ms.slot, ms.reference)
  end
  for tlli, slot in pairs(g.mobiles.book.slot_of_tlli) do
    whole[#whole + 1] = ("tlli %08x %d"):format(tlli, slot)
  end
  for tlli, list in pairs(g.mobiles.asked) do
    for _, flush in ipairs(list) do
      whole[#whole + 1] = ("flush %08x %d %d"):format(tlli, flush.slot, flush.old.bvci)
    end
  end
  for ms, owner in pairs(g.mobiles.paged) do whole[#whole + 1] = ("paged %d %s"):format(ms.slot, owner.fsm.state) end
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

local CHANGES_CONFIGURATION <const> = { sns_endpoints = true, set_flow_control = true }

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

  -- A mobile that has moved, told its capability, and is offered a TLLI.
  local function moved()
    local g = gb_player.node("elsewhere", wire)
    local slot = gb_player.slot_of(0x10)
    g:on_heard(slot, 101, 1235, 0)
    g:ms_told(slot, "\x11\x12\x03\x14\x15", "\7\0", 0)
    g:ms_offered(slot, 0x90, 0)
    return g, slot, { "moves/" .. slot, "radio/" .. slot, "offer/" .. slot }
  end

  it("has nothing of a mobile that is gone", function()
    local g, slot, keys = moved()
    for _, key in ipairs(keys) do assert.is_string(g.store[key], key) end
    g:ms_del(slot, 1)
    for _, key in ipairs(keys) do assert.is_falsy(g.store[key], key) end
  end)

  it("has no offer of a TLLI that its mobile has, though another one was found by it", function()
    local g = gb_player.node("one", wire)
    local first, second = gb_player.slot_of(0x10), gb_player.slot_of(0x20)
    assert.is_table(g.mobiles.book.at[second])
    for _, slot in ipairs({ first, second }) do g:ms_called(slot, 0x90, "001010000000009", 0) end
    g:ms_del(first, 1)
    g:ms_offered(second, 0x90, 2)
    assert.is_nil(g.store["offer/" .. second])
    g:ms_called(second, 0x91, "001010000000009", 3)
    assert.is_nil(g.store["offer/" .. second])
  end)

  it("keeps the moves of a mobile until it has all, and while they are counted", function()
    local g, _, keys = moved()
    local config = gb_player.configs.elsewhere
    assert.is_string(restarted(g, config, 1).store[keys[1]])
    assert.is_nil(restarted(g, config, 2000000000).store[keys[1]])
    local mobiles = config.mobiles
    config.mobiles = { list = mobiles.list }
    local new = restarted(g, config, 1)
    config.mobiles = mobiles
    assert.is_nil(new.store[keys[1]])
  end)

  it("takes no NS-VC for the one of another number", function()
    local g = gb_player.node("one", wire)
    for _, text in ipairs({ "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock" }) do
      local rx = gb_text.parse_received(wire, text)
      g:on_pdu(rx.nsvc, rx.octets, 0)
    end
    assert.equal("unblocked", restarted(g, gb_player.node_of(101, 1800, 1234), 1):state().nsvcs[1].state)
    assert.equal("dead", restarted(g, gb_player.node_of(101, 1900, 1234), 1):state().nsvcs[1].state)
  end)
end)
