-- SPDX-License-Identifier: BSD-3-Clause
-- The phones of a node: GMM and SM of 24.008 on LLC SAPI 1, SMS of 24.011 on SAPI 7, and GSUP towards an HLR.
--
--   local p = phones.new(config, wire, random, is_listed)   the checked configuration with `phones`; wire:
--                                                     wire.phone; random(limit): an integer in 1 .. limit that peers
--                                                     cannot predict; is_listed(imsi): a mobile of mobiles.list has it
--   p:start(now)
--   p:set(name, value)                                a value that a reload has changed: "t3313", "t3313_retries",
--                                                     "ready_timer" (0: never)
--   p:cell_add(nsei, bvci, { mcc =, mnc =, lac =, rac = }), p:cell_del(nsei, bvci)   cells besides the configured ones
--   p:admit(tlli, nsei, bvci, octets, now)            a message of a TLLI that no worker knows, "" another frame: -1
--                                                     drop it, -2 make a mobile, else the mobile whose TLLI it is
--   p:add(mobile, tlli, nsei, bvci, now)              the mobile was made; 'mobile' is its slot
--   p:stray(mobile, ciphered, now)                    that phone sent another frame than a message in clear
--   p:frame(mobile, from, ciphered, octets, now)      a message of it; from: { tlli =, nsei =, bvci =, restarted = },
--                                                     TLLI and cell; restarted: its LLC may have begun again
--   p:context_up(mobile, nsapi, given, now)           given: { ipv4 =, ipv6 =, pco =, class =, qos = }
--   p:context_class(mobile, nsapi, given, now)        likewise, and cause: of GTP-C, another one was refused; 0: none
--   p:context_modify(mobile, nsapi, asked, now)       its GGSN asks for a modification (sm.modification)
--   p:context_llc(mobile, nsapi, is_set, now)         whether it has the mode of LLC that was asked for
--   p:context_llc_lost(mobile, nsapi, now)            it has lost acknowledged mode
--   p:context_down(mobile, nsapi, cause, now)         refused (cause of GTP-C), not answered or its answer
--                                                     refused here (0), lost (-1), deleted by its GGSN for good (-2)
--   p:reached(mobile, now)                            after ms_wanted, or a page: it is in READY
--   p:suspended(mobile, now)                          it is not to be sent to before it is reached, or sends a message
--   p:listed(imsi, now)                               mobiles.list is about to have it: a phone gives way
--   p:plan(order), p:act(order, id, now)              an operator's act (gmm.acts)
--   p:held(mobile, numbers, now)                      of ms_hold; numbers: { { nsapi =, send =, receive = } ... } of
--                                                     acknowledged mode
--   p:resolved(id, address, now)                      of dns_ask; nil: the name has no address
--   p:sgsn(octets, now)                               what another SGSN says (gn.sgsns)
--   p:hlr_up(now), p:hlr_down(now), p:hlr_octets(octets, now)   the TCP connection
--   p:adopt(key, text, now), p:adopted(now), p:has(mobile)   after a restart of control, before start() (below)
--   p:advance(now), p:next_at()                       timers
--   p:detail(mobile, now), p:mobile_of_p_tmsi(p_tmsi) of one phone (gmm.detail); the mobile with a P-TMSI, nil
--   p:hlr_state(), p:pool_state(), p:list(), p:report()   what there is to show, by the rows `hlr`, `pool`,
--                                                     `subscribers`, `phone_counts` of gmm.shown; nil: no such thing
-- Inputs with `now` but admit return intents, in order:
--   { op = "phone_send", mobile =, ciphered =, octets =, sapi =, nsei =, bvci =, tlli = }   a message; without sapi on
--                                                           SAPI 1; with cell and TLLI if they may be others than the
--                                                           node's
--   { op = "acted", id =, done =, text = }, { op = "act_kept", id = }   an act has ended, or continues (base.acts)
--   { op = "phone_heard", mobile =, nsei =, bvci = }         it is proven to be in that cell
--   { op = "ms_wanted", mobile = }                           page it if it is in STANDBY
--   { op = "phone_cipher", mobile =, algorithm =, key = }
--   { op = "phone_tlli", mobile =, tlli =, keeps_old = }
--   { op = "phone_imsi", mobile =, imsi = }                  known and allowed from now on
--   { op = "phone_radio", mobile =, ra_capability =, drx = }   what it says of its radio, value parts; nil: nothing
--   { op = "phone_page", mobile =, imsi = }                  page that IMSI in its cell: it attaches again
--   { op = "ms_llc_reset", mobile = }                        what is expected of it begins at N(U) = 0
--   { op = "phone_del", mobile = }
--   { op = "phone_record", mobile =, attached =, imsi =, ... }   a charging record (32.298)
--   { op = "phone_pdp_add", mobile =, nsapi =, sapi =, ..., wanted = (gn.sessions) }
--   { op = "phone_pdp_modified", mobile =, nsapi =, cause =, class =, qos =, pco = }   the answer to context_modify
--   { op = "phone_pdp_del", mobile =, nsapi =, moved = }
--   { op = "ms_hold", mobile =, held = }                     its users' packets wait
--   { op = "phone_pdp_from", mobile =, nsapi =, forwarder = }   an address forwards those of a context; nil: none does
--   { op = "phone_pdp_forward", mobile =, nsapi =, ggsn =, ggsn_teid = }   those of a context go to another SGSN
--   { op = "dns_ask", id =, name =, servers = "ADDRESS:PORT,...", ipv6 = }   the address of a name
--   { op = "gn_sgsn", mobile =, octets = }                   an order of gn.sgsns
--   { op = "hlr_open", address =, port = }, { op = "hlr_send", octets = }, { op = "hlr_close" }
--   { op = "fault", text = }                                 a record that it could not take: an error of Lua

