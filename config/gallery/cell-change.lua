-- SPDX-License-Identifier: BSD-3-Clause
-- Question: what does a cell change cost? Four phones load files, each between two cells of its own. Once a minute
-- each changes the cell and hears nothing for its gap. In the same routing area the BSS keeps its queue, in another it
-- deletes it.

local gprs = require "preset.gprs"

local GAPS <const> = { "0.5 s", "2 s", "5 s", "10 s" }
local cells, mobiles, moves = {}, {}, {}
for i = 1, #GAPS do
  local name, bvci = "phone" .. i, 2 * i
  cells[2 * i - 1], cells[2 * i] = gprs.cell(4, { bvci = bvci }), gprs.cell(4, { bvci = bvci + 1 })
  mobiles[i] = { name = name, cell = bvci, traffic = { gprs.download() } }
  for minute = 1, 15 do
    moves[#moves + 1] = { at = 60 * minute .. " s", mobile = name, cell = bvci + minute % 2, gap = GAPS[i] }
  end
end

return {
  title = "A download and a cell change a minute",
  duration = "930 s",
  warmup = "30 s",
  sgsn = gprs.sgsn(),
  cells = cells, mobiles = mobiles, moves = moves,
  study = {
    seeds = 10,
    axes = { { name = "change", points = {
      { label = "none", set = { moves = "{}" } },
      { label = "queue kept" },
      { label = "queue deleted", set = { ["cells[2].routing_area"] = 2, ["cells[4].routing_area"] = 2,
        ["cells[6].routing_area"] = 2, ["cells[8].routing_area"] = 2 } },
    } } },
    figures = { "mobiles.*.goodput_bps", "tcp.*.timeouts", "tcp.*.retransmitted_fraction" },
    baseline = { change = "none" },
  },
}
