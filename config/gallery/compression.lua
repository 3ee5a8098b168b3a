-- SPDX-License-Identifier: BSD-3-Clause
-- Question: what would a phone gain if it compressed? Two phones read the same pages in two cells alike; one of them
-- offers compression of TCP's headers (RFC 1144), of data (V.42bis), or of both.

local gprs = require "preset.gprs"

local sgsn = gprs.sgsn()
sgsn.compression = { mode = "passive", rfc1144 = {}, v42bis = {} }

local function reader(name, cell, compression)
  return { name = name, cell = cell, traffic = { gprs.pages() }, compression = compression }
end

return {
  title = "A phone that compresses beside one that does not",
  duration = "30 min",
  warmup = "1 min",
  sgsn = sgsn,
  cells = { gprs.cell(4, { bvci = 2 }), gprs.cell(4, { bvci = 3 }) },
  mobiles = { reader("plain", 2), reader("phone", 3, { rfc1144 = {} }) },
  tcp = { timestamps = false },
  study = {
    seeds = 10,
    axes = {
      { name = "pages", points = {
        { label = "text", set = { ["tcp.content"] = "text" } },
        { label = "text and timestamps", set = { ["tcp.content"] = "text", ["tcp.timestamps"] = true } },
        { label = "enciphered", set = { ["tcp.content"] = "random" } },
      } },
      { name = "offer", points = {
        { label = "headers", set = { ["mobiles.phone.compression"] = "{ rfc1144 = {} }" } },
        { label = "data", set = { ["mobiles.phone.compression"] = "{ v42bis = {} }" } },
        { label = "both", set = { ["mobiles.phone.compression"] = "{ rfc1144 = {}, v42bis = {} }" } },
        { label = "both in acknowledged LLC", set = {
          ["mobiles.phone.compression"] = "{ rfc1144 = {}, v42bis = {} }", ["mobiles.phone.llc"] = "acknowledged" } },
      } },
    },
    figures = { "mobiles.*.page_time_s.p50", "cells.*.blocks.up.used", "mobiles.*.npdu_out" },
  },
}
