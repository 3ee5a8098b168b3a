-- SPDX-License-Identifier: BSD-3-Clause
-- PDP contexts of a phone that comes from another SGSN or goes to one (29.060 §7.7.29, 23.060 §6.9.1.2.2).
--
--   sm_relocation.give_states(actions, states)   adds its rows and actions to those of sm.contexts; returns the states
--   sm_relocation.give(Contexts, tools)          these methods, for the class of sm.contexts; tools: enter and each
--     c:describe(phone, numbers)    its active contexts as PDP Contexts of an SGSN Context Response, without the values
--                                   that GTP-C has; numbers: by NSAPI { send =, receive = } of acknowledged mode
--     c:take(phone, run, list, forwarder)   makes the contexts of such a list, but those that are not possible here;
--                                   returns the NSAPIs of all that are there. The phone is not told before
--                                   c:settle(phone, run). forwarder: an address that forwards their N-PDUs
--     c:received(phone)             Receive N-PDU Numbers list of ACCEPT: of those that the old SGSN had in
--                                   acknowledged mode; nil: it is empty
--     c:confirm(phone, run, octets) that of COMPLETE
--     c:arrived(phone, run)         the procedure is complete: the phone is told of contexts without acknowledged mode
--     c:part(phone, run)            the old SGSN forwards nothing any more
--     c:claim(phone, run)           contexts that another SGSN may have had meanwhile: their GGSNs are told
--     c:forward(phone, run, tunnel_of)   they are another SGSN's now: tunnel_of(nsapi) says whether it has taken that
--                                   one, and the address and TEID for its N-PDUs, nil: they are dropped
--     c:abandon(phone, run)         it ends here, not at its GGSN

local gb_abqp = require "gb.abqp"
local n_pdu_numbers = require "sm.n_pdu_numbers"
local sm_llc_mode = require "sm.llc_mode"
local sm_quality = require "sm.quality"
local sm_request = require "sm.request"
local sm_subscription = require "sm.subscription"

local sm_relocation = {}

local FIRST_NSAPI <const>, LAST_NSAPI <const>, FIRST_OWN_PFI <const> = 5, 15, 8
local ARP <const>, FLAG <const> = 2, 8 -- of a TI that the phone has chosen, as the SGSN sends it
local EXTENDED_TI <const>, LONG_TI <const> = 7, 128 -- a TI from there on is in a second octet (24.007 §11.2.3.1.3)

-- --- rows of the machine

-- While it arrives nothing is told to the phone: the PDP context status of ACCEPT says what is left.
local ARRIVING <const> = {
  on = {
    up = { action = "take_given" },
    up_to_ask = { action = "take_given" },
    mode = { action = "take_up_mode" },
    settled = { next = "active" },
    class = { action = "take_class" },
    down = { next = "gone" },
    moved = { action = "release_moved", next = "gone" },
  },
}

local MOVING <const> = { "active", "changing", "relinking", "telling" }

function sm_relocation.give_states(actions, states)
  function actions.release_moved(context, run)
    run:emit({ op = "phone_pdp_del", mobile = context.phone.mobile, nsapi = context.nsapi, moved = true })
  end

  -- The old SGSN may forward N-PDUs as soon as it has the acknowledgement. Their mode of LLC is ordered before.
  function actions.take_over(context, run)
    actions.ask(context, run)
    if context.asks then sm_llc_mode.order(context, run, true, context.numbers) end
    sm_relocation.listen(context, run, context.taken.forwarder)
  end

  -- context.asks: that order is not answered yet. Without a link the phone is told class 3 when its procedure is
  -- complete.
  function actions.take_up_mode(context, run, is_set)
    if context.asks == nil then return end
    context.acknowledged, context.asks, context.is_lowered = is_set or nil, nil, not is_set or nil
    if context.is_lowered and not context.numbers then run:post(context.fsm, "mode_lost") end
  end

  states.active.on.mode = ARRIVING.on.mode
  states.idle.on.arrive = { action = "take_over", next = "arriving" }
  states.arriving = ARRIVING
  for _, name in ipairs(MOVING) do states[name].on.moved = { action = "release_moved", next = "gone" } end
  return states
