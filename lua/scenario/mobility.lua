-- SPDX-License-Identifier: BSD-3-Clause
-- Mobility: mobiles of a scenario that move and reselect cells: the keys of the scenario, of a cell and of a mobile,
-- and their check. bss/motion.h, bss/reselect.h and bss/cell_gap.h have the models.

local scenario_fields = require "scenario.fields"
local schema = require "schema.schema"

local scenario_mobility = {}

local MOST_MOBILES <const> = 4096 -- all may meet in one cell, and that is the limit of its radio

local function number(name, min, max, default, doc)
  return { name = name, type = "number", min = min, max = max, default = default, doc = doc }
end

local absent, duration, required = scenario_fields.absent, schema.duration, scenario_fields.required

local GAP = { name = "gap", type = "record", noun = "a gap", default = {},
  doc = "Parts of the time between the old cell and the new one, in which a mobile receives and sends nothing. Its "
    .. "access and its cell update follow on the new cell's radio (`tbf.uplink_access`).", fields = {
    absent(duration("sync", "0 s", "60 s", nil, "time to synchronise with the new cell"),
      "drawn: the next burst of SCH, 9 to 51 ms"),
    absent(duration("system_information", "0 s", "60 s", nil, "time to read system information"),
      "drawn: SYSTEM INFORMATION 1, 3 and 13 in the cycle of BCCH, 0.96 to 1.90 s"),
    { name = "nacc", type = "boolean", default = false,
      doc = "network assisted cell change: the old cell has sent the system information, so that part is 0 s" },
    duration("access", "0 s", "60 s", "0 s", "time for access beside `tbf.uplink_access`"),
    duration("cell_update", "0 s", "60 s", "0 s",
      "time for the cell update, within a routing area, beside its LLC-PDU"),
    duration("routing_area_update", "0 s", "60 s", "1500 ms",
      "time for the routing area update, into another routing area; the default is assumed"),
  } }

scenario_mobility.KEY = { name = "mobility", type = "record", noun = "mobility", absent = "no mobile moves",
  doc = "Mobiles that move over the cells and reselect them by C1 and C2 (docs/radio.md). Cells lie in the order of "
    .. "`cells`. A mobile begins at a random place of its cell.", fields = {
    { name = "layout", type = "enum", values = { "line", "plane" }, default = "line",
      doc = "line: a ring of cells, each `radius_m` to both sides. plane: hexagons in rows of `columns`, closed at its "
        .. "edges" },
    absent({ name = "columns", type = "integer", min = 1, max = 256, doc = "cells in a row of the plane; the number of "
      .. "rows is even" }, "layout line"),
    required(number("radius_m", 10, 35000, nil, "radius of a cell in m, to the corner of a hexagon")),
    required(number("speed_kmh", 0, 500, nil, "speed of mobiles without `speed_kmh` in km/h; 0: they do not move")),
    { name = "motion", type = "enum", values = { "straight", "waypoints" }, default = "straight",
      doc = "straight: always in one random direction. waypoints: to a random point, a `pause`, to the next point" },
    duration("pause", "0 s", "86400 s", "0 s", "time at a waypoint"),
    duration("measure", "20 ms", "60 s", "480 ms", "interval of a mobile's measurements"),
    duration("average", "0 s", "60 s", "2500 ms", "mean age of the levels in the average of a cell; the default "
      .. "is that of five samples over 5 s; 0 s: the last level alone"),
    number("power_dbm", 0, 80, 57, "power of a cell, with its antenna, in dBm"),
    number("loss_1km_db", 60, 200, 126.4, "path loss at 1 km in dB; the default is that of Hata's urban formula for "
      .. "900 MHz, 30 m and 1.5 m"),
    number("exponent", 1.5, 6, 3.52, "exponent of the path loss; the default is of the same formula"),
    number("shadowing_db", 0, 20, 0, "standard deviation of the shadowing in dB; 0: none"),
    number("shadowing_m", 1, 1000, 20, "way in m over which shadowing keeps 1/e"),
    number("access_min_dbm", -111, -48, -104, "RXLEV_ACCESS_MIN in dBm, below which C1 is negative"),
    number("hysteresis_db", 0, 14, 4, "CELL_RESELECT_HYSTERESIS in dB within a routing area, in the READY state"),
    absent(number("hysteresis_area_db", 0, 14, nil, "the same into another routing area"), "`hysteresis_db`"),
    duration("hold", "0 s", "60 s", "5 s", "time for which another cell must be better, or the own one lost"),
    duration("again", "0 s", "600 s", "15 s", "time after a reselection in which the margin is `again_db` at least"),
    number("again_db", 0, 60, 5, "margin in dB in that time"),
    GAP,
  } }

scenario_mobility.CELL_KEY = number("reselect_offset_db", 0, 126, 0, "CELL_RESELECT_OFFSET in dB, which C2 of the cell "
  .. "has more than C1; without effect without `mobility`")

scenario_mobility.MOBILE_KEY = absent(number("speed_kmh", 0, 500, nil, "the mobile's speed in km/h, with `mobility`"),
  "`mobility.speed_kmh`")

local function check_layout(scenario, fail)
  local mobility, cells = scenario.mobility, #scenario.cells
  if mobility.layout == "line" then
    if mobility.columns then
      fail({ "mobility", "columns" }, 'needs layout = "plane"')
    end
  elseif not mobility.columns then
    fail({ "mobility", "columns" }, 'missing; layout = "plane" needs it: 1 .. 256')
  elseif cells % (2 * mobility.columns) ~= 0 then
    fail({ "mobility", "columns" }, string.format("%d columns and %d cells are no even number of full rows: give a "
      .. "multiple of %d cells", mobility.columns, cells, 2 * mobility.columns))
  end
end

local function check_moves(scenario, fail)
  local speeds = {}
  for _, mobile in ipairs(scenario.mobiles) do
    speeds[mobile.name] = mobile.speed_kmh
  end
  for i, move in ipairs(scenario.moves) do
    if (speeds[move.mobile] or 0) > 0 then
      fail({ "moves", i, "mobile" }, string.format("'%s' has a speed: mobiles with moves have speed_kmh = 0",
        move.mobile))
    end
  end
end

-- Checks the key. Fills in the mobiles' speeds; `mobiles` is the list of single mobiles, `given` that of the file.
function scenario_mobility.check(scenario, given, fail)
  local mobility = scenario.mobility
  for i, mobile in ipairs(given) do
    if mobile.speed_kmh and not mobility then
      fail({ "mobiles", i, "speed_kmh" }, "needs mobility = { radius_m = ..., speed_kmh = ... }")
    end
  end
  if not mobility then
    return
  end
  mobility.hysteresis_area_db = mobility.hysteresis_area_db or mobility.hysteresis_db
  for _, mobile in ipairs(scenario.mobiles) do
    mobile.speed_kmh = mobile.speed_kmh or mobility.speed_kmh
  end
  if #scenario.mobiles > MOST_MOBILES then
    fail({ "mobility" }, string.format("%d mobiles, which may meet in one cell, are out of range: 1 .. %d",
      #scenario.mobiles, MOST_MOBILES))
  end
  check_layout(scenario, fail)
  check_moves(scenario, fail)
end

return scenario_mobility
