-- SPDX-License-Identifier: BSD-3-Clause
-- Session management of phones (24.008 §6, 23.060 §9.2): activation, secondary activation, modification by either
-- end, deactivation.
--
--   local c = sm_contexts.new(settings, phones)   settings: config.phones
--   c:configure(run, settings)        a reload
--   c.versions                        their APNs (sm.apns)
--   c:receive(run, phone, message, octets)
--   c:up(run, phone, nsapi, given), c:down(run, phone, nsapi, cause), c:reclass(run, phone, nsapi, result)
--                                     what the GGSN says (gmm.phones)
--   c:modify(run, phone, nsapi, asked) what the GGSN asks for (sm.modification)
--   c:mode(run, phone, nsapi, is_set), c:mode_lost(run, phone, nsapi)
--                                     what workers say of the mode of LLC that a context asked for, or has
--   c:forget_all(phone, run)          the phone detaches or attaches: its contexts end without a message to it
--   c:withdraw(phone)                 the phone has attached: messages of contexts that have ended do not wait any more
--   c:subscribe(run, phone, infos, charging)   the HLR's records (sm.subscription)
--   c:judge(phone, run)               the HLR has sent its data: contexts whose APN, type or address it no longer
--                                     allows end, and others get at most the class that is
--                                     subscribed (23.060 §6.11.1.1)
--   c:compare(phone, run, status)     PDP context status of a RAU REQUEST (§4.7.5.1.3)
--   c:status_of(phone)                that of RAU ACCEPT
--   c:text_of(phone)

local fsm = require "base.fsm"
local sm_address = require "sm.address"
local sm_apns = require "sm.apns"
local sm_changes = require "sm.changes"
local sm_faults = require "sm.faults"
local sm_llc_mode = require "sm.llc_mode"
local sm_modification = require "sm.modification"
local sm_quality = require "sm.quality"
local sm_relocation = require "sm.relocation"
local sm_request = require "sm.request"
local sm_subscription = require "sm.subscription"
local sm_tft = require "sm.tft"

local sm_contexts = {}

local REJECTED_BY_GGSN <const> = 30
local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
local PRIORITY <const> = 4 -- of radio
local UNKNOWN_TYPE <const>, WITHOUT_TFT <const> = 28, 46
local FIRST_OWN_PFI <const> = 8
local REGULAR <const>, REACTIVATE <const>, UNKNOWN_CONTEXT <const> = 36, 39, 43
local DELETED <const> = -2 -- by its GGSN, which asks for no other (gmm.phones)
local INVALID_MANDATORY <const>, NOT_COMPATIBLE <const> = 96, 98
local NON_EXISTENT <const>, MS_DETACHED <const>, OPTIONAL_INCORRECT <const> = 192, 195, 203 -- of GTP-C

-- The network sets the flag of a transaction that the phone began (24.007 §11.2.3.1.3).
local function send(self, run, phone, ti, message)
  message.ti, message.ti_flag = ti, message.ti_flag or 1
  self.phones:send(run, phone, message)
end

-- message: a request, or a context with its values.
local function refuse(self, run, phone, message, cause)
  local is_secondary = message.message == "secondary_request" or message.linked ~= nil
  run:count((is_secondary and "secondary_reject_" or "activate_reject_") .. cause)
  local name = message.apn_name or message.apn and sm_request.apn_name(message.apn) or "none"
  run:log_of("sm", "info", "%s/%d: activation refused, cause %d, APN %s", phone.imsi, message.nsapi, cause, name)
  send(self, run, phone, message.ti, { message = is_secondary and "secondary_reject" or "activate_reject",
    cause = cause })
end

local ACTIVE <const> = { active = true, changing = true, relinking = true, telling = true, modifying = true,
  arriving = true }

-- Of transactions that a phone began; true: the answer ends the context.
local ANSWERS <const> = { activate_accept = false, activate_reject = true, secondary_accept = false,
  secondary_reject = true, modify_accept = false, modify_reject = false }

local function is_active(context)
  return ACTIVE[context.fsm.state] ~= nil
end

