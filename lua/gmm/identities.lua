-- SPDX-License-Identifier: BSD-3-Clause
-- Identities of phones and who has them: IMSIs, P-TMSIs and the TLLIs that are made of them (23.003 §2.4, §2.6), and
-- the routeing areas in which they hold. Each belongs to one subscriber at a time.
--
--   gmm_identities.give(Phones)               these methods, for a class with by_p_tmsi, by_imsi,
--                                             areas, cells_of_area and pool (node.pool)
--   gmm_identities.local_tlli(p_tmsi)         the local TLLI that is made of it
--   gmm_identities.is_made_of(tlli, p_tmsi)   whether a TLLI, local or foreign, is made of a P-TMSI; nil: none

local area = require "node.area"

local gmm_identities = {}

local LOCAL_TLLI <const>, FOREIGN_TLLI <const>, TLLI_BITS <const> = 0xc0000000, 0x80000000, 0x3fffffff
local DRAWS <const> = 64
local GMM <const>, RAU_REQUEST <const>, RAI_AT <const>, RAI_OCTETS <const> = 8, 0x08, 4, 6
-- Messages under a foreign TLLI that may be of another phone: ATTACH, DETACH and ROUTEING AREA UPDATE REQUEST.
local BEGINNINGS <const> = { [0x01] = true, [0x05] = true, [RAU_REQUEST] = true }

local Identities = {}

-- --- routeing areas, as text "262-42-4660-5": MCC, MNC, LAC, RAC

local NO_DIGIT <const> = 15 -- an MNC has two digits, or three

-- Phones may name one whose network has no digits, in which no message to an SGSN can name it.
local function is_rai(rai)
  return rai and #rai == RAI_OCTETS and ("%02x%02x%02x"):format(rai:byte(1, 3)):find("^%d%d[%df]%d%d%d$") ~= nil
end

local function text_of_rai(rai)
  local first, second, third, lac, rac = string.unpack(">BBBI2B", rai)
  local mnc = ("%x%x"):format(third & 15, third >> 4)
  if second >> 4 ~= NO_DIGIT then mnc = mnc .. ("%x"):format(second >> 4) end
  return area.text({ mcc = ("%x%x%x"):format(first & 15, first >> 4, second & 15), mnc = mnc, lac = lac,
    rac = rac })
end

-- The routeing area of a cell, { nsei =, bvci = }.
function Identities:rai_of(cell)
  return self.areas[cell.nsei << 16 | cell.bvci]
end

-- The same as a name, false: the node has no such cell.
function Identities:area_of(cell)
  local rai = self:rai_of(cell)
  return rai and area.text(rai) or false
end

-- A cell of the area comes (1) or goes (-1).
function Identities:count_area(id, change)
  local text = area.text(id)
  local count = (self.cells_of_area[text] or 0) + change
  self.cells_of_area[text] = count > 0 and count or nil
end

-- --- P-TMSIs

-- Bits 31 and 30 are 1, so that the P-TMSI is the local TLLI (23.003 §2.6). With is_leaving it
-- has another NRI than the node's; nil: all of these are in use.
function Identities:new_p_tmsi(phone, is_leaving)
  for _ = 1, DRAWS do
    local p_tmsi = LOCAL_TLLI | (is_leaving and self.pool:draw_other(self.offload.to) or self.pool:draw())
    if not self.by_p_tmsi[p_tmsi] then
      self.by_p_tmsi[p_tmsi] = phone
      return p_tmsi
    end
  end
  if is_leaving then return nil end -- there are few of these
  error("no free P-TMSI in " .. DRAWS .. " draws")
end

function Identities:new_signature()
  return string.pack(">I3", self.random(0xffffff))
end

-- Until the phone is known to have its new P-TMSI, the signature of that before holds, too.
function Identities.has_signature(phone, signature)
  return signature ~= nil and (signature == phone.signature or signature == phone.signature_left)
end

