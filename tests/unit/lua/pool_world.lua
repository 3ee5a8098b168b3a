-- SPDX-License-Identifier: BSD-3-Clause
-- Several nodes in one virtual time: GMM, SM and GTP-C of each (gmm.phones, gn.sessions), a Gb proxy that finds the
-- node of a TLLI by its NRI, a GGSN, and phones (phone.phones). Messages on Gb and Gn may be lost.
--
--   local w = pool_world.new(settings)   settings: { nodes =, phones =, policy =, sms =, ki =, vector =, is_usim =,
--                                        seed =, random =, pool = (of each node), links = (of acknowledged mode, by
--                                        node; nil: that mode is off), every = (between Echo Requests),
--                                        keeps_creator = (pool_ggsn) }
--   w:order(number, what)                of a phone
--   w:run(ns), w:run_until(is_done)      is_done(list of phones)
--   w.loses(message)                     whether a message is lost; kind "gb" or "gn"
--   w.nodes[i]                           { p =, n =, name =, allows = (the proxy takes new phones there), ... }
--   w:kill(i), w:stop(i), w:start_node(i)   the node forgets all, and begins again, with another restart counter; in
--                                        order: with the same one if it has no context
--   w:call(number)                       a packet from the network for a phone, which is paged and answers; why it does
--                                        not come, nil: it does
--   w:check()                            asserts what holds at any time

local gmm_phones = require "gmm.phones"
local gn_sessions = require "gn.sessions"
local gtpc = require "wire.gtpc"
local phone_phones = require "phone.phones"
local pool_ggsn = require "pool_ggsn"
local wire = require "wire.phone"

local pool_world = {}

local S <const>, MS <const> = 1000000000, 1000000
local NSEI <const>, BVCI <const>, BITS <const>, NULL <const> = 101, 2, 5, 0
local LATEST <const> = 900 * S
local GGSN <const> = "10.0.9.1"
local CELLS <const> = { { mcc = "262", mnc = "42", lac = 0x1234, rac = 5, ci = 1 },
  { mcc = "262", mnc = "42", lac = 0x1234, rac = 6, ci = 2 } }
pool_world.CELLS, pool_world.GGSN, pool_world.S = CELLS, GGSN, S

local TIMERS <const> = { t3312 = 54 * 60 * S, reachable = 240 * S, guard = 30 * S, t3350 = 6 * S, t3360 = 6 * S,
  t3370 = 6 * S, t3322 = 6 * S, t3386 = 8 * S, t3395 = 8 * S, hlr = 6 * S,
  tc1 = 20 * S, tr1n = 40 * S, tr2n = 15 * S }

local World = {}
World.__index = World

local function address_of(i)
  return "10.0.0." .. i
end

local function offload_area(i)
  return { mcc = "262", mnc = "42", lac = 65000, rac = i }
end

local function pool_of(settings, i)
  local pool = { nri_bits = BITS, nris = { 2 * i - 1, 2 * i }, null_nri = NULL, offload_area = offload_area(i),
    address = address_of(i), others = {}, answer = 2 * S, hold = 10 * S, forward = true }
  for j = 1, settings.nodes do
    if j ~= i then
      pool.others[#pool.others + 1] = { address = address_of(j), nris = { 2 * j - 1, 2 * j }, areas = {},
        offload_area = offload_area(j) }
    end
  end
  for key, value in pairs(settings.pool or {}) do pool[key] = value end
  return pool
end

local function config_of(settings, i)
  local all = { policy = settings.policy or "accept_all", imsis = {}, reject_cause = 11, ciphering = { 3, 0 },
    authenticate = "always", half_open = 500, half_open_per_cell = 500, area_checks = true, update_location = "new",
    hlr = { address = "127.0.0.1", port = 4222, name = "SGSN-" .. i }, sms = settings.sms, pool = pool_of(settings, i),
    apns = { { name = "internet", sgsn_address = address_of(i), ggsn_address = GGSN, class = "background", sapi = 3,
      acknowledged = settings.links ~= nil } },
    timers = TIMERS }
  local cells = {}
  for k, id in ipairs(CELLS) do cells[k] = { bvci = BVCI + k - 1, cell_id = id } end
  return { phones = all, mobiles = { list = {} }, nses = { { nsei = NSEI, cells = cells } },
    gn = { path = { every = settings.every, t3 = 3 * S, n3 = 3, echo = "both", on_loss = "keep" },
      gtpc = { retry = 30 * S }, ggsns = {}, addresses = { address_of(i) } }, gb = { address = "10.1.0." .. i } }
end

