-- SPDX-License-Identifier: BSD-3-Clause
-- A GTP-C request that waits for its answer (29.060 §11.2): sent, sent again every T3-RESPONSE with the number it had,
-- N3-REQUESTS times in all.
--
--   local r = gn_request.new(id, durations, session)   durations: t3 (ns), repeats (N3-REQUESTS less one); the session
--                                    is posted "silent" if no answer came, "refused" if its message cannot be made
--   r:ask(run, peer, way, message, is_late)   peer: of gn.peers; gives the message a sequence number. Without a free
--                                    one the request waits for a place. With is_late it is sent after T3-RESPONSE
--   r:finish(run)                    it was answered, or is cancelled
--   event "renumber" of r.fsm        another sequence number: at once, but only once in each T3-RESPONSE, else with the
--                                    next repetition; so a GGSN that answers wrongly each time is not asked faster

local fsm = require "base.fsm"

local gn_request = {}

local SYSTEM_FAILURE <const> = 204 -- a cause of 29.060 §7.7.1

local Request = {}
Request.__index = Request

local request_actions = {}

-- A phone has a say in some elements: one that the codec does not take is a refusal, no error of control, so that the
-- phone is answered.
function request_actions.send(request, run)
  local session = request.session
  local is_made, intent = pcall(request.peer.send, request.way, request.message)
  request.sent = request.sent + 1
  if is_made then
    if fsm.trace then fsm.trace.message(run, "gtpc", session, "session", "sends " .. request.message.type) end
    return run:emit(intent)
  end
  if session.cause ~= SYSTEM_FAILURE then
    run:log("warning", "%s: the request cannot be made: %s", session.name, (intent:gsub("^%S+:%d+: ", "")))
  end
  session.cause = SYSTEM_FAILURE
  run:post(session.fsm, "refused", { cause = SYSTEM_FAILURE })
end

-- The number is kept if no other is free.
local function change_number(request)
  local peer, before = request.peer, request.message.seq
  local seq = peer:take_number(request)
  if not seq then return end
  peer:free_number(before)
  request.message.seq = seq
end

function request_actions.renumber(request, run)
  if request.has_renumbered then
    request.is_stale = true
    return
  end
  request.has_renumbered = true
  change_number(request)
  request_actions.send(request, run)
end

function request_actions.send_again(request, run)
  if request.is_stale then change_number(request) end
  request.has_renumbered, request.is_stale = false, false
  request_actions.send(request, run)
end

function request_actions.give_up(request, run)
  run:post(request.session.fsm, "silent")
end

-- Frees the sequence number; the request that waits longest for one begins.
function request_actions.release(request, run)
  request.peer:free_number(request.message.seq)
  local entry = request.peer:next_waiting()
  if entry then entry.request:begin(run) end
end

local request_machine = fsm.define({
  name = "gn_request",
  category = "gtpc",
  about = "of_session",
  initial = "idle",
  actions = request_actions,
  timers = { t3 = { after = "t3", retries = "repeats", again = "t3", out = "t3_out" } },
  any = { finish = {}, renumber = {} },
  states = {
    idle = { on = { ask = { action = "send", next = "asking" }, ask_late = { next = "asking" } } },
    asking = {
      timer = "t3", leave = "release",
      on = {
        t3 = { action = "send_again" },
        t3_out = { action = "give_up", next = "idle" },
        renumber = { action = "renumber" },
        finish = { next = "idle" },
      },
    },
  },
})

function gn_request.new(id, durations, session)
  local request = setmetatable({ session = session, sent = 0 }, Request)
  request.fsm = fsm.new(request_machine, request, id, durations)
  return request
end

-- Asks, or waits for a sequence number.
function Request:begin(run)
  self.waiting, self.message.seq = nil, self.peer:take_number(self)
  if self.message.seq then return run:tell(self.fsm, self.is_late and "ask_late" or "ask") end
  self.waiting = { request = self }
  self.peer:wait(self.waiting)
end

function Request:ask(run, peer, way, message, is_late)
  self.peer, self.way, self.message, self.sent, self.is_late = peer, way, message, 0, is_late
  self.has_renumbered, self.is_stale = false, false
  self:begin(run)
end

function Request:finish(run)
  if self.waiting then self.waiting.is_over, self.waiting = true, nil end
  run:tell(self.fsm, "finish")
end

return gn_request
