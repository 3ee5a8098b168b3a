-- SPDX-License-Identifier: BSD-3-Clause
-- Phones that attach to an SGSN: their own side of GMM and SM (TS 24.008), on LLC SAPI 1.
--
--   local p = phones.new(settings, wire, random)    wire: wire.phone; random(limit): an integer in 1 .. limit
--       settings: { list = { { imsi =, imeisv =, ki = }, ... }, apn = (nil: no context), is_acknowledged = (LLC),
--       nsapi =, sapi =, is_usim =, capability =, ra_capability =, timers = { t3302 = ... },
--       attach_gap (ns between the first attaches of two phones),
--       cells = { { mcc =, mnc =, lac =, rac = }, ... }: phones begin in them in turn,
--       script = { { after = (ns), what = }, ... }, rounds = how often it is played; what: as order() }
--       ki: 16 octets of the XOR test algorithm, nil: without authentication. No key is in a count.
--   p:start(now)                     each phone attaches in its turn
--   p:order(phone, what, now)        by its number: "attach", "update", "detach", "power_off", "activate",
--                                    "deactivate", "move" (to the next cell), "suspend" (a call begins), "resume"
--   p:page(phone, tmsi, imsi, now)   PAGING-PS in its cell; tmsi: 0 without; imsi: octets of a mobile identity
--   p:suspended(phone, now)          SUSPEND-ACK
--   p:resumed(phone, has_resumed, now)   the answer to RESUME
--   p:expects(phone, number, now)    of its context, the next N-PDU in acknowledged mode: before a message
--   p:frame(phone, ciphered, octets, now)   a message to it
--   p:advance(now), p:next_at()      timers
--   p:report(), p:list()             counts; { { imsi =, state =, session =, tlli =, address =, dns =, cell = }, ... }
-- Inputs with `now` return intents, in order; they are not those of the node, whose key is `op`:
--   { what = "send", phone =, tlli =, ciphered =, octets = }     a message on SAPI 1
--   { what = "cipher", phone =, algorithm =, key = }             for the frames that follow, both ways
--   { what = "tlli", phone =, tlli =, restarts = }               likewise; restarts: LLC begins again
--   { what = "cell", phone =, cell = }                           it is there from now on; index in cells
--   { what = "suspend", phone = }, { what = "resume", phone = }  its BSS tells the SGSN
--   { what = "data", phone =, is_open = }                        may it send user data? At first it may
--   { what = "done", phone = }                                   it has played its script
--   { what = "received", phone =, n_pdu = }                      its SGSN has the N-PDUs up before that number
--   { what = "up", phone =, address =, nsapi =, sapi =, acknowledged = }, { what = "down", phone = }

local admission = require "gmm.admission"
local fsm = require "base.fsm"
local gmm = require "phone.machine"
local script_machine = require "phone.script"
local session = require "phone.session"
local radio = require "node.radio"
local tables = require "base.tables"
local timers = require "base.timers"

local phones = {}

local GMM <const>, SM <const> = 8, 10
local REPEATS <const> = 4 -- the fifth expiry ends a procedure
local S <const> = 1000000000
local NSAPI <const>, SAPI <const> = 5, 3
-- No GEA/1 and GEA/2; GEA/3, with a USIM also GEA/4; R99.
local CAPABILITY <const>, CAPABILITY_OF_USIM <const> = "\x65\xa0", "\x65\xb0"
local RA_CAPABILITY <const> = "\x18\xb3\x43\x2b\x25\x96\x62\x00\x60\x80\x9a\xc2\xc6\x62\x00\x60\x80\xba\xc8\xc6"
  .. "\x62\x00\x60\x80\x00"

local Phones = {}
Phones.__index = Phones

