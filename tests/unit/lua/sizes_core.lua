-- SPDX-License-Identifier: BSD-3-Clause
-- Peers of the phones' side that send elements of any size: GGSNs, SGSNs, an HLR and phones, in worlds of two nodes
-- (pool_world.lua) with GSUP as on the wire. Each message on its way comes with changed copies before it, under its
-- addresses, TEIDs, TLLI and number; and messages are made of the tables, under those of what is there.
--
--   sizes_core.run(protocol, count, tally, seed)   gives so many messages of "ggsn", "sgsn", "gsup", "gmm", "sm", "sms"

local fsm = require "base.fsm"
local gsup = require "wire.gsup"
local gsup_link = require "gsup.link"
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"
local records = require "base.records"
local spec_tools = require "spec_tools"
local wire = require "wire.phone"
local wires = require "sizes_wires"

local sizes_core = {}

local random, octets_of = math.random, spec_tools.octets_of
local S <const>, MS <const> = pool_world.S, 1000000
local GGSN <const>, RAI <const> = pool_world.GGSN, octets_of("62f224123405")
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")
local RAND <const>, SRES <const>, KC <const> = octets_of("07080b1017202b3847586b8097b0cbe8"),
  octets_of("c0c08040"), octets_of("30f0101070309010")
local COPIES <const>, MADE <const>, WORLD <const> = 4, 2, 400 -- of a message, in a step, and in a world

-- --- what is given, and what becomes of it

local Run = {}
Run.__index = Run

-- give(): whether it is answered. is_reached(is_answered): after it, whether the message came to a handler.
function Run:give(name, octets, give, is_reached)
  if self.is_over then return end
  local tally = self.tally
  tally.given, self.left = tally.given + 1, self.left - 1
  self.is_over = self.left <= 0
  self.is_mine, self.has_stepped = true, false
  local is_good, answered = xpcall(give, debug.traceback)
  self.is_mine = false
  if not is_good then return tally:fail(name, octets, answered) end
  local is_handled = is_reached(answered)
  tally[is_handled and "reached" or "refused"] = tally[is_handled and "reached" or "refused"] + 1
  if is_handled then tally.by_name[name] = (tally.by_name[name] or 0) + 1 end
  if answered then tally.answered = tally.answered + 1 end
end

local ANSWERS <const> = { gn_send = true, phone_send = true, hlr_send = true }

local function take(node, intents)
  local is_answered = false
  for _, intent in ipairs(intents) do is_answered = is_answered or ANSWERS[intent.op] or false end
  node:take(intents)
  return is_answered
end

-- --- GTP-C

local STOPPED <const> = { "malformed", "unexpected", "unknown_types", "foreign_requests",
  "unchecked_requests", "rate_limited", "control_errors" }

-- What a handler does without an answer and without an event of a machine.
local DONE <const> = { "rim_received", "other_versions" }

local function sum_of(counts, list)
  local sum = 0
  for _, name in ipairs(list) do sum = sum + (counts[name] or 0) end
  return sum
end

local BETWEEN_FIRST <const>, BETWEEN_LAST <const>, RELAY <const>, GTP_1 <const> = 48, 52, 70, 1

local function protocol_of_gtp(octets)
  local type = octets:byte(2)
  return (type >= BETWEEN_FIRST and type <= BETWEEN_LAST or type == RELAY) and "sgsn" or "ggsn"
end

-- A handler answers, has a machine take an event, or counts what it has done. A message of another version is answered
-- before one.
function Run:give_gtp(node, way, octets)
  local counts = node.n.counts
  local stopped, done = sum_of(counts, STOPPED), sum_of(counts, DONE)
  self:give(("%d"):format(octets:byte(2)), octets, function()
    return take(node, node.n:receive(way, octets, self.world.now))
  end, function(is_answered)
    local is_seen = is_answered or self.has_stepped or sum_of(counts, DONE) > done
    return is_seen and sum_of(counts, STOPPED) == stopped and octets:byte() >> 5 == GTP_1
  end)
end

local function head_of(type, teid, seq)
  return string.char(0x32, type, 0, 0) .. string.pack(">I4I2", teid, seq) .. "\0\0"
