-- SPDX-License-Identifier: BSD-3-Clause
-- BSSGP PDUs that cannot be taken, one to a case with its clause: each is answered as 48.018 §9 says, and changes
-- nothing.

local given = require "gb_given"

local MALFORMED, MISSING, MISSING_CONDITIONAL, CONDITIONAL_ERROR = 0x21, 0x22, 0x23, 0x25
local WRONG_BVC, UNSPECIFIED, NO_FEATURE = 0x26, 0x27, 0x28

local FEATURES_UP = { "0 reset cause=1 nsei=101 nsvci=1800", "0 unblock", "0 alive_ack",
  "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=39 extended_feature_bitmap=2", given.BVC_RESET }

local rows = {}

local function add(clause, name, config, steps)
  steps[#steps + 1] = { show = "bvc 101/1234", is = config and "unblocked up rate none own 0"
    or "unblocked up rate 80000 own 0" }
  rows[#rows + 1] = { clause = clause, name = name, config = config, given = config and FEATURES_UP or given.CELL_UP,
    steps = steps }
end

-- One PDU of octets on a BVC, and the STATUS that answers it; `count`: as what it is counted besides.
local function refused(bvci, hex, cause, count, named)
  local steps = { at = 1, rx = ("0 [%d] #%s"):format(bvci, hex), count and "count bssgp_" .. count,
    ("count bssgp_status_sent_%02x"):format(cause),
    ("0 > [0] status %scause=%d pdu_in_error=received"):format(named and ("bvci=%d "):format(named) or "", cause) }
  if not count then table.remove(steps, 1) end
  return steps
end

-- PDUs of the BSS: type, BVC, IEs { name, octets } that are mandatory (or else conditional), the features they need.
local AREA = { "Routeing Area", "1b8600f110334f00" }
local TLLI, TAG, PFI = { "TLLI", "1f8400000010" }, { "Tag", "1e8101" }, { "PFI", "288109" }
local CAUSE = { "Cause", "078108" }
local BVCI = { "BVCI", "048204d2" }
local ABQP = { "ABQP", "3a8b23531f939656567400ffff" }
local OCTETS = { "Number of octets", "2583000410" }
local REFERENCE = { "Suspend Reference Number", "1d8100" }

local PDUS = {
  { "FLOW-CONTROL-BVC", "26", 1234, { TAG, { "BVC Bucket Size", "058203e8" }, { "Bucket Leak Rate", "03820320" },
    { "Bmax default MS", "018200fa" }, { "R_default_MS", "1c8200c8" } }, "§10.4.4" },
  { "FLOW-CONTROL-MS", "28", 1234, { TLLI, TAG, { "MS Bucket Size", "128200fa" }, { "Bucket Leak Rate", "038200c8" } },
    "§10.4.6" },
  { "RADIO-STATUS", "0a", 1234, { { "Radio Cause", "198100" } }, "§10.3.5", before = "1f8400000010" },
  { "RA-CAPABILITY-UPDATE", "08", 1234, { TLLI, TAG }, "§10.3.3" },
  { "SUSPEND", "0b", 0, { TLLI, AREA }, "§10.3.6" },
  { "RESUME", "0e", 0, { TLLI, AREA, REFERENCE }, "§10.3.9" },
  { "FLUSH-LL-ACK", "2b", 0, { TLLI, { "Flush Action", "0c8100" }, OCTETS }, "§10.4.2" },
  { "LLC-DISCARDED", "2c", 0, { TLLI, { "LLC Frames Discarded", "0f8102" }, BVCI, OCTETS }, "§10.4.3" },
  { "BVC-BLOCK", "20", 0, { BVCI, CAUSE }, "§10.4.8" },
  { "BVC-UNBLOCK", "24", 0, { BVCI }, "§10.4.10" },
  { "BVC-RESET", "22", 0, { BVCI, CAUSE }, "§10.4.12" },
  { "BVC-RESET-ACK", "23", 0, { BVCI }, "§10.4.13" },
  { "FLOW-CONTROL-PFC", "2d", 1234, { TLLI, TAG, { "PFC Flow Control Parameters", "5286010900320190" } }, "§10.4.24",
    config = "features" },
  { "DOWNLOAD-BSS-PFC", "50", 1234, { TLLI, PFI }, "§10.4.16", config = "features" },
  { "CREATE-BSS-PFC-ACK", "52", 1234, { TLLI, PFI, ABQP }, "§10.4.18", config = "features" },
  { "CREATE-BSS-PFC-NACK", "53", 1234, { TLLI, PFI, CAUSE }, "§10.4.19", config = "features" },
  { "MODIFY-BSS-PFC", "54", 1234, { TLLI, PFI, ABQP }, "§10.4.20", config = "features" },
  { "DELETE-BSS-PFC-ACK", "57", 1234, { TLLI, PFI }, "§10.4.23", config = "features" },
  { "DELETE-BSS-PFC-REQ", "58", 1234, { TLLI, PFI, CAUSE }, "§10.4.26", config = "features" },
}