-- --- an HLR in place of gsup.link: it knows one key, and where each phone is

local Hlr = {}
Hlr.__index = Hlr

function Hlr:ask(run, phone, kind)
  local world = self.world
  if kind == "auth_info" then return run:post(phone.fsm, "hlr_vectors", { tuples = { world.settings.vector } }) end
  local before = world.located[phone.imsi]
  world.located[phone.imsi] = self.node
  if before and before ~= self.node then
    world:later(20 * MS, function() before:cancel(phone.imsi) end)
  end
  run:post(phone.fsm, "hlr_located", {})
end

function Hlr:purge(_, phone)
  if self.world.located[phone.imsi] == self.node then self.world.located[phone.imsi] = nil end
end

function Hlr.forget() end
function Hlr.end_others() end
function Hlr.open() end
function Hlr.is_ready() return true end

-- --- a node, and what control does for it

local Node = {}
Node.__index = Node

local function new_node(world, i)
  local config = config_of(world.settings, i)
  local node = setmetatable({ world = world, number = i, name = "SGSN " .. i, address = address_of(i), allows = true,
    mobiles = 0, phone_of = {}, by_tlli = {}, tllis = {}, ids = {}, sessions = {}, last_id = 0, held = {},
    forwarders = {}, numbers = {}, links = world.settings.links and world.settings.links[i] or 0, received = {},
    forwards = {}, next_teid = i << 24, pool = config.phones.pool, config = config }, Node)
  node.p = gmm_phones.new(config, wire, world.random, function() return false end)
  node.n = gn_sessions.new(config, gtpc, world.counters[i], world.random, function() return true end)
  if world.settings.policy == "hlr" then node.p.hlr = setmetatable({ world = world, node = node }, Hlr) end
  return node
end

function Node:take(intents)
  for _, intent in ipairs(intents) do
    local handle = self[intent.op]
    if handle then handle(self, intent) end
  end
end

function Node:cancel(imsi)
  local phone = self.p.by_imsi[imsi]
  if phone and self.is_up ~= false then
    local run = self.p:open_run(self.world.now)
    run:tell(phone.fsm, "cancelled")
    self:take(self.p:close_run(run))
  end
end

function Node:phone_send(intent)
  local world, number = self.world, self.phone_of[intent.mobile]
  world:send("gb", function()
    if intent.ciphered and world.keys[number] ~= self.key_of[intent.mobile] then return end -- its FCS is wrong
    if world.expects then world.handsets:expects(number, world.expects, world.now) end
    world:take_of_phones(world.handsets:frame(number, intent.ciphered, intent.octets, world.now))
  end)
end

function Node:phone_cipher(intent)
  self.key_of = self.key_of or {}
  self.key_of[intent.mobile] = intent.key
end

function Node:forget_tllis(mobile)
  for tlli, owner in pairs(self.by_tlli) do
    if owner == mobile then self.by_tlli[tlli] = nil end
  end
end

function Node:phone_tlli(intent)
  if not intent.keeps_old then self:forget_tllis(intent.mobile) end
  self.by_tlli[intent.tlli] = intent.mobile
end

function Node:phone_del(intent)
  self:forget_tllis(intent.mobile)
  self.held[intent.mobile] = nil
end

local function key_of(intent) return intent.mobile << 4 | intent.nsapi end

-- The worker's part of acknowledged mode: links, and the N-PDU numbers of each context.
function Node:phone_pdp_llc(intent)
  local key, is_set = key_of(intent), true
  local numbers = self.numbers[key]
  if intent.acknowledged and not numbers then
    is_set, numbers = self.links > 0, { send = 0, receive = 0 }
    self.links = self.links - (is_set and 1 or 0)
  end
  if intent.continued then numbers = { send = intent.send_n_pdu, receive = intent.receive_n_pdu } end
  self.numbers[key] = is_set and intent.acknowledged and numbers or nil
  self.world:later(MS, function()
    self:take(self.p:context_llc(intent.mobile, intent.nsapi, is_set, self.world.now))
  end)
end

function Node:ms_received(intent)
  table.insert(self.received, { intent.nsapi, intent.number, self.held[intent.mobile] or false })
end

