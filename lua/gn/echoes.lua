-- SPDX-License-Identifier: BSD-3-Clause
-- The Echo Requests of GTP-C paths, which take their numbers among all other requests, and the restart counters in the
-- answers (29.060 §7.2.1, §7.2.2, §18.1).
--
-- An Echo Response carries no TEID, so only its sequence number and its port prove it. A restart ends all contexts of a
-- GGSN; a forged one must not. So a restart counter that changes in an Echo Response is asked for again at once, with
-- another number and from another port, and counts when the second answer confirms it.
--
--   local e = gn_echoes.new(config, node)    node: the object of gn_sessions, with peer(), send() and counts
--   e:use(session, now), e:leave(session, now)   of a path; intents of e.paths (gn.paths)
--   e:send(run, intent)                      { op = "gn_echo" }
--   e:answered(run, way, request, message)   an Echo Response to `request`, which peer.pending had. Intents of e.paths,
--                                            and the restart counter if it applies

local gn_paths = require "gn.paths"

local gn_echoes = {}

local Echoes = {}
Echoes.__index = Echoes

function gn_echoes.new(config, node)
  return setmetatable({ paths = gn_paths.new(config), node = node, list = {}, numbers = {} }, Echoes)
end

local function path_name(ours, theirs)
  return ours .. " - " .. theirs .. " (GTP-C)"
end

function Echoes:use(session, now)
  local name = path_name(session.wanted.ours, session.peer.address)
  local number = self.numbers[name] or #self.list + 1
  local path = self.list[number]
  if not path then
    path = { ours = session.wanted.ours, theirs = session.peer.address, users = 0 }
    self.list[number], self.numbers[name] = path, number
  end
  path.users = path.users + 1
  session.path = number
  return path.users == 1 and self.paths:add(number, name, now) or {}
end

-- Frees the number of a request: path[key].
local function free(self, path, key)
  if path[key] then self.node:peer(path.theirs):free_number(path[key]) end
  path[key] = nil
end

function Echoes:leave(session, now)
  local path = self.list[session.path]
  path.users = path.users - 1
  if path.users > 0 then return {} end
  free(self, path, "seq")
  free(self, path, "confirm_seq")
  return self.paths:del(session.path, now)
end

-- Without a free number none is sent.
local function ask(self, run, path, seq)
  if seq then run:emit(self.node:send(path, { type = "echo_request", teid = 0, seq = seq })) end
end

-- A repeated Echo Request keeps the number that it had. Without a number the path counts as silent.
function Echoes:send(run, intent)
  local path = self.list[intent.path]
  if path.echo ~= intent.seq then
    free(self, path, "seq")
    path.echo = intent.seq
    path.seq = self.node:peer(path.theirs):take_number({ path = intent.path, echo = intent.seq, key = "seq",
      message = { type = "echo_request" } })
  end
  ask(self, run, path, path.seq)
end

-- Asks for a restart counter again. If this request or its answer is lost, the next change asks once more.
local function confirm(self, run, number, recovery)
  local path = self.list[number]
  free(self, path, "confirm_seq")
  path.confirm_seq = self.node:peer(path.theirs):take_number({ path = number, confirms = recovery,
    key = "confirm_seq", message = { type = "echo_request" } })
  ask(self, run, path, path.confirm_seq)
end

-- The restart counter of an Echo Response if it is proven.
local function proven(self, run, request, peer, recovery)
  if request.confirms and request.confirms ~= recovery then
    self.node.counts.unconfirmed_restarts = self.node.counts.unconfirmed_restarts + 1
    run:log("warning", "GGSN %s: restart counter %d in an Echo Response, but %d in the next one", peer.address,
      request.confirms, recovery)
  end
  if not peer.recovery or peer.recovery == recovery or request.confirms == recovery then return recovery end
  confirm(self, run, request.path, recovery)
end

function Echoes:answered(run, way, request, message)
  local path, peer = self.list[request.path], self.node:peer(way.theirs)
  free(self, path, request.key)
  local recovery = way.is_right_port and proven(self, run, request, peer, message.recovery) or nil
  return request.echo and self.paths:answered(request.path, request.echo, run.now) or {}, recovery
end

return gn_echoes
