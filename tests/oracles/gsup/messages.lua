-- SPDX-License-Identifier: BSD-3-Clause
-- Messages of GSUP in the codec's own octets, a line each: a name, a tabulator, hex.
local gsup = require "wire.gsup"

local OCTETS <const> = "\x91\x94\x71\0\0\1\xf2\7\8\9\10\11\12\13\14\15\16" .. ("\0"):rep(15)
local APN <const>, ADDRESS <const>, GERAN <const> = "\3web", "\2\x91\x94", "\1"

local function octets(count) return OCTETS:sub(1, count) end

local SIM <const> = { rand = octets(16), sres = octets(4), kc = octets(8) }
local USIM <const> = { rand = octets(16), sres = octets(4), kc = octets(8), ik = octets(16), ck = octets(16),
  autn = octets(16), res = octets(8) }
local INFO <const> = { id = 1, type = "\xf1\x21", apn = APN, qos = octets(4), charging = octets(2) }
local SMS <const> = { sm_rp_mr = 9, sm_rp_da = ADDRESS, sm_rp_oa = ADDRESS, sm_rp_ui = octets(11) }

local function with(fields, more)
  local out = {}
  for _, list in ipairs { fields, more } do
    for name, value in pairs(list) do out[name] = value end
  end
  return out
end

local ALL <const> = with(SMS, { cause = 2, cancel_type = 1, domain = 1, msisdn = octets(5), hlr_number = octets(5),
  pdp_complete = "", freeze_p_tmsi = "", auts = octets(14), rand = octets(16), sm_rp_mms = 1, sm_rp_cause = 22,
  sm_alert_reason = 1, imei = octets(8), imei_result = 1, source_name = APN, destination_name = APN, rat_types = GERAN,
  charging = octets(2), tuples = { SIM }, pdp_infos = { INFO } })

local MESSAGES <const> = {
  { "SEND-AUTH-INFO", "auth_info_request", { domain = 1, vectors = 5 } },
  { "SEND-AUTH-INFO after a synch failure", "auth_info_request", { domain = 1, vectors = 5, auts = octets(14),
    rand = octets(16) } },
  { "its result", "auth_info_result", { domain = 1, tuples = { USIM, SIM } } },
  { "its result with five vectors", "auth_info_result", { tuples = { USIM, USIM, USIM, SIM, USIM } } },
  { "UPDATE-LOCATION", "update_location_request", { domain = 1, rat_types = GERAN } },
  { "its result", "update_location_result", { domain = 1 } },
  { "its error", "update_location_error", { domain = 1, cause = 2 } },
  { "PURGE", "purge_request", { domain = 1 } },
  { "its result", "purge_result", { freeze_p_tmsi = "" } },
  { "AUTH-FAILURE", "auth_failure_report", { domain = 1 } },
  { "INSERT-DATA", "insert_data_request", { domain = 1, msisdn = octets(5), hlr_number = octets(5), pdp_complete = "",
    pdp_infos = { INFO } } },
  { "its result to a name", "insert_data_result", { domain = 1, source_name = APN, destination_name = APN:sub(1, 2) } },
  { "its error to a name", "insert_data_error", { domain = 1, cause = 96, destination_name = APN } },
  { "DELETE-DATA", "delete_data_request", { domain = 1, context_id = 3 } },
  { "CANCEL", "cancel_request", { domain = 1, cancel_type = 1 } },
  { "MO-FORWARD-SM", "mo_forward_sm_request", with(SMS, { domain = 1 }) },
  { "MT-FORWARD-SM", "mt_forward_sm_request", with(SMS, { sm_rp_mms = 1, source_name = APN }) },
  { "its error", "mt_forward_sm_error", { sm_rp_mr = 9, sm_rp_cause = 22, destination_name = APN } },
  { "READY-FOR-SM", "ready_for_sm_request", { sm_rp_mr = 9, sm_alert_reason = 1, domain = 1 } },
  { "CHECK-IMEI", "check_imei_request", { imei = octets(8), domain = 1 } },
  { "its result", "check_imei_result", { imei_result = 1 } },
  { "all elements", "update_location_request", ALL },
}

for _, row in ipairs(MESSAGES) do
  local written = gsup.encode(with(row[3], { message = row[2], imsi = "262420000000001" }))
  print(row[1] .. "\t" .. written:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