local admission = require "gmm.admission"
local detach = require "gmm.detach"
local fsm = require "base.fsm"
local gmm_acts = require "gmm.acts"
local gmm_detail = require "gmm.detail"
local gmm_history = require "gmm.history"
local gmm_identities = require "gmm.identities"
local gmm_machine = require "gmm.machine"
local gmm_octets = require "gmm.octets"
local gmm_offload = require "gmm.offload"
local gmm_phone = require "gmm.phone"
local node_pool = require "node.pool"
local gmm_standby = require "gmm.standby"
local gsup_link = require "gsup.link"
local records = require "base.records"
local relocation = require "gmm.relocation"
local sm_contexts = require "sm.contexts"
local sms_transactions = require "sms.transactions"
local tables = require "base.tables"
local timers = require "base.timers"
local trace = require "base.trace"

local phones = {}

local LISTED <const> = 17 -- network failure: the IMSI is one of mobiles.list, which needs no attach
local S <const> = 1000000000
local GMM <const>, SMS <const>, SM <const> = 8, 9, 10
local GMM_STATUS <const>, TYPE_OCTETS <const> = 0x20, 2 -- octets up to the type of a message
local REJECTS <const> = { [0x01] = "attach_reject", [0x08] = "rau_reject" } -- by the type of the request
local CP <const>, SMS_SAPI <const> = { cp_data = true, cp_ack = true, cp_error = true }, 7
local READY <const> = 44 * S -- T3314 that is not configured
local HOLD <const>, OTHER <const> = 10 * S, 2 * S -- without phones.pool, where nothing is asked
local HLR_RETRY <const>, HLR_PING <const>, HLR_ACK <const>, HLR_PAUSE <const> = S, 20 * S, S, S // 5
local LLC <const> = 5 * S -- a worker that does not answer by then has no link
local OTHER_TIMES <const>, REPEATS <const> = 2, 4 -- questions to another SGSN (gn.sgsns); of 24.008 §11.2.2
local FOREVER <const> = 10 * 365 * 86400 * 1000000000
local REFUSE <const>, NEW <const>, ABNORMAL <const> = -1, -2, 4 -- verdicts of admit(); causeForRecClosing of 32.298

-- Which phones may attach, by phones.policy of the configuration.
--
--   local p = new_policy(settings, is_listed)   config.phones; is_listed: of phones.new()
--   p:refusal(imsi)                the cause of the refusal, nil: it may
--   p.msisdns[imsi]                its MSISDN, where no HLR has it
--   p.hlr                          the HLR that decides, and by which phones are authenticated; false: none

local Policy = {}
Policy.__index = Policy

