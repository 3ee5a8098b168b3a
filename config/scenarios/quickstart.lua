-- SPDX-License-Identifier: BSD-3-Clause
-- Quick start: one GPRS cell, three mobiles, two minutes.
--
--   gbflow run config/scenarios/quickstart.lua
--
-- anna downloads a file and pings at the same time; bert reads web pages; carl only pings. The cell carries 48 kbit/s,
-- so packets queue in the SGSN. Look at anna's ping in the report: it waits behind her own download. carl's does not.
-- Then let packets wait without limit and look again:
--
--   gbflow run config/scenarios/quickstart.lua --set sgsn.lifetime.sgsn_max=infinite
--
-- And with a queue for each 5-tuple, CoDel in each, and a short queue in the BSS:
--
--   gbflow run config/scenarios/quickstart.lua --set sgsn.lifetime.sgsn_max=infinite \
--     --set 'sgsn.queues={ flow_queues = 16, aqm = { scheme = "fq_codel" } }' \
--     --set 'sgsn.flow_control={ bss_target = "250 ms" }'
--
-- All keys and their defaults: docs/reference/scenario.md.

-- A packet that has waited this long is dropped. "infinite": packets are dropped only on arrival at a full queue (tail
-- drop).
local longest_wait = "2 s"

return {
  title = "Quick start: a download, a browser and a ping in one cell",
  duration = "120 s",

  network = { server_delay = "20 ms" }, -- one way, between the server and the GGSN

  sgsn = {
    queue_limit = "64 kB", -- of each mobile; a packet that finds it full is dropped (tail drop)
    n201_u = "1520 octets", -- as phones request: a whole packet in one LLC frame
    -- The BSS gets the rest of the time as PDU Lifetime. A packet with less than bss_min left is not sent: it would die
    -- in the BSS's queue.
    lifetime = { mode = "split", sgsn_max = longest_wait, bss_min = "500 ms" },
  },

  cells = {
    {
      bvci = 2,
      pdchs = 4, -- four timeslots, 12 kbit/s each with CS-2
      coding = "CS-2",
      bler = "2 %", -- radio blocks that have to be sent again
      downlink_slots = 4, -- a mobile may use all four
      -- The BSS announces the rates of the cell and of each mobile, again every second, with the mean wait in its
      -- queue: bad blocks make the air slower than announced.
      flow_control = { bucket_time = "500 ms", ms = {}, every = "1 s", measurement = true },
    },
  },

  mobiles = {
    {
      name = "anna", class = "background",
      traffic = {
        { download = { octets = "300 kB", start = "1 s" } },
        { ping = { every = "1 s", octets = "64 octets" } },
      },
    },
    {
      name = "bert", class = "thp2",
      traffic = { { web = { items = 30, reading = "1 s", start = "2 s" } } },
    },
    {
      name = "carl", class = "background",
      traffic = { { ping = { every = "1 s", octets = "64 octets" } } },
    },
  },
}
