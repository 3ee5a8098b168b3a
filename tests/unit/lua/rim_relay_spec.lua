-- SPDX-License-Identifier: BSD-3-Clause
-- RAN information between BSSs of two SGSNs: over Gb (gb.plane) and GTP-C (gn.sessions) of both nodes.
local gb = require "gb.plane"
local gb_player = require "gb_player"
local gb_text = require "gb_text"
local gn_sessions = require "gn.sessions"
local gtpc = require "wire.gtpc"
local wire = require "gbflow_wire"

local MS <const> = 1000000
local HERE <const>, THERE <const>, NOWHERE <const> = "00f110334f0051e0", "00f110335f0751e0", "00f110337f0951e0"
local ENODEB <const> = "00f1100a0b00f110012345" -- TAI, global eNB identity
local ABROAD <const> = { mcc = "310", mnc = "410" }
local CONTAINER <const> = "4b81014c8400000001"

local function element(tag, hex)
  return ("%s%02x%s"):format(tag, 0x80 | #hex // 2, hex)
end

local function pdu(type, to, from)
  return gb_text.octets(type .. element("54", to) .. element("54", from) .. element("58", CONTAINER))
end

-- A node with one cell, whose NS-VC and cell are up, and its GTP-C.
local World = {}
World.__index = World

local function plane_of(lac, rac)
  local config = gb_player.node_of(101, 1800, 1234)
  config.nses[1].cells[1].cell_id.lac, config.nses[1].cells[1].cell_id.rac = lac, rac
  config.phones = { pool = {} }
  return gb.new(config, wire)
end

local function gn_of(i, others)
  local address = "10.0.0." .. i
  return gn_sessions.new({ gn = { path = { t3 = 3, n3 = 3, echo = "both", on_loss = "keep" }, gtpc = { retry = 30 },
    ggsns = {}, addresses = {} }, phones = { pool = { address = address, nri_bits = 0, nris = {}, others = others,
      answer = 2 } } }, gtpc, 0, function() return 1 end, function() return true end)
end

local function new_world()
  local area = { mcc = "001", mnc = "01", lac = 0x335f }
  local w = setmetatable({ nodes = {}, now = 0, sent = {}, lost = {} }, World)
  w.nodes[1] = { plane = plane_of(0x334f, 0), gn = gn_of(1, { { address = "10.0.0.2", nris = {}, areas = { area } },
    { address = "10.0.0.8", nris = {}, areas = { ABROAD } },
    { address = "10.0.0.7", nris = {}, areas = { ABROAD }, eutran = true },
    { address = "10.0.0.9", nris = {}, areas = {}, eutran = true } }) }
  w.nodes[2] = { plane = plane_of(0x335f, 7), gn = gn_of(2, { { address = "10.0.0.1", nris = {},
    areas = { { lac = 0x334f } } } }) }
  for i, node in ipairs(w.nodes) do
    node.address = "10.0.0." .. i
    w:take(node, node.plane:start(0))
    local cell = i == 1 and "001-01-13135-0-20960" or "001-01-13151-7-20960"
    for _, line in ipairs({ "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
      "0 [0] bvc_reset bvci=0 cause=8", "0 [0] bvc_reset bvci=1234 cause=8 cell_id=" .. cell }) do
      w:receive(i, line)
    end
  end
  w.sent = {}
  return w
end

function World:take(node, intents)
  for _, intent in ipairs(intents) do
    if intent.op == "send" and self.sent then
      local ns = wire.ns_decode(intent.octets)
      local found = ns.sdu and wire.bssgp_decode(ns.sdu, "sgsn", ns.bvci)
      if found and found.rim_container then
        self.sent[#self.sent + 1] = { node = node, pdu = found, octets = ns.sdu }
      end
    elseif intent.op == "gn_rim" then
      self:take(node, node.gn:rim(intent.octets, intent.routing, self.now))
    elseif intent.op == "gb_rim" then
      self:take(node, node.plane:on_rim(intent.octets, intent.returned, self.now))
    elseif intent.op == "gn_send" then
      self:deliver(intent)
    end
  end
end

function World:deliver(intent)
  for _, node in ipairs(self.nodes) do
    if node.address == intent.theirs then
      local way = { ours = intent.theirs, theirs = intent.ours, port = 2123 }
      return self:take(node, node.gn:receive(way, intent.octets, self.now))
    end
  end
  self.lost[#self.lost + 1] = { theirs = intent.theirs, message = gtpc.decode(intent.octets) }
end

function World:receive(i, line)
  local rx = gb_text.parse_received(wire, line)
  self:take(self.nodes[i], self.nodes[i].plane:on_pdu(rx.nsvc, rx.octets, self.now))
end

function World:from_bss(i, octets)
  self.now = self.now + MS
  self:receive(i, "0 [0] #" .. gb_text.hex(octets))
end

describe("RAN information", function()
  it("goes unchanged to the BSS of another SGSN's cell", function()
    local w = new_world()
    for _, type in ipairs({ "70", "71", "72", "74" }) do
      local tags = { ["70"] = "58", ["71"] = "57", ["72"] = "5a", ["74"] = "59" }
      local octets = gb_text.octets(type .. element("54", "00" .. THERE) .. element("54", "00" .. HERE)
        .. element(tags[type], CONTAINER))
      w.sent = {}
      w:from_bss(1, octets)
      assert.equal(1, #w.sent)
      assert.equal(w.nodes[2], w.sent[1].node)
      assert.equal(gb_text.hex(octets), gb_text.hex(w.sent[1].octets))
    end
    assert.same({ 4, 4, 0 }, { w.nodes[1].gn.counts.rim_sent, w.nodes[2].gn.counts.rim_received,
      w.nodes[2].gn.counts.rim_sent })
  end)

  it("for an eNodeB goes to the MME", function()
    local w = new_world()
    w:from_bss(1, pdu("70", "02" .. ENODEB, "00" .. HERE))
    local relay = w.lost[1]
    assert.same({ "10.0.0.9", "ran_information_relay", 2, ENODEB }, { relay.theirs, relay.message.type,
      relay.message.discriminator, gb_text.hex(relay.message.routing_address) })
    assert.equal(gb_text.hex(pdu("70", "02" .. ENODEB, "00" .. HERE)), gb_text.hex(relay.message.container))
  end)

  it("goes to the SGSN or MME of its network, also of one with an MNC of three digits", function()
    local w = new_world()
    w:from_bss(1, pdu("70", "00130014335f0751e0", "00" .. HERE))
    w:from_bss(1, pdu("70", "021300140a0b130014012345", "00" .. HERE))
    w:from_bss(1, pdu("70", "02" .. ENODEB, "00" .. HERE))
    local theirs, numbers = {}, {}
    for i, relay in ipairs(w.lost) do theirs[i], numbers[i] = relay.theirs, relay.message.seq end
    assert.same({ "10.0.0.8", "10.0.0.7", "10.0.0.9" }, theirs)
    assert.same({ 0, 1, 2 }, numbers) -- each has a sequence number of its own
  end)

  for what, to in pairs({ ["for a cell of no SGSN"] = "00" .. NOWHERE, ["for half a cell"] = "0000f110335f",
    ["for half an eNodeB"] = "0200f110" }) do
    it(what .. " comes back as an error", function()
      local w = new_world()
      w:from_bss(1, pdu("70", to, "00" .. HERE))
      assert.equal(1, #w.sent)
      assert.same({ w.nodes[1], "ran_information_error" }, { w.sent[1].node, w.sent[1].pdu.pdu })
      assert.equal("00" .. HERE, gb_text.hex(w.sent[1].pdu.rim_destination))
      assert.equal(1, w.nodes[1].plane.counts.rim_unknown_destination)
    end)
  end

  it("for a cell that the other SGSN does not have comes back from there", function()
    local w = new_world()
    w:from_bss(1, pdu("70", "00" .. "00f110335f0800aa", "00" .. HERE))
    assert.same({ 1, w.nodes[1], "ran_information_error" }, { #w.sent, w.sent[1].node, w.sent[1].pdu.pdu })
    assert.equal(1, w.nodes[2].plane.counts.rim_unknown_destination)
  end)

  it("of strangers, of no use, or too much of it is dropped and counted", function()
    local w = new_world()
    local node = w.nodes[2]
    local function relay(theirs, container)
      local octets = container and gtpc.encode({ type = "ran_information_relay", teid = 0, seq = 1,
        container = container }) or gb_text.octets("324600040000000000010000")
      w:take(node, node.gn:receive({ ours = node.address, theirs = theirs, port = 2123 }, octets, w.now))
    end
    relay("10.0.0.77", pdu("70", "00" .. THERE, "00" .. HERE))
    assert.same({ 0, 1 }, { #w.sent, node.gn.counts.foreign_requests })
    relay("10.0.0.1", nil) -- without its container
    assert.same({ 0, 2 }, { #w.sent, node.gn.counts.foreign_requests })
    relay("10.0.0.1", "\x99nonsense")
    assert.same({ 0, 1 }, { #w.sent, node.plane.counts.rim_malformed })
    for _ = 1, 60 do relay("10.0.0.1", pdu("70", "00" .. THERE, "00" .. HERE)) end
    assert.same({ 49, 11 }, { #w.sent, node.gn.counts.rate_limited })
    for count = 50, 52 do -- and there is room for one more after a fiftieth of a second
      w.now = w.now + 20 * MS
      for _ = 1, 2 do relay("10.0.0.1", pdu("70", "00" .. THERE, "00" .. HERE)) end
      assert.equal(count, #w.sent)
    end
  end)
end)
