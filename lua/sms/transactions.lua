-- SPDX-License-Identifier: BSD-3-Clause
-- Short messages of phones over GPRS, network side (24.011 §5, §6): CP-messages on LLC SAPI 7, RP-messages in them, and
-- with `phones.sms = "hlr"` GSUP's MO- and MT-forwardSM, behind which the HLR has a service centre.
--
--   local s = sms_transactions.new(config, wire, phones)   the checked configuration with `phones`
--   s:receive(run, phone, octets)     a message of a registered phone
--   s:take(run, message)              a message of the HLR: whether it is about short messages
--   s:lost(run)                       the connection to the HLR is gone
--   s:set(name, value)                "t3313" or "t3313_retries" of a reload, from the next page on
--   s:reached(run, phone)             the phone is in READY
--   s:forget_all(run, phone)          the phone detaches
--   s:adopt(run, phone, kept)         a record of a transaction, after a restart of control
--
-- A transaction carries one RP-message and its answer, for RP-SMMA, too. Its key in phone.sms is the octet's upper half
-- that the phone sends: 0 to 6 are transactions of the phone (MO), 8 to 14 of the network (MT).

local fsm = require "base.fsm"

local sms_transactions = {}

local S <const> = 1000000000
local FLAG <const>, RESERVED_TI <const>, LAST_KEY <const> = 8, 7, 14
-- All transactions, and those of a phone; of these one at most is MT (24.011 §5.1).
local ALL_MAX <const>, PHONE_MAX <const> = 1024, 4
local DEFAULT <const> = { t3313 = 8 * S, t3313_retries = 2 } -- of a node without timers
local TC1_RETRIES <const> = 2 -- 1 to 3, by 24.011 §5.3.2.1
local TPDU_MAX <const>, ADDRESS_MAX <const> = 233, 11
local TO_CENTRE <const>, TO_MSISDN <const>, NOBODY <const> = "\3", "\2", "\xff"
local INTERNATIONAL <const> = "\x91" -- type of number and plan E.164
local MEMORY_AVAILABLE <const> = 2
local CONGESTED <const>, INVALID_TI <const>, MANDATORY <const>, WRONG_STATE <const>, PROTOCOL <const> = 22, 81, 96, 98,
  111

-- Causes of RP-ERROR (24.011 §8.2.5.4).
local NOT_REACHED <const>, UNKNOWN_SUBSCRIBER <const>, OUT_OF_ORDER <const> = 27, 30, 38
local TEMPORARY <const>, BUSY <const>, NOT_SUBSCRIBED <const>, NOT_IMPLEMENTED <const>, BAD_REFERENCE <const> = 41, 42,
  50, 69, 81

-- Causes of an error that the phone did not send: of RP-ERROR, and of GMM as other errors of GSUP have.
local UNKNOWN <const>, ABSENT <const>, LIMITED <const> = { UNKNOWN_SUBSCRIBER, 2 }, { NOT_REACHED, 10 }, { BUSY, 22 }
local REFUSED <const>, MALFORMED <const>, BROKEN <const> = { NOT_IMPLEMENTED, 97 }, { MANDATORY, 96 }, { PROTOCOL, 111 }

-- The cause of RP-ERROR for an error of the HLR that has a cause of GMM alone.
local OF_GMM <const> = { [2] = UNKNOWN_SUBSCRIBER, [7] = NOT_SUBSCRIBED, [17] = TEMPORARY, [22] = BUSY,
  [97] = NOT_IMPLEMENTED }

-- --- sending

local function send_cp(run, phone, key, message)
  message.ti, message.ti_flag = key & ~FLAG, key & FLAG == 0 and 1 or 0
  phone.phones:send(run, phone, message)
end

local function send_error(run, phone, key, cause)
  run:count("sms_cp_error_" .. cause)
  send_cp(run, phone, key, { message = "cp_error", cause = cause })
end

-- A report in an answer is left out where it does not fit the RP-message.
local function report_of(octets)
  return octets and #octets > 0 and #octets <= TPDU_MAX and octets or nil
