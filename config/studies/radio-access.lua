-- SPDX-License-Identifier: BSD-3-Clause
-- The random access of a cell against closed forms. A scenario with its axes:
--
--   gbflow sweep config/studies/radio-access.lua --out out/radio-access
--
-- Points "G ...": slotted ALOHA. Mobiles come as a Poisson process and send one burst each, none repeats it. With a
-- load of G bursts per slot, G exp(-G) of the slots have a burst that the BSS decodes: cells.2.access.throughput.
--
-- Points "rho ...": the AGCH alone. Without contention all mobiles are decoded when they come, and their assignments
-- wait as in the queue M/D/1: rho / (2 (1 - rho)) times the time of one, 235.4 ms / 51: cells.2.access.agch_wait_s.
--
-- Points "mobiles ...": access delay over load. So many mobiles a second repeat their bursts up to four times, and the
-- AGCH has three messages in a 51-multiframe, 12.7 a second: cells.2.access.background.delay_s, failures by attempts.
-- The AGCH holds 16 messages, longer than mobiles wait before they repeat; at the points "short ..." it holds four.
--
-- 1.3 million slots and up to 1.2 million assignments in each run.

local SLOTS_PER_S = 51 * 13 / 3.06
local ACCESS = "cells[1].access."

local points = {}

-- A point for each load; `per_s`: mobiles a second of load 1; `set`: other keys of the
-- cell's access, each before its value.
local function add(name, per_s, loads, set)
  for i = 1, #loads do
    local of = { [ACCESS .. "background.rate"] = string.format("%.6f", loads[i] * per_s) }
    for k = 1, #set, 2 do
      of[ACCESS .. set[k]] = set[k + 1]
    end
    points[#points + 1] = { label = string.format("%s %g", name, loads[i]), set = of }
  end
end

add("G", SLOTS_PER_S, { 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.25, 1.5, 2 }, {})
add("rho", SLOTS_PER_S, { 0.1, 0.3, 0.5, 0.7, 0.8, 0.9 }, { "contention", "false" })
add("mobiles", 1, { 1, 2, 4, 6, 8, 10, 12, 16, 20 }, { "max_retrans", "4", "agch.rate", "3",
  "agch.queue", "16" })
add("short", 1, { 1, 2, 4, 6, 8, 10, 12, 16, 20 }, { "max_retrans", "4", "agch.rate", "3", "agch.queue", "4" })

return {
  title = "Random access: slotted ALOHA, and the AGCH as M/D/1",
  duration = "6000 s",
  cells = {
    { bvci = 2, pdchs = 1, coding = "CS-2", access = {
      max_retrans = 0, tx_integer = 14, opportunities = 51,
      agch = { rate = 51, queue = 0 },
      background = { rate = 1 },
    } },
  },
  mobiles = { { name = "idle", traffic = { { ping = { start = "5999 s", count = 1 } } } } },
  series = { every = "1 h" },
  study = {
    seeds = 3,
    axes = { { name = "load", points = points } },
    figures = { "cells.2.access.*" },
  },
}
