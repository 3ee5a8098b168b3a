-- SPDX-License-Identifier: BSD-3-Clause
-- The GGSNs' addresses for signalling that a node uses (below), and the contexts that are up at each. A GGSN can lose
-- all of its contexts at once, a million perhaps, so these are told in slices. A GGSN costs control the time of its own
-- contexts only, and of each only once.
--
--   gn_peers.give(Class)           Class has these methods from then on. Its object has peers, losing (tables, empty at
--                                  first), idle (new_idle_peers()), echoes, random and send
--   n:peer(address)                its peer, made if there is none
--   n:use_peer(address)            the same for a context, until leave_peer()
--   n:leave_peer(run, peer)
--   n:keep_peer(run, peer)         in its record
--   n:note_left(run, peer)         it may have a context that has ended here
--   n:has_left()                   whether any may
--   n:note_up(session, run), n:note_down(session)   its GGSN has the context, or has it no more; session.up_in: where
--                                  it is. Another one that had its TEID is lost
--   n:lose_contexts(peer, why)     the contexts that are up there are lost, from the next lose_some() on
--   n:lose_path(number)            likewise those of a path of n.echoes
--   n:lose_some(run)               tells at most SLICE of them: "lost"
--   n:is_losing()                  whether there are more

local ip_network = require "base.ip_network"

local gn_peers = {}

local NUMBERS <const> = 65536
-- At most a quarter of the numbers is taken and a quarter rests, so that 64 draws find a free one but with a
-- probability of 2^-64, and a forged answer with a number drawn at random meets a pending request with one of at most
-- 1/4.
local PENDING_MAX <const>, RESTING_MAX <const>, DRAWS <const> = NUMBERS // 4, NUMBERS // 4, 64
local IDLE_MAX <const> = 64
-- Another SGSN may name any address as the GGSN of a phone's context. Beyond LEFT_MAX addresses with contexts that have
-- ended here one entry, which no restart ends, stands for all others.
local LEFT_MAX <const>, OTHERS <const> = 64, "others"
local LINK_LOCAL <const> = ip_network.parse("fe80::/10")
local OWN <const>, NO_HOST <const> = "which is an address of this node", "which is no address of a host"
local FOREIGN <const> = 'which is not in its user_networks; to allow it: gn.ggsns = { { address = "%s", '
  .. 'user_networks = { "%s/%d" } } }'
local SLICE <const> = 500

-- A GGSN's address for signalling: the sequence numbers of requests sent there, and the requests that wait for their
-- answers (29.060 §7.6, §11.2).
--
--   local p = gn_peers.new_peer(address, random, send)
--                        random(limit): an integer in 1 .. limit that peers cannot predict; send(way, message): an
--                        intent
--   p:take_number(entry) a sequence number that neither a pending request has nor the last RESTING_MAX requests had,
--                        drawn at random; its answer is for `entry`. nil: PENDING_MAX requests are pending
--   p:free_number(seq)   the request is answered, or not wanted any more. Its number rests: a late answer to it is
--                        not taken for that of another request
--   p.pending[seq]       the entry
--   p.users              contexts that have this address; the owner of the table of peers counts them
--   p.contexts           those of them that are up, by their ids (gn.peers)
--   p.by_teid            those by the TEID for control that the GGSN gave them
--   p.recovery           its restart counter, p.is_told: it knows this node's (29.060 §7.7.11)
--   p.has_left           it may have contexts that have ended here: no answer confirmed that they have ended there, and
--                        it has not restarted since. Such a peer is never idle, so that its restart is noticed
--   p:wait(entry)        entry: { is_over = true when it waits no longer }
--   p:next_waiting()     takes the entry that waits longest; nil: none waits, or no number is free

local Peer = {}
Peer.__index = Peer

function gn_peers.new_peer(address, random, send)
  return setmetatable({ address = address, random = random, send = send, pending = {}, pending_count = 0,
    resting = {}, rested = {}, rested_at = 0, waiting = {}, first = 1, last = 0, users = 0, contexts = {},
    by_teid = {} }, Peer)
end

function Peer:take_number(entry)
  if self.pending_count >= PENDING_MAX then return nil end
  for _ = 1, DRAWS do
    local seq = self.random(NUMBERS) - 1
    if not self.pending[seq] and not self.resting[seq] then
      self.pending[seq], self.pending_count = entry, self.pending_count + 1
      return seq
    end
  end
