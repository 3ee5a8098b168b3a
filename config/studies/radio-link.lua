-- SPDX-License-Identifier: BSD-3-Clause
-- Throughput of one saturated mobile on one PDCH over its C/I: fixed coding schemes, GPRS and EGPRS with link
-- adaptation, with and without incremental redundancy. 16 C/I x 18 schemes, 1 seed: 288 runs.
--
--   gbflow run config/studies/radio-link.lua
--   gbflow sweep config/studies/radio-link.lua --out out/radio-link
--
-- The figure is classes.background.goodput_bps.total. A packet has 472 octets of payload and takes 511 octets of RLC
-- blocks: 28 of UDP and IP, 4 of SNDCP, 6 of LLC, one length indicator. The fixed schemes have no incremental
-- redundancy, so their throughput is payload x (1 - BLER). docs/radio.md describes the model of `link`.

local function scheme(label, coding, adaptation, redundancy)
  return { label = label, set = { ["cells[1].coding"] = coding, ["cells[1].link.adaptation"] = adaptation,
    ["cells[1].link.incremental_redundancy"] = redundancy } }
end

local SCHEMES <const> = {
  scheme("EGPRS", "MCS-9", "egprs", true), scheme("EGPRS without IR", "MCS-9", "egprs", false),
  scheme("GPRS", "CS-4", "gprs", false), scheme("MCS-9 with IR", "MCS-9", "none", true),
  scheme("MCS-6 with IR", "MCS-6", "none", true),
}
for i = 1, 4 do
  SCHEMES[#SCHEMES + 1] = scheme("CS-" .. i, "CS-" .. i, "none", false)
end
for i = 1, 9 do
  SCHEMES[#SCHEMES + 1] = scheme("MCS-" .. i, "MCS-" .. i, "none", false)
end

return {
  title = "Throughput of one mobile over C/I",
  duration = "400 s",
  warmup = "20 s",
  network = { server_delay = "0 s", gn_delay = "1 ms", gb_delay = "1 ms" },
  sgsn = { n201_u = "520 octets", queue_limit = "4 kB", lifetime = { mode = "sgsn_only", sgsn_max = "infinite" } },

  cells = {
    {
      bvci = 2, pdchs = 1, downlink_slots = 1, coding = "MCS-9",
      retransmission = "20 ms", -- so that no window fills: the throughput is that of the blocks alone
      window = 2048,
      link = { ci_db = 15, adaptation = "egprs" },
      -- A short queue in the BSS, which never overflows; the rest waits, and is dropped, in the SGSN.
      flow_control = { bucket_time = "2 s", thresholds = { stop = "4 kB", go = "2 kB" } },
    },
  },

  -- More than MCS-9 carries.
  mobiles = {
    { name = "anna", class = "background", traffic = { { cbr = { rate = "64 kbit/s", packet = "500 octets" } } } },
  },

  study = {
    seeds = 1,
    axes = {
      { name = "ci_db", set = { "cells[1].link.ci_db" }, range = { from = 0, to = 30, step = 2 } },
      { name = "scheme", points = SCHEMES },
    },
    figures = { "classes.background.goodput_bps.total", "cells.*" },
  },
}
