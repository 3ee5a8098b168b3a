-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong about several SGSNs, as in scenario_bad_rows: cell 3 is of BSS 2.

local CELL_3 <const> = '{ bvci = 3, pdchs = 1, coding = "CS-4", bler = "5 %" },\n  },'
local OF_BSS_2 <const> = '{ bvci = 3, nse = 2, pdchs = 1, coding = "CS-4" },\n  },\n  '

local function sgsns(text, ...)
  return { CELL_3, OF_BSS_2 .. text .. ",", ... }
end

local BOTH <const> = 'sgsns = { { name = "a", cells = { 2 } }, { name = "b", cells = { 3 } } }'

return {
  sgsns('sgsns = { { name = "a", cells = { 2, 3 } } }',
    "s.lua:13: sgsns: has one SGSN: give two or more, or leave it out"),
  sgsns('sgsns = { { name = "a", cells = { 2 } }, { name = "a", cells = { 3 } } }',
    "s.lua:13: sgsns[2].name: name a is taken by sgsns[1].name"),
  sgsns('sgsns = { { name = "a", cells = { 2 } }, { name = "b", cells = { 4 } } }',
    "s.lua:11: cells[2].bvci: 3 is in no item of sgsns: add it to the `cells` of one",
    "s.lua:13: sgsns[2].cells[1]: 4 is no cell: one of 2, 3"),
  sgsns('sgsns = { { name = "a", cells = { 2, 3 } }, { name = "b", cells = { 3 } } }',
    "s.lua:13: sgsns[2].cells[1]: 3 is taken by sgsns[1]"),
  sgsns('sgsns = { { name = "a", cells = { 3 } }, { name = "b", cells = { 2 } } }',
    "s.lua:11: cells[2].bvci: 3 of a is out of order: cells of b belong here"),
  sgsns('sgsns = { { name = "1", cells = {} }, { cells = { 3 }, queue = 1 } }',
    "s.lua:13: sgsns[1].cells: 0 items are out of range: 1 .. 256 items",
    "s.lua:13: sgsns[1].name: '1' is not a valid text: at most 32 letters, digits, - and _, a letter first",
    "s.lua:13: sgsns[2].name: missing; an SGSN needs it: at most 32 letters, digits, - and _, a letter first",
    "s.lua:13: sgsns[2].queue: unknown key 'queue'; did you mean 'queues'?"),
  { "cells = {", "sgsns = { { name = \"a\", cells = { 2 } }, { name = \"b\", cells = { 3 } } },\n  cells = {",
    "s.lua:12: cells[2].nse: BSS 1 has cells of a and b: give the cells of each SGSN a BSS of their own" },
  sgsns("relocation = {}", "s.lua:13: relocation: needs sgsns = { ... }, at least two"),
  sgsns(BOTH .. ", relocation = { delay = '0 s', hold = '10 ms' }",
    "s.lua:13: relocation.delay: duration '0 s' is out of range: 1 ms .. 10 s"),
  sgsns(BOTH .. ", relocation = { delay = '6 ms', security = '1 ms', hold = '12 ms' }",
    "s.lua:13: relocation.hold: duration '12 ms' is less than two `delay` and `security`: 13 ms or more"),
  { 'mobiles = {\n    { name = "anna",', BOTH .. [[,
  mobiles = { { name = "dora", llc = "acknowledged", traffic = { { ping = {} } } },
    { name = "emil", compression = { rfc1144 = {} }, traffic = { { ping = {} } } },
    { name = "anna",]],
    "s.lua:11: cells[2].nse: BSS 1 has cells of a and b: give the cells of each SGSN a BSS of their own",
    's.lua:14: mobiles[1].llc: "acknowledged" needs one SGSN: with `sgsns` LLC is unacknowledged',
    "s.lua:15: mobiles[2].compression: needs one SGSN: with `sgsns` SNDCP does not compress" },
}
