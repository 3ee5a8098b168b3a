-- SPDX-License-Identifier: BSD-3-Clause
-- Mobiles that drive over a plane of 24 hexagonal cells in two routing areas, and reselect cells by C1 and C2. Each
-- pings, so that something is always on its way. `gbflow reproduce radio` varies it.
--
--   gbflow run config/scenarios/radio-mobility.lua --set mobility.gap.nacc=true

local COLUMNS <const>, ROWS <const> = 6, 4
local MOBILES_OF_A_CELL <const> = 4

local cells, mobiles = {}, {}
for i = 1, COLUMNS * ROWS do
  local column = (i - 1) % COLUMNS
  cells[i] = { bvci = 1 + i, pdchs = 4, coding = "CS-2", routing_area = column < COLUMNS // 2 and 1 or 2,
    buffer = { cell = "400 kB", mobile = "50 kB" },
    tbf = { uplink_access = { assumed = {
      value = "300 ms", why = "channel request and immediate assignment, in two phases",
      holds_over = "200 to 500 ms; it is added to each outage",
    } } } }
  mobiles[i] = { name = "car" .. i .. "-", count = MOBILES_OF_A_CELL, cell = 1 + i, class = "background",
    traffic = { { ping = { every = "10 s" } } } }
end

return {
  title = "Mobiles that reselect cells",
  duration = "20 min",

  cells = cells,
  mobiles = mobiles,

  mobility = {
    layout = "plane", columns = COLUMNS, radius_m = 500, speed_kmh = 50,
    shadowing_db = { assumed = {
      value = 6, why = "no measurement of the streets", holds_over = "4 to 10 dB; more shadowing, more reselections",
    } },
    hysteresis_db = 4, hysteresis_area_db = 6,
    gap = { routing_area_update = { assumed = {
      value = "1500 ms", why = "request, accept and complete on a loaded cell, without authentication",
      holds_over = "0.5 s to 5 s; it is added to the gaps between routing areas",
    } } },
  },
}
