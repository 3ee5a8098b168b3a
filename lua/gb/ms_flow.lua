-- SPDX-License-Identifier: BSD-3-Clause
-- The bucket of a mobile in one cell: the cell's defaults, or its own from FLOW-CONTROL-MS while Th runs
-- (48.018 §8.2.3.2.1, table 12.3). An instance exists only while the mobile has values of its own.
--
-- Owner: { bvc =, tlli =, fsm = }; `arg` of rx_flow_control_ms is the values. The worker by itself gives a mobile that
-- moves the defaults of its new cell.

local fsm = require "base.fsm"

local actions = {}

function actions.use_own(ms, run, pdu)
  run:emit({
    op = "ms_flow", nsei = ms.bvc.nse.nsei, bvci = ms.bvc.bvci, tlli = ms.tlli,
    bucket_octets = pdu.bucket_octets, rate_bps = pdu.rate_bps, ratio_percent = pdu.ratio_percent,
  })
end

function actions.use_defaults(ms, run)
  run:emit({ op = "ms_defaults", nsei = ms.bvc.nse.nsei, bvci = ms.bvc.bvci, tlli = ms.tlli })
end

function actions.forget(ms)
  ms.bvc.own_buckets:remove(ms)
end

local function keep(ms)
  return ms.fsm.state == "own" and { nsei = ms.bvc.nse.nsei, bvci = ms.bvc.bvci, tlli = ms.tlli } or nil
end

return fsm.define({
  name = "ms_flow",
  initial = "defaults",
  keep = keep,
  actions = actions,
  timers = {
    th = { after = "th", out = "th_expired" },
  },
  states = {
    defaults = {
      enter = "forget",
      on = {
        rx_flow_control_ms = { action = "use_own", next = "own" },
      },
    },
    own = {
      timer = "th",
      on = {
        rx_flow_control_ms = { action = "use_own", next = "own" },
        th_expired = { action = "use_defaults", next = "defaults" },
        bvc_reset = { next = "defaults" },
        ms_left = { next = "defaults" },
      },
    },
  },
})
