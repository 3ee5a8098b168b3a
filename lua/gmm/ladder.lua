-- SPDX-License-Identifier: BSD-3-Clause
-- The next step of the procedure in progress of a phone: the first row of a ladder whose predicate holds.
--
--   local event, cause, takes_over = ladder.next(phone)   an event of gmm.machine; of a refusal its cause; takes_over:
--                         the contexts that another SGSN described are this node's from then on

local claims = require "gmm.claims"
local proof = require "gmm.proof"
local relocation = require "gmm.relocation"

local NO_ALGORITHM <const> = 111

-- The cause that a step before has found.
local function has_failed(phone)
  return phone.pending.cause
end

local function is_unidentified(phone)
  return phone.pending.wants_identity or not phone.imsi
end

local function is_forbidden(phone)
  return phone.phones.policy:refusal(phone.imsi)
end

-- An operator wants the equipment's identity before that of the subscriber.
local function needs_imei_first(phone)
  local pending = phone.pending
  return phone.phones.config.imei_first and pending.kind == "attach" and not pending.is_imei_asked
end

-- An HLR decides, and what the request claims is not proven.
local function is_doubted(phone)
  return phone.phones.policy.hlr
    and not (phone.pending.is_authentic or claims.is_known(phone) or relocation.is_proven(phone))
end

local function needs_vectors(phone)
  return is_doubted(phone) and not proof.has_vectors(phone)
end

-- The choice may be clear, of which less is asked: whether the phone is doubted is decided before it.
local function can_prove(phone)
  return is_doubted(phone) and proof.choose_algorithm(phone)
end

local function has_no_algorithm(phone)
  return is_doubted(phone) and NO_ALGORITHM
end

local function needs_imei_checked(phone)
  local pending = phone.pending
  return phone.phones.config.check_imei and (pending.kind == "attach" or pending.is_moving)
    and not pending.is_imei_checked
end

local function needs_imei(phone)
  return needs_imei_checked(phone) and not phone.pending.imei
end

-- The HLR knows this SGSN as the phone's already: no location update, and its data are here. Not of a phone that
-- another SGSN had, nor of one that was accepted before there was this HLR.
local function is_located(phone)
  local other, pending = proof.registered_of(phone), phone.pending
  local asks_always = phone.phones.config.update_location == "always" and pending.kind == "attach"
  local is_there = other and other.located_at == phone.phones.policy.hlr
  if is_there and not asks_always and not pending.is_moving and not pending.is_located then
    pending.is_located, phone.subscribed, phone.msisdn = true, other.subscribed, other.msisdn
  end
  return pending.is_located
end

local function needs_location(phone)
  return phone.phones.policy.hlr and not is_located(phone)
end

local function is_attach(phone)
  return phone.pending.kind == "attach"
end

local function is_update(phone)
  return phone.pending.kind == "rau"
end

-- Predicates of rows with "refuse" give the cause. Clauses: of 23.060, if none is named.
local ROWS <const> = {
  { when = has_failed, event = "refuse" }, -- 24.008 §4.7.3.1.4, §4.7.5.1.4
  { when = relocation.needs_name, event = "look_up" }, -- §5.8.1
  { when = relocation.may_ask, event = "ask_other" }, -- §6.5.2 step 2, §6.9.1.2.2 step 2
  { when = needs_imei_first, event = "ask_imei" },
  { when = is_unidentified, event = "ask_identity" }, -- §6.5.2 step 3
  { when = is_forbidden, event = "refuse" },
  { when = needs_vectors, event = "ask_vectors" }, -- §6.8.1
  { when = can_prove, event = "challenge" }, -- §6.5.2 step 4
  { when = has_no_algorithm, event = "refuse" }, -- 24.008 §4.7.7.2
  { when = needs_imei, event = "ask_imei" }, -- §6.5.2 step 5
  { when = needs_imei_checked, event = "check_imei" }, -- §6.5.2 step 5
  { when = relocation.needs_answer, event = "ask_other" }, -- §6.9.1.2.2 step 2, by what is proven now
  { when = needs_location, event = "ask_location", takes_over = true }, -- §6.5.2 step 7, §6.9.1.2.2 step 8
  { when = is_attach, event = "accept_attach", takes_over = true }, -- §6.5.2 step 9
  { when = is_update, event = "accept_rau", takes_over = true }, -- §6.9.1.2.2 step 14
}

local ladder = {}

function ladder.next(phone)
  for _, row in ipairs(ROWS) do
    local verdict = row.when(phone)
    if verdict then return row.event, row.event == "refuse" and verdict or nil, row.takes_over end
  end
  error("no row of the ladder holds")
end

return ladder
