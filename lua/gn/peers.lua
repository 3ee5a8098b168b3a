-- SPDX-License-Identifier: BSD-3-Clause
-- The GGSNs' addresses for signalling that a node uses (gn.peer), and the contexts that are up at each. A GGSN can lose
-- all of its contexts at once, a million perhaps, so these are told in slices. A GGSN costs control the time of its own
-- contexts only, and of each only once.
--
--   gn_peers.give(Class)           Class has these methods from then on. Its object has peers, losing (tables, empty at
--                                  first), idle (gn.idle_peers), echoes, random and send
--   n:peer(address)                its peer, made if there is none
--   n:use_peer(address)            the same for a context, until leave_peer()
--   n:leave_peer(run, peer)
--   n:note_up(session), n:note_down(session)   its GGSN has the context, or has it no more; session.up_in: where it is
--   n:lose_contexts(peer, why)     the contexts that are up there are lost, from the next lose_some() on
--   n:lose_path(number)            likewise those of a path of n.echoes
--   n:lose_some(run)               tells at most SLICE of them: "lost"
--   n:is_losing()                  whether there are more

local gn_peer = require "gn.peer"

local gn_peers = {}

local Peers = {}

local SLICE <const> = 500

function Peers:peer(address)
  local peer = self.peers[address]
  if not peer then
    peer = self.idle:take(address)
      or gn_peer.new(address, self.random, function(way, message) return self:send(way, message) end)
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
  if peer.users == 0 and peer.pending_count == 0 then
    self.peers[peer.address] = nil
    self.idle:keep(peer)
    run:record("peer/" .. peer.address, nil)
  end
end

local function enter(session, contexts)
  contexts[session.id] = session
  session.up_in[#session.up_in + 1] = contexts
end

function Peers.note_up(_, session)
  session.up_in = {}
  enter(session, session.peer.contexts)
  if session.control ~= session.peer then enter(session, session.control.contexts) end
end

function Peers.note_down(_, session)
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
