-- SPDX-License-Identifier: BSD-3-Clause
-- Session management of phones (24.008 §6, 23.060 §9.2): activation and deactivation. Modification and secondary
-- contexts are refused, with the cause that says so.
--
--   local c = sm_contexts.new(settings, wire, phones)   settings: config.phones
--   c:receive(run, phone, message, octets)
--   c:up(run, phone, nsapi, given), c:down(run, phone, nsapi, cause)   what the GGSN says (gmm.phones)
--   c:forget_all(phone, run)          the phone detaches or attaches: its contexts end without a message to it
--   c:compare(phone, run, status)     PDP context status of a RAU REQUEST (§4.7.5.1.3)
--   c:status_of(phone)                that of RAU ACCEPT
--   c:text_of(phone)

local fsm = require "base.fsm"
local gb_abqp = require "gb.abqp"

local sm_contexts = {}

local INSUFFICIENT_RESOURCES <const>, REJECTED_BY_GGSN <const>, NETWORK_FAILURE <const> = 26, 30, 38
local FIRST_NSAPI <const>, LAST_NSAPI <const> = 5, 15
local PRIORITY <const> = 4
local UNKNOWN_APN <const>, UNKNOWN_TYPE <const>, NOT_SUPPORTED <const> = 27, 28, 32
local NOT_SUBSCRIBED <const>, REACTIVATE <const>, UNKNOWN_CONTEXT <const> = 33, 39, 43
local INVALID_TI <const>, INVALID_MANDATORY <const>, NOT_COMPATIBLE <const> = 81, 96, 98
local SHORT_QOS <const> = 3
local ANY <const> = "*" -- APN of the configuration, or of the HLR's list, that stands for all others
local IETF <const>, IPV4 <const>, IPV6 <const>, IPV4V6 <const> = 1, 0x21, 0x57, 0x8d
local IPV4_ONLY <const>, IPV6_ONLY <const> = 50, 51

-- The cause of SM (24.008 §10.5.6.6) that a phone is told for a cause of GTP-C (29.060 §7.7.1).

local OF_GTP <const> = {
  [0] = NETWORK_FAILURE, [199] = INSUFFICIENT_RESOURCES, [200] = 32, [201] = 96, [202] = 96, [203] = 111,
  [204] = NETWORK_FAILURE, [205] = 33, [206] = 111, [207] = 111, [208] = 29, [209] = 29, [210] = 111,
  [211] = INSUFFICIENT_RESOURCES, [212] = INSUFFICIENT_RESOURCES, [213] = 111, [214] = 111, [215] = 41, [216] = 42,
  [217] = 44, [218] = 45, [219] = 27, [220] = 28, [221] = 46,
}

-- The network sets the flag of a transaction that the phone began (24.007 §11.2.3.1.3).
local function send(self, run, phone, ti, message)
  message.ti, message.ti_flag = ti, 1
  self.phones:send(run, phone, message)
end

local function refuse(self, run, phone, message, cause)
  run:count("activate_reject_" .. cause)
  run:log_of("sm", "info", "%s/%d: activation refused, cause %d", phone.imsi, message.nsapi, cause)
  send(self, run, phone, message.ti, { message = "activate_reject", cause = cause })
end

