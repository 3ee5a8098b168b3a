-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of sms_spec.lua: what a registered phone sends (rx, octets of CP), the HLR (hlr, a message of GSUP), the worker
-- (reached), or seconds that pass (wait), and what goes out: octets to the phone with SAPI, "E" for ciphered, and
-- messages to the HLR with their elements. `left`: transactions at the end.
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

local IMSI <const> = "262420000000001"

-- RP-DATA of the phone with reference 2a on TI 3, and the same short of an octet of text.
local MO <const> = "39011d002a0007919471227230331101050a919471214365000005e8329bfd06"
local ACK <const>, SUBMITTED <const> = "7 b904", "mo_forward_sm_request mr=2a da=0391947122723033 oa=02919471f1"
  .. " ui=01050a919471214365000005e8329bfd06 from SGSN-test"
local REFUSED <const>, SMMA <const> = "7 b90104052a0145", "390102062c"

-- One on another TI.
local function mo_of(ti, reference)
  return ("%x9011d00%02x"):format(ti, reference) .. MO:sub(11)
end

local function error_of(cause) return ("7 b90104052a01%02x"):format(cause) end

local function result(fields)
  local message = { message = "mo_forward_sm_result", imsi = IMSI, sm_rp_mr = 0x2a }
  for key, value in pairs(fields or {}) do message[key] = value end
  return message
end

local function failure(fields)
  local message = result(fields)
  message.message = "mo_forward_sm_error"
  return message
end

-- A message to the phone, and what it becomes.
local function mt(fields)
  local message = { message = "mt_forward_sm_request", imsi = IMSI, sm_rp_mr = 0x2b, sm_rp_da = "\xff",
    sm_rp_oa = octets_of("0391947122723033"), sm_rp_ui = octets_of("040a91947121436500006211222190002105e8329bfd06"),
    source_name = "SMSC\0", destination_name = "SGSN-test\0" }
  for key, value in pairs(fields or {}) do message[key] = value or nil end
  return message
end
local DELIVER <const> = "7 090123012b07919471227230330017040a91947121436500006211222190002105e8329bfd06"
local TO_CENTRE <const> = " from SGSN-test to SMSC"
local DONE <const> = "mt_forward_sm_result mr=2b" .. TO_CENTRE

local function failed(rp_cause, cause, reference)
  return ("mt_forward_sm_error mr=%s cause=%02x sm_cause=%02x"):format(reference or "2b", cause, rp_cause) .. TO_CENTRE
end

local FORWARDED <const> = { rx = MO, out = { ACK, SUBMITTED } }
local WANTED <const>, SENT <const> = { hlr = mt(), out = { "wanted" } }, { reached = true, out = { DELIVER } }

local refuse = {
  { name = "a message is refused, and the phone acknowledges that", { rx = MO, out = { ACK, REFUSED } },
    { rx = "3904" }, counts = { sms_mo = 1, sms_mo_error_69 = 1, rx_cp_data = 1, rx_cp_ack = 1, sent_cp_ack = 1 } },
  { name = "without an acknowledgement the refusal is sent three times", { rx = MO, out = { ACK, REFUSED } },
    { wait = 10, out = { REFUSED } }, { wait = 10, out = { REFUSED } }, { wait = 10 }, counts = { sms_no_ack = 1 } },
  { name = "a message that is repeated is acknowledged again", { rx = MO, out = { ACK, REFUSED } },
    { rx = MO, out = { ACK } }, { rx = "3904" } },
  { name = "free memory is refused, too", { rx = SMMA, out = { ACK, "7 b90104052c0145" } }, { rx = "3904" } },
  { name = "CP-ERROR of the phone ends it", { rx = MO, out = { ACK, REFUSED } }, { rx = "391051" } },
  { name = "an acknowledgement of nothing: invalid reference", { rx = "390102022a", out = { ACK, error_of(81) } },
    { rx = "3904" } },
  { name = "an error about nothing is acknowledged", { rx = "390104042a0116", out = { ACK } },
    counts = { sms_stray_error = 1 } },
  { name = "RP of an unknown type", { rx = "390102072a", out = { ACK, error_of(97) } }, { rx = "3904" } },
  { name = "RP that is cut", { rx = "390105002a000791", out = { ACK, error_of(96) } }, { rx = "3904" } },
  { name = "RP without reference: CP-ERROR", { rx = "39010100", out = { "7 b91060" } }, { rx = "390100",
    out = { "7 b91060" } }, counts = { sms_cp_error_96 = 2 } },
  { name = "a message without the centre's number, or without a TPDU", { rx = "390106002a00000101",
    out = { ACK, error_of(96) } }, { rx = "490107002a0002912100", out = { "7 c904", "7 c90104052a0160" } },
    { rx = "4904" } },
  { name = "CP of an unknown type, and one that is cut", { rx = "3902", out = { "7 b91061" } },
    { rx = "39010500", out = { "7 b91060" } }, { rx = "3910", out = { "7 b91060" } } },
  { name = "CP of an unknown type ends the transaction that it names", { rx = MO, out = { ACK, REFUSED } },
    { rx = "3902", out = { "7 b91061" } } },
  { name = "CP-ACK and a report of no transaction", { rx = "3904", out = { "7 b91051" } },
    { rx = "b90102022b", out = { "7 391051" } }, { rx = "b904", out = { "7 391051" } }, { rx = "391051" } },
  { name = "the reserved transaction identifier, and one octet alone", { rx = "7901" }, { rx = "f9010100" },
    { rx = "09" }, counts = { sms_ignored = 3 } },
  { name = "a message of the HLR is refused", { hlr = mt(), out = { failed(69, 97) } } },
}

