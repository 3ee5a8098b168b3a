-- SPDX-License-Identifier: BSD-3-Clause
-- Session management of phones (24.008 §6, 23.060 §9.2): activation, secondary activation, modification by either
-- end, deactivation.
--
--   local c = sm_contexts.new(settings, phones)   settings: config.phones
--   c:receive(run, phone, message, octets)
--   c:up(run, phone, nsapi, given), c:down(run, phone, nsapi, cause), c:reclass(run, phone, nsapi, result)
--                                     what the GGSN says (gmm.phones)
--   c:mode(run, phone, nsapi, is_set), c:mode_lost(run, phone, nsapi)
--                                     what workers say of the mode of LLC that a context asked for, or has
--   c:forget_all(phone, run)          the phone detaches or attaches: its contexts end without a message to it
--   c:judge(phone, run)               the HLR has sent its data: contexts whose APN it no longer allows end (23.060
--                                     §6.11.1.1)
--   c:compare(phone, run, status)     PDP context status of a RAU REQUEST (§4.7.5.1.3)
--   c:status_of(phone)                that of RAU ACCEPT
--   c:text_of(phone)

local fsm = require "base.fsm"
local gb_abqp = require "gb.abqp"
local records = require "base.records"
local sm_address = require "sm.address"
local sm_faults = require "sm.faults"
local sm_llc_mode = require "sm.llc_mode"
local sm_relocation = require "sm.relocation"
local sm_request = require "sm.request"
local sm_tft = require "sm.tft"

local sm_contexts = {}

local REJECTED_BY_GGSN <const> = 30
local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
local PRIORITY <const> = 4
local UNKNOWN_TYPE <const>, WITHOUT_TFT <const> = 28, 46
local FIRST_OWN_PFI <const> = 8
local REGULAR <const>, REACTIVATE <const>, UNKNOWN_CONTEXT <const> = 36, 39, 43
local DELETED <const> = -2 -- by its GGSN, which asks for no other (gmm.phones)
local INVALID_MANDATORY <const>, NOT_COMPATIBLE <const> = 96, 98
local SHORT_QOS <const> = 3

-- The network sets the flag of a transaction that the phone began (24.007 §11.2.3.1.3).
local function send(self, run, phone, ti, message)
  message.ti, message.ti_flag = ti, message.ti_flag or 1
  self.phones:send(run, phone, message)
end

-- message: a request, or a context with its values.
local function refuse(self, run, phone, message, cause)
  local is_secondary = message.message == "secondary_request" or message.linked ~= nil
  run:count((is_secondary and "secondary_reject_" or "activate_reject_") .. cause)
  run:log_of("sm", "info", "%s/%d: activation refused, cause %d", phone.imsi, message.nsapi, cause)
  send(self, run, phone, message.ti, { message = is_secondary and "secondary_reject" or "activate_reject",
    cause = cause })
end

local ACTIVE <const> = { active = true, changing = true, relinking = true, telling = true, arriving = true }

local function is_active(context)
  return ACTIVE[context.fsm.state] ~= nil
end

-- The NSAPI of the context with whose address it began.
local function root_of(context)
  return context.root or context.nsapi
end

-- A PDP context of a phone (24.008 §6.1.3). Owner: { phone =, contexts = (sm.contexts), nsapi =, ti =, sapi =, ... }.

local actions = {}

-- The IMSI of a phone that comes from another SGSN is known here before it is accepted.
function actions.ask(context, run)
  local apn, phone, taken = context.apn, context.phone, context.taken
  run:emit({ op = "phone_pdp_add", mobile = phone.mobile, imsi = taken and phone.imsi or phone.known,
    nsapi = context.nsapi, sapi = context.sapi,
    apn = context.apn_name, ours = apn.sgsn_address, ggsn = taken and taken.control or apn.ggsn_address,
    taken = taken and records.pack(taken), pdp_type = context.pdp_type, any_payload = apn.any_payload,
    compression = apn.compression, ipv4 = sm_address.ipv4(context), ipv6 = context.ipv6,
    class = context.class, pco = context.pco, msisdn = phone.msisdn or phone.phones.policy.msisdns[phone.imsi],
    imeisv = phone.imeisv, charging = sm_request.charging(phone, context.apn_name), linked = context.linked,
    tft = context.tft, pfi = context.pfi })
