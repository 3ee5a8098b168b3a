-- SPDX-License-Identifier: BSD-3-Clause
-- Routeing areas (23.003 §4.2): { mcc =, mnc =, lac =, rac = }; patterns of them, in which nil stands for any value.

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

function gb_areas.name_of(id)
  return ("%s-%s-%d-%d"):format(id.mcc, id.mnc, id.lac, id.rac)
end

return gb_areas
