-- SPDX-License-Identifier: BSD-3-Clause
-- RAN information (48.018 §8c) from one BSS to another: NS-VC 0 leads to NSE 101, NS-VC 1 to NSE 102.

local HERE <const>, BESIDE <const>, THERE <const> = "00f110334f0051e0", "00f110334f0051e1", "00f110334f0751e0"
local NOWHERE <const>, RNC <const> = "00f110334f0951e0", "00f110334f000007"

local function up(via, nsei, nsvci, cells)
  local lead = via .. " "
  local rows = { lead .. ("reset cause=1 nsei=%d nsvci=%d"):format(nsei, nsvci), lead .. "unblock", lead .. "alive_ack",
    lead .. "[0] bvc_reset bvci=0 cause=8" }
  for i, cell in ipairs(cells) do
    rows[4 + i] = lead .. ("[0] bvc_reset bvci=%d cause=8 cell_id=%s"):format(1233 + i, cell)
  end
  return rows
end

local FIRST_UP = up(0, 101, 1800, { "001-01-13135-0-20960", "001-01-13135-0-20961" })
local SECOND_UP = up(1, 102, 1900, { "001-01-13135-7-20960" })
local BOTH_UP = table.move(SECOND_UP, 1, #SECOND_UP, #FIRST_UP + 1, table.move(FIRST_UP, 1, #FIRST_UP, 1, {}))

-- Kinds with the octets of their containers: application identity NACC, sequence number 1 and so on.
local KINDS <const> = { ran_information = "4b81014c8400000001", ran_information_request = "4b81014c84000000014f8101",
  ran_information_ack = "4b81014c8400000001", ran_information_error = "4b810107812a15818a",
  ran_information_application_error = "4b8101" }
local IEIS <const> = { ran_information = "58", ran_information_request = "57", ran_information_ack = "5a",
  ran_information_error = "5b", ran_information_application_error = "59" }
local TYPES <const> = { ran_information = "70", ran_information_request = "71", ran_information_ack = "72",
  ran_information_error = "73", ran_information_application_error = "74" }

local function element(tag, hex)
  return ("%s%02x%s"):format(tag, 0x80 | #hex // 2, hex)
end

local function octets(kind, to, from)
  return TYPES[kind] .. element("54", to) .. element("54", from) .. element(IEIS[kind], KINDS[kind])
end

-- As the text of a row; what follows the container's name in `more`.
local function text(kind, to, from, container)
  return ("%s rim_container=#%s rim_destination=#%s rim_source=#%s"):format(kind, container or KINDS[kind], to, from)
end

-- RAN-INFORMATION-ERROR, cause unknown destination, with the PDU.
local function refused(kind, to, from)
  local pdu = octets(kind, to, from)
  return text("ran_information_error", from, to, "4b810107812a558101" .. element("15", pdu))
end

local rows = {}

for kind in pairs(KINDS) do rows[#rows + 1] = kind end
table.sort(rows)
for i, kind in ipairs(rows) do
  local steps = {
    { at = 1, rx = "0 [0] #" .. octets(kind, "00" .. THERE, "00" .. HERE), "count rim_routed",
      "1 > [0] " .. text(kind, "00" .. THERE, "00" .. HERE) },
    { at = 2, rx = "1 [0] #" .. octets(kind, "00" .. BESIDE, "00" .. THERE), "count rim_routed",
      "0 > [0] " .. text(kind, "00" .. BESIDE, "00" .. THERE) },
    { at = 3, rx = "0 [0] #" .. octets(kind, "00" .. BESIDE, "00" .. HERE), "count rim_routed",
      "0 > [0] " .. text(kind, "00" .. BESIDE, "00" .. HERE) },
  }
  for at, to in ipairs({ "00" .. NOWHERE, "01" .. RNC, "00" .. THERE .. "00", "02" }) do
    steps[#steps + 1] = { at = 3 + at, rx = "0 [0] #" .. octets(kind, to, "00" .. HERE),
      "count rim_unknown_destination",
      kind ~= "ran_information_error" and "0 > [0] " .. refused(kind, to, "00" .. HERE) or nil }
  end
  rows[i] = { name = kind .. " to a cell of another BSS, and to none", config = "rim", given = BOTH_UP, steps = steps }
end

local REQUEST <const> = "ran_information_request"

rows[#rows + 1] = { name = "RIM for a BSS that is away comes back as an error", config = "rim", given = FIRST_UP,
  steps = {
    { at = 1, rx = "0 [0] #" .. octets(REQUEST, "00" .. THERE, "00" .. HERE), "count rim_unreachable_destination",
      "0 > [0] " .. refused(REQUEST, "00" .. THERE, "00" .. HERE) },
  } }
rows[#rows + 1] = { name = "RIM in the name of another BSS's cell is not routed", config = "rim", given = BOTH_UP,
  steps = {
    { at = 1, rx = "1 [0] #" .. octets(REQUEST, "00" .. HERE, "00" .. BESIDE), "count rim_source_elsewhere",
      "count bssgp_status_sent_20", "1 > [0] status cause=32 pdu_in_error=received" },
    { at = 2, rx = "1 [0] #" .. octets(REQUEST, "00" .. HERE, "00" .. NOWHERE), "count rim_source_elsewhere",
      "count bssgp_status_sent_20", "1 > [0] status cause=32 pdu_in_error=received" },
    { at = 3, rx = "0 [1234] #" .. octets(REQUEST, "00" .. THERE, "00" .. HERE), "count bssgp_malformed",
      "count bssgp_status_sent_26", "0 > [0] status cause=38 pdu_in_error=received" },
    { at = 4, rx = "0 [0] #71" .. element("54", "00" .. THERE) .. element("57", "4b8101"), "count bssgp_malformed",
      "count bssgp_status_sent_22", "0 > [0] status cause=34 pdu_in_error=received" },
  } }

-- 50 at once, then one in 20 ms.
local flood = {}
for i = 1, 53 do
  local rx = "0 [0] #" .. octets("ran_information", "00" .. THERE, "00" .. HERE)
  local routed = "1 > [0] " .. text("ran_information", "00" .. THERE, "00" .. HERE)
  local is_late = i == 51 or i == 53
  flood[i] = { at = i > 51 and 21 or 1, rx = rx, is_late and "count rim_rate" or "count rim_routed",
    not is_late and routed or nil }
end
rows[#rows + 1] = { name = "RIM of a BSS that sends much is routed at a bounded rate", config = "rim", given = BOTH_UP,
  steps = flood }

rows[#rows + 1] = { name = "a BSS that names RIM is told of it", config = "rim", given = BOTH_UP, steps = {
  { at = 1, rx = "0 [0] bvc_reset bvci=0 cause=8 feature_bitmap=144", "log info", "bvc 101/1234 down",
    "reset 101/1234", "bvc 101/1235 down", "reset 101/1235", "0 > [0] bvc_reset_ack bvci=0 feature_bitmap=16" },
} }

return rows