end

local function accept(context, run)
  run:log_of("sm", "info", "%s/%d: active, APN %s, %s", context.phone.imsi, context.nsapi, context.apn_name,
    sm_address.ipv4(context) or context.ipv6 or "without address")
  run:count("activated")
  actions.accept_again(context, run)
end

function actions.accept(context, run, given)
  sm_address.take(context, given)
  accept(context, run)
end

-- --- the mode of LLC (23.107 §6.4.4): a phone is told reliability class 2 once its worker has a link for the context,
-- and class 3 while all links are in use (24.008 §6.1.3.1.1: the network may give less). context.asks: acknowledged
-- mode is to begin (true) or to end.

function actions.take_given(context, _, given)
  sm_address.take(context, given)
end

function actions.ask_llc(context, run)
  sm_llc_mode.order(context, run, context.asks)
end

function actions.accept_llc(context, run, is_set)
  sm_llc_mode.take(context, run, is_set)
  accept(context, run)
end

-- The worker does not answer: acknowledged mode ends there if it begins after all.
function actions.accept_without_llc(context, run)
  sm_llc_mode.order(context, run, false)
  actions.accept_llc(context, run, false)
end

-- As long as a phone's value: one of R97 has three octets.
local function qos_of(context)
  local qos = gb_abqp.of_class(context.class, context.acknowledged)
  return context.qos_octets == SHORT_QOS and qos:sub(1, SHORT_QOS) or qos
end

function actions.accept_again(context, run)
  local message = { message = "secondary_accept", sapi = context.sapi, qos = qos_of(context), radio_priority = PRIORITY,
    pco = context.pco, pfi = context.pfi }
  if not context.linked then
    message.message, message.pdp_address = "activate_accept", sm_address.octets(context)
    message.second_cause = sm_address.second_cause(context)
  end
  send(context.contexts, run, context.phone, context.ti, message)
end

-- --- modification (24.008 §6.1.3.3)

function actions.ask_change(context, run, request)
  context.change = request
  run:emit({ op = "phone_pdp_class", mobile = context.phone.mobile, nsapi = context.nsapi, class = request.class,
    tft = request.tft })
end

local function accept_change(context, run)
  local request = context.change
  context.change = nil
  run:count("modified")
  context.has_tft, context.qos_octets = context.has_tft or request.tft ~= nil, request.qos_octets or context.qos_octets
  send(context.contexts, run, context.phone, request.ti, { message = "modify_accept", qos = qos_of(context),
    sapi = request.sapi and context.sapi, pfi = context.pfi })
end

function actions.answer_change(context, run, result)
  local request = context.change
  context.class = result.class
  if result.cause == 0 then return accept_change(context, run) end
  context.change = nil
  run:count("modify_reject")
  send(context.contexts, run, context.phone, request.ti, { message = "modify_reject",
    cause = sm_faults.OF_GTP[result.cause] or REJECTED_BY_GGSN })
end

function actions.take_class(context, run, result)
  context.class = result.class
  run:touch(context.fsm)
end

function actions.take_change(context, _, result)
  context.class, context.asks = result.class, context.change.asks
end

function actions.answer_llc(context, run, is_set)
  sm_llc_mode.take(context, run, is_set)
  accept_change(context, run)
end

function actions.answer_without_llc(context, run)
  sm_llc_mode.order(context, run, false)
  actions.answer_llc(context, run, false)
end

function actions.tell_change(context, run, result)
  context.class = result.class
  run:log_of("sm", "info", "%s/%d: its class is %s now", context.phone.imsi, context.nsapi, context.class)
  actions.tell_change_again(context, run)
end

function actions.tell_change_again(context, run)
  send(context.contexts, run, context.phone, context.ti, { message = "network_modify_request", qos = qos_of(context),
    radio_priority = PRIORITY, sapi = context.sapi, pfi = context.pfi })
end

