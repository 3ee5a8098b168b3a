-- SPDX-License-Identifier: BSD-3-Clause
-- Claims of a request that has the TLLI of a registered phone, and may be another's: which are believed without
-- authentication, and what the phone is again if the request was not its own (24.008 §4.7.3.1.6 f).
--
--   claims.begin(phone)          a request is to begin, and one in progress ends with what it has claimed
--   claims.is_signed(phone, pending)   whether an update, `pending`, is shown to be the phone's by its own means
--   claims.is_known(phone)       whether an attach in progress is taken for that of the registered phone with its IMSI
--   claims.undo(phone)           the request was not the phone's
--   claims.fill_in(phone, kept)  in a record, fields as they were before the request

local gea = require "gmm.gea"
local proof = require "gmm.proof"

local claims = {}

local WRONG_MOST <const> = 3

-- Fields that a request changes before it is authenticated. phone.former has them of before.
local CLAIMED <const> = { "cksn", "signature", "algorithm", "capability", "is_r99", "imeisv" }

function claims.fill_in(phone, kept)
  for _, name in ipairs(CLAIMED) do kept[name] = phone.former[name] end
end

function claims.undo(phone)
  claims.fill_in(phone, phone)
  phone.former = nil
end

-- Whether a registered phone may stay what it is: phones.ciphering has its algorithm, or one that it can be given when
-- it is authenticated.
local function may_stay(phone)
  local list = phone.phones.config.ciphering
  return gea.has(list, phone.key and phone.algorithm) or gea.first(list, phone.capability or "\0", phone.is_r99) ~= nil
end

function claims.begin(phone)
  if phone.former and not phone.pending.is_authentic then claims.undo(phone) end
  phone.former = nil
  if not phone.was_registered or not phone.phones.policy.hlr or not may_stay(phone) then return end
  local former = {}
  for _, name in ipairs(CLAIMED) do former[name] = phone[name] end
  phone.former = former
end

-- Another phone that knows the TLLI can send a wrong signature, so the first ones leave the right one as it is. No
-- clause says how many (23.060 §6.8.1). After WRONG_MOST none is right until the phone, authenticated by its key, gets
-- another signature: of its 24 bits an attacker tries three values for each attach or update of the phone, and needs
-- 2800000 of these for an even chance. A request without a signature tries none.
local function note_wrong(phone)
  phone.wrong_signatures = (phone.wrong_signatures or 0) + 1
  if phone.wrong_signatures < WRONG_MOST then return end
  phone.signature, phone.signature_left = nil, nil
  if phone.former then phone.former.signature = nil end
end

-- By its P-TMSI signature (23.060 §6.8.1). With phones.authenticate = "new" the number of the
-- phone's key is enough, and a phone without a key, which the HLR has, is believed. A ciphered phone whose LLC begins
-- again is authenticated, since both ends begin again with a new key. So is a phone whose algorithm, or clear, a reload
-- has taken out of phones.ciphering.
function claims.is_signed(phone, pending)
  local config = phone.phones.config
  if phone.key and pending.is_restarted then return false end
  if not gea.has(config.ciphering, phone.key and phone.algorithm) then return false end
  local signature, believes = pending.request.signature, config.authenticate == "new"
  if phone.key == nil then return believes and phone.located_at == phone.phones.policy.hlr end
  if phone.phones.has_signature(phone, signature) then return true end
  if not signature and believes and pending.request.cksn == phone.cksn then return true end
  if signature and phone.signature then note_wrong(phone) end
  return false
end

-- With phones.authenticate = "new", unless the phone, which the HLR has, is ciphered: the same key would begin again
-- with the same counters.
function claims.is_known(phone)
  local other = proof.registered_of(phone)
  return phone.phones.config.authenticate == "new" and phone.pending.kind == "attach" and other ~= nil
    and other.located_at == phone.phones.policy.hlr and other.key == nil and phone.key == nil and phone.algorithm == 0
end

return claims
