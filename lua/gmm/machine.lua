-- SPDX-License-Identifier: BSD-3-Clause
-- The machine of GMM of one phone, network side (24.008 §4.7). Procedures of attach and routeing area update take the
-- same steps; the state "deciding" chooses the next one by what is known of the phone.
--
-- Owner: a phone of gmm.phones. Events rx_*: its messages; *_again: a request with the same octets as the one in
-- progress (§4.7.3.1.6 d, §4.7.5.1.6 d); heard: before the event of any message of GMM, SM or SMS. hlr_*: answers of
-- the HLR. ask_*, challenge, accept, refuse: the next step.

local acts = require "base.acts"
local claims = require "gmm.claims"
local detach = require "gmm.detach"
local fsm = require "base.fsm"
local gea = require "gmm.gea"
local ladder = require "gmm.ladder"
local gmm_phone = require "gmm.phone"
local proof = require "gmm.proof"
local relocation = require "gmm.relocation"

-- The actions: each adds intents to the run. `phone.pending` is the procedure in
-- progress, { kind = "attach" or "rau", request = decoded message, octets =, cause = of the refusal,... }; claim: the
-- octets that say who sends it.

local steps = {}
for _, of in ipairs({ detach, proof, relocation }) do
  for name, step in pairs(of.steps) do steps[name] = step end
end

local IMSI_TYPE <const> = 1
local COMBINED_ATTACH <const>, COMBINED_UPDATE <const>, COMBINED_IMSI_ATTACH <const> = 3, 1, 2
local GPRS_ONLY <const>, RA_UPDATED <const>, PRIORITY <const> = 1, 0, 4
local NOT_DERIVED <const>, IMPLICITLY_DETACHED <const> = 9, 10
local NO_MSC <const>, NETWORK_FAILURE <const> = 16, 17
local NO_ALGORITHM <const> = 111
local LOCAL_TLLI <const> = 0xc0000000

local function name_of(phone)
  return phone.imsi or ("TLLI %08x"):format(phone.tlli)
end

-- --- its radio

-- Once for each request: of a registered phone that an HLR knows when the request is accepted, else at its beginning.
-- phone.drx is for an MM Context.
local function tell_radio(phone, run)
  local pending = phone.pending
  if pending.is_radio_told then return end
  pending.is_radio_told, phone.drx = true, pending.request.drx or pending.drx or phone.drx
  run:emit({ op = "phone_radio", mobile = phone.mobile, ra_capability = pending.request.ra_capability,
    drx = phone.drx })
end

-- --- choices

-- The next step of the procedure in progress.
function steps.decide(phone, run)
  if not phone.former then tell_radio(phone, run) end
  if not phone.pending.cause then steps.judge_request(phone, run) end
  local event, cause, takes_over = ladder.next(phone)
  phone.pending.cause = cause
  if takes_over then relocation.take_over(phone, run) end
  run:post(phone.fsm, event)
end

-- The capabilities in the request; once for each request. One that is proven by its signature changes no key, and so
-- no algorithm.
function steps.judge_request(phone, _)
  local pending = phone.pending
  local request = pending.request
  if pending.is_judged then return end
  pending.is_judged = true
  phone.capability = request.ms_network_capability or phone.capability or "\0"
  phone.is_r99 = phone.capability:byte() & 1 ~= 0
  if not (pending.is_authentic and phone.algorithm) then
    phone.algorithm = gea.first(phone.phones.config.ciphering, phone.capability, phone.is_r99)
  end
  local may_be_told = pending.other and not pending.is_told and not request.ms_network_capability
  if not phone.algorithm and not may_be_told then pending.cause = NO_ALGORITHM end
  if not phone.phones:rai_of(pending) then pending.cause = NETWORK_FAILURE end
end

-- A phone that another SGSN has is here for phones.pool.hold, however many requests have its TLLI.
local function is_overdue(phone, run)
  return phone.has_left and run.now >= (phone.gone_at or 0)
end

