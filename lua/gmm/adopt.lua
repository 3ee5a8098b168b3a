-- SPDX-License-Identifier: BSD-3-Clause
-- Phones after a restart of control: takes over what the records say (base.records). A phone that is registered, or
-- was sent its ACCEPT, notices nothing. One in an earlier step of an attach is forgotten, as if its messages had been
-- lost: it attaches again when its timer T3310 expires (24.008 §4.7.3.1.5).
--
--   gmm_adopt.record(phones, run, text)   one record; phones: gmm.phones
--   gmm_adopt.finish(phones, run)         after the last one

local records = require "base.records"

local gmm_adopt = {}

local function index(phones, phone)
  for _, p_tmsi in ipairs({ phone.p_tmsi or false, phone.p_tmsi_new or false }) do
    if p_tmsi then phones.by_p_tmsi[p_tmsi] = phone end
  end
  if phone.known then phones.by_imsi[phone.known] = phone end
  if not phone.was_registered then phones.admission:note(phone, true) end
end

local function adopt_phone(phones, run, kept)
  local phone = { phones = phones, contexts = {} }
  for field, value in pairs(kept) do phone[field] = value end
  phones:enter(phone)
  index(phones, phone)
  run:restore(phone.fsm, kept.state)
end

-- Contexts come before or after their phone.
function gmm_adopt.record(phones, run, text)
  local kept = records.unpack(text)
  if kept.nsapi then
    phones.held = phones.held or {}
    phones.held[#phones.held + 1] = kept
  else
    adopt_phone(phones, run, kept)
  end
end

function gmm_adopt.finish(phones, run)
  for _, kept in ipairs(phones.held or {}) do
    local phone = phones.by_mobile[kept.mobile]
    if phone then phones.contexts:adopt(run, phone, kept) end
  end
  phones.held = nil
end

return gmm_adopt