end

-- The elements of requests and answers of each type, all there may be; the sizes are changed then.
local function specimens(node, other, session)
  local phone = session and node.p.by_imsi[session.wanted.imsi]
  local p_tmsi = phone and phone.p_tmsi or 0xc0000001
  local own = { teid = session and session.teid_control or 1, nsapi = session and session.wanted.nsapi or 5 }
  local qos, pco = octets_of("1b921f7296404074020000"), octets_of("8080210a0100000a81060a0000018306")
  local between = { rai = RAI, signature = phone and phone.signature or "abc", control = other.address }
  local function with(base, more)
    local out = {}
    for _, list in ipairs({ base, more }) do for key, value in pairs(list) do out[key] = value end end
    return out
  end
  return {
    { type = "echo_request" }, { type = "echo_response", recovery = 3 },
    { type = "version_not_supported" },
    with(own, { type = "update_request", qos = qos, arp = 2, recovery = 3, pco = pco, user_ipv4 = session
      and session.ipv4, pdp_type = "ipv4" }),
    with(own, { type = "delete_request", teardown = false, cause = 8 }),
    with(own, { type = "initiate_request", linked_nsapi = 5, qos = qos, arp = 2, tft = "\x21\x31\1\2\x30\6",
      pco = pco }),
    with(own, { type = "create_request", teid_data = 1, teid_control = 2, control = GGSN, user = GGSN, qos = qos }),
    { type = "pdu_notification_request", imsi = "262420000000001", teid_control = 9, apn = "internet",
      pdp_type = "ipv4", control = GGSN },
    with(own, { type = "initiate_response", cause = 128 }),
    { type = "pdu_notification_response", cause = 128 },
    with(between, { type = "identification_request", p_tmsi = p_tmsi, hop_counter = 3 }),
    with(between, { type = "context_request", tlli = p_tmsi & ~0x40000000, teid_control = 7, rat_type = 2,
      hop_counter = 3, sgsn_number = "49170", imsi = phone and phone.imsi, ms_validated = false }),
    with(between, { type = "context_request", imsi = phone and phone.imsi or "262420000000001", ms_validated = true,
      teid_control = 7 }),
    { type = "ran_information_relay", container = octets_of("71") .. ("\x4c\x87\0"):rep(8),
      routing_address = octets_of("62f22412340500010"):sub(1, 8), discriminator = 0 },
  }
end