-- An attach or routeing area update begins, and one in progress ends. A registered phone with an HLR keeps what it is
-- and has until it is authenticated (24.008 §4.7.3.1.6 f).
function steps.begin(phone, run, pending)
  acts.settle(run, phone, false, "the phone began to attach or to update before it had answered DETACH REQUEST")
  phone.is_purged = nil
  phone.phones.hlr:forget(run, phone)
  if phone.pending and not phone.pending.is_taken then relocation.failed(phone, run) end
  claims.begin(phone)
  phone.pending, phone.imsi = pending, phone.known
  if pending.kind == "attach" then
    steps.begin_attach(phone, run)
  elseif not phone.was_registered then
    phone.imsi = nil
  elseif phone.imsi then
    pending.is_authentic = claims.is_signed(phone, pending)
  end
  relocation.begin(phone, run)
  if pending.kind == "rau" and not phone.imsi and not (pending.other or pending.name) then
    pending.cause = IMPLICITLY_DETACHED
  end
  if is_overdue(phone, run) and not pending.is_authentic then pending.cause = NETWORK_FAILURE end
end

-- The request was not the phone's.
local function undo_claim(phone, run)
  relocation.failed(phone, run)
  if phone.former then claims.undo(phone) end
  phone.pending, phone.imsi = nil, phone.known
  run:count("claim_refused")
end

-- Another SGSN asks for the phone, or has it, in the midst of a request that is not proven: that one gives way, as
-- anyone could keep the phone here by it. Whether it was so.
local function drop_claim(phone, run, event, arg)
  local pending = phone.pending
  if not (pending and phone.former) or pending.is_authentic or phone.has_left then return false end
  phone.phones.hlr:forget(run, phone)
  undo_claim(phone, run)
  run:post(phone.fsm, "restored")
  run:post(phone.fsm, event, arg)
  return true
end

function steps.judge_question(phone, run, asked)
  if not drop_claim(phone, run, "asked_for", asked) then steps.give_up_arrival(phone, run, asked) end
end

function steps.judge_departure(phone, run, told)
  drop_claim(phone, run, "left", told)
end

-- A procedure fails: a registered phone, or one that has left, stays what it was unless the request was its own.
function steps.end_request(phone, run)
  local is_own = phone.pending.is_authentic or not (phone.former or phone.has_left)
  if is_own or is_overdue(phone, run) then
    relocation.failed(phone, run)
    return run:post(phone.fsm, "ended")
  end
  undo_claim(phone, run)
  run:post(phone.fsm, phone.has_left and "still_left" or "restored")
end

-- The identity of an ATTACH REQUEST. A P-TMSI proves nothing: what follows is authentication, where there is an HLR.
function steps.begin_attach(phone, run)
  local kind, value = phone.phones.wire.identity(phone.pending.request.identity)
  run:count("attach_request")
  if kind == "imsi" then
    phone.imsi = value
  elseif kind == "tmsi" then
    local other = phone.phones:claimed_by(value, phone.pending.request.old_rai)
    phone.imsi = other and other.known
  else
    phone.imsi = nil
  end
end

-- --- identity

-- A message of the procedure in progress goes to the cell of its request, in which the node may not have the phone yet.
local function send(phone, run, message)
  phone.phones:send(run, phone, message, phone.pending)
end

function steps.send_identity_request(phone, run)
  send(phone, run, { message = "identity_request", identity_type = IMSI_TYPE, force_to_standby = 0 })
end

steps.send_probe = steps.send_identity_request

function steps.take_identity(phone, _, message)
  local kind, value = phone.phones.wire.identity(message.identity)
  phone.pending.wants_identity = false
  if kind == "imsi" then
    phone.imsi = value
  else
    phone.pending.cause = NOT_DERIVED
  end
end

-- --- location

-- The HLR's answer brings the data of the subscriber; those that are here may be of another one.
function steps.update_location(phone, run)
  phone.subscribed, phone.msisdn = nil, nil
  phone.phones.hlr:end_others(run, phone)
  phone.phones.hlr:ask(run, phone, "update_location", {})
end

function steps.note_location(phone)
  phone.pending.is_located = true
end

-- --- answers

-- is_leaving: it is to go to another SGSN. Whether that is so.
local function give_p_tmsi(phone, is_leaving)
  local phones, given = phone.phones, phone.p_tmsi_new
  phone.p_tmsi_new = given or is_leaving and phones:new_p_tmsi(phone, true) or nil
  is_leaving = phone.p_tmsi_new ~= nil and not phones.pool:is_own(phone.p_tmsi_new)
  phone.p_tmsi_new = phone.p_tmsi_new or phones:new_p_tmsi(phone)
  if not given or not phone.signature then
    phone.signature_left = phone.p_tmsi and (phone.signature or phone.signature_left) or nil
    phone.signature, phone.wrong_signatures = phones:new_signature(), nil
  end
  return is_leaving
