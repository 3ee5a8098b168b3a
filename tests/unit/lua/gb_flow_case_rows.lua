-- SPDX-License-Identifier: BSD-3-Clause
-- Flow control, one PDU or event to a case with its clause (48.018 §8.2, §10.4): what the control plane makes of it,
-- and how it is acknowledged. What the buckets then do is tested where they are, in tests/unit/dataplane/context.

local given = require "gb_given"

local MS, OTHER, STRANGER = 0xc1234567, 0x10, 0x99
local FEATURES_UP = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=39 extended_feature_bitmap=2", given.BVC_RESET,
  "0 [0] bvc_reset bvci=1235 cause=8 cell_id=001-01-13135-0-20961" }

local rows = {}

local function add(clause, name, steps, config)
  rows[#rows + 1] = { clause = clause, name = name, config = config, steps = steps,
    given = config == "features" and FEATURES_UP or given.CELL_UP }
end

-- FLOW-CONTROL-BVC

local function bvc(at, tag, values, rest)
  return { at = at, rx = ("0 [1234] flow_control_bvc tag=%d bucket_octets=%d rate_bps=%d ms_bucket_octets=%d "
    .. "ms_rate_bps=%d %s"):format(tag, values[1], values[2], values[3], values[4], rest or "") }
end

local function taken(at, tag, values, rest, more)
  local step = bvc(at, tag, values, rest)
  step[#step + 1] = ("fc 101/1234 %d/%d%s ms %d/%d%s"):format(values[1], values[2], more and more.ratio or "",
    values[3], values[4], more and more.delay or "")
  step[#step + 1] = ("0 > [1234] flow_control_bvc_ack tag=%d"):format(tag)
  return step
end

local function counted(name, step)
  table.insert(step, 1, "count " .. name)
  return step
end

local VALUES = {
  { "as OsmoPCU announces an idle cell", { 100000, 80000, 25000, 20000 } },
  { "that stops the cell: R = 0", { 100000, 0, 25000, 20000 } },
  { "that fills no bucket: Bmax = 0", { 0, 80000, 25000, 20000 } },
  { "of a full stop: R = 0 and Bmax = 0", { 0, 0, 25000, 20000 } },
  { "of the least rate", { 100000, 100, 25000, 20000 } },
  { "of 212 octet/s, and a bucket of 10 s of that", { 2100, 1700, 25000, 20000 } },
  { "of 819 175 octet/s, which no cell has", { 6553500, 6553400, 25000, 20000 } },
  { "of all ones", { 6553500, 6553500, 6553500, 6553500 } },
  { "whose mobiles get one bucket each and nothing more: R_default_MS = 0", { 100000, 80000, 25000, 0 } },
  { "whose mobiles have no bucket: Bmax default MS = 0", { 100000, 80000, 0, 20000 } },
  { "whose mobiles may take more than the cell", { 1000, 1000, 25000, 20000 } },
  { "with a bucket of less than an LLC-PDU", { 100, 80000, 100, 20000 } },
}
for _, row in ipairs(VALUES) do
  add("48.018 §8.2.3.2, §10.4.4", "FLOW-CONTROL-BVC " .. row[1], { taken(1, 7, row[2]) })
end
for _, tag in ipairs({ 0, 1, 127, 128, 255 }) do
  add("48.018 §10.4.5", ("FLOW-CONTROL-BVC with tag %d, which comes back"):format(tag),
    { taken(1, tag, VALUES[1][2]), taken(2, tag, VALUES[1][2]) })
end
for i, step in ipairs({ 1000, 10000, 100000 }) do
  local values = { 65535 * step, 65535 * step, 65535 * step, 65535 * step }
  add("48.018 §11.3", ("FLOW-CONTROL-BVC in steps of %d"):format(step),
    { counted("ratio_missing", taken(1, i, values)) }, "features")
end
add("48.018 §11.3", "FLOW-CONTROL-BVC in steps of 1000 from a BSS without the feature is taken as it is meant",
  { taken(1, 1, { 65535000, 65535000, 65535000, 65535000 }) })
for _, cs in ipairs({ 0, 1, 150, 65534 }) do
  add("48.018 §11.3.7", ("FLOW-CONTROL-BVC with a measured delay of %d cs"):format(cs),
    { taken(1, 1, VALUES[1][2], "measurement_cs=" .. cs, { ratio = "", delay = " delay " .. cs }) })
end
add("48.018 §11.3.7", "FLOW-CONTROL-BVC with an infinite measured delay says nothing",
  { taken(1, 1, VALUES[1][2], "measurement_cs=65535") })
for _, ratio in ipairs({ 0, 50, 100, 255 }) do
  add("48.018 §8.2, §11.3", ("FLOW-CONTROL-BVC with a bucket filled to %d %%"):format(ratio), {
    taken(1, 1, VALUES[1][2], "ratio_percent=" .. ratio, { ratio = " ratio " .. ratio, delay = "" }) }, "features")
end

add("48.018 §8.2", "FLOW-CONTROL-BVC without a ratio where both have CBL keeps the level",
  { counted("ratio_missing", taken(1, 1, VALUES[1][2])) }, "features")
add("48.018 §8.4", "FLOW-CONTROL-BVC with a ratio where nobody agreed on CBL",
  { counted("ratio_not_negotiated", taken(1, 1, VALUES[1][2], "ratio_percent=50")) })

-- Operator's limits

local function risen(at, tag, announced, counts_as, is_smoothed)
  local step = bvc(at, tag, { announced[1], announced[2], 25000, 20000 })
  if is_smoothed then step[#step + 1] = "count flow_control_smoothed" end
  step[#step + 1] = ("fc 101/1234 %d/%d ms 25000/20000"):format(counts_as[1], counts_as[2])
  step[#step + 1] = ("0 > [1234] flow_control_bvc_ack tag=%d"):format(tag)
  return step
end

local function limited(name, steps)
  add("operator's limit, 48.018 §8.2", "with max_rise = 200 %: " .. name, steps, "rise")
end

limited("819 175 octet/s for one report is twice what was", {
  risen(1, 2, { 6553500, 6553400 }, { 200000, 160000 }, true),
  risen(1001, 3, { 100000, 80000 }, { 100000, 80000 }) })
limited("it rises on from what counted, not from what was said", {
  risen(1, 2, { 6553500, 6553400 }, { 200000, 160000 }, true),
  risen(1001, 3, { 6553500, 6553400 }, { 400000, 320000 }, true) })
limited("a fall to 212 octet/s holds at once, the way back is in steps", {
  risen(1, 2, { 2100, 1700 }, { 2100, 1700 }), risen(1001, 3, { 100000, 80000 }, { 4200, 3400 }, true),
  risen(2001, 4, { 100000, 80000 }, { 8400, 6800 }, true) })
limited("exactly twice is no more than that", { risen(1, 2, { 200000, 160000 }, { 200000, 160000 }) })
limited("a rate of 0 bounds nothing", { risen(1, 2, { 100000, 0 }, { 100000, 0 }),
  risen(1001, 3, { 100000, 80000 }, { 100000, 80000 }) })
limited("a bucket of 0 bounds nothing", { risen(1, 2, { 0, 80000 }, { 0, 80000 }),
  risen(1001, 3, { 100000, 80000 }, { 100000, 80000 }) })
limited("a reset begins anew", {
  { at = 1, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
    "bvc 101/1234 up" },
  risen(2, 2, { 6553500, 6553400 }, { 6553500, 6553400 }) })
limited("a changed configuration holds from the next announcement on", {
  { at = 1, call = "set_flow_control", args = { 101, 1234, { max_rise = 3000000 } } },
  risen(2, 2, { 6553500, 6553400 }, { 300000, 240000 }, true),
  { at = 3, call = "set_flow_control", args = { 101, 1234, {} } },
  risen(4, 3, { 6553500, 6553400 }, { 6553500, 6553400 }) })

-- Before the first announcement

local RESET_UP = { "bvc 101/1234 down", "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
  "bvc 101/1234 up" }
local WAIT = "timer bvc/101/1234/wait %d"

local function reset(at, ...)
  return { at = at, rx = given.BVC_RESET, RESET_UP[1], RESET_UP[2], RESET_UP[3], RESET_UP[4], RESET_UP[5], ... }
end

local function first(name, config, steps)
  add("48.018 §8.2", "before the first FLOW-CONTROL-BVC: " .. name, steps, config)
  rows[#rows].shows_wait = true
end

local INITIAL, ANNOUNCED = "fc 101/1234 50000/20000 ms 50000/20000", { 100000, 80000, 25000, 20000 }
first("initial values hold from the reset on", "initial", {
  reset(1, INITIAL), taken(2, 2, ANNOUNCED), reset(3, INITIAL) })
first("initial values hold again when the NSE is back", "initial", { reset(1, INITIAL),
  { at = 2, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down", "log info",
    "0 > block_ack nsvci=1800" },
  { at = 3, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "bvc 101/1234 up", INITIAL } })
first("an announcement holds when the NSE is back", "initial", {
  { at = 2, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down", "log info",
    "0 > block_ack nsvci=1800" },
  { at = 3, rx = "0 unblock", "0 > unblock_ack", "nsvc 0 up", "log info", "bvc 101/1234 up" } })
first("the worker is asked every 10 s whether packets wait", nil, { reset(1, WAIT:format(10001)),
  { at = 10001, timer = "bvc/101/1234/wait", "bvc_waits 101/1234", WAIT:format(20001) },
  { at = 10002, call = "on_waiting", args = { 101, 1234, 7 }, "count bvc_awaits_flow_control", "log warn" },
  { at = 10003, rx = bvc(1, 2, ANNOUNCED).rx, "cancel bvc/101/1234/wait", table.unpack(taken(1, 2, ANNOUNCED)) } })
first("an answer that comes too late says nothing", nil, { reset(1, WAIT:format(10001)),
  { at = 2, call = "on_waiting", args = { 101, 9, 7 } } })
first("a blocked cell is not asked about", nil, { reset(1, WAIT:format(10001)),
  { at = 2, rx = "0 [0] bvc_block bvci=1234 cause=8", "cancel bvc/101/1234/wait", "bvc 101/1234 down", "log info",
    "0 > [0] bvc_block_ack bvci=1234" } })
first("a reload gives initial values", nil, { reset(1, WAIT:format(10001)),
  { at = 2, call = "set_flow_control", args = { 101, 1234, { initial = { bmax = 50000, leak_rate = 20000 } } },
    "cancel bvc/101/1234/wait", INITIAL } })
first("a reload takes initial values away", "initial", { reset(1, INITIAL),
  { at = 2, call = "set_flow_control", args = { 101, 1234, {} }, "fc 101/1234 0/0 ms 0/0", WAIT:format(10002) } })
first("max_rise counts from the initial values", "initial", { reset(1, INITIAL),
  { at = 2, call = "set_flow_control", args = { 101, 1234, { max_rise = 1500000,
    initial = { bmax = 50000, leak_rate = 20000 } } }, INITIAL },
  { at = 3, rx = bvc(1, 3, ANNOUNCED).rx, "count flow_control_smoothed", "fc 101/1234 75000/30000 ms 25000/20000",
    "0 > [1234] flow_control_bvc_ack tag=3" } })
first("a reload does not change what was announced", "initial", {
  { at = 2, call = "set_flow_control", args = { 101, 1234, { initial = { bmax = 1600, leak_rate = 100 } } } } })

-- With the delay that a target of 250 ms is held with, and the share that counts then.
local function shared(at, tag, share)
  local step = bvc(at, tag, { 100000, 80000, 25000, 20000 }, "measurement_cs=15")
  step[#step + 1] = "fc 101/1234 100000/80000 ms 25000/20000 delay 15" .. share
  step[#step + 1] = ("0 > [1234] flow_control_bvc_ack tag=%d"):format(tag)
  return step
end

add("operator's limit, 48.018 §11.3.7", "a bss_target of a changed configuration, and none again", {
  shared(1, 2, ""),
  { at = 2, call = "set_flow_control", args = { 101, 1234, { bss_target = 250000000 } } },
  shared(3, 3, " share 600"),
  { at = 4, call = "set_flow_control", args = { 101, 1234, {} } }, shared(5, 4, "") })

-- FLOW-CONTROL-MS

local function ms(at, tlli, tag, values, more)
  return { at = at, rx = ("0 [1234] flow_control_ms tlli=%d tag=%d bucket_octets=%d rate_bps=%d %s"):format(tlli, tag,
    values[1], values[2], more and "ratio_percent=" .. more or ""),
    ("fc_ms 101/1234 %08x %d/%d%s"):format(tlli, values[1], values[2], more and " ratio " .. more or ""),
    ("timer ms/101/1234/%d/th %d"):format(1000 + (tlli & 0xff), at + 5000),
    ("0 > [1234] flow_control_ms_ack tag=%d tlli=%d"):format(tag, tlli) }
end

local function ms_ignored(at, tlli, count)
  return { at = at, rx = ("0 [1234] flow_control_ms tlli=%d tag=5 bucket_octets=1000 rate_bps=1000"):format(tlli),
    "count " .. count, ("0 > [1234] flow_control_ms_ack tag=5 tlli=%d"):format(tlli) }
end

local MS_VALUES = {
  { "of its own", { 25000, 20000 } }, { "that stops it: R = 0", { 25000, 0 } }, { "without a bucket", { 0, 20000 } },
  { "of a full stop", { 0, 0 } }, { "of the least values", { 100, 100 } }, { "of all ones", { 6553500, 6553500 } },
}
for _, row in ipairs(MS_VALUES) do
  add("48.018 §8.2.3.2.1, §10.4.6", "FLOW-CONTROL-MS " .. row[1], { ms(1, MS, 3, row[2]) })
end
for _, step in ipairs({ 1000, 100000 }) do
  add("48.018 §11.3", ("FLOW-CONTROL-MS in steps of %d"):format(step),
    { counted("ratio_missing", ms(1, MS, 3, { 65535 * step, 65535 * step })) }, "features")
end
for _, ratio in ipairs({ 0, 100, 255 }) do
  add("48.018 §8.2", ("FLOW-CONTROL-MS with a bucket filled to %d %%"):format(ratio),
    { ms(1, MS, 3, { 25000, 20000 }, ratio) }, "features")
end
add("48.018 §8.4", "FLOW-CONTROL-MS with a ratio where nobody agreed on CBL", { { at = 1,
  rx = "0 [1234] flow_control_ms tlli=3240314215 tag=3 bucket_octets=25000 rate_bps=20000 ratio_percent=50",
  "count ratio_not_negotiated", "fc_ms 101/1234 c1234567 25000/20000", "timer ms/101/1234/1103/th 5001",
  "0 > [1234] flow_control_ms_ack tag=3 tlli=3240314215" } })
add("48.018 §10.4.7", "FLOW-CONTROL-MS of a mobile that nobody knows is acknowledged",
  { ms_ignored(1, STRANGER, "ms_flow_unknown") })
add("48.018 §10.4.7", "FLOW-CONTROL-MS of a mobile in another cell is acknowledged",
  { { at = 1, rx = "0 [1235] flow_control_ms tlli=3240314215 tag=5 bucket_octets=1000 rate_bps=1000",
    "count ms_flow_elsewhere", "0 > [1235] flow_control_ms_ack tag=5 tlli=3240314215" } }, "features")
add("48.018 table 12.3", "Th runs out: the defaults of the cell",
  { ms(1, MS, 3, { 25000, 0 }), { at = 5001, timer = "ms/101/1234/1103/th" } })
add("48.018 table 12.3", "Th begins anew with each FLOW-CONTROL-MS",
  { ms(1, MS, 3, { 25000, 0 }), ms(4001, MS, 4, { 25000, 0 }),
    { at = 9001, timer = "ms/101/1234/1103/th" } })
add("48.018 §8.2.3.2.1", "values of one mobile are not those of another",
  { ms(1, MS, 3, { 25000, 0 }), ms(2, OTHER, 4, { 1000, 1000 }),
    { at = 5001, timer = "ms/101/1234/1103/th" },
    { show = "bvc 101/1234", is = "unblocked up rate 80000 own 1" } })
add("48.018 §8.2.3.2.1", "a mobile that goes takes its values along", { ms(1, MS, 3, { 25000, 0 }),
  { at = 2, call = "ms_del", args = { MS }, "cancel ms/101/1234/1103/th" } })

-- LLC-DISCARDED, FLUSH-LL-ACK, events of the cell

local function discarded(rest, text)
  return { at = 1, rx = "0 [0] llc_discarded " .. rest, text }
end

add("48.018 §8.2, §10.4.3", "LLC-DISCARDED of one frame", { discarded(
  "tlli=3240314215 frames_discarded=1 bvci=1234 octets_affected=406", "discarded 101/1234 c1234567 406") })
add("48.018 §8.2, §10.4.3", "LLC-DISCARDED of nothing", { discarded(
  "tlli=3240314215 frames_discarded=0 bvci=1234 octets_affected=0", "discarded 101/1234 c1234567 0") })
add("48.018 §8.2, §10.4.3", "LLC-DISCARDED of as much as it can say", { discarded(
  "tlli=3240314215 frames_discarded=255 bvci=1234 octets_affected=16777215",
  "discarded 101/1234 c1234567 16777215") })
add("48.018 §8.2, §10.4.3", "LLC-DISCARDED of a packet flow", { discarded(
  "tlli=3240314215 frames_discarded=1 bvci=1234 octets_affected=406 pfi=9", "discarded 101/1234 c1234567 406 pfi 9") })
add("48.018 §8.2, §10.4.3", "LLC-DISCARDED of a mobile that nobody knows: the cell's octets", { discarded(
  "tlli=153 frames_discarded=1 bvci=1234 octets_affected=406", "discarded 101/1234 00000099 406") })
add("48.018 §8.1, §10.4.2", "FLUSH-LL-ACK to nothing changes no bucket", { { at = 1,
  rx = "0 [0] flush_ll_ack tlli=3240314215 flush_action=0 octets_affected=500",
  "count bssgp_flush_ll_ack_unexpected" } })
add("48.018 §8.4", "a reset of the cell forgets what it announced", {
  { at = 1, rx = given.BVC_RESET, "bvc 101/1234 down", "log info", "reset 101/1234", "0 > [0] bvc_reset_ack bvci=1234",
    "bvc 101/1234 up" },
  { show = "bvc 101/1234", is = "unblocked up rate none own 0" } })
add("48.018 §8.4", "a reset of the signalling BVC forgets what all cells announced", {
  { at = 1, rx = "0 [0] bvc_reset bvci=0 cause=8", "log info", "bvc 101/1234 down", "reset 101/1234",
    "0 > [0] bvc_reset_ack bvci=0" },
  { show = "bvc 101/1234", is = "unknown down rate none own 0" } })
add("48.018 §8.3", "a block keeps what was announced", {
  { at = 1, rx = "0 [0] bvc_block bvci=1234 cause=8", "bvc 101/1234 down", "log info",
    "0 > [0] bvc_block_ack bvci=1234" },
  { show = "bvc 101/1234", is = "blocked down rate 80000 own 0" } })
add("48.016 §7.4", "the loss of the NSE keeps what was announced", {
  { at = 1, rx = "0 block cause=1 nsvci=1800", "nsvc 0 down", "log warn", "bvc 101/1234 down", "log info",
    "0 > block_ack nsvci=1800" },
  { show = "bvc 101/1234", is = "unblocked down rate 80000 own 0" } })

-- FLOW-CONTROL-PFC

local function pfc(rest, ...)
  return { at = 1, rx = "0 [1234] flow_control_pfc tlli=3240314215 tag=9 " .. rest, ... }
end

local PFC_ACK = "0 > [1234] flow_control_pfc_ack tag=9 tlli=3240314215"
for pfi = 0, 3 do
  add("48.018 §8.2.3.2, §10.4.24", ("FLOW-CONTROL-PFC of the predefined packet flow %d"):format(pfi), { pfc(
    ("pfcs=%d:5000/20000/40"):format(pfi), ("pfc_add 101/1234 c1234567 %d"):format(pfi),
    ("fc_pfc 101/1234 c1234567 %d 5000/20000 ratio 40"):format(pfi), PFC_ACK) }, "features")
end
add("48.018 §8.2.3.2, §10.4.24", "FLOW-CONTROL-PFC of a packet flow that was not created",
  { pfc("pfcs=9:5000/20000/40", "count pfc_flow_unknown", PFC_ACK) }, "features")
add("48.018 §10.4.24", "FLOW-CONTROL-PFC that has values of the mobile", { pfc(
  "bucket_octets=1000 rate_bps=2000 ratio_percent=10 pfcs=9:5000/20000/40",
  "fc_ms 101/1234 c1234567 1000/2000 ratio 10",
  "timer ms/101/1234/1103/th 5001", "count pfc_flow_unknown", PFC_ACK) }, "features")
add("48.018 §10.4.25", "FLOW-CONTROL-PFC of a mobile that nobody knows is acknowledged", { { at = 1,
  rx = "0 [1234] flow_control_pfc tlli=153 tag=9 pfcs=0:5000/20000/40", "count ms_flow_unknown",
  "0 > [1234] flow_control_pfc_ack tag=9 tlli=153" } }, "features")

return rows