local function any_of(list)
  local keys = {}
  for key in pairs(list) do keys[#keys + 1] = key end
  table.sort(keys)
  return #keys > 0 and list[keys[random(#keys)]] or nil
end

-- A request of its own, of a GGSN or of the other SGSN.
function Run:make_gtp()
  local world = self.world
  local number = random(2)
  local node, other = world.nodes[number], world.nodes[3 - number]
  local list = specimens(node, other, any_of(node.n.by_id))
  local message = list[random(#list)]
  world.seq = ((world.seq or 0) + 1) & 0x7fff
  message.teid, message.seq = message.teid or 0, 0x8000 | world.seq
  local good, octets = pcall(gtpc.encode, message)
  if not good then octets = head_of(27, 0, message.seq) end
  if protocol_of_gtp(octets) ~= self.protocol then return end
  local theirs = self.protocol == "sgsn" and other.address or GGSN
  local way = { ours = node.address, theirs = theirs, port = 2123, is_right_port = true }
  self:give_gtp(node, way, wires.gtp.changed(octets))
end

-- --- phones

local LISTS <const> = { [8] = "gmm", [10] = "sm", [9] = "sms" }

local NOT_TAKEN <const> = { "unknown_mobile", "empty", "too_short", "old_frame", "not_ciphered", "other_area",
  "other_protocol", "bad_message", "tlli_of_owner", "tlli_of_another", "sm_too_early", "sms_too_early",
  "request_limit", "sms_ignored" }

local function received(counts)
  local sum = 0
  for name, n in pairs(counts) do
    if name:sub(1, 3) == "rx_" then sum = sum + n end
  end
  return sum
end

function Run:give_l3(node, mobile, intent, octets)
  local counts, from = node.p.counts, { tlli = intent.tlli, nsei = 101, bvci = 2 }
  local before, rx = sum_of(counts, NOT_TAKEN), received(counts)
  local head = wires.l3.head_octets(octets)
  self:give(("%s %02x"):format(LISTS[octets:byte() & 15], octets:byte(head) or 0), octets, function()
    return take(node, node.p:frame(mobile, from, intent.ciphered, octets, self.world.now))
  end, function() return received(counts) > rx and sum_of(counts, NOT_TAKEN) == before end)
end

local ROWS <const> = wires.l3.ROWS
sizes_core.ROWS = ROWS

-- Values that a handler looks up, by the names of elements.
local function known_of(phone)
  return function(name)
    if name == "identity" then
      return random(2) == 1 and phone.imsi and wire.identity_octets("imsi", phone.imsi)
        or wire.identity_octets("tmsi", phone.p_tmsi or 0xc0000001)
    end
    return ({ old_rai = RAI, signature = phone.signature, nsapi = string.char(random(5, 7)),
      sapi = string.char(({ 0, 3, 5, 9, 11 })[random(5)]), qos = octets_of("1b921f"),
      pdp_address = octets_of(random(2) == 1 and "0121" or "01210a0b0001"), linked_ti = "\0", apn = "\8internet",
      tft = octets_of("21310102300" .. "6"), ms_network_capability = "\xe5\xe0" })[name]
  end
end

local function user_data()
  return wires.l3.made_rp(ROWS.rp[random(#ROWS.rp)], nil, random(0, 255))
end

local function head_of_l3(protocol)
  if protocol == "gmm" then return "\8" end
  local ti, flag = random(0, 7), random(0, 1) << 7
  if protocol == "sms" then return string.char(flag | ti << 4 | 9) end
  local head = string.char(flag | ti << 4 | 10)
  return ti == 7 and head .. string.char(0x80 | random(0, 127)) or head
end

function Run:make_l3()
  local world = self.world
  local node = world.nodes[random(2)]
  local phone = any_of(node.p.by_mobile)
  if not phone then return end
  local rows, known = ROWS[self.protocol], known_of(phone)
  local is_clear = random(10) == 1
  local intent = { tlli = phone.tlli, ciphered = phone.key ~= nil and not is_clear }
  local function or_rp(name)
    if name == "user_data" then return user_data() end
    return known(name)
  end
  for _ = 1, random(3) do
    local octets = wires.l3.made(rows[random(#rows)], or_rp, head_of_l3(self.protocol))
    self:give_l3(node, phone.mobile, intent, octets)
    if not node.p.by_mobile[phone.mobile] then return end
  end
end

-- --- the HLR

local GSUP_STREAM <const>, EXTENSION <const>, CCM <const>, ID_GET <const> = 0xee, "\5", 0xfe, "\4\1\8\1\1\1\0"

local function tlv(tag, value) return string.char(tag, #value) .. value end

local function imsi_octets(imsi)
  local padded = #imsi % 2 == 1 and imsi .. "f" or imsi
  return (padded:gsub("(.)(.)", function(low, high) return string.char(tonumber(high .. low, 16)) end))
end

local SIM <const> = tlv(0x20, RAND) .. tlv(0x21, SRES) .. tlv(0x22, KC)
local INFO <const> = tlv(0x05, tlv(0x10, "\1") .. tlv(0x11, "\1\x21") .. tlv(0x12, "\8internet") .. tlv(0x14, "\8\0"))
local DATA <const> = tlv(0x28, "\1") .. INFO .. tlv(0x08, octets_of("9194710000")) .. tlv(0x09, octets_of("919471"))

-- What the HLR answers, by the name of a request; several messages for an update of the location.
local HLR <const> = {
  auth_info_request = function(imsi) return { "\x0a" .. imsi .. tlv(0x03, SIM):rep(3) } end,
  update_location_request = function(imsi) return { "\x10" .. imsi .. DATA, "\6" .. imsi .. tlv(0x09, "\x91\x94") } end,
  purge_request = function(imsi) return { "\x0e" .. imsi .. tlv(0x07, "") } end,
  check_imei_request = function(imsi) return { "\x32" .. imsi .. tlv(0x51, "\0") } end,
  mo_forward_sm_request = function(imsi, message)
    return { "\x26" .. imsi .. tlv(0x40, string.char(message.sm_rp_mr or 0)) }
  end,
  ready_for_sm_request = function(imsi, message)
    return { "\x2e" .. imsi .. tlv(0x40, string.char(message.sm_rp_mr or 0)) }
  end,
}

local function to_node(world, node, stream, octets)
  node:take(node.p:hlr_octets(gsup.ipa(stream, octets), world.now))
end

function Run:give_gsup(node, octets)
  local counts, name = node.p.counts, gsup.NAMES[octets:byte()] or "unknown_type"
  local key = "gsup_" .. name
  local before, bad = counts[key] or 0, counts.gsup_malformed or 0
  self:give(name, octets, function()
    return take(node, node.p:hlr_octets(gsup.ipa(GSUP_STREAM, EXTENSION .. octets), self.world.now))
  end, function() return (counts[key] or 0) > before and (counts.gsup_malformed or 0) == bad end)
end

local TYPES <const> = {}
for type in pairs(gsup.NAMES) do TYPES[#TYPES + 1] = type end
table.sort(TYPES)

local KNOWN_GSUP <const> = { apn = "\8internet", rand = RAND, sres = SRES, kc = KC, cause = "\7", domain = "\1",
  cancel_type = "\0", sm_rp_oa = octets_of("0391947100"), sm_rp_da = octets_of("0162f22400000000f1"),
  sm_rp_ui = octets_of("04038121f30000112233445566770131"), sm_rp_mr = "\7" }

-- About a phone that waits, or is registered, or about none.
function Run:make_gsup()
  local node = self.world.nodes[random(2)]
  local phone = any_of(node.p.by_mobile)
  local imsi = imsi_octets(phone and random(20) > 1 and phone.imsi or "262429999999999")
  for _ = 1, random(3) do
    self:give_gsup(node, wires.gsup.made(TYPES[random(#TYPES)], imsi, function(name) return KNOWN_GSUP[name] end))
  end
end

-- --- a world, whose messages come with changed ones

-- The message itself may be missing behind its copies, of which the last stays in force.
local function is_sent(copies)
  return copies == 0 or random(2) == 1
end

local function with_hlr(run, world, node)
  node.p.hlr = gsup_link.new(node.config.phones, node.p)
  function node.hlr_open(self)
    world:later(MS, function()
      self:take(self.p:hlr_up(world.now))
      to_node(world, self, CCM, ID_GET)
    end)
  end
  function node.hlr_send(self, intent)
    local stream, octets = gsup.ipa_split(intent.octets, 1)
    if stream == CCM then return end
    local message = gsup.decode(octets:sub(2))
    local answer = message and HLR[message.message]
    if not answer then return end
    for _, octets_back in ipairs(answer(tlv(1, imsi_octets(message.imsi)), message)) do
      world:later(MS, function()
        local copies = run.protocol == "gsup" and random(0, COPIES) or 0
        for _ = 1, copies do run:give_gsup(self, wires.gsup.changed(octets_back)) end
        if is_sent(copies) then to_node(world, self, GSUP_STREAM, EXTENSION .. octets_back) end
      end)
    end
  end
  node:take(node.p:start(world.now))
end

local SETTINGS <const> = {
  { nodes = 2, phones = 4 },
  { nodes = 2, phones = 3, links = { 8, 8 } },
  { nodes = 2, phones = 3, policy = "hlr", ki = KI },
  { nodes = 2, phones = 3, policy = "hlr", ki = KI, links = { 8, 8 } },
}

-- An answer is awaited once, and requests are made, too.
local function copies_of(octets)
  return octets:byte(2) % 2 == 1 and COPIES // 2 or random(0, 1)
end

local function hook_gtp(run, world)
  local deliver = world.deliver
  function world:deliver(intent)
    if not run.is_over and protocol_of_gtp(intent.octets) == run.protocol then
      for _, node in ipairs(self.nodes) do
        if node.address == intent.theirs then
          local way = { ours = intent.theirs, theirs = intent.ours, port = intent.port, is_right_port = true }
          for _ = 1, copies_of(intent.octets) do run:give_gtp(node, way, wires.gtp.changed(intent.octets)) end
        end
      end
    end
    deliver(self, intent)
  end
end

-- The GGSN's answers do not come by deliver().
local function hook_ggsn(run, node)
  local n = node.n
  local receive = getmetatable(n).__index.receive
  function n.receive(self, way, octets, now)
    if not run.is_mine and not run.is_over and run.protocol == "ggsn" and way.theirs == GGSN then
      for _ = 1, copies_of(octets) do run:give_gtp(node, way, wires.gtp.changed(octets)) end
    end
    return receive(self, way, octets, now)
  end
end

local function hook_phone(run, node)
  local arrive = node.arrive
  function node.arrive(self, intent)
    local mobile = self.by_tlli[intent.tlli]
    local is_mine = LISTS[intent.octets:byte() & 15] == run.protocol
    local copies = is_mine and mobile and random(0, COPIES) or 0
    for _ = 1, copies do
      if not self.p.by_mobile[mobile] then break end
      run:give_l3(self, mobile, intent, wires.l3.changed(intent.octets))
    end
    if is_sent(copies) then arrive(self, intent) end
  end
end

-- An error that gn.request and gn.sgsns contain: a value that was taken has no place in a message. Without the name of
-- the session.
local function without_name(text) return (text:gsub("^%S+: ", "")) end

local function new_world(run, seed)
  local settings = {}
  for key, value in pairs(SETTINGS[seed % #SETTINGS + 1]) do settings[key] = value end
  settings.seed, settings.every = seed, 2 * S
  local needs_hlr = run.protocol == "gsup" or run.protocol == "sms"
  if needs_hlr then settings.policy, settings.ki, settings.sms = "hlr", KI, "hlr" end
  local world = pool_world.new(settings)
  run.world = world
  for _, node in ipairs(world.nodes) do
    if settings.policy == "hlr" then with_hlr(run, world, node) end
    hook_phone(run, node)
    hook_ggsn(run, node)
    function node.acted() end
    function node.log(_, intent)
      if intent.text:find("cannot be made", 1, true) then run.tally:fail("later", "", without_name(intent.text)) end
    end
  end
  hook_gtp(run, world)
  return world
end

local ORDERS <const> = { "update", "move", "move", "update", "deactivate", "activate", "detach", "attach", "power_off" }
local MAKES <const> = { ggsn = "make_gtp", sgsn = "make_gtp", gsup = "make_gsup", gmm = "make_l3", sm = "make_l3",
  sms = "make_l3" }

-- The proxy gives phones of one node to the other, or back.
local function hand_over(world)
  local from = random(2)
  world.nodes[from].takes, world.nodes[3 - from].takes = {}, { 1, 2, 3, 4 }
end

local function step(run, world)
  local good, text = xpcall(function()
    if random(4) == 1 then hand_over(world) end
    for number = 1, #world.handsets:list() do
      if random(2) == 1 then world:order(number, ORDERS[random(#ORDERS)]) end
    end
    world:run(random(5) == 1 and 10 * S or random(3) * S // 4)
  end, debug.traceback)
  if not good then run.tally:fail("later", "", text) end
  for _ = 1, MADE do run[MAKES[run.protocol]](run) end
end

function sizes_core.run(protocol, count, tally, seed)
  math.randomseed(seed)
  records.is_on = true
  local run = setmetatable({ protocol = protocol, left = count, tally = tally }, Run)
  fsm.trace = { step = function() run.has_stepped = true end, close = function() end, message = function() end }
  while not run.is_over do
    local world, given = new_world(run, seed), tally.given
    seed = seed + 1
    world:run(3 * S)
    local steps = 0
    while not run.is_over and tally.given - given < WORLD and steps < WORLD do
      step(run, world)
      steps = steps + 1
    end
  end
  records.is_on, fsm.trace = nil, nil
end

return sizes_core