end

-- rested: a ring of the numbers that rest; the oldest one may be drawn again.
local function rest(self, seq)
  local at = self.rested_at % RESTING_MAX + 1
  local oldest = self.rested[at]
  if oldest then self.resting[oldest] = nil end
  self.rested[at], self.resting[seq], self.rested_at = seq, true, at
end

function Peer:free_number(seq)
  if self.pending[seq] then
    self.pending[seq], self.pending_count = nil, self.pending_count - 1
    rest(self, seq)
  end
end

function Peer:wait(entry)
  self.last = self.last + 1
  self.waiting[self.last] = entry
end

function Peer:next_waiting()
  while self.first <= self.last and self.pending_count < PENDING_MAX do
    local entry = self.waiting[self.first]
    self.waiting[self.first], self.first = nil, self.first + 1
    if not entry.is_over then return entry end
  end
end

-- GGSNs' addresses for signalling that no context uses. A late answer to a former context must not be taken for that to
-- a new one, so the sequence numbers of an address rest meanwhile. Beyond IDLE_MAX those of the address that was left
-- first are forgotten.
--
--   local idle = gn_peers.new_idle_peers()
--   idle:keep(peer)       its restart counter is forgotten, and that it knows this node's
--   idle:take(address)    the peer, which is not idle any more, or nil

local IdlePeers = {}
IdlePeers.__index = IdlePeers

function gn_peers.new_idle_peers()
  return setmetatable({ list = {} }, IdlePeers)
end

