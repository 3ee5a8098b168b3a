-- SPDX-License-Identifier: BSD-3-Clause
-- GSUP towards one HLR over IPA: the connection, keep-alive, and requests by IMSI. No key is in a log line or counter.
--
--   local l = gsup_link.new(settings, phones)         settings: config.phones
--   l:open(run)                       after a restart of control (l.is_adopted) a little later, when the HLR has heard
--                                     of the end of the former connection
--   l:set_hlr(run, settings)          another config.phones
--   gsup_link.name_of(hlr)            of config.phones.hlr: address, port and the own name there, which tell HLRs apart
--   l:up(run), l:down(run), l:receive(run, octets)    what the TCP connection says
--   l:ask(run, phone, kind, fields)                   kind: "auth_info" or "update_location"; the answer is an event of
--                                                     phone.fsm: hlr_vectors, hlr_located, or hlr_error
--   l:purge(run, phone), l:forget(run, phone)
--   l:no_answer(run, phone)           the HLR did not answer in time
--
-- GSUP tells requests apart by kind and IMSI only, and anyone may claim an IMSI in an ATTACH REQUEST. So several phones
-- may ask for one IMSI: the HLR answers in the order of asking. The place of a phone that waits no longer is kept until
-- its answer can come no more.

local fsm = require "base.fsm"
local gsup = require "wire.gsup"
local tables = require "base.tables"

local gsup_link = {}

local Link = {}
Link.__index = Link

local CCM <const>, OSMO <const>, GSUP <const> = 0xfe, 0xee, 5
local PING <const>, PONG <const>, ID_GET <const>, ID_RESP <const>, ID_ACK <const> = 0, 1, 4, 5, 6
local SERIAL <const>, UNIT_NAME <const>, UNIT_ID <const> = 0, 1, 8
local NEEDED_TAGS <const> = { UNIT_ID, UNIT_NAME, SERIAL } -- those that osmo-hlr asks for
local PACKET_DOMAIN <const>, GERAN <const> = 1, 1
local LONGEST <const>, NUMBER_MAX <const> = 2000, 15
local NETWORK_FAILURE <const>, CONGESTION <const>, UNKNOWN_IMSI <const> = 17, 22, 2
local INVALID_MANDATORY <const>, UNKNOWN_TYPE <const> = 96, 97
-- Requests that wait; those of phones in an NSE are at most as many as they leave free. An HLR that is slower than a
-- flood of ATTACH REQUESTs gets no more, and the queue of its connection has room for all.
local WAITING_MAX <const> = 1024
local NOT_ALLOWED <const> = 7
local UPDATE <const> = 0 -- type of a location cancellation: the phone is with another SGSN
local ANSWERS <const> = { auth_info_result = { "auth_info", "hlr_vectors" },
  auth_info_error = { "auth_info", "hlr_error" },
  update_location_result = { "update_location", "hlr_located" },
  update_location_error = { "update_location", "hlr_error" },
  check_imei_result = { "check_imei", "hlr_imei" }, check_imei_error = { "check_imei", "hlr_error" } }

local function send_ccm(run, octets)
  run:emit({ op = "hlr_send", octets = gsup.ipa(CCM, octets) })
end

local actions = {}

function actions.connect(link, run)
  run:emit({ op = "hlr_open", address = link.settings.hlr.address, port = link.settings.hlr.port })
end

local function closing(reason)
  return function(link, run)
    run:log_of("gsup", "warning", "HLR %s: %s", link.settings.hlr.address, reason)
    run:emit({ op = "hlr_close" })
    link:fail_all(run)
  end
end

actions.close_unasked = closing("no ID_GET since the connection is up")
actions.close = closing("no answer to PING")
local function name_again(link, run)
  link.named_at = run.now
  run:count("gsup_named_again")
  link:send_name(run)
end

