-- SPDX-License-Identifier: BSD-3-Clause
-- The radio of a scenario's cell: coding schemes, block errors and their traces, and calls, which take its channels.

local units = require "base.units"

-- Coding schemes: octets of RLC data in one radio block of 20 ms on one PDCH (TS 44.060 clauses 10.2.1, 10.3a.1).
-- Both RLC blocks of MCS-7, -8 and -9 count as one that arrives or breaks as a whole.
local scenario_radio = {
  NAMES = { "CS-1", "CS-2", "CS-3", "CS-4", "MCS-1", "MCS-2", "MCS-3", "MCS-4", "MCS-5", "MCS-6", "MCS-7", "MCS-8",
    "MCS-9" },
  PAYLOAD_OCTETS = { ["CS-1"] = 20, ["CS-2"] = 30, ["CS-3"] = 36, ["CS-4"] = 50, ["MCS-1"] = 22, ["MCS-2"] = 28,
    ["MCS-3"] = 37, ["MCS-4"] = 44, ["MCS-5"] = 56, ["MCS-6"] = 74, ["MCS-7"] = 112, ["MCS-8"] = 136,
    ["MCS-9"] = 148 },
}

local BLOCKS_PER_S <const> = 50

-- The rate of `pdchs` PDCHs with blocks of `octets` octets and no bad blocks.
function scenario_radio.rate_bps(octets, pdchs)
  return octets * BLOCKS_PER_S * 8 * pdchs
end

-- The rate of a cell in place of its timeslots.

local MOST_SLOTS <const> = 64
local CARRIER_SLOTS <const> = 8 -- of one carrier: fewer are taken first

scenario_radio.RATE = { name = "rate", type = "rate", min = "400 bit/s", max = "40960 kbit/s", absent = "of `pdchs`",
  doc = "rate of all timeslots without bad blocks, in place of `pdchs`: as many timeslots of `coding` as make it. "
    .. "Without `coding` CS-2, or where CS-2 does not make it the first coding that does. `gbflow check` prints both" }

