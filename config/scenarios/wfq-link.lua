-- SPDX-License-Identifier: BSD-3-Clause
-- Five traffic classes on a Gb link that is too narrow for them.
--
-- A 256 kbit/s link feeds four cells, whose air could carry 160 kbit/s each. Each cell has five mobiles, one of each
-- class, and the server sends far more to each than the link carries, so that the SGSN always has packets of every
-- class to choose from. It serves classes by weight, 900, 50, 35, 15 and 5 of each 1005 octets (classes.CLASS.share in
-- summary.json), and the mobiles of a class equally (classes.CLASS.fairness). The link is never idle (gb.utilisation).
--
--     gbflow run config/scenarios/wfq-link.lua
--     gbflow run config/scenarios/wfq-link.lua --set sgsn.queues.weights.background=50
--     gbflow run config/scenarios/wfq-link.lua --set sgsn.gb.rate=128kbit/s

-- One mobile per class and cell; `rate` is far above its share of the link.
local CELLS = 4
local CLASSES = { "streaming", "thp1", "thp2", "thp3", "background" }
local RATES = { "80 kbit/s", "20 kbit/s", "20 kbit/s", "20 kbit/s", "20 kbit/s" }

local function mobiles()
  local list = {}
  for i = 1, #CLASSES do
    for cell = 1, CELLS do
      list[#list + 1] = { name = CLASSES[i] .. cell, cell = cell + 1, class = CLASSES[i],
        traffic = { { cbr = { rate = RATES[i], packet = "200 octets" } } } }
    end
  end
  return list
end

local function cells()
  local list = {}
  for cell = 1, CELLS do
    list[cell] = { bvci = cell + 1, pdchs = 8, coding = "CS-4", downlink_slots = 8 }
  end
  return list
end

return {
  title = "Five classes share a Gb link by weight",
  duration = "15 min",
  warmup = "10 s",
  sgsn = {
    gb = { rate = "256 kbit/s" },
    queue_limit = "20 kB",
    -- A class of low weight waits long; here only queue_limit drops its packets.
    lifetime = { sgsn_max = "infinite", bss_max = "infinite" },
    n201_u = "1520 octets",
    queues = { weights = { streaming = 900, thp1 = 50, thp2 = 35, thp3 = 15, background = 5 } },
  },
  cells = cells(),
  mobiles = mobiles(),
  series = { every = "10 s" },
}
