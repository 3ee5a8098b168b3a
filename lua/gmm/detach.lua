-- SPDX-License-Identifier: BSD-3-Clause
-- Steps of gmm.machine by which a phone is not registered any more (24.008 §4.7.4), and answers to phones that are not.
--
--   detach.steps   { name = step(phone, run, arg) }, actions of the machine
--   detach.event_of(phone, message)   the event of the machine for a DETACH REQUEST

local acts = require "base.acts"
local relocation = require "gmm.relocation"

local detach = { steps = {} }

local REATTACH <const>, NO_REATTACH <const>, POWER_OFF <const> = 1, 2, 8
local DETACH_TYPE <const>, IMSI_DETACH <const> = 7, 2 -- bits of the type, and that of an IMSI detach (§10.5.5.5)
local IMPLICITLY_DETACHED <const>, GPRS_NOT_ALLOWED <const>, IMSI_TYPE <const> = 10, 7, 1

-- A message of the procedure in progress goes to the cell of its request, in which the node may not have the phone yet.
local function send(phone, run, message)
  phone.phones:send(run, phone, message, phone.pending)
end

local function accept(phone, run, message)
  if message.detach_type & POWER_OFF == 0 then
    send(phone, run, { message = "detach_accept", force_to_standby = 0 })
  end
end

-- An IMSI detach leaves GPRS and the contexts as they are (§4.7.4.1.3), in whatever procedure the phone is. Reserved
-- types are combined detaches (§10.5.5.5), and end GPRS. The clause does not say what a phone means that switches off
-- by an IMSI detach: it gets no answer, and is detached implicitly. An unknown phone has nothing to keep.
function detach.event_of(phone, message)
  local is_imsi_alone = message.detach_type & DETACH_TYPE == IMSI_DETACH and phone.fsm.state ~= "fresh"
  return is_imsi_alone and "rx_imsi_detach" or "rx_detach"
end

function detach.steps.answer_imsi_detach(phone, run, message)
  run:count("imsi_detach_request")
  run:log_of("gmm", "info", "%s: an IMSI detach, GPRS stays", phone.imsi or ("TLLI %08x"):format(phone.tlli))
  accept(phone, run, message)
end

function detach.steps.answer_detach(phone, run, message)
  run:count("detach_request")
  run:log_of("gmm", "info", "%s: detached", phone.imsi or ("TLLI %08x"):format(phone.tlli))
  acts.settle(run, phone, true, "the phone has detached by itself at the same time")
  phone.is_purged = phone.was_registered
  phone.phones:record(run, phone, false)
  accept(phone, run, message)
end

local function send_detach(phone, run)
  send(phone, run, { message = "network_detach_request", detach_type = phone.reattaches and REATTACH or NO_REATTACH,
    force_to_standby = 0, cause = phone.detach_cause })
end

-- how: the cause, or { reattach = } of an operator. Without a cause a phone stays allowed (24.008 §4.7.4.2.2).
function detach.steps.send_detach_request(phone, run, how)
  local is_act = type(how) == "table"
  phone.detach_cause, phone.reattaches = not is_act and how or nil, is_act and how.reattach or nil
  phone.phones.contexts:forget_all(phone, run)
  run:log_of("gmm", "info", "%s: told to detach%s", phone.imsi, is_act and (how.reattach and " and attach again" or "")
    or (", cause %d"):format(how))
  send_detach(phone, run)
end

function detach.steps.send_detach_again(phone, run)
  send_detach(phone, run)
end

function detach.steps.end_detach(phone, run)
  run:log_of("gmm", "info", "%s: detached", phone.imsi)
  acts.settle(run, phone, true, "the phone has answered by DETACH ACCEPT")
end

function detach.steps.note_no_detach(phone, run)
  run:log_of("gmm", "info", "%s: detached without its answer", phone.imsi)
  acts.settle(run, phone, false, "the phone has answered neither a page nor DETACH REQUEST; it is forgotten here, and "
    .. "attaches again when it sends")
end

function detach.steps.detach_implicitly(phone, run)
  phone.is_purged, phone.is_silent = true, true
  run:count("implicit_detach")
  run:log_of("gmm", "info", "%s: detached implicitly", phone.imsi)
end

-- A message that needs a context, of a phone without one (24.008 §4.7.1.5, 23.060 §6.5): it attaches once more.
function detach.steps.answer_stray(phone, run)
  run:count("stray")
  send(phone, run, { message = "network_detach_request", detach_type = REATTACH, force_to_standby = 0,
    cause = IMPLICITLY_DETACHED })
end

-- A frame that may be ciphered, of a phone that is not known: it would not take a DETACH REQUEST in clear, but tells
-- its IMSI (24.008 §4.7.1.2), and attaches again when it is paged by that (§4.7.9.1.2). Anyone can tell an IMSI, so a
-- registered phone is not paged by its own: it is asked whether it is there, and is detached if it is not.
function detach.steps.ask_stranger(phone, run)
  run:count("stray_ciphered")
  send(phone, run, { message = "identity_request", identity_type = IMSI_TYPE, force_to_standby = 0 })
end

function detach.steps.page_stranger(phone, run, message)
  local kind, value = phone.phones.wire.identity(message.identity)
  if kind ~= "imsi" then return run:count("stray_without_imsi") end
  local other = phone.phones.by_imsi[value]
  if other and other.was_registered then
    run:count("stray_registered")
    return run:post(other.fsm, "probe")
  end
  run:log_of("gmm", "info", "%s: sends, but is not attached: paged by its IMSI, so that it attaches", value)
  run:emit({ op = "phone_page", mobile = phone.mobile, imsi = value })
end

function detach.steps.note_withdrawn(phone, run)
  run:log_of("gmm", "info", "%s: withdrawn by the HLR before it is registered", phone.imsi or phone.known)
  phone.detach_cause = GPRS_NOT_ALLOWED
end

function detach.steps.forget_silently(phone, run)
  run:log_of("gmm", "info", "%s: forgotten without a word to it", phone.imsi or phone.known)
  relocation.steps.note_cancelled(phone)
  acts.settle(run, phone, true, "the phone is forgotten")
end

function detach.steps.give_way(phone, run)
  acts.settle(run, phone, false, "the phone attaches before it has answered, and is served as a new one")
end

return detach
