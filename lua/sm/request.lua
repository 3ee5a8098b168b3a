-- SPDX-License-Identifier: BSD-3-Clause
-- Values of a phone's request for a PDP context (24.008 §9.5): APN, PDP type and address, and their faults.
--
--   sm_request.apn_name(octets)                the name in a message, of the wildcard "*"; nil: the octets are no name
--   sm_request.note_end(run, phone, message)   tells of a request whose APN ends with an octet of 0
--   sm_request.address(octets)                 PDP type, and the static addresses that it has: IPv4 as an integer, IPv6
--                                              as a text; nil: an unknown type
--   sm_request.address_octets(ipv4, ipv6)      a PDP address: of an integer, and 16 octets; either may be nil
--   sm_request.fault(message)                  the cause of SM of a value out of range; nil: there is none
--   sm_request.is_acknowledged(apn, qos, most) whether LLC is to be in acknowledged mode; nil: no. most: the subscribed
--                                              quality of service, nil: none
--   sm_request.other_mode(context, qos, most)  the same of a modification, if that is another mode than the context's
--   sm_request.class(apn, qos)                 its traffic class
--   sm_request.lesser(apn, class)              a traffic class, at most what the APN allows
--   sm_request.linked_ti(octets)               the TI of a Linked TI; nil: none of a transaction that a phone began
--   sm_request.is_sapi(sapi)                   whether an SAPI is one of users' packets

local gb_abqp = require "gb.abqp"
local ip_network = require "base.ip_network"

local sm_request = {}

local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
local INVALID_MANDATORY <const> = 96
local ANY <const> = "*"
local ANY_LABEL <const>, LABEL_MAX <const>, APN_MAX <const> = "\1*", 63, 100 -- octets (23.003 §9.1)
local IETF <const>, IPV4 <const>, IPV6 <const>, IPV4V6 <const> = 1, 0x21, 0x57, 0x8d
local ETSI <const>, NON_IP <const> = 0, 2
local ADDRESS_AT <const>, IPV4_OCTETS <const>, IPV6_OCTETS <const> = 3, 4, 16
local NO_IPV6 <const> = ("\0"):rep(IPV6_OCTETS)
local TYPES <const> = { [IPV4] = "ipv4", [IPV6] = "ipv6", [IPV4V6] = "ipv4v6" }
local EXTENDED <const> = 7 -- of a TI
local DATA_SAPIS <const> = { [3] = true, [5] = true, [9] = true, [11] = true }

-- Some modules send the end of their string, too, an octet of 0 that no APN has (23.003 §9.1): behind the labels, or
-- counted as a part of the last one. It can mean nothing else, and is left out.
local function has_end(octets)
  return octets:byte(-1) == 0
end

function sm_request.note_end(run, phone, message)
  if not message.apn or not has_end(message.apn) then return end
  run:count("apn_with_end")
  run:log_of("sm", "info", "%s/%d: its APN ends with an octet of 0, which is left out", phone.imsi, message.nsapi)
end

-- Labels as text; the operator identifier at the end is left out (23.003 §9.1.2). nil: it is no APN, whose labels are
-- letters, digits and hyphens (§9.1).
function sm_request.apn_name(octets)
  local labels, at = {}, 1
  local is_ended = has_end(octets)
  if is_ended then octets = octets:sub(1, -2) end
  if octets == ANY_LABEL then return ANY end
  while at <= #octets do
    local length = octets:byte(at)
    if is_ended and at + length == #octets + 1 then length = length - 1 end
    local label = octets:sub(at + 1, at + length)
    if length == 0 or length > LABEL_MAX or #label < length or label:find("[^%w-]") then return nil end
    labels[#labels + 1] = label
    at = at + 1 + length
  end
  if #octets == 0 or #octets > APN_MAX then return nil end
  return (table.concat(labels, "."):lower():gsub("%.mnc%d+%.mcc%d+%.gprs$", ""))
end

-- Addresses behind a PDP type. An address of zeros does not count.
local function addresses_of(kind, octets)
  local count = #octets
  local is_both = kind == "ipv4v6" and count == IPV4_OCTETS + IPV6_OCTETS
  local has_ipv4 = is_both or kind ~= "ipv6" and count == IPV4_OCTETS
  local has_ipv6 = is_both or kind ~= "ipv4" and count == IPV6_OCTETS
  local ipv4 = has_ipv4 and string.unpack(">I4", octets) or 0
  local ipv6 = has_ipv6 and octets:sub(-IPV6_OCTETS) or NO_IPV6
  return ipv4 ~= 0 and ipv4 or nil, ipv6 ~= NO_IPV6 and ip_network.text(ipv6) or nil
end

function sm_request.address(octets)
  local organisation = octets:byte(1) & 15
  if organisation == ETSI and octets:byte(2) == NON_IP then return "non_ip" end
  local kind = organisation == IETF and TYPES[octets:byte(2)]
  if not kind then return nil end
  return kind, addresses_of(kind, octets:sub(ADDRESS_AT))
end

function sm_request.address_octets(ipv4, ipv6)
  return string.char(IETF, ipv4 and ipv6 and IPV4V6 or ipv4 and IPV4 or IPV6) ..
    (ipv4 and string.pack(">I4", ipv4) or "") .. (ipv6 or "")
end

function sm_request.is_sapi(sapi)
  return DATA_SAPIS[sapi] ~= nil
end

-- The cause of a request with a value out of range; nil: it has none.
function sm_request.fault(message)
  if message.nsapi < FIRST_NSAPI or message.nsapi > LAST_NSAPI then return INVALID_MANDATORY end
  if message.sapi ~= 0 and not sm_request.is_sapi(message.sapi) then return INVALID_MANDATORY end
  return nil
end

-- A phone may ask for the subscribed reliability class. nil: neither says one.
local function is_wanted(qos, most)
  local wanted, allowed = gb_abqp.is_acknowledged(qos), most and gb_abqp.is_acknowledged(most)
  if wanted == nil or allowed == false then return allowed end
  return wanted
end

function sm_request.is_acknowledged(apn, qos, most)
  return apn.acknowledged and is_wanted(qos, most) or nil
end

function sm_request.other_mode(context, qos, most)
  local wanted = qos and is_wanted(qos, most)
  if wanted == nil or not context.apn.acknowledged or wanted == (context.acknowledged or false) then return nil end
  return wanted
end

-- The TI that a Linked TI names (§10.5.6.7), which 7 extends by an octet.
function sm_request.linked_ti(octets)
  local first, second = octets:byte(1, 2)
  local ti = first >> 4
  if ti == EXTENDED then return second and second & 127 end
  return ti < EXTENDED and ti or nil
end

-- A class, at most what the APN allows.
function sm_request.lesser(apn, class)
  return gb_abqp.lesser(class, apn.best or apn.class)
end

function sm_request.class(apn, qos)
  return sm_request.lesser(apn, qos and gb_abqp.class_of(qos) or apn.class)
end

return sm_request
