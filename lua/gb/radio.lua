-- SPDX-License-Identifier: BSD-3-Clause
-- IMSI and radio values of the node's mobiles, from the configuration or learned later. Answers a BSS that
-- asks for a capability (48.018 §7.2) and tells it of a new one (§7.1a).
--
--   imsi     TLLI -> digits, where known; tlli_of: the other way (base.tables)
--   listed   TLLI -> record of the configuration's list; default: that of all other mobiles
--   told     TLLI -> record that came later and holds instead

local gb_send = require "gb.send"
local tables = require "base.tables"
local radio = require "node.radio"

local gb_radio = {}

local Radio = {}
Radio.__index = Radio

local CAUSE_OK <const>, CAUSE_TLLI_UNKNOWN <const>, CAUSE_NO_CAPABILITY <const> = 0, 1, 2

function gb_radio.new(config)
  local mobiles, listed = config.mobiles or {}, {}
  for _, ms in ipairs(mobiles.list or {}) do
    listed[ms.tlli] = ms.radio
  end
  return setmetatable({ imsi = tables.large_map({ value = "digits" }), tlli_of = tables.large_map({ key = "digits" }),
    told = {}, listed = listed, default = mobiles.radio,
    switches = config.gb and config.gb.dl_unitdata or {} }, Radio)
end

function Radio:add(tlli, imsi)
  self.imsi[tlli] = imsi
  if imsi then self.tlli_of[imsi] = tlli end
end

local function remove(self, tlli)
  local imsi = self.imsi[tlli]
  if imsi and self.tlli_of[imsi] == tlli then self.tlli_of[imsi] = nil end
  self.imsi[tlli], self.told[tlli] = nil, nil
end

local function key_of(tlli)
  return ("radio/%08x"):format(tlli)
end

-- A mobile is gone: so is the record of what it has told.
function Radio:forget(run, tlli)
  if self.told[tlli] then run:record(key_of(tlli), nil) end
  self.listed[tlli] = nil
  remove(self, tlli)
end

function Radio:record_of(tlli)
  return self.told[tlli] or self.listed[tlli] or self.default or {}
end

-- All that is known of a mobile: its record's values, the capability in octets, and its IMSI.
function Radio:known_of(tlli)
  local known = tables.copy(self:record_of(tlli))
  known.ra_capability = known.ra_capability and radio.octets_of(known.ra_capability)
  known.imsi = self.imsi[tlli]
  return known
end

-- RA-CAPABILITY-UPDATE, on the cell's BVC; is_known: the mobile is in a cell of this NSE. No other BSS is told.
function Radio:answer(run, bvc, rx, is_known)
  local tlli, digits = rx.pdu.tlli, self:record_of(rx.pdu.tlli).ra_capability
  local ack = { pdu = "ra_capability_update_ack", tlli = tlli, tag = rx.pdu.tag }
  if not is_known then
    ack.ra_cap_cause = CAUSE_TLLI_UNKNOWN
  elseif not digits then
    ack.ra_cap_cause = CAUSE_NO_CAPABILITY
  else
    ack.ra_cap_cause, ack.imsi, ack.ms_ra_capability = CAUSE_OK, self.imsi[tlli], radio.octets_of(digits)
  end
  run:count(("ra_capability_update_%d"):format(ack.ra_cap_cause))
  gb_send.bssgp(run, bvc.wire, rx.via, bvc.bvci, ack)
end

local function with_capability(self, tlli, capability)
  local record = tables.copy(self:record_of(tlli))
  record.ra_capability = radio.digits_of(capability)
  return record
end

-- A capability that a mobile told before a restart of control.
function Radio:adopt(run, tlli, capability)
  self.told[tlli] = with_capability(self, tlli, capability)
  run:record(key_of(tlli), { tlli = tlli, capability = capability })
end

-- A mobile in a cell has told its capability: the BSS hears of it, and the worker what to say from now on.
function Radio:tell(run, cell, tlli, capability)
  local record = with_capability(self, tlli, capability)
  if not radio.is_small(record) then
    return run:count("ra_capability_too_long")
  end
  self:adopt(run, tlli, capability)
  if cell.usable then
    gb_send.to_nse(run, cell.nse, cell.bvci, { pdu = "ra_capability", tlli = tlli, ms_ra_capability = capability })
  end
  local elements = radio.sent(record, self.switches) or {}
  run:emit({ op = "ms_elements", nsei = cell.nse.nsei, tlli = tlli, elements = elements })
end

return gb_radio
