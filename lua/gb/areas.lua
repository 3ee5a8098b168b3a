-- SPDX-License-Identifier: BSD-3-Clause
-- Routeing areas (23.003 §4.2): { mcc =, mnc =, lac =, rac = }; patterns of them, in which nil stands for any value.
-- And whether a mobile may move to a cell, which is a matter of its routeing area among others.

local gb_areas = {}

local FIELDS = { "mcc", "mnc", "lac", "rac" }

-- Whether a cell identity or routeing area is in a routeing area or matches a pattern.
function gb_areas.is_in(id, pattern)
  for _, field in ipairs(FIELDS) do
    if pattern[field] ~= nil and id[field] ~= pattern[field] then return false end
  end
  return true
end

-- Whether it matches one of a list of patterns; nil: any does.
function gb_areas.is_allowed(id, patterns)
  for _, allowed in ipairs(patterns or { {} }) do
    if gb_areas.is_in(id, allowed) then return true end
  end
  return false
end

-- Whether two cell identities are the same.
function gb_areas.is_cell(id, other)
  return gb_areas.is_in(id, other) and id.ci == other.ci
end

-- The cell identity in eight octets (48.018 §11.3.9).
function gb_areas.cell_of(octets)
  local a, b, c, lac, rac, ci = string.unpack(">BBBI2BI2", octets)
  local third = b >> 4 == 15 and "" or ("%x"):format(b >> 4)
  return { mcc = ("%x%x%x"):format(a & 15, a >> 4, b & 15), mnc = ("%x%x"):format(c & 15, c >> 4) .. third, lac = lac,
    rac = rac, ci = ci }
end

-- Whether one of an NSE's cells is in a routeing area.
function gb_areas.has(nse, area)
  for _, bvc in ipairs(nse.bvcs) do
    if gb_areas.is_in(bvc.cell_id, area) then return true end
  end
end

function gb_areas.name_of(id)
  return ("%s-%s-%d-%d"):format(id.mcc, id.mnc, id.lac, id.rac)
end

-- Whether a mobile may move to another cell now. That a frame of it proves that it is there has been checked by the
-- worker before (docs/security.md). Reasons to refuse, which are counted as "move_REASON":
--
--   unknown_cell   the configuration has no such cell, or will not have it any more
--   policy         the cell claims a routeing area that its NSE may not serve (bvc.is_refused), or the frame does
--   cell_id        the frame's Cell Identifier is not the cell's: that of its last BVC-RESET, else the configured one
--   rate           the mobile has no token left
--
-- A mobile has `burst` tokens; a move costs one, and one is regained in each `every` ns, as in the virtual scheduling
-- form of a leaky bucket (ITU-T I.371): whole_at is the instant at which it has all of them again.
--
--   ms.whole_at   instant, of mobiles that have moved; it outlives a restart of control

local Moves = {}
Moves.__index = Moves

-- settings: { burst =, every = ns }; nil or every = 0: any number of moves.
function gb_areas.new_moves(settings)
  local every = settings and settings.every or 0
  return setmetatable({ burst = settings and settings.burst or 1, every = every }, Moves)
end

-- How many moves a mobile has left.
function Moves:tokens_of(ms, now)
  local behind = (ms.whole_at or now) - now
  if self.every == 0 or behind <= 0 then return self.burst end
  return math.max(0, self.burst - (behind + self.every - 1) // self.every)
end

-- nil, or the reason why a mobile may not move to a cell (nil: there is no such cell).
function Moves:refusal(ms, cell, now)
  if not cell or cell.late then return "unknown_cell" end
  if cell.is_refused then return "policy" end
  if self:tokens_of(ms, now) == 0 then return "rate" end
end

-- nil, or the reason why a mobile may not move to a cell by UL-UNITDATA with this Cell Identifier. TS 48.018 clause
-- 10.2.2 says nothing of one that contradicts the BVCI: the PDU is handled, but proves no cell.
function gb_areas.refusal_of_id(cell, id)
  if not gb_areas.is_allowed(id, cell.nse.routeing_areas) then return "policy" end
  if not gb_areas.is_cell(id, cell.named or cell.cell_id) then return "cell_id" end
end

local function key_of(ms)
  return ("moves/%d"):format(ms.slot)
end

local function keep(run, ms, whole_at)
  ms.whole_at = whole_at
  run:record(key_of(ms), { mobile = ms.slot, whole = whole_at })
end

function Moves:charge(run, ms)
  if self.every > 0 then keep(run, ms, math.max(ms.whole_at or run.now, run.now) + self.every) end
end

-- The record of a mobile that has all tokens again is not needed any more.
function Moves:adopt(run, ms, whole_at)
  if self.every > 0 and whole_at > run.now then keep(run, ms, whole_at) end
end

-- The mobile is gone.
function Moves.remove(_, run, ms)
  if ms.whole_at then run:record(key_of(ms), nil) end
end

return gb_areas