-- The phone that has a P-TMSI, or is being given it; nil: none. A P-TMSI that another subscriber had before the phone
-- names no phone.
function Identities:phone_of(p_tmsi)
  local phone = self.by_p_tmsi[p_tmsi]
  return phone and (phone.p_tmsi == p_tmsi or phone.p_tmsi_new == p_tmsi) and phone or nil
end

local function free_p_tmsi(self, phone, p_tmsi)
  if p_tmsi and self.by_p_tmsi[p_tmsi] == phone then self.by_p_tmsi[p_tmsi] = nil end
end

-- The new P-TMSI holds alone.
function Identities:take_p_tmsi(phone)
  if phone.p_tmsi ~= phone.p_tmsi_new then free_p_tmsi(self, phone, phone.p_tmsi) end
  free_p_tmsi(self, phone, phone.p_tmsi_left)
  phone.p_tmsi, phone.p_tmsi_new, phone.p_tmsi_left = phone.p_tmsi_new or phone.p_tmsi, nil, nil
  phone.signature_left = nil
  phone.tlli = LOCAL_TLLI | phone.p_tmsi
  if not phone.was_registered then self.admission:note(phone, false) end
end

-- Another subscriber is accepted under the TLLI of the phone: nothing of the one before is its own (23.003 §2.4). A
-- P-TMSI that was taken stays in use until the new one is, as the TLLI that the messages have; one that was only
-- offered is withdrawn.
local function change_hands(self, run, phone)
  run:count("changed_hands")
  self.sms:forget_all(run, phone)
  self.standby:forget(run, phone)
  if phone.p_tmsi_new then
    free_p_tmsi(self, phone, phone.p_tmsi_new)
    run:emit({ op = "phone_tlli", mobile = phone.mobile, tlli = phone.tlli, keeps_old = false })
  end
  phone.p_tmsi_left, phone.p_tmsi, phone.p_tmsi_new = phone.p_tmsi or phone.p_tmsi_left, nil, nil
  self.by_imsi[phone.known], phone.was_registered = nil, false
  if not phone.pending.imei then phone.imeisv = nil end
  self.admission:note(phone, true)
end

-- --- IMSIs

-- One context per IMSI: an older one ends without a message (24.008 §4.7.3.1.6 f). `phone.known` is the IMSI of the
-- last accepted attach; that of an ATTACH REQUEST, `phone.imsi`, is a claim until then.
function Identities:settle(run, phone)
  local other = self.by_imsi[phone.imsi]
  if other == phone then return end
  if other then run:post(other.fsm, "replaced") end
  if phone.known then change_hands(self, run, phone) end
  self.by_imsi[phone.imsi], phone.known = phone, phone.imsi
  run:emit({ op = "phone_imsi", mobile = phone.mobile, imsi = phone.imsi })
end

-- A phone after a restart of control, and one that goes.
function Identities:enter_identities(phone)
  for _, p_tmsi in ipairs({ phone.p_tmsi or false, phone.p_tmsi_new or false, phone.p_tmsi_left or false }) do
    if p_tmsi then self.by_p_tmsi[p_tmsi] = phone end
  end
  if phone.known then self.by_imsi[phone.known] = phone end
end

function Identities:forget_identities(phone)
  free_p_tmsi(self, phone, phone.p_tmsi)
  free_p_tmsi(self, phone, phone.p_tmsi_new)
  free_p_tmsi(self, phone, phone.p_tmsi_left)
  if phone.known and self.by_imsi[phone.known] == phone then self.by_imsi[phone.known] = nil end
end

-- --- TLLIs

-- The phone that a P-TMSI and the routeing area in which it was given name (23.003 §2.4); nil: none. rai: octets of
-- 24.008 §10.5.5.15 without their header. An area of another node names no phone, whatever its P-TMSI.
function Identities:claimed_by(p_tmsi, rai)
  local phone = self:phone_of(p_tmsi)
  if not phone or #rai ~= RAI_OCTETS then return nil end
  local text = text_of_rai(rai)
  return (text == phone.area or self.cells_of_area[text] or text == self.pool.offload_area) and phone or nil
end

