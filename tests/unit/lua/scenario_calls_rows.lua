-- SPDX-License-Identifier: BSD-3-Clause
-- What is wrong about circuit-switched calls, blocks and thresholds, as in scenario_bad_rows.

local function calls(text)
  return 'tbf = { setup', "calls = { " .. text .. " }, tbf = { setup"
end

local function row(text, ...)
  local piece, replacement = calls(text)
  return { piece, replacement, ... }
end

return {
  row('', "s.lua:8: cells[1].calls: no calls: give a schedule, arrivals, or both"),
  row('channels = 5, arrivals = { interval = "1 s", hold = "1 s" }',
      "s.lua:8: cells[1].calls.channels: 5 is more than there are (pdchs): 1 .. 4"),
  row('channels = 2, schedule = { every = "60 s", hold = "3 s", taken = 3 }',
      "s.lua:8: cells[1].calls.schedule.taken: 3 is more than calls may take (channels): 1 .. 2"),
  row('schedule = { every = "3 s", hold = "3 s" }',
      "s.lua:8: cells[1].calls.schedule.hold: duration '3 s' does not end before the next beginning, 3 s"),
  row('schedule = { every = "3 s" }',
      "s.lua:8: cells[1].calls.schedule.hold: missing; a schedule needs it: 20 ms .. 86400 s"),
  row('arrivals = { interval = "1 s", hold = "0 s" }',
      "s.lua:8: cells[1].calls.arrivals.hold: duration '0 s' is out of range: 1 ms .. 86400 s"),
  row('flush = "601 s", arrivals = { interval = "1 s", hold = "1 s" }',
      "s.lua:8: cells[1].calls.flush: duration '601 s' is out of range: 0 s .. 600 s or infinite"),
  { 'bucket_time = "1 s"', 'thresholds = { stop = "4 kB", go = "4 kB" }',
      "s.lua:9: cells[1].flow_control.thresholds.go: size '4 kB' is not less than stop, 4 kB" },
  { 'items = 30', 'sizes = { "1 kB" }',
      "s.lua:20: mobiles[2].traffic[1].web.parallel: 4 connections and items of several sizes: 1" },
  { 'items = 30', 'close_awaited = true',
      "s.lua:20: mobiles[2].traffic[1].web.close_awaited: connections that persist are not closed: "
        .. "`persistent` is false with it" },
  { 'bler = "5 %"', 'block_octets = 7', "s.lua:11: cells[2].block_octets: 7 is out of range: 8 .. 1600" },
}
