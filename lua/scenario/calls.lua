-- SPDX-License-Identifier: BSD-3-Clause
-- Circuit-switched calls in a cell, which take PDCHs: the field of a cell and its check.

local units = require "base.units"

local scenario_calls = {}

local function duration(name, min, max, rest)
  rest.name, rest.type, rest.min, rest.max = name, "duration", min, max
  return rest
end

local SCHEDULE = { name = "schedule", type = "record", noun = "a schedule", absent = "none",
  doc = "Calls at fixed times.", fields = {
    duration("first", "0 s", "86400 s", { absent = "as `every`", doc = "time of the first calls" }),
    duration("every", "20 ms", "86400 s", { required = true, doc = "interval of the calls' starts" }),
    duration("hold", "20 ms", "86400 s", { required = true, doc = "length of the calls" }),
    { name = "taken", type = "integer", min = 1, max = 64, absent = "`channels`",
      doc = "number of channels that the calls hold" },
  } }

local ARRIVALS = { name = "arrivals", type = "record", noun = "arrivals", absent = "none",
  doc = "Random calls: each holds one channel; a call without a free channel is lost (Erlang's loss system). "
    .. "`hold` / `interval` is the offered traffic in erlang.", fields = {
    duration("interval", "1 ms", "86400 s", { required = true, doc = "mean time between calls, exponential" }),
    duration("hold", "1 ms", "86400 s", { required = true, doc = "mean length of calls, exponential" }),
  } }

scenario_calls.FIELD = { name = "calls", type = "record", noun = "calls", absent = "none",
  doc = "Circuit-switched calls. They pre-empt PDCHs, and the BSS announces the remaining rate. While they hold all "
    .. "PDCHs no mobile has a TBF; a partly sent LLC-PDU is sent again from its start.", fields = {
    { name = "channels", type = "integer", min = 1, max = 64, absent = "`pdchs`", doc = "PDCHs that calls may take" },
    SCHEDULE, ARRIVALS,
    duration("flush", "0 s", "600 s", { allow_infinite = true, default = "0 s",
      doc = "time without a PDCH after which the BSS discards the queues of mobiles; \"infinite\": never" }),
    duration("restart_wait", "0 s", "600 s", { default = "0 s",
      doc = "after calls took all PDCHs: time from the first available PDCH to a mobile's new downlink TBF; it is set "
        .. "up earlier if the mobile requests an uplink channel or a new LLC-PDU for it arrives; 0 s: at once" }),
    duration("uplink_keep", "0 s", "600 s", { default = "0 s",
      doc = "a mobile discards an LLC-PDU of which no block was sent within this time; 0 s: never" }),
  } }

local function check_schedule(calls, fail)
  local schedule = calls.schedule
  schedule.first = schedule.first or schedule.every
  schedule.taken = schedule.taken or calls.channels
  if schedule.hold >= schedule.every then
    fail({ "calls", "schedule", "hold" }, string.format("duration '%s' does not end before the next beginning, %s",
      units.format("duration", schedule.hold), units.format("duration", schedule.every)))
  end
  if schedule.taken > calls.channels then
    fail({ "calls", "schedule", "taken" }, string.format("%d is more than calls may take (channels): 1 .. %d",
      schedule.taken, calls.channels))
  end
end

-- Checks a cell's calls. Fills in defaults that follow from its PDCHs.
function scenario_calls.check(cell, fail)
  local calls = cell.calls
  if not calls then
    return
  end
  calls.channels = calls.channels or cell.pdchs
  if calls.channels > cell.pdchs then
    fail({ "calls", "channels" }, string.format("%d is more than there are (pdchs): 1 .. %d", calls.channels,
      cell.pdchs))
  end
  if calls.schedule then
    check_schedule(calls, fail)
  elseif not calls.arrivals then
    fail({ "calls" }, "no calls: give a schedule, arrivals, or both")
  end
end

return scenario_calls
