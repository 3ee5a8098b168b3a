-- SPDX-License-Identifier: BSD-3-Clause
-- Two cells of one BSS: twelve browsers in one, a stream and three downloads in the other.
--
--   gbflow run config/scenarios/two-cells.lua --seed 7 --set mobiles.dora.class=thp1

-- Twelve browsers that open their first page within twenty seconds.
local function crowd()
  local people = {}
  for i = 1, 12 do
    people[i] = {
      name = "reader" .. i, cell = 2, class = i <= 6 and "thp2" or "thp3",
      traffic = { { web = {
        page = "10 kB", items = 8, item = "4 kB", parallel = 2,
        reading = "10 s", reading_law = "exponential",
        start = string.format("%.3f s", 1 + 20 * math.random()),
      } } },
    }
  end
  return people
end

local mobiles = crowd()

-- A constant 16 kbit/s from a server, for the whole run.
mobiles[13] = {
  name = "dora", cell = 3, class = "streaming",
  traffic = { { cbr = { rate = "16 kbit/s", packet = "400 octets" } } },
}
-- Three downloads with their own TCP parameters: "emil" with count = 3 makes emil1, emil2 and emil3.
mobiles[14] = {
  name = "emil", count = 3, cell = 3, class = "background",
  traffic = { { download = { octets = "200 kB", start = "5 s", tcp = { sack = false, receive_window = "16 KiB" } } } },
}

return {
  title = "Two cells",
  duration = "3 min",
  warmup = "20 s", -- delays, goodput and page times are evaluated after this time

  sgsn = { lifetime = { mode = "split", sgsn_max = "15 s" } },

  cells = {
    -- 5 % of the radio blocks have errors; each is sent again 100 ms later at the earliest.
    { bvci = 2, pdchs = 4, coding = "CS-2", bler = "5 %", retransmission = "100 ms" },
    -- An unknown value is marked `assumed`, with the reason; the report lists it.
    { bvci = 3, pdchs = 3, coding = { assumed = {
      value = "CS-3", why = "the operator does not say", holds_over = "CS-2 to CS-4",
    } } },
  },

  mobiles = mobiles,
}