function IdlePeers:keep(peer)
  peer.recovery, peer.is_told = nil, nil
  self.list[#self.list + 1] = peer
  if #self.list > IDLE_MAX then table.remove(self.list, 1) end
end

function IdlePeers:take(address)
  for i, peer in ipairs(self.list) do
    if peer.address == address then return table.remove(self.list, i) end
  end
end

-- The addresses that a GGSN may name in its answers, for signalling and for user packets: its own, and those in the
-- networks that the configuration gives it. A GGSN, or a forged answer, could else send users' packets to any host.
--
--   local a = gn_peers.new_addresses(config)   the checked configuration
--   a:add_own(address)                   an address of this node, which no GGSN may name
--   a:objection(ggsn, address)           why it may not name it, for the log; nil: it may. ggsn: its configured address
--
--   a:user_objection(address)            why no context may have it; nil: it may, or there is none. It may be
--                                        link-local in IPv6: its second half is what the phone takes of it
--
-- A GGSN that names another IPv6 address each time would take the places of others (ip_network.has_place).

local Addresses = {}
Addresses.__index = Addresses

function gn_peers.new_addresses(config)
  local networks, own = {}, {}
  for _, ggsn in ipairs(config.gn.ggsns or {}) do
    local list = networks[ggsn.address] or {}
    for _, text in ipairs(ggsn.user_networks) do list[#list + 1] = assert(ip_network.parse(text)) end
    networks[ggsn.address] = list
  end
  for _, address in ipairs(config.gn.addresses or {}) do own[address] = true end
  if config.gb then own[config.gb.address] = true end
  return setmetatable({ networks = networks, own = own, named = {} }, Addresses)
end

function Addresses:add_own(address)
  self.own[address] = true
end

function Addresses:objection(ggsn, address)
  if self.own[address] then return OWN end
  if address == ggsn then return nil end
  if not ip_network.is_host(address) then return NO_HOST end
  if not ip_network.is_in(self.networks[ggsn], address) then
    return FOREIGN:format(ggsn, address, address:find(":", 1, true) and 128 or 32)
  end
  self.named[ggsn] = self.named[ggsn] or { count = 0 }
  if ip_network.has_place(self.named[ggsn], address) then return nil end
  return ("after %d other IPv6 addresses"):format(ip_network.NAMED_MAX)
end

function Addresses:user_objection(address)
  if not ip_network.given(address) then return nil end
  if self.own[address] then return OWN end
  return not ip_network.is_host(address) and not ip_network.contains(LINK_LOCAL, address) and NO_HOST or nil
end

-- All peers of a node

local Peers = {}

function Peers:peer(address)
  local peer = self.peers[address]
  if not peer then
    peer = self.idle:take(address)
      or gn_peers.new_peer(address, self.random, function(way, message) return self:send(way, message) end)
    self.peers[address] = peer
  end
  return peer
end

-- A GGSN may give another address in each of its answers.
function Peers:use_peer(address)
  self:peer(address).users = self:peer(address).users + 1
  return self.peers[address]
end

function Peers:leave_peer(run, peer)
  peer.users = peer.users - 1
  if peer.users > 0 or peer.pending_count > 0 then return end
  if peer.has_left then
    peer.is_told = nil
    return self:keep_peer(run, peer)
  end
  self.peers[peer.address] = nil
  self.idle:keep(peer)
  run:record("peer/" .. peer.address, nil)
end

function Peers.keep_peer(_, run, peer)
  run:record("peer/" .. peer.address, { address = peer.address, recovery = peer.recovery, is_told = peer.is_told,
    has_left = peer.has_left })
end

local function count_left(self)
  local count = 0
  for _, peer in pairs(self.peers) do count = count + (peer.has_left and 1 or 0) end
  return count
end

function Peers:note_left(run, peer)
  if peer.has_left or self.peers[OTHERS] then return end
  peer = count_left(self) < LEFT_MAX and peer or self:peer(OTHERS)
  peer.has_left = true
  self:keep_peer(run, peer)
end

function Peers:has_left()
  return count_left(self) > 0
end

local function enter(session, contexts)
  contexts[session.id] = session
  session.up_in[#session.up_in + 1] = contexts
end

-- A TEID for control is of one mobile, and of one context unless NSAPI and tunnel differ. A context that had it before
-- is not at the GGSN any more; to delete it there would end the new one.
local function is_displaced(session, other)
  local mine, theirs = session.wanted, other.wanted
  return mine.imsi ~= theirs.imsi or mine.nsapi == theirs.nsapi or session.ggsn_teid == other.ggsn_teid
end

local function take_teid(self, session, run)
  local by_teid, teid = session.control.by_teid, session.ggsn_teid_control
  local other = by_teid[teid]
  if session.wanted.linked or not teid then return end
  by_teid[teid] = session
  if other and other ~= session and is_displaced(session, other) then
    self:lose_group(run, other, "the GGSN gave its TEID to another context")
  end
end

function Peers:note_up(session, run)
  session.up_in = {}
  enter(session, session.peer.contexts)
  if session.control ~= session.peer then enter(session, session.control.contexts) end
  take_teid(self, session, run)
end

function Peers.note_down(_, session)
  local by_teid = session.control and session.control.by_teid or {}
  if by_teid[session.ggsn_teid_control] == session then by_teid[session.ggsn_teid_control] = nil end
  for _, contexts in ipairs(session.up_in or {}) do contexts[session.id] = nil end
  session.up_in = nil
end

-- A context that comes up from now on is in another table, and is not lost.
local function lose(self, peer, why, path)
  self.losing[#self.losing + 1] = { peer = peer, contexts = peer.contexts, why = why, path = path }
  peer.contexts = {}
end

function Peers:lose_contexts(peer, why)
  lose(self, peer, why)
end

function Peers:lose_path(number)
  lose(self, self:peer(self.echoes.list[number].theirs), "its path is down", number)
end

-- The context after `job.id`. No context is added meanwhile, and the loss of one takes it out.
local function take_next(job)
  local session
  job.id, session = next(job.contexts, job.id)
  return session
end

-- A context of another path at the same peer is not lost.
local function keep(job, session)
  for i, contexts in ipairs(session.up_in) do
    if contexts == job.contexts then
      contexts[session.id], job.peer.contexts[session.id] = nil, session
      session.up_in[i] = job.peer.contexts
    end
  end
end

local function lose_one(run, job, session)
  if job.path and session.path ~= job.path then
    keep(job, session)
  else
    if job.path then session.is_left = true end
    run:post(session.fsm, "lost", job.why)
  end
end

function Peers:lose_some(run)
  local left = SLICE
  while self.losing[1] and left > 0 do
    local session = take_next(self.losing[1])
    if session then
      lose_one(run, self.losing[1], session)
      left = left - 1
    else
      table.remove(self.losing, 1)
    end
  end
end

function Peers:is_losing()
  return self.losing[1] ~= nil
end

function gn_peers.give(class)
  for name, method in pairs(Peers) do class[name] = method end
end

return gn_peers
