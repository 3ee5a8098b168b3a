-- SPDX-License-Identifier: BSD-3-Clause
-- A GTP-C request that waits for its answer (29.060 §11.2): sent, sent again every T3-RESPONSE with the number it had,
-- N3-REQUESTS times in all.
--
--   local r = gn_request.new(id, durations, on_silence)   durations: t3 (ns), repeats (N3-REQUESTS less one);
--                                                         on_silence(run): no answer came
--   r:ask(run, peer, way, message)   peer: gn.peer; gives the message a sequence number. Without a free one the request
--                                    waits for its turn
--   r:finish(run)                    it was answered, or is cancelled
--   r:renumber(run)                  another sequence number: at once, but only once in each T3-RESPONSE, else with the
--                                    next repetition; so a GGSN that answers wrongly each time is not asked faster
--   r:hasten(run)                    earlier repetitions cannot have arrived: sends at once

local fsm = require "base.fsm"

local gn_request = {}

local Request = {}
Request.__index = Request

local actions = {}

function actions.send(request, run)
  request.sent = request.sent + 1
  run:emit(request.peer.send(request.way, request.message))
end

-- The number is kept if no other is free.
local function change_number(request)
  local peer, before = request.peer, request.message.seq
  local seq = peer:take_number(request)
  if not seq then return end
  peer:free_number(before)
  request.message.seq = seq
end

function actions.renumber(request, run)
  if request.has_renumbered then
    request.is_stale = true
    return
  end
  request.has_renumbered = true
  change_number(request)
  actions.send(request, run)
end

function actions.send_again(request, run)
  if request.is_stale then change_number(request) end
  request.has_renumbered, request.is_stale = false, false
  actions.send(request, run)
end

function actions.give_up(request, run)
  request.on_silence(run)
end

-- Frees the sequence number; the request that waits longest for one begins.
function actions.release(request, run)
  request.peer:free_number(request.message.seq)
  local entry = request.peer:next_waiting()
  if entry then entry.request:begin(run) end
end

gn_request.machine = fsm.define({
  name = "gn_request",
  initial = "idle",
  actions = actions,
  timers = { t3 = { after = "t3", retries = "repeats", again = "t3", out = "t3_out" } },
  any = { finish = {}, hasten = {}, renumber = {} },
  states = {
    idle = { on = { ask = { action = "send", next = "asking" } } },
    asking = {
      timer = "t3", leave = "release",
      on = {
        t3 = { action = "send_again" },
        t3_out = { action = "give_up", next = "idle" },
        hasten = { action = "send" },
        renumber = { action = "renumber" },
        finish = { next = "idle" },
      },
    },
  },
})

function gn_request.new(id, durations, on_silence)
  local request = setmetatable({ on_silence = on_silence, sent = 0 }, Request)
  request.fsm = fsm.new(gn_request.machine, request, id, durations)
  return request
end

-- Asks, or waits for a sequence number.
function Request:begin(run)
  self.waiting, self.message.seq = nil, self.peer:take_number(self)
  if self.message.seq then return run:tell(self.fsm, "ask") end
  self.waiting = { request = self }
  self.peer:wait(self.waiting)
end

function Request:ask(run, peer, way, message)
  self.peer, self.way, self.message, self.sent = peer, way, message, 0
  self.has_renumbered, self.is_stale = false, false
  self:begin(run)
end

function Request:finish(run)
  if self.waiting then self.waiting.is_over, self.waiting = true, nil end
  run:tell(self.fsm, "finish")
end

function Request:renumber(run)
  run:tell(self.fsm, "renumber")
end

function Request:hasten(run)
  run:tell(self.fsm, "hasten")
end

return gn_request
