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
--   n:check(id, now)            an Error Indication says so: asks the GGSN, and keeps the context until it confirms it
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
local gn_answers = require "gn.answers"
local timers = require "base.timers"
local gn_echoes = require "gn.echoes"
local gn_idle_peers = require "gn.idle_peers"
local gn_incoming = require "gn.incoming"
local gn_peers = require "gn.peers"
local gn_session = require "gn.session"

local gn_sessions = {}

local Node = {}
Node.__index = Node

local PORT <const> = 2123
local TEIDS <const>, TEID_DRAWS <const> = 0xffffffff, 64

function gn_sessions.new(config, wire, recovery, random, may_answer)
  local armed, path = {}, config.gn.path
  local node = setmetatable({
    wire = wire, recovery = recovery, random = random, may_answer = may_answer, armed = armed,
    timers = timers.new(),
    durations = { t3 = path.t3, repeats = path.n3 - 1, retry = config.gn.gtpc.retry },
    addresses = gn_addresses.new(config),
    by_id = {}, by_teid = {}, peers = {}, losing = {}, strangers = {}, idle = gn_idle_peers.new(),
    counts = { malformed = 0, unexpected = 0, restarts = 0, refused_requests = 0, foreign_requests = 0,
      rate_limited = 0, foreign_addresses = 0, unconfirmed_restarts = 0, unconfirmed_errors = 0,
      unchecked_requests = 0 },
  }, Node)
  node.echoes = gn_echoes.new(config, node)
  return node
end

function Node:send(way, message)
  return { op = "gn_send", ours = way.ours, theirs = way.theirs, port = way.port or PORT, is_answer = way.is_unproven,
    octets = self.wire.encode(message) }
end

-- Intents of gn.paths.
function Node:take_path_intents(run, intents)
  for _, intent in ipairs(intents) do
    if intent.op == "gn_echo" then
      self.echoes:send(run, intent)
    elseif intent.op == "lose" then
      self:lose_path(intent.path)
    else
      run:emit(intent)
    end
  end
end

gn_peers.give(Node)

-- --- runs

timers.give_runs(Node)

-- Deleted sessions leave their paths, which may add intents in turn.
function Node:close_run(run)
  run:drain()
  for session in pairs(self.leaving or {}) do
    self:take_path_intents(run, self.echoes:leave(session, run.now))
    if session.control then self:leave_peer(run, session.control) end
    self:leave_peer(run, session.peer)
  end
  self.leaving = nil
  run:drain()
  run:keep()
  return self.timers:take(run.intents)
end

function Node:forget(session)
  self:note_down(session)
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
  self:take_path_intents(run, self.echoes:use(session, run.now))
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

function Node:check(id, now)
  return tell(self, id, "doubted", nil, now)
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

-- Contexts that a response shows to be lost are told at once, up to a slice.
function Node:receive(way, octets, now)
  local message = self.wire.decode(octets)
  local run, was_losing = self:open_run(now), self:is_losing()
  if not message then
    self.counts.malformed = self.counts.malformed + 1
  elseif gn_answers.request_of(message.type) then
    gn_answers.take(self, run, way, message)
  else
    gn_incoming.take(self, run, way, message)
  end
  if not was_losing then self:lose_some(run) end
  return self:close_run(run)
end

function Node:reachable(theirs, now)
  local run, peer, numbers = self:open_run(now), self.peers[theirs], {}
  for seq, entry in pairs(peer and peer.pending or {}) do
    if entry.session then numbers[#numbers + 1] = seq end
  end
  table.sort(numbers)
  for _, seq in ipairs(numbers) do peer.pending[seq]:hasten(run) end
  return self:close_run(run)
end

-- --- time

-- Contexts that are lost wait for no instant.
function Node:next_at()
  if self:is_losing() then return 0 end
  local mine, paths = self.timers:next_at(), self.echoes.paths:next_at()
  return mine and paths and math.min(mine, paths) or mine or paths
end

local advance_sessions = Node.advance

function Node:advance(now)
  local out = advance_sessions(self, now)
  local run = self:open_run(now)
  self:take_path_intents(run, self.echoes.paths:advance(now))
  self:lose_some(run)
  local intents = self:close_run(run)
  return table.move(intents, 1, #intents, #out + 1, out)
end

function Node:count()
  return self.counts
end

-- In the order in which the contexts were added.
function Node:list()
  local ids, out = {}, {}
  for id in pairs(self.by_id) do ids[#ids + 1] = id end
  table.sort(ids)
  for i, id in ipairs(ids) do
    local session = self.by_id[id]
    out[i] = { id = id, state = session.fsm.state, cause = session.cause and tostring(session.cause) or "-" }
  end
  return out
end

return gn_sessions
