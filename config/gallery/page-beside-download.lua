-- SPDX-License-Identifier: BSD-3-Clause
-- Question: what does fair queueing by 5-tuple change for a web page beside a download? A phone reads pages while it
-- loads a file; another one, in a cell of its own, only reads. The BSS queue is short: the SGSN decides what is next.

local gprs = require "preset.gprs"

return {
  title = "A web page beside the same user's download",
  duration = "30 min",
  warmup = "1 min",
  sgsn = gprs.sgsn({ flow_control = { bss_target = "250 ms" } }),
  cells = { gprs.cell(4, { bvci = 2 }), gprs.cell(4, { bvci = 3 }) },
  mobiles = {
    { name = "phone", cell = 2, class = "thp2", traffic = { gprs.pages(), gprs.download() } },
    { name = "reader", cell = 3, class = "thp3", traffic = { gprs.pages() } },
  },
  study = {
    seeds = 10,
    axes = { { name = "queues", points = {
      { label = "one queue" },
      { label = "flow queues", set = { ["sgsn.queues.flow_queues"] = 32 } },
    } } },
    figures = { "classes.*.page_time_s.p50", "classes.*.page_time_s.p95", "mobiles.phone.goodput_bps" },
    baseline = { queues = "one queue" },
  },
}
