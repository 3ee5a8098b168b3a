-- SPDX-License-Identifier: BSD-3-Clause
-- Paths to GGSNs, supervised by Echo (29.281 §7.2.1, §12): a request every `every`, repeated every `t3` with the
-- number it had, `n3` times in all. When none is answered the path is down: its contexts are kept or ended, as
-- configured, and the requests continue; an answer brings it up again. A path exists while a context uses it.
--
--   local p = gn_paths.new(config, plane)   the checked configuration; plane: "control", else "user"; a plane that
--                                      gn.path.echo leaves out has no requests
--   p:add(path, name, now)             path: a number that the caller chose; name: for logs
--   p:del(path, now)
--   p:answered(path, seq, now)         the request with that number was answered
--   p:advance(now), p:next_at()        timers
--   p:state(path)                      by the rows `paths` of gn.shown
-- All but the last two return intents, in order:
--   { op = "gn_echo", path =, seq = }     send an Echo Request
--   { op = "lose", path = }            end its contexts
--   { op = "log", level =, text = }

local fsm = require "base.fsm"
local timers = require "base.timers"

local gn_paths = {}

local SEQ_MODULUS <const> = 65536

local Paths = {}
Paths.__index = Paths

local actions = {}

local function send(path, run)
  run:emit({ op = "gn_echo", path = path.number, seq = path.seq })
end

function actions.ask(path, run)
  path.seq = (path.seq + 1) % SEQ_MODULUS
  path.requests = path.requests + 1
  send(path, run)
end

function actions.ask_again(path, run)
  path.retransmissions = path.retransmissions + 1
  send(path, run)
end

function actions.hear(path, run)
  path.answers = path.answers + 1
  if path.state == "down" then
    run:log("warning", "path %s: up again", path.name)
  end
  path.state = "up"
end

function actions.miss(path, run)
  path.failures = path.failures + (path.state == "down" and 0 or 1)
  if path.state ~= "down" then
    run:log("warning", "path %s: down, no answer to %d Echo Requests", path.name, path.settings.n3)
  end
  path.state = "down"
  if path.settings.on_loss == "delete" then
    run:emit({ op = "lose", path = path.number })
  end
end

local machine = fsm.define({
  name = "gn_path",
  category = "gn",
  about = "path",
  initial = "off",
  actions = actions,
  timers = {
    every = { after = "every", out = "due" },
    t3 = { after = "t3", retries = "repeats", again = "t3", out = "t3_out" },
  },
  any = {
    begin = { next = "resting" },
    stop = { next = "off" },
    answered = {}, -- to a request that has timed out
  },
  states = {
    off = {},
    resting = {
      timer = "every",
      on = {
        due = { action = "ask", next = "asking" },
      },
    },
    asking = {
      timer = "t3",
      on = {
        t3 = { action = "ask_again" },
        t3_out = { action = "miss", next = "resting" },
        answered = { action = "hear", next = "resting" },
      },
    },
  },
})

function gn_paths.new(config, plane)
  local settings, armed = config.gn.path, {}
  local other = plane == "control" and "user" or "control"
  local every = settings.echo ~= other and settings.every or nil
  return setmetatable({
    settings = settings, list = {}, armed = armed, every = every,
    timers = timers.new(),
    durations = { every = every, t3 = settings.t3, repeats = settings.n3 - 1 },
  }, Paths)
end

timers.give_runs(Paths)

function Paths:tell(path, event, now)
  local run = self:open_run(now)
  if path then run:tell(path.fsm, event) end
  return self:close_run(run)
end

-- A number may be given to another path once it is off.
function Paths:add(number, name, now)
  local path = self.list[number]
  if not path or path.name ~= name then
    path = { number = number, name = name, settings = self.settings, seq = SEQ_MODULUS - 1, state = "unknown",
      requests = 0, retransmissions = 0, answers = 0, failures = 0 }
    path.fsm = fsm.new(machine, path, "gn/" .. number, self.durations)
    self.list[number] = path
  end
  path.state = self.every and "unknown" or "off"
  return self:tell(self.every and path, "begin", now)
end

function Paths:del(number, now)
  local path = self.list[number]
  if path then path.state = "off" end
  return self:tell(path, "stop", now)
end

function Paths:answered(number, seq, now)
  local path = self.list[number]
  return self:tell(path and path.seq == seq and path, "answered", now)
end

-- One that has not been supervised since the start of control, or since its restart, is off.
local OFF <const> = { state = "off", requests = 0, retransmissions = 0, answers = 0, failures = 0 }

function Paths:state(number)
  return self.list[number] or OFF
end

-- The Echo Requests of GTP-C paths, which take their numbers among all other requests, and the restart counters in the
-- answers (29.060 §7.2.1, §7.2.2, §18.1).
--
-- An Echo Response carries no TEID, so only its sequence number and its port prove it. A restart ends all contexts of a
-- GGSN; a forged one must not. So a restart counter that changes in an Echo Response is asked for again at once, with
-- another number and from another port, and counts when the second answer confirms it.
--
--   local e = gn_paths.new_echoes(config, node)   node: the object of gn_sessions, with peer(), send() and counts
--   e:use(session, now), e:leave(session, now)   of a path; intents of e.paths (gn.paths)
--   e:send(run, intent)                      { op = "gn_echo" }
--   e:renumber(request)                      the next repetition of `request` has another number
--   e:answered(run, way, request, message)   an Echo Response to `request`, which peer.pending had. Intents of e.paths,
--                                            and the restart counter if it applies

local Echoes = {}
Echoes.__index = Echoes

function gn_paths.new_echoes(config, node)
  return setmetatable({ paths = gn_paths.new(config, "control"), node = node, list = {}, numbers = {} }, Echoes)
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

function Echoes:renumber(request)
  if request.echo then self.list[request.path].echo = nil end
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

return gn_paths
