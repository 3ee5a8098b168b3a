-- SPDX-License-Identifier: BSD-3-Clause
-- Phones that attach to an SGSN: their own side of GMM and SM (TS 24.008), on LLC SAPI 1.
--
--   local p = phones.new(settings, wire, random)    wire: gbflow_phone; random(limit): an integer in 1 .. limit
--       settings: { list = { { imsi =, imeisv =, ki = }, ... }, apn = (nil: no context), nsapi =, sapi =, capability =,
--       ra_capability =, attach_gap (ns between the first attaches of two phones), timers = { t3302 = ... },
--       cells = { { mcc =, mnc =, lac =, rac = }, ... }: phones begin in them by turns,
--       script = { { after = (ns), what = }, ... }, rounds = how often it is played; what: as order() }
--       ki: 16 octets of the XOR test algorithm, nil: without authentication. No key is in a count.
--   p:start(now)                     each phone attaches in its turn
--   p:order(phone, what, now)        by its number: "attach", "update", "detach", "power_off", "activate",
--                                    "deactivate", "move" (to the next cell), "suspend" (a call begins), "resume"
--   p:page(phone, tmsi, imsi, now)   PAGING-PS in its cell; tmsi: 0 without; imsi: octets of a mobile identity
--   p:suspended(phone, now)          SUSPEND-ACK
--   p:resumed(phone, is_acknowledged, now)   the answer to RESUME
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
--   { what = "up", phone =, address =, nsapi =, sapi = }, { what = "down", phone = }

local area = require "phone.area"
local fsm = require "base.fsm"
local machine = require "phone.machine"
local timers = require "base.timers"
local script = require "phone.script"
local session = require "phone.session"

local phones = {}

local Phones = {}
Phones.__index = Phones

local GMM <const>, SM <const> = 8, 10
local REPEATS <const> = 4 -- the fifth expiry ends a procedure
local CLEAR <const> = { attach_request = true, attach_reject = true, auth_request = true, auth_response = true,
  auth_failure = true, auth_reject = true, identity_request = true, identity_response = true, rau_request = true,
  rau_reject = true } -- 24.008 clause 4.7.1.2

local EVENTS <const> = { attach_accept = "rx_attach_accept", attach_reject = "rx_attach_reject",
  rau_accept = "rx_update_accept", rau_reject = "rx_update_reject", detach_accept = "rx_detach_accept",
  network_detach_request = "rx_network_detach", identity_request = "rx_identity", auth_request = "rx_challenge",
  auth_reject = "rx_auth_reject", gmm_information = "rx_information" }
local SESSION_EVENTS <const> = { activate_accept = "rx_accept", activate_reject = "rx_reject",
  deactivate_request = "rx_deactivate", deactivate_accept = "rx_deactivate_accept" }
local SESSION_ORDERS <const> = { activate = "want", deactivate = "unwant" }

