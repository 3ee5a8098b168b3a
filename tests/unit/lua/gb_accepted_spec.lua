-- SPDX-License-Identifier: BSD-3-Clause
-- BSSs and cells that the configuration does not list (gb.accepted): which NS-RESET and BVC-RESET makes them, and when
-- they go. NS-VC 0 is that of NSE 101, which is listed; 10, 11 and so on are free.
local gb = require "gb.plane"
local gb_player = require "gb_player"
local tables = require "base.tables"
local wire = require "gbflow_wire"

local S <const> = 1000000000
local ID <const> = { mcc = "262", mnc = "42", lac = 7, rac = 1, ci = 1 }

local function settings(changes)
  local all = { networks = { "10.7.0.0/16", "2001:db8::/32" }, nseis = { first = 200, last = 209 },
    routeing_areas = { { mcc = "262" } }, most = 2, cells = 2, nsvcs = 2, idle = 8 * S, flow_control = {},
    features = {} }
  for key, value in pairs(changes or {}) do all[key] = value end
  return all
end

local function rig(changes)
  local config = tables.copy(gb_player.configs.one)
  config.nses_accepted = settings(changes)
  return gb.new(config, wire)
end

local function named(intents, op)
  local out = {}
  for _, intent in ipairs(intents) do if intent.op == op then out[#out + 1] = intent end end
  return out
end

local function reset(g, now, changes)
  local s = { nsei = 200, nsvci = 1, address = "10.7.0.1", udp_port = 23000, own_address = "10.99.0.1",
    own_port = 23000, number = 10, has_room = true, has_address_room = true }
  for key, value in pairs(changes or {}) do s[key] = value end
  if s.number == 0 then s.number = nil end
  return g:on_unlisted(s, wire.ns_encode({ pdu = "reset", cause = 1, nsei = s.nsei, nsvci = s.nsvci }), now)
end

local function unblock(g, number, now)
  g:on_pdu(number, wire.ns_encode({ pdu = "unblock" }), now)
end

local function block(g, number, nsvci, now)
  return g:on_pdu(number, wire.ns_encode({ pdu = "block", cause = 1, nsvci = nsvci }), now)
end

local function reset_cell(g, number, bvci, id, now)
  local pdu = { pdu = "bvc_reset", bvci = bvci, cause = 8, cell_id = id }
  return g:on_pdu(number, wire.unitdata_encode(0, pdu), now)
end

local function id(changes)
  local out = tables.copy(ID)
  for key, value in pairs(changes) do out[key] = value end
  return out
end

-- Until `now`, with nothing answered.
local function wait(g, now, armed)
  for _, intent in ipairs(armed) do
    if intent.op == "timer" then g.due = g.due or {}; g.due[intent.id] = intent.at end
    if intent.op == "cancel" and g.due then g.due[intent.id] = nil end
  end
  local first, at
  for key, due in pairs(g.due or {}) do
    if due <= now and (not at or due < at or due == at and key < first) then first, at = key, due end
  end
  if not first then return end
  g.due[first] = nil
  return wait(g, now, g:on_timer(first, at))
end

describe("an NS-RESET of an unknown endpoint", function()
  it("makes an NSE and its NS-VC, and is acknowledged", function()
    local g = rig()
    local intents = reset(g, 0)
    assert.same({ { op = "nse_accept", nsei = 200 } }, named(intents, "nse_accept"))
    assert.same({ op = "nsvc_add", nsvc = 10, nsei = 200, nsvci = 1, own_address = "10.99.0.1", own_port = 23000,
      address = "10.7.0.1", udp_port = 23000, weight = 1 }, named(intents, "nsvc_add")[1])
    assert.same({ op = "send", nsvc = 10, octets = wire.ns_encode({ pdu = "reset_ack", nsei = 200, nsvci = 1 }) },
      named(intents, "send")[1])
    assert.equal(1, g.counts.nse_accepted)
  end)

  local rows = {
    network = { address = "10.8.0.1" }, nsei = { nsei = 210 }, nsei_listed = { nsei = 101 },
    room = { has_room = false }, addresses = { has_address_room = false },
  }
  local no_hosts = { { address = "10.7.255.255", own_address = "10.7.255.255" }, { udp_port = 0 },
    { address = "0.0.0.0" }, { address = "224.0.0.1" }, { address = "127.0.0.1" }, { address = "255.255.255.255" } }
  for i, unlisted in ipairs(no_hosts) do
    it("is refused: of no host " .. i, function()
      local g = rig({ networks = { "0.0.0.0/0" } })
      assert.same({}, named(reset(g, 1, unlisted), "nse_accept"))
      assert.equal(1, g.counts.nse_refused_network)
    end)
  end
  it("may come from a loopback address to one", function()
    local g = rig({ networks = { "127.0.0.0/8" } })
    assert.equal(1, #named(reset(g, 1, { address = "127.0.0.3", own_address = "127.0.0.1" }), "nse_accept"))
    assert.equal(0, #named(reset(g, 2, { nsei = 201, address = "127.0.0.1", own_address = "127.0.0.1" }), "nse_accept"))
  end)
  for why, unlisted in pairs(rows) do
    it("is refused: " .. why, function()
      local g = rig({ nseis = { first = 101, last = 209 } })
      local before = #g.nses
      local intents = reset(g, 1, unlisted)
      assert.same({}, named(intents, "send"))
      assert.same({}, named(intents, "nse_accept"))
      assert.equal(before, #g.nses)
      assert.equal(1, g.counts["nse_refused_" .. why])
    end)
  end

  it("takes no NS-VC that is in service, and replaces one that is not", function()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    reset(g, 1, { udp_port = 23001, number = 11 })
    assert.equal(1, g.counts.nse_refused_nsvci_in_use)
    reset(g, 2, { udp_port = 23002, nsvci = 2, number = 11 })
    local third = reset(g, 3, { udp_port = 23003, nsvci = 3, number = 12 })
    assert.equal(11, named(third, "nsvc_del")[1].nsvc)
    assert.equal(1, g.counts.nse_refused_nsvci_in_use)
    unblock(g, 12, 3)
    reset(g, 4, { udp_port = 23004, nsvci = 4, number = 13 })
    assert.equal(1, g.counts.nse_refused_nsvcs_most)
  end)

  it("replaces the NS-VC that has been down for longest, when its place is free", function()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    reset(g, 1, { udp_port = 23001, nsvci = 2, number = 11 })
    unblock(g, 11, 1)
    block(g, 11, 2, 2)
    block(g, 10, 1, 3)
    assert.equal(11, named(reset(g, 4, { udp_port = 23002, nsvci = 3, number = 0 }), "nsvc_del")[1].nsvc)
    assert.equal(1, g.counts.nse_refused_room)
    assert.equal(12, named(reset(g, 5, { udp_port = 23002, nsvci = 3, number = 12 }), "nsvc_add")[1].nsvc)
  end)

  it("deletes the NSE that has been down for longest", function()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    reset(g, 1 * S, { nsei = 201, address = "10.7.0.2", number = 11 })
    block(g, 10, 1, 2 * S)
    assert.equal(201, named(reset(g, 3 * S, { nsei = 202, number = 12, udp_port = 2 }), "nse_del")[1].nsei)
  end)

  it("of another address takes no part of an NSE that is there, up or down", function()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    reset_cell(g, 10, 2, ID, 1)
    for now, udp_port in ipairs({ 23000, 23001 }) do
      local intents = reset(g, now, { address = "10.7.0.2", udp_port = udp_port, nsvci = 2, number = 11 })
      assert.same({ 0, 0, now }, { #named(intents, "nsvc_add"), #named(intents, "send"), g.counts.nse_refused_address })
      if now == 1 then block(g, 10, 1, 1) end
    end
    assert.equal(10, g.nse_by_nsei[200].nsvcs[1].index)
    assert.equal(1, #named(reset(g, 3, { udp_port = 23001, nsvci = 2, number = 11 }), "nsvc_add"))
  end)

  it("of another address takes no NSE that waits for a place of its NS-VC", function()
    local g = rig({ nsvcs = 1 })
    reset(g, 0)
    reset(g, 1, { udp_port = 23001, number = 0 })
    assert.same({ 1, 0 }, { g.counts.nse_refused_room, #g.nse_by_nsei[200].nsvcs })
    reset(g, 2, { address = "10.7.0.2", number = 11 })
    assert.equal(1, g.counts.nse_refused_address)
    assert.equal(1, #named(reset(g, 3, { udp_port = 23001, number = 11 }), "nsvc_add"))
  end)

  it("of another address takes the place of an NSE that was never up, not of one that starts again", function()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    block(g, 10, 1, 1)
    reset(g, 2, { nsei = 201, address = "10.7.0.2", number = 11 })
    assert.equal(201, named(reset(g, 3, { nsei = 202, address = "10.7.0.3", number = 12 }), "nse_del")[1].nsei)
    unblock(g, 12, 3)
    reset(g, 4, { nsei = 203, address = "10.7.0.4", number = 13 })
    assert.equal(1, g.counts.nse_refused_most)
    assert.equal(200, named(reset(g, 5, { nsei = 203, number = 13 }), "nse_del")[1].nsei)
  end)

  it("takes no place of its own address's NSE that is up or has mobiles, nor of a listed one", function()
    local g = rig({ networks = { "10.0.0.0/8" }, most = 1 })
    local listed = g.nse_by_nsei[101].nsvcs[1].peer.address
    for now, address in ipairs({ "10.7.0.1", listed }) do
      reset(g, now, { address = address, own_address = "10.99.0.9", nsei = 199 + now, udp_port = 9 })
      if now == 1 then unblock(g, 10, 1) end
    end
    reset(g, 3, { nsei = 202, number = 11 })
    reset_cell(g, 10, 2, ID, 4)
    g:ms_add(1, 0xc0000001, 200, 2)
    block(g, 10, 1, 5)
    reset(g, 6, { nsei = 202, number = 11 })
    assert.same({ 3, 1 }, { g.counts.nse_refused_most, g.counts.nse_accepted })
    g:ms_del(1, 7)
    assert.equal(200, named(reset(g, 8, { nsei = 202, number = 11 }), "nse_del")[1].nsei)
  end)

  it("takes no IPv6 address's place beyond those of its /64", function()
    local g = rig({ most = 256, nseis = { first = 200, last = 500 } })
    reset(g, 0, { nsei = 201, address = "2001:db8::1", number = 10, nsvci = 2 })
    for i = 1, 65 do reset(g, i, { nsei = 200 + i, address = ("2001:db8::%x"):format(i), number = 10 + i }) end
    assert.same({ 64, 1 }, { g.counts.nse_accepted, g.counts.nse_refused_addresses })
    reset(g, 66, { nsei = 300, address = "2001:db8::1", number = 90 })
    reset(g, 67, { nsei = 301, address = "2001:db8:0:1::1", number = 91 })
    assert.same({ 66, 1 }, { g.counts.nse_accepted, g.counts.nse_refused_addresses })
  end)

  it("gives the NSE features, flow control and routeing areas", function()
    local g = rig({ features = { "pfc" }, flow_control = { max_rise = 5 } })
    reset(g, 0)
    unblock(g, 10, 0)
    reset_cell(g, 10, 2, ID, 1)
    assert.same({ "pfc" }, g.nse_by_nsei[200].offered)
    assert.equal(5, g:cell(200, 2).max_rise)
  end)

  it("is unblocked by us as nses_accepted.unblock says", function()
    for who, sent in pairs({ sgsn = 3, bss = 2, auto = 2 }) do
      local sends = named(reset(rig({ unblock = who }), 0), "send")
      assert.equal(sent, #sends, who)
      if sent == 3 then assert.equal(wire.ns_encode({ pdu = "unblock" }), sends[3].octets) end
    end
  end)

  it("finds a place where an NSE is down, unless that has mobiles", function()
    local g = rig()
    reset(g, 0)
    reset(g, 1 * S, { nsei = 201, address = "10.7.0.2", number = 11 })
    unblock(g, 11, 1 * S)
    local intents = reset(g, 2 * S, { nsei = 202, address = "10.7.0.3", number = 12 })
    assert.equal(200, named(intents, "nse_del")[1].nsei)
    assert.equal(10, named(intents, "nsvc_del")[1].nsvc)
    unblock(g, 12, 2 * S)
    reset_cell(g, 12, 2, ID, 2 * S)
    g:ms_add(1, 0xc0000001, 202, 2)
    block(g, 12, 1, 2 * S)
    reset(g, 3 * S, { nsei = 203, address = "10.7.0.4", number = 13 })
    assert.equal(1, g.counts.nse_refused_most)
  end)

  it("is nothing without nses_accepted", function()
    local g = gb.new(gb_player.configs.one, wire)
    assert.same({}, named(reset(g, 0), "send"))
    assert.equal(1, g.counts.ns_unknown_endpoint)
  end)
end)

describe("a BVC-RESET in an accepted NSE", function()
  local function up()
    local g = rig()
    reset(g, 0)
    unblock(g, 10, 0)
    return g
  end

  it("makes the cell", function()
    local g = up()
    local intents = reset_cell(g, 10, 2, ID, 1)
    assert.same({ op = "cell_accept", nsei = 200, bvci = 2, mcc = "262", mnc = "42", lac = 7, rac = 1, ci = 1 },
      named(intents, "cell_accept")[1])
    assert.equal(wire.unitdata_encode(0, { pdu = "bvc_reset_ack", bvci = 2 }), named(intents, "send")[1].octets)
    assert.equal("unblocked", g:state().bvcs[2].state)
  end)

  local rows = {
    bvci = { 1, ID }, cell_id_missing = { 2 }, routeing_area = { 2, id({ mcc = "001" }) },
    cell_id_in_use = { 2, id({ ci = 9 }) }, most = { 4, id({ ci = 4 }) },
  }
  for why, row in pairs(rows) do
    it("is refused: " .. why, function()
      local g = up()
      if why ~= "cell_id_missing" then
        reset_cell(g, 10, 3, id({ ci = 9 }), 1)
        if why == "most" then reset_cell(g, 10, 5, id({ ci = 8 }), 1) end
      end
      local before = #g.nse_by_nsei[200].bvcs
      local intents = reset_cell(g, 10, row[1], row[2], 2)
      assert.same({}, named(intents, "cell_accept"))
      assert.equal(before, #g.nse_by_nsei[200].bvcs)
      assert.equal(1, g.counts["cell_refused_" .. why])
      assert.equal(1, g.counts.bssgp_status_sent_05)
    end)
  end

  it("of a cell that is there takes its new identity over", function()
    local g = up()
    reset_cell(g, 10, 2, ID, 1)
    assert.same({}, named(reset_cell(g, 10, 2, ID, 2), "cell_accept"))
    assert.equal(12, named(reset_cell(g, 10, 2, id({ lac = 12 }), 3), "cell_accept")[1].lac)
    assert.equal(12, g:cell(200, 2).cell_id.lac)
  end)

  it("of a cell that is there with the identity of another one takes the cell out of service", function()
    local g = up()
    reset_cell(g, 10, 2, ID, 1)
    reset_cell(g, 10, 3, id({ ci = 9 }), 1)
    assert.equal(2, g.counts.cell_accepted)
    local sent = named(reset_cell(g, 10, 3, ID, 2), "send")[1].octets
    assert.equal(1, g.counts.cell_refused_cell_id_in_use)
    assert.equal(1, g.counts.bssgp_status_sent_20)
    assert.not_equal(wire.unitdata_encode(0, { pdu = "bvc_reset_ack", bvci = 3 }), sent)
    assert.same({ "unknown", id({ ci = 9 }).ci }, { g:cell(200, 3).fsm.state, g:cell(200, 3).cell_id.ci })
    assert.equal(9, g:cell(200, 3).named.ci)
    reset_cell(g, 10, 3, id({ ci = 9 }), 3)
    assert.equal("unblocked", g:cell(200, 3).fsm.state)
  end)

  local function reset_signalling(g, now) return reset_cell(g, 10, 0, nil, now) end

  it("is reset by us as nses_accepted says, where its BSS does not", function()
    for what, count in pairs({ signalling = 1, cells = 0 }) do
      local g = rig({ bvc_reset_after = 5 * S, bvc_reset = what })
      reset(g, 0)
      unblock(g, 10, 0)
      reset_cell(g, 10, 2, ID, 1)
      reset_signalling(g, 2)
      assert.equal(wire.unitdata_encode(0, { pdu = "bvc_reset", bvci = 2, cause = 8 }),
        named(g:on_timer("bvc_reset/200/look", 5 * S), "send")[1].octets)
      g:on_pdu(10, wire.unitdata_encode(0, { pdu = "status", cause = 5, bvci = 2 }), 5 * S)
      assert.equal(count, g.counts.bvc_reset_signalling_sent or 0, what)
    end
  end)

  it("that names another cell as it is reset by us is not served, nor asked again", function()
    local g = rig({ bvc_reset_after = 5 * S })
    reset(g, 0)
    unblock(g, 10, 0)
    reset_cell(g, 10, 2, ID, 1)
    reset_signalling(g, 2)
    g:on_timer("bvc_reset/200/look", 5 * S)
    g:on_pdu(10, wire.unitdata_encode(0, { pdu = "bvc_reset_ack", bvci = 2, cell_id = id({ ci = 9 }) }), 5 * S)
    assert.same({ 1, "unknown", {} }, { g.counts.bvc_reset_ack_refused, g:cell(200, 2).fsm.state,
      named(g:on_timer("bvc_reset/200/look", 10 * S), "send") })
  end)

  it("that a mobile leaves is told so as nses_accepted.flush_ll says", function()
    for _, is_on in ipairs({ true, false }) do
      local g = rig({ flush_ll = is_on })
      reset(g, 0)
      unblock(g, 10, 0)
      for bvci = 2, 3 do reset_cell(g, 10, bvci, id({ ci = bvci }), 1) end
      g:ms_add(1, 0xc0000001, 200, 2)
      assert.equal(is_on and 1 or 0, #named(g:on_heard(1, 200, 3, 2), "send"))
    end
  end)

  it("of another BVCI with the same cell takes its place once BVCI 0 was reset (48.018 8.4)", function()
    local g = up()
    reset_cell(g, 10, 2, ID, 1)
    reset_cell(g, 10, 3, id({ ci = 3 }), 1) -- in the same routeing area
    g:ms_add(1, 0xc0000001, 200, 2)
    reset_cell(g, 10, 7, ID, 2)
    assert.equal(1, g.counts.cell_refused_cell_id_in_use)
    reset_signalling(g, 3)
    local intents = reset_cell(g, 10, 7, ID, 4)
    assert.equal(7, named(intents, "cell_accept")[1].bvci)
    assert.same({ op = "ms_cell", tlli = 0xc0000001, nsei = 200, bvci = 2, nsei_new = 200, bvci_new = 7, lost = true },
      named(intents, "ms_cell")[1])
    assert.same({ op = "bvc_del", nsei = 200, bvci = 2 }, named(intents, "bvc_del")[1])
    assert.equal(wire.unitdata_encode(0, { pdu = "bvc_reset_ack", bvci = 7 }), named(intents, "send")[1].octets)
    assert.same({ "unblocked", 7 }, { g:cell(200, 7).fsm.state, g:ms_state(1, 4).bvci })
    assert.is_nil(g:cell(200, 2))
  end)

  it("of another cell takes a place once BVCI 0 was reset, where the NSE has `cells`", function()
    local g = up()
    for bvci = 2, 3 do reset_cell(g, 10, bvci, id({ ci = bvci }), 1) end
    reset_cell(g, 10, 4, id({ ci = 4 }), 2)
    assert.equal(1, g.counts.cell_refused_most)
    reset_signalling(g, 3)
    for bvci = 4, 5 do
      assert.equal(bvci - 2, named(reset_cell(g, 10, bvci, id({ ci = bvci }), 4), "bvc_del")[1].bvci)
    end
    reset_cell(g, 10, 6, id({ ci = 6 }), 5)
    assert.equal(2, g.counts.cell_refused_most)
  end)

  it("exchanges the BVCIs of cells, `cells` in 10 s, as their places become free", function()
    local g = up()
    for bvci = 2, 3 do reset_cell(g, 10, bvci, id({ ci = bvci }), 1) end
    local function exchange(now, turn)
      reset_signalling(g, now)
      for bvci = 2, 3 do reset_cell(g, 10, bvci, id({ ci = (bvci + turn) % 2 + 2 }), now) end
      return { g.counts.cell_refused_room or 0, g:cell(200, 2).cell_id.ci, g:cell(200, 3).cell_id.ci }
    end
    assert.same({ 0, 3, 2 }, exchange(2, 1))
    assert.same({ 0, 2, 3 }, exchange(3, 2))
    assert.same({ 2, 2, 3 }, exchange(10 * S + 2, 1))
    assert.same({ 2, 3, 2 }, exchange(10 * S + 3, 1))
  end)

  it("replaces cells though another NSE has done so as often as it may", function()
    local g = up()
    reset(g, 0, { nsei = 201, address = "10.7.0.2", number = 11 })
    unblock(g, 11, 0)
    for nsvc = 10, 11 do
      for bvci = 2, 3 do reset_cell(g, nsvc, bvci, id({ ci = 2 * nsvc + bvci }), 1) end
    end
    for now = 2, 6 do
      reset_cell(g, 10, 0, nil, now)
      for bvci = 2, 3 do reset_cell(g, 10, bvci, id({ ci = 22 + (bvci + now) % 2 }), now) end
    end
    local before = g.counts.cell_refused_room
    assert.is_true(before > 0)
    reset_cell(g, 11, 0, nil, 7)
    for bvci = 4, 5 do reset_cell(g, 11, bvci, id({ ci = 22 + bvci }), 7) end
    assert.same({ before, 4, 5 }, { g.counts.cell_refused_room, g:cell(201, 4).bvci, g:cell(201, 5).bvci })
  end)

  it("takes no identity that the BSS of a listed cell has named", function()
    local g = up()
    for _, pdu in ipairs({ { pdu = "reset", cause = 1, nsei = 101, nsvci = 1800 }, { pdu = "unblock" } }) do
      g:on_pdu(0, wire.ns_encode(pdu), 0)
    end
    reset_cell(g, 0, g.nse_by_nsei[101].bvcs[1].bvci, ID, 1)
    assert.same({}, named(reset_cell(g, 10, 2, ID, 2), "cell_accept"))
    assert.equal(1, g.counts.cell_refused_cell_id_in_use)
  end)

  it("takes no identity of a listed cell, which its BSS has not reset", function()
    local g = rig({ routeing_areas = { { mcc = "001" } } })
    reset(g, 0)
    unblock(g, 10, 0)
    reset_cell(g, 10, 2, g.nse_by_nsei[101].bvcs[1].cell_id, 1)
    assert.same({ 1 }, { g.counts.cell_refused_cell_id_in_use, g.counts.cell_accepted })
  end)

  it("of a listed NSE is answered as ever", function()
    local g = up()
    for _, pdu in ipairs({ { pdu = "reset", cause = 1, nsei = 101, nsvci = 1800 }, { pdu = "unblock" } }) do
      g:on_pdu(0, wire.ns_encode(pdu), 0)
    end
    reset_cell(g, 0, 77, ID, 1)
    assert.is_nil(g:cell(101, 77))
    assert.equal(1, g.counts.bssgp_status_sent_05)
  end)
end)

describe("an accepted NSE that is down", function()
  it("goes after `idle`, within a quarter more, with its cells", function()
    local g = rig()
    local intents = reset(g, 0)
    wait(g, 8 * S - 1, intents)
    assert.is_not_nil(g.nse_by_nsei[200])
    wait(g, 8 * S, {})
    assert.is_nil(g.nse_by_nsei[200])
    assert.equal(1, g.counts.nse_accepted_deleted)
    assert.equal(0, g.accepted.count)
    g = rig()
    wait(g, 0, reset(g, 0))
    unblock(g, 10, 0)
    block(g, 10, 1, 1 * S)
    wait(g, 9 * S - 1, {})
    assert.is_not_nil(g.nse_by_nsei[200])
    wait(g, 10 * S, {})
    assert.is_nil(g.nse_by_nsei[200])
  end)

  it("stays for the last of its mobiles, not for those that went elsewhere", function()
    local function nothing() end
    for _, move in ipairs({ "on_heard", "lose" }) do
      local g = rig()
      wait(g, 0, reset(g, 0))
      unblock(g, 10, 0)
      reset_cell(g, 10, 2, ID, 0)
      local nse = g.nse_by_nsei[200]
      for slot = 1, 2 do g:ms_add(slot, 0xc0000000 + slot, 200, 2) end
      assert.equal(2, nse.mobile_count)
      g:ms_del(1, 1)
      assert.equal(1, nse.mobile_count)
      local other = g.nse_by_nsei[101]
      if move == "lose" then
        g.mobiles:lose_cell({ now = 2, emit = nothing, log = nothing, tell = nothing }, nse.bvcs[1], other.bvcs[1])
      else
        g:on_heard(2, 101, other.bvcs[1].bvci, 2)
      end
      assert.same({ 0, 1 }, { nse.mobile_count, other.mobile_count }, move)
    end
  end)

  it("stays while it has mobiles, and while it is up", function()
    local g = rig()
    wait(g, 0, reset(g, 0))
    unblock(g, 10, 0)
    reset_cell(g, 10, 2, ID, 0)
    wait(g, 20 * S, {})
    assert.is_not_nil(g.nse_by_nsei[200])
    g:ms_add(1, 0xc0000001, 200, 2)
    block(g, 10, 1, 20 * S)
    wait(g, 30 * S, {})
    assert.is_not_nil(g.nse_by_nsei[200])
    wait(g, 30 * S, g:ms_del(1, 30 * S))
    wait(g, 32 * S, {})
    assert.is_nil(g.nse_by_nsei[200])
  end)
end)

describe("an accepted NSE at a restart of control", function()
  it("is made again with its NS-VC and cell, and its records fit", function()
    local g = rig()
    g:nse_again(200, 0)
    g:nsvc_add(200, { nsvci = 1, number = 10, address = "10.7.0.1", udp_port = 23000 }, 0)
    reset(g, 0, { address = "10.7.0.2", nsvci = 2, number = 11 })
    assert.equal(1, g.counts.nse_refused_address)
    g:cell_again(200, 2, ID, 0)
    local records = require "base.records"
    g:adopt("nsvc/10", records.pack({ nsvc = 10, nsvci = 1, nsei = 200, state = "unblocked" }), 0)
    g:adopt("bvc/200/2", records.pack({ nsei = 200, bvci = 2, state = "unblocked" }), 0)
    g:adopted(0)
    assert.not_equal("no", g:state().bvcs[2].usable)
    assert.equal(1, g.accepted.count)
    assert.is_nil(named(reset_cell(g, 10, 2, ID, 1), "cell_accept")[1])
  end)
end)