end

-- ACCEPT goes under the TLLI of the request, also when it is repeated: the phone does not know another one yet. Other
-- frames go under the new one, with the former as TLLI(old).
local function send_accept(phone, run, message)
  local phones = phone.phones
  phone.accept, phone.area = message, phones:area_of(phone.pending)
  run:emit({ op = "phone_heard", mobile = phone.mobile, nsei = phone.pending.nsei, bvci = phone.pending.bvci })
  send(phone, run, message)
  run:emit({ op = "phone_tlli", mobile = phone.mobile, tlli = LOCAL_TLLI | phone.p_tmsi_new, keeps_old = true })
end

local function accept_of(phone, run)
  local phones = phone.phones
  phone.former, phone.located_at = nil, phones.policy.hlr
  phones:settle(run, phone)
  tell_radio(phone, run)
  local is_leaving = give_p_tmsi(phone, phones.offload:wants(phone))
  local message = { force_to_standby = 0, update_timer = phones.update_timer, ready_timer = phones.ready_timer,
    rai = phones:rai_of(phone.pending), signature = phone.signature,
    p_tmsi = phones.wire.identity_octets("tmsi", phone.p_tmsi_new) }
  if is_leaving then phones.offload:tell(run, phone, message) else phone.times_told = nil end
  return message
end

-- There is no MSC: a combined attach or update is one for GPRS only, with the cause that makes the phone look for the
-- MSC without this SGSN after five attempts (24.008 §4.7.3.2.3.2, §4.7.5.2.3.2).
function steps.send_attach_accept(phone, run)
  local contexts = phone.phones.contexts
  local keeps = phone.phones.config.keep_contexts and phone.was_registered and phone.imsi == phone.known
    and not phone.has_left
  if not keeps then contexts:forget_all(phone, run) end
  contexts:withdraw(phone)
  relocation.attached(phone, run)
  local message = accept_of(phone, run)
  message.message, message.attach_result = "attach_accept", GPRS_ONLY
  if phone.pending.request.attach_type & 7 == COMBINED_ATTACH then message.cause = NO_MSC end
  message.priority_sms, message.priority_tom8 = PRIORITY, PRIORITY
  send_accept(phone, run, message)
end

function steps.send_rau_accept(phone, run)
  phone.phones.contexts:compare(phone, run, phone.pending.request.pdp_status)
  local message = accept_of(phone, run)
  local kind = phone.pending.request.update_type & 7
  message.message, message.update_result = "rau_accept", RA_UPDATED
  if kind == COMBINED_UPDATE or kind == COMBINED_IMSI_ATTACH then message.cause = NO_MSC end
  relocation.accepted(phone, run)
  message.pdp_status = phone.phones.contexts:status_of(phone)
  message.received_n_pdus = phone.pending.is_taken and phone.phones.contexts:received(phone) or nil
  send_accept(phone, run, message)
end

function steps.send_accept_again(phone, run)
  send(phone, run, phone.accept)
end

-- A phone that is registered, and did not send the request, must not be harmed by the answer: AUTHENTICATION AND
-- CIPHERING REJECT and some causes would bar its SIM (24.008 §4.7.7.5, §4.7.5.1.4).
function steps.send_reject(phone, run)
  local pending = phone.pending
  if phone.former and not pending.is_authentic then pending.cause, pending.is_illegal = NETWORK_FAILURE, nil end
  run:count(("%s_reject_%d"):format(pending.kind, pending.cause))
  run:log_of("gmm", "info", "%s: %s refused, cause %d", name_of(phone), pending.kind, pending.cause)
  if pending.is_illegal then
    send(phone, run, { message = "auth_reject" })
  elseif pending.kind == "attach" then
    send(phone, run, { message = "attach_reject", cause = pending.cause })
  else
    send(phone, run, { message = "rau_reject", cause = pending.cause, force_to_standby = 0 })
  end
end

