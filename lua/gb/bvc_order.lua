-- SPDX-License-Identifier: BSD-3-Clause
-- BVC-RESET of a cell by an operator (48.018 §8.4): repeated after T2, three times. The cell is out of service until
-- the BSS has answered, or has reset the cell by itself.
--
--   gb_bvc_order.reset(run, bvc, id)   id: of the act (base.acts)
--   gb_bvc_order.done(run, bvc)        the BSS has reset the cell
--   gb_bvc_order.stop(run, bvc)        the cell is deleted
--   gb_bvc_order.adopt(run, bvc, kept) after a restart of control
--   gb_bvc_order.MOST_NS               the longest time until the end
--
-- Owner: bvc.order, { bvc =, act =, fsm = }.

local acts = require "base.acts"
local fsm = require "base.fsm"
local gb_send = require "gb.send"
local cause = require("gb.cause").bssgp

local gb_bvc_order = {}

local SIGNALLING_BVCI <const> = 0
local DURATIONS <const> = { t2 = 5000000000, t2_retries = 3 }

gb_bvc_order.MOST_NS = DURATIONS.t2 * (DURATIONS.t2_retries + 1)

local actions = {}

function actions.ask(order, run)
  local bvc = order.bvc
  bvc.is_reset_by_us = true
  run:count("bvc_reset_sent")
  gb_send.to_nse(run, bvc.nse, SIGNALLING_BVCI, { pdu = "bvc_reset", bvci = bvc.bvci, cause = cause.OM_INTERVENTION })
end

function actions.note_answer(order, run)
  acts.settle(run, order, true, "the BSS has reset the cell")
end

function actions.give_up(order, run)
  run:count("bvc_reset_failed")
  acts.settle(run, order, false, ("no answer to BVC-RESET, sent %d times, %d s apart; the cell is out of service until "
    .. "the BSS resets it"):format(DURATIONS.t2_retries + 1, DURATIONS.t2 // 1000000000))
end

function actions.stop(order, run)
  acts.settle(run, order, false, "the cell was deleted")
end

function actions.forget(order)
  order.bvc.order = nil
end

local function keep(order)
  local bvc = order.bvc
  return order.fsm.state == "asking" and { nsei = bvc.nse.nsei, bvci = bvc.bvci, act = order.act } or nil
end

local machine = fsm.define({
  name = "bvc_order",
  category = "bssgp",
  about = "of_bvc",
  initial = "idle",
  keep = keep,
  actions = actions,
  timers = { t2 = { after = "t2", retries = "t2_retries", again = "t2", out = "t2_out" } },
  states = {
    idle = { enter = "forget", on = { begin = { next = "asking" } } },
    asking = {
      enter = "ask",
      timer = "t2",
      on = {
        t2 = { action = "ask" },
        t2_out = { action = "give_up", next = "idle" },
        done = { action = "note_answer", next = "idle" },
        stop = { action = "stop", next = "idle" },
      },
    },
  },
})

local function new(bvc, act)
  local order = { bvc = bvc, act = act }
  order.fsm = fsm.new(machine, order, ("order/%d/%d"):format(bvc.nse.nsei, bvc.bvci), DURATIONS)
  bvc.order = order
  return order
end

function gb_bvc_order.reset(run, bvc, id)
  run:tell(bvc.fsm, "signalling_reset")
  run:tell(new(bvc, id).fsm, "begin")
end

function gb_bvc_order.done(run, bvc)
  if bvc.order then run:tell(bvc.order.fsm, "done") end
end

function gb_bvc_order.stop(run, bvc)
  if bvc.order then run:tell(bvc.order.fsm, "stop") end
end

function gb_bvc_order.adopt(run, bvc, kept)
  bvc.is_reset_by_us = true
  run:restore(new(bvc, kept.act).fsm, "asking")
end

return gb_bvc_order
