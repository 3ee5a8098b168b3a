-- SPDX-License-Identifier: BSD-3-Clause
-- Block errors of a cell that vary in time (bss/radio_errors.h): fields of a cell and their checks.

local scenario_trace = require "scenario.trace"

local scenario_errors = {}

local function duration(name, doc)
  return { name = name, type = "duration", min = "1 ms", max = "86400 s", required = true, doc = doc }
end

local function share(name, doc)
  return { name = name, type = "percent", min = "0 %", max = "90 %", required = true, doc = doc }
end

scenario_errors.FADING = { name = "fading", type = "record", noun = "fading", absent = "none",
  doc = "Errors in bursts, by the channel of Gilbert and Elliott: each mobile is in a good or a bad state, both of "
    .. "random length (exponential). In the good state `bler` and `bler_up` hold, or `bler_trace`.", fields = {
    duration("good", "mean length of the good state"),
    duration("bad", "mean length of the bad state"),
    share("bler", "share of blocks with errors in the bad state, both directions"),
  } }

local POINT = { type = "record", noun = "a point", fields = {
  { name = "ci_db", type = "number", min = -50, max = 100, required = true, doc = "C/I in dB" },
  share("bler", "share of blocks with errors there"),
} }

scenario_errors.TRACE = { name = "bler_trace", type = "record", noun = "bler_trace", absent = "none",
  doc = "Block error rate over time, in place of `bler` and `bler_up`, from a table (CSV).", fields = {
    scenario_trace.file("rows `time_s,bler_percent` or `time_s,bler_percent,bler_up_percent`: rates from that time on, "
      .. "0 to 90 %; with `curve` C/I in dB in their place"),
    scenario_trace.every("the rates"),
    { name = "curve", type = "list", item = POINT, min = 2, max = 64, absent = "the file has rates",
      doc = "Block error rate by C/I: points in rising order of C/I. Between two points it is interpolated, beyond the "
        .. "outer ones it stays." },
  } }

local function check_curve(curve, fail)
  for i = 2, #curve do
    if curve[i].ci_db <= curve[i - 1].ci_db then
      return fail({ "bler_trace", "curve", i, "ci_db" }, string.format("%g dB is not more than the point before, %g dB",
        curve[i].ci_db, curve[i - 1].ci_db))
    end
  end
end

function scenario_errors.check(cell, fail)
  local trace = cell.bler_trace
  if trace then
    scenario_trace.check(trace, function(keys, message)
      fail({ "bler_trace", table.unpack(keys) }, message)
    end)
    check_curve(trace.curve or {}, fail)
  end
end

return scenario_errors
