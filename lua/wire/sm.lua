-- SPDX-License-Identifier: BSD-3-Clause
-- Messages of session management, both directions (TS 24.008 §9.5, §10.5.6). wire.phone says what the functions return.
local l3 = require "wire.l3"

local V, LV, TV, TLV, TV1, halves = l3.V, l3.LV, l3.TV, l3.TLV, l3.TV1, l3.halves
local number, span = l3.number, l3.span

local sm = {}

local pco, pfi, qos = TLV(0x27, "pco"), TLV(0x34, "pfi"), LV "qos"
local radio_priority, address = halves "radio_priority", TLV(0x2b, "pdp_address")

local codec = l3.codec({
  { 0x41, "activate_request", "ms", V "nsapi", V "sapi", qos, LV "pdp_address", TLV(0x28, "apn"), pco },
  { 0x42, "activate_accept", "sgsn", V "sapi", qos, radio_priority, address, pco, pfi, TLV(0x39, "second_cause") },
  { 0x43, "activate_reject", "sgsn", V "cause", pco, TLV(0x37, "back_off") },
  { 0x44, "request_activation", "sgsn", LV "pdp_address", TLV(0x28, "apn"), pco },
  { 0x45, "request_activation_reject", "ms", V "cause", pco, TLV(0x37, "back_off") },
  { 0x46, "deactivate_request", "ms sgsn", V "cause", TV1(0x90, "teardown"), pco, TLV(0x37, "back_off") },
  { 0x47, "deactivate_accept", "ms sgsn", pco },
  { 0x48, "network_modify_request", "sgsn", radio_priority, V "sapi", qos, address, pfi, pco, TLV(0x36, "tft") },
  { 0x49, "network_modify_accept", "ms", pco },
  { 0x4a, "modify_request", "ms", TV(0x32, "sapi"), TLV(0x30, "qos"), TLV(0x31, "tft"), pco },
  { 0x4b, "modify_accept", "sgsn", TLV(0x30, "qos"), TV(0x32, "sapi"), TV1(0x80, "radio_priority"), pfi, pco },
  { 0x4c, "modify_reject", "sgsn", V "cause", pco, TLV(0x37, "back_off") },
  { 0x4d, "secondary_request", "ms", V "nsapi", V "sapi", qos, LV "linked_ti", TLV(0x36, "tft"), pco },
  { 0x4e, "secondary_accept", "sgsn", V "sapi", qos, radio_priority, pfi, pco },
  { 0x4f, "secondary_reject", "sgsn", V "cause" },
  { 0x55, "sm_status", "ms sgsn", V "cause" },
}, {
  nsapi = number(4), sapi = number(4), pfi = number(7), qos = span(3), pdp_address = span(2, 22), apn = span(1, 100),
  pco = span(1, 251), linked_ti = span(1, 2), tft = span(1),
}, { message = true, ti = true, ti_flag = true })

sm.ROWS = codec.ROWS

-- Of the transaction identifier 0 to 6 stand in octet 1, 7 to 127 in an octet of extension (TS 24.007 §11.2.3.1.3).
local DISCRIMINATOR <const>, EXTENDED <const>, EXT <const>, MOST_TI <const> = 10, 7, 0x80, 127

-- Octets before the type, and the transaction; nil: the message is to be ignored, as it ends before its type, or has a
-- reserved identifier (§8.2, §8.3.2): 0 for the cause.
local function head_of(octets)
  local first, second, third = octets:byte(1, 3)
  local ti = (first or 0) >> 4 & EXTENDED
  if ti < EXTENDED and second then return second, 3, ti, first >> 7 end
  if ti < EXTENDED or not third then return nil, "truncated" end
  if second < EXT | EXTENDED then return nil, "unsupported" end
  return third, 4, second & MOST_TI, first >> 7
end

function sm.decode(octets, sender)
  local type, at, ti, ti_flag = head_of(octets)
  if not type then return nil, at, 0, 0, 0, 0 end
  local message = { message = "", ti = ti, ti_flag = ti_flag }
  local word, cause = codec.read(octets, at, type, sender, message)
  if word then return nil, word, cause, type, ti, ti_flag end
  return message
end

function sm.encode(message)
  local ti_flag, ti = l3.integer(message.ti_flag, "ti_flag", 1), l3.integer(message.ti, "ti", MOST_TI)
  local type, elements = codec.write(message)
  local first = ti_flag << 7 | DISCRIMINATOR
  if ti < EXTENDED then return string.char(first | ti << 4, type) .. elements end
  return string.char(first | EXTENDED << 4, EXT | ti, type) .. elements
end

return sm