-- A PDP context of a phone (24.008 §6.1.3). Owner: { phone =, contexts = (sm.contexts), nsapi =, ti =, sapi =, ... }.

local actions = {}

-- The IMSI of a phone that comes from another SGSN is known here before it is accepted.
function actions.ask(context, run, selection)
  local apn, phone, taken = context.apn, context.phone, context.taken
  local record = sm_subscription.values_of(context)
  run:emit({ op = "phone_pdp_add", mobile = phone.mobile, nsapi = context.nsapi, sapi = context.sapi,
    pfi = context.pfi, linked = context.linked, ours = apn.sgsn_address, pdp_type = context.pdp_type,
    any_payload = apn.any_payload, compression = apn.compression,
    wanted = { is_once = true, imsi = taken and phone.imsi or phone.known, nsapi = context.nsapi,
      apn = context.apn_name, ours = apn.sgsn_address, ggsn = taken and taken.control or apn.ggsn_address,
      taken = taken, pdp_type = context.pdp_type, ipv4 = sm_address.ipv4(context), ipv6 = context.ipv6,
      class = context.class, pco = context.pco, msisdn = phone.msisdn or phone.phones.policy.msisdns[phone.imsi],
      imeisv = phone.imeisv, charging = record.charging, tft = context.tft, selection = selection,
      subscribed = record.qos, arp = record.arp } })
end

function actions.confirm(context, run)
  run:log_of("sm", "info", "%s/%d: active, APN %s, %s", context.phone.imsi, context.nsapi, context.apn_name,
    sm_address.ipv4(context) or context.ipv6 or "without address")
  run:count("activated")
  actions.accept_again(context, run)
end

function actions.take_given(context, _, given)
  sm_address.set(context, given)
  sm_quality.take(context, given.class, given.qos)
end

function actions.accept(context, run, given)
  actions.take_given(context, run, given)
  actions.confirm(context, run)
end

function actions.accept_again(context, run)
  local message = { message = "secondary_accept", sapi = context.sapi, qos = sm_quality.told(context),
    radio_priority = PRIORITY, pco = context.pco, pfi = context.pfi }
  if not context.linked then
    message.message, message.pdp_address = "activate_accept", sm_address.octets(context)
    message.second_cause = sm_address.second_cause(context)
  end
  send(context.contexts, run, context.phone, context.ti, message)
end

sm_changes.give(actions)
sm_llc_mode.give(actions)

function actions.reject(context, run, cause)
  refuse(context.contexts, run, context.phone, context, sm_faults.OF_GTP[cause] or REJECTED_BY_GGSN)
end

function actions.release(context, run)
  run:emit({ op = "phone_pdp_del", mobile = context.phone.mobile, nsapi = context.nsapi })
end

function actions.reject_given(context, run)
  actions.release(context, run)
  actions.reject(context, run, 0)
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
    if other ~= context and other.group == context.group and ACTIVE[other.fsm.state] then return true end
  end
  return false
end

function actions.send_deactivate(context, run)
  send(context.contexts, run, context.phone, context.ti, { message = "deactivate_request",
    cause = context.reason or REACTIVATE, teardown = is_shared(context) and 0 or 1 })
end

-- Its messages that wait for a page are out of date, but for a REJECT.
function actions.forget(context)
  context.contexts.phones.standby:withdraw(context.phone, function(message, sender)
    return sender == context.fsm and not ANSWERS[message.message]
  end)
  local list = context.phone.contexts
  if list[context.nsapi] == context then list[context.nsapi] = nil end
end

local FIELDS <const> = { "nsapi", "ti", "sapi", "apn_name", "pdp_type", "ipv4", "ipv6", "pdp_address", "qos_octets",
  "pco", "octets", "class", "linked", "group", "has_tft", "pfi", "change", "acknowledged", "asks", "is_lowered",
  "is_class_lowered", "reason", "act", "granted", "modification" }