local function new_policy(settings, is_listed)
  local listed, msisdns = {}, {}
  for _, imsi in ipairs(settings.imsis) do listed[imsi] = true end
  for _, subscriber in ipairs(settings.policy ~= "hlr" and settings.subscribers or {}) do
    msisdns[subscriber.imsi] = subscriber.msisdn
  end
  return setmetatable({ kind = settings.policy, listed = listed, msisdns = msisdns, is_listed = is_listed,
    cause = settings.reject_cause, hlr = settings.policy == "hlr" and gsup_link.name_of(settings.hlr) }, Policy)
end

function Policy:refusal(imsi)
  if self.is_listed(imsi) then return LISTED end
  if self.kind == "list" and not self.listed[imsi] then return self.cause end
  return nil
end

-- Phones after a restart of control: takes over what the records say (base.records). A phone that is registered, or
-- was sent its ACCEPT, notices nothing. One in an earlier step of an attach is forgotten, as if its messages had been
-- lost: it attaches again when its timer T3310 expires (24.008 §4.7.3.1.5).
--
--   adopt_record(p, run, key, text)   one record; p: the phones
--   adopt_finish(p, run)              after the last one

local function index(p, phone)
  p:enter_identities(phone)
  if not phone.was_registered then p.admission:note(phone, true) end
end

local function adopt_phone(p, run, kept)
  local phone = gmm_phone.new(p.class, kept.mobile, kept.tlli, kept)
  for field, value in pairs(kept) do
    if field ~= "state" then phone[field] = value end
  end
  p:enter(phone)
  index(p, phone)
  run:restore(phone.fsm, kept.state)
end