local function numbers_of(node, mobile)
  local out = {}
  for nsapi = 5, 15 do
    local numbers = node.numbers[mobile << 4 | nsapi]
    if numbers then out[#out + 1] = { nsapi = nsapi, send = numbers.send, receive = numbers.receive } end
  end
  return out
end

function Node:ms_hold(intent)
  self.held[intent.mobile] = intent.held or nil
  self.world:later(MS, function()
    if self.is_up ~= false and self.world.nodes[self.number] == self then
      self:take(self.p:held(intent.mobile, numbers_of(self, intent.mobile), self.world.now))
    end
  end)
end

-- Of a context that is up, as in control.
function Node:phone_pdp_from(intent)
  local session = self.sessions[self.ids[key_of(intent)] or 0]
  if session and session.is_up then self.forwarders[key_of(intent)] = intent.forwarder end
end

function Node:ms_wanted(intent) self:take(self.p:reached(intent.mobile, self.world.now)) end

local NO_RESOURCES <const> = 199

function Node:phone_pdp_add(intent)
  local linked = intent.linked and self.ids[intent.mobile << 4 | intent.linked]
  if intent.linked and not linked then
    return self:take(self.p:context_down(intent.mobile, intent.nsapi, NO_RESOURCES, self.world.now))
  end
  self.last_id = self.last_id + 1
  self.next_teid = self.next_teid + 1
  local id, imsi = self.last_id, assert(intent.wanted.imsi)
  self.ids[key_of(intent)] = id
  self.sessions[id] = { mobile = intent.mobile, nsapi = intent.nsapi, teid = self.next_teid, imsi = imsi,
    forwarder = intent.forwarder }
  self:take(self.n:add(id, intent.wanted, { teid = self.next_teid, linked = linked, zone = 0 }, self.world.now))
end

function Node:phone_pdp_del(intent)
  local key = key_of(intent)
  local id = self.ids[key]
  self.ids[key], self.forwarders[key] = nil, nil
  self.links, self.numbers[key] = self.links + (self.numbers[key] and 1 or 0), nil
  if not id then return end
  self.sessions[id] = nil
  self:take(intent.moved and self.n:moved(id, self.world.now) or self.n:del(id, self.world.now))
end

function Node:phone_pdp_class(intent)
  local id = self.ids[key_of(intent)]
  if id then self:take(self.n:change(id, intent.class, intent.tft, intent.pco, self.world.now)) end
end

function Node:phone_pdp_modified(intent)
  local id = self.ids[key_of(intent)]
  if id then self:take(self.n:modified(id, intent, self.world.now)) end
end

function Node:phone_pdp_forward(intent)
  local id = self.ids[key_of(intent)]
  if id then self.forwards[id] = { address = intent.ggsn, teid = intent.ggsn_teid } end
end

function Node:gn_sgsn(intent)
  local ids = {}
  for nsapi = 5, 15 do
    local id = self.ids[intent.mobile << 4 | nsapi]
    if id and self.sessions[id] then ids[#ids + 1] = { nsapi = nsapi, id = id } end
  end
  self:take(self.n:sgsn(intent.octets, ids, self.world.now))
end

-- --- what GTP-C says

function Node:gn_send(intent)
  local world = self.world
  world:send("gn", function() world:deliver(intent) end)
end

function Node:up(intent)
  local session = self.sessions[intent.id]
  if not session then return end
  session.is_up, session.ipv4, session.ggsn_teid = true, intent.ipv4, intent.ggsn_teid
  self:take(self.p:context_up(session.mobile, session.nsapi, { ipv4 = intent.ipv4, ipv6 = intent.ipv6,
    pco = intent.pco, class = intent.class, qos = intent.qos }, self.world.now))
end

function Node:class(intent)
  local session = self.sessions[intent.id]
  if not session then return end
  self:take(self.p:context_class(session.mobile, session.nsapi, { class = intent.class, cause = intent.cause or 0,
    qos = intent.qos, pco = intent.pco }, self.world.now))
end

function Node:modify(intent)
  local session = self.sessions[intent.id]
  if session then self:take(self.p:context_modify(session.mobile, session.nsapi, intent, self.world.now)) end
end

function Node:ended(intent)
  local session = self.sessions[intent.id]
  if not session then return end
  local key = session.mobile << 4 | session.nsapi
  self.sessions[intent.id], self.ids[key], self.forwarders[key] = nil, nil, nil
  self:take(self.p:context_down(session.mobile, session.nsapi, intent.cause, self.world.now))
end

function Node:acted(intent) self.world.ended, self.world.said = intent.id, intent.text end

function Node:phone_sgsn(intent) self:take(self.p:sgsn(intent.octets, self.world.now)) end

-- --- uplink

function Node:arrive(intent)
  local world = self.world
  local bvci = BVCI + world:cell_of(intent.phone) - 1
  local mobile = self.by_tlli[intent.tlli] or self.p:admit(intent.tlli, NSEI, bvci, intent.octets, world.now)
  if mobile == -1 then return end
  if mobile == -2 then
    self.mobiles = self.mobiles + 1
    mobile = self.mobiles
    self.by_tlli[intent.tlli] = mobile
    self:take(self.p:add(mobile, intent.tlli, NSEI, bvci, world.now))
  end
  self.phone_of[mobile] = intent.phone
  self:take(self.p:frame(mobile, { tlli = intent.tlli, nsei = NSEI, bvci = bvci }, intent.ciphered, intent.octets,
    world.now))
end

-- --- the GGSN

function World:deliver(intent)
  local to_node
  for _, node in pairs(self.nodes) do
    if node.address == intent.theirs and node.is_up ~= false then to_node = node end
  end
  local way = { ours = intent.theirs, theirs = intent.ours, port = intent.port, is_right_port = true }
  if to_node then return to_node:take(to_node.n:receive(way, intent.octets, self.now)) end
  if intent.theirs ~= GGSN then return end
  local request = assert(gtpc.decode(intent.octets))
  if not request.type:find("_request$") then return end
  local key = intent.ours .. intent.octets
  local answer = self.ggsn.given[key] or self.ggsn:answer(intent.ours, request)
  self.ggsn.given[key] = answer
  answer.type, answer.seq = request.type:gsub("_request", "_response"), request.seq
  local octets = gtpc.encode(answer)
  self:send("gn", function()
    for _, node in pairs(self.nodes) do
      if node.address == intent.ours and node.is_up ~= false then
        node:take(node.n:receive({ ours = intent.ours, theirs = GGSN, port = 2123, is_right_port = true }, octets,
          self.now))
      end
    end
  end)
end

-- --- the proxy

local function nri_of(tlli) return tlli >> 24 - BITS & (1 << BITS) - 1 end

function World:node_of(tlli)
  local allowed = {}
  for _, node in ipairs(self.nodes) do
    for _, nri in ipairs(node.takes or node.pool.nris) do
      if tlli >= 0x80000000 and nri == nri_of(tlli) then return node end
    end
    if node.allows and node.is_up ~= false then allowed[#allowed + 1] = node end
  end
  return allowed[tlli % math.max(#allowed, 1) + 1]
end

-- --- phones

local of_phone = {}

function of_phone.send(w, intent)
  w:send("gb", function()
    local node = w:node_of(intent.tlli)
    if node and node.is_up ~= false then node:arrive(intent) end
  end)
end

function of_phone.cell(w, intent) w.cells[intent.phone] = intent.cell end
function of_phone.cipher(w, intent) w.keys[intent.phone] = intent.key end
function of_phone.up(w, intent) w.addresses[intent.phone] = intent.address end

function of_phone.received(w, intent) w.told_received = intent.n_pdu end

function of_phone.down(w, intent)
  w.addresses[intent.phone] = nil
  w.downs = w.downs + 1
end

function World:take_of_phones(intents)
  for _, intent in ipairs(intents) do
    local handle = of_phone[intent.what]
    if handle then handle(self, intent) end
  end
end

function World:cell_of(number)
  return self.cells[number] or (number - 1) % #CELLS + 1
end

function World:order(number, what)
  self:take_of_phones(self.handsets:order(number, what, self.now))
end

-- --- a packet from the network

-- The session of a tunnel, at the node where it ends.
local function session_of(w, context)
  for _, node in ipairs(w.nodes) do
    for _, session in pairs(node.is_up ~= false and node.address == context.user and node.sessions or {}) do
      if session.is_up and session.teid == context.teid_data then return session, node end
    end
  end
end

function World:call(number)
  local context, handset = self.ggsn:of_address(self.addresses[number]), self.handsets:list()[number]
  if not context or context.imsi ~= handset.imsi then return "the GGSN has no context" end
  local session, node = session_of(self, context)
  if not session or session.ggsn_teid ~= 0x70000000 | context.teid then return "no node has the tunnel" end
  local phone = node.p.by_mobile[session.mobile]
  if not phone or phone.imsi ~= handset.imsi then return "the tunnel is another phone's" end
  local asked_ns = self.now
  self:run(MS)
  self:take_of_phones(self.handsets:page(number, phone.p_tmsi, "", self.now))
  self:run(S)
  if phone.heard_at <= asked_ns then return "the phone does not answer the page" end
end

-- --- time

function World:later(ns, work)
  self.order_of = self.order_of + 1
  local at = self.now + ns
  local i = #self.queue + 1
  while i > 1 and self.queue[i - 1].at > at do i = i - 1 end
  table.insert(self.queue, i, { at = at, work = work })
end

function World:send(kind, work)
  self.sent[kind] = self.sent[kind] + 1
  if self.loses and self.loses(kind) then return end
  self:later(kind == "gb" and 100 * MS or 2 * MS, work)
end

local function earliest(...)
  local found
  for _, at in ipairs({ ... }) do
    if at and (not found or at < found) then found = at end
  end
  return found
end

function World:step(limit)
  local next_at = earliest(limit, self.queue[1] and self.queue[1].at or false, self.handsets:next_at() or false)
  for _, node in ipairs(self.nodes) do
    if node.is_up ~= false then
      next_at = earliest(next_at, node.p:next_at() or false, node.n:next_at() or false)
    end
  end
  self.now = math.max(self.now, next_at)
  while self.queue[1] and self.queue[1].at <= self.now do table.remove(self.queue, 1).work() end
  self:take_of_phones(self.handsets:advance(self.now))
  for _, node in ipairs(self.nodes) do
    if node.is_up ~= false then
      node:take(node.p:advance(self.now))
      node:take(node.n:advance(self.now))
    end
  end
  if self.watch then self.watch(self) end
end

function World:run(ns)
  local limit = self.now + ns
  while self.now < limit do self:step(limit) end
end

function World:run_until(is_done)
  local limit = self.now + LATEST
  while not is_done(self.handsets:list()) and self.now < limit do self:step(limit) end
  return is_done(self.handsets:list())
end

-- --- kills

function World:kill(i)
  self.nodes[i].is_up = false
  self.counters[i] = (self.counters[i] + 1) % 256
end

function World:stop(i)
  local before, is_empty = self.counters[i], self.nodes[i].n:is_empty()
  self:kill(i)
  if is_empty then self.counters[i] = before end
end

function World:start_node(i)
  local allows = self.nodes[i].allows
  self.nodes[i] = new_node(self, i)
  self.nodes[i].allows = allows
end

-- --- what holds at any time

-- A P-TMSI, a TLLI and a tunnel is one phone's in the whole pool; a phone is registered in one node but while it goes
-- from one to another.
function World:check()
  local p_tmsis, registered = {}, {}
  for _, node in ipairs(self.nodes) do
    if node.is_up ~= false then
      for _, phone in pairs(node.p.by_mobile) do
        for _, p_tmsi in ipairs({ phone.p_tmsi or false, phone.p_tmsi_new or false }) do
          local imsi = phone.known or phone.imsi
          assert(not p_tmsi or (p_tmsis[p_tmsi] or imsi) == imsi, ("P-TMSI %08x of two phones"):format(p_tmsi or 0))
          if p_tmsi then p_tmsis[p_tmsi] = imsi end
        end
        local counts = phone.was_registered and phone.fsm.state == "registered" and phone.known
        if counts then registered[counts] = (registered[counts] or 0) + 1 end
      end
    end
  end
  local contexts = {}
  for _, context in pairs(self.ggsn.by_teid) do
    local key = ("%s/%d"):format(context.imsi, context.nsapi)
    contexts[key] = (contexts[key] or 0) + 1
  end
  return registered, contexts
end

function pool_world.new(settings)
  local w = setmetatable({ settings = settings, now = 0, queue = {}, order_of = 0, nodes = {}, cells = {}, keys = {},
    addresses = {}, downs = 0, located = {}, sent = { gb = 0, gn = 0 }, counters = {},
    ggsn = pool_ggsn.new(GGSN, settings.keeps_creator) }, World)
  local seed = settings.seed or 1
  local state = seed
  w.random = settings.random or function(limit)
    state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
    return (state >> 24) % limit + 1
  end
  for i = 1, settings.nodes do
    w.counters[i] = 0
    w.nodes[i] = new_node(w, i)
  end
  local list = {}
  for i = 1, settings.phones do
    list[i] = { imsi = ("26242000000%04d"):format(i), imeisv = "3512345678901230", ki = settings.ki }
  end
  w.handsets = phone_phones.new({ list = list, cells = CELLS, script = {}, rounds = 1, apn = "internet", nsapi = 5,
    is_acknowledged = settings.links ~= nil,
    sapi = 3, is_usim = settings.is_usim, capability = settings.is_usim and "\xe5\xf0" or "\xe5\xe0",
    ra_capability = "\x18\xb3\x43\x2b\x25", attach_gap = S // 10,
    timers = { t3302 = 60 * S, t3310 = 15 * S, t3321 = 15 * S, t3330 = 15 * S, t3380 = 30 * S, t3390 = 8 * S } },
    wire, w.random)
  w:take_of_phones(w.handsets:start(0))
  return w
end

return pool_world
