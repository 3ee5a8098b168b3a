-- SPDX-License-Identifier: BSD-3-Clause
-- GTPv1-C towards GGSNs (29.060), as the SGSN: PDP contexts created, updated and deleted at GGSNs, their paths, and the
-- restart counters of both ends.
--
--   local n = gn_sessions.new(config, wire, recovery, random, may_answer)   the checked configuration, the codec, our
--                               restart counter; random(limit): an integer in 1 .. limit that peers cannot predict;
--                               may_answer(theirs, now, is_proven): charges an answer to a budget of an address, or
--                               false; is_proven: its sender has shown that it is a context's GGSN
--   n:add(id, wanted, now)      wanted: { imsi =, nsapi =, apn =, ours =, ggsn =, pdp_type =, teid =, class =,
--                               msisdn =, ipv4 =, ipv6 =, pco =, is_once = }, addresses: texts; five may be nil
--   n:set_teid(id, teid)        of the next attempt
--   n:change(id, class, now)
--   n:lost(id, why, now)        its GGSN does not have it any more
--   n:del(id, now)              deletes it, at the GGSN, too
--   n:receive(way, octets, now) way: { ours =, theirs =, port =, is_right_port = }; is_right_port: a response that came
--                               to the port of its request
--   n:reachable(theirs, now)    earlier messages there cannot have arrived: repeats the pending ones
--   n:adopt(key, text, now), n:adopted(now), n:has(id)   after a restart of control (gn.adopt)
--   n:advance(now), n:next_at() timers
--   n:count()                   what happened: { malformed =, ... }, see control/lua/lua_gtpc.h
--   n:list()                    { { id =, state =, cause = } ... }
-- All but set_teid, next_at, count and list return intents, in order:
--   { op = "gn_send", ours =, theirs =, port =, is_answer =, octets = }   is_answer: theirs may be forged
--   { op = "up", id =, ggsn =, ggsn_teid =, ipv4 =, ipv6 =, class =, pco = }   the context is there
--   { op = "class", id =, class = }                                    it has that class now
--   { op = "down", id = }, { op = "ended", id =, cause = }   it is lost and tried again; with is_once it is over
--   { op = "log", level =, text = }

local gn_adopt = require "gn.adopt"
local gn_addresses = require "gn.addresses"
local runs = require "base.runs"
local timers = require "base.timers"
local gn_echoes = require "gn.echoes"
local gn_idle_peers = require "gn.idle_peers"
local gn_peer = require "gn.peer"
local gn_session = require "gn.session"

local gn_sessions = {}

local Node = {}
Node.__index = Node

local PORT <const> = 2123
local TEIDS <const>, TEID_DRAWS <const> = 0xffffffff, 64
local ACCEPTED <const>, NON_EXISTENT <const>, NOT_SUPPORTED <const> = 128, 192, 200
local INCORRECT <const>, MISSING <const> = 201, 202
local ANSWERS <const> = { create_response = "create_request", update_response = "update_request",
  delete_response = "delete_request", echo_response = "echo_request" }

function gn_sessions.new(config, wire, recovery, random, may_answer)
  local armed, path = {}, config.gn.path
  local node = setmetatable({
    wire = wire, recovery = recovery, random = random, may_answer = may_answer, armed = armed,
    timers = timers.new(),
    durations = { t3 = path.t3, repeats = path.n3 - 1, retry = config.gn.gtpc.retry },
    addresses = gn_addresses.new(config),
    by_id = {}, by_teid = {}, peers = {}, idle = gn_idle_peers.new(),
    counts = { malformed = 0, unexpected = 0, restarts = 0, refused_requests = 0, foreign_requests = 0,
      rate_limited = 0, foreign_addresses = 0, unconfirmed_restarts = 0 },
  }, Node)
  node.echoes = gn_echoes.new(config, node)
  return node
end

-- --- peers

-- The state of a GGSN's address for signalling (gn.peer).
function Node:peer(address)
  local peer = self.peers[address]
  if not peer then
    peer = self.idle:take(address)
      or gn_peer.new(address, self.random, function(way, message) return self:send(way, message) end)
    self.peers[address] = peer
  end
  return peer
end

-- For a context, until leave_peer(): a GGSN may give another address in each of its answers.
function Node:use_peer(address)
  self:peer(address).users = self:peer(address).users + 1
  return self.peers[address]
end

function Node:leave_peer(run, peer)
  peer.users = peer.users - 1
  if peer.users == 0 and peer.pending_count == 0 then
    self.peers[peer.address] = nil
    self.idle:keep(peer)
    run:record("peer/" .. peer.address, nil)
  end
end

function Node:send(way, message)
  return { op = "gn_send", ours = way.ours, theirs = way.theirs, port = way.port or PORT, is_answer = way.is_unproven,
    octets = self.wire.encode(message) }
end

