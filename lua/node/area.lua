-- SPDX-License-Identifier: BSD-3-Clause
-- Routeing areas in a configuration.
--
--   area.PATTERN   a record that is for all areas which have the values that it gives
--   area.WHOLE     fields of one area
--   area.text(id)  "262-42-4660-5": MCC, MNC, LAC, RAC

local schema = require "schema.schema"

local area = {}

local LARGEST_LAC <const> = 65533 -- 23.003 §4.1

local function digits(name, pattern, form, rest)
  local field = { name = name, type = "string", pattern = pattern, form = form }
  for key, value in pairs(rest) do field[key] = value end
  return field
end

local function fields_of(rest)
  local function with(own)
    local out = {}
    for key, value in pairs(rest) do out[key] = value end
    out.doc = rest.doc or own
    return out
  end
  return {
    digits("mcc", "^%d%d%d$", "3 digits", with("mobile country code, as text")),
    digits("mnc", "^%d%d%d?$", "2 or 3 digits", with("mobile network code, as text")),
    schema.integer("lac", 1, LARGEST_LAC, with("location area code")),
    schema.integer("rac", 0, 255, with("routing area code")),
  }
end

area.PATTERN = { type = "record", noun = "a routeing area", fields = fields_of({ absent = "any",
  doc = "as in `cell_id`" }) }
area.WHOLE = fields_of({ required = true })

function area.text(id)
  return ("%s-%s-%d-%d"):format(id.mcc, id.mnc, id.lac, id.rac)
end

return area
