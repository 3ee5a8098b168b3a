-- SPDX-License-Identifier: BSD-3-Clause
-- Steps of gmm.machine that prove who a phone is: authentication (24.008 §4.7.7, 33.102 §6.3) and the check of its
-- equipment (§4.7.8).
--
--   proof.steps                  { name = step(phone, run, message) }, actions of the machine
--   proof.registered_of(phone)   the registered phone with the IMSI that a phone claims, itself or another; nil: none
--   proof.has_vectors(phone)     whether one of that IMSI is left, here or with that phone
--   proof.choose_algorithm(phone)   the number of the GEA for the next vector, which is the phone's then; nil: none

local aka = require "gmm.aka"
local gea = require "gmm.gea"

local proof = { steps = {} }

local SYNCH_FAILURE <const>, ILLEGAL_MS <const>, ILLEGAL_ME <const>, NETWORK_FAILURE <const> = 21, 3, 6, 17
-- Causes of 24.008 §10.5.5.14 that a network tells a phone, but "retry upon entry into a new cell", 48 to 63, and the
-- first of those that say that a message is wrong.
local TOLD <const>, WRONG_MESSAGE <const>, PROTOCOL_ERROR <const> = { [2] = true, [3] = true, [5] = true, [6] = true,
  [7] = true, [8] = true, [11] = true, [12] = true, [13] = true, [14] = true, [15] = true, [16] = true, [17] = true,
  [22] = true }, 95, 111
local NO_KEY <const> = 7
local VECTORS <const> = 5 -- the most that a message of GSUP has
local IMEI_TYPE <const>, IMEI_DIGITS <const>, IMEI_WANTED <const> = 2, 14, 0 -- without check digit; result of GSUP

-- To the cell of the request, in which the node may not have the phone yet.
local function send(phone, run, message)
  phone.phones:send(run, phone, message, phone.pending)
end

-- The registered phone with the IMSI that a phone claims: often the same one, which attaches again with another TLLI.
function proof.registered_of(phone)
  local other = phone.imsi and phone.phones.by_imsi[phone.imsi]
  return other and other.was_registered and other or nil
end

-- Vectors belong to an IMSI and not to the phone that claims it: they are used in the order in which the HLR made them.
function proof.has_vectors(phone)
  if phone.vectors_of ~= phone.imsi then phone.vectors = nil end
  local other = proof.registered_of(phone)
  if other and other ~= phone and other.vectors_of == phone.imsi and #(phone.vectors or "") == 0 then
    phone.vectors, phone.vectors_of, other.vectors = other.vectors, phone.imsi, nil
  end
  return #(phone.vectors or "") > 0
end

-- The algorithm for the next vector; nil: none is possible. A triplet has no key for GEA/4, nor has a phone with a SIM:
-- then the next algorithm of the list is chosen.
function proof.choose_algorithm(phone)
  local has_umts_keys = not phone.pending.has_sim and aka.is_umts(aka.unpack_first(phone.vectors), phone.is_r99)
  phone.algorithm = gea.first(phone.phones.config.ciphering, phone.capability, has_umts_keys)
  return phone.algorithm
end

-- The digits of an IMEI or IMEISV that name the equipment; nil: another identity. GGSNs are told all its digits.
local function take_equipment(phone, octets)
  local kind, value = phone.phones.wire.identity(octets or "")
  if kind ~= "imei" and kind ~= "imeisv" then return nil end
  local imei = value:sub(1, IMEI_DIGITS)
  if kind == "imeisv" or not phone.imeisv or phone.imeisv:sub(1, IMEI_DIGITS) ~= imei then phone.imeisv = value end
  return imei
end

-- --- authentication

function proof.steps.fetch_vectors(phone, run)
  local pending = phone.pending
  phone.phones.hlr:ask(run, phone, "auth_info", { auts = pending.auts, rand = pending.auts and pending.vector.rand,
    vectors = VECTORS })
end

