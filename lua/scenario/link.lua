-- SPDX-License-Identifier: BSD-3-Clause
-- The key `link` of a scenario's cell: C/I of mobiles, link adaptation, RLC of EGPRS (bss/link_quality.h,
-- bss/link_adaptation.h, bss/radio_link.h), and the mobiles' own C/I.

local scenario_radio = require "scenario.radio"
local schema = require "schema.schema"

local scenario_link = {}
local duration = schema.duration

-- TS 44.060 table 9.1.9.2.1: the greatest RLC window of EGPRS by the number of timeslots.
local WINDOW_STEP <const>, ONE_SLOT <const>, EACH_SLOT <const> = 32, 192, 128

local function db(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "number", min, max
  return rest
end

local function ratio(doc, rest)
  rest.doc = doc
  return db("ci_db", -50, 100, rest)
end

local TRACE = { name = "trace", type = "record", noun = "a trace", absent = "none",
  doc = "Mean C/I over time from a table (CSV), in place of `ci_db`; before its first row `ci_db` holds.", fields = {
    scenario_radio.trace_file("rows `time_s,ci_db`: C/I from that time on, -50 to 100 dB"),
    scenario_radio.trace_every("the rows"),
  } }

local CURVE = { type = "record", noun = "a curve", fields = {
  { name = "coding", type = "enum", values = scenario_radio.NAMES, required = true, doc = "coding scheme" },
  ratio("its C/I of a block error rate of 10 %", { required = true }),
} }

-- The key of a cell.
scenario_link.FIELD = { name = "link", type = "record", noun = "link", absent = "none",
  doc = "C/I of the mobiles, which decides on blocks with errors and on coding schemes (docs/radio.md). In place of "
    .. "`bler`, `bler_up`, `bler_trace`, `fading`, `block_octets` and `block_octets_up`.", fields = {
    ratio("mean C/I in dB, fast fading averaged", { required = true }),
    db("spread_db", 0, 30, { default = 0, doc = "standard deviation of the mobiles' means; each is drawn once" }),
    db("shadowing_db", 0, 30, { default = 0, doc = "standard deviation of log-normal shadowing over time" }),
    duration("decorrelation", "20 ms", "600 s", "1 s", "time in which the correlation of shadowing falls to 1/e"),
    db("uplink_db", -50, 50, { default = 0, doc = "C/I of the uplink less that of the downlink" }),
    TRACE,
    { name = "curves", type = "list", item = CURVE, min = 1, max = #scenario_radio.NAMES,
      absent = "the table of docs/radio.md", doc = "Block error rates of single schemes, by the C/I of 10 %: the curve "
        .. "of docs/radio.md is moved there." },
    { name = "adaptation", type = "enum", values = { "none", "gprs", "egprs" }, default = "none",
      doc = "none: every block has `coding`. gprs: CS-1 up to `coding`. egprs: MCS-1 up to `coding`. The scheme is "
        .. "the one with the greatest payload x (1 - BLER) at the filtered C/I" },
    { name = "initial", type = "enum", values = scenario_radio.NAMES, absent = "CS-1 or MCS-1",
      doc = "with adaptation: coding scheme of a mobile's blocks until its first report in the cell" },
    db("hysteresis_db", 0, 20, { absent = "gprs: 2; egprs: 0",
      doc = "with adaptation: distance in dB between the C/I at which the scheme rises and falls" }),
    duration("t_avg", "10 ms", "60 s", "240 ms", "with adaptation: period of the filter of C/I; its forgetting factor "
      .. "is block period / `t_avg`, at most 1 (TS 45.008)"),
    duration("report", "20 ms", "10 s", "200 ms", "with adaptation: interval of acknowledgements with the filtered "
      .. "C/I, which change the scheme"),
    { name = "incremental_redundancy", type = "boolean", default = true,
      doc = "EGPRS: what is received of a block with errors counts for its repetition" },
    { name = "resegmentation", type = "boolean", default = true,
      doc = "EGPRS: a block may be repeated in two halves, in a lower scheme of its family" },
    { name = "window", type = "integer", min = 64, max = 1024, absent = "the greatest for the slots",
      doc = "EGPRS: RLC window in steps of 32, in place of the cell's `window`: up to 192 with one timeslot, 128 x "
        .. "timeslots with more" },
    { name = "tti", type = "enum", values = { "20 ms", "10 ms" }, default = "20 ms",
      doc = "block period. 10 ms: reduced TTI of EGPRS, two PDCHs carry one block; `pdchs` and both slots are even" },
  } }

-- The key of a mobile.
scenario_link.MOBILE = ratio("mean C/I of these mobiles in cells with `link`, in place of that of the cell",
  { absent = "that of the cell" })

local function is_egprs(coding)
  return coding:sub(1, 1) == "M"
end

local function greatest_window(slots)
  return slots == 1 and ONE_SLOT or EACH_SLOT * slots
end

local function place_of(coding)
  for i, name in ipairs(scenario_radio.NAMES) do
    if name == coding then
      return i
    end
  end
end

local function check_window(cell, fail)
  local link = cell.link
  if not is_egprs(cell.coding) then
    if link.window then
      fail({ "link", "window" }, string.format("%d is for EGPRS, and coding is %s: give `window` of the cell",
        link.window, cell.coding))
    end
    link.window_down, link.window_up = cell.window, cell.window
    return
  end
  local down = greatest_window(math.min(cell.downlink_slots, cell.pdchs))
  local up = greatest_window(math.min(cell.uplink_slots, cell.pdchs))
  if link.window and link.window % WINDOW_STEP ~= 0 then
    fail({ "link", "window" }, string.format("%d is no multiple of %d", link.window, WINDOW_STEP))
  elseif link.window and link.window > down then
    fail({ "link", "window" }, string.format("%d is more than downlink_slots allow: 64 .. %d", link.window, down))
  end
  link.window_down = link.window or down
  link.window_up = math.min(link.window or up, up)
end

local KINDS = { gprs = "CS-1 to CS-4", egprs = "MCS-1 to MCS-9" }

local function check_adaptation(cell, fail)
  local link, lowest = cell.link, is_egprs(cell.coding) and "MCS-1" or "CS-1"
  if link.adaptation ~= "none" and is_egprs(cell.coding) ~= (link.adaptation == "egprs") then
    fail({ "link", "adaptation" }, string.format('"%s" needs a coding of %s, and coding is %s', link.adaptation,
      KINDS[link.adaptation], cell.coding))
  end
  link.initial = link.initial or lowest
  if place_of(link.initial) < place_of(lowest) or place_of(link.initial) > place_of(cell.coding) then
    fail({ "link", "initial" }, string.format("%s is not between %s and coding, %s", link.initial, lowest,
      cell.coding))
  end
  link.hysteresis_db = link.hysteresis_db or link.adaptation == "gprs" and 2 or 0
end

local function check_tti(cell, fail)
  if cell.link.tti ~= "10 ms" then
    return
  end
  if not is_egprs(cell.coding) then
    fail({ "link", "tti" }, string.format('"10 ms" is for EGPRS, and coding is %s', cell.coding))
  end
  for _, name in ipairs({ "pdchs", "downlink_slots", "uplink_slots" }) do
    if cell[name] % 2 ~= 0 then
      fail({ "link", "tti" }, string.format('"10 ms" takes timeslots in pairs, and %s is %d', name, cell[name]))
    end
  end
end

local function check_curves(curves, fail)
  local place = {}
  for i, curve in ipairs(curves) do
    if place[curve.coding] then
      fail({ "link", "curves", i, "coding" }, string.format("%s has a curve already, curves[%d]", curve.coding,
        place[curve.coding]))
    end
    place[curve.coding] = i
  end
end

-- Checks a cell's link before the cell's own defaults are filled in. Fills in its defaults, window_down and window_up.
function scenario_link.check(cell, fail)
  if not cell.link then
    return
  end
  if cell.rlc == "unacknowledged" then
    fail({ "rlc" }, "\"unacknowledged\" is not simulated with `link`: leave out one of the two")
  end
  for _, name in ipairs({ "bler", "bler_up", "bler_trace", "fading", "block_octets", "block_octets_up" }) do
    if cell[name] and cell[name] ~= 0 then
      fail({ name }, "with `link` the C/I decides: leave out one of the two")
    end
  end
  check_curves(cell.link.curves or {}, fail)
  check_adaptation(cell, fail)
  check_window(cell, fail)
  check_tti(cell, fail)
end

-- Checks that the mobiles' own C/I has a cell.
function scenario_link.check_mobiles(scenario, fail)
  for _, cell in ipairs(scenario.cells) do
    if cell.link then
      return
    end
  end
  for i, mobile in ipairs(scenario.mobiles) do
    if mobile.ci_db then
      fail({ "mobiles", i, "ci_db" }, "no cell has `link`: give it to the mobile's cell")
    end
  end
end

return scenario_link