local function enter(p, number, subscriber)
  local durations = setmetatable({ turn = (number - 1) * p.settings.attach_gap },
    { __index = p.durations })
  local phone = { phones = p, number = number, imsi = subscriber.imsi, imeisv = subscriber.imeisv, ki = subscriber.ki,
    cell = (number - 1) % #p.settings.cells + 1, durations = durations }
  phone.fsm = fsm.new(machine, phone, "gmm/" .. number, durations)
  phone.session = fsm.new(session, phone, "sm/" .. number, durations)
  phone.script = fsm.new(script, phone, "script/" .. number, durations)
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

function Phones.count(_, run, name)
  run:count(name)
end

function Phones:send(run, phone, message)
  local encode = message.ti and self.wire.sm_encode or self.wire.gmm_encode
  run:emit({ what = "send", phone = phone.number, tlli = phone.tlli, octets = encode(message),
    ciphered = phone.key ~= nil and not CLEAR[message.message] })
  self:count(run, "sent_" .. message.message)
end

function Phones:start(now)
  local run = self:open_run(now)
  for _, phone in ipairs(self.list_of) do run:tell(phone.fsm, "wait") end
  return self:close_run(run)
end

local function move(self, run, phone)
  local cells = self.settings.cells
  phone.cell = phone.cell % #cells + 1
  self:count(run, "moved")
  run:emit({ what = "cell", phone = phone.number, cell = phone.cell })
  run:post(phone.fsm, phone.rai == area.rai_octets(cells[phone.cell]) and "moved_within" or "moved_out")
end

-- During a call nothing else of GPRS happens; the end of the call alone ends it.
local function suspend(self, run, phone, what)
  local is_begin = what == "suspend" and not phone.is_suspended
  if not (is_begin and phone.fsm.state == "registered" or what == "resume" and phone.is_suspended) then
    return self:count(run, "order_out_of_turn")
  end
  self:count(run, is_begin and "suspended" or "resume_asked")
  run:emit({ what = what, phone = phone.number })
  if not is_begin and not phone.is_acknowledged then run:post(phone.fsm, "update") end
  phone.is_suspended, phone.is_acknowledged = is_begin, false
end

-- An order of its user, carried out as soon as the event in progress is complete.
function Phones:perform(run, phone, what)
  local wanted = SESSION_ORDERS[what]
  if what == "suspend" or what == "resume" or phone.is_suspended then
    suspend(self, run, phone, what)
  elseif what == "move" then
    move(self, run, phone)
  elseif wanted and phone.fsm.state ~= "registered" then
    self:count(run, "order_unattached")
  elseif wanted then
    run:post(phone.session, wanted)
  else
    run:post(phone.fsm, what)
  end
end

function Phones:order(number, what, now)
  local run = self:open_run(now)
  self:perform(run, self.list_of[number], what)
  return self:close_run(run)
end

-- Paged phones answer by any frame (23.060 clause 8.1.4).
function Phones:page(number, tmsi, imsi, now)
  local run, phone = self:open_run(now), self.list_of[number]
  if tmsi ~= 0 and tmsi == phone.p_tmsi or tmsi == 0 and imsi == self.wire.identity_octets("imsi", phone.imsi) then
    self:count(run, "paged")
    run:tell(phone.fsm, "page")
  end
  return self:close_run(run)
end

function Phones:suspended(number, now)
  self.list_of[number].is_acknowledged = true
  return self:close_run(self:open_run(now))
end

-- A phone that its SGSN did not suspend, or does not resume, updates (23.060 clause 16.2.1.1).
function Phones:resumed(number, is_acknowledged, now)
  local run, phone = self:open_run(now), self.list_of[number]
  self:count(run, is_acknowledged and "resumed" or "resume_refused")
  if not is_acknowledged then run:tell(phone.fsm, "update") end
  return self:close_run(run)
end

-- It has what it wants at first: its user begins.
function Phones:note_ready(run, phone)
  if #self.settings.script > 0 then run:post(phone.script, "begin") end
end

local function take(self, run, phone, message, ciphered)
  local event, of_session = EVENTS[message.message], SESSION_EVENTS[message.message]
  self:count(run, "rx_" .. message.message)
  if phone.key and not ciphered and not CLEAR[message.message] then
    self:count(run, "not_ciphered")
  elseif event then
    run:tell(phone.fsm, event, message)
  elseif of_session then
    run:tell(phone.session, of_session, message)
  else
    self:count(run, "not_handled")
  end
end

function Phones:frame(number, ciphered, octets, now)
  local run, phone = self:open_run(now), self.list_of[number]
  local protocol, message = (octets:byte(1) or 0) & 15, nil
  if protocol == GMM then
    message = self.wire.gmm_decode(octets, "sgsn")
  elseif protocol == SM then
    message = self.wire.sm_decode(octets, "sgsn")
  end
  if message then
    take(self, run, phone, message, ciphered)
  else
    self:count(run, "bad_message")
  end
  return self:close_run(run)
end

function Phones:report()
  local out = {}
  for name, count in pairs(self.counts) do out[#out + 1] = { name = name, count = count } end
  table.sort(out, function(a, b) return a.name < b.name end)
  return out
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

return phones
