-- SPDX-License-Identifier: BSD-3-Clause
-- Question: what does RED cost the user who asks for least? Eight downloads, and one who listens to speech at 6.4
-- kbit/s. The BSS queue is short: all wait in one buffer of the SGSN, in order of arrival.

local gprs = require "preset.gprs"

local mobiles = { gprs.mobile("listener", gprs.speech()) }
for i = 1, 8 do
  mobiles[1 + i] = gprs.mobile("loader" .. i, gprs.download())
end

return {
  title = "RED, eight downloads, and one who listens",
  duration = "20 min",
  warmup = "2 min",
  sgsn = gprs.sgsn({ queues = { class = { background = { order = "fifo" } } },
    flow_control = { bss_target = "250 ms" } }),
  cells = { gprs.cell(8) },
  mobiles = mobiles,
  study = {
    seeds = 10,
    axes = { { name = "queues", points = {
      { label = "one buffer" },
      { label = "RED", set = { ["sgsn.queues.aqm"] = '{ scheme = "red", scope = "class_of_bvc" }' } },
      { label = "CoDel", set = { ["sgsn.queues.aqm"] = '{ scheme = "codel", scope = "class_of_bvc" }' } },
      { label = "turns of mobiles", set = { ["sgsn.queues"] = "{}" } },
    } } },
    figures = { "mobiles.listener.npdu_in", "mobiles.listener.drops.aqm", "mobiles.listener.delay_s.p95",
      "classes.background.goodput_bps.total" },
    baseline = { queues = "one buffer" },
  },
}
