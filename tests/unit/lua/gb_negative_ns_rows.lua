-- SPDX-License-Identifier: BSD-3-Clause
-- NS and IP-SNS PDUs that cannot be taken, one to a case with its clause: each is answered as 48.016 says, or not at
-- all, and changes nothing.

local given = require "gb_given"

local rows = {}

local function add(clause, name, steps)
  steps[#steps + 1] = { show = "nsvc 0", is = "unblocked resting" }
  rows[#rows + 1] = { clause = clause, name = name, given = given.CELL_UP, steps = steps }
end

local function add_sns(clause, name, steps)
  steps[#steps + 1] = { show = "nsvc 0", is = "alive resting" }
  rows[#rows + 1] = { clause = clause, name = name, config = "sns", given = given.SNS_CELL_UP, steps = steps }
end

-- Octets, how they are counted, and the NS-STATUS that answers them; nil: none.
local function octets(hex, count, cause, ie)
  local step = { at = 1, rx = "0 #" .. hex, "count " .. count }
  if cause then
    step[#step + 1] = ("count ns_status_sent_%02x"):format(cause)
    step[#step + 1] = ("0 > status cause=%d %s"):format(cause, ie or "ns_pdu=received")
  end
  return { step }
end

local TRUNCATED, MISSING = 12, 13
local NSVCI, NSEI, CAUSE = "01820708", "04820065", "008101"

-- PDUs of classic NS: type and mandatory IEs.
local CLASSIC = {
  { "NS-RESET", "02", { { "Cause", CAUSE }, { "NS-VCI", NSVCI }, { "NSEI", NSEI } }, "§9.2.6" },
  { "NS-RESET-ACK", "03", { { "NS-VCI", NSVCI }, { "NSEI", NSEI } }, "§9.2.7" },
  { "NS-BLOCK", "04", { { "Cause", CAUSE }, { "NS-VCI", NSVCI } }, "§9.2.4" },
  { "NS-BLOCK-ACK", "05", { { "NS-VCI", NSVCI } }, "§9.2.5" },
}

local SNS = {
  { "SNS-SIZE", "12", { { "NSEI", NSEI }, { "Reset Flag", "0a01" }, { "Maximum Number of NS-VCs", "070008" } },
    "§9.3" },
  { "SNS-SIZE-ACK", "13", { { "NSEI", NSEI } }, "§9.3" },
  { "SNS-CONFIG-ACK", "10", { { "NSEI", NSEI } }, "§9.3" },
}

local function join(pdu, i, replacement)
  local parts = { pdu[2] }
  for k, ie in ipairs(pdu[3]) do parts[#parts + 1] = k == i and replacement or ie[2] end
  return table.concat(parts)
end

local function add_ies(pdu, adder)
  local name, _, ies, clause = table.unpack(pdu)
  for i, ie in ipairs(ies) do
    adder("48.016 §7.5, " .. clause, ("%s without %s"):format(name, ie[1]),
      octets(join(pdu, i, ""), "ns_malformed", MISSING))
  end
  local last = ies[#ies][2]
  adder("48.016 §7.5, " .. clause, ("%s that ends within its last IE"):format(name),
    octets(join(pdu, #ies, last:sub(1, -3)), "ns_truncated", TRUNCATED))
end

for _, pdu in ipairs(CLASSIC) do add_ies(pdu, add) end
for _, pdu in ipairs(SNS) do add_ies(pdu, add_sns) end

-- Types of nobody's, and those of the other way of reaching an NSE.
for _, hex in ipairs({ "01", "09", "14", "80", "ff" }) do
  add("48.016 §9.2, §10.3.7", "type " .. hex .. " of nobody's", octets(hex, "ns_unsupported", 11))
end
for name, hex in pairs({ ["SNS-ACK"] = "0c0482006501", ["SNS-SIZE"] = "12048200650a01070008080001",
  ["SNS-CONFIG"] = "0f010482006505880a63000259d80101", ["SNS-ADD"] = "0d048200650105880a63000359d80101",
  ["SNS-DELETE"] = "11048200650105880a63000359d80101", ["SNS-CHANGEWEIGHT"] = "0e048200650105880a63000359d80101",
  ["SNS-CONFIG-ACK"] = "1004820065", ["SNS-SIZE-ACK"] = "1304820065" }) do
  add("48.016 §6.2", name .. " on an NS-VC that is given", octets(hex, "ns_unsupported", 11))
end
for name, hex in pairs({ reset = "02008101" .. NSVCI .. NSEI, reset_ack = "03" .. NSVCI .. NSEI,
  block = "04008101" .. NSVCI, block_ack = "05" .. NSVCI, unblock = "06", unblock_ack = "07" }) do
  add_sns("48.016 §7.2, §7.3", ("%s where NS-VCs have no states"):format(name), octets(hex,
    "ns_" .. name .. "_unexpected"))
end

add("48.016 §9.2.1", "no octets at all", octets("", "ns_truncated"))
add("48.016 §9.2.9", "NS-UNITDATA of a type alone", octets("00", "ns_truncated", TRUNCATED))
add("48.016 §9.2.9", "NS-UNITDATA without a BVCI", octets("0000", "ns_truncated", TRUNCATED))
add("48.016 §9.2.9", "NS-UNITDATA with half a BVCI", octets("000000", "ns_truncated", TRUNCATED))
add("48.016 §9.2.9", "NS-UNITDATA of nothing", { { at = 1, rx = "0 #00000000", "count bssgp_empty" } })
add("48.016 §9.2.10", "NS-UNBLOCK of more than a type", octets("0600", "ns_malformed", 11))
add("48.016 §9.2.11", "NS-UNBLOCK-ACK of more than a type", octets("0700", "ns_malformed", 11))
for hex, name in pairs({ ["08"] = "of nothing", ["0800"] = "that ends early", ["080082"] = "with half a Cause" }) do
  add("48.016 §7.6, §9.2.8", "NS-STATUS " .. name .. " is not answered",
    octets(hex, hex == "08" and "ns_malformed" or "ns_truncated"))
end
add("48.016 §7.2", "NS-BLOCK of an NS-VC of nobody's", { { at = 1, rx = "0 block cause=1 nsvci=9",
  "count ns_status_sent_04", "0 > status cause=4 nsvci=9" } })
add("48.016 §7.2", "NS-BLOCK-ACK to nothing", { { at = 1, rx = "0 block_ack nsvci=1800",
  "count ns_block_ack_unexpected" } })
add("48.016 §7.2", "NS-UNBLOCK-ACK to nothing", { { at = 1, rx = "0 unblock_ack", "count ns_vc_unexpected" } })
add("48.016 §7.3", "NS-RESET-ACK to nothing", { { at = 1, rx = "0 reset_ack nsei=101 nsvci=1800",
  "count ns_vc_unexpected" } })
add("48.016 §7.3", "NS-RESET-ACK of another NS-VC to nothing", { { at = 1, rx = "0 reset_ack nsei=101 nsvci=9",
  "count ns_vc_unexpected" } })
add("48.016 §7.3", "NS-RESET of another NS-VCI", { { at = 1, rx = "0 reset cause=1 nsei=101 nsvci=9",
  "count ns_reset_mismatch", "log warn", "0 > reset_ack nsei=101 nsvci=1800" } })
add("48.016 §7.3", "NS-RESET of another NSEI", { { at = 1, rx = "0 reset cause=1 nsei=9 nsvci=1800",
  "count ns_reset_mismatch", "log warn", "0 > reset_ack nsei=101 nsvci=1800" } })
add("48.016 §7.4", "NS-ALIVE-ACK to nothing", { { at = 1, rx = "0 alive_ack", "count ns_test_unexpected" } })
add("48.016 §7.4", "from an endpoint of nobody's", { { at = 1, rx = "7 alive", "count ns_unknown_endpoint" } })
for cause = 0, 20 do
  if cause ~= 3 and cause ~= 4 then
    add("48.016 §7.6, §10.3.2", ("NS-STATUS of cause %d changes nothing"):format(cause), { { at = 1,
      rx = ("0 status cause=%d"):format(cause), ("count ns_status_received_%02x"):format(cause), "log warn" } })
  end
end
for _, cause in ipairs({ 3, 4 }) do
  add("48.016 §7.6, §10.3.2", ("NS-STATUS of cause %d about another NS-VC"):format(cause), { { at = 1,
    rx = ("0 status cause=%d nsvci=9"):format(cause), ("count ns_status_received_%02x"):format(cause), "log warn" } })
end

table.sort(rows, function(a, b) return a.name < b.name end)
return rows
