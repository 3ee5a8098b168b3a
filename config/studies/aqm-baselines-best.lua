-- SPDX-License-Identifier: BSD-3-Clause
-- The best settings that aqm-baselines.lua finds, beside no AQM, RED, the discipline q, and q with lowered
-- windows. The settings of docs/papers/fair-sgsn-queues.md are those of another search, which counts what users see:
-- gbflow reproduce search.
--
--   gbflow sweep config/studies/aqm-baselines-best.lua --out out/aqm-baselines-best

local TIGHT <const> = 'mtu = "20 octets", mtus = "0 %"'
local AT_5 <const> = 'target = "5 ms", interval = "100 ms"'
local AT_20 <const> = 'target = "20 ms", interval = "100 ms"'
local PIE <const> = 'target = "20 ms", update = "15 ms", alpha = "125 %", beta = "1250 %"'

-- One buffer for each class.
local function of_class(label, aqm)
  return { label = label, set = { ["sgsn.queues.aqm"] = "{ " .. aqm .. ', scope = "class_of_nse" }' } }
end

-- The mobiles of a class take turns; with flow_queues, and the flows of a mobile.
local function of_mobiles(label, flow_queues, aqm)
  return { label = label, set = { ["sgsn.queues"] = "{ " .. flow_queues .. "aqm = { " .. aqm .. ", ecn = false } }" } }
end

local function with_ecn(label, flow_queues, aqm)
  return { label = label, set = { ["sgsn.queues"] = "{ " .. flow_queues .. "aqm = { " .. aqm .. ", ecn = true } }",
    ["tcp.ecn"] = true } }
end

local FLOWS <const> = "flow_queues = 32, "
local FQ_CODEL <const> = 'scheme = "fq_codel", ' .. TIGHT .. ", " .. AT_20
local COBALT <const> = 'scheme = "cobalt", ' .. TIGHT .. ", " .. AT_20
local FQ_CODEL_MS <const> = 'scheme = "fq_codel", scope = "ms", ' .. TIGHT .. ", " .. AT_5

return {
  title = "AQM in an SGSN: published schemes at their best, and q",
  scenario = "../scenarios/sgsn-aqm.lua",
  seeds = 3,
  axes = { { name = "queues", points = {
    { label = "none" },
    of_class("RED", 'scheme = "red"'),
    of_class("CoDel a class", 'scheme = "codel", ' .. AT_5),
    of_class("PIE a class", 'scheme = "pie", ' .. PIE),
    of_mobiles("PIE a mobile", "", 'scheme = "pie", scope = "ms", mean_octets = "20 octets", ' .. PIE),
    of_mobiles("FQ-CoDel a mobile", "", FQ_CODEL_MS),
    with_ecn("FQ-CoDel a mobile ECN", "", FQ_CODEL_MS),
    of_mobiles("FQ-CoDel", FLOWS, FQ_CODEL),
    with_ecn("FQ-CoDel ECN", FLOWS, FQ_CODEL),
    of_mobiles("COBALT", FLOWS, COBALT),
    with_ecn("COBALT ECN", FLOWS, COBALT),
    { label = "q", set = { ["sgsn.queues.discipline"] = "q" } },
    { label = "q-windows", set = {
      ["sgsn.queues.discipline"] = "q",
      ["sgsn.queues.pacing"] = '{ classes = { "thp2", "thp3", "background" } }',
    } },
  } } },
  figures = { "classes.*" },
  baseline = { queues = "RED" },
}