-- Contexts and short messages come before or after their phone.
local function adopt_record(p, run, _, text)
  local kept = records.unpack(text)
  if kept.offload then
    p.offload:adopt(run, kept)
  elseif kept.apn_key then
    p.contexts.versions:adopt(run, kept)
  elseif kept.nsapi or kept.sms then
    p.ahead[#p.ahead + 1] = kept
  else
    adopt_phone(p, run, kept)
  end
end

local function adopt_finish(p, run)
  local function note(fault) run:emit({ op = "fault", text = tostring(fault) }) end
  for _, kept in ipairs(p.ahead) do
    local owner, phone = kept.sms and p.sms or p.contexts, p.by_mobile[kept.mobile]
    if phone then xpcall(owner.adopt, note, owner, run, phone, kept) end
  end
  p.ahead, p.hlr.is_adopted = {}, true
  p.offload:resume(run)
end

-- All phones of the node

local Phones = {}
Phones.__index = Phones

local EVENTS <const> = { attach_complete = "rx_complete", rau_complete = "rx_complete",
  p_tmsi_reallocation_complete = "rx_complete", identity_response = "rx_identity", auth_response = "rx_auth_response",
  auth_failure = "rx_auth_failure", ms_detach_accept = "rx_detach_accept" }

local function add_cells(p, config)
  for _, nse in ipairs(config.nses) do
    for _, cell in ipairs(nse.cells) do
      local id = cell.cell_id
      p:cell_add(nse.nsei, cell.bvci, { mcc = id.mcc, mnc = id.mnc, lac = id.lac, rac = id.rac })
    end
  end
end

local function durations_of(settings)
  local configured = settings.timers
  local out = { repeats = REPEATS, hlr_retry = HLR_RETRY, hlr_ping = HLR_PING, hlr_ack = HLR_ACK,
    hlr_pause = HLR_PAUSE, llc = LLC, llc_repeats = 0 }
  for name, value in pairs(settings.timers) do out[name] = value end
  local pool = settings.pool or { hold = HOLD, answer = OTHER }
  out.hold, out.other = pool.hold, (OTHER_TIMES + 1) * pool.answer
  out.implicit = configured.t3312 > 0 and configured.t3312 + configured.reachable or FOREVER
  return out
end

function phones.new(config, wire, random, is_listed)
  local settings = config.phones
  local ready = config.mobiles.ready_timer or READY
  local p = setmetatable({
    config = settings, wire = wire, random = random, timers = timers.new(true), counts = {},
    areas = {}, cells_of_area = {}, policy = new_policy(settings, is_listed),
    by_mobile = tables.large_map(),
    by_p_tmsi = tables.large_map(), by_imsi = tables.large_map({ key = "digits" }),
    admission = admission.new(config), pool = node_pool.new(settings.pool, random),
    durations = durations_of(settings), ahead = {}, arrivals = {}, departures = {}, limits = relocation.limits(),
    update_timer = gmm_octets.of_t3312(settings.timers.t3312), ready_timer = gmm_octets.of_timer(ready, FOREVER),
  }, Phones)
  p.history = gmm_history.new()
  p.observe, p.post_end = p.history.observe, gmm_phone.post_end
  p.class = gmm_phone.class_of(p)
  add_cells(p, config)
  p.contexts = sm_contexts.new(settings, p)
  p.sms = sms_transactions.new(config, wire, p)
  p.standby = gmm_standby.new(p.sms.durations, function(run, phone, message) p:transmit(run, phone, message) end)
  p.hlr, p.offload = gsup_link.new(settings, p), gmm_offload.new(p)
  trace.names(p)
  return p
end

-- --- runs

timers.give_runs(Phones)
gmm_identities.give(Phones)

local inputs = { adopt = adopt_record, adopted = adopt_finish }

function Phones:plan(order) return gmm_acts.plan(self, order) end

function Phones:has(mobile)
  return self.by_mobile[mobile] ~= nil
end

-- Other settings (config.phones), for what begins from now on. A phone that is registered stays so; its next attach or
-- routeing area update is judged by them.
function inputs.configure(p, run, settings)
  p.config = settings
  p.policy = new_policy(settings, p.policy.is_listed)
  p.admission:configure(settings)
  p.pool:configure(settings.pool)
  p.offload:configure(run)
  p.contexts:configure(run, settings)
  p.sms:configure(settings)
  for name, value in pairs(durations_of(settings)) do p.durations[name] = value end
  p.update_timer = gmm_octets.of_t3312(settings.timers.t3312)
  p.hlr:set_hlr(run, settings)
end

function inputs.start(p, run)
  if p.policy.hlr then p.hlr:open(run) end
end

-- --- tables

-- A cell that a reload adds, or deletes; with bvci 0 all cells of an NSE are deleted.
function Phones:cell_add(nsei, bvci, id)
  local key = nsei << 16 | bvci
  if self.areas[key] then self:count_area(self.areas[key], -1) else self.admission:note_cell(nsei, 1) end
  self.areas[key] = id
  self:count_area(id, 1)
end

function Phones:cell_del(nsei, bvci)
  for key, id in pairs(self.areas) do
    if key == nsei << 16 | bvci or bvci == 0 and key >> 16 == nsei then
      self:count_area(id, -1)
      self.areas[key] = nil
      self.admission:note_cell(nsei, -1)
    end
  end
end

-- --- values that a reload changes

function Phones:set(name, value)
  if name ~= "ready_timer" then return self.sms:set(name, value) end
  self.ready_timer = gmm_octets.of_timer(value > 0 and value or FOREVER, FOREVER)
end

-- A charging record of an attach or detach, where there are such records. Those of its contexts come before that of a
-- detach, and all of them before an answer to the phone.
function Phones:record(run, phone, is_attached)
  if not self.config.records or not is_attached and not phone.is_recorded then return end
  phone.is_recorded = is_attached
  if not is_attached then self.contexts:forget_all(phone, run) end
  run:emit({ op = "phone_record", mobile = phone.mobile, attached = is_attached, imsi = phone.imsi,
    msisdn = phone.msisdn or self.policy.msisdns[phone.imsi], imeisv = phone.imeisv,
    cause = phone.is_silent and ABNORMAL or 0 })
end

function Phones:remove(run, phone)
  self.contexts:forget_all(phone, run)
  self:record(run, phone, false)
  self.sms:forget_all(run, phone)
  self.standby:forget(run, phone)
  if phone.is_purged then self.hlr:purge(run, phone) end
  self.hlr:forget(run, phone)
  self:forget_identities(phone)
  if self.by_mobile[phone.mobile] == phone then self.by_mobile[phone.mobile] = nil end
  self.admission:note(phone, false)
  self.offload:note_gone(run)
  run:emit({ op = "phone_del", mobile = phone.mobile })
end

-- --- sending

-- place: as of send().
function Phones:transmit(run, phone, message, place)
  local is_sms, is_ciphered = CP[message.message], phone.key ~= nil and not admission.CLEAR[message.message]
  if fsm.trace then
    local category = is_sms and "sms" or message.ti and "sm" or "gmm"
    fsm.trace.message(run, category, phone, "phone", "sends " .. message.message)
  end
  local encode = is_sms and self.wire.cp_encode or message.ti and self.wire.sm_encode or self.wire.gmm_encode
  run:emit({ op = "phone_send", mobile = phone.mobile, ciphered = is_ciphered, octets = encode(message),
    sapi = is_sms and SMS_SAPI, nsei = place and place.nsei, bvci = place and place.bvci,
    tlli = place and phone.heard })
  if message.message == "p_tmsi_reallocation_command" then
    run:emit({ op = "phone_tlli", mobile = phone.mobile, tlli = gmm_identities.local_tlli(phone.p_tmsi_new),
      keeps_old = true })
  end
  run:count("sent_" .. message.message)
end

-- place: { nsei =, bvci = } of the cell it goes to, under the TLLI of the phone's last message; nil: the cell in which
-- the phone is, under the TLLI that the node has for it, if need be after a page, and never before an older one of the
-- same machine.
function Phones:send(run, phone, message, place)
  if not place and self.standby:is_needed(run, phone) then return self.standby:hold(run, phone, message) end
  self:transmit(run, phone, message, place)
end

function Phones:send_information(run, phone)
  local name = self.config.network_name
  if name then
    local octets = gmm_octets.of_name(name)
    self:send(run, phone, { message = "gmm_information", full_name = octets, short_name = octets })
  end
end

-- --- inputs

function Phones:admit(tlli, nsei, bvci, octets, now)
  local run = self:open_run(now)
  local phone, refusal = self:phone_of_tlli(tlli, octets), nil
  if octets ~= "" and not admission.is_of_interest(octets) then
    refusal = "admit_no_request"
  elseif not self:rai_of({ nsei = nsei, bvci = bvci }) then
    refusal = "admit_unknown_cell"
  elseif not phone and not REJECTS[octets:byte(2)] and self.pool:is_from_elsewhere(tlli) then
    refusal = "admit_in_offload" -- COMPLETE to the SGSN that tells it to go
  elseif not phone then
    refusal = self:is_before_update(tlli, octets) and "admit_before_update" or self.admission:refusal(nsei, bvci)
  end
  if refusal then run:count(refusal) end
  self:close_run(run)
  return refusal and REFUSE or phone and phone.mobile or NEW
end

function Phones:enter(phone)
  phone.fsm = fsm.new(gmm_machine, phone, nil, self.durations)
  self.by_mobile[phone.mobile] = phone
end

function inputs:add(run, mobile, tlli, nsei, bvci)
  local phone = gmm_phone.new(self.class, mobile, tlli, { nsei = nsei, bvci = bvci })
  self:enter(phone)
  self.admission:note(phone, true)
  run:tell(phone.fsm, "added")
end

-- A frame that is no message in clear, of a phone that the node does not know.
function inputs.stray(p, run, mobile, ciphered)
  p.by_mobile[mobile].heard_at = run.now
  run:tell(p.by_mobile[mobile].fsm, ciphered and "stray_ciphered" or "stray")
end

local function take_request(run, phone, message, octets, from)
  local kind = message.message == "attach_request" and "attach" or "rau"
  -- A request under the new P-TMSI shows that ACCEPT came (24.008 §4.7.5.1.3), whichever of the two is handled first.
  if phone.pending and gmm_identities.is_made_of(phone.heard, phone.p_tmsi_new) then
    run:tell(phone.fsm, "rx_complete")
  end
  local pending = phone.pending
  if pending and pending.octets == octets and pending.nsei == phone.nsei and pending.bvci == phone.bvci then
    run:count("repeated_request")
    return run:tell(phone.fsm, "rx_again")
  end
  if not admission.may_request(phone, run.now) then return run:count("request_limit") end
  -- A key holds with the numbers that it began with: those of a ciphered phone change when it is authenticated.
  if from.restarted and not phone.key then run:emit({ op = "ms_llc_reset", mobile = phone.mobile }) end
  run:tell(phone.fsm, "rx_" .. kind, { kind = kind, request = message, octets = octets, nsei = phone.nsei,
    bvci = phone.bvci, claim = message.identity or message.old_rai, is_restarted = from.restarted })
end

local function take_gmm(run, phone, message, octets, from)
  local event = message.message == "detach_request" and detach.event_of(phone, message) or EVENTS[message.message]
  if message.message == "attach_request" or message.message == "rau_request" then
    take_request(run, phone, message, octets, from)
  elseif phone.fsm.state == "fresh" and message.message ~= "detach_request" then
    run:tell(phone.fsm, "stray")
  elseif event then
    local objection = admission.objection(phone, message)
    if objection then return run:count(objection) end
    run:tell(phone.fsm, event, message)
  elseif message.message == "gmm_status" then
    run:log_of("gmm", "info", "%s: GMM STATUS, cause %d", phone.imsi or "?", message.cause)
  end
end

-- A message that cannot be read (24.008 §8.4, §8.5): a request gets its procedure's reject (§4.7.3.1.6 c and
-- §4.7.5.1.6 c), another one STATUS, except a STATUS, in its cell and under its TLLI. The phone keeps its state, as
-- anyone can send such a request; in the midst of a procedure a reject would end that. An unknown phone ends: messages
-- other than requests need no answer as the first ones (§8.1).
local function refuse_message(self, run, phone, from, fault)
  local reject, is_fresh = REJECTS[fault.kind], phone.fsm.state == "fresh"
  run:count("bad_message")
  phone.heard = from.tlli
  if reject and not phone.pending then
    self:send(run, phone, { message = reject, cause = fault.cause,
      force_to_standby = reject == "rau_reject" and 0 or nil }, from)
  elseif not reject and not is_fresh and fault.kind ~= GMM_STATUS then
    self:send(run, phone, { message = "gmm_status", cause = fault.cause }, from)
  end
  if is_fresh then run:tell(phone.fsm, "replaced") end
