-- SPDX-License-Identifier: BSD-3-Clause
-- Short messages between mobile and network, both directions: CP-messages (TS 24.011 §7.2, §8.1), and in the user data
-- of CP-DATA the RP-messages (§7.3, §8.2). wire.phone says what the functions return.
local l3 = require "wire.l3"

local V, LV, TLV, span = l3.V, l3.LV, l3.TLV, l3.span

local sms = {}

local ADDRESS <const>, TPDU <const> = 11, 233

local cp = l3.codec({
  { 0x01, "cp_data", "ms sgsn", LV "user_data" },
  { 0x04, "cp_ack", "ms sgsn" },
  { 0x10, "cp_error", "ms sgsn", V "cause" },
}, { user_data = span(0) }, { message = true, ti = true, ti_flag = true })

-- Addresses have type of number and plan, and digits; the one that the direction does not have is empty. A cause's
-- extension bit, and its diagnostic in octets behind it, are left out.
local rp = l3.codec({
  { 0, "rp_data", "ms", LV "originator", LV "destination", LV "user_data" },
  { 1, "network_rp_data", "sgsn", LV "originator", LV "destination", LV "user_data" },
  { 2, "rp_ack", "ms", TLV(0x41, "user_data") },
  { 3, "network_rp_ack", "sgsn", TLV(0x41, "user_data") },
  { 4, "rp_error", "ms", LV "cause", TLV(0x41, "user_data") },
  { 5, "network_rp_error", "sgsn", LV "cause", TLV(0x41, "user_data") },
  { 6, "rp_smma", "ms" },
}, { originator = span(0, ADDRESS), destination = span(0, ADDRESS), user_data = span(0, TPDU), cause = l3.number(7) },
  { message = true, reference = true })

sms.CP_ROWS, sms.RP_ROWS = cp.ROWS, rp.ROWS

local DISCRIMINATOR <const>, MOST_TI <const> = 9, 6

function sms.cp_decode(octets, sender)
  local head, type = octets:byte(1, 2)
  if not type then return nil, "truncated", l3.MANDATORY_INVALID, 0 end
  local message = { message = "", ti = head >> 4 & 7, ti_flag = head >> 7 }
  local word, cause = cp.read(octets, 3, type, sender, message)
  if word then return nil, word, cause, type end
  return message
end

function sms.cp_encode(message)
  local ti_flag, ti = l3.integer(message.ti_flag, "ti_flag", 1), l3.integer(message.ti, "ti", MOST_TI)
  local type, elements = cp.write(message)
  return string.char(ti_flag << 7 | ti << 4 | DISCRIMINATOR, type) .. elements
end

local TYPE_BITS <const>, MOST_REFERENCE <const> = 7, 255

-- The causes of TS 24.011 §9.3 have the numbers of those of 24.008.
function sms.rp_decode(octets, sender)
  local first, reference = octets:byte(1, 2)
  if not reference then return nil, "truncated", l3.MANDATORY_INVALID, 0 end
  local type, message = first & TYPE_BITS, { message = "", reference = reference }
  local word, cause = rp.read(octets, 3, type, sender, message)
  if word then return nil, word, cause, type, reference end
  return message
end

function sms.rp_encode(message)
  local reference = l3.integer(message.reference, "reference", MOST_REFERENCE)
  local type, elements = rp.write(message)
  return string.char(type, reference) .. elements
end

return sms
