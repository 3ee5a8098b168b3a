-- SPDX-License-Identifier: BSD-3-Clause
-- Radio values of the node's mobiles, from the configuration, or as phones tell them when they attach or update.
-- Answers a BSS that asks for a capability (48.018 §7.2) and tells it of a new one (§7.1a).
--
--   listed       TLLI -> record of the configuration's list; default: that of all other mobiles
--   told         records of what phones have told, which hold the mobiles' own
--   ms.radio     a mobile's record of that list, or one of `told` (is_told)

local gb_send = require "gb.send"
local mobile_book = require "mobile.book"
local tables = require "base.tables"
local radio = require "node.radio"

local gb_radio = {}

local Radio = {}
Radio.__index = Radio

local SHORTEST <const> = 5 -- octets of a capability that a BSS takes (48.018 §11.3.22)
-- Of each technology in it (24.008 §10.5.5.12a), before the others.
local TYPE_BITS <const>, LENGTH_BITS <const> = 4, 7

local CAUSE_OK <const>, CAUSE_TLLI_UNKNOWN <const>, CAUSE_NO_CAPABILITY <const> = 0, 1, 2

function gb_radio.new(config)
  local mobiles, listed = config.mobiles or {}, {}
  for _, ms in ipairs(mobiles.list or {}) do
    listed[ms.tlli] = ms.radio
  end
  return setmetatable({ listed = listed, default = mobiles.radio, told = setmetatable({}, { __mode = "v" }),
    switches = config.gb and config.gb.dl_unitdata or {} }, Radio)
end

function Radio:add(ms)
  ms.radio = self.listed[ms.tlli]
end

local function key_of(ms)
  return ("radio/%d"):format(ms.slot)
end

-- A mobile is gone: so is the record of what it has told.
function Radio:forget(run, ms)
  if ms.radio and ms.radio.is_told then run:record(key_of(ms), nil) end
  self.listed[ms.tlli] = nil
end

function Radio:record_of(ms)
  return ms.radio or self.default or {}
end

-- All that is known of a mobile: its record's values, the capability in octets, and its IMSI.
function Radio:known_of(ms)
  local known = tables.copy(self:record_of(ms))
  known.ra_capability = known.ra_capability and radio.octets_of(known.ra_capability)
  known.imsi = mobile_book.imsi_of(ms)
  return known
end

-- RA-CAPABILITY-UPDATE, on the cell's BVC; ms: nil: no cell of this NSE has the mobile. No other BSS is told.
function Radio:answer(run, bvc, rx, ms)
  local digits = ms and self:record_of(ms).ra_capability
  local ack = { pdu = "ra_capability_update_ack", tlli = rx.pdu.tlli, tag = rx.pdu.tag }
  if not ms then
    ack.ra_cap_cause = CAUSE_TLLI_UNKNOWN
  elseif not digits then
    ack.ra_cap_cause = CAUSE_NO_CAPABILITY
  else
    ack.ra_cap_cause, ack.imsi, ack.ms_ra_capability = CAUSE_OK, mobile_book.imsi_of(ms), radio.octets_of(digits)
  end
  run:count(("ra_capability_update_%d"):format(ack.ra_cap_cause))
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, ack)
end

-- The record of what a phone has told, digits, besides the values of mobiles without a record. Phones of one kind tell
-- the same, and share it.
local function record_with(self, capability, drx)
  local key = (capability or "") .. "/" .. (drx or "")
  local record = self.told[key]
  if not record then
    record = tables.copy(self.default or {})
    record.ra_capability, record.drx, record.is_told = capability, drx, true
    self.told[key] = record
  end
  return record
end

local function hold(run, ms, record)
  local capability, drx = record.ra_capability, record.drx
  ms.radio = record
  run:record(key_of(ms), { mobile = ms.slot, capability = capability and radio.octets_of(capability),
    drx = drx and radio.octets_of(drx) })
end

-- Values told before a restart of control: the phone's worker has them.
function Radio:adopt(run, ms, kept)
  hold(run, ms, record_with(self, kept.capability and radio.digits_of(kept.capability),
    kept.drx and radio.digits_of(kept.drx)))
end

local function bits(octets, first, count)
  local value = 0
  for at = first, first + count - 1 do
    value = value << 1 | octets:byte((at >> 3) + 1) >> (7 - (at & 7)) & 1
  end
  return value
end

-- Whether a list of access technologies has its last one: of each a type, the number of its further bits, these, and
-- whether another one follows.
local function is_whole(capability)
  local at, all, has_more = 0, 8 * #capability, true
  while has_more do
    local after = at + TYPE_BITS + LENGTH_BITS
    if after > all then return false end
    after = after + bits(capability, at + TYPE_BITS, LENGTH_BITS)
    if after > all then return false end
    at, has_more = after + 1, after < all and bits(capability, after, 1) == 1
  end
  return true
end

-- The digits of a capability that the BSS can be told; nil: of none, or of a bad one.
local function digits_of(run, capability)
  if not capability then return nil end
  local fault = #capability > radio.TOLD_OCTETS and "too_long" or not is_whole(capability) and "truncated"
  if not fault then return radio.digits_of(capability .. ("\0"):rep(SHORTEST - #capability)) end
  run:count("ra_capability_" .. fault)
end

-- A phone in a cell tells these, octets; for one that it does not tell, or that is bad, the former one stays. The
-- worker has them in DL-UNITDATA from now on. A BSS that may have another capability is told the new one.
function Radio:take_told(run, ms, capability, drx)
  local was, cell = self:record_of(ms), ms.cell
  local record = record_with(self, digits_of(run, capability) or was.ra_capability,
    drx and radio.digits_of(drx) or was.drx)
  if record.ra_capability == was.ra_capability and record.drx == was.drx then return end
  if not radio.is_small(record) then return run:count("ra_capability_too_long") end
  hold(run, ms, record)
  if was.ra_capability and was.ra_capability ~= record.ra_capability and cell.usable then
    gb_send.to_nse(run, cell.nse, cell.bvci, { pdu = "ra_capability", tlli = ms.tlli,
      ms_ra_capability = radio.octets_of(record.ra_capability) })
  end
  local elements = radio.sent(record, self.switches) or {}
  run:emit({ op = "ms_elements", nsei = cell.nse.nsei, tlli = ms.tlli, elements = elements })
end

return gb_radio