end

local function note_other(run, phone, from, message)
  run:count("tlli_of_another")
  run:log_of("gmm", "info", "TLLI %08x: %s in NSE %d BVCI %d waits, as %s has the TLLI in another routeing area",
    from.tlli, message.message, from.nsei, from.bvci, phone.imsi or "another phone")
end

-- The cell is that of the latest message, which the worker has checked.
local function note_message(run, phone, from)
  phone.heard, phone.nsei, phone.bvci = from.tlli, from.nsei, from.bvci
  run:tell(phone.fsm, "heard")
end

local function note_received(run, category, phone, message)
  if fsm.trace then
    local name = message and message.message or "a message that cannot be read"
    fsm.trace.message(run, category, phone, "phone", "received " .. name)
  end
end

local function take_sm(self, run, phone, octets)
  local message, _, cause, kind, ti, ti_flag = self.wire.sm_decode(octets, "ms")
  if phone.fsm.state == "fresh" then
    run:tell(phone.fsm, "stray")
  elseif not gmm_phone.is_served(phone) then
    run:count("sm_too_early")
  else
    note_received(run, "sm", phone, message)
    if message then run:count("rx_" .. message.message) end
    self.contexts:receive(run, phone, message or { type = kind, cause = cause, ti = ti, ti_flag = ti_flag }, octets)
  end
