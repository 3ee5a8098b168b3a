-- SPDX-License-Identifier: BSD-3-Clause
-- Files and block errors that vary, and what is said of wrong ones: as scenario_bad_rows.

local BLER = 'bler = "5 %"'
local FORM = "a path that begins at the scenario's folder and stays in it"

return {
  { BLER, 'bler_trace = { file = "../x.csv" }',
      "s.lua:11: cells[2].bler_trace.file: '../x.csv' leaves the scenario's folder: a path below it" },
  { BLER, 'bler_trace = { file = "a/../../x.csv" }',
      "s.lua:11: cells[2].bler_trace.file: 'a/../../x.csv' leaves the scenario's folder: a path below it" },
  { BLER, 'bler_trace = { file = "/x.csv" }',
      "s.lua:11: cells[2].bler_trace.file: '/x.csv' is not a valid text: " .. FORM },
  { BLER, 'bler_trace = {}',
      "s.lua:11: cells[2].bler_trace.file: missing; bler_trace needs it: " .. FORM },
  { BLER, 'bler_trace = { file = "x.csv", curve = { { ci_db = 9, bler = "9 %" }, { ci_db = 9, bler = "1 %" } } }',
      "s.lua:11: cells[2].bler_trace.curve[2].ci_db: 9 dB is not more than the point before, 9 dB" },
  { BLER, 'fading = { good = "1 s", bad = "0 s", bler = "95 %" }',
      "s.lua:11: cells[2].fading.bad: duration '0 s' is out of range: 1 ms .. 86400 s",
      "s.lua:11: cells[2].fading.bler: share '95 %' is out of range: 0 % .. 90 %" },
  { 'cbr = { rate = "8 kbit/s" }', 'trace = { file = "x/../../y" }',
      "s.lua:23: mobiles[3].traffic[1].trace.file: 'x/../../y' leaves the scenario's folder: a path below it" },
  { 'cbr = { rate = "8 kbit/s" }', 'trace = { file = "x", way = "both" }',
      "s.lua:23: mobiles[3].traffic[1].trace.way: 'both' is not a known word: one of down, up" },
}
