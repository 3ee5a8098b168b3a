-- SPDX-License-Identifier: BSD-3-Clause
-- Question: why does my ping wait behind my own download? Three cells alike: a phone that only pings, one that also
-- loads a file, and one that pings beside the download of another phone.

local gprs = require "preset.gprs"

return {
  title = "A ping behind the same user's download",
  duration = "5 min",
  warmup = "30 s",
  sgsn = gprs.sgsn(),
  cells = { gprs.cell(4, { bvci = 2 }), gprs.cell(4, { bvci = 3 }), gprs.cell(4, { bvci = 4 }) },
  mobiles = {
    { name = "alone", cell = 2, traffic = { gprs.ping() } },
    { name = "own", cell = 3, traffic = { gprs.ping(), gprs.download() } },
    { name = "beside", cell = 4, traffic = { gprs.ping() } },
    { name = "other", cell = 4, traffic = { gprs.download() } },
  },
  study = {
    seeds = 10,
    axes = { { name = "queues", points = {
      { label = "one queue" },
      { label = "flow queues", set = { ["sgsn.queues.flow_queues"] = 32 } },
      { label = "flow queues + short BSS queue", set = {
        ["sgsn.queues.flow_queues"] = 32, ["sgsn.flow_control.bss_target"] = "250 ms" } },
    } } },
    figures = { "ping.*.rtt_s.p50", "mobiles.own.goodput_bps" },
    baseline = { queues = "one queue" },
  },
}