-- OsmoHLR answers a connection whose name another one has, even if that ends right after, by PONGs alone. It takes the
-- name again at any time. The connection stays: one request without an answer may be the fault of that subscriber's
-- data, and other phones wait.
function actions.tell_name(link, run)
  if not link.named_at then
    run:log_of("gsup", "warning", "HLR %s: no answer to any request since it is connected: if another connection has "
      .. "the name %s (phones.hlr.name), end that; the name is told again", link.settings.hlr.address,
      link.settings.hlr.name)
  elseif run.now - link.named_at < link.phones.durations.hlr then
    return
  end
  name_again(link, run)
end

function actions.leave(_, run)
  run:emit({ op = "hlr_close" })
end

function actions.drop(link, run)
  run:emit({ op = "hlr_close" })
  link:fail_all(run)
end

function actions.lost(link, run)
  run:log_of("gsup", "warning", "HLR %s: the connection is down", link.settings.hlr.address)
  link:fail_all(run)
end

-- Once for each time without a connection.
function actions.tell_unreachable(link, run)
  if link.has_told then return end
  link.has_told = true
  run:log_of("gsup", "warning", "HLR %s: no connection; tried again every second", link.settings.hlr.address)
end

function actions.greet(link, run)
  link.has_told = false
  run:log_of("gsup", "info", "HLR %s: connected", link.settings.hlr.address)
end

-- The other connection may have ended since the name was told.
function actions.ping(link, run)
  send_ccm(run, string.char(PING))
  if link.named_at and not link.has_heard then name_again(link, run) end
end

local machine = fsm.define({
  name = "gsup_link",
  category = "gsup",
  about = "hlr",
  initial = "off",
  actions = actions,
  timers = { retry = { after = "hlr_retry", out = "retry" }, ping = { after = "hlr_ping", out = "ping" },
    ack = { after = "hlr_ack", out = "ack" }, pause = { after = "hlr_pause", out = "retry" } },
  any = { open = {}, reopen = {}, up = {}, down = {}, pong = {}, answered = {}, identified = {}, mute = {},
    moved = { action = "drop", next = "pausing" }, unused = { action = "drop", next = "off" } },
  states = {
    off = {
      on = { open = { action = "connect", next = "connecting" }, reopen = { action = "leave", next = "pausing" },
        moved = {}, unused = {} },
    },
    -- It first handles what the former connection still holds, and would then take this one for a second one.
    pausing = { timer = "pause", on = { retry = { action = "connect", next = "connecting" } } },
    connecting = { on = { up = { next = "greeting" }, down = { action = "tell_unreachable", next = "resting" } } },
    -- Until the HLR knows this SGSN's name it routes nothing to it.
    greeting = {
      timer = "ping",
      on = { answered = { next = "answered" }, identified = { action = "greet", next = "ready" },
        ping = { action = "close_unasked", next = "resting" }, down = { action = "lost", next = "resting" } },
    },
    -- Not every HLR acknowledges what ID_GET was answered with.
    answered = {
      timer = "ack",
      on = { identified = { action = "greet", next = "ready" }, ack = { action = "greet", next = "ready" },
        down = { action = "lost", next = "resting" } },
    },
    ready = {
      timer = "ping",
      on = { ping = { action = "ping", next = "pinging" }, down = { action = "lost", next = "resting" },
        mute = { action = "tell_name" } },
    },
    pinging = {
      timer = "ping",
      on = { pong = { next = "ready" }, ping = { action = "close", next = "resting" },
        down = { action = "lost", next = "resting" }, mute = { action = "tell_name" } },
    },
    resting = { timer = "retry", on = { retry = { action = "connect", next = "connecting" } } },
  },
})

function gsup_link.name_of(hlr)
  return ("%s:%d %s"):format(hlr.address, hlr.port, hlr.name)
end

local function take_settings(link, settings)
  link.settings, link.is_asked = settings, settings.policy == "hlr"
  link.name = settings.hlr and gsup_link.name_of(settings.hlr)
end

function gsup_link.new(settings, phones)
  local link = setmetatable({ phones = phones, rest = "" }, Link)
  take_settings(link, settings)
  link:clear()
  link.fsm = fsm.new(machine, link, "gsup", phones.durations)
  return link
