-- SPDX-License-Identifier: BSD-3-Clause
-- Values of a phone's request for a PDP context (24.008 §9.5): APN, PDP type and address, and their faults.
--
--   sm_request.configure(contexts, settings)
--   sm_request.apn(contexts, phone, message)   the APN of the configuration and its name, or nil and the cause of SM
--   sm_request.is_subscribed(phone, name)      whether the HLR lets the phone have an APN
--   sm_request.apn_name(octets)                the name in a message; nil: the octets are not a name
--   sm_request.address(octets)                 PDP type, and the IPv4 address that is asked for; nil: an unknown type
--   sm_request.address_octets(ipv4, ipv6)      a PDP address: of an integer, and 16 octets; either may be nil
--   sm_request.fault(message)                  the cause of SM of a value out of range; nil: there is none
--   sm_request.is_acknowledged(apn, qos)       whether LLC is to be in acknowledged mode; nil: no
--   sm_request.other_mode(context, qos)        the same of a modification, if that is another mode than the context's
--   sm_request.class(apn, qos)                 its traffic class
--   sm_request.linked_ti(octets)               the TI of a Linked TI; nil: none of a transaction that a phone began
--   sm_request.is_sapi(sapi)                   whether an SAPI is one of users' packets

local gb_abqp = require "gb.abqp"

local sm_request = {}

-- Other settings (config.phones) of all contexts; those that are there keep the APN that they were made with.
function sm_request.configure(contexts, settings)
  contexts.settings, contexts.apns = settings, {}
  for _, apn in ipairs(settings.apns) do contexts.apns[apn.name:lower()] = apn end
  return contexts
end

local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
local UNKNOWN_APN <const>, NOT_SUBSCRIBED <const>, INVALID_MANDATORY <const> = 27, 33, 96
local ANY <const> = "*" -- APN of the configuration, or of the HLR's list, that stands for all others
local ANY_LABEL <const>, LABEL_MAX <const>, APN_MAX <const> = "\1*", 63, 100 -- octets (23.003 §9.1)
local IETF <const>, IPV4 <const>, IPV6 <const>, IPV4V6 <const> = 1, 0x21, 0x57, 0x8d
local ETSI <const>, NON_IP <const> = 0, 2
local TYPES <const> = { [IPV4] = "ipv4", [IPV6] = "ipv6", [IPV4V6] = "ipv4v6" }
local EXTENDED <const> = 7 -- of a TI
local DATA_SAPIS <const> = { [3] = true, [5] = true, [9] = true, [11] = true }

-- Labels as text; the operator identifier at the end is left out (23.003 §9.1.2). nil: it is no APN, whose labels are
-- letters, digits and hyphens (§9.1).
function sm_request.apn_name(octets)
  local labels, at = {}, 1
  if octets == ANY_LABEL then return ANY end
  while at <= #octets do
    local length = octets:byte(at)
    local label = octets:sub(at + 1, at + length)
    if length == 0 or length > LABEL_MAX or #label < length or label:find("[^%w-]") then return nil end
    labels[#labels + 1] = label
    at = at + 1 + length
  end
  if #octets == 0 or #octets > APN_MAX then return nil end
  return (table.concat(labels, "."):lower():gsub("%.mnc%d+%.mcc%d+%.gprs$", ""))
end

-- phone.subscribed: what the HLR says of an APN, by its name: its place in the HLR's list, and charging characteristics
-- (32.298) above that, if there are any.

local CHARGING_SHIFT <const>, PLACE_MASK <const> = 8, 0xff

-- charging: octets, or nil.
function sm_request.apn_entry(place, charging)
  return place | (charging and string.unpack(">I2", charging) << CHARGING_SHIFT or 0)
end

-- The charging characteristics of an APN; 0: the HLR gave none.
function sm_request.charging(phone, name)
  local subscribed = phone.subscribed or {}
  return (subscribed[name] or subscribed[ANY] or 0) >> CHARGING_SHIFT
end

function sm_request.is_subscribed(phone, name)
  return not phone.subscribed or phone.subscribed[ANY] or phone.subscribed[name] ~= nil
end

-- The names that the HLR gave, in its order.
local function names_of(phone)
  local names = {}
  for name in pairs(phone.subscribed or {}) do names[#names + 1] = name end
  table.sort(names, function(a, b) return phone.subscribed[a] & PLACE_MASK < phone.subscribed[b] & PLACE_MASK end)
  return names
end

-- Of a phone that names none: the first that its HLR names and the node has; without such names the node's first.
local function default_apn(contexts, phone)
  for _, name in ipairs(names_of(phone)) do
    local apn = contexts.apns[name] or contexts.apns[ANY]
    if apn and name ~= ANY then return apn, name end
  end
  for _, apn in ipairs(contexts.settings.apns) do
    if apn.name ~= ANY and sm_request.is_subscribed(phone, apn.name:lower()) then return apn, apn.name:lower() end
  end
  return nil, phone.subscribed and NOT_SUBSCRIBED or UNKNOWN_APN
end

-- The APN of a request and its name (23.060 annex A), or nil and the cause.
function sm_request.apn(contexts, phone, message)
  local name = message.apn and sm_request.apn_name(message.apn)
  if not message.apn or name == ANY then return default_apn(contexts, phone) end
  local apn = name and (contexts.apns[name] or contexts.apns[ANY])
  if not apn then return nil, UNKNOWN_APN end
  if not sm_request.is_subscribed(phone, name) then return nil, NOT_SUBSCRIBED end
  return apn, name
end

-- PDP type, and the address that the phone asks for.
function sm_request.address(octets)
  local organisation = octets:byte(1) & 15
  if organisation == ETSI and octets:byte(2) == NON_IP then return "non_ip" end
  if organisation ~= IETF then return nil end
  local kind = TYPES[octets:byte(2)]
  if kind == "ipv4" and #octets == 6 then return kind, (string.unpack(">I4", octets, 3)) end
  return kind
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

function sm_request.is_acknowledged(apn, qos)
  return apn.acknowledged and gb_abqp.is_acknowledged(qos) or nil
end

function sm_request.other_mode(context, qos)
  local wanted = qos and gb_abqp.is_acknowledged(qos)
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

-- The class of a request, at most what the APN allows.
function sm_request.class(apn, qos)
  return gb_abqp.lesser(qos and gb_abqp.class_of(qos) or apn.class, apn.best or apn.class)
end

return sm_request