end

local function bcd_of(digits)
  local padded = #digits % 2 == 1 and digits .. "f" or digits
  return (padded:gsub("(.)(.)", function(low, high) return string.char(tonumber(high .. low, 16)) end))
end

-- --- the transaction. Owner: { sms =, phone =, key =, kind = name of GSUP's request, reference = of RP, request = what
-- the HLR sent, or the phone's CP-DATA, data = RP-message of the last CP-DATA that was sent, fsm = }.

local actions = {}

function actions.acknowledge(transaction, run)
  send_cp(run, transaction.phone, transaction.key, { message = "cp_ack" })
end

function actions.send_data(transaction, run)
  send_cp(run, transaction.phone, transaction.key, { message = "cp_data", user_data = transaction.data })
end

local function answer(transaction, run, rp)
  rp.reference = transaction.reference
  transaction.data = transaction.sms.wire.rp_encode(rp)
  actions.send_data(transaction, run)
end

-- MO: to the HLR, in which the phone's number is the one that the HLR told.
function actions.forward(transaction, run, rp)
  local sms, phone = transaction.sms, transaction.phone
  local message = { message = transaction.kind .. "_request", sm_rp_mr = transaction.reference, imsi = phone.known,
    source_name = sms.name }
  if rp.message == "rp_smma" then
    message.sm_alert_reason = MEMORY_AVAILABLE
  else
    message.sm_rp_da, message.sm_rp_ui, message.destination_name = TO_CENTRE .. rp.destination, rp.user_data, sms.centre
    message.sm_rp_oa = phone.msisdn and TO_MSISDN .. INTERNATIONAL .. bcd_of(phone.msisdn) or NOBODY
  end
  actions.acknowledge(transaction, run)
  sms.phones.hlr:send(run, message)
end

function actions.answer_ack(transaction, run, message)
  run:count("sms_mo_delivered")
  answer(transaction, run, { message = "network_rp_ack", user_data = report_of(message.sm_rp_ui) })
end

function actions.answer_error(transaction, run, message)
  local cause = message and (message.sm_rp_cause or OF_GMM[message.cause]) or OUT_OF_ORDER
  run:count("sms_mo_error_" .. cause)
  run:log_of("sms", "info", "%s: short message refused, cause %d", transaction.phone.known, cause)
  answer(transaction, run, { message = "network_rp_error", cause = cause,
    user_data = message and report_of(message.sm_rp_ui) })
end

function actions.refuse(transaction, run, cause)
  actions.acknowledge(transaction, run)
  actions.answer_error(transaction, run, { sm_rp_cause = cause })
end

function actions.note_silence(_, run)
  run:count("sms_no_ack")
end

function actions.reject_message(transaction, run)
  send_error(run, transaction.phone, transaction.key, WRONG_STATE)
end

-- MT: in STANDBY the phone is paged before.
function actions.want(transaction, run)
  run:emit({ op = "ms_wanted", mobile = transaction.phone.mobile })
end

-- The answer to the HLR's request; a connection that is gone gets none.
local function tell_hlr(sms, run, request, message)
  message.imsi, message.sm_rp_mr = request.imsi, request.sm_rp_mr
  message.source_name, message.destination_name = request.destination_name or sms.name, request.source_name
  if not sms.phones.hlr:is_ready() then return run:count("sms_answer_lost") end
  sms.phones.hlr:send(run, message)
end

local function fail(sms, run, request, why)
  run:count("sms_mt_error_" .. why[1])
  tell_hlr(sms, run, request, { message = "mt_forward_sm_error", sm_rp_cause = why[1], cause = why[2] })
end

function actions.fail_absent(transaction, run)
  fail(transaction.sms, run, transaction.request, ABSENT)
end

function actions.fail_broken(transaction, run)
  fail(transaction.sms, run, transaction.request, BROKEN)
end

function actions.give_up(transaction, run)
  send_error(run, transaction.phone, transaction.key, PROTOCOL)
  actions.fail_broken(transaction, run)
end

function actions.reject_report(transaction, run, cause)
  send_error(run, transaction.phone, transaction.key, cause)
  actions.fail_broken(transaction, run)
end

-- RP-ACK or RP-ERROR of the phone.
function actions.take_report(transaction, run, rp)
  local report = report_of(rp.user_data)
  actions.acknowledge(transaction, run)
  if rp.message == "rp_ack" then
    run:count("sms_mt_delivered")
    return tell_hlr(transaction.sms, run, transaction.request, { message = "mt_forward_sm_result", sm_rp_ui = report })
  end
  run:count("sms_mt_error_" .. rp.cause)
  tell_hlr(transaction.sms, run, transaction.request, { message = "mt_forward_sm_error", sm_rp_cause = rp.cause,
    sm_rp_ui = report })
end

function actions.forget(transaction)
  local sms, list = transaction.sms, transaction.phone.sms
  if list[transaction.key] == transaction then
    list[transaction.key], sms.count, sms.open[transaction] = nil, sms.count - 1, nil
    sms.count_of[transaction.nsei] = sms.count_of[transaction.nsei] - 1
  end
end

local FIELDS <const> = { "key", "kind", "reference", "request", "data" }

local function keep(transaction)
  if transaction.fsm.state == "gone" then return nil end
  local kept = { mobile = transaction.phone.mobile, sms = true, state = transaction.fsm.state }
  for _, field in ipairs(FIELDS) do kept[field] = transaction[field] end
  return kept
end

local FAILS_ABSENT <const> = { action = "fail_absent", next = "gone" }
local FAILS_BROKEN <const> = { action = "fail_broken", next = "gone" }
local ANSWERS_ERROR <const> = { action = "answer_error", next = "answering" }
local REPORTS <const> = { action = "take_report", next = "done" }
local ENDS <const> = { next = "gone" }

-- rx_data: a new CP-DATA of the phone, rx_again: one with the octets of the one before. superseded: a further message
-- of the phone acknowledges what it was sent before (24.011 §5.4).
local machine = fsm.define({
  name = "sms",
  category = "sms",
  about = "of_phone",
  initial = "idle",
  keep = keep,
  id = function(transaction) return ("%s/sms/%d"):format(fsm.id_of(transaction.phone.fsm), transaction.key) end,
  actions = actions,
  timers = {
    tc1 = { after = "tc1", retries = "tc1_retries", again = "tc1", out = "tc1_out" },
    linger = { after = "tc1", out = "linger" },
    tr1n = { after = "tr1n", out = "tr1n" },
    tr2n = { after = "tr2n", out = "tr2n" },
    page = { after = "page", out = "page" },
  },
  any = { rx_ack = {}, reached = {}, hlr_result = {}, hlr_error = {}, lost = {}, superseded = {}, drop = ENDS,
    rx_again = { action = "acknowledge" }, rx_error = ENDS },
  states = {
    idle = {
      on = {
        forward = { action = "forward", next = "forwarding" },
        refuse = { action = "refuse", next = "answering" },
        want = { action = "want", next = "paging" },
      },
    },
    forwarding = {
      timer = "tr2n",
      on = {
        hlr_result = { action = "answer_ack", next = "answering" },
        hlr_error = ANSWERS_ERROR,
        lost = ANSWERS_ERROR,
        tr2n = ANSWERS_ERROR,
        rx_data = { action = "reject_message", next = "gone" },
      },
    },
    answering = {
      timer = "tc1",
      on = {
        rx_ack = ENDS,
        superseded = ENDS,
        tc1 = { action = "send_data" },
        tc1_out = { action = "note_silence", next = "gone" },
      },
    },
    paging = {
      timer = "page",
      on = {
        reached = { action = "send_data", next = "delivering" },
        page = FAILS_ABSENT,
        drop = FAILS_ABSENT,
        rx_data = { action = "reject_report", next = "gone" },
        rx_error = FAILS_BROKEN,
      },
    },
    -- A report acknowledges the message, too: CP-ACK may be lost.
    delivering = {
      timer = "tc1",
      on = {
        rx_ack = { next = "awaiting" },
        rx_report = REPORTS,
        rx_data = { action = "reject_report", next = "gone" },
        rx_error = FAILS_BROKEN,
        drop = FAILS_ABSENT,
        tc1 = { action = "send_data" },
        tc1_out = FAILS_ABSENT,
      },
    },
    awaiting = {
      timer = "tr1n",
      on = {
        rx_report = REPORTS,
        rx_data = { action = "reject_report", next = "gone" },
        rx_error = FAILS_BROKEN,
        drop = FAILS_ABSENT,
        tr1n = { action = "give_up", next = "gone" },
      },
    },
    -- The phone may not have got the CP-ACK.
    done = {
      timer = "linger",
      on = {
        rx_report = { action = "acknowledge" },
        rx_data = { action = "reject_message", next = "gone" },
        linger = ENDS,
      },
    },
    gone = { enter = "forget", on = { drop = {}, rx_again = {}, rx_error = {} } },
  },
})

-- --- all transactions

local Transactions = {}
Transactions.__index = Transactions

-- Longer than the paging of the Gb side, which begins with the first of its requests.
local function page_time(paging)
  return paging.t3313 * (paging.t3313_retries + 1) + S
end

function Transactions:set(name, value)
  self.paging[name] = value
  self.durations.page = page_time(self.paging)
end

function sms_transactions.new(config, wire, phones)
  local bssgp = config.timers and config.timers.bssgp or DEFAULT
  local paging = { t3313 = bssgp.t3313, t3313_retries = bssgp.t3313_retries }
  local s = setmetatable({ wire = wire, phones = phones, paging = paging, count = 0, count_of = {}, open = {},
    durations = { tc1_retries = TC1_RETRIES, page = page_time(paging) } }, Transactions)
  s:configure(config.phones)
  return s
end

function Transactions:configure(settings)
  local timers, durations = settings.timers, self.durations
  self.is_forwarded = settings.sms == "hlr"
  self.name = settings.hlr and settings.hlr.name .. "\0"
  self.centre = settings.sms_centre and settings.sms_centre .. "\0"
  durations.tc1, durations.tr1n, durations.tr2n = timers.tc1, timers.tr1n, timers.tr2n
end

local function each(phone)
  local list = {}
  for key = 0, LAST_KEY do list[#list + 1] = phone.sms and phone.sms[key] end
  return ipairs(list)
end

local function size_of(phone)
  local count = 0
  for _ in each(phone) do count = count + 1 end
  return count
end

-- state: of a record, nil: it begins.
local function enter(self, phone, transaction, run, state)
  transaction.sms, transaction.phone, phone.sms = self, phone, phone.sms or {}
  transaction.fsm = fsm.new(machine, transaction, nil, self.durations)
  if state then run:restore(transaction.fsm, state) end
  phone.sms[transaction.key], self.count, self.open[transaction] = transaction, self.count + 1, true
  transaction.nsei = phone.nsei
  self.count_of[phone.nsei] = (self.count_of[phone.nsei] or 0) + 1
  return transaction.fsm
end

-- The phones of an NSE have at most as many as they leave free.
local function is_full(self, phone)
  return (self.count_of[phone.nsei] or 0) >= ALL_MAX - self.count or size_of(phone) >= PHONE_MAX
end

-- --- messages of the phone

-- The cause of RP-ERROR that a message begins with; nil: it is forwarded.
local function fault_of(self, rp)
  if rp.message == "rp_ack" then return BAD_REFERENCE end
  if rp.message == "rp_data" and (#rp.destination < 2 or #rp.user_data == 0) then return MANDATORY end
  if not self.is_forwarded then return NOT_IMPLEMENTED end
  return not self.phones.hlr:is_ready() and OUT_OF_ORDER or nil
end

local KINDS <const> = { rp_data = "mo_forward_sm", rp_smma = "ready_for_sm" }

-- A transaction that the phone begins. Without a reference there is no RP-ERROR, and RP-ERROR is not answered by one.
local function begin(self, run, phone, key, octets)
  local rp, _, cause, _, reference = self.wire.rp_decode(octets, "ms")
  if is_full(self, phone) then
    run:count("sms_limit")
    return send_error(run, phone, key, CONGESTED)
  elseif not rp and not reference then
    return send_error(run, phone, key, cause)
  elseif rp and rp.message == "rp_error" then
    run:count("sms_stray_error")
    return send_cp(run, phone, key, { message = "cp_ack" })
  end
  for _, other in each(phone) do run:tell(other.fsm, "superseded") end
  run:count("sms_mo")
  local transaction = { key = key, kind = rp and KINDS[rp.message], reference = rp and rp.reference or reference,
    request = octets }
  local refusal = not rp and cause or fault_of(self, rp)
  run:tell(enter(self, phone, transaction), refusal and "refuse" or "forward", refusal or rp)
end

-- The report of a message to the phone: RP-ACK or RP-ERROR with its reference.
local function take_report(self, run, transaction, octets)
  local rp, _, cause = self.wire.rp_decode(octets, "ms")
  local is_report = rp and (rp.message == "rp_ack" or rp.message == "rp_error")
  if rp and (not is_report or transaction.fsm.state == "paging") then
    cause = WRONG_STATE
  elseif rp and rp.reference ~= transaction.reference then
    cause = BAD_REFERENCE
  end
  run:tell(transaction.fsm, cause and "rx_data" or "rx_report", cause or rp)
end

-- A further message of the phone, with the same octets or, where it has not acknowledged what ends the transaction,
-- with others: then it has got that (24.011 §5.4).
local function take_further(self, run, transaction, octets)
  if transaction.request == octets then return run:tell(transaction.fsm, "rx_again") end
  if transaction.fsm.state ~= "answering" then return run:tell(transaction.fsm, "rx_data") end
  run:tell(transaction.fsm, "superseded")
  begin(self, run, transaction.phone, transaction.key, octets)
end

local receive = {}

function receive.cp_data(self, run, phone, key, message)
  local transaction = phone.sms and phone.sms[key]
  if not transaction and key & FLAG == 0 then return begin(self, run, phone, key, message.user_data) end
  if not transaction then return send_error(run, phone, key, INVALID_TI) end
  if key & FLAG ~= 0 then return take_report(self, run, transaction, message.user_data) end
  take_further(self, run, transaction, message.user_data)
end

function receive.cp_ack(_, run, phone, key)
  local transaction = phone.sms and phone.sms[key]
  if not transaction then return send_error(run, phone, key, INVALID_TI) end
  run:tell(transaction.fsm, "rx_ack")
end

function receive.cp_error(_, run, phone, key, message)
  local transaction = phone.sms and phone.sms[key]
  run:log_of("sms", "info", "%s: CP-ERROR, cause %d", phone.known, message.cause)
  if transaction then run:tell(transaction.fsm, "rx_error") end
end

-- An error ends the transaction that it names (24.011 §9.2).
local function refuse_message(run, phone, key, cause)
  local transaction = phone.sms and phone.sms[key]
  send_error(run, phone, key, cause)
  if transaction then run:tell(transaction.fsm, "rx_error") end
end

function Transactions:receive(run, phone, octets)
  local key, message, _, cause = octets:byte() >> 4, self.wire.cp_decode(octets, "ms")
  if key & ~FLAG == RESERVED_TI or #octets < 2 then return run:count("sms_ignored") end
  if not message then return refuse_message(run, phone, key, cause) end
  run:count("rx_" .. message.message)
  if fsm.trace then fsm.trace.message(run, "sms", phone, "phone", "received " .. message.message) end
  receive[message.message](self, run, phone, key, message)
end

-- --- messages of the HLR

local function find_waiting(self, message, kind)
  local phone = self.phones.by_imsi[message.imsi]
  for _, transaction in each(phone or {}) do
    local is_asked = transaction.fsm.state == "forwarding" and (not kind or transaction.kind == kind)
    if is_asked and (not message.sm_rp_mr or message.sm_rp_mr == transaction.reference) then return transaction end
  end
end

local function tell_waiting(kind, event)
  return function(self, run, message)
    local transaction = find_waiting(self, message, kind)
    if not transaction then return run:count("sms_late_answer") end
    run:tell(transaction.fsm, event, message)
  end
end

-- The RP-message to the phone; nil: an element is missing or does not fit.
local function data_of(self, message, reference)
  local originator, tpdu = message.sm_rp_oa or "", report_of(message.sm_rp_ui)
  local is_good = originator:sub(1, 1) == TO_CENTRE and #originator >= 3 and #originator <= ADDRESS_MAX + 1
  if not is_good or not tpdu then return nil end
  return self.wire.rp_encode({ message = "network_rp_data", reference = reference, originator = originator:sub(2),
    destination = "", user_data = tpdu })
end

local function has_mt(phone)
  for _, transaction in each(phone) do
    if transaction.key & FLAG ~= 0 and transaction.fsm.state ~= "done" then return true end
  end
  return false
end

local function free_key(phone)
  for ti = 0, RESERVED_TI - 1 do
    if not (phone.sms and phone.sms[ti | FLAG]) then return ti | FLAG end
  end
end

-- Why a message cannot be sent to its phone now; nil: it can.
local function obstacle_of(self, phone, data)
  if not self.is_forwarded then return REFUSED end
  if not data then return MALFORMED end
  if not phone then return UNKNOWN end
  if not phone.was_registered or phone.fsm.state == "detaching" then return ABSENT end
  return (is_full(self, phone) or has_mt(phone)) and LIMITED or nil
end

local function deliver(self, run, message)
  local phone = self.phones.by_imsi[message.imsi]
  self.reference = ((self.reference or -1) + 1) & 255
  local reference = message.sm_rp_mr or self.reference
  local data = data_of(self, message, reference)
  local obstacle = obstacle_of(self, phone, data)
  run:count("sms_mt")
  local request = { imsi = message.imsi, sm_rp_mr = message.sm_rp_mr, source_name = message.source_name,
    destination_name = message.destination_name }
  if obstacle then return fail(self, run, request, obstacle) end
  run:tell(enter(self, phone, { key = free_key(phone), kind = "mt_forward_sm", reference = reference,
    request = request, data = data }), "want")
end

local TAKE <const> = {
  mo_forward_sm_result = tell_waiting("mo_forward_sm", "hlr_result"),
  mo_forward_sm_error = tell_waiting("mo_forward_sm", "hlr_error"),
  ready_for_sm_result = tell_waiting("ready_for_sm", "hlr_result"),
  ready_for_sm_error = tell_waiting("ready_for_sm", "hlr_error"),
  routing_error = tell_waiting(nil, "hlr_error"),
  mt_forward_sm_request = deliver,
}

function Transactions:take(run, message)
  local take = TAKE[message.message]
  if take then take(self, run, message) end
  return take ~= nil
end

-- --- events of others

-- In the order of the phones' slots.
function Transactions:lost(run)
  local found = {}
  for transaction in pairs(self.open) do found[#found + 1] = transaction end
  table.sort(found, function(a, b)
    if a.phone ~= b.phone then return a.phone.mobile < b.phone.mobile end
    return a.key < b.key
  end)
  for _, transaction in ipairs(found) do run:tell(transaction.fsm, "lost") end
end

function Transactions.reached(_, run, phone)
  for _, transaction in each(phone) do run:tell(transaction.fsm, "reached") end
end

function Transactions.forget_all(_, run, phone)
  for _, transaction in each(phone) do run:tell(transaction.fsm, "drop") end
end

-- The answer to a request of before the restart comes no more: the connection is a new one.
function Transactions:adopt(run, phone, kept)
  local transaction = {}
  for _, field in ipairs(FIELDS) do transaction[field] = kept[field] end
  run:post(enter(self, phone, transaction, run, kept.state), "lost")
end

return sms_transactions