-- In the order in which they were added.
local function each(self)
  local ids = {}
  for id in pairs(self.by_id) do ids[#ids + 1] = id end
  table.sort(ids)
  local i = 0
  return function()
    i = i + 1
    return self.by_id[ids[i]]
  end
end

local function lose_path(self, run, number)
  for session in each(self) do
    if session.path == number then run:post(session.fsm, "lost", "its path is down") end
  end
end

local function take_path_intents(self, run, intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_echo" then
      self.echoes:send(run, intent)
    elseif intent.op == "lose" then
      lose_path(self, run, intent.path)
    else
      run:emit(intent)
    end
  end
end

-- --- runs

runs.give(Node)

-- Deleted sessions leave their paths, which may add intents in turn.
function Node:close_run(run)
  run:drain()
  for session in pairs(self.leaving or {}) do
    take_path_intents(self, run, self.echoes:leave(session, run.now))
    if session.control then self:leave_peer(run, session.control) end
    self:leave_peer(run, session.peer)
  end
  self.leaving = nil
  run:drain()
  run:keep()
  return self.timers:take(run.intents)
end

function Node:forget(session)
  self.by_id[session.id], self.by_teid[session.teid_control] = nil, nil
  self.leaving = self.leaving or {}
  self.leaving[session] = true
end

-- --- sessions

-- A TEID that cannot be guessed. With a million sessions one draw of 4000 meets a TEID that is taken.
local function take_teid(self)
  for _ = 1, TEID_DRAWS do
    local teid = self.random(TEIDS)
    if not self.by_teid[teid] then return teid end
  end
  error("no free control TEID in " .. TEID_DRAWS .. " draws")
end

function Node:enter(run, session)
  self.by_id[session.id], self.by_teid[session.teid_control] = session, session
  self.addresses:add_own(session.wanted.ours)
  take_path_intents(self, run, self.echoes:use(session, run.now))
end

function Node:add(id, wanted, now)
  local run = self:open_run(now)
  local session = gn_session.new({
    id = id, wanted = wanted, node = self, name = wanted.imsi .. "/" .. wanted.nsapi, peer = self:use_peer(wanted.ggsn),
    teid_control = take_teid(self),
  }, self.durations)
  self:enter(run, session)
  run:tell(session.fsm, "begin")
  return self:close_run(run)
end

function Node:set_teid(id, teid)
  local session = self.by_id[id]
  if session then session.wanted.teid = teid end
end

local function tell(self, id, event, arg, now)
  local run, session = self:open_run(now), self.by_id[id]
  if session then
    run:tell(session.fsm, event, arg)
    run:touch(session.fsm)
  end
  return self:close_run(run)
end

function Node:change(id, class, now)
  local session = self.by_id[id]
  if session then session.wanted.class = class end
  return tell(self, id, "change", nil, now)
end

function Node:lost(id, why, now)
  return tell(self, id, "lost", why, now)
end

function Node:del(id, now)
  return tell(self, id, "stop", nil, now)
end

-- --- after a restart of control

function Node:adopt(_, text, now)
  local run = self:open_run(now)
  gn_adopt.record(self, run, text)
  return self:close_run(run)
end

function Node:adopted(now)
  local run = self:open_run(now)
  gn_adopt.finish(self, run)
  return self:close_run(run)
end

function Node:has(id)
  return self.by_id[id] ~= nil
end

-- --- received messages

-- A GGSN whose restart counter changes has lost its contexts (§18.1), except one that it has just accepted.
local function note_restart(self, run, peer, recovery, except)
  local before = peer.recovery
  peer.recovery = recovery or before
  if recovery and recovery ~= before then
    run:record("peer/" .. peer.address, { address = peer.address, recovery = recovery })
  end
  if not recovery or not before or before == recovery then return end
  self.counts.restarts = self.counts.restarts + 1
  run:log("warning", "GGSN %s: restarted", peer.address)
  for session in each(self) do
    if session ~= except and (session.peer == peer or session.control == peer) then
      run:post(session.fsm, "lost", "the GGSN restarted")
    end
  end
end

local function is_of(request, message)
  return request and request.message.type == ANSWERS[message.type]
end

local function take_answer_of(self, session, run, message)
  if gn_session.is_accepted(message) and message.type == "create_response" then
    local missing = gn_session.missing_of(message)
    local foreign = not missing and gn_session.foreign_of(session, message)
    if missing then
      run:log("warning", "%s: the GGSN accepts without %s", session.name, missing)
      message.cause = MISSING
    elseif foreign then
      self.counts.foreign_addresses = self.counts.foreign_addresses + 1
      run:log("warning", "%s: the GGSN %s names %s, which is not in its user_networks (gn.ggsns)", session.name,
        session.peer.address, foreign)
      message.cause = INCORRECT
    end
  end
  run:tell(session.fsm, gn_session.is_accepted(message) and "accepted" or "refused", message)
end

-- A GGSN repeats its response to a sequence number that it had within the last minute, also to a former run of gbflow:
-- such a response has another TEID, and the request needs another number. A GGSN without the context knows no TEID and
-- answers with 0 (§8.2); a GGSN that accepts knows it. As 0 can be forged, such an answer must come to the port of its
-- request, and its Recovery is not taken.
local function is_for(session, way, message)
  if message.teid ~= 0 then return message.teid == session.teid_control end
  return way.is_right_port and not gn_session.is_accepted(message)
end

local function take_answer(self, run, way, message)
  local peer = self.peers[way.theirs]
  local request = peer and peer.pending[message.seq]
  if not is_of(request, message) then
    self.counts.unexpected = self.counts.unexpected + 1
    return
  end
  if request.path then
    local intents, recovery = self.echoes:answered(run, way, request, message)
    note_restart(self, run, peer, recovery)
    return take_path_intents(self, run, intents)
  end
  local session = request.session
  if not is_for(session, way, message) then
    self.counts.unexpected = self.counts.unexpected + 1
    if message.teid ~= 0 then request:renumber(run) end
    return
  end
  local recovery = message.teid ~= 0 and message.recovery or nil
  note_restart(self, run, peer, recovery, message.type == "create_response" and session or nil)
  take_answer_of(self, session, run, message)
end

local function answer(self, run, way, request, fields)
  fields.type, fields.seq = request.type:gsub("_request$", "_response"), request.seq
  fields.teid = fields.teid or 0
  run:emit(self:send(way, fields))
end

-- Whether the request comes from the context's GGSN: the configured address, or one that it gave for signalling, the
-- alternative in the other IP version included (§7.3.2).
local function is_from_ggsn(session, way)
  local theirs = way.theirs
  return theirs == session.peer.address or theirs == session.control_other
    or session.control ~= nil and theirs == session.control.address
end

-- An address has a budget of answers without a TEID, and another one with it: a forger of its address cannot empty it.
local function answer_within(self, run, way, message, fields)
  local is_proven = fields.teid ~= nil
  if not self.may_answer(way.theirs, run.now, is_proven) then
    self.counts.rate_limited = self.counts.rate_limited + 1
    return
  end
  way = { ours = way.ours, theirs = way.theirs, port = way.port, is_unproven = not is_proven }
  return answer(self, run, way, message, fields)
end

-- GGSNs delete contexts, and change nothing about them. A request from another address is answered as one for a context
-- that is not there: it learns nothing about TEIDs. A context that its GGSN deletes ends also if the answer is beyond
-- the budget: the GGSN repeats its request, and then hears that the context is not there.
local function take_request(self, run, way, message)
  if message.type == "echo_request" then
    return answer_within(self, run, way, message, { recovery = self.recovery })
  end
  local session = self.by_teid[message.teid]
  if session and not is_from_ggsn(session, way) then
    self.counts.foreign_requests = self.counts.foreign_requests + 1
    session = nil
  end
  if not session or message.type == "create_request" then
    self.counts.refused_requests = self.counts.refused_requests + 1
    return answer_within(self, run, way, message, { cause = NON_EXISTENT })
  end
  local teid = session.ggsn_teid_control
  if message.type == "update_request" then
    self.counts.refused_requests = self.counts.refused_requests + 1
    return answer_within(self, run, way, message, { cause = NOT_SUPPORTED, teid = teid })
  end
  answer_within(self, run, way, message, { cause = ACCEPTED, teid = teid })
  run:post(session.fsm, "lost", "the GGSN deleted it")
end

function Node:receive(way, octets, now)
  local message = self.wire.decode(octets)
  local run = self:open_run(now)
  if not message then
    self.counts.malformed = self.counts.malformed + 1
  elseif ANSWERS[message.type] then
    take_answer(self, run, way, message)
  else
    take_request(self, run, way, message)
  end
  return self:close_run(run)
end

function Node:reachable(theirs, now)
  local run = self:open_run(now)
  for session in each(self) do
    local request = session.request
    if request.peer and request.way.theirs == theirs then request:hasten(run) end
  end
  return self:close_run(run)
end

-- --- time

function Node:next_at()
  local mine, paths = self.timers:next_at(), self.echoes.paths:next_at()
  return mine and paths and math.min(mine, paths) or mine or paths
end

local advance_sessions = Node.advance

function Node:advance(now)
  local out = advance_sessions(self, now)
  local run = self:open_run(now)
  take_path_intents(self, run, self.echoes.paths:advance(now))
  local intents = self:close_run(run)
  return table.move(intents, 1, #intents, #out + 1, out)
end

function Node:count()
  return self.counts
end

function Node:list()
  local out = {}
  for session in each(self) do
    out[#out + 1] = { id = session.id, state = session.fsm.state, cause = session.cause and tostring(session.cause)
      or "-" }
  end
  return out
end

return gn_sessions