end

function Link:open(run)
  run:tell(self.fsm, self.is_adopted and "reopen" or "open")
end

function Link:set_hlr(run, settings)
  local former, was_asked = self.name, self.is_asked
  take_settings(self, settings)
  if former ~= self.name then run:tell(self.fsm, self.name and "moved" or "unused") end
  if self.is_asked and not was_asked then self:open(run) end
end

function Link:up(run)
  self.rest, self.has_heard, self.named_at, self.tags = "", false, nil, NEEDED_TAGS
  run:tell(self.fsm, "up")
end

function Link:down(run)
  run:tell(self.fsm, "down")
end

function Link:is_ready()
  return self.fsm.state == "ready" or self.fsm.state == "pinging"
end

-- --- sending

local function note(run, message, way)
  if fsm.trace then
    local name = message.message or message.name or "type " .. message.type
    fsm.trace.message(run, "gsup", message.imsi, "imsi", way .. name)
  end
end

function Link.send(_, run, message)
  run:count("gsup_sent_" .. (message.message or "error"))
  note(run, message, "sends ")
  run:emit({ op = "hlr_send", octets = gsup.ipa(OSMO, string.char(GSUP) .. gsup.encode(message)) })
end

function Link:clear()
  self.waiting, self.places, self.places_of = { auth_info = {}, update_location = {}, check_imei = {} }, 0, {}
  self.left, self.left_first, self.left_last = {}, 1, 0
end

-- Takes a place out of its list.
function Link:leave(place)
  local list = self.waiting[place.kind][place.imsi]
  tables.remove(list, place)
  place.is_out = true
  if #list == 0 then self.waiting[place.kind][place.imsi] = nil end
  self.places, self.places_of[place.nsei] = self.places - 1, self.places_of[place.nsei] - 1
  if place.phone and place.phone.place == place then place.phone.place = nil end
end

