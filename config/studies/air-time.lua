-- SPDX-License-Identifier: BSD-3-Clause
-- Shares of octets against shares of the air: two downloads each at a C/I of 6, 14 and 24 dB share four timeslots with
-- link adaptation. The BSS tells no R of mobiles, or that of their coding schemes. 3 x 2 points, 3 seeds: 18 runs.
--
--   gbflow sweep config/studies/air-time.lua --out out/air-time

local told <const> = "{ by_coding = true }"
local windows <const> = '{ classes = { "background" } }'

local function reader(name, ci_db)
  return { name = name, class = "background", count = 2, ci_db = ci_db,
    traffic = { { download = { octets = "infinite" } } } }
end

return {
  title = "Shares of octets and of the air",
  duration = "600 s",
  warmup = "150 s",
  network = { server_delay = "100 ms" },
  tcp = { mss = "1400 octets", cc = "cubic" },
  sgsn = { queues = { discipline = "q" } },

  cells = {
    {
      bvci = 2, pdchs = 4, downlink_slots = 4, coding = "MCS-9",
      link = { ci_db = 15, adaptation = "egprs" },
      -- R of the cell is that of MCS-9. At the thresholds the BSS stops the SGSN, whose shares hold then.
      flow_control = { every = "2 s", thresholds = { stop = "20 kB", go = "15 kB" }, bvc = { bucket = "20 kB" },
        ms_default = { bucket = "10 kB" } },
    },
  },

  mobiles = { reader("edge", 6), reader("ring", 14), reader("middle", 24) },

  study = {
    seeds = 3,
    axes = {
      { name = "share", points = {
        { label = "no R told" },
        { label = "octets", set = { ["cells[1].flow_control.ms"] = told } },
        { label = "air time", set = { ["cells[1].flow_control.ms"] = told, ["sgsn.queues.share"] = "airtime" } },
      } },
      { name = "TCP", points = {
        { label = "q" }, { label = "q windows", set = { ["sgsn.queues.pacing"] = windows } },
      } },
    },
    figures = { "classes.background.goodput_bps.total", "mobiles.*.goodput_bps", "classes.background.delay_s.p95" },
  },
}