-- The mobile went to a worker without a free link.
function actions.lose_llc(context, run)
  context.acknowledged = nil
  sm_llc_mode.note_without(context, run)
  sm_llc_mode.order(context, run, false)
  run:touch(context.fsm)
end

function actions.tell_llc_lost(context, run)
  actions.lose_llc(context, run)
  actions.tell_change_again(context, run)
end

function actions.note_told(_, run)
  run:count("told_class")
end

function actions.note_untold(context, run)
  run:count("untold_class")
  run:log_of("sm", "info", "%s/%d: the phone does not answer the change of its class", context.phone.imsi,
    context.nsapi)
end

function actions.reject(context, run, cause)
  refuse(context.contexts, run, context.phone, context, sm_faults.OF_GTP[cause] or REJECTED_BY_GGSN)
end

function actions.release(context, run)
  run:emit({ op = "phone_pdp_del", mobile = context.phone.mobile, nsapi = context.nsapi })
end

-- The GGSN or its path has lost it: the phone is told to activate it once more, never given another address in silence.
-- One that the GGSN has deleted for good is not to come back.
function actions.tell_lost(context, run, cause)
  context.reason = cause == DELETED and REGULAR or nil
  run:log_of("sm", "info", "%s/%d: %s", context.phone.imsi, context.nsapi, context.reason and "deleted by the GGSN"
    or "lost, the phone is told to activate it again")
  run:count(context.reason and "deleted" or "lost")
  actions.send_deactivate(context, run)
end

-- Others with its address stay: then it is deactivated alone (24.008 §6.1.3.4).
local function is_shared(context)
  for _, other in pairs(context.phone.contexts) do
    if other ~= context and root_of(other) == root_of(context) and ACTIVE[other.fsm.state] then return true end
  end
  return false
end

function actions.send_deactivate(context, run)
  send(context.contexts, run, context.phone, context.ti, { message = "deactivate_request",
    cause = context.reason or REACTIVATE, teardown = is_shared(context) and 0 or 1 })
end

function actions.forget(context)
  local list = context.phone.contexts
  if list[context.nsapi] == context then list[context.nsapi] = nil end
end

local FIELDS <const> = { "nsapi", "ti", "sapi", "apn_name", "pdp_type", "ipv4", "ipv6", "pdp_address", "qos_octets",
  "pco", "octets", "class", "linked", "root", "has_tft", "pfi", "change", "acknowledged", "asks", "is_lowered",
  "is_class_lowered", "reason", "act" }

local function keep(context)
  if context.fsm.state == "gone" then return nil end
  local kept = { mobile = context.phone.mobile, apn = context.apn.name, state = context.fsm.state }
  for _, field in ipairs(FIELDS) do kept[field] = context[field] end
  return kept
end

