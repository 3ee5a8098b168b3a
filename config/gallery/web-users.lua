-- SPDX-License-Identifier: BSD-3-Clause
-- Question: how many web users can share a cell before pages take twice as long? Each reads a page of 34 kB for half a
-- minute.

local gprs = require "preset.gprs"

return {
  title = "Web users that share a cell",
  duration = "60 min",
  warmup = "2 min",
  sgsn = gprs.sgsn(),
  cells = { gprs.cell(4) },
  mobiles = { { name = "reader", count = 1, traffic = { gprs.pages() } } },
  study = {
    seeds = 10,
    axes = { { name = "users", set = { "mobiles[1].count" }, values = { 1, 2, 3, 4, 5, 6, 8, 10, 12 } } },
    figures = { "classes.background.page_time_s.p50", "classes.background.page_time_s.p95", "cells.2.air_utilisation" },
    baseline = { users = "1" },
  },
}
