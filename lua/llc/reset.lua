-- SPDX-License-Identifier: BSD-3-Clause
-- XID with Reset after a restart (44.064 §6.4.1.6, §8.5.3): a mobile whose LLC state gbflow has lost is told to reset
-- its own, on SAPI 1, at most 1 + n200 times. gbflow restarts with V(U) = 0, so only the N(U) expected from the mobile
-- is reset, when it answers.
--
-- Owner: { index =, fsm =, llc = }; llc:send(run, ms, frame) sends. The worker is told to use the default N201-U, which
-- holds for the mobile from then on.

local fsm = require "base.fsm"

local DEFAULT_N201_U <const> = 500 -- of the SAPIs of users' packets, 44.064 table 9
local GMM_SAPI <const> = 1

local actions = {}

function actions.send(ms, run)
  ms.llc:send(run, ms, { sapi = GMM_SAPI, frame = "xid", is_command = true, pf = true,
    xid = { reset = true, iov_ui = ms.iov_ui } })
  run:count("llc_reset_sent")
end

function actions.begin(ms, run)
  ms.agreed = {}
  if ms.n201_u > DEFAULT_N201_U then
    ms.n201_u = DEFAULT_N201_U
    run:emit({ op = "ms_n201", mobile = ms.index, octets = DEFAULT_N201_U })
  end
  actions.send(ms, run)
end

function actions.done(ms, run)
  run:count("llc_reset_done")
  run:emit({ op = "ms_llc_reset", mobile = ms.index })
end

function actions.give_up(_, run)
  run:count("llc_reset_unanswered")
end

-- The record of a mobile, whether it has a machine or not; nil: it has agreed on nothing, and was not told to reset.
local function keep(ms)
  local state = ms.fsm and ms.fsm.state ~= "wanted" and ms.fsm.state or nil
  if not state and not next(ms.agreed) then return nil end
  return { mobile = ms.index, n201_u = ms.n201_u, agreed = ms.agreed, iov_ui = ms.iov_ui, state = state }
end

return fsm.define({
  name = "llc_reset",
  initial = "wanted",
  keep = keep,
  actions = actions,
  timers = {
    t200 = { after = "t200", retries = "n200", again = "t200", out = "t200_out" },
  },
  states = {
    wanted = {
      on = {
        cell_open = { action = "begin", next = "sent" },
      },
    },
    sent = {
      timer = "t200",
      on = {
        cell_open = {},
        t200 = { action = "send" },
        t200_out = { action = "give_up", next = "over" },
        rx_response = { action = "done", next = "over" },
        deleted = { next = "over" },
      },
    },
    over = {
      on = {
        cell_open = {},
      },
    },
  },
})