-- The octets of a PDU with IE number `i` replaced.
local function with(pdu, i, replacement)
  local parts = { pdu[2], pdu.before or "" }
  for k, ie in ipairs(pdu[4]) do parts[#parts + 1] = k == i and replacement or ie[2] end
  return table.concat(parts)
end

local function add_ies(pdu)
  local name, _, bvci, ies, clause = table.unpack(pdu)
  for i, ie in ipairs(ies) do
    add("48.018 §9, " .. clause, ("%s without %s"):format(name, ie[1]), pdu.config,
      { refused(bvci, with(pdu, i, ""), MISSING, "malformed") })
    add("48.018 §9, " .. clause, ("%s with an empty %s"):format(name, ie[1]), pdu.config,
      { refused(bvci, with(pdu, i, ie[2]:sub(1, 2) .. "80"), MALFORMED, "malformed") })
  end
end

-- A length that leads beyond the end: the last IE is wrong.
local function add_overrun(pdu)
  local name, _, bvci, ies, clause = table.unpack(pdu)
  local last = ies[#ies][2]
  add("48.018 §9, §11.1, " .. clause, ("%s that ends within its last IE"):format(name), pdu.config,
    { refused(bvci, with(pdu, #ies, last:sub(1, -3)), MALFORMED, "malformed") })
end

local function add_wrong_bvc(pdu)
  local name, _, bvci, _, clause = table.unpack(pdu)
  add("48.018 §5.4.1, " .. clause, ("%s on the wrong kind of BVC"):format(name), pdu.config,
    { refused(bvci == 0 and 1234 or 0, with(pdu, 0, ""), WRONG_BVC, "malformed") })
end

local function add_unknown_bvci(pdu)
  local name, _, bvci, _, clause = table.unpack(pdu)
  if bvci == 0 then return end
  add("48.018 §9, §10.4.14, " .. clause, ("%s on a BVCI that nobody knows"):format(name), pdu.config,
    { refused(77, with(pdu, 0, ""), 0x05, nil, 77) })
end

local function add_without_feature(pdu)
  local name, _, bvci, _, clause = table.unpack(pdu)
  if not pdu.config then return end
  add("48.018 §8.4, §9, " .. clause, ("%s without its feature"):format(name), nil,
    { refused(bvci, with(pdu, 0, ""), NO_FEATURE, "unsupported") })
end

for _, pdu in ipairs(PDUS) do
  add_ies(pdu)
  add_overrun(pdu)
  add_wrong_bvc(pdu)
  add_unknown_bvci(pdu)
  add_without_feature(pdu)
end

-- Types that only the SGSN sends, or nobody.
local DOWNLINK = { ["00"] = "DL-UNITDATA", ["02"] = "RA-CAPABILITY", ["09"] = "RA-CAPABILITY-UPDATE-ACK",
  ["27"] = "FLOW-CONTROL-BVC-ACK", ["29"] = "FLOW-CONTROL-MS-ACK", ["2e"] = "FLOW-CONTROL-PFC-ACK",
  ["51"] = "CREATE-BSS-PFC", ["55"] = "MODIFY-BSS-PFC-ACK", ["56"] = "DELETE-BSS-PFC", ["aa"] = "a type of nobody's",
  ["03"] = "a reserved type" }
local DOWNLINK_SIGNALLING = { ["06"] = "PAGING-PS", ["07"] = "PAGING-CS", ["0c"] = "SUSPEND-ACK",
  ["0d"] = "SUSPEND-NACK", ["0f"] = "RESUME-ACK", ["10"] = "RESUME-NACK", ["21"] = "BVC-BLOCK-ACK",
  ["25"] = "BVC-UNBLOCK-ACK", ["2a"] = "FLUSH-LL", ["40"] = "SGSN-INVOKE-TRACE", ["42"] = "OVERLOAD",
  ["ff"] = "the last type" }

local function add_types(types, bvci)
  local sorted = {}
  for hex in pairs(types) do sorted[#sorted + 1] = hex end
  table.sort(sorted)
  for _, hex in ipairs(sorted) do
    add("48.018 §9, §11.3.26", ("%s from a BSS"):format(types[hex]), nil,
      { refused(bvci, hex .. "1f8400000010", UNSPECIFIED, "malformed") })
  end
end

add_types(DOWNLINK, 1234)
add_types(DOWNLINK_SIGNALLING, 0)

add("48.018 §9, §10.3.5", "RADIO-STATUS that names nobody", nil,
  { refused(1234, "0a198100", MISSING_CONDITIONAL, "malformed") })
add("48.018 §9, §10.3.5", "RADIO-STATUS with an empty TLLI", nil,
  { refused(1234, "0a1f80198100", CONDITIONAL_ERROR, "malformed") })
add("48.018 §8.3, §10.4.8", "BVC-BLOCK of the signalling BVC", nil, { refused(0, "2004820000078108", MALFORMED) })
add("48.018 §8.3, §10.4.10", "BVC-UNBLOCK of the signalling BVC", nil, { refused(0, "2404820000", MALFORMED) })
add("48.018 §10.4.3", "LLC-DISCARDED of the signalling BVC", nil,
  { refused(0, "2c1f84000000100f8102048200002583000410", MALFORMED) })
for type_hex, name in pairs({ ["20"] = "BVC-BLOCK", ["22"] = "BVC-RESET" }) do
  add("48.018 §8.3, §8.4, §10.4.14", name .. " of a BVCI that nobody knows", nil,
    { refused(0, type_hex .. "0482004d078108", 0x05, nil, 77) })
end
add("48.018 §8.3, §10.4.14", "BVC-UNBLOCK of a BVCI that nobody knows", nil,
  { refused(0, "240482004d", 0x05, nil, 77) })
for hex, name in pairs({ ["41"] = "STATUS of nothing", ["4107"] = "STATUS that ends early", ["410780"] =
  "STATUS with an empty Cause" }) do
  add("48.018 §9, §10.4.14", name .. " is not answered", nil,
    { { at = 1, rx = "0 [0] #" .. hex, "count bssgp_status_malformed" } })
end
add("48.018 §9", "no octets on the signalling BVC", nil, { { at = 1, rx = "0 [0] #", "count bssgp_empty" } })
add("48.018 §9", "no octets on a cell", nil, { { at = 1, rx = "0 [1234] #", "count bssgp_empty" } })

table.sort(rows, function(a, b) return a.name < b.name end)
return rows