end

local function take_sms(self, run, phone, octets)
  if phone.fsm.state == "fresh" then
    run:tell(phone.fsm, "stray")
  elseif not gmm_phone.is_served(phone) then
    run:count("sms_too_early")
  else
    self.sms:receive(run, phone, octets)
  end
end

-- Whether a cell is in another routeing area than the one that a phone was accepted in.
local function is_other_area(self, phone, from)
  return self.config.area_checks and phone.area and phone.area ~= self:area_of(from)
end

function Phones:frame(mobile, from, ciphered, octets, now)
  local run, phone = self:open_run(now), self.by_mobile[mobile]
  local head = octets:byte(1) or 0
  if not phone or #octets == 0 then
    run:count(phone and "empty" or "unknown_mobile")
    return self:close_run(run)
  end
  phone.heard_at = now
  local message, _, cause, kind
  if head & 15 == GMM then message, _, cause, kind = self.wire.gmm_decode(octets, "ms") end
  if head & 15 == GMM and #octets < TYPE_OCTETS then
    run:count("too_short") -- 24.008 §8.2
  elseif from.restarted and not (head == GMM and REJECTS[octets:byte(2)]) then
    run:count("old_frame")
  elseif phone.key and not ciphered and not (REJECTS[kind] or message and admission.CLEAR[message.message]) then
    run:count("not_ciphered")
  elseif head & 15 ~= GMM and is_other_area(self, phone, from) then
    run:count("other_area")
  elseif head & 15 == SM or head & 15 == SMS then
    note_message(run, phone, from);
    (head & 15 == SM and take_sm or take_sms)(self, run, phone, octets)
    self.standby:reached(run, phone)
  elseif head ~= GMM then
    run:count("other_protocol")
  elseif not message then
    refuse_message(self, run, phone, from, { cause = cause, kind = kind })
  elseif self:is_of_owner(phone, from, message) then
    run:count("tlli_of_owner")
    run:tell(phone.fsm, "replaced")
  elseif self:is_of_another(phone, from, message) then
    note_other(run, phone, from, message)
  else
    note_received(run, "gmm", phone, message)
    note_message(run, phone, from)
    run:count("rx_" .. message.message)
    take_gmm(run, phone, message, octets, from)
    self.standby:reached(run, phone)
  end
  return self:close_run(run)