local function enter(self, phone, kind)
  local place = { phone = phone, kind = kind, imsi = phone.imsi, nsei = phone.nsei }
  local list = self.waiting[kind][phone.imsi] or {}
  list[#list + 1], phone.place = place, place
  self.waiting[kind][phone.imsi] = list
  self.places, self.places_of[phone.nsei] = self.places + 1, (self.places_of[phone.nsei] or 0) + 1
end

local function refusal_of(self, phone)
  if not self:is_ready() then return NETWORK_FAILURE end
  if (self.places_of[phone.nsei] or 0) >= WAITING_MAX - self.places then return CONGESTION end
  return nil
end

-- The places that no phone waits at, in the order in which they were left: their answers can come no more.
local function end_left(self, now)
  local place = self.left[self.left_first]
  while place and place.ends_at <= now do
    self.left[self.left_first], self.left_first = nil, self.left_first + 1
    if not place.is_out then self:leave(place) end
    place = self.left[self.left_first]
  end
end

function Link:ask(run, phone, kind, fields)
  self:forget(run, phone)
  end_left(self, run.now)
  local refusal = refusal_of(self, phone)
  if refusal then
    run:count("gsup_not_sent_" .. refusal)
    return run:post(phone.fsm, "hlr_error", { cause = refusal })
  end
  enter(self, phone, kind)
  fields.message, fields.imsi, fields.domain = kind .. "_request", phone.imsi, PACKET_DOMAIN
  if kind == "update_location" then fields.rat_types = string.char(GERAN) end
  self:send(run, fields)
end

function Link:purge(run, phone)
  if phone.known and self:is_ready() then
    self:send(run, { message = "purge_request", imsi = phone.known, domain = PACKET_DOMAIN })
  end
end

function Link:forget(run, phone)
  local place = phone.place
  if not place then return end
  place.phone, phone.place, place.ends_at = nil, nil, run.now + self.phones.durations.hlr
  self.left_last = self.left_last + 1
  self.left[self.left_last] = place
end

function Link:no_answer(run, phone)
  if phone.place then self:leave(phone.place) end
  if not self.has_heard then run:post(self.fsm, "mute") end
end

function Link:fail_all(run)
  local found = {}
  for _, lists in pairs(self.waiting) do
    for _, list in pairs(lists) do
      for _, place in ipairs(list) do found[#found + 1] = place.phone end
    end
  end
  table.sort(found, function(a, b) return a.mobile < b.mobile end)
  self:clear()
  self.phones.sms:lost(run)
  for _, phone in ipairs(found) do
    phone.place = nil
    run:post(phone.fsm, "hlr_error", { cause = NETWORK_FAILURE })
  end
end

-- --- received messages

local ccm = {}

ccm[PING] = function(_, run) send_ccm(run, string.char(PONG)) end
ccm[PONG] = function(link, run) run:tell(link.fsm, "pong") end
ccm[ID_ACK] = function(link, run) run:tell(link.fsm, "identified") end

-- The tags of an ID_GET, each behind its octet of length; without tags, those that osmo-hlr asks for and needs.
local function asked_tags(octets)
  local tags, at = {}, 2
  while at < #octets and octets:byte(at) > 0 do
    tags[#tags + 1] = octets:byte(at + 1)
    at = at + 1 + octets:byte(at)
  end
  return #tags > 0 and tags or NEEDED_TAGS
end

-- The tags that were asked for, in their order; one that this SGSN has no value for is empty. The HLR stores the serial
-- number as the SGSN's number and routes by it.
function Link:send_name(run)
  local name, parts = self.settings.hlr.name, { string.char(ID_RESP) }
  local values = { [SERIAL] = name, [UNIT_NAME] = name, [UNIT_ID] = "0/0/0" }
  for _, tag in ipairs(self.tags) do
    local text = values[tag] or ""
    parts[#parts + 1] = string.pack(">I2", #text + 2) .. string.char(tag) .. text .. "\0"
  end
  send_ccm(run, table.concat(parts))
end

ccm[ID_GET] = function(link, run, octets)
  link.tags = asked_tags(octets)
  link:send_name(run)
  send_ccm(run, string.char(ID_ACK))
  run:tell(link.fsm, "answered")
end

-- The digits of an E.164 number behind its type, 15 at most; nil: there are none, or something else.
local function number_of(octets)
  local digits = octets:sub(2):gsub(".", function(c) return ("%x%x"):format(c:byte() & 15, c:byte() >> 4) end)
  digits = digits:gsub("f$", "")
  return digits:find("^%d+$") and #digits <= NUMBER_MAX and digits or nil
end

-- Subscriber data are kept for a phone that is there; the HLR's answer to the phone's request comes behind them.
local function take_subscriber(phone, run, message)
  phone.phones.contexts:subscribe(run, phone, message.pdp_infos, message.charging)
  phone.msisdn = message.msisdn and number_of(message.msisdn) or phone.msisdn
end

local requests = {}

function requests.insert_data_request(phone, run, message)
  take_subscriber(phone, run, message)
  run:touch(phone.fsm)
  phone.phones.contexts:judge(phone, run)
  return "insert_data_result"
end

function requests.delete_data_request(phone, run)
  phone.phones.post_end(run, phone, "withdrawn", NOT_ALLOWED)
  return "delete_data_result"
end

function requests.cancel_request(phone, run, message)
  phone.phones.post_end(run, phone, message.cancel_type == UPDATE and "cancelled" or "withdrawn", NOT_ALLOWED)
  return "cancel_result"
end

local function back(message, name, cause)
  return { message = name, imsi = message.imsi, cause = cause, domain = message.domain,
    source_name = message.destination_name, destination_name = message.source_name }
end

local function first_place(link, run, kind, imsi)
  end_left(link, run.now)
  local list = link.waiting[kind][imsi]
  return list and list[1]
end

-- A phone that attaches again from another TLLI before its location is updated: the older attempt ends, and its answer
-- is as good for the newer one, so the first that comes is taken.
function Link:end_others(run, phone)
  local list = self.waiting.update_location[phone.imsi] or {}
  for _, place in ipairs({ table.unpack(list) }) do
    local other = place.phone
    self:leave(place)
    if other and other ~= phone then run:post(other.fsm, "replaced") end
  end
end

-- A phone whose answer is cut need not wait for another one.
local function take_answer(link, run, answer, message)
  local place = first_place(link, run, answer[1], message.imsi)
  if not place then return end
  local phone = place.phone
  link:leave(place)
  if not phone then return end
  if message.error then return run:tell(phone.fsm, "hlr_error", { cause = NETWORK_FAILURE }) end
  run:tell(phone.fsm, answer[2], message)
end

-- The phone that a request of the HLR is about: that which is registered, or whose location is updated. One that only
-- claims the IMSI is neither.
local function subject_of(link, run, message)
  local place = first_place(link, run, "update_location", message.imsi)
  return place and place.phone or link.phones.by_imsi[message.imsi]
end

-- Types of requests are multiples of 4; the error of a request has the next number.
local function is_request(message)
  return message.type & 3 == 0
end

local function refuse(link, run, message, cause)
  local answer = back(message, nil, cause)
  answer.type = message.type + 1
  answer.name = message.message and message.message:gsub("_request$", "") .. "_error"
  link:send(run, answer)
end

-- The faults of a message, in one line for its elements; of one that is cut, the rest is lost.
local function note_faults(link, run, message)
  local words = {}
  for _, name in ipairs(message.skipped) do
    run:count("gsup_skipped_" .. name)
    words[#words + 1] = name
  end
  if #words > 0 then
    run:log_of("gsup", "info", "HLR %s: %s: skipped elements without a value of their length: %s",
      link.settings.hlr.address, message.message or message.type, table.concat(words, ", "))
  end
  if message.error then
    run:count("gsup_malformed")
    run:log_of("gsup", "warning", "HLR %s: %s is cut", link.settings.hlr.address, message.message or message.type)
  end
end

-- A request that nothing here serves is answered, too.
local function take_gsup(link, run, octets)
  link.has_heard = true
  local message, err, kind = gsup.decode(octets)
  if not message then
    run:count("gsup_malformed")
    return run:log_of("gsup", "warning", "HLR %s: message of type %s without IMSI (%s): not answered",
      link.settings.hlr.address, kind, err)
  end
  run:count(message.message and "gsup_" .. message.message or "gsup_unknown_type")
  note(run, message, "received ")
  note_faults(link, run, message)
  local answer, handler = ANSWERS[message.message], requests[message.message]
  if answer then return take_answer(link, run, answer, message) end
  if message.error then return is_request(message) and refuse(link, run, message, INVALID_MANDATORY) end
  if link.phones.sms:take(run, message) then return end
  if not handler then return is_request(message) and refuse(link, run, message, UNKNOWN_TYPE) end
  local phone = subject_of(link, run, message)
  if phone then return link:send(run, back(message, handler(phone, run, message))) end
  refuse(link, run, message, UNKNOWN_IMSI)
end

local function take(link, run, stream, octets)
  local kind = octets:byte(1)
  if stream == CCM and ccm[kind] then
    ccm[kind](link, run, octets)
  elseif stream == OSMO and kind == GSUP then
    take_gsup(link, run, octets:sub(2))
  else
    run:count("gsup_other_stream")
  end
end

-- TCP gives messages in parts or several at once.
function Link:receive(run, octets)
  local all, at = self.rest .. octets, 1
  local stream, message, next_at = gsup.ipa_split(all, at)
  while stream do
    take(self, run, stream, message)
    at = next_at
    stream, message, next_at = gsup.ipa_split(all, at)
  end
  self.rest = all:sub(at)
  if #self.rest > LONGEST + 3 then
    run:emit({ op = "hlr_close" })
    run:tell(self.fsm, "down")
  end
end

return gsup_link
