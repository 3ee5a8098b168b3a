-- SPDX-License-Identifier: BSD-3-Clause
-- Question: does a bigger window help TCP in GPRS? One download over four timeslots, and a queue that holds any
-- window.

local gprs = require "preset.gprs"

return {
  title = "A download with larger and larger windows",
  duration = "10 min",
  warmup = "2 min",
  sgsn = gprs.sgsn(),
  cells = { gprs.cell(4) },
  mobiles = { gprs.mobile("phone", gprs.download()) },
  study = {
    seeds = 10,
    axes = { { name = "window_kib", set = { "tcp.receive_window" },
      values = { "2 KiB", "3 KiB", "5 KiB", "6 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB" } } },
    figures = { "mobiles.phone.goodput_bps", "tcp.phone#0.rtt_s.avg" },
    baseline = { window_kib = "6 KiB" },
  },
}