end

-- N-PDUs of the old SGSN are taken, too; forwarder: its address, nil: no longer.
function sm_relocation.listen(context, run, forwarder)
  run:emit({ op = "phone_pdp_from", mobile = context.phone.mobile, nsapi = context.nsapi, forwarder = forwarder })
end

-- --- contexts as GTP-C has them

local function describe(context, numbers)
  local qos, record = sm_quality.negotiated(context), sm_subscription.values_of(context)
  return { nsapi = context.nsapi, sapi = context.sapi, is_active = true, pdp_type = context.pdp_type,
    apn = context.apn_name, ti = FLAG | math.min(context.ti, EXTENDED_TI),
    ti_extension = context.ti >= EXTENDED_TI and LONG_TI | context.ti or nil, arp = ARP,
    qos_subscribed = record.qos or qos, qos_requested = qos, qos_negotiated = qos, sequence_down = 0, sequence_up = 0,
    send_n_pdu = numbers and numbers.send or 0, receive_n_pdu = numbers and numbers.receive or 0, context_id = 0 }
end

local function address_of(text)
  return text and string.unpack(">I4", string.char(text:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$"))) or nil
end

-- The APN of this node for a context of another SGSN, and its name, without the operator identifier; nil: the node
-- has none, or the context lacks something.
local function apn_of(self, described)
  local name = described.apn and described.apn:lower():gsub("%.mnc%d+%.mcc%d+%.gprs$", "")
  local apn = name and (self.apns[name] or self.apns["*"])
  local is_whole = described.nsapi >= FIRST_NSAPI and described.nsapi <= LAST_NSAPI and described.teid_control
    and described.teid_data and described.control and described.user and described.pdp_type
  return apn and is_whole and apn or nil, name
end

-- At most what this node's APN allows; the phone is told when its procedure is complete.
local function class_of(apn, qos)
  local class = sm_request.class(apn, qos)
  return class, class ~= (gb_abqp.class_of(qos) or class) or nil
end

-- N-PDU numbers of a context that the other SGSN had in acknowledged mode; nil: it had it in the other one.
local function numbers_of(described)
  return gb_abqp.is_acknowledged(described.qos_negotiated or "")
    and { send = described.send_n_pdu, receive = described.receive_n_pdu } or nil
end

local function resume(context, described)
  context.numbers = numbers_of(described)
  context.asks = context.numbers and context.apn.acknowledged or nil
  context.is_lowered = context.numbers and not context.asks or nil
  return context
end

local function ti_of(described)
  local ti = described.ti & ~FLAG
  return ti == EXTENDED_TI and (described.ti_extension or 0) & ~LONG_TI or ti
end

local function make(self, phone, described)
  local apn, name = apn_of(self, described)
  if not apn then return nil end
  local qos = described.qos_negotiated or ""
  local class, is_class_lowered = class_of(apn, qos)
  local context = resume({ apn = apn, apn_name = name, contexts = self, phone = phone, nsapi = described.nsapi,
    ti = ti_of(described), sapi = sm_request.is_sapi(described.sapi) and described.sapi or apn.sapi,
    pfi = apn.pfc and FIRST_OWN_PFI + described.nsapi - FIRST_NSAPI or nil, qos_octets = #qos, class = class,
    is_class_lowered = is_class_lowered, pdp_type = described.pdp_type, ipv4 = address_of(described.ipv4),
    ipv6 = described.ipv6, taken = { teid_control = described.teid_control, teid_data = described.teid_data,
      control = described.control, user = described.user } }, described)
  sm_quality.take(context, nil, qos)
  return context
end

-- One that was here before, and has other numbers meanwhile: its N-PDUs come from the SGSN that it was with.
local function return_to(context, run, described, forwarder)
  if context.acknowledged and numbers_of(described) then
    sm_llc_mode.order(resume(context, described), run, true, context.numbers)
  end
  sm_relocation.listen(context, run, forwarder)
end

-- N-PDU numbers of contexts in acknowledged mode.
local function give_numbers(class, tools)
  function class.received(_, phone)
    local list = {}
    for _, context in tools.each(phone) do
      local numbers = tools.is_active(context) and context.numbers
      if numbers then list[#list + 1] = { nsapi = context.nsapi, number = numbers.receive } end
    end
    return n_pdu_numbers.octets(list)
  end

  function class.confirm(_, phone, run, octets)
    for _, told in ipairs(n_pdu_numbers.list(octets)) do
      if phone.contexts[told.nsapi] then
        run:emit({ op = "ms_received", mobile = phone.mobile, nsapi = told.nsapi, number = told.number })
      end
    end
  end

  function class.arrived(_, phone, run)
    for _, context in tools.each(phone) do
      local event = context.is_lowered and "mode_lost" or context.is_class_lowered and "class"
      context.numbers, context.is_lowered, context.is_class_lowered = nil, nil, nil
      if event then run:tell(context.fsm, event, { class = context.class }) end
    end
  end
end

local function give_claim(class, tools)
  function class.claim(_, phone, run)
    for _, context in tools.each(phone) do
      if tools.is_active(context) then
        run:emit({ op = "phone_pdp_class", mobile = phone.mobile, nsapi = context.nsapi, class = context.class })
      end
    end
  end
end

-- Contexts with one TEID for control at their GGSN have one address: the first is the primary one. The others have a
-- traffic flow template, which no SGSN tells.
local function link(context, taken)
  local key = context.taken.control .. context.taken.teid_control
  local primary = taken[key]
  taken[key] = primary or context
  if primary then context.linked, context.group, context.has_tft = primary.nsapi, primary.group, true end
end

function sm_relocation.give(class, tools)
  give_numbers(class, tools)
  give_claim(class, tools)
  function class.describe(_, phone, numbers)
    local list = {}
    for _, context in tools.each(phone) do
      if tools.is_active(context) then list[#list + 1] = describe(context, numbers[context.nsapi]) end
    end
    return list
  end

  function class:take(phone, run, list, forwarder)
    local nsapis, taken = {}, {}
    for _, described in ipairs(list) do
      local before = phone.contexts[described.nsapi]
      local is_back = before and tools.is_active(before)
      local context = not before and make(self, phone, described)
      if is_back then
        return_to(before, run, described, forwarder)
      elseif context then
        context.taken.forwarder = forwarder
        link(context, taken)
        tools.enter(self, phone, context)
        run:tell(context.fsm, "arrive")
      end
      if is_back or context and phone.contexts[described.nsapi] then
        nsapis[#nsapis + 1] = described.nsapi
      else
        run:count("context_not_taken")
      end
    end
    return nsapis
  end

  function class.settle(_, phone, run)
    for _, context in tools.each(phone) do run:tell(context.fsm, "settled") end
  end

  function class.part(_, phone, run)
    for _, context in tools.each(phone) do sm_relocation.listen(context, run) end
  end

  function class.forward(_, phone, run, tunnel_of)
    for _, context in tools.each(phone) do
      local is_taken, address, teid = tunnel_of(context.nsapi)
      if is_taken and tools.is_active(context) then -- others were not described
        run:emit({ op = "phone_pdp_forward", mobile = phone.mobile, nsapi = context.nsapi, ggsn = address,
          ggsn_teid = address and teid or 0 })
      else
        run:tell(context.fsm, "drop")
      end
    end
  end

  function class.abandon(_, phone, run)
    for _, context in tools.each(phone) do run:tell(context.fsm, "moved") end
  end
end

return sm_relocation