function steps.complete(phone, run, message)
  local phones, kind = phone.phones, phone.pending.kind
  phones:take_p_tmsi(phone)
  run:emit({ op = "phone_tlli", mobile = phone.mobile, tlli = phone.tlli, keeps_old = false })
  relocation.complete(phone, run, message)
  phone.was_registered, phone.pending, phone.accept = true, nil, nil
  run:count(kind .. "_complete")
  if kind == "attach" then
    run:log_of("gmm", "info", "%s: attached, P-TMSI %08x, GEA/%d",
      phone.imsi, phone.p_tmsi, phone.key and phone.algorithm or 0)
    phones:record(run, phone, true)
    phones:send_information(run, phone)
  end
end

-- An offload tells a phone to go without a request of its own (24.008 §4.7.6): it reads that it is in another routeing
-- area than its cell's, and updates.
function steps.send_reallocation(phone, run)
  local phones = phone.phones
  local is_leaving = give_p_tmsi(phone, true)
  local message = { message = "p_tmsi_reallocation_command", force_to_standby = 0, signature = phone.signature,
    identity = phones.wire.identity_octets("tmsi", phone.p_tmsi_new) }
  if is_leaving then
    phones.offload:tell(run, phone, message)
  else
    message.rai = phones:rai_of(phone)
  end
  phone.accept = message
  phones:send(run, phone, message)
end

function steps.send_reallocation_again(phone, run)
  phone.phones:send(run, phone, phone.accept, { nsei = phone.nsei, bvci = phone.bvci })
end

function steps.complete_reallocation(phone, run)
  phone.phones:take_p_tmsi(phone)
  run:emit({ op = "phone_tlli", mobile = phone.mobile, tlli = phone.tlli, keeps_old = false })
  phone.accept = nil
  run:count("reallocated")
end

-- RAU COMPLETE does not come: the phone stays registered, and both TLLIs are accepted.
function steps.keep_both(phone, run)
  relocation.complete(phone, run)
  phone.pending, phone.accept = nil, nil
  run:count("no_answer")
end

-- The phone does not say who it is (§4.7.8): its procedure is rejected, as that ends with the identification.
function steps.reject_unidentified(phone, run)
  run:count("no_answer")
  phone.pending.cause = NOT_DERIVED
  steps.send_reject(phone, run)
end

function steps.note_silence(phone, run)
  run:count("no_answer")
  run:log_of("gmm", "info", "%s: no answer, the procedure ends", name_of(phone))
end

function steps.leave(phone, run)
  acts.settle(run, phone, false, "the phone has gone for another reason; see the log")
  relocation.leave(phone, run)
  phone.phones:remove(run, phone)
end

local BEGIN <const> = { action = "begin", next = "deciding" }
local AGAIN <const> = { action = "send_accept_again" }

-- Requests that are new, or cancel the one in progress.
local function with_requests(rows)
  rows.rx_attach, rows.rx_rau = rows.rx_attach or BEGIN, rows.rx_rau or BEGIN
  return rows
end

-- A step whose answer, by its action, lets the next one be chosen.
local function asking(timer, answers, rows)
  for event, action in pairs(answers) do rows[event] = { action = action, next = "deciding" } end
  return { timer = timer, on = with_requests(rows) }
end

local function asking_hlr(event, action)
  return asking("hlr", { [event] = action, hlr_error = "take_error", hlr_out = "take_error" }, {})
end

-- again: sends the question once more; silence: the action when the phone does not answer, which ends the procedure.
local function asking_phone(timer, again, silence, answers)
  return asking(timer, answers, { [timer] = { action = again },
    [timer .. "_out"] = { action = silence, next = "ending" } })
end

local kept_of <const> = gmm_phone.copier_of({
  "mobile", "tlli", "heard", "nsei", "bvci", "imsi", "known", "p_tmsi", "p_tmsi_new", "p_tmsi_left", "signature",
  "signature_left", "key", "algorithm", "capability", "drx", "is_r99", "cksn", "reference", "msisdn", "imeisv",
  "subscribed", "was_registered", "detach_cause", "reattaches", "is_purged", "area", "act", "is_recorded",
  "departure", "has_left", "gone_at", "is_held", "umts_keys", "located_at", "described", "is_cancelled",
  "wrong_signatures" })
local KEPT <const> = { registered = "registered", probing = "probing", accepting = "accepting", updating = "updating",
  detaching = "detaching", holding = "leaving", leaving = "leaving", forwarding = "forwarding" }

