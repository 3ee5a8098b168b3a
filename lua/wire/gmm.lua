-- SPDX-License-Identifier: BSD-3-Clause
-- Messages of mobility management, those of A/Gb mode, both directions (TS 24.008 §9.4, §10.5.5). wire.phone says what
-- the functions return.
local l3 = require "wire.l3"

local V, LV, TV, TLV, TV1, T, halves, span = l3.V, l3.LV, l3.TV, l3.TLV, l3.TV1, l3.T, l3.halves, l3.span

local gmm = {}

local signature, ready_timer, p_tmsi = TV(0x19, "signature"), TV(0x17, "ready_timer"), TLV(0x18, "p_tmsi")
local features, t3302 = TV1(0xb0, "features"), TLV(0x2a, "t3302")
local identity, cause, cell_notification = TLV(0x23, "identity"), TV(0x25, "cause"), T(0x8c, "cell_notification")
local pdp_status, n_pdus, t3346 = TLV(0x32, "pdp_status"), TLV(0x26, "received_n_pdus"), TLV(0x3a, "t3346")
local standby = halves "force_to_standby"

local codec = l3.codec({
  { 0x01, "attach_request", "ms", LV "ms_network_capability", halves("attach_type", "cksn"), V "drx", LV "identity",
    V "old_rai", LV "ra_capability", signature, ready_timer },
  { 0x02, "attach_accept", "sgsn", halves("attach_result", "force_to_standby"), V "update_timer",
    halves("priority_sms", "priority_tom8"), V "rai", signature, ready_timer, p_tmsi, identity, cause, t3302,
    cell_notification, features },
  { 0x03, "attach_complete", "ms" },
  { 0x04, "attach_reject", "sgsn", V "cause", t3302, t3346 },
  { 0x05, "detach_request", "ms", halves "detach_type", p_tmsi, TLV(0x19, "signature") },
  { 0x05, "network_detach_request", "sgsn", halves("detach_type", "force_to_standby"), cause },
  { 0x06, "ms_detach_accept", "ms" },
  { 0x06, "detach_accept", "sgsn", standby },
  { 0x08, "rau_request", "ms", halves("update_type", "cksn"), V "old_rai", LV "ra_capability", signature, ready_timer,
    TV(0x27, "drx"), p_tmsi, TLV(0x31, "ms_network_capability"), pdp_status },
  { 0x09, "rau_accept", "sgsn", halves("force_to_standby", "update_result"), V "update_timer", V "rai", signature,
    p_tmsi, identity, n_pdus, ready_timer, cause, t3302, cell_notification, pdp_status, features },
  { 0x0a, "rau_complete", "ms", n_pdus },
  { 0x0b, "rau_reject", "sgsn", V "cause", standby, t3302, t3346 },
  { 0x10, "p_tmsi_reallocation_command", "sgsn", LV "identity", V "rai", standby, signature },
  { 0x11, "p_tmsi_reallocation_complete", "ms" },
  { 0x12, "auth_request", "sgsn", halves("algorithm", "imeisv_request"), halves("force_to_standby", "reference"),
    TV(0x21, "rand"), TV1(0x80, "cksn"), TLV(0x28, "autn") },
  { 0x13, "auth_response", "ms", halves "reference", TV(0x22, "sres"), TLV(0x23, "imeisv"),
    TLV(0x29, "res_extension") },
  { 0x14, "auth_reject", "sgsn" },
  { 0x15, "identity_request", "sgsn", halves("identity_type", "force_to_standby") },
  { 0x16, "identity_response", "ms", LV "identity" },
  { 0x1c, "auth_failure", "ms", V "cause", TLV(0x30, "auts") },
  { 0x20, "gmm_status", "ms sgsn", V "cause" },
  { 0x21, "gmm_information", "sgsn", TLV(0x43, "full_name"), TLV(0x45, "short_name"), TV(0x46, "time_zone"),
    TV(0x47, "time"), TLV(0x49, "daylight_saving") },
}, {
  ms_network_capability = span(1, 8), drx = span(2, 2), identity = span(1, 9), old_rai = span(6, 6), rai = l3.area,
  ra_capability = span(1), signature = span(3, 3), p_tmsi = span(5, 5), pdp_status = span(2, 2),
  received_n_pdus = span(2, 15), rand = span(16, 16), autn = span(16, 16), sres = span(4, 4), imeisv = span(1, 9),
  res_extension = span(1, 12), auts = span(14, 14), full_name = span(1), short_name = span(1), time = span(7, 7),
}, { message = true })

gmm.ROWS = codec.ROWS

local HEAD <const> = "\8" -- the protocol discriminator, and a skip indicator of 0

function gmm.decode(octets, sender)
  local type = octets:byte(2)
  if not type then return nil, "truncated", l3.MANDATORY_INVALID, 0 end
  local message = { message = "" }
  local word, cause_number = codec.read(octets, 3, type, sender, message)
  if word then return nil, word, cause_number, type end
  return message
end

function gmm.encode(message)
  local type, elements = codec.write(message)
  return HEAD .. string.char(type) .. elements
end

return gmm
