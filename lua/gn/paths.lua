-- SPDX-License-Identifier: BSD-3-Clause
-- Paths to GGSNs, supervised by Echo (29.281 §7.2.1, §12): a request every `every`, repeated every `t3` with the
-- number it had, `n3` times in all. When none is answered the path is down: its contexts are kept or ended, as
-- configured, and the requests continue; an answer brings it up again. A path exists while a context uses it.
--
--   local p = gn_paths.new(config)     the checked configuration
--   p:add(path, name, now)             path: a number that the caller chose; name: for logs
--   p:del(path, now)
--   p:answered(path, seq, now)         the request with that number was answered
--   p:advance(now), p:next_at()        timers
--   p:state(path)                      { state =, requests =, repeats =, answers =, losses = }
-- All but the last two return intents, in order:
--   { op = "gn_echo", path =, seq = }     send an Echo Request
--   { op = "lose", path = }            end its contexts
--   { op = "log", level =, text = }

local fsm = require "base.fsm"
local timers = require "base.timers"

local gn_paths = {}

local Paths = {}
Paths.__index = Paths

local SEQ_MODULUS <const> = 65536

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
  path.repeats = path.repeats + 1
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
  path.losses = path.losses + (path.state == "down" and 0 or 1)
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

function gn_paths.new(config)
  local settings, armed = config.gn.path, {}
  return setmetatable({
    settings = settings, list = {}, armed = armed,
    timers = timers.new(),
    durations = { every = settings.every, t3 = settings.t3, repeats = settings.n3 - 1 },
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
      requests = 0, repeats = 0, answers = 0, losses = 0 }
    path.fsm = fsm.new(machine, path, "gn/" .. number, self.durations)
    self.list[number] = path
  end
  path.state = self.settings.every and "unknown" or "off"
  return self:tell(self.settings.every and path, "begin", now)
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

function Paths:state(number)
  return self.list[number]
end

return gn_paths
