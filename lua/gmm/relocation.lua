-- SPDX-License-Identifier: BSD-3-Clause
-- Phones that come from another SGSN and go to one (23.060 §6.9.1.2.2): steps of gmm.machine, and what other SGSNs say.
-- Messages of GTP-C are tables of the codec wire.gtpc; lua/gn/sgsns.lua sends them.
--
-- New SGSN: `pending.other`, an entry of phones.pool.others, is asked; its answer has the IMSI and, of an update, the
-- contexts, which are taken over when the phone is authentic. Old SGSN: the phone is held and described, and when the
-- new one has acknowledged, its N-PDUs are forwarded for phones.pool.hold.
--
--   relocation.steps                    { name = step(phone, run, arg) }, actions of the machine
--   relocation.begin(phone, run)        a request of the phone begins
--   relocation.needs_name(phone)        the other SGSN is to be found in DNS first
--   relocation.needs_answer(phone), relocation.may_ask(phone)   the other SGSN is to be asked; before the phone has
--                                       proven who it is
--   relocation.is_proven(phone)         the other SGSN's word is enough
--   relocation.take_over(phone, run)    the contexts that the other SGSN described are this node's
--   relocation.accepted(phone, run), relocation.complete(phone, run, message), relocation.failed(phone, run)   of the
--                                       procedure; message: COMPLETE, if there is one; it fails, too, where another
--                                       request takes its place
--   relocation.attached(phone, run)     the phone is accepted by an attach: no other SGSN has it
--   relocation.leave(phone, run)        the phone is forgotten
--   relocation.receive(p, run, event)   of gn.sgsns; p: gmm.phones
--   relocation.limits()                 p.limits: how often other SGSNs may ask

local aka = require "gmm.aka"
local allowance = require "base.allowance"
local records = require "base.records"

local relocation = { steps = {} }

local ACCEPTED <const>, IMSI_UNKNOWN <const>, NO_RESOURCES <const>, MISMATCH <const>, FAILED <const> = 128, 194, 199,
  206, 208
local DETACHED <const>, IMPLICITLY_DETACHED <const> = 195, 10
local LOCAL_TLLI <const>, FOREIGN_TLLI <const>, TLLI_BITS <const> = 0xc0000000, 0x80000000, 0x3fffffff
local GERAN <const>, NO_KEY <const>, KC_OCTETS <const> = 2, 7, 8
local UMTS_OCTETS <const> = 16
-- Security modes of an MM Context (29.060 §7.7.28).
local UMTS_CIPHERED <const>, KC_TRIPLETS <const>, KC_QUINTUPLETS <const> = 0, 1, 3
local NO_DRX <const> = "\0\0" -- of a phone that has told none: it always listens
local VECTORS <const> = 5
local NO_TEID <const> = 0xffffffff -- of an MME, which takes no N-PDUs

local function order(phone, run, fields)
  fields.mobile = phone.mobile
  run:emit({ op = "gn_sgsn", mobile = phone.mobile, octets = records.pack(fields) })
end

local function hold(phone, run, is_held)
  phone.is_held = is_held or nil
  run:emit({ op = "ms_hold", mobile = phone.mobile, held = is_held })
end

-- --- the new SGSN

-- The P-TMSI that a request names: of an update by its TLLI, of an attach by its identity.
local function p_tmsi_of(phone)
  local pending = phone.pending
  if pending.kind == "rau" then
    return phone.heard >= FOREIGN_TLLI and LOCAL_TLLI | phone.heard & TLLI_BITS or nil
  end
  local kind, value = phone.phones.wire.identity(pending.request.identity)
  return kind == "tmsi" and value or nil
end

-- A phone that this node does not know, or that another SGSN has taken over meanwhile.
function relocation.begin(phone, run)
  local pending, p = phone.pending, phone.phones
  if phone.has_left then
    pending.p_tmsi, pending.is_returning = p_tmsi_of(phone), pending.kind == "rau"
    local can_be_asked = p:is_rai(pending.request.old_rai) and (pending.is_returning or pending.p_tmsi)
    pending.other = can_be_asked and p.pool:by_address(phone.departure) or nil
    -- A reload has removed that SGSN: it counts as silent.
    if pending.is_returning and not pending.other then pending.contexts, pending.is_moving = {}, true end
    return
  end
  if phone.departure then relocation.steps.stay(phone, run) end
  local p_tmsi = p_tmsi_of(phone)
  if phone.imsi or not p_tmsi or not pending.request.old_rai then return end
  pending.other, pending.p_tmsi = p:sgsn_of(p_tmsi, pending.request.old_rai), p_tmsi
  pending.name = not pending.other and p:name_of_area(pending.request.old_rai) or nil