-- A vector without its RAND, its SRES or its Kc is left out.
function proof.steps.take_vectors(phone, _, message)
  local vectors = {}
  for _, tuple in ipairs(message.tuples) do
    if tuple.rand and tuple.sres and tuple.kc then vectors[#vectors + 1] = aka.pack(tuple) end
  end
  phone.vectors, phone.vectors_of = table.concat(vectors), phone.imsi
  if #vectors == 0 then phone.pending.cause = NETWORK_FAILURE end
end

-- The cause that a phone is told for that of an HLR. Of the others in §10.5.5.14 some are a phone's own (20, 21, 23),
-- and 9 and 10 would make it attach again at once. The clause names no cause in their place: it is 17, after which
-- the phone tries again by T3311. For 95 to 111 it is 111, as the HLR would find the same fault in the next message:
-- the phone waits for T3302.
local function told_of(cause)
  if TOLD[cause] or cause >> 4 == 3 then return cause end
  return cause >= WRONG_MESSAGE and cause <= PROTOCOL_ERROR and PROTOCOL_ERROR or NETWORK_FAILURE
end

function proof.steps.take_error(phone, run, message)
  if not message then phone.phones.hlr:no_answer(run, phone) end
  local cause = message and message.cause or NETWORK_FAILURE
  phone.pending.cause = told_of(cause)
  if phone.pending.cause == cause then return end
  run:count("hlr_cause_not_told")
  run:log_of("gmm", "info", "%s: the HLR's cause %d is not one for a phone, which is told %d", phone.imsi, cause,
    phone.pending.cause)
end

-- Another number than that of the key that the phone holds (24.008 §10.5.1.2), which its request names; a second
-- challenge comes behind the first one.
local function next_cksn(phone, pending)
  local held = not pending.vector and pending.request.cksn or nil
  if not held or held >= NO_KEY then held = phone.cksn or -1 end
  return (held + 1) % NO_KEY
end

-- A vector is used once (33.102 §6.3.2).
function proof.steps.send_challenge(phone, run)
  local pending = phone.pending
  local vector
  vector, phone.vectors = aka.unpack_first(phone.vectors)
  phone.cksn = next_cksn(phone, pending)
  pending.vector, pending.is_umts = vector, aka.is_umts(vector, phone.is_r99)
  phone.reference = ((phone.reference or 0) + 1) & 15
  proof.steps.send_challenge_again(phone, run)
end

function proof.steps.send_challenge_again(phone, run)
  local pending = phone.pending
  send(phone, run, { message = "auth_request", algorithm = phone.algorithm, imeisv_request = 1, force_to_standby = 0,
    reference = phone.reference, rand = pending.vector.rand, cksn = phone.cksn,
    autn = pending.is_umts and pending.vector.autn or nil })
end

-- The key holds from the next frame on, downlink and uplink. A phone with a SIM that was told to use GEA/4 has no key
-- for it, and neither has the node: another challenge names the next algorithm.
local function take_proof(phone, run, message, module)
  local pending = phone.pending
  local key = aka.key_of(pending.vector, module, phone.algorithm)
  if not key then
    pending.has_sim = true
    return run:count("sim_without_kc128")
  end
  pending.is_authentic, phone.key = true, phone.algorithm > 0 and key or nil
  phone.umts_keys = module == "usim" and phone.phones.pool.has_eutran and pending.vector.ck .. pending.vector.ik or nil
  pending.imei = take_equipment(phone, message.imeisv)
  if pending.is_restarted then run:emit({ op = "ms_llc_reset", mobile = phone.mobile }) end
  run:emit({ op = "phone_cipher", mobile = phone.mobile, algorithm = phone.algorithm, key = key })
  run:count("authenticated")
end

function proof.steps.judge_response(phone, run, message)
  local pending, phones = phone.pending, phone.phones
  local module = aka.judge(pending.vector, message, pending.is_umts)
  if module then return take_proof(phone, run, message, module) end
  run:count("wrong_response")
  local kind = phones.wire.identity(pending.request.identity or "")
  if kind == "tmsi" and not pending.was_asked then
    pending.was_asked, pending.wants_identity, phone.vectors = true, true, nil
  else
    pending.cause, pending.is_illegal = ILLEGAL_MS, true
  end
end

function proof.steps.take_failure(phone, run, message)
  local pending = phone.pending
  run:count("auth_failure")
  phone.vectors = nil
  if pending.has_failed then
    pending.cause, pending.is_illegal = ILLEGAL_MS, true
  elseif message.cause == SYNCH_FAILURE and message.auts then
    pending.auts = message.auts
  else
    pending.wants_identity = true
  end
  pending.has_failed = true
end

-- --- equipment

function proof.steps.send_imei_request(phone, run)
  send(phone, run, { message = "identity_request", identity_type = IMEI_TYPE, force_to_standby = 0 })
end

function proof.steps.take_imei(phone, _, message)
  local pending, settings = phone.pending, phone.phones.config
  pending.imei, pending.is_imei_asked = take_equipment(phone, message.identity), true
  if settings.check_imei and not pending.imei then pending.cause = ILLEGAL_ME end
end

-- The digits as the value of a called number of MAP: a length, then two digits in an octet, the first in its low half.
function proof.steps.ask_about_imei(phone, run)
  local digits = phone.pending.imei:gsub("(%d)(%d)", function(a, b) return string.char(tonumber(b .. a, 16)) end)
  phone.phones.hlr:ask(run, phone, "check_imei", { imei = string.char(#digits) .. digits })
end

function proof.steps.note_imei(phone, run, message)
  if message.imei_result == IMEI_WANTED then
    phone.pending.is_imei_checked = true
  else
    phone.pending.cause = ILLEGAL_ME
    run:count("imei_refused")
  end
end

return proof