local hlr = {
  { name = "a message goes to the HLR, and its answer to the phone", FORWARDED,
    { hlr = result(), out = { "7 b90102032a" } }, { rx = "3904" }, { hlr = result() },
    counts = { sms_mo_delivered = 1, sms_late_answer = 1 } },
  { name = "a report of the centre comes along", FORWARDED,
    { hlr = result({ sm_rp_ui = octets_of("010062112221900021") }), out = { "7 b9010d032a4109010062112221900021" } },
    { rx = "3904" } },
  { name = "the centre refuses it", FORWARDED, { hlr = failure({ sm_rp_cause = 21 }), out = { error_of(21) } },
    { rx = "3904" }, counts = { sms_mo_error_21 = 1 } },
  { name = "the HLR answers late: the phone is paged before it is told (23.060 8.1.4)", FORWARDED, { wait = 5 },
    { hlr = failure({ sm_rp_cause = 21 }), standby = true, out = { "wanted" } }, { wait = 8, standby = true },
    { reached = true, out = { error_of(21) } }, { rx = "3904" }, counts = { sms_mo_error_21 = 1, sent_cp_data = 1 } },
  { name = "the HLR answers late, and the phone answers no page", FORWARDED, { wait = 5 },
    { hlr = failure({ sm_rp_cause = 21 }), standby = true, out = { "wanted" } }, { wait = 25, standby = true },
    counts = { sms_no_ack = 1, standby_unreached = 1 } },
  { name = "the HLR refuses it: GMM's cause as that of RP", FORWARDED,
    { hlr = failure({ cause = 2 }), out = { error_of(30) } }, { rx = "3904" }, FORWARDED,
    { hlr = failure({ cause = 99 }), out = { error_of(38) } }, { rx = "3904" } },
  { name = "the HLR does not find the centre", FORWARDED,
    { hlr = { message = "routing_error", imsi = IMSI }, out = { error_of(38) } }, { rx = "3904" } },
  { name = "an answer to another message, or about another thing, is late", FORWARDED,
    { hlr = result({ sm_rp_mr = 0x2b }) }, { hlr = { message = "ready_for_sm_result", imsi = IMSI, sm_rp_mr = 0x2a } },
    { hlr = result({ imsi = "262420000000002" }) }, { wait = 15, out = { error_of(38) } }, { rx = "3904" },
    counts = { sms_late_answer = 3 } },
  { name = "an answer without reference is the only one's", FORWARDED,
    { hlr = { message = "mo_forward_sm_result", imsi = IMSI }, out = { "7 b90102032a" } }, { rx = "3904" } },
  { name = "it is repeated before and after the answer", FORWARDED, { rx = MO, out = { ACK } },
    { hlr = result(), out = { "7 b90102032a" } }, { rx = MO, out = { ACK } },
    { wait = 10, out = { "7 b90102032a" } }, { rx = "3904" } },
  { name = "the connection goes meanwhile", FORWARDED, { down = true, out = { error_of(38) } }, { rx = "3904" },
    { wait = 1, out = { "hlr_open" } }, { rx = MO, out = { ACK, error_of(38) } }, { rx = "3904" } },
  { name = "free memory is told", { rx = SMMA, out = { ACK, "ready_for_sm_request mr=2c alert=2 from SGSN-test" } },
    { hlr = { message = "ready_for_sm_result", imsi = IMSI, sm_rp_mr = 0x2c }, out = { "7 b90102032c" } },
    { rx = "3904" } },
  { name = "another message with the TI of one that waits", FORWARDED, { rx = mo_of(3, 0x55), out = { "7 b91062" } },
    { hlr = result() }, counts = { sms_cp_error_98 = 1, sms_late_answer = 1 } },
  { name = "another message acknowledges the answer to the one before", FORWARDED,
    { hlr = result(), out = { "7 b90102032a" } },
    { rx = mo_of(3, 0x2b), out = { ACK, (SUBMITTED:gsub("mr=2a", "mr=2b")) } },
    { hlr = result({ sm_rp_mr = 0x2b }), out = { "7 b90102032b" } },
    { rx = mo_of(4, 0x2c), out = { "7 c904", (SUBMITTED:gsub("mr=2a", "mr=2c")) } },
    { hlr = result({ sm_rp_mr = 0x2c }), out = { "7 c90102032c" } }, { rx = "4904" } },
  { name = "a fifth message waits not", left = 4,
    { rx = mo_of(0, 0), out = { "7 8904", (SUBMITTED:gsub("mr=2a", "mr=00")) } },
    { rx = mo_of(1, 1), out = { "7 9904", (SUBMITTED:gsub("mr=2a", "mr=01")) } },
    { rx = mo_of(2, 2), out = { "7 a904", (SUBMITTED:gsub("mr=2a", "mr=02")) } },
    { rx = mo_of(3, 3), out = { "7 b904", (SUBMITTED:gsub("mr=2a", "mr=03")) } },
    { rx = mo_of(4, 4), out = { "7 c91016" } }, { hlr = mt(), out = { failed(42, 22) } }, counts = { sms_limit = 1 } },
  { name = "the phone detaches meanwhile", FORWARDED, { detach = true }, { hlr = result() } },

  -- To the phone
  { name = "to the phone: it acknowledges and reports", WANTED, SENT, { rx = "8904" },
    { rx = "890102022b", out = { "7 0904", DONE } }, { rx = "890102022b", out = { "7 0904" } }, { wait = 10 },
    counts = { sms_mt = 1, sms_mt_delivered = 1 } },
  { name = "to the phone: its report comes along", WANTED, SENT, { rx = "8904" },
    { rx = "890106022b41020000", out = { "7 0904", DONE:gsub(" from", " ui=0000 from", 1) .. "" } }, { wait = 10 } },
  { name = "to the phone: a report acknowledges, too", WANTED, SENT, { rx = "890102022b", out = { "7 0904", DONE } },
    { wait = 10 } },
  { name = "to the phone: it has no memory", WANTED, SENT, { rx = "8904" },
    { rx = "890108042b011641020000", out = { "7 0904",
      "mt_forward_sm_error mr=2b sm_cause=16 ui=0000" .. TO_CENTRE } }, { wait = 10 },
    counts = { sms_mt_error_22 = 1 } },
  { name = "to the phone: it does not answer the page", WANTED, { wait = 25, out = { failed(27, 10) } },
    { reached = true } },
  { name = "to the phone: it does not acknowledge", WANTED, SENT, { wait = 10, out = { DELIVER } },
    { wait = 10, out = { DELIVER } }, { wait = 10, out = { failed(27, 10) } } },
  { name = "to the phone: it acknowledges and does not report", WANTED, SENT, { rx = "8904" },
    { wait = 40, out = { "7 09106f", failed(111, 111) } } },
  { name = "to the phone: CP-ERROR", WANTED, SENT, { rx = "891061", out = { failed(111, 111) } }, WANTED, SENT,
    { rx = "8904" }, { rx = "891061", out = { failed(111, 111) } } },
  { name = "to the phone: a report of another message, none, or one that is cut", WANTED, SENT,
    { rx = "890102022c", out = { "7 091051", failed(111, 111) } }, WANTED, SENT, { rx = "8904" },
    { rx = "890102062b", out = { "7 091062", failed(111, 111) } }, WANTED, SENT, { rx = "8904" },
    { rx = "890102042b", out = { "7 091060", failed(111, 111) } } },
  { name = "to the phone: a report before the message", WANTED,
    { rx = "890102022b", out = { "7 091062", failed(111, 111) } } },
  { name = "to the phone: something else behind its report", WANTED, SENT,
    { rx = "890102022b", out = { "7 0904", DONE } }, { rx = "890102022c", out = { "7 091062" } } },
  { name = "to the phone: a second one while the first is under way", WANTED, SENT,
    { hlr = mt({ sm_rp_mr = 0x2c }), out = { failed(42, 22, "2c") } },
    { rx = "890102022b", out = { "7 0904", DONE } }, { hlr = mt({ sm_rp_mr = 0x2c }), out = { "wanted" } },
    { reached = true, out = { (DELIVER:gsub("^7 09(.*)012b07", "7 19%1012c07")) } },
    { rx = "990102022c", out = { "7 1904", (DONE:gsub("2b", "2c")) } }, { wait = 10 } },
  { name = "to the phone: it detaches", WANTED, SENT, { detach = true, out = { failed(27, 10) } } },
  { name = "to the phone: it detaches before it answers the page", WANTED, { detach = true,
    out = { failed(27, 10) } } },
  { name = "to the phone: the connection goes", WANTED, SENT, { rx = "8904" }, { down = true },
    { rx = "890102022b", out = { "7 0904" } }, { wait = 10, out = { "hlr_open" } }, counts = { sms_answer_lost = 1 } },
  { name = "to no phone", { hlr = mt({ imsi = "262420000000002" }), out = { failed(30, 2) } } },
  { name = "to the phone without its elements", { hlr = mt({ sm_rp_oa = false }), out = { failed(96, 96) } },
    { hlr = mt({ sm_rp_oa = "\2\x91\x21" }), out = { failed(96, 96) } },
    { hlr = mt({ sm_rp_oa = "\3\x91" }), out = { failed(96, 96) } },
    { hlr = mt({ sm_rp_oa = "\3\x91" .. ("\x21"):rep(11) }), out = { failed(96, 96) } },
    { hlr = mt({ sm_rp_ui = false }), out = { failed(96, 96) } },
    { hlr = mt({ sm_rp_ui = ("x"):rep(234) }), out = { failed(96, 96) } } },
  { name = "to the phone without reference: the network chooses one", { hlr = mt({ sm_rp_mr = false }),
    out = { "wanted" } }, { reached = true, out = { (DELIVER:gsub("012b07", "010007")) } },
    { rx = "8901020200", out = { "7 0904", (DONE:gsub(" mr=2b", "")) } }, { wait = 10 } },
  { name = "in both directions at once", WANTED, SENT, FORWARDED, { rx = "8904" },
    { hlr = result(), out = { "7 b90102032a" } }, { rx = "890102022b", out = { "7 0904", DONE } }, { rx = "3904" },
    { wait = 10 } },
}

