-- SPDX-License-Identifier: BSD-3-Clause
-- The quality of service of a PDP context: that of its class, within what is subscribed and what its GGSN has granted
-- (23.060 §9.2.3.2). context.granted: the value that the GGSN, or another SGSN, gave; nil: it bounds nothing.
--
--   sm_quality.negotiated(context)   11 octets of 24.008 §10.5.6.5
--   sm_quality.told(context)         the same as its phone reads it: one of R97 has three octets
--   sm_quality.take(context, class, granted)   another class, at most the subscribed one, and another value; nil: as
--                                    before

local gb_abqp = require "gb.abqp"
local sm_subscription = require "sm.subscription"

local sm_quality = {}

local SHORT <const> = 3

local function of_class(context)
  return sm_subscription.restricted(context, gb_abqp.of_class(context.class, context.acknowledged))
end

function sm_quality.negotiated(context)
  local qos = of_class(context)
  return context.granted and gb_abqp.restricted(qos, context.granted) or qos
end

function sm_quality.told(context)
  local qos = sm_quality.negotiated(context)
  return context.qos_octets == SHORT and qos:sub(1, SHORT) or qos
end

-- A node has a million contexts whose GGSNs grant what was asked for: these have no value of their own.
function sm_quality.take(context, class, granted)
  context.class = class and sm_subscription.lesser(sm_subscription.values_of(context), class) or context.class
  if not granted or #granted < SHORT then return end
  local qos = of_class(context)
  context.granted = gb_abqp.restricted(qos, granted) ~= qos and granted or nil
end

return sm_quality