local machine = fsm.define({
  name = "sm", category = "sm", about = "context",
  initial = "idle",
  keep = keep,
  id = function(context) return ("%s/sm/%d"):format(fsm.id_of(context.phone.fsm), context.nsapi) end,
  actions = actions,
  timers = {
    t3395 = { after = "t3395", retries = "repeats", again = "t3395", out = "t3395_out" },
    t3386 = { after = "t3386", retries = "repeats", again = "t3386", out = "t3386_out" },
    llc = { after = "llc", retries = "llc_repeats", again = "llc_out", out = "llc_out" },
  },
  any = { rx_again = {}, rx_change = {}, up = {}, up_to_ask = {}, down = {}, class = {}, class_to_ask = {}, mode = {},
    mode_lost = {}, rx_deactivate_accept = {}, rx_modify_accept = {}, settled = {},
    moved = { action = "release", next = "gone" }, drop = { action = "release", next = "gone" } },
  states = sm_relocation.give_states(actions, require("sm.acts").give(actions, {
    idle = {
      on = { begin = { action = "ask", next = "creating" }, drop = { next = "gone" }, moved = { next = "gone" } },
    },
    creating = {
      on = {
        up = { action = "accept", next = "active" },
        up_to_ask = { action = "take_given", next = "linking" },
        down = { action = "reject", next = "gone" },
      },
    },
    linking = {
      enter = "ask_llc", timer = "llc",
      on = {
        llc_out = { action = "accept_without_llc", next = "active" },
        mode = { action = "accept_llc", next = "active" },
        class = { action = "take_class" },
        down = { action = "reject", next = "gone" },
      },
    },
    active = {
      on = {
        rx_again = { action = "accept_again" },
        rx_change = { action = "ask_change", next = "changing" },
        class = { action = "tell_change", next = "telling" },
        mode_lost = { action = "tell_llc_lost", next = "telling" },
        down = { action = "tell_lost", next = "deactivating" },
      },
    },
    changing = {
      on = {
        mode_lost = { action = "lose_llc" },
        class = { action = "answer_change", next = "active" },
        class_to_ask = { action = "take_change", next = "relinking" },
        down = { action = "tell_lost", next = "deactivating" },
      },
    },
    relinking = {
      enter = "ask_llc", timer = "llc",
      on = {
        llc_out = { action = "answer_without_llc", next = "active" },
        mode = { action = "answer_llc", next = "active" },
        class = { action = "take_class" },
        down = { action = "tell_lost", next = "deactivating" },
      },
    },
    telling = {
      timer = "t3386",
      on = {
        t3386 = { action = "tell_change_again" },
        t3386_out = { action = "note_untold", next = "active" },
        rx_modify_accept = { action = "note_told", next = "active" },
        class = { action = "tell_change", next = "telling" },
        mode_lost = { action = "tell_llc_lost", next = "telling" },
        down = { action = "tell_lost", next = "deactivating" },
      },
    },
    deactivating = {
      timer = "t3395",
      on = {
        t3395 = { action = "send_deactivate" },
        t3395_out = { next = "gone" },
        rx_deactivate_accept = { next = "gone" },
        drop = { next = "gone" },
        moved = { next = "gone" },
      },
    },
    gone = { enter = "forget", on = { drop = {}, moved = {} } },
  })),
})

-- All contexts of the phones

local Contexts = {}
Contexts.__index, Contexts.configure = Contexts, sm_request.configure

function sm_contexts.new(settings, phones)
  local c = setmetatable({ phones = phones, apn_name = sm_request.apn_name,
    apn_entry = sm_request.apn_entry }, Contexts)
  return sm_request.configure(c, settings)
end

local function by_ti(phone, ti)
  for _, context in pairs(phone.contexts) do
    if context.ti == ti then return context end
  end
end

-- That of a message, which has flag 0 if the phone began its transaction; the network begins none.
local function context_of(phone, message)
  return message.ti_flag == 0 and by_ti(phone, message.ti) or nil
end

-- --- activation

local function enter(self, phone, context)
  context.fsm = fsm.new(machine, context, nil, self.phones.durations)
  phone.contexts[context.nsapi] = context
end

-- A packet flow of its own for each context, where the APN says so (48.018 §11.3.42: 8 and above).
local function pfi_of(apn, nsapi)
  return apn.pfc and FIRST_OWN_PFI + nsapi - FIRST_NSAPI or nil
end

-- context: the fields that a primary and a secondary context have from elsewhere.
local function begin(self, run, phone, message, context)
  local apn = context.apn
  context.contexts, context.phone, context.nsapi, context.ti = self, phone, message.nsapi, message.ti
  context.sapi, context.pfi = message.sapi ~= 0 and message.sapi or apn.sapi, pfi_of(apn, message.nsapi)
  context.qos_octets, context.pco, context.asks = #message.qos, message.pco,
    sm_request.is_acknowledged(apn, message.qos)
  enter(self, phone, context)
  run:tell(context.fsm, "begin")
end

-- A context of a phone before a restart of control. One whose APN a reload has taken away gets no other APN's limits.
function Contexts:adopt(run, phone, kept)
  local apn = self.apns[kept.apn:lower()] or { name = kept.apn, class = kept.class, sapi = kept.sapi }
  local context = { contexts = self, phone = phone, apn = apn }
  for _, field in ipairs(FIELDS) do context[field] = kept[field] end
  enter(self, phone, context)
  run:restore(context.fsm, kept.state)
end

