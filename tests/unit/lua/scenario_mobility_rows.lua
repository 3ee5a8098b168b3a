-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong about mobiles that move, as in scenario_bad_rows.

local function mobility(text, ...)
  return { 'series = {', "mobility = { " .. text .. " },\n  series = {", ... }
end

local function with_move(text, ...)
  return { 'series = {', "mobility = { radius_m = 500, speed_kmh = 3 },\n  moves = { " .. text .. " },\n  series = {",
    ... }
end

return {
  mobility('speed_kmh = 50', "s.lua:26: mobility.radius_m: missing; mobility needs it: 10 .. 35000"),
  mobility('radius_m = 500', "s.lua:26: mobility.speed_kmh: missing; mobility needs it: 0 .. 500"),
  mobility('radius_m = 9, speed_kmh = 501', "s.lua:26: mobility.radius_m: 9 is out of range: 10 .. 35000",
    "s.lua:26: mobility.speed_kmh: 501 is out of range: 0 .. 500"),
  mobility('radius_m = 500, speed_kmh = 50, columns = 1', 's.lua:26: mobility.columns: needs layout = "plane"'),
  mobility('radius_m = 500, speed_kmh = 50, layout = "plane"',
    's.lua:26: mobility.columns: missing; layout = "plane" needs it: 1 .. 256'),
  mobility('radius_m = 500, speed_kmh = 50, layout = "plane", columns = 2',
    "s.lua:26: mobility.columns: 2 columns and 2 cells are no even number of full rows: give a multiple of 4 cells"),
  mobility('radius_m = 500, speed_kmh = 50, gap = { nack = true }',
    "s.lua:26: mobility.gap.nack: unknown key 'nack'; did you mean 'nacc'?"),
  with_move('{ at = "1 s", mobile = "anna", cell = 3 }',
    "s.lua:27: moves[1].mobile: 'anna' has a speed: mobiles with moves have speed_kmh = 0"),
  { 'name = "bert",', 'name = "bert", speed_kmh = 3,',
    "s.lua:19: mobiles[2].speed_kmh: needs mobility = { radius_m = ..., speed_kmh = ... }" },
  { 'count = 2,\n      traffic = { { cbr = { rate = "8 kbit/s" } } } },\n  },',
    'count = 4095, cell = 3,\n      traffic = { { ping = {} } } },\n  },\n  '
      .. 'mobility = { radius_m = 500, speed_kmh = 3 },',
    "s.lua:25: mobility: 4097 mobiles, which may meet in one cell, are out of range: 1 .. 4096" },
}
