-- SPDX-License-Identifier: BSD-3-Clause
-- A mobile that its BSS has suspended (48.018 §7.4, §7.5). An instance exists only while the mobile is suspended, or
-- for the length of one event; the reference number of its last suspension outlives it, so that a RESUME which the BSS
-- repeats because it missed the answer is acknowledged again.
--
-- Owner: { mobiles = registry, tlli =, fsm = }; `arg` of received events is { via =, pdu =, nse = it came from }.
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

local function order(ms, run, suspended)
  run:emit({ op = "ms_suspend", nsei = ms.mobiles:cell_of(ms.tlli).nse.nsei, tlli = ms.tlli, suspended = suspended })
end

-- Also when it is suspended already: a BSS that missed the acknowledgement asks again, with the same meaning.
function actions.freeze(ms, run, rx)
  order(ms, run, true)
  answer_suspension(run, rx, { pdu = "suspend_ack", suspend_ref = ms.mobiles.references[ms.tlli] })
end

function actions.begin(ms, run, rx)
  local references = ms.mobiles.references
  references[ms.tlli] = ((references[ms.tlli] or -1) + 1) % REFERENCES
  ms.mobiles.suspended[ms.tlli] = ms
  ms.mobiles:end_paging(run, ms.tlli, "suspended")
  actions.freeze(ms, run, rx)
end

function actions.ack_resume(_, run, rx)
  answer_suspension(run, rx, { pdu = "resume_ack" })
end

function actions.thaw_silently(ms, run)
  order(ms, run, false)
end

function actions.thaw(ms, run, rx)
  actions.thaw_silently(ms, run)
  actions.ack_resume(ms, run, rx)
end

function actions.refuse_resume(_, run, rx)
  run:count("resume_refused")
  answer_suspension(run, rx, { pdu = "resume_nack", cause = cause.INCOMPATIBLE_STATE })
end

function actions.forget(ms)
  ms.mobiles.suspended[ms.tlli] = nil
end

local function keep(ms)
  return ms.fsm.state == "suspended" and { tlli = ms.tlli, reference = ms.mobiles.references[ms.tlli] } or nil
end

local machine = fsm.define({
  name = "ms_suspension",
  category = "bssgp",
  about = "of_tlli",
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

function gb_suspension.new(mobiles, tlli)
  local owner = { mobiles = mobiles, tlli = tlli }
  owner.fsm = fsm.new(machine, owner, ("suspension/%08x"):format(tlli), mobiles.durations)
  return owner
end

return gb_suspension