local EVENTS <const> = { attach_accept = "rx_attach_accept", attach_reject = "rx_attach_reject",
  rau_accept = "rx_update_accept", rau_reject = "rx_update_reject", detach_accept = "rx_detach_accept",
  network_detach_request = "rx_network_detach", identity_request = "rx_identity", auth_request = "rx_challenge",
  p_tmsi_reallocation_command = "rx_reallocation", auth_reject = "rx_auth_reject", gmm_information = "rx_information" }
local SESSION_EVENTS <const> = { activate_accept = "rx_accept", activate_reject = "rx_reject",
  deactivate_request = "rx_deactivate", deactivate_accept = "rx_deactivate_accept",
  network_modify_request = "rx_modify" }
local SESSION_ORDERS <const> = { activate = "want", deactivate = "unwant" }

local function enter(p, number, subscriber)
  local durations = setmetatable({ turn = (number - 1) * p.settings.attach_gap },
    { __index = p.durations })
  local phone = { phones = p, number = number, imsi = subscriber.imsi, imeisv = subscriber.imeisv, ki = subscriber.ki,
    is_usim = p.settings.is_usim,
    cell = (number - 1) % #p.settings.cells + 1, durations = durations }
  phone.fsm = fsm.new(gmm.machine, phone, "gmm/" .. number, durations)
  phone.session = fsm.new(session.machine, phone, "sm/" .. number, durations)
  phone.script = fsm.new(script_machine, phone, "script/" .. number, durations)
  p.list_of[number] = phone
end

function phones.new(settings, wire, random)
  local p = setmetatable({ settings = settings, wire = wire, random = random, armed = {}, timers = timers.new(),
    counts = {}, list_of = {}, durations = { repeats = REPEATS } }, Phones)
  for name, value in pairs(settings.timers) do p.durations[name] = value end
  for number, subscriber in ipairs(settings.list) do enter(p, number, subscriber) end
  return p
end

timers.give_runs(Phones)

function Phones:send(run, phone, message)
  local encode = message.ti and self.wire.sm_encode or self.wire.gmm_encode
  run:emit({ what = "send", phone = phone.number, tlli = phone.tlli, octets = encode(message),
    ciphered = phone.key ~= nil and not admission.CLEAR[message.message] })
  run:count("sent_" .. message.message)
end

local inputs = {}

function inputs.start(p, run)
  for _, phone in ipairs(p.list_of) do run:tell(phone.fsm, "wait") end
end

local function move(self, run, phone)
  local cells = self.settings.cells
  phone.cell = phone.cell % #cells + 1
  run:count("moved")
  run:emit({ what = "cell", phone = phone.number, cell = phone.cell })
  run:post(phone.fsm, phone.rai == gmm.rai_octets(cells[phone.cell]) and "moved_within" or "moved_out")
end

-- During a call nothing else of GPRS happens; the end of the call alone ends it.
local function suspend(run, phone, what)
  local is_begin = what == "suspend" and not phone.is_suspended
  if not (is_begin and phone.fsm.state == "registered" or what == "resume" and phone.is_suspended) then
    return run:count("order_out_of_turn")
  end
  run:count(is_begin and "suspended" or "resume_asked")
  run:emit({ what = what, phone = phone.number })
  if not is_begin and not phone.is_acknowledged then run:post(phone.fsm, "update") end
  phone.is_suspended, phone.is_acknowledged = is_begin, false
end

-- An order of its user, carried out as soon as the event in progress is complete.
function Phones:perform(run, phone, what)
  local wanted = SESSION_ORDERS[what]
  if what == "suspend" or what == "resume" or phone.is_suspended then
    suspend(run, phone, what)
  elseif what == "move" then
    move(self, run, phone)
  elseif wanted and phone.fsm.state ~= "registered" then
    run:count("order_unattached")
  elseif wanted then
    run:post(phone.session, wanted)
  else
    run:post(phone.fsm, what)
  end
end

function inputs.order(p, run, number, what)
  p:perform(run, p.list_of[number], what)
end

-- Phones that are paged by their P-TMSI answer by any frame (23.060 clause 8.1.4).
function inputs.page(p, run, number, tmsi, imsi)
  local phone = p.list_of[number]
  if tmsi ~= 0 and tmsi == phone.p_tmsi or tmsi == 0 and imsi == p.wire.identity_octets("imsi", phone.imsi) then
    run:count("paged")
    run:tell(phone.fsm, tmsi ~= 0 and "page" or "imsi_page")
  end
end

function inputs.suspended(p, _, number)
  p.list_of[number].is_acknowledged = true
end

-- A phone that its SGSN did not suspend, or does not resume, updates (23.060 clause 16.2.1.1).
function inputs.resumed(p, run, number, has_resumed)
  run:count(has_resumed and "resumed" or "resume_refused")
  if not has_resumed then run:tell(p.list_of[number].fsm, "update") end
end

-- It has what it wants at first: its user begins.
function Phones:note_ready(run, phone)
  if #self.settings.script > 0 then run:post(phone.script, "begin") end
end

local function take(run, phone, message, ciphered)
  local event, of_session = EVENTS[message.message], SESSION_EVENTS[message.message]
  run:count("rx_" .. message.message)
  if phone.key and not ciphered and not admission.CLEAR[message.message] then
    run:count("not_ciphered")
  elseif event then
    run:tell(phone.fsm, event, message)
  elseif of_session then
    run:tell(phone.session, of_session, message)
  else
    run:count("not_handled")
  end
end

-- The N-PDU number that it expects next, in acknowledged mode.
function inputs.expects(p, _, number, n_pdu)
  p.list_of[number].expects = n_pdu
end

function inputs.frame(p, run, number, ciphered, octets)
  local protocol = (octets:byte(1) or 0) & 15
  local decode = protocol == GMM and p.wire.gmm_decode or protocol == SM and p.wire.sm_decode
  local message = decode and decode(octets, "sgsn")
  if not message then return run:count("bad_message") end
  take(run, p.list_of[number], message, ciphered)
end

timers.give_inputs(Phones, inputs)

function Phones:report()
  return tables.counts(self.counts)
end

function Phones:list()
  local out = {}
  for number, phone in ipairs(self.list_of) do
    out[number] = { imsi = phone.imsi, state = phone.fsm.state, session = phone.session.state, tlli = phone.tlli or 0,
      address = phone.address, dns = phone.dns ~= "" and phone.dns or nil,
      cell = phone.cell }
  end
  return out
end

-- The phones of `gbflow emulate` (app/emulate/phones.c): phone.phones from the key `phones` of its configuration, and
-- the counts of its report.

local TIMERS <const> = { t3302 = 720 * S, t3310 = 15 * S, t3321 = 15 * S, t3330 = 15 * S, t3380 = 30 * S,
  t3390 = 8 * S } -- 24.008 clauses 11.2.2 and 11.2.3

-- bss: the checked configuration, with the key `phones`.
function phones.new_live(bss, wire, random)
  local config = bss.phones
  local list, ki = {}, config.ki and radio.octets_of(config.ki)
  for i = 1, config.count do
    local imsi = ("%015d"):format(math.tointeger(tonumber(config.imsi)) + i - 1)
    list[i] = { imsi = imsi, imeisv = ("35000000%06d00"):format(i), ki = ki }
  end
  local cells = {}
  for i, cell in ipairs(bss.cells) do cells[i] = cell.cell_id end
  return phones.new({ list = list, cells = cells, script = config.script, rounds = config.rounds,
    apn = config.apn, is_acknowledged = config.llc == "acknowledged", nsapi = NSAPI, sapi = SAPI,
    is_usim = config.usim, capability = config.usim and CAPABILITY_OF_USIM or CAPABILITY,
    ra_capability = RA_CAPABILITY, attach_gap = S // config.attaches_per_s, timers = TIMERS }, wire, random)
end

return phones