-- A restart of control behind the steps of `before`: what it sends, and the steps after it.
local restart = {
  { name = "a message that waits for the HLR is answered", before = { FORWARDED }, out = { error_of(38) },
    { hlr = result() }, { rx = "3904" } },
  { name = "an answer is sent again until the phone acknowledges it",
    before = { FORWARDED, { hlr = result() } }, { wait = 10, out = { "7 b90102032a" } }, { rx = "3904" } },
  { name = "a page goes on", before = { WANTED }, SENT, { rx = "8904" },
    { rx = "890102022b", out = { "7 0904", DONE } }, { wait = 10 } },
  { name = "a page ends", before = { WANTED }, { wait = 25, out = { failed(27, 10) } } },
  { name = "a message to the phone is sent again", before = { WANTED, SENT }, { wait = 10, out = { DELIVER } },
    { rx = "890102022b", out = { "7 0904", DONE } }, { wait = 10 } },
  { name = "the report of the phone is awaited", before = { WANTED, SENT, { rx = "8904" } },
    { rx = "890104042b0116", out = { "7 0904", "mt_forward_sm_error mr=2b sm_cause=16" .. TO_CENTRE } },
    { wait = 10 } },
  { name = "a report that is repeated is acknowledged", before = { WANTED, SENT, { rx = "890102022b" } },
    { rx = "890102022b", out = { "7 0904" } }, { wait = 10 } },
}

return { refuse = refuse, hlr = hlr, restart = restart, mo = MO, submitted = SUBMITTED, imsi = IMSI, mt = mt,
  failed = failed }