local function keep(context)
  if context.fsm.state == "gone" then return nil end
  local kept = { mobile = context.phone.mobile, apn = context.apn.key, state = context.fsm.state }
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
  any = { rx_again = { action = "accept_again" }, rx_change = {}, up = {}, up_to_ask = {}, down = {}, class = {},
    up_unfit = {}, class_to_ask = {}, mode = {}, mode_lost = {}, rx_deactivate_accept = {}, rx_modify_accept = {},
    settled = {},
    modify = { action = "keep_modification" }, modify_untold = { action = "keep_modification" },
    moved = { action = "release", next = "gone" }, drop = { action = "drop", next = "gone" } },
  states = sm_modification.give(actions, sm_relocation.give_states(actions, require("sm.acts").give(actions, {
    idle = {
      on = { begin = { action = "ask", next = "creating" }, drop = { next = "gone" }, moved = { next = "gone" } },
    },
    creating = {
      on = {
        rx_again = {},
        up = { action = "accept", next = "active" },
        up_to_ask = { action = "take_given", next = "linking" },
        up_unfit = { action = "reject_given", next = "gone" },
        down = { action = "reject", next = "gone" },
      },
    },
    linking = {
      enter = "ask_llc", timer = "llc",
      on = {
        rx_again = {},
        llc_out = { action = "accept_without_llc", next = "active" },
        mode = { action = "accept_llc", next = "active" },
        class = { action = "take_class" },
        down = { action = "reject", next = "gone" },
      },
    },
    active = {
      on = {
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
        rx_again = { action = "accept_and_tell", next = "telling" },
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
  }))),
})

-- All contexts of the phones

local Contexts = {}
Contexts.__index = Contexts

function sm_contexts.new(settings, phones)
  local versions = sm_apns.new(settings.apns)
  return setmetatable({ phones = phones, settings = settings, versions = versions,
    apns = versions.by_name }, Contexts)
end

function Contexts:configure(run, settings)
  self.versions:configure(run, settings.apns)
  self.settings, self.apns = settings, self.versions.by_name
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

-- Contexts with one address are a group, whose number no other one has until the last of them has ended.
local function free_group(phone)
  local taken, group = {}, 1
  for _, other in pairs(phone.contexts) do taken[other.group] = true end
  while taken[group] do group = group + 1 end
  return group
end

-- state: of a record, nil: it begins.
local function enter(self, phone, context, run, state)
  context.group = context.group or free_group(phone)
  context.fsm = fsm.new(machine, context, nil, self.phones.durations)
  if state then run:restore(context.fsm, state) end
  phone.contexts[context.nsapi] = context
end

-- A packet flow of its own for each context, where the APN says so (48.018 §11.3.42: 8 and above).
local function pfi_of(apn, nsapi)
  return apn.pfc and FIRST_OWN_PFI + nsapi - FIRST_NSAPI or nil
end

-- context: the fields that a primary and a secondary context have from elsewhere; selection is of the request alone.
local function begin(self, run, phone, message, context)
  local apn, selection = context.apn, context.selection
  context.selection = nil
  context.contexts, context.phone, context.nsapi, context.ti = self, phone, message.nsapi, message.ti
  context.sapi, context.pfi = message.sapi ~= 0 and message.sapi or apn.sapi, pfi_of(apn, message.nsapi)
  local record = sm_subscription.values_of(context)
  context.class = sm_subscription.lesser(record, context.class)
  context.qos_octets, context.pco, context.asks = #message.qos, message.pco,
    sm_request.is_acknowledged(apn, message.qos, record.qos)
  enter(self, phone, context)
  run:tell(context.fsm, "begin", selection)
end

-- A context of a phone before a restart of control, behind the APNs.
function Contexts:adopt(run, phone, kept)
  local context = { contexts = self, phone = phone, apn = self.versions:of_context(kept) }
  for _, field in ipairs(FIELDS) do context[field] = kept[field] end
  enter(self, phone, context, run, kept.state)
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

local function is_repeated(old, octets)
  return old and old.octets == octets and old.fsm.state ~= "deactivating"
end

