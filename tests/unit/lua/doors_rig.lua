-- SPDX-License-Identifier: BSD-3-Clause
-- Doors by which a phone, or a context of one, comes to be served, in a world of one node or two (pool_world.lua), with
-- the node's own link to an HLR that speaks GSUP.
--
--   local door = rig.doors.NAME(settings)     a phone goes through that door of the judged node. settings: { set =
--                                    (settings of `phones` in force there), free = (settings of all nodes before
--                                    that), hlr = (what that HLR says, below), before(door): last of all,
--                                    lied(message): alters what another SGSN tells, is_usim =, capability = (of the
--                                    phone), is_unsigned = (it has no P-TMSI signature of its MME) }
--   door                             { w =, node = (that is judged), phone = (the handset), mobile() =, other = (the
--                                    node that the phone comes from) }
--   door:count(name)                 of gmm.phones, since the rule is in force
--   rig.say(door, message)           the phone sends that message, ciphered if it has a key
--   rig.restart(door)                control of the judged node restarts
--   rig.left(settings)               no door: the phone has gone from the judged node, which keeps it for settings.hold
--
-- hlr: { apns = names, nil: no list, qos = (octets, of each), refuses = cause of each location update, refuses_imei =,
-- is_away = }.

local abqp = require "gb.abqp"
local gmm_phones = require "gmm.phones"
local gsup = require "wire.gsup"
local gsup_link = require "gsup.link"
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"
local records = require "base.records"
local tables = require "base.tables"
local wire = require "wire.phone"

local octets_of = require("spec_tools").octets_of

local rig = { doors = {}, IMSI = "262420000000001", MME = "10.0.7.7" }

local S <const>, MS <const>, NSEI <const>, BVCI <const> = pool_world.S, 1000000, 101, 2
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")
-- Of the XOR test algorithm with that key (TS 34.108 clause 8.1.2.1).
rig.VECTOR = { rand = octets_of("07080b1017202b3847586b8097b0cbe8"), sres = octets_of("c0c08040"),
  kc = octets_of("30f0101070309010"), autn = octets_of("1301117b47d58000071b3d456bbfad3f"),
  res = octets_of("0709091313252d3f4f51618b9bbdc5e7"), ck = octets_of("09091313252d3f4f51618b9bbdc5e707"),
  ik = octets_of("091313252d3f4f51618b9bbdc5e70709") }
local CCM <const>, OSMO <const>, ID_GET <const>, ID_ACK <const> = 0xfe, 0xee, "\4\1\8\1\1\1\0", "\6"
local MAPPED_RAI <const>, MAPPED_TLLI <const> = "\x62\xf2\x24\x42\x42\x05", 0x84053412

-- --- an HLR

