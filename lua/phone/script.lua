-- SPDX-License-Identifier: BSD-3-Clause
-- Script of a phone's user from its first context on, or from its attach where it wants none: the steps of the
-- settings, one behind the other, `rounds` times. A step waits until no procedure is in progress, but `move`, which may
-- come at any time. Owner: a phone of phone.phones.

local fsm = require "base.fsm"

local POLL <const> = 100000000

local actions = {}

local BUSY <const> = { attaching = true, updating = true, detaching = true, activating = true, deactivating = true }

local function is_busy(phone)
  return BUSY[phone.fsm.state] or BUSY[phone.session.state]
end

-- The step whose turn it is; nil: all are done.
local function step_of(phone)
  local settings = phone.phones.settings
  local script, number = settings.script, phone.step or 0
  return number < #script * settings.rounds and script[number % #script + 1] or nil
end

function actions.choose(phone)
  local step = step_of(phone)
  phone.durations.step = step and not phone.is_late and step.after or POLL
end

function actions.act(phone, run)
  local step = step_of(phone)
  phone.is_late = is_busy(phone) and not (step and step.what == "move")
  if phone.is_late then return end
  if not step then return run:post(phone.script, "finished") end
  phone.step = (phone.step or 0) + 1
  phone.phones:perform(run, phone, step.what)
end

function actions.tell(phone, run)
  run:emit({ what = "done", phone = phone.number })
end

return fsm.define({
  name = "phone_script",
  initial = "idle",
  actions = actions,
  timers = { step = { after = "step", out = "due" } },
  any = { begin = {}, finished = { next = "done" } },
  states = {
    idle = { on = { begin = { next = "waiting" } } },
    waiting = { enter = "choose", timer = "step", on = { due = { action = "act", next = "waiting" } } },
    done = { enter = "tell" },
  },
})