-- Other procedures of a registered phone are forgotten, with what the request has claimed: the phone repeats it.
local function keep(phone)
  local state = KEPT[phone.fsm.state] or phone.was_registered and phone.fsm.state ~= "gone"
    and (phone.has_left and "forwarding" or "registered")
  if not state then return nil end
  local kept, pending = kept_of(phone), phone.pending
  kept.state = state
  if state ~= phone.fsm.state then kept.imsi = phone.known end
  if state ~= phone.fsm.state and phone.former and not pending.is_authentic then
    claims.fill_in(phone, kept)
  end
  if pending and (state == "accepting" or state == "updating") then
    kept.accept = phone.accept
    kept.pending = { kind = pending.kind, octets = pending.octets, nsei = pending.nsei, bvci = pending.bvci,
      claim = pending.claim }
  end
  return kept
end

return fsm.define({
  name = "gmm",
  category = "gmm",
  about = "phone",
  initial = "new",
  keep = keep,
  id = function(phone) return ("phone/%d/%08x"):format(phone.mobile, phone.tlli_first) end,
  actions = steps,
  timers = {
    guard = { after = "guard", out = "guard" },
    t3350 = { after = "t3350", retries = "repeats", again = "t3350", out = "t3350_out" },
    t3360 = { after = "t3360", retries = "repeats", again = "t3360", out = "t3360_out" },
    t3370 = { after = "t3370", retries = "repeats", again = "t3370", out = "t3370_out" },
    stranger = { after = "t3370", out = "stranger_out" },
    t3322 = { after = "t3322", retries = "repeats", again = "t3322", out = "t3322_out" },
    hlr = { after = "hlr", out = "hlr_out" },
    other = { after = "other", out = "other_silent" },
    hold = { after = "hold", out = "hold_out" },
    implicit = { after = "implicit", out = "implicit" },
  },
  any = {
    rx_again = {}, rx_complete = {}, rx_identity = {}, rx_auth_response = {}, rx_auth_failure = {},
    rx_detach_accept = {}, hlr_vectors = {}, hlr_located = {}, hlr_imei = {}, hlr_error = {}, probe = {},
    heard = {}, reallocate = {}, held = {}, found = {}, other_told = {}, other_silent = {}, kept = {},
    asked_for = { action = "judge_question" },
    left = { action = "judge_departure" },
    restored = { next = "registered" },
    moved_on = { next = "gone" },
    rx_detach = { action = "answer_detach", next = "gone" }, rx_imsi_detach = { action = "answer_imsi_detach" },
    replaced = { action = "give_way", next = "gone" },
    cancelled = { action = "forget_silently", next = "gone" },
    withdrawn = { action = "note_withdrawn", next = "gone" },
    stray = { action = "answer_stray", next = "gone" },
    stray_ciphered = { action = "ask_stranger", next = "estranged" },
    detach = { next = "gone" },
  },
  states = {
    new = { on = { added = { next = "fresh" } } },
    fresh = { timer = "guard", on = with_requests({ guard = { next = "gone" } }) },
    -- Asked once: its next frame has it asked again.
    estranged = {
      timer = "stranger",
      on = with_requests({
        stranger_out = { next = "gone" },
        rx_identity = { action = "page_stranger", next = "gone" },
      }),
    },
    deciding = {
      enter = "decide",
      on = with_requests({
        ask_identity = { action = "send_identity_request", next = "identifying" },
        ask_vectors = { action = "fetch_vectors", next = "fetching" },
        challenge = { action = "send_challenge", next = "challenging" },
        ask_imei = { action = "send_imei_request", next = "equipping" },
        check_imei = { action = "ask_about_imei", next = "checking" },
        ask_location = { action = "update_location", next = "locating" },
        look_up = { action = "look_up", next = "looking_up" },
        ask_other = { action = "ask_other", next = "asking_other" },
        accept_attach = { action = "send_attach_accept", next = "accepting" },
        accept_rau = { action = "send_rau_accept", next = "updating" },
        refuse = { action = "send_reject", next = "ending" },
      }),
    },
    identifying = asking_phone("t3370", "send_identity_request", "reject_unidentified",
      { rx_identity = "take_identity" }),
    looking_up = asking("other", { found = "take_address", other_silent = "take_address" }, {}),
    asking_other = asking("other", { other_told = "take_answer", other_silent = "take_silence" }, {}),
    fetching = asking_hlr("hlr_vectors", "take_vectors"),
    challenging = asking_phone("t3360", "send_challenge_again", "note_silence",
      { rx_auth_response = "judge_response", rx_auth_failure = "take_failure" }),
    equipping = asking_phone("t3370", "send_imei_request", "reject_unidentified", { rx_identity = "take_imei" }),
    checking = asking_hlr("hlr_imei", "note_imei"),
    locating = asking_hlr("hlr_located", "note_location"),
    ending = { enter = "end_request", on = { still_left = { next = "forwarding" }, ended = { next = "gone" } } },
    accepting = {
      timer = "t3350",
      on = with_requests({
        rx_again = AGAIN,
        rx_complete = { action = "complete", next = "registered" },
        t3350 = AGAIN,
        t3350_out = { action = "note_silence", next = "gone" },
      }),
    },
    updating = {
      timer = "t3350",
      on = with_requests({
        asked_for = { action = "hold_back", next = "holding" },
        left = { action = "forward", next = "forwarding" },
        rx_again = AGAIN,
        rx_complete = { action = "complete", next = "registered" },
        t3350 = AGAIN,
        t3350_out = { action = "keep_both", next = "registered" },
        detach = { action = "send_detach_request", next = "detaching" },
      }),
    },
    registered = {
      timer = "implicit",
      on = with_requests({
        asked_for = { action = "hold_back", next = "holding" },
        left = { action = "forward", next = "forwarding" },
        heard = { next = "registered" },
        implicit = { action = "send_probe", next = "probing" },
        reallocate = { action = "send_reallocation", next = "reallocating" },
        probe = { action = "send_probe", next = "probing" },
        detach = { action = "send_detach_request", next = "detaching" },
        withdrawn = { action = "send_detach_request", next = "detaching" },
      }),
    },
    reallocating = {
      timer = "t3350",
      on = with_requests({
        rx_complete = { action = "complete_reallocation", next = "registered" },
        t3350 = { action = "send_reallocation_again" },
        t3350_out = { action = "keep_both", next = "registered" },
        asked_for = { action = "hold_back", next = "holding" },
        left = { action = "forward", next = "forwarding" },
        detach = { action = "send_detach_request", next = "detaching" },
        withdrawn = { action = "send_detach_request", next = "detaching" },
      }),
    },
    -- Its data do not tell control that it is there, so it is asked before it counts as gone.
    probing = {
      timer = "t3370",
      on = with_requests({
        asked_for = { action = "hold_back", next = "holding" },
        left = { action = "forward", next = "forwarding" },
        heard = { next = "registered" },
        t3370 = { action = "send_probe" },
        t3370_out = { action = "detach_implicitly", next = "gone" },
        detach = { action = "send_detach_request", next = "detaching" },
      }),
    },
    detaching = {
      timer = "t3322",
      on = {
        rx_attach = BEGIN,
        rx_rau = {},
        rx_detach_accept = { action = "end_detach", next = "gone" },
        t3322 = { action = "send_detach_again" },
        t3322_out = { action = "note_no_detach", next = "gone" },
        detach = {},
      },
    },
    -- Another SGSN wants it: the workers say when nothing more is sent.
    holding = {
      timer = "hold",
      on = with_requests({
        held = { action = "describe", next = "leaving" },
        asked_for = { action = "hold_back" },
        hold_out = { action = "stay", next = "registered" },
        cancelled = { action = "note_early_cancel" }, detach = {},
      }),
    },
    -- It is described to another SGSN, which may not take it.
    leaving = {
      timer = "hold",
      on = with_requests({
        asked_for = { action = "hold_back", next = "holding" },
        left = { action = "forward", next = "forwarding" },
        kept = { action = "stay", next = "registered" },
        hold_out = { action = "stay", next = "registered" },
        cancelled = { action = "note_early_cancel" }, detach = {},
      }),
    },
    -- Another SGSN has it; it may come back.
    forwarding = {
      timer = "hold",
      on = with_requests({
        asked_for = { action = "refuse_asked" },
        hold_out = { next = "gone" },
        cancelled = {}, withdrawn = {}, detach = {}, probe = {},
        rx_detach = {},
      }),
    },
    gone = { enter = "leave", on = { asked_for = { action = "refuse_asked" }, moved_on = {}, left = {}, restored = {},
      rx_attach = {}, rx_rau = {}, rx_detach = {}, rx_imsi_detach = {}, replaced = {}, cancelled = {},
      withdrawn = {}, stray = {}, detach = {} } },
  },
})