local function element(tag, octets)
  return string.char(tag, #octets) .. octets
end

local function vector_octets(vector)
  local out = ""
  for tag, name in pairs({ [0x20] = "rand", [0x21] = "sres", [0x22] = "kc", [0x23] = "ik", [0x24] = "ck",
    [0x25] = "autn", [0x27] = "res" }) do
    if vector[name] then out = out .. element(tag, vector[name]) end
  end
  return element(3, out)
end

local function infos_of(hlr)
  local out = ""
  for i, name in ipairs(hlr.apns or {}) do
    out = out .. element(5, element(0x10, string.char(i)) .. element(0x12, string.pack("s1", name))
      .. element(0x13, hlr.qos or ""))
  end
  return out
end

local Hlr = {}
Hlr.__index = Hlr

local answers = {}

function answers.auth_info_request(hlr)
  return { { "auth_info_result", vector_octets(hlr.vector) } }
end

function answers.update_location_request(hlr)
  if hlr.refuses then return { { "update_location_error", element(2, string.char(hlr.refuses)) } } end
  return { { "insert_data_request", infos_of(hlr) }, { "update_location_result", "" } }
end

function answers.check_imei_request(hlr)
  return { { "check_imei_result", element(0x51, hlr.refuses_imei and "\1" or "\0") } }
end

-- To a node, from here on.
function Hlr:tell(node, name, more)
  node:take(node.p:hlr_octets(gsup.ipa(OSMO, "\5" .. gsup.encode({ message = name, imsi = rig.IMSI }) .. more),
    self.w.now))
end

function Hlr:receive(node, octets)
  local stream, message = gsup.ipa_split(octets, 1)
  local asked = stream == OSMO and gsup.decode(message:sub(2))
  local answer = asked and answers[asked.message]
  if not answer then return end
  self.asked[asked.message] = (self.asked[asked.message] or 0) + 1
  if self.is_away then return end
  self.w:later(MS, function()
    for _, one in ipairs(answer(self)) do self:tell(node, one[1], one[2]) end
  end)
end

-- What it says of the subscriber now, without a question.
function Hlr:insert(node)
  self:tell(node, "insert_data_request", infos_of(self))
end

local function connect(w, node)
  node.p.hlr = gsup_link.new(node.config.phones, node.p)
  function node:hlr_open()
    w:later(0, function()
      self:take(self.p:hlr_up(w.now))
      self:take(self.p:hlr_octets(gsup.ipa(CCM, ID_GET) .. gsup.ipa(CCM, ID_ACK), w.now))
    end)
  end
  function node:hlr_send(intent) w.hlr:receive(self, intent.octets) end
  node:take(node.p:start(w.now))
end

-- --- a world

local Door = {}
Door.__index = Door

function Door:count(name)
  return (self.node.p.counts[name] or 0) - (self.before_counts[name] or 0)
end

-- The machine's phone, nil: the node has none that is registered, or is to be.
function Door:mobile()
  return self.node.p.by_imsi[rig.IMSI]
end

function Door:context()
  local phone = self:mobile()
  return phone and phone.contexts[5]
end

-- The contexts of the phone at the GGSN.
function Door:at_ggsn()
  local count = 0
  for _, context in pairs(self.w.ggsn.by_teid) do count = count + (context.imsi == rig.IMSI and 1 or 0) end
  return count
end

-- Each node has an address of its own at the GGSN.
local function give(node, changes)
  for key, value in pairs(changes or {}) do node.config.phones[key] = value end
  local apns = {}
  for i, apn in ipairs(node.config.phones.apns) do
    apns[i] = tables.copy(apn)
    apns[i].sgsn_address = node.address
  end
  node.config.phones.apns = apns
end

local function set(node, w, changes)
  give(node, changes)
  node:take(node.p:configure(node.config.phones, w.now))
end

local FREE <const> = { policy = "hlr", ciphering = { 0 }, authenticate = "always", check_imei = false }

local function open(settings, nodes, pool)
  records.is_on = true
  local w = pool_world.new({ nodes = nodes, phones = 1, ki = KI, is_usim = settings.is_usim, pool = pool })
  w.hlr = setmetatable({ w = w, asked = {}, vector = settings.is_usim and rig.VECTOR
    or { rand = rig.VECTOR.rand, sres = rig.VECTOR.sres, kc = rig.VECTOR.kc } }, Hlr)
  w.handsets.settings.capability = settings.capability or w.handsets.settings.capability
  for _, node in ipairs(w.nodes) do
    node.kept = {}
    function node:keep(intent) self.kept[intent.key] = intent.octets end
    node.config.phones.sms = "refuse"
    give(node, FREE)
    give(node, settings.free)
    node:take(node.p:configure(node.config.phones, 0))
    connect(w, node)
  end
  return setmetatable({ w = w, phone = w.handsets.list_of[1], settings = settings }, Door)
end

local function is_active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

-- The rule is in force at a node from now on.
local function judge(door, node)
  local settings = door.settings
  door.node = node
  for key, value in pairs(settings.hlr or {}) do door.w.hlr[key] = value end
  set(node, door.w, settings.set)
  door.before_counts = {}
  for name, value in pairs(node.p.counts) do door.before_counts[name] = value end
  if settings.before then settings.before(door) end
  return door
end

-- One node, which has the phone, if `is_there`.
local function alone(settings, is_there)
  local door = open(settings, 1)
  if is_there then assert(door.w:run_until(is_active)) end
  return judge(door, door.w.nodes[1])
end

local function to_proxy(w, node)
  for _, each in ipairs(w.nodes) do each.takes = each == node and { 1, 2, 3, 4 } or {} end
end

-- Two nodes; the phone is in `other`.
local function two(settings)
  local door = open(settings, 2)
  local w = door.w
  assert(w:run_until(is_active))
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  door.other = w.nodes[from]
  local deliver = w.deliver
  function w:deliver(intent)
    local message = gtpc.decode(intent.octets)
    if settings.lied and (message.type == "context_response" or message.type == "identification_response") then
      settings.lied(message)
      local other = {}
      for key, value in pairs(intent) do other[key] = value end
      other.octets = gtpc.encode(message)
      intent = other
    end
    return deliver(self, intent)
  end
  return judge(door, w.nodes[3 - from])
end

-- --- doors

function rig.doors.attach(settings)
  local door = alone(settings, false)
  door.w:run(10 * S)
  return door
end

-- An attach with a P-TMSI of another SGSN, which tells the IMSI.
function rig.doors.identified(settings)
  local door = two(settings)
  local w = door.w
  w.loses = function() return true end
  w:order(1, "power_off")
  w.loses = nil
  to_proxy(w, door.node)
  w:order(1, "attach")
  w:run(10 * S)
  return door
end

function rig.doors.update(settings)
  local door = alone(settings, true)
  door.w:order(1, "update")
  door.w:run(10 * S)
  return door
end

function rig.doors.from_sgsn(settings)
  local door = two(settings)
  to_proxy(door.w, door.node)
  door.w:order(1, "move")
  door.w:run(10 * S)
  return door
end

-- The other node is emptied for an upgrade.
function rig.doors.offload(settings)
  local door = two(settings)
  local w, other = door.w, door.other
  other.allows = false
  other:take(other.p:act({ verb = "offload", now = "yes" }, 1, w.now))
  w:run(10 * S)
  return door
end

-- The phone was taken over by the other node, has not heard of that, and comes back.
function rig.doors.back(settings)
  local door = open(settings, 2, { hold = 60 * S })
  local w = door.w
  assert(w:run_until(is_active))
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  local node, other = w.nodes[from], w.nodes[3 - from]
  local send = other.phone_send
  function other:phone_send(intent)
    if (self.p.counts.sgsn_arrived or 0) == 0 then return send(self, intent) end
  end
  to_proxy(w, other)
  w:order(1, "move")
  w:run(S)
  assert(node.p:list()[1].state == "forwarding")
  judge(door, node)
  to_proxy(w, node)
  w:order(1, "move")
  w:run(20 * S)
  return door
end

-- The phone is with the other node, which has taken it over.
function rig.left(settings)
  local door = open(settings, 2, { hold = settings.hold })
  local w = door.w
  assert(w:run_until(is_active))
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  door.other = w.nodes[3 - from]
  to_proxy(w, door.other)
  w:order(1, "move")
  w:run(S)
  assert(w.nodes[from].p:list()[1].state == "forwarding")
  return judge(door, w.nodes[from])
end

local QOS <const> = abqp.of_class("background")

local function context_of_mme(changes)
  local context = { nsapi = 5, sapi = 3, is_active = true, arp = 2, qos_subscribed = QOS, qos_requested = QOS,
    qos_negotiated = QOS, sequence_down = 0, sequence_up = 0, send_n_pdu = 0, receive_n_pdu = 0, teid_control = 1,
    teid_data = 0x70000001, control = pool_world.GGSN, user = pool_world.GGSN, context_id = 0, pdp_type = "ipv4",
    ipv4 = "10.11.0.1", apn = "internet.mnc042.mcc262.gprs", ti = 8 }
  for key, value in pairs(changes or {}) do context[key] = value end
  return context
end

local function answer_of_mme(asked, settings)
  local keys = ("\17"):rep(16)
  local answer = { type = "context_response", teid = asked.teid_control, seq = asked.seq, cause = 128, imsi = rig.IMSI,
    teid_control = 0x77, control = rig.MME, contexts = { context_of_mme() },
    mm = { mode = 2, cksn = 0, cipher = 0, ck = keys, ik = keys, quintuplets = {}, drx = "\0\0",
      capability = "\xe5\xe0" } }
  if settings.lied then settings.lied(answer) end
  return answer
end

-- A phone that comes from LTE: old RAI, P-TMSI and signature are mapped from its GUTI (23.003 §2.8.2), and it has no
-- key of GPRS.
function rig.doors.from_mme(settings)
  local door = open(settings, 1, { others = { { address = rig.MME, nris = {}, eutran = true,
    areas = { { mcc = "262", mnc = "42", lac = 0x4242 } } } } })
  local w, handset = door.w, door.phone
  assert(w:run_until(is_active))
  w:order(1, "power_off")
  w:run(15 * S)
  judge(door, w.nodes[1])
  local deliver = w.deliver
  function w:deliver(intent)
    local asked = intent.theirs == rig.MME and gtpc.decode(intent.octets)
    if not asked then return deliver(self, intent) end
    door.told_mme = asked.type == "context_acknowledge" and asked.cause or door.told_mme
    if asked.type ~= "context_request" then return end
    door.node:take(door.node.n:receive({ ours = door.node.address, theirs = rig.MME, port = 2123,
      is_right_port = true }, gtpc.encode(answer_of_mme(asked, settings)), self.now))
  end
  w.ggsn.by_teid = { { imsi = rig.IMSI, nsapi = 5, ipv4 = "10.11.0.1", teid = 1 } }
  handset.rai, handset.p_tmsi, handset.signature, handset.cksn = MAPPED_RAI, MAPPED_TLLI | 0x40000000,
    not settings.is_unsigned and "\1\2\3" or nil, nil
  handset.address, handset.fsm.state, handset.session.state = "10.11.0.1", "registered", "active"
  handset.tlli = MAPPED_TLLI
  w:order(1, "update")
  w:run(10 * S)
  return door
end

function rig.restart(door)
  local w, node = door.w, door.node
  local before = node.p
  local p = gmm_phones.new(node.config, wire, w.random, before.policy.is_listed)
  local kept = node.kept
  node.p, node.kept = p, {}
  for key, octets in pairs(kept) do
    if octets and (key:find("^phone/") or key:find("^apn/")) then node:take(p:adopt(key, octets, w.now)) end
  end
  node:take(p:adopted(w.now))
  connect(w, node)
  w:run(S)
end

-- Control restarts, with the rule in force; then the phone updates.
function rig.doors.restart(settings)
  local door = alone(settings, true)
  rig.restart(door)
  door.before_counts = {}
  door.w:order(1, "update")
  door.w:run(10 * S)
  return door
end

-- The rule is in force from now on, and the phone sends nothing.
function rig.doors.reload(settings)
  local door = alone(settings, true)
  door.w:run(10 * S)
  return door
end

-- --- doors of contexts, of a phone that is there

-- The phone activates its context while the rule is in force.
function rig.doors.activation(settings)
  local door = alone(settings, true)
  door.w:order(1, "deactivate")
  door.w:run(3 * S)
  door.w:order(1, "activate")
  door.w:run(10 * S)
  return door
end

local FILTER <const> = octets_of("21010503500050")

function rig.doors.secondary(settings)
  local door = alone(settings, true)
  rig.say(door, { message = "secondary_request", ti = 1, ti_flag = 0, nsapi = 6, sapi = 3,
    qos = abqp.of_class("thp1"), linked_ti = "\0", tft = FILTER }, settings.bvci)
  return door
end

function rig.doors.modification(settings)
  local door = alone(settings, true)
  rig.say(door, { message = "modify_request", ti = 0, ti_flag = 0, qos = abqp.of_class("thp1") }, settings.bvci)
  return door
end

-- The context comes with the phone from another SGSN, which has given it more.
function rig.doors.arrival(settings)
  local lied = settings.lied
  return rig.doors.from_sgsn(setmetatable({ lied = function(message)
    message.contexts[1].qos_negotiated = abqp.of_class("thp1")
    if lied then lied(message) end
  end }, { __index = settings }))
end

-- The GGSN raises the class of the context.
function rig.doors.ggsn_update(settings)
  local door = alone(settings, true)
  local w, node = door.w, door.node
  local _, session = next(node.n.by_id)
  node:take(node.n:receive({ ours = node.address, theirs = pool_world.GGSN, port = 2123, is_right_port = true },
    gtpc.encode({ type = "update_request", seq = 78, teid = session.teid_control, nsapi = 5, arp = 2,
      qos = abqp.of_class("thp1") }), w.now))
  w:run(S)
  return door
end

-- The HLR changes the data of the subscriber (Insert Subscriber Data).
function rig.doors.hlr_data(settings)
  local door = alone(settings, true)
  door.w.hlr:insert(door.node)
  door.w:run(5 * S)
  return door
end

-- bvci: of another cell, nil: that of the phone.
function rig.say(door, message, bvci)
  local encode = message.ti and wire.sm_encode or wire.gmm_encode
  local handset = door.phone
  local key = door.w.keys[1]
  local mobile = door:mobile().mobile
  door.node:take(door.node.p:frame(mobile, { tlli = handset.tlli, nsei = NSEI, bvci = bvci or BVCI }, key ~= nil,
    encode(message), door.w.now))
  door.w:run(S)
end

return rig
