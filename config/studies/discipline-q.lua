-- SPDX-License-Identifier: BSD-3-Clause
-- The price of the discipline q for pages in a cell that is not full. Readers of pages of 34 kB on four timeslots:
-- one queue for each mobile, FQ-CoDel at its best setting of aqm-baselines.lua, q, q with lowered windows. 3 x 4
-- points, 5 seeds: 60 runs.
--
--   gbflow sweep config/studies/discipline-q.lua --out out/discipline-q

local q <const> = { ["sgsn.queues.discipline"] = "q" }
local FQ_CODEL <const> = '{ scheme = "fq_codel", scope = "ms", mtu = "20 octets", mtus = "0 %", target = "5 ms", '
  .. 'interval = "100 ms", ecn = false }'
local windows <const> = '{ classes = { "thp1", "thp2", "thp3", "background" } }'

return {
  title = "The price of the discipline q for pages",
  scenario = "../gallery/web-users.lua",
  seeds = 5,
  axes = {
    { name = "readers", set = { "mobiles[1].count" }, values = { 1, 3, 6 } },
    { name = "queues", points = {
      { label = "one for each mobile" },
      { label = "FQ-CoDel a mobile", set = { ["sgsn.queues.aqm"] = FQ_CODEL } },
      { label = "q", set = q },
      { label = "q windows", set = { ["sgsn.queues.discipline"] = "q", ["sgsn.queues.pacing"] = windows } },
    } },
  },
  figures = { "classes.background.page_time_s.p50" },
  baseline = { queues = "one for each mobile" },
}
