-- SPDX-License-Identifier: BSD-3-Clause
-- Limits on what is not proven to be a phone's own: anyone can send most messages of GMM in clear, with any TLLI.
--
--   local a = admission.new(config)       the checked configuration with `phones`
--   a:configure(settings)                 config.phones, of a reload
--   a:note_cell(nsei, change)             1: a cell of the NSE comes, -1: one goes
--   a:refusal(nsei, bvci)                 the counter's name if no further phone may begin its first attach there
--   a:note(phone, is_open)                the phone is, or is no longer, in the midst of its first attach
--   admission.is_of_interest(octets)      whether a message of an unknown TLLI begins something
--   admission.may_request(phone, now)     whether one more request of the phone is taken; if so, charges it
--   admission.CLEAR                       set of messages that are never ciphered
--   admission.objection(phone, message)   the counter's name if an answer does not count; nil: it does

local gmm_phone = require "gmm.phone"

local admission = {}

-- 24.008 §4.7.1.2: these are accepted, and sent, in clear while ciphering is on.
admission.CLEAR = { attach_request = true, attach_reject = true, auth_request = true, auth_response = true,
  auth_failure = true, auth_reject = true, identity_request = true, identity_response = true, rau_request = true,
  rau_reject = true }

local Admission = {}
Admission.__index = Admission

local GMM <const>, SMS <const>, SM <const> = 8, 9, 10
local CP_DATA <const>, EXTENDED <const> = 0x01, 0x70 -- a TI with a further octet
-- Each request may cost the HLR a request, and the cell an answer.
local REQUESTS <const>, REQUEST_EVERY <const> = 10, 1000000000

function admission.new(config)
  local a = setmetatable({ open = 0, of_nse = {}, of_cell = {}, accepts_nses = config.nses_accepted ~= nil,
    cells_of = {}, nses = 0 }, Admission)
  a:configure(config.phones)
  return a
end

function Admission:configure(settings)
  self.open_max, self.of_cell_max = settings.half_open, settings.half_open_per_cell
end

local function cell_key(nsei, bvci)
  return nsei << 16 | bvci
end

-- An NSE may have as many as it leaves free: half of all when it is alone, and the next ones always find some.
local function most_of_nse(self)
  local has_others = self.nses > 1 or self.accepts_nses
  return has_others and self.open_max - self.open or self.open_max
end

function Admission:refusal(nsei, bvci)
  if self.open >= self.open_max then return "admit_limit" end
  if (self.of_nse[nsei] or 0) >= most_of_nse(self) then return "admit_nse_limit" end
  if (self.of_cell[cell_key(nsei, bvci)] or 0) >= self.of_cell_max then return "admit_cell_limit" end
  return nil
end

local function add_to(counts, key, change)
  local count = (counts[key] or 0) + change
  counts[key] = count > 0 and count or nil
end

function Admission:note_cell(nsei, change)
  local before = self.cells_of[nsei]
  add_to(self.cells_of, nsei, change)
  local after = self.cells_of[nsei]
  self.nses = self.nses + (before and 0 or 1) - (after and 0 or 1)
end

-- A phone counts where it began.
function Admission:note(phone, is_open)
  if is_open == (phone.open_at ~= nil) then return end
  local at, change = phone.open_at or { nsei = phone.nsei, bvci = phone.bvci }, is_open and 1 or -1
  phone.open_at = is_open and at or nil
  self.open = self.open + change
  add_to(self.of_nse, at.nsei, change)
  add_to(self.of_cell, cell_key(at.nsei, at.bvci), change)
end

function admission.is_of_interest(octets)
  local head, kind = octets:byte(1, 2)
  if not kind then return false end
  if head & 15 == GMM then
    return kind ~= 0x06 and kind ~= 0x20 and head >> 4 == 0
  end
  if head & 15 == SMS then return kind == CP_DATA and head >> 4 < 7 end
  if head & EXTENDED == EXTENDED then kind = octets:byte(3) end
  return head & 15 == SM and kind ~= nil and kind ~= 0x55 and kind ~= 0x47
end

function admission.may_request(phone, now)
  local whole_at = math.max(phone.requests_whole_at or now, now)
  if whole_at - now > (REQUESTS - 1) * REQUEST_EVERY then return false end
  phone.requests_whole_at = whole_at + REQUEST_EVERY
  return true
end

local ANSWERS <const> = { identity_response = true, auth_response = true, auth_failure = true }
local COMPLETES <const> = { attach_complete = true, rau_complete = true }

-- A phone that changes its routeing area in the midst of a procedure begins it again (24.008 §4.7.3.1.6 h,
-- §4.7.5.1.6 h).
local function is_in_another_area(phone)
  local phones = phone.phones
  local asked, heard = phones:area_of(phone.pending), phones:area_of(phone)
  return asked and heard and asked ~= heard
end

-- The BSS of another NSE than that of the request has not seen what is answered. A COMPLETE may come by another one of
-- the same routeing area.
function admission.objection(phone, message)
  local pending, name = phone.pending, message.message
  if pending and (ANSWERS[name] and pending.nsei ~= phone.nsei
    or (ANSWERS[name] or COMPLETES[name]) and is_in_another_area(phone)) then
    return "answer_elsewhere"
  end
  if name == "detach_request" and gmm_phone.is_away(phone) then return "detach_of_left" end
  if name == "auth_response" and message.reference ~= phone.reference then return "answer_to_another" end
  return nil
end

return admission