function Identities.is_rai(_, rai) return is_rai(rai) end

-- The SGSN that gave a P-TMSI in an area, an entry of phones.pool.others; nil: this one, or none that is known.
function Identities:sgsn_of(p_tmsi, rai)
  if not is_rai(rai) then return nil end
  local text = text_of_rai(rai)
  return self.pool:find(p_tmsi, text, self.cells_of_area[text] ~= nil)
end

-- The name in DNS of the SGSN of another area than the node's; nil: DNS is not asked.
function Identities:name_of_area(rai)
  if not is_rai(rai) then return nil end
  local text = text_of_rai(rai)
  return not self.cells_of_area[text] and text ~= self.pool.offload_area and self.pool:name_of(text) or nil
end

-- The phone of a TLLI that its worker does not know: it updates in another routeing area, under its foreign TLLI
-- (24.008 §4.7.1.4.1), or answers from there.
function Identities:phone_of_tlli(tlli, octets)
  if tlli < FOREIGN_TLLI then return nil end
  local p_tmsi = LOCAL_TLLI | tlli & TLLI_BITS
  local phone = self:phone_of(p_tmsi)
  if not phone then return nil end
  if octets:byte(2) == RAU_REQUEST and octets:byte(1) & 15 == GMM then
    local is_known = phone.was_registered or phone.p_tmsi_new == p_tmsi
    return is_known and self:claimed_by(p_tmsi, octets:sub(RAI_AT, RAI_AT + RAI_OCTETS - 1)) or nil
  end
  return (phone.p_tmsi_new == tlli or phone.pending and phone.heard == tlli) and phone or nil
end

-- Whether a frame of a TLLI that its worker does not know is of a registered phone that has not updated its routeing
-- area yet, such as a user's packet under its foreign TLLI (23.060 §6.9.1.2). octets: "": no message.
function Identities:is_before_update(tlli, octets)
  local phone = tlli >= FOREIGN_TLLI and self:phone_of(LOCAL_TLLI | tlli & TLLI_BITS)
  if not phone or not phone.was_registered then return false end
  local head, kind = octets:byte(1, 2)
  return octets == "" or head & 15 ~= GMM or not BEGINNINGS[kind]
end

-- Whether a phone was given the P-TMSI that a TLLI is made of: local or foreign (23.003 §2.6).
function gmm_identities.is_made_of(tlli, p_tmsi)
  return p_tmsi ~= nil and tlli >= FOREIGN_TLLI and LOCAL_TLLI | tlli & TLLI_BITS == p_tmsi
end

-- Another phone in another routeing area has the TLLI, random or foreign, under which one is in the midst of a
-- procedure: it is unique in its area alone (23.060 §14.5). Its request waits for its repetition (T3310, T3330), when
-- the first phone has a TLLI of its own.
function Identities:is_of_another(phone, from, message)
  local pending, name = phone.pending, message.message
  if not pending or from.tlli >= LOCAL_TLLI or self:area_of(from) == self:area_of(pending) then return false end
  local claim = name == "attach_request" and message.identity or name == "rau_request" and message.old_rai
  if not claim or claim == pending.claim then return false end
  return name == "attach_request" or self:claimed_by(LOCAL_TLLI | from.tlli & TLLI_BITS, claim) ~= phone
end

-- A registered phone updates under its foreign TLLI, under which one that is not registered has come before: that one
-- ends, and the repetition of the request (T3330) finds its phone.
function Identities:is_of_owner(phone, from, message)
  if message.message ~= "rau_request" or phone.was_registered or from.tlli >= LOCAL_TLLI then return false end
  local owner = from.tlli >= FOREIGN_TLLI and self:claimed_by(LOCAL_TLLI | from.tlli & TLLI_BITS, message.old_rai)
  return owner and owner ~= phone and owner.was_registered or false
end

function gmm_identities.local_tlli(p_tmsi)
  return LOCAL_TLLI | p_tmsi
end

function gmm_identities.give(class)
  for name, method in pairs(Identities) do class[name] = method end
end

return gmm_identities