-- In the order of their NSAPIs.
local function each(phone)
  local list = {}
  for nsapi = FIRST_NSAPI, LAST_NSAPI do list[#list + 1] = phone.contexts[nsapi] end
  return ipairs(list)
end

sm_relocation.give(Contexts, { enter = enter, each = each, is_active = is_active })

local receive = {}

-- The contexts whose NSAPI or TI a new one takes end.
local function displace(run, phone, message)
  for _, context in ipairs({ phone.contexts[message.nsapi] or false, by_ti(phone, message.ti) or false }) do
    if context then run:tell(context.fsm, "drop") end
  end
end

-- A repeated request is answered again; one for an NSAPI or TI in use otherwise ends the older context (§6.1.3.1.5).
function receive.activate_request(self, run, phone, message, octets)
  local fault = sm_request.fault(message)
  if fault then return refuse(self, run, phone, message, fault) end
  local old = phone.contexts[message.nsapi]
  if old and old.octets == octets then return run:tell(old.fsm, "rx_again") end
  displace(run, phone, message)
  local apn, name = sm_request.apn(self, phone, message)
  if not apn then return refuse(self, run, phone, message, name) end
  local pdp_type, ipv4 = sm_request.address(message.pdp_address)
  if not pdp_type then return refuse(self, run, phone, message, UNKNOWN_TYPE) end
  begin(self, run, phone, message, { apn = apn, apn_name = name, pdp_type = pdp_type, ipv4 = ipv4,
    pdp_address = message.pdp_address, octets = octets, class = apn.class })
end

-- --- secondary contexts (§6.1.3.2)

-- Contexts with one address: at most one of them has no traffic flow template (23.060 §15.3.1).
local function tft_fault(phone, linked, tft)
  if tft then return sm_tft.fault(tft, true) end
  for _, other in each(phone) do
    if root_of(other) == root_of(linked) and not other.has_tft then return WITHOUT_TFT end
  end
end

function receive.secondary_request(self, run, phone, message, octets)
  local linked = by_ti(phone, sm_request.linked_ti(message.linked_ti))
  local old = phone.contexts[message.nsapi]
  if old and old.octets == octets then return run:tell(old.fsm, "rx_again") end
  local fault = sm_request.fault(message)
  if not fault and not (linked and ACTIVE[linked.fsm.state]) then fault = UNKNOWN_CONTEXT end
  if not fault and (old == linked or by_ti(phone, message.ti) == linked) then fault = INVALID_MANDATORY end
  fault = fault or tft_fault(phone, linked, message.tft)
  if fault then return refuse(self, run, phone, message, fault) end
  displace(run, phone, message)
  begin(self, run, phone, message, { apn = linked.apn, apn_name = linked.apn_name, pdp_type = linked.pdp_type,
    octets = octets, class = sm_request.class(linked.apn, message.qos), linked = linked.nsapi, ipv4 = linked.ipv4,
    ipv6 = linked.ipv6, root = root_of(linked), tft = message.tft, has_tft = message.tft ~= nil })
end

-- --- deactivation

function receive.deactivate_request(self, run, phone, message)
  local context = context_of(phone, message)
  run:count("deactivate_request")
  if context then
    run:log_of("sm", "info", "%s/%d: deactivated by the phone, cause %d", phone.imsi, context.nsapi, message.cause)
    for _, other in each(phone) do
      local is_one = other == context or message.teardown == 1 and root_of(other) == root_of(context)
      if is_one then run:tell(other.fsm, "drop") end
    end
  end
  send(self, run, phone, message.ti, { message = "deactivate_accept", ti_flag = message.ti_flag ~ 1 })
end

for name, event in pairs({ deactivate_accept = "rx_deactivate_accept", network_modify_accept = "rx_modify_accept" }) do
  receive[name] = function(_, run, phone, message)
    local context = by_ti(phone, message.ti)
    if context then run:tell(context.fsm, event) end
  end
end

-- Those of a phone that has left are another SGSN's, which has them at the GGSN.
function Contexts.forget_all(self, phone, run)
  if phone.has_left then return self:abandon(phone, run) end
  for _, context in each(phone) do run:tell(context.fsm, "drop") end
end

-- In the midst of an update ACCEPT says which contexts are left.
function Contexts.judge(_, phone, run)
  if phone.has_left then return end
  for _, context in each(phone) do
    if not sm_request.is_subscribed(phone, context.apn_name) then
      run:count("context_not_subscribed")
      run:tell(context.fsm, is_active(context) and not phone.pending and "deactivate" or "drop", "HLR")
    end
  end
end

-- --- modification by the phone

function receive.modify_request(self, run, phone, message)
  local context = by_ti(phone, message.ti)
  local fault = not ACTIVE[context.fsm.state] and NOT_COMPATIBLE
    or message.sapi and not sm_request.is_sapi(message.sapi) and INVALID_MANDATORY
    or message.tft and sm_tft.fault(message.tft, false) or nil
  if fault then
    run:count("modify_reject")
    return send(self, run, phone, message.ti, { message = "modify_reject", cause = fault })
  end
  local class = message.qos and sm_request.class(context.apn, message.qos) or context.class
  local request = { ti = message.ti, class = class, tft = message.tft, sapi = message.sapi,
    qos_octets = message.qos and #message.qos, asks = sm_request.other_mode(context, message.qos) }
  run:tell(context.fsm, "rx_change", request)
end

function receive.sm_status(_, run, phone, message)
  run:log_of("sm", "info", "%s: SM STATUS, cause %d", phone.imsi, message.cause)
end

-- message: decoded, or what its refusal says (sm.faults).
function Contexts:receive(run, phone, message, octets)
  local counter, answer = sm_faults.of(message, context_of(phone, message) ~= nil)
  if not counter then return receive[message.message](self, run, phone, message, octets) end
  run:count(counter)
  if not answer then return end
  if answer.message == "deactivate_accept" then return receive.deactivate_request(self, run, phone, message) end
  answer.ti_flag = message.ti_flag ~ 1
  send(self, run, phone, message.ti, answer)
end

-- --- what the GGSN says

function Contexts.up(_, run, phone, nsapi, given)
  local context = phone.contexts[nsapi]
  if context then run:tell(context.fsm, context.asks and "up_to_ask" or "up", given) end
end

for _, event in ipairs({ "down", "mode" }) do
  Contexts[event] = function(_, run, phone, nsapi, arg)
    local context = phone.contexts[nsapi]
    if context then run:tell(context.fsm, event, arg) end
  end
end

function Contexts.reclass(_, run, phone, nsapi, result)
  local context = phone.contexts[nsapi]
  if not context then return end
  -- The class that the phone was told is no news to it.
  local is_told = context.fsm.state == "active" or context.fsm.state == "telling"
  if is_told and result.class == context.class then return end
  local is_to_ask = result.cause == 0 and context.fsm.state == "changing" and context.change.asks ~= nil
  run:tell(context.fsm, is_to_ask and "class_to_ask" or "class", result)
end

function Contexts.mode_lost(_, run, phone, nsapi)
  local context = phone.contexts[nsapi]
  if context and context.acknowledged then run:tell(context.fsm, "mode_lost") end
end

-- --- PDP context status (§10.5.7.1)

function Contexts.status_of(_, phone)
  local bits = 0
  for _, context in each(phone) do
    if ACTIVE[context.fsm.state] then bits = bits | 1 << context.nsapi end
  end
  return string.pack("<I2", bits)
end

function Contexts.compare(_, phone, run, status)
  if not status then return end
  local bits = string.unpack("<I2", status)
  for _, context in each(phone) do
    if ACTIVE[context.fsm.state] and bits >> context.nsapi & 1 == 0 then run:tell(context.fsm, "drop") end
  end
end

function Contexts.text_of(_, phone)
  local words = {}
  for _, context in each(phone) do
    local state = context.fsm.state
    local address = state ~= "creating" and (sm_address.ipv4(context) or context.ipv6) or nil
    words[#words + 1] = ("%d:%s"):format(context.nsapi, address or state)
  end
  return #words > 0 and table.concat(words, " ") or "-"
end

return sm_contexts
