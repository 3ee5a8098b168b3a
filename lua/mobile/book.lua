-- SPDX-License-Identifier: BSD-3-Clause
-- The book of the node's mobiles. A mobile is found by its slot, which is its number at workers and in control, by its
-- TLLI and by its IMSI. TLLI and IMSI may change; its slot and its record stay. Until a mobile has taken the TLLI that
-- it is offered it may use either (24.008 §4.7.1.5), and is found by both.
--
--   local book = mobile_book.new()
--   book:add(slot, tlli, imsi)      -> its record, { slot =, tlli = }; imsi: digits, nil: not known
--   book:call(ms, tlli)             it has this TLLI alone from now on
--   book:offer(ms, tlli)            it answers to this TLLI, too, unless a mobile has it; nil: to its own alone
--   book:identify(ms, imsi)         it has this IMSI from now on, nil: none that is known
--   book:remove(ms)
--   book.at[slot], book:of_tlli(tlli), book:of_imsi(imsi)   records; nil: no mobile has it (at: base.tables)
--   mobile_book.imsi_of(ms)         digits; nil: not known
--
-- Of two mobiles with one TLLI the first is found by it until it gives it up, and the other by its next TLLI, as in
-- control and at workers (control/core/mobility.h). A TLLI names one mobile of a routeing area (23.003 §2.6), whose
-- LLC has its state by that (44.064 §8.3): its PDUs are those of the first one, and no configuration or P-TMSI makes
-- them another's. Of two with one IMSI the later is found: the subscriber has attached once more (23.060 §6.5).
--
-- Other modules add fields to a record; the module that writes a field names it in its first comment. The collector has
-- little to look at: ms.imsi is an integer (tables.from_digits), and the indices have slots.

local tables = require "base.tables"

local mobile_book = {}

local Book = {}
Book.__index = Book

function mobile_book.new()
  return setmetatable({ at = tables.large_map(), slot_of_tlli = tables.large_map(), slot_of_imsi = tables.large_map(),
    offered = tables.large_map() }, Book)
end

function Book:of_tlli(tlli)
  return self.at[self.slot_of_tlli[tlli]]
end

function Book:of_imsi(imsi)
  return self.at[self.slot_of_imsi[tables.from_digits(imsi)]]
end

function mobile_book.imsi_of(ms)
  return tables.to_digits(ms.imsi)
end

local function release(index, key, ms)
  if key and index[key] == ms.slot then index[key] = nil end
end

local function claim(self, tlli, ms)
  self.slot_of_tlli[tlli] = self.slot_of_tlli[tlli] or ms.slot
end

function Book:offer(ms, tlli)
  release(self.slot_of_tlli, self.offered[ms.slot], ms)
  self.offered[ms.slot] = nil
  if tlli and not self:of_tlli(tlli) then self.offered[ms.slot], self.slot_of_tlli[tlli] = tlli, ms.slot end
end

function Book:call(ms, tlli)
  self:offer(ms, nil)
  if tlli == ms.tlli then return end
  release(self.slot_of_tlli, ms.tlli, ms)
  ms.tlli = tlli
  claim(self, tlli, ms)
end

function Book:identify(ms, imsi)
  release(self.slot_of_imsi, ms.imsi, ms)
  ms.imsi = tables.from_digits(imsi)
  if imsi then self.slot_of_imsi[ms.imsi] = ms.slot end
end

function Book:add(slot, tlli, imsi)
  local ms = { slot = slot, tlli = tlli, imsi = tables.from_digits(imsi), cell = false }
  self.at[slot] = ms
  claim(self, tlli, ms)
  if imsi then self.slot_of_imsi[ms.imsi] = slot end
  return ms
end

function Book:remove(ms)
  self:offer(ms, nil)
  release(self.slot_of_tlli, ms.tlli, ms)
  release(self.slot_of_imsi, ms.imsi, ms)
  self.at[ms.slot] = nil
end

return mobile_book
