-- SPDX-License-Identifier: BSD-3-Clause
-- Addresses and protocol options of a PDP context: what it asks for until it is up, then what the GGSN gave. They are
-- fields of the context, which has room for sixteen. An IPv4 address is an integer: texts would be in Lua's table of
-- strings, which Lua doubles at once.
--
--   sm_address.set(context, given)       given: of gmm.phones
--   sm_address.change(context, ipv4, ipv6)   its GGSN gives others, as texts; nil: as before
--   sm_address.fits(context, given)      whether its HLR's records allow it those of `given`; nil there: its own
--   sm_address.ipv4(context)             as a text; nil: it has none
--   sm_address.octets(context)           as the phone reads it (24.008 §10.5.6.4)
--   sm_address.second_cause(context)     of a phone that asked for both versions, and got one of its GGSN or HLR
--                                        (§6.1.3.1.1); nil: it has what it asked for

local ip_network = require "base.ip_network"
local sm_request = require "sm.request"
local sm_subscription = require "sm.subscription"

local sm_address = {}

local IPV4_ONLY <const>, IPV6_ONLY <const>, SINGLE_ONLY <const> = 50, 51, 52
local OTHER <const> = { ipv4 = "ipv6", ipv6 = "ipv4" }

local function integer_of(ipv4)
  return ipv4 and string.unpack(">I4", string.char(ipv4:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$"))) or nil
end

function sm_address.set(context, given)
  context.ipv4, context.ipv6, context.pco = integer_of(given.ipv4), given.ipv6, given.pco
end

function sm_address.change(context, ipv4, ipv6)
  context.ipv4, context.ipv6 = integer_of(ipv4) or context.ipv4, ipv6 or context.ipv6
end

function sm_address.ipv4(context)
  local ipv4 = context.ipv4
  return ipv4 and ("%d.%d.%d.%d"):format(ipv4 >> 24, ipv4 >> 16 & 255, ipv4 >> 8 & 255, ipv4 & 255)
end

function sm_address.octets(context)
  local ipv4, ipv6 = context.ipv4, context.ipv6
  if not ipv4 and not ipv6 then return context.pdp_address end
  return sm_request.address_octets(ipv4, ipv6 and ip_network.octets(ipv6))
end

function sm_address.fits(context, given)
  return sm_subscription.of_context({ phone = context.phone, apn_name = context.apn_name, pdp_type = context.pdp_type,
    ipv4 = integer_of(given.ipv4) or context.ipv4, ipv6 = given.ipv6 or context.ipv6 }) ~= nil
end

-- Whether the HLR allows each version, but no context of both.
local function may_have_other(context)
  local other = OTHER[context.pdp_type]
  return other and sm_subscription.of_context({ phone = context.phone, apn_name = context.apn_name, pdp_type = other })
end

function sm_address.second_cause(context)
  local ipv4, ipv6 = context.ipv4, context.ipv6
  local asked = context.pdp_address and sm_request.address(context.pdp_address)
  if asked ~= "ipv4v6" or (ipv4 and ipv6) then return nil end
  if may_have_other(context) then return SINGLE_ONLY end
  return ipv4 and IPV4_ONLY or ipv6 and IPV6_ONLY or nil
end

return sm_address
