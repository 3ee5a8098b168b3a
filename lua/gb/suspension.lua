-- SPDX-License-Identifier: BSD-3-Clause
-- A mobile that its BSS has suspended (48.018 §7.4, §7.5). An instance exists only while the mobile is suspended, or
-- for the length of one event; the reference number of its last suspension outlives it, so that a RESUME which the BSS
-- repeats because it missed the answer is acknowledged again.
--
-- Owner: { mobiles = registry, ms =, fsm = }; `arg` of received events is { via =, pdu =, nse = it came from }.
-- A mobile that is heard in another cell is back, whatever its BSS forgot to say ("ms_heard").
-- rx_resume is one with the right reference number, rx_resume_foreign one with another.

local fsm = require "base.fsm"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_suspension = {}

local SIGNALLING_BVCI <const> = 0
local REFERENCES <const> = 256

local actions = {}

local function answer_suspension(run, rx, pdu)
  pdu.tlli, pdu.routeing_area = rx.pdu.tlli, rx.pdu.routeing_area
  gb_send.bssgp(run, rx.nse.wire, rx.via, SIGNALLING_BVCI, pdu)
end

local function order(owner, run, suspended)
  local ms = owner.ms
  run:emit({ op = "ms_suspend", nsei = ms.cell.nse.nsei, tlli = ms.tlli, suspended = suspended })
end

-- Also when it is suspended already: a BSS that missed the acknowledgement asks again, with the same meaning.
function actions.freeze(owner, run, rx)
  order(owner, run, true)
  answer_suspension(run, rx, { pdu = "suspend_ack", suspend_ref = owner.ms.reference })
end

-- The page ends behind that: the worker then keeps in mind that a message of control waits.
function actions.begin(owner, run, rx)
  local ms, mobiles = owner.ms, owner.mobiles
  ms.reference = ((ms.reference or -1) + 1) % REFERENCES
  mobiles.suspended[ms] = owner
  actions.freeze(owner, run, rx)
  mobiles:end_paging(run, ms, "suspended")
end

function actions.ack_resume(_, run, rx)
  answer_suspension(run, rx, { pdu = "resume_ack" })
end

function actions.thaw_silently(owner, run)
  order(owner, run, false)
end

function actions.thaw(owner, run, rx)
  actions.thaw_silently(owner, run)
  actions.ack_resume(nil, run, rx)
end

function actions.refuse_resume(_, run, rx)
  run:count("resume_refused")
  answer_suspension(run, rx, { pdu = "resume_nack", cause = cause.INCOMPATIBLE_STATE })
end

function actions.forget(owner)
  owner.mobiles.suspended[owner.ms] = nil
end

local function keep(owner)
  local ms = owner.ms
  return owner.fsm.state == "suspended" and { mobile = ms.slot, reference = ms.reference } or nil
end

local machine = fsm.define({
  name = "ms_suspension",
  category = "bssgp",
  about = "of_ms",
  initial = "active",
  keep = keep,
  actions = actions,
  any = {
    rx_resume_foreign = { action = "refuse_resume" },
  },
  states = {
    active = {
      enter = "forget",
      on = {
        rx_suspend = { action = "begin", next = "suspended" },
        rx_resume = { action = "ack_resume" },
      },
    },
    suspended = {
      on = {
        rx_suspend = { action = "freeze" },
        rx_resume = { action = "thaw", next = "active" },
        ms_heard = { action = "thaw_silently", next = "active" },
        ms_gone = { next = "active" },
      },
    },
  },
})

function gb_suspension.new(mobiles, ms)
  local owner = { mobiles = mobiles, ms = ms }
  owner.fsm = fsm.new(machine, owner, ("suspension/%d"):format(ms.slot), mobiles.durations)
  return owner
end

return gb_suspension
