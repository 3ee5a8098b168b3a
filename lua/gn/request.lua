-- SPDX-License-Identifier: BSD-3-Clause
-- A GTP-C request that waits for its answer (29.060 §11.2): sent, sent again every T3-RESPONSE with the number it had,
-- N3-REQUESTS times in all.
--
--   local r = gn_request.new(id, durations, on_silence)   durations: t3 (ns), repeats (N3-REQUESTS less one);
--                                                         on_silence(run): no answer
--   r:ask(run, peer, way, message)   peer: { pending = {}, seq =, send = function(way, message) -> intent }; takes the
--                                    number of the message
--   r:finish(run)                    it was answered, or is cancelled
--   r:hasten(run)                    earlier repetitions cannot have arrived: sends at once

local fsm = require "base.fsm"

local gn_request = {}

local Request = {}
Request.__index = Request

local SEQ_MODULUS <const> = 65536

local actions = {}

function actions.send(request, run)
  request.sent = request.sent + 1
  run:emit(request.peer.send(request.way, request.message))
end

function actions.give_up(request, run)
  request.on_silence(run)
end

function actions.release(request)
  request.peer.pending[request.message.seq] = nil
end

gn_request.machine = fsm.define({
  name = "gn_request",
  initial = "idle",
  actions = actions,
  timers = { t3 = { after = "t3", retries = "repeats", again = "t3", out = "t3_out" } },
  any = { finish = {}, hasten = {} },
  states = {
    idle = { on = { ask = { action = "send", next = "asking" } } },
    asking = {
      timer = "t3", leave = "release",
      on = {
        t3 = { action = "send" },
        t3_out = { action = "give_up", next = "idle" },
        hasten = { action = "send" },
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

local function take_number(peer)
  repeat
    peer.seq = (peer.seq + 1) % SEQ_MODULUS
  until not peer.pending[peer.seq]
  return peer.seq
end

function Request:ask(run, peer, way, message)
  message.seq = take_number(peer)
  peer.pending[message.seq] = self
  self.peer, self.way, self.message, self.sent = peer, way, message, 0
  run:tell(self.fsm, "ask")
end

function Request:finish(run)
  run:tell(self.fsm, "finish")
end

function Request:hasten(run)
  run:tell(self.fsm, "hasten")
end

return gn_request