-- A repeated request is answered again; one for an NSAPI or TI in use otherwise ends the older context (§6.1.3.1.5).
function receive.activate_request(self, run, phone, message, octets)
  local fault = sm_request.fault(message)
  if fault then return refuse(self, run, phone, message, fault) end
  local old = phone.contexts[message.nsapi]
  if is_repeated(old, octets) then return run:tell(old.fsm, "rx_again") end
  displace(run, phone, message)
  sm_request.note_end(run, phone, message)
  local wanted = {}
  wanted.pdp_type, wanted.ipv4, wanted.ipv6 = sm_request.address(message.pdp_address)
  if not wanted.pdp_type then return refuse(self, run, phone, message, UNKNOWN_TYPE) end
  local choice, cause = sm_subscription.choose(self, phone, message.apn, wanted)
  if not choice then return refuse(self, run, phone, message, cause) end
  choice.pdp_address, choice.octets, choice.class = message.pdp_address, octets, choice.apn.class
  begin(self, run, phone, message, choice)
end

-- --- secondary contexts (§6.1.3.2)

-- Contexts with one address: at most one of them has no traffic flow template (23.060 §15.3.1).
local function tft_fault(phone, linked, tft)
  if tft then return sm_tft.fault(tft, true) end
  for _, other in each(phone) do
    if other.group == linked.group and not other.has_tft then return WITHOUT_TFT end
  end
end

function receive.secondary_request(self, run, phone, message, octets)
  local linked = by_ti(phone, sm_request.linked_ti(message.linked_ti))
  local old = phone.contexts[message.nsapi]
  if is_repeated(old, octets) then return run:tell(old.fsm, "rx_again") end
  local fault = sm_request.fault(message)
  if not fault and not (linked and ACTIVE[linked.fsm.state]) then fault = UNKNOWN_CONTEXT end
  if not fault and (old == linked or by_ti(phone, message.ti) == linked) then fault = INVALID_MANDATORY end
  fault = fault or tft_fault(phone, linked, message.tft)
  if fault then return refuse(self, run, phone, message, fault) end
  displace(run, phone, message)
  begin(self, run, phone, message, { apn = linked.apn, apn_name = linked.apn_name, pdp_type = linked.pdp_type,
    octets = octets, class = sm_request.class(linked.apn, message.qos), linked = linked.nsapi, ipv4 = linked.ipv4,
    ipv6 = linked.ipv6, group = linked.group, tft = message.tft, has_tft = message.tft ~= nil })
end

-- --- deactivation

function receive.deactivate_request(self, run, phone, message)
  local context = context_of(phone, message)
  run:count("deactivate_request")
  if context then
    run:log_of("sm", "info", "%s/%d: deactivated by the phone, cause %d", phone.imsi, context.nsapi, message.cause)
    for _, other in each(phone) do
      local is_one = other == context or message.teardown == 1 and other.group == context.group
      if is_one then run:tell(other.fsm, "drop") end
    end
  end
  send(self, run, phone, message.ti, { message = "deactivate_accept", ti_flag = message.ti_flag ~ 1 })
end

for name, event in pairs({ deactivate_accept = "rx_deactivate_accept", network_modify_accept = "rx_modify_accept" }) do
  receive[name] = function(_, run, phone, message)
    local context = by_ti(phone, message.ti)
    if context then run:tell(context.fsm, event, message) end
  end
end

-- Those of a phone that has left are another SGSN's, which has them at the GGSN.
function Contexts.forget_all(self, phone, run)
  if phone.has_left then return self:abandon(phone, run) end
  for _, context in each(phone) do run:tell(context.fsm, "drop", MS_DETACHED) end
end

function Contexts:withdraw(phone)
  self.phones.standby:withdraw(phone, function(_, sender)
    return sender and sender.machine == machine and sender.state == "gone"
  end)
end

function Contexts.subscribe(_, run, phone, infos, charging)
  local strange
  phone.subscribed, strange = sm_subscription.pack(infos, charging)
  for _, apn in ipairs(strange) do
    run:count("subscribed_no_apn")
    run:log_of("sm", "warning", "%s: the HLR's APN '%s' is no name: its record is left out", phone.imsi,
      apn:gsub("[^%g]", function(octet) return ("\\x%02x"):format(octet:byte()) end))
  end
