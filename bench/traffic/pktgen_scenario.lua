-- SPDX-License-Identifier: BSD-3-Clause
-- Traffic for Pktgen: of 12 N-PDUs 7 have 64 octets, 4 have 512 and 1 has 1400, to 2000 mobiles. pktgen_capture.py
-- plays it and makes a capture of the G-PDUs that reach the SGSN.

local MOBILES <const> = 2000
local mobiles = {}
for i = 1, MOBILES do
  local function cbr(rate, packet)
    return { cbr = { rate = rate, packet = packet, start = math.random(0, 999) .. " ms" } }
  end
  mobiles[i] = { name = "m" .. i, cell = 2 + i % 20, traffic = {
    cbr("3584 bit/s", "64 octets"), cbr("16384 bit/s", "512 octets"), cbr("11200 bit/s", "1400 octets"),
  } }
end

local cells = {}
for i = 1, 20 do
  cells[i] = { bvci = 1 + i, pdchs = 64, coding = "MCS-9" }
end

return { title = "traffic for Pktgen", duration = "4 s", cells = cells, mobiles = mobiles }
