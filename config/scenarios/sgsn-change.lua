-- SPDX-License-Identifier: BSD-3-Clause
-- Two SGSNs with six cells each. Six mobiles, each alone in its cell, load a file and go to a cell of the other SGSN on
-- the way. docs/papers/relocation.md has the study over it.
--
--   gbflow run config/scenarios/sgsn-change.lua --set relocation.forward=false --set sgsn.queues.discipline=q

local USERS <const> = 6

local cells, mobiles, moves, of_a, of_b = {}, {}, {}, {}, {}

-- A cell of four timeslots for its one mobile; the BSS holds a second of its rate.
local function cell(bvci, nse)
  return { bvci = bvci, nse = nse, routing_area = nse, pdchs = 4, coding = "CS-2", bler = "5 %",
    flow_control = { bucket_time = "1 s" } }
end

for i = 1, USERS do
  of_a[i], of_b[i] = 100 + i, 200 + i
  cells[i], cells[USERS + i] = cell(of_a[i], 1), cell(of_b[i], 2)
  mobiles[i] = { name = "user" .. i, cell = of_a[i], traffic = { { download = { octets = "500 kB",
    start = string.format("%.3f s", 1 + 2 * math.random()) } } } }
  moves[i] = { at = string.format("%.1f s", 20 + i), mobile = "user" .. i, cell = of_b[i] }
end

return {
  title = "Change of SGSN during a download",
  duration = "300 s",
  network = { server_delay = "20 ms" },
  sgsn = { lifetime = { mode = "split", sgsn_max = "15 s" } },
  sgsns = { { name = "a", cells = of_a }, { name = "b", cells = of_b } },
  relocation = { forward = true },
  cells = cells,
  mobiles = mobiles,
  moves = moves,
}