end

function Contexts.judge(_, phone, run)
  if phone.has_left then return end
  for _, context in each(phone) do sm_subscription.judge(context, run, is_active(context)) end
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
  local record = sm_subscription.values_of(context)
  local class = message.qos and sm_request.class(context.apn, message.qos) or context.class
  local request = { ti = message.ti, class = sm_subscription.lesser(record, class), tft = message.tft,
    sapi = message.sapi, qos_octets = message.qos and #message.qos, pco = message.pco,
    asks = sm_request.other_mode(context, message.qos, record.qos) }
  run:tell(context.fsm, "rx_change", request)
end

function receive.sm_status(_, run, phone, message)
  run:log_of("sm", "info", "%s: SM STATUS, cause %d", phone.imsi, message.cause)
end

-- message: decoded, or what its refusal says (sm.faults). An answer that waits for a page is to a request of before.
function Contexts:receive(run, phone, message, octets)
  sm_faults.mend_flag(run, phone, message, octets)
  if message.ti_flag == 0 and (message.message or ""):find("_request$") then
    self.phones.standby:withdraw(phone, function(other)
      return other.ti == message.ti and ANSWERS[other.message] ~= nil
    end)
  end
  local counter, answer = sm_faults.find(message, context_of(phone, message) ~= nil)
  if not counter then return receive[message.message](self, run, phone, message, octets) end
  run:count(counter)
  if not answer then return end
  if answer.message == "deactivate_accept" then return receive.deactivate_request(self, run, phone, message) end
  answer.ti_flag = message.ti_flag ~ 1
  send(self, run, phone, message.ti, answer)
end

-- --- what the GGSN says

-- Whether the GGSN gives an address that is not the static one of the HLR: no record would bound the context then.
local function has_unfit_address(context, run, given)
  if sm_address.fits(context, given) then return false end
  run:count("address_not_subscribed")
  run:log_of("sm", "warning", "%s/%d: its GGSN gives %s, not the static address of the HLR: refused",
    context.phone.imsi, context.nsapi, given.ipv4 or given.ipv6 or "no address")
  return true
end

-- The HLR's data end a context that comes from another SGSN, if they do not allow its address (judge).
function Contexts.up(_, run, phone, nsapi, given)
  local context = phone.contexts[nsapi]
  if not context then return end
  local is_unfit = context.fsm.state == "creating" and has_unfit_address(context, run, given)
  run:tell(context.fsm, is_unfit and "up_unfit" or context.asks and "up_to_ask" or "up", given)
end

for _, event in ipairs({ "down", "mode" }) do
  Contexts[event] = function(_, run, phone, nsapi, arg)
    local context = phone.contexts[nsapi]
    if context then run:tell(context.fsm, event, arg) end
  end
end

local TOLD <const> = { active = true, telling = true, modifying = true }

function Contexts.reclass(_, run, phone, nsapi, result)
  local context = phone.contexts[nsapi]
  if not context then return end
  -- A class that the phone was told is no news to it.
  local class, told = context.class, sm_quality.told(context)
  sm_quality.take(context, result.class, result.qos)
  if TOLD[context.fsm.state] and context.class == class and sm_quality.told(context) == told then
    return run:touch(context.fsm)
  end
  local is_to_ask = result.cause == 0 and context.fsm.state == "changing" and context.change.asks ~= nil
  run:tell(context.fsm, is_to_ask and "class_to_ask" or "class", result)
end

-- asked: of sm.modification.
function Contexts.modify(_, run, phone, nsapi, asked)
  local context = phone.contexts[nsapi]
  local is_unfit = context and (asked.ipv4 or asked.ipv6) and has_unfit_address(context, run, asked)
  if not context or is_unfit then
    return run:emit({ op = "phone_pdp_modified", mobile = phone.mobile, nsapi = nsapi,
      cause = is_unfit and OPTIONAL_INCORRECT or NON_EXISTENT })
  end
  local event = sm_modification.event(context, asked)
  if event then run:tell(context.fsm, event, asked) end
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
