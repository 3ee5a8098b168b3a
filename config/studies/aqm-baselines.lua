-- SPDX-License-Identifier: BSD-3-Clause
-- The times at which published AQM schemes have the shortest packet delays without slower pages in the scenario of
-- docs/papers/fair-sgsn-queues.md, hosts of 2006: CoDel and PIE in one buffer for each class, PIE and FQ-CoDel for each
-- mobile, FQ-CoDel and COBALT (CAKE's) in flow queues of mobiles; mobiles take turns. 141 points, one seed;
-- aqm-baselines-best.lua has the best of each, with three seeds. `gbflow reproduce search` counts what users see, pings
-- included.
--
--   gbflow sweep config/studies/aqm-baselines.lua --out out/aqm-baselines
--
-- The best setting of a scheme has the least geometric mean of five ratios to RED: delay p95 of thp2, thp3 and
-- background, page time p95 of thp2 and thp3, unfinished pages censored (from `pages` of each run's summary.json),
-- among those with at least 98 % of the octets of TCP without AQM. So no figure counts for more because its values
-- are larger, and idle air is no remedy. Intervals below 100 ms are here to show where they lead, and are not chosen:
-- CoDel's interval is a round trip or more, and that of the empty network is 0.48 s. One buffer with CoDel has ever
-- shorter delays with them, and pages that take longer than with RED.

-- In ms.
local TIMES <const> = {
  { target = 5, interval = 10 }, { target = 20, interval = 50 }, { target = 5, interval = 100 },
  { target = 20, interval = 100 }, { target = 50, interval = 200 }, { target = 100, interval = 500 },
  { target = 1000, interval = 2000 },
}
local PIE_TARGETS <const> = { 20, 50, 200, 1000 }
-- Update, alpha and beta: RFC 8033's for a target of 15 ms; ten times as strong; weaker; and slower.
local UPDATES <const> = { { 15, 12.5, 125 }, { 15, 125, 1250 }, { 15, 1.25, 12.5 }, { 200, 12.5, 125 } }

-- The RFC's values for slow links. tight: one packet behind the first is enough for a signal, not two, and the target
-- is not longer at low rates.
local VARIANTS <const> = { { "", "" }, { " tight", ', mtu = "20 octets", mtus = "0 %"' } }
local FLOW_SCHEMES <const> = {
  { "FQ-CoDel a mobile", "fq_codel", ', scope = "ms"' }, { "FQ-CoDel", "fq_codel" }, { "COBALT", "cobalt" },
}
local PIES <const> = {
  { label = "PIE a class", set = 'scheme = "pie", scope = "class_of_nse"' },
  { label = "PIE a mobile", set = 'scheme = "pie", scope = "ms"', is_fair = true },
  { label = "PIE a mobile tight", set = 'scheme = "pie", scope = "ms", mean_octets = "20 octets"', is_fair = true },
}
-- is_fair: the mobiles of a class take turns. has_flows: and the flows of a mobile.
local SCHEMES <const> = { { label = "CoDel a class", set = 'scheme = "codel", scope = "class_of_nse"' } }

local function each(list)
  local i = 0
  return function()
    i = i + 1
    return list[i]
  end
end

for variant in each(VARIANTS) do
  for row in each(FLOW_SCHEMES) do
    for ecn in each({ "false", "true" }) do
      SCHEMES[#SCHEMES + 1] = { is_fair = true, has_flows = not row[3], has_ecn = ecn == "true",
        label = row[1] .. (ecn == "true" and " ECN" or "") .. variant[1],
        set = string.format('scheme = "%s"%s, ecn = %s%s', row[2], row[3] or "", ecn, variant[2]) }
    end
  end
end

-- The scenario has one buffer for each class; without its `class` the mobiles of a class take turns.
local function changes(scheme, times)
  local aqm = string.format("{ %s, %s }", scheme.set, times)
  local set = { ["sgsn.queues.aqm"] = aqm }
  if scheme.is_fair then
    set = { ["sgsn.queues"] = string.format("{ %saqm = %s }", scheme.has_flows and "flow_queues = 32, " or "", aqm) }
  end
  if scheme.has_ecn then
    set["tcp.ecn"] = true
  end
  return set
end

local points = {
  { label = "none" },
  { label = "RED", set = { ["sgsn.queues.aqm"] = '{ scheme = "red", scope = "class_of_nse" }' } },
}

local function add(scheme, label, times)
  points[#points + 1] = { label = scheme.label .. " " .. label, set = changes(scheme, times) }
end

for scheme in each(SCHEMES) do
  for row in each(TIMES) do
    add(scheme, string.format("%d of %d ms", row.target, row.interval),
      string.format('target = "%d ms", interval = "%d ms"', row.target, row.interval))
  end
end

for scheme in each(PIES) do
  for target in each(PIE_TARGETS) do
    for row in each(UPDATES) do
      add(scheme, string.format("%d ms every %d ms alpha %s %%", target, row[1], row[2]),
        string.format('target = "%d ms", update = "%d ms", alpha = "%s %%", beta = "%s %%"', target, row[1], row[2],
          row[3]))
    end
  end
end

return {
  title = "AQM in an SGSN: the best times of each scheme",
  scenario = "../scenarios/sgsn-aqm.lua",
  seeds = 1,
  axes = { { name = "queues", points = points } },
  figures = { "classes.*" },
  baseline = { queues = "RED" },
}
