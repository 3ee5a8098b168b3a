-- SPDX-License-Identifier: BSD-3-Clause
-- The fields that the codecs decode of messages that come to a node, by sections of docs/values.txt:
-- { gmm = { attach_request = { drx = true... }... }... }. The codecs' rows say them; fields within a field are those of
-- messages that have all of them.

local gmm = require "wire.gmm"
local gsup = require "wire.gsup"
local gtp_mobility = require "wire.gtp_mobility"
local gtp_sessions = require "wire.gtp_sessions"
local gtpc = require "wire.gtpc"
local llc = require "gbflow_llc"
local sm = require "wire.sm"
local sms = require "wire.sms"
local spec_tools = require "spec_tools"
local tables = require "gbflow_tables"
local wire = require "gbflow_wire"

local octets_of = spec_tools.octets_of
local FROM_BSS <const> = 1

local function set_of(names)
  local out = {}
  for _, name in ipairs(names) do out[name] = true end
  return out
end

local function keys_of(value, ...)
  local out, others = {}, set_of { ... }
  for key in pairs(value) do
    if type(key) == "string" and not others[key] then out[key] = true end
  end
  return out
end

-- --- messages by rows of places

local function by_places(rows, is_taken)
  local out = {}
  for _, row in ipairs(rows) do
    local names = {}
    for _, place in ipairs(row.places) do
      if place.name then names[place.name] = true end
      if place.high then names[place.high] = true end
    end
    if is_taken(row) then out[row.name] = names end
  end
  return out
end

local function is_of_phone(row) return row.senders:find("ms") ~= nil end
local function is_of_bss(row) return row.senders & FROM_BSS ~= 0 end
local function is_any() return true end

-- --- messages whose elements are those of the protocol

local function gsup_elements(tag)
  local out = {}
  for _, row in ipairs(gsup.ELEMENTS[tag]) do out[row[1]] = true end
  return out
end

local QOS <const>, ADDRESS <const> = octets_of "0b921f739684fe74821040", "192.0.2.2"

local function gtp_fields()
  local out = {}
  for _, row in ipairs(gtp_sessions.ELEMENTS) do out[row[1]] = not row.unread or nil end
  local sample = { type = "create_response", teid = 1, seq = 1, cause = 128, pdp_type = "ipv4v6",
    user_ipv4 = "10.0.0.1", user_ipv6 = "2001:db8::1", arp = 1, qos = QOS,
    common_flags = { dual_address = true, uncompressed = true } }
  local message = gtpc.decode(gtpc.encode(sample))
  for name in pairs(keys_of(message, "type", "teid", "seq")) do out[name] = true end
  return { any = out, common_flags = keys_of(message.common_flags) }
end

local RAND <const>, KEY <const> = ("\1"):rep(16), ("\2"):rep(16)
local TRIPLET <const> = { rand = RAND, sres = "1234", kc = "12345678" }
local QUINTUPLET <const> = { rand = RAND, xres = "12345678", ck = KEY, ik = KEY, autn = RAND }
local CONTEXT <const> = { nsapi = 5, sapi = 3, is_active = true, reordering = false, vplmn_allowed = true,
  qos_subscribed = QOS, qos_requested = QOS, qos_negotiated = QOS, arp = 2, sequence_down = 0, sequence_up = 0,
  send_n_pdu = 0, receive_n_pdu = 0, teid_control = 1, teid_data = 1, context_id = 1, pdp_type = "ipv4v6",
  ipv4 = "10.11.0.2", ipv6 = "2001:db8::1", control = ADDRESS, user = ADDRESS, apn = "internet", ti = 8,
  ti_extension = 0 }

-- An MM Context of each kind of keys and vectors.
local MM <const> = {
  { mode = 1, cksn = 3, cipher = 3, kc = "12345678", triplets = { TRIPLET } },
  { mode = 0, cksn = 3, cipher = 3, ck = KEY, ik = KEY, quintuplets = { QUINTUPLET } },
}

local function response_with(mm)
  mm.drx, mm.capability, mm.imeisv, mm.access = "\10\0", octets_of "e5e034", "1234567890123456", "\1"
  return gtpc.decode(gtpc.encode({ type = "context_response", teid = 1, seq = 1, cause = 128, imsi = "001010000000001",
    teid_control = 1, control = ADDRESS, mm = mm, contexts = { CONTEXT } }))
end

local function add(out, of, value, ...)
  out[of] = out[of] or {}
  for name in pairs(keys_of(value, ...)) do out[of][name] = true end
end

local function sgsn_fields()
  local out = {}
  for _, row in ipairs(gtp_mobility.MESSAGES) do
    local words = table.concat(row, " ", 3):gsub("%f[%w]users%f[%W]", "user")
    out[row[2]] = {}
    for name in words:gmatch("%S+") do out[row[2]][name] = true end
  end
  for _, mm in ipairs(MM) do
    local message = response_with(mm)
    add(out, "mm", message.mm)
    add(out, "contexts", message.contexts[1])
    for _, name in ipairs { "triplets", "quintuplets" } do add(out, name, (message.mm[name] or { {} })[1]) end
  end
  local told = gtpc.decode(gtpc.encode({ type = "context_acknowledge", teid = 1, seq = 1, cause = 128,
    tunnels = { { nsapi = 5, teid = 1, user = ADDRESS }, { nsapi = 6, teid = 2, user = "192.0.2.3" } } }))
  add(out, "tunnels", told.tunnels[1])
  return out
end

-- --- Gb

local function bssgp_fields()
  local out = by_places(tables.bssgp, is_of_bss)
  local sample = { pdu = "flow_control_pfc", tlli = 1, tag = 1, pfcs = { { pfi = 8, bucket_octets = 1000,
    rate_bps = 1000, ratio_percent = 5 } } }
  add(out, "pfcs", wire.bssgp_decode(wire.bssgp_encode(sample)).pfcs[1])
  return out
end

local function endpoint_fields()
  local sample = { pdu = "sns_add", nsei = 1, transaction = 1, ip4_list = { { address = ADDRESS, udp_port = 1,
    signalling_weight = 1, data_weight = 1 } } }
  return keys_of(wire.ns_decode(wire.ns_encode(sample)).ip4_list[1])
end

-- All parameters of XID, types 0 to 12, and in L3 a version and an entity of RFC 1144 that is proposed.
local L3 <const> = octets_of "000100 0206 8000 03 12 0020"
local ITEMS <const> = octets_of "30 0100 841001020304 881001020304 0e0010 1105 160100 1a0100 1e0000 220000 2508 2908"
local XID <const> = octets_of "01fb" .. ITEMS .. string.char(0xac, #L3 << 2 & 255) .. L3

local function llc_fields()
  local frame = assert(llc.decode(XID))
  return { frame = keys_of(frame), xid = keys_of(frame.xid) }
end

local function sndcp_fields()
  local field = llc.sndcp_decode(L3)
  return { field = keys_of(field), entity = keys_of(field[1]) }
end

return {
  gmm = by_places(gmm.ROWS, is_of_phone), sm = by_places(sm.ROWS, is_of_phone),
  cp = by_places(sms.CP_ROWS, is_of_phone), rp = by_places(sms.RP_ROWS, is_of_phone),
  gsup = { any = gsup_elements(0), pdp_infos = gsup_elements(5) }, vectors = { tuples = gsup_elements(3) },
  gtp = gtp_fields(), sgsn = sgsn_fields(), bssgp = bssgp_fields(), ns = by_places(tables.ns, is_any),
  endpoint = { endpoint = endpoint_fields() },
  llc = llc_fields(), sndcp = sndcp_fields(),
}
