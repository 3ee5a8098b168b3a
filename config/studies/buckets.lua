-- SPDX-License-Identifier: BSD-3-Clause
-- How large should a cell's bucket be, and does CoDel change that? 2 schemes x 3 buckets x 3 cells, 5 seeds: 90 runs.
--
--   gbflow sweep config/studies/buckets.lua --out out/buckets

return {
  title = "Bucket of a cell, its PDCHs, and CoDel",
  scenario = "../scenarios/two-cells.lua",
  seeds = 5,
  axes = {
    { name = "scheme", points = {
      { label = "none" },
      { label = "CoDel", set = { ["sgsn.queues.aqm.scheme"] = "codel" } },
    } },
    { name = "bucket_time", set = { "cells[1].flow_control.bucket_time", "cells[2].flow_control.bucket_time" },
      values = { "0.5 s", "2 s", "8 s" } },
    { name = "pdchs", set = { "cells[1].pdchs" }, range = { from = 1, to = 3 } },
  },
  figures = { "classes.*", "cells.*" },
  baseline = { scheme = "none" },
}