end

function relocation.needs_name(phone)
  return phone.pending.name and not phone.pending.is_looked_up
end

function relocation.needs_answer(phone)
  return phone.pending.other and not phone.pending.is_told
end

function relocation.may_ask(phone)
  local pending = phone.pending
  return relocation.needs_answer(phone) and not (pending.is_returning or pending.needs_proof)
end

-- --- its name in DNS

local MOBILE_BITS <const> = 22

-- An answer holds for the question alone that has its id. Ids do not begin at 1, as those before a restart of control.
local function new_lookup(phone, run)
  local p = phone.phones
  p.lookups = (p.lookups or run.now // 1000000) + 1
  return (p.lookups & 0xFFFFFFFFFF) << MOBILE_BITS | phone.mobile
end

-- The phone that waits for the answer to a question; nil: none does any more.
function relocation.of_lookup(p, id)
  local phone = p.by_mobile[id & (1 << MOBILE_BITS) - 1]
  return phone and phone.pending and phone.pending.lookup == id and phone or nil
end

function relocation.steps.look_up(phone, run)
  local dns, servers = phone.phones.config.pool.dns, {}
  for i, server in ipairs(dns.servers) do
    servers[i] = (server:find(":", 1, true) and "[%s]:%d" or "%s:%d"):format(server, dns.port)
  end
  run:count("sgsn_looked_up")
  phone.pending.lookup = new_lookup(phone, run)
  run:emit({ op = "dns_ask", id = phone.pending.lookup, name = phone.pending.name, servers = table.concat(servers, ","),
    ipv6 = phone.phones.config.pool.address:find(":", 1, true) ~= nil })
end

-- An address outside of the networks of SGSNs does not count.
function relocation.steps.take_address(phone, run, address)
  local pending = phone.pending
  pending.is_looked_up = true
  pending.other = address and phone.phones.pool:by_address(address) or nil
  if pending.other then return end
  run:count("sgsn_not_found")
  if pending.kind == "rau" then pending.cause = IMPLICITLY_DETACHED end
end

-- --- the question

local function question_of(phone)
  local pending = phone.pending
  local request, is_validated = pending.request, pending.is_returning or pending.needs_proof or nil
  local message = { rai = request.old_rai, signature = request.signature }
  if pending.kind == "attach" then
    message.type, message.p_tmsi = "identification_request", pending.p_tmsi
    return message
  end
  message.type, message.rat_type = "context_request", GERAN
  message.tlli = phone.heard
  message.imsi, message.ms_validated = is_validated and phone.imsi or nil, is_validated
  return message
end

function relocation.steps.ask_other(phone, run)
  run:count("sgsn_asked")
  order(phone, run, { kind = "ask", theirs = phone.pending.other.address, message = question_of(phone) })
end

local function take_vectors(phone, tuples)
  local vectors = {}
  for i, tuple in ipairs(tuples or {}) do
    local vector = { rand = tuple.rand, sres = tuple.sres, kc = tuple.kc, ik = tuple.ik, ck = tuple.ck,
      autn = tuple.autn, res = tuple.xres }
    if vector.ck and vector.ik and not vector.kc then
      vector.kc, vector.sres = aka.kc_of(vector.ck, vector.ik), aka.sres_of(vector.res)
    end
    if i <= VECTORS and vector.rand and vector.kc and vector.sres then vectors[#vectors + 1] = aka.pack(vector) end
  end
  if #vectors > 0 then phone.vectors, phone.vectors_of = table.concat(vectors), phone.imsi end
end

-- An update need not name the phone's capabilities, which are judged again then, also if they are not told either. A
-- phone that was authenticated before they were known may have got no key for this reason.
local function take_capability(phone, capability)
  local pending = phone.pending
  if pending.request.ms_network_capability then return end
  pending.is_judged = false
  if (capability or "") == "" or capability == phone.capability then return end
  phone.capability, pending.is_authentic = capability, pending.is_authentic and phone.key ~= nil
end

-- The SGSN knows the phone, and has found its signature right.
local function take_contexts(phone, run, message)
  local pending, mm = phone.pending, message.mm or {}
  pending.contexts, pending.is_moving = message.contexts or {}, true
  pending.forwarder = message.control or message.from
  phone.imeisv = mm.imeisv or phone.imeisv
  pending.drx, pending.is_radio_told = mm.drx, nil
  take_capability(phone, mm.capability)
  take_vectors(phone, mm.quintuplets or mm.triplets)
  pending.is_signed_in_clear = pending.request.signature ~= nil and (mm.cipher or 0) == 0
  run:count("sgsn_told")
end

-- With phones.authenticate = "new" the signature is enough, as for a phone in clear that is registered here. It brings
-- no key: a phone that is ciphered, at the other SGSN or here, is authenticated. An MME's signature is a part of the
-- GUTI, and it tells no cipher of GPRS (23.003 §2.8.2.2). Its mapped keys (33.401 §10.2.1) are not used, as the HLR has
-- fresh ones.
function relocation.is_proven(phone)
  return phone.pending.is_signed_in_clear and phone.algorithm == 0 and phone.phones.config.authenticate == "new"
end

local function take_identity(phone, message)
  take_vectors(phone, message.quintuplets or message.triplets)
end

-- It does not: an attach asks the phone; an update is refused, unless the phone can prove itself.
local function take_refusal(phone, run, cause)
  local pending = phone.pending
  run:count(cause and "sgsn_refused_" .. cause or "sgsn_silent")
  if pending.is_returning then
    pending.contexts, pending.is_moving = {}, true
  elseif pending.kind == "rau" and cause == MISMATCH and not pending.needs_proof and phone.phones.policy.hlr then
    pending.needs_proof, pending.is_told = true, false
  elseif pending.kind == "rau" then
    pending.cause = IMPLICITLY_DETACHED
  end
end

function relocation.steps.take_answer(phone, run, message)
  local pending = phone.pending
  local is_known = message.cause == ACCEPTED and message.imsi ~= nil
    and (not phone.imsi or message.imsi == phone.imsi)
  pending.is_told = true
  if not is_known then return take_refusal(phone, run, message.cause) end
  phone.imsi = message.imsi
  if pending.kind == "rau" then take_contexts(phone, run, message) else take_identity(phone, message) end
end

function relocation.steps.take_silence(phone, run)
  phone.pending.is_told = true
  take_refusal(phone, run)
end

-- Nothing is sent to the phone before it has its new TLLI. One that returns has its contexts here.
function relocation.take_over(phone, run)
  local pending, p = phone.pending, phone.phones
  if not pending.contexts or pending.is_taken then return end
  pending.is_taken = true
  hold(phone, run, true)
  local theirs = pending.other and pending.other.address or phone.departure
  if phone.has_left then
    phone.has_left, phone.departure, phone.gone_at = nil, nil, nil
    p.contexts:claim(phone, run)
  end
  local nsapis = p.contexts:take(phone, run, pending.contexts, pending.forwarder)
  p.arrivals[phone.imsi], phone.has_forwarder = phone, true
  if pending.other then order(phone, run, { kind = "acknowledge", cause = ACCEPTED, nsapis = nsapis }) end
  run:log_of("gmm", "info", "%s: comes from SGSN %s, contexts: %d", phone.imsi, theirs, #nsapis)
  run:count("sgsn_arrived")
end

local function end_arrival(phone)
  local arrivals, imsi = phone.phones.arrivals, phone.imsi
  if imsi and arrivals[imsi] == phone then arrivals[imsi] = nil end
end

-- From ACCEPT on it is registered here, also if its COMPLETE is lost (24.008 §4.7.5.1.6 c).
function relocation.accepted(phone, run)
  if not phone.pending.is_taken then return end
  end_arrival(phone)
  phone.phones.contexts:settle(phone, run)
  if phone.was_registered then return end
  phone.was_registered = true
  phone.phones.admission:note(phone, false)
end

function relocation.complete(phone, run, message)
  if not phone.is_held then return end
  local contexts, numbers = phone.phones.contexts, message and message.received_n_pdus
  if numbers then contexts:confirm(phone, run, numbers) end
  hold(phone, run, false)
  contexts:arrived(phone, run)
end

function relocation.failed(phone, run)
  local pending = phone.pending
  if not pending.other then return end
  if pending.contexts and not pending.is_taken then order(phone, run, { kind = "acknowledge", cause = FAILED }) end
  order(phone, run, { kind = "forget" })
  pending.other = nil
end

-- --- the old SGSN

local function answer(run, mobile, fields)
  run:emit({ op = "gn_sgsn", mobile = mobile, octets = records.pack({ kind = "answer", ref = fields.ref,
    is_stranger = fields.is_stranger, message = fields.message }) })
end

local NO_MOBILE <const> = 0 -- an answer without contexts needs none

local function refuse(run, ref, cause, is_stranger)
  run:count("sgsn_refused_by_us_" .. cause)
  answer(run, NO_MOBILE, { ref = ref, is_stranger = is_stranger, message = { cause = cause } })
end

-- Vectors are used once: what is told is forgotten here (33.102 §6.3.2).
local function tuples_of(phone)
  local triplets, quintuplets, rest = {}, {}, phone.vectors_of == phone.imsi and phone.vectors or ""
  while #rest > 0 and #triplets + #quintuplets < VECTORS do
    local vector
    vector, rest = aka.unpack_first(rest)
    if vector.autn and vector.ck and vector.ik and vector.res then
      quintuplets[#quintuplets + 1] = { rand = vector.rand, xres = vector.res, ck = vector.ck, ik = vector.ik,
        autn = vector.autn }
    else
      triplets[#triplets + 1] = { rand = vector.rand, sres = vector.sres, kc = vector.kc }
    end
  end
  phone.vectors = nil
  if #quintuplets > 0 then return nil, quintuplets end
  return triplets, nil
end

-- The keys: CK and IK, which an MME needs, where they are kept, else Kc. A key of GEA/4 has no place in an MM Context:
-- the new SGSN finds no key, and authenticates the phone.
local function take_keys(phone, mm)
  local keys, has_kc = phone.umts_keys, phone.key ~= nil and #phone.key == KC_OCTETS
  mm.cipher = phone.key and phone.algorithm or 0
  if keys and not mm.triplets then
    mm.mode, mm.cksn, mm.ck, mm.ik = UMTS_CIPHERED, phone.cksn, keys:sub(1, UMTS_OCTETS), keys:sub(UMTS_OCTETS + 1)
    return mm
  end
  mm.mode, mm.cksn = mm.quintuplets and KC_QUINTUPLETS or KC_TRIPLETS, has_kc and phone.cksn or NO_KEY
  mm.kc = has_kc and phone.key or ("\0"):rep(KC_OCTETS)
  return mm
end

local function mm_of(phone)
  local triplets, quintuplets = tuples_of(phone)
  if phone.umts_keys and triplets and #triplets == 0 then triplets, quintuplets = nil, {} end
  return take_keys(phone, { triplets = triplets, quintuplets = quintuplets, drx = phone.drx or NO_DRX,
    capability = phone.capability or "\0", imeisv = phone.imeisv })
end

-- asked: { ref =, message =, theirs =, is_held = }. The answer has the N-PDU numbers from which on nothing is sent, or
-- none: then N-PDUs of acknowledged mode are numbered from 0 on. Questions that come meanwhile are answered with it.
function relocation.steps.hold_back(phone, run, asked)
  local questions = phone.questions or {}
  questions[#questions + 1] = asked.ref
  phone.questions, phone.departure, phone.described = questions, asked.theirs, asked.ref
  phone.phones.departures[asked.ref] = { phone = phone, theirs = asked.theirs }
  if asked.is_held then hold(phone, run, true) elseif #questions == 1 then run:post(phone.fsm, "held", {}) end
end

-- numbers: by NSAPI, { send =, receive = } of contexts in acknowledged mode.
function relocation.steps.describe(phone, run, numbers)
  for _, ref in ipairs(phone.questions or {}) do
    answer(run, phone.mobile, { ref = ref, message = { cause = ACCEPTED, imsi = phone.known, mm = mm_of(phone),
      contexts = phone.phones.contexts:describe(phone, numbers) } })
    run:count("sgsn_described")
  end
  phone.questions = nil
end

function relocation.steps.refuse_asked(_, run, asked)
  refuse(run, asked.ref, IMSI_UNKNOWN)
end

-- It stays here: its new SGSN has not acknowledged, or has refused it.
function relocation.steps.stay(phone, run)
  relocation.steps.describe(phone, run, {}) -- what still waits for an answer
  phone.departure = nil
  if phone.is_held then hold(phone, run, false) end
  run:count("sgsn_stayed")
  if phone.is_cancelled then return run:post(phone.fsm, "cancelled") end
  local departure = phone.phones.departures[phone.described]
  if not departure or departure.phone ~= phone then phone.described = nil end -- the exchange is over
end

-- The HLR may hear of the new SGSN before this one does.
function relocation.steps.note_early_cancel(phone)
  phone.is_cancelled = true
end

-- tunnels: of the SGSN Context Acknowledge. A context without one is not taken over, and ends.
function relocation.steps.forward(phone, run, told)
  local p, tunnels = phone.phones, {}
  for _, tunnel in ipairs(told.tunnels or {}) do tunnels[tunnel.nsapi] = tunnel end
  phone.has_left, phone.located_at, phone.departure = true, nil, told.theirs or told.from
  phone.gone_at = run.now + p.durations.hold
  hold(phone, run, true)
  p.contexts:forward(phone, run, function(nsapi)
    local tunnel = tunnels[nsapi]
    local is_wanted = tunnel and p.pool.settings.forward and tunnel.teid ~= 0 and tunnel.teid ~= NO_TEID
    return tunnel ~= nil, is_wanted and (tunnel.user or told.user) or nil, tunnel and tunnel.teid
  end)
  run:log_of("gmm", "info", "%s: has gone to SGSN %s", phone.imsi or phone.known, phone.departure)
  run:count("sgsn_left")
end

-- The HLR says that the phone is with another SGSN: perhaps with the one that it was described to, whose
-- acknowledgement is late.
function relocation.steps.note_cancelled(phone)
  phone.has_left = phone.has_left or phone.described ~= nil or nil
end

-- A phone that another SGSN has is forgotten without a word to its GGSNs or the HLR.
function relocation.leave(phone, run)
  end_arrival(phone)
  for _, ref in ipairs(phone.questions or {}) do refuse(run, ref, IMSI_UNKNOWN) end
  phone.questions = nil
  phone.departure = nil -- phones.departures has it until the other SGSN can ask no more
  if not phone.has_left then return end
  phone.is_purged = nil
  phone.phones.contexts:abandon(phone, run)
end

function relocation.attached(phone, run)
  if not phone.has_left then return end
  phone.has_left, phone.departure, phone.gone_at = nil, nil, nil
  hold(phone, run, false)
end

-- The procedure by which a phone arrives ends here, since another SGSN has taken it over meanwhile.
function relocation.steps.give_up_arrival(phone, run, asked)
  refuse(run, asked.ref, IMSI_UNKNOWN)
  if not phone.pending or not phone.pending.is_taken then return end
  phone.has_left, phone.departure = true, asked.theirs
  run:post(phone.fsm, "moved_on")
end

local events = {}

-- The phone that a question is about, and the P-TMSI and the area that it names.
local function find(p, message)
  local p_tmsi = message.p_tmsi or message.tlli and LOCAL_TLLI | message.tlli & TLLI_BITS
  if message.ms_validated and message.imsi then
    return p.by_imsi[message.imsi] or p.arrivals[message.imsi], p_tmsi
  end
  return p_tmsi and p:claimed_by(p_tmsi, message.rai) or nil, p_tmsi
end

-- The address of an SGSN can be forged. So there are limits: for each phone, of descriptions that are not acknowledged
-- and hold its N-PDUs, beyond which one holds nothing, as a forged one must not keep the phone from its new SGSN; of
-- wrong signatures, whose 24 bits take 5 years to try then; for all phones, of descriptions that hold nothing, each of
-- which is an exchange for a minute (gn.sgsns has 4096); and for each SGSN, of questions that are relayed, as for its
-- PDUs of RIM.
local S <const>, MS <const> = 1000000000, 1000000

function relocation.limits()
  return { holds = allowance.new(3, 30 * S), signatures = allowance.new(3, 10 * S),
    described = allowance.new(50, 20 * MS), relays = allowance.new(50, 20 * MS) }
end

-- A wrong signature leaves the right one as it is; beyond the allowance none is tested.
local function is_signed(phone, run, message)
  if message.ms_validated and message.imsi then return true end
  local signatures = phone.phones.limits.signatures
  if not signatures:take(phone, run.now) then
    run:count("sgsn_signature_limit")
    return false
  end
  local is_right = phone.phones.has_signature(phone, message.signature)
  if is_right then signatures:give_back(phone) end
  return is_right
end

-- SGSNs that DNS may name share one allowance.
local function relay(p, run, event, other)
  local key = p.pool.addresses[event.from] and event.from or "others"
  if not p.limits.relays:take(key, run.now) then
    run:count("sgsn_relay_limit")
    return refuse(run, event.ref, NO_RESOURCES)
  end
  run:count("sgsn_relayed")
  run:emit({ op = "gn_sgsn", mobile = NO_MOBILE, octets = records.pack({ kind = "relay", ref = event.ref,
    theirs = other.address }) })
end

local function identify(phone, run, ref)
  local triplets, quintuplets = tuples_of(phone)
  answer(run, NO_MOBILE, { ref = ref, message = { cause = ACCEPTED, imsi = phone.known, triplets = triplets,
    quintuplets = quintuplets } })
  run:count("sgsn_identified")
end

function events.asked(p, run, event)
  local message, ref = event.message, event.ref
  local theirs = event.theirs or event.from
  if not p.pool:by_address(event.from) or not p.pool:by_address(theirs) then
    run:count("sgsn_stranger")
    return refuse(run, ref, IMSI_UNKNOWN, true)
  end
  local phone, p_tmsi = find(p, message)
  local other = not phone and p_tmsi and p:sgsn_of(p_tmsi, message.rai)
  if other and other.address ~= theirs and other.address ~= event.from then return relay(p, run, event, other) end
  if not phone then return refuse(run, ref, IMSI_UNKNOWN) end
  -- A phone in offload has sent its COMPLETE to the SGSN that asks, and uses the P-TMSI of ACCEPT.
  if phone.pending and phone.p_tmsi_new and phone.p_tmsi_new == p_tmsi then run:tell(phone.fsm, "rx_complete") end
  if not phone.was_registered and not p.arrivals[message.imsi or ""] then return refuse(run, ref, DETACHED) end
  if not is_signed(phone, run, message) then return refuse(run, ref, MISMATCH) end
  if message.type == "identification_request" then return identify(phone, run, ref) end
  local is_held = p.limits.holds:take(phone, run.now)
  if not is_held then run:count("sgsn_hold_limit") end
  if not is_held and not p.limits.described:take(p, run.now) then
    run:count("sgsn_describe_limit")
    return refuse(run, ref, NO_RESOURCES)
  end
  run:tell(phone.fsm, "asked_for", { ref = ref, message = message, theirs = theirs, is_held = is_held })
end

function events.acknowledged(p, run, event)
  local departure = p.departures[event.ref]
  if not departure then return end
  local phone = departure.phone
  event.theirs = departure.theirs
  p.limits.holds:give_back(phone)
  if event.cause ~= ACCEPTED and phone.described == event.ref then phone.described = nil end
  run:tell(phone.fsm, event.cause == ACCEPTED and "left" or "kept", event)
end

function events.unacknowledged(p, run, event)
  local departure = p.departures[event.ref]
  if departure then run:tell(departure.phone.fsm, "kept") end
end

function events.closed(p, _, event)
  local departure = p.departures[event.ref]
  p.departures[event.ref] = nil
  if departure and departure.phone.described == event.ref then departure.phone.described = nil end
end

function events.told(p, run, event)
  local phone = p.by_mobile[event.mobile]
  if not phone then return end
  if not p.pool:by_address(event.from) then
    run:count("sgsn_stranger")
    return run:tell(phone.fsm, "other_silent")
  end
  run:tell(phone.fsm, "other_told", event.message)
end

function events.done(p, run, event)
  local phone = p.by_mobile[event.mobile]
  if not phone or not phone.has_forwarder then return end
  phone.has_forwarder = nil
  p.contexts:part(phone, run)
end

function events.silent(p, run, event)
  local phone = p.by_mobile[event.mobile]
  if phone then run:tell(phone.fsm, "other_silent") end
end

function relocation.receive(p, run, event)
  events[event.event](p, run, event)
end

return relocation