-- The codings, or the octets of a block, that may make a cell's rate: { name, octets }, CS-2 first.
local function blocks_for(cell)
  if cell.block_octets then
    return { { cell.coding or "CS-2", cell.block_octets } }
  elseif cell.coding then
    return { { cell.coding, scenario_radio.PAYLOAD_OCTETS[cell.coding] } }
  end
  local blocks = { { "CS-2", scenario_radio.PAYLOAD_OCTETS["CS-2"] } }
  for _, name in ipairs(scenario_radio.NAMES) do
    blocks[#blocks + 1] = name ~= "CS-2" and { name, scenario_radio.PAYLOAD_OCTETS[name] } or nil
  end
  return blocks
end

-- The coding and the number of timeslots that make a rate exactly; nil: none do.
local function exactly(blocks, rate_bps)
  for _, most in ipairs({ CARRIER_SLOTS, MOST_SLOTS }) do
    for _, block in ipairs(blocks) do
      local slot_bps = scenario_radio.rate_bps(block[2], 1)
      if rate_bps % slot_bps == 0 and rate_bps // slot_bps <= most then return block[1], rate_bps // slot_bps end
    end
  end
end

-- "40 kbit/s (CS-1, 5 timeslots)": the rate next to another one, on its side (1: above, -1: below); nil: there is none.
local function next_rate(blocks, rate_bps, side)
  local best
  for _, block in ipairs(blocks) do
    for slots = 1, MOST_SLOTS do
      local rate = scenario_radio.rate_bps(block[2], slots)
      if (rate - rate_bps) * side > 0 and (not best or (best.rate - rate) * side > 0) then
        best = { rate = rate, name = block[1], slots = slots }
      end
    end
  end
  return best and ("%s (%s, %d timeslot%s)"):format(units.format("rate", best.rate), best.name, best.slots,
    best.slots == 1 and "" or "s")
end

local function refuse_rate(cell, blocks, fail)
  local near = {}
  for _, side in ipairs({ -1, 1 }) do near[#near + 1] = next_rate(blocks, cell.rate, side) end
  fail({ "rate" }, ("%s is no multiple of a timeslot's rate with %s; nearest: %s"):format(
    units.format("rate", cell.rate), #blocks > 1 and "any coding" or ("blocks of %d octets (%s)"):format(blocks[1][2],
    blocks[1][1]), table.concat(near, ", ")))
end

-- Fills in the timeslots and the coding of a cell with `rate`, and `made`, which says both. False, after fail(): no
-- coding makes the rate.
function scenario_radio.fill_rate(cell, fail)
  if cell.rate and cell.pdchs then
    fail({ "rate" }, "beside `pdchs`: leave out one of the two, the number of timeslots follows from the rate")
  elseif cell.rate then
    local blocks = blocks_for(cell)
    local coding, slots = exactly(blocks, cell.rate)
    if not coding then return refuse_rate(cell, blocks, fail) end
    cell.coding, cell.pdchs = coding, slots
    cell.made = ("%s: %d timeslot%s of %s, blocks of %d octets"):format(units.format("rate", cell.rate), slots,
      slots == 1 and "" or "s", coding, cell.block_octets or scenario_radio.PAYLOAD_OCTETS[coding])
  elseif not cell.pdchs then
    fail({ "pdchs" }, "missing; a cell needs it, or `rate`: 1 .. 64")
  elseif not cell.coding then
    fail({ "coding" }, "missing; a cell with `pdchs` needs it: one of " .. table.concat(scenario_radio.NAMES, ", "))
  end
  return cell.pdchs and cell.coding and true
end

-- "CS-1 20, CS-2 30, ..."
function scenario_radio.describe()
  local parts = {}
  for i, name in ipairs(scenario_radio.NAMES) do
    parts[i] = name .. " " .. scenario_radio.PAYLOAD_OCTETS[name]
  end
  return table.concat(parts, ", ")
end

-- Files with values over time beside a scenario: fields that name them, and their checks. app/run/trace.c reads them.

-- run.outside, if there is one: why a file cannot be read, or nil.
local function check_file(file, fail, _, run)
  for part in file:gmatch("[^/]+") do
    if part == ".." then
      return fail({}, string.format("'%s' leaves the scenario's folder: a path below it", file))
    end
  end
  local fault = run.outside and run.outside(file)
  if fault then
    fail({}, string.format("'%s' cannot be read: %s", file, fault))
  end
end

-- The field that names a file; `contents` says what it has.
function scenario_radio.trace_file(contents)
  return { name = "file", type = "string", required = true, max = 200, pattern = "^[^%c/][^%c]*$",
    form = "a path that begins at the scenario's folder and stays in it", doc = contents, check = check_file }
end

-- The field with the time after which a trace begins again.
function scenario_radio.trace_every(what)
  return { name = "every", type = "duration", min = "1 ms", max = "2678400 s", absent = "played once",
    doc = "time after which " .. what .. " begin again; more than the last time of the file" }
end

-- Block errors of a cell that vary in time (bss/radio.h): fields of a cell and their checks.

local function duration_of_fading(name, doc)
  return { name = name, type = "duration", min = "1 ms", max = "86400 s", required = true, doc = doc }
end

local function share(name, doc)
  return { name = name, type = "percent", min = "0 %", max = "90 %", required = true, doc = doc }
end

scenario_radio.FADING = { name = "fading", type = "record", noun = "fading", absent = "none",
  doc = "Errors in bursts, by the channel of Gilbert and Elliott: each mobile is in a good or a bad state, both of "
    .. "random length (exponential). In the good state `bler` and `bler_up` hold, or `bler_trace`.", fields = {
    duration_of_fading("good", "mean length of the good state"),
    duration_of_fading("bad", "mean length of the bad state"),
    share("bler", "share of blocks with errors in the bad state, both directions"),
  } }

local POINT = { type = "record", noun = "a point", fields = {
  { name = "ci_db", type = "number", min = -50, max = 100, required = true, doc = "C/I in dB" },
  share("bler", "share of blocks with errors there"),
} }

scenario_radio.TRACE = { name = "bler_trace", type = "record", noun = "bler_trace", absent = "none",
  doc = "Block error rate over time, in place of `bler` and `bler_up`, from a table (CSV).", fields = {
    scenario_radio.trace_file("rows `time_s,bler_percent` or `time_s,bler_percent,bler_up_percent`: rates from that "
      .. "time on, 0 to 90 %; with `curve` C/I in dB in their place"),
    scenario_radio.trace_every("the rates"),
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

function scenario_radio.check_errors(cell, fail)
  check_curve(cell.bler_trace and cell.bler_trace.curve or {}, fail)
end

-- Circuit-switched calls in a cell, which take PDCHs: the field of a cell and its check.

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

scenario_radio.CALLS = { name = "calls", type = "record", noun = "calls", absent = "none",
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
function scenario_radio.check_calls(cell, fail)
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

return scenario_radio