-- The address as the phone reads it (24.008 §10.5.6.4).
local function address_octets(context)
  local given, ipv4, ipv6 = context.given, "", ""
  if not given.ipv4 and not given.ipv6 then return context.pdp_address end
  if given.ipv4 then ipv4 = string.char(given.ipv4:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$")) end
  if given.ipv6 then ipv6 = context.contexts.wire.ipv6_octets(given.ipv6) end
  return string.char(IETF, given.ipv4 and given.ipv6 and IPV4V6 or given.ipv4 and IPV4 or IPV6) .. ipv4 .. ipv6
end

-- Of a phone that asked for both, and got one (24.008 §6.1.3.1.1); nil: it has what it asked for.
local function second_cause_of(context)
  local given = context.given
  if context.pdp_type ~= "ipv4v6" or (given.ipv4 and given.ipv6) then return nil end
  return given.ipv4 and IPV4_ONLY or given.ipv6 and IPV6_ONLY or nil
end

-- A PDP context of a phone (24.008 §6.1.3). Owner: { phone =, contexts = (sm.contexts), nsapi =, ti =, sapi =, ... }.

local actions = {}

function actions.ask(context, run)
  local apn = context.apn
  run:emit({ op = "phone_pdp_add", mobile = context.phone.mobile, nsapi = context.nsapi, sapi = context.sapi,
    apn = context.apn_name, ours = apn.sgsn_address, ggsn = apn.ggsn_address, pdp_type = context.pdp_type,
    any_payload = apn.any_payload, ipv4 = context.address, class = apn.class, pco = context.pco,
    msisdn = context.phone.msisdn })
end

function actions.accept(context, run, given)
  context.given = given
  run:log_of("sm", "info", "%s/%d: active, APN %s, %s", context.phone.imsi, context.nsapi, context.apn_name,
    given.ipv4 or given.ipv6 or "without address")
  run:count("activated")
  actions.accept_again(context, run)
end

function actions.accept_again(context, run)
  local qos = gb_abqp.of_class(context.given.class or context.apn.class)
  if context.qos_octets == SHORT_QOS then qos = qos:sub(1, SHORT_QOS) end
  send(context.contexts, run, context.phone, context.ti, { message = "activate_accept", sapi = context.sapi, qos = qos,
    radio_priority = PRIORITY, pdp_address = address_octets(context), pco = context.given.pco,
    second_cause = second_cause_of(context) })
end

function actions.reject(context, run, cause)
  refuse(context.contexts, run, context.phone, context, OF_GTP[cause] or REJECTED_BY_GGSN)
end

function actions.release(context, run)
  run:emit({ op = "phone_pdp_del", mobile = context.phone.mobile, nsapi = context.nsapi })
end

-- The GGSN or its path has lost it: the phone is told to activate it once more, never given another address in silence.
function actions.tell_lost(context, run)
  run:log_of("sm", "info", "%s/%d: lost, the phone is told to activate it again", context.phone.imsi, context.nsapi)
  run:count("lost")
  actions.send_deactivate(context, run)
end

function actions.send_deactivate(context, run)
  send(context.contexts, run, context.phone, context.ti, { message = "deactivate_request", cause = REACTIVATE,
    teardown = 1 })
end

function actions.forget(context)
  local list = context.phone.contexts
  if list[context.nsapi] == context then list[context.nsapi] = nil end
end

local FIELDS <const> = { "nsapi", "ti", "sapi", "apn_name", "pdp_type", "address", "pdp_address", "qos_octets", "pco",
  "octets", "given" }

local function keep(context)
  if context.fsm.state == "gone" then return nil end
  local kept = { mobile = context.phone.mobile, apn = context.apn.name, state = context.fsm.state }
  for _, field in ipairs(FIELDS) do kept[field] = context[field] end
  return kept
end

local machine = fsm.define({
  name = "sm",
  initial = "idle",
  keep = keep,
  actions = actions,
  timers = { t3395 = { after = "t3395", retries = "repeats", again = "t3395", out = "t3395_out" } },
  any = { rx_again = {}, up = {}, down = {}, rx_deactivate_accept = {} },
  states = {
    idle = { on = { begin = { action = "ask", next = "creating" }, drop = { next = "gone" } } },
    creating = {
      on = {
        up = { action = "accept", next = "active" },
        down = { action = "reject", next = "gone" },
        drop = { action = "release", next = "gone" },
      },
    },
    active = {
      on = {
        rx_again = { action = "accept_again" },
        down = { action = "tell_lost", next = "deactivating" },
        drop = { action = "release", next = "gone" },
      },
    },
    deactivating = {
      timer = "t3395",
      on = {
        t3395 = { action = "send_deactivate" },
        t3395_out = { next = "gone" },
        rx_deactivate_accept = { next = "gone" },
        drop = { next = "gone" },
      },
    },
    gone = { enter = "forget", on = { drop = {} } },
  },
})

-- All contexts of the phones

local Contexts = {}
Contexts.__index = Contexts

local DATA_SAPIS <const> = { [3] = true, [5] = true, [9] = true, [11] = true }
local ETSI <const>, NON_IP <const> = 0, 2
local TYPES <const> = { [IPV4] = "ipv4", [IPV6] = "ipv6", [IPV4V6] = "ipv4v6" }

function sm_contexts.new(settings, wire, phones)
  local apns = {}
  for _, apn in ipairs(settings.apns) do apns[apn.name:lower()] = apn end
  return setmetatable({ settings = settings, wire = wire, phones = phones, apns = apns, default = settings.apns[1] },
    Contexts)
end

local function by_ti(phone, ti)
  for _, context in pairs(phone.contexts) do
    if context.ti == ti then return context end
  end
end

-- --- activation

-- Labels as text; the operator identifier at the end is left out (23.003 §9.1.2).
local function apn_name(octets)
  local labels, at = {}, 1
  while at <= #octets do
    local length = octets:byte(at)
    if length == 0 or at + length > #octets then return nil end
    labels[#labels + 1] = octets:sub(at + 1, at + length)
    at = at + 1 + length
  end
  return (table.concat(labels, "."):lower():gsub("%.mnc%d+%.mcc%d+%.gprs$", ""))
end

Contexts.apn_name = apn_name

local function is_subscribed(phone, name)
  return not phone.subscribed or phone.subscribed[ANY] or phone.subscribed[name] ~= nil
end

-- The names that the HLR gave, in its order.
local function names_of(phone)
  local names = {}
  for name in pairs(phone.subscribed or {}) do names[#names + 1] = name end
  table.sort(names, function(a, b) return phone.subscribed[a] < phone.subscribed[b] end)
  return names
end

-- Of a phone that names none: the first that its HLR names and the node has; without such names the node's first.
local function default_apn(self, phone)
  for _, name in ipairs(names_of(phone)) do
    local apn = self.apns[name] or self.apns[ANY]
    if apn and name ~= ANY then return apn, name end
  end
  for _, apn in ipairs(self.settings.apns) do
    if apn.name ~= ANY and is_subscribed(phone, apn.name:lower()) then return apn, apn.name:lower() end
  end
  return nil, phone.subscribed and NOT_SUBSCRIBED or UNKNOWN_APN
end

-- The APN of a request and its name (23.060 annex A), or nil and the cause.
function Contexts:choose_apn(phone, message)
  local name = message.apn and apn_name(message.apn)
  if not message.apn or name == ANY then return default_apn(self, phone) end
  local apn = name and (self.apns[name] or self.apns[ANY])
  if not apn then return nil, UNKNOWN_APN end
  if not is_subscribed(phone, name) then return nil, NOT_SUBSCRIBED end
  return apn, name
end

-- PDP type, and the address that the phone asks for.
local function address_of(octets)
  local organisation = octets:byte(1) & 15
  if organisation == ETSI and octets:byte(2) == NON_IP then return "non_ip" end
  if organisation ~= IETF then return nil end
  local kind = TYPES[octets:byte(2)]
  if kind == "ipv4" and #octets == 6 then return kind, ("%d.%d.%d.%d"):format(octets:byte(3, 6)) end
  return kind
end

-- The cause of a request with a value out of range; nil: it has none.
local function fault_of(message)
  if message.nsapi < FIRST_NSAPI or message.nsapi > LAST_NSAPI then return INVALID_MANDATORY end
  if message.sapi ~= 0 and not DATA_SAPIS[message.sapi] then return INVALID_MANDATORY end
  return nil
end

local function enter(self, phone, context)
  context.fsm = fsm.new(machine, context, ("%s/sm/%d"):format(phone.fsm.id, context.nsapi), self.phones.durations)
  phone.contexts[context.nsapi] = context
end

local function make(self, run, phone, request, apn)
  local message = request.message
  local pdp_type, address = address_of(message.pdp_address)
  if not pdp_type then return refuse(self, run, phone, message, UNKNOWN_TYPE) end
  local context = { contexts = self, phone = phone, nsapi = message.nsapi, ti = message.ti, apn = apn,
    apn_name = request.apn_name, sapi = message.sapi ~= 0 and message.sapi or apn.sapi, pdp_type = pdp_type,
    address = address,
    pdp_address = message.pdp_address, qos_octets = #message.qos, pco = message.pco, octets = request.octets }
  enter(self, phone, context)
  run:tell(context.fsm, "begin")
end

-- A context of a phone before a restart of control.
function Contexts:adopt(run, phone, kept)
  local context = { contexts = self, phone = phone, apn = self.apns[kept.apn:lower()] or self.default }
  for field, value in pairs(kept) do context[field] = context[field] or value end
  enter(self, phone, context)
  run:restore(context.fsm, kept.state)
end

local receive = {}

-- A repeated request is answered again; one for an NSAPI or TI in use otherwise ends the older context (§6.1.3.1.5).
function receive.activate_request(self, run, phone, message, octets)
  local fault = fault_of(message)
  if fault then return refuse(self, run, phone, message, fault) end
  local old = phone.contexts[message.nsapi]
  if old and old.octets == octets then return run:tell(old.fsm, "rx_again") end
  for _, context in ipairs({ old or false, by_ti(phone, message.ti) or false }) do
    if context then run:tell(context.fsm, "drop") end
  end
  local apn, name = self:choose_apn(phone, message)
  if not apn then return refuse(self, run, phone, message, name) end
  make(self, run, phone, { message = message, octets = octets, apn_name = name }, apn)
end

-- --- deactivation

function receive.deactivate_request(self, run, phone, message)
  local context = by_ti(phone, message.ti)
  run:count("deactivate_request")
  if context then
    run:log_of("sm", "info", "%s/%d: deactivated by the phone, cause %d", phone.imsi, context.nsapi, message.cause)
    run:tell(context.fsm, "drop")
  end
  send(self, run, phone, message.ti, { message = "deactivate_accept" })
end

function receive.deactivate_accept(_, run, phone, message)
  local context = by_ti(phone, message.ti)
  if context then run:tell(context.fsm, "rx_deactivate_accept") end
end

-- In the order of their NSAPIs.
local function each(phone)
  local list = {}
  for nsapi = FIRST_NSAPI, LAST_NSAPI do list[#list + 1] = phone.contexts[nsapi] end
  return ipairs(list)
end

function Contexts.forget_all(_, phone, run)
  for _, context in each(phone) do run:tell(context.fsm, "drop") end
end

-- --- what is not supported

function receive.secondary_request(self, run, phone, message)
  send(self, run, phone, message.ti, { message = "secondary_reject", cause = NOT_SUPPORTED })
end

function receive.modify_request(self, run, phone, message)
  local context = by_ti(phone, message.ti)
  local cause = context and NOT_SUPPORTED or UNKNOWN_CONTEXT
  send(self, run, phone, message.ti, { message = "modify_reject", cause = cause })
end

function receive.sm_status(_, run, phone, message)
  run:log_of("sm", "info", "%s: SM STATUS, cause %d", phone.imsi, message.cause)
end

function Contexts:receive(run, phone, message, octets)
  local handler = receive[message.message]
  if handler then return handler(self, run, phone, message, octets) end
  local cause = by_ti(phone, message.ti) and NOT_COMPATIBLE or INVALID_TI
  send(self, run, phone, message.ti, { message = "sm_status", cause = cause })
end

-- --- what the GGSN says

function Contexts.up(_, run, phone, nsapi, given)
  local context = phone.contexts[nsapi]
  if context then run:tell(context.fsm, "up", given) end
end

function Contexts.down(_, run, phone, nsapi, cause)
  local context = phone.contexts[nsapi]
  if context then run:tell(context.fsm, "down", cause) end
end

-- --- PDP context status (§10.5.7.1)

function Contexts.status_of(_, phone)
  local bits = 0
  for _, context in each(phone) do
    if context.fsm.state == "active" then bits = bits | 1 << context.nsapi end
  end
  return string.pack("<I2", bits)
end

function Contexts.compare(_, phone, run, status)
  if not status then return end
  local bits = string.unpack("<I2", status)
  for _, context in each(phone) do
    if context.fsm.state == "active" and bits >> context.nsapi & 1 == 0 then run:tell(context.fsm, "drop") end
  end
end

function Contexts.text_of(_, phone)
  local words = {}
  for _, context in each(phone) do
    words[#words + 1] = ("%d:%s"):format(context.nsapi, context.given and (context.given.ipv4 or context.given.ipv6)
      or context.fsm.state)
  end
  return #words > 0 and table.concat(words, " ") or "-"
end

return sm_contexts
