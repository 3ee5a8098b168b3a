-- SPDX-License-Identifier: BSD-3-Clause
-- Question: how deep must the BSS queue be? A phone loads a file and pings. Flow queues let the ping pass in the SGSN,
-- so that it waits in the BSS alone, whose bucket lets in as much as `depth` at the announced rate.

local gprs = require "preset.gprs"

return {
  title = "Depth of the queue in the BSS",
  duration = "10 min",
  warmup = "2 min",
  sgsn = gprs.sgsn({ queues = { flow_queues = 32 } }),
  cells = { gprs.cell(4) },
  mobiles = { gprs.mobile("phone", gprs.download(), gprs.ping()) },
  study = {
    seeds = 10,
    axes = {
      { name = "air", points = {
        { label = "rate as announced", set = { ["cells[1].bler"] = "0 %" } },
        { label = "5 % of blocks broken" },
        { label = "5 % broken and bss_target", set = { ["sgsn.flow_control.bss_target"] = "250 ms" } },
      } },
      { name = "depth_s", set = { "cells[1].flow_control.bucket_time" },
        values = { "0.3 s", "0.5 s", "1 s", "2 s", "4 s", "8 s" } },
    },
    figures = { "ping.phone.rtt_s.p50", "mobiles.phone.goodput_bps" },
    baseline = { depth_s = "0.3 s" },
  },
}