end

-- By the method of sm.contexts that takes what a GGSN or a worker says of a context.
for name, take in pairs({ context_up = "up", context_down = "down", context_class = "reclass", context_llc = "mode",
  context_llc_lost = "mode_lost", context_modify = "modify" }) do
  inputs[name] = function(p, run, mobile, ...)
    local phone = p.by_mobile[mobile]
    if phone then p.contexts[take](p.contexts, run, phone, ...) end
  end
end

function inputs.reached(p, run, mobile)
  local phone = p.by_mobile[mobile]
  if not phone then return end
  phone.heard_at = run.now
  p.sms:reached(run, phone)
  p.standby:reached(run, phone)
end

function inputs.suspended(p, _, mobile) if p.by_mobile[mobile] then p.by_mobile[mobile].heard_at = nil end end

function inputs.held(p, run, mobile, numbers)
  local phone, by_nsapi = p.by_mobile[mobile], {}
  for _, item in ipairs(numbers) do by_nsapi[item.nsapi] = item end
  if phone then run:tell(phone.fsm, "held", by_nsapi) end
end

function inputs.resolved(p, run, id, address)
  local phone = relocation.of_lookup(p, id)
  if phone then run:tell(phone.fsm, "found", address) end
end

function inputs.sgsn(p, run, octets) relocation.receive(p, run, records.unpack(octets)) end

function inputs.act(p, run, order, id) gmm_acts.begin(p, run, order, id) end

function inputs.listed(p, run, imsi)
  if p.by_imsi[imsi] then gmm_acts.forget(run, p.by_imsi[imsi]) end
end

function inputs.hlr_up(p, run) p.hlr:up(run) end
function inputs.hlr_down(p, run) p.hlr:down(run) end
function inputs.hlr_octets(p, run, octets) p.hlr:receive(run, octets) end

timers.give_inputs(Phones, inputs)

-- --- what there is to show

function Phones:report() return tables.counts(self.counts) end

function Phones:list()
  local all, out = {}, {}
  for _, phone in pairs(self.by_mobile) do all[#all + 1] = phone end
  for i, phone in ipairs(tables.sorted(all, "mobile")) do
    out[i] = { mobile = phone.mobile, imsi = phone.imsi or "-", tlli = ("%08x"):format(phone.tlli),
      state = phone.fsm.state, nsei = phone.nsei, bvci = phone.bvci, contexts = self.contexts:text_of(phone),
      gea = phone.key and phone.algorithm or 0 }
  end
  return out
end

function Phones:hlr_state()
  if not self.policy.hlr then return nil end
  local hlr = self.config.hlr
  return { address = hlr.address, tcp_port = hlr.port, state = self.hlr:is_ready() and "up" or "down" }
end

function Phones:pool_state() return self.offload:state() end

function Phones:detail(mobile, now)
  local phone = self.by_mobile[mobile]
  return phone and gmm_detail.rows_of(self, phone, now) or {}
end

function Phones:mobile_of_p_tmsi(p_tmsi)
  local phone = self:phone_of(p_tmsi)
  return phone and phone.mobile
end

return phones
