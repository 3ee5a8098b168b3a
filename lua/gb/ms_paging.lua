-- SPDX-License-Identifier: BSD-3-Clause
-- A mobile that something waits for and that has to be paged (48.018 §7.1; 24.008 §4.7.9.1): asked for once, however
-- many packets come, and again after T3313; given up when the retries are used up, until the next packet. Any frame of
-- it is the answer. A cell that was down and is up again is asked at once. A BSS that refuses the page, since the
-- mobile will not listen for long, is not asked for T3313, and by the next packet after that.
--
-- Owner: { mobiles = registry, tlli =, fsm = }. An instance exists while the mobile is paged.

local fsm = require "base.fsm"
local gb_paging = require "gb.paging"

local actions = {}

function actions.page(ms, run)
  gb_paging.send(run, ms.mobiles, ms.tlli)
end

function actions.begin(ms, run)
  ms.mobiles.paged[ms.tlli] = ms
  run:count("paging_started")
  actions.page(ms, run)
end

function actions.report_answer(_, run)
  run:count("paging_answered")
end

function actions.give_up(ms, run)
  run:count("paging_unanswered")
  run:emit({ op = "page_end", nsei = ms.mobiles:cell_of(ms.tlli).nse.nsei, tlli = ms.tlli })
end

-- The next N-PDU starts paging again.
actions.put_off = function(ms, run)
  run:emit({ op = "page_end", nsei = ms.mobiles:cell_of(ms.tlli).nse.nsei, tlli = ms.tlli })
end

function actions.report_refusal(_, run)
  run:count("paging_rejected")
end

function actions.forget(ms)
  ms.mobiles.paged[ms.tlli] = nil
end

local function keep(ms)
  return ms.fsm.state ~= "reachable" and { tlli = ms.tlli, state = ms.fsm.state } or nil
end

return fsm.define({
  name = "ms_paging",
  initial = "reachable",
  keep = keep,
  actions = actions,
  timers = {
    t3313 = { after = "t3313", retries = "t3313_retries", again = "t3313_again", out = "t3313_out" },
    later = { after = "t3313", out = "later" },
  },
  states = {
    reachable = {
      enter = "forget",
      on = {
        wanted = { action = "begin", next = "paging" },
      },
    },
    paging = {
      timer = "t3313",
      on = {
        wanted = {},
        cell_up = { action = "page", next = "paging" },
        reached = { action = "report_answer", next = "reachable" },
        suspended = { action = "put_off", next = "reachable" },
        ms_gone = { next = "reachable" },
        rejected = { action = "report_refusal", next = "refused" },
        t3313_again = { action = "page" },
        t3313_out = { action = "give_up", next = "reachable" },
      },
    },
    refused = {
      timer = "later",
      on = {
        wanted = {},
        cell_up = { action = "page", next = "paging" },
        reached = { action = "report_answer", next = "reachable" },
        suspended = { action = "put_off", next = "reachable" },
        ms_gone = { next = "reachable" },
        rejected = {},
        later = { action = "put_off", next = "reachable" },
      },
    },
  },
})
