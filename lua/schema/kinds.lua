-- SPDX-License-Identifier: BSD-3-Clause
-- The kind of a configuration by the keys of its table: of a node, a scenario, an emulated BSS, or a study.

local kinds = {}

-- By the folder of their schema, in the order in which the first of equals wins.
local ORDER <const> = { "node", "scenario", "bss", "study" }
local IS <const> = {
  node = "the configuration of a node, for gbflow serve and replay",
  scenario = "a scenario, for gbflow run",
  bss = "the configuration of an emulated BSS, for gbflow emulate",
  study = "a study, for gbflow sweep",
}
local WANTED <const> = { node = "the configuration of a node", scenario = "a scenario",
  bss = "the configuration of an emulated BSS", study = "a study" }

local function known_keys(value, kind)
  local count = 0
  for _, field in ipairs(require(kind .. ".schema").fields) do
    count = count + (rawget(value, field.name) ~= nil and 1 or 0)
  end
  return count
end

-- "node", "scenario", "bss" or "study": the kind that knows most keys of the table, and how many. nil: no kind knows
-- any.
function kinds.of(value)
  local found, most = nil, 0
  for _, kind in ipairs(ORDER) do
    local count = known_keys(value, kind)
    if count > most then
      found, most = kind, count
    end
  end
  return found, most
end

-- The message about a table of which another kind knows more keys than the wanted one; nil: there is none.
function kinds.complaint(value, wanted)
  local kind, count = kinds.of(value)
  if kind and kind ~= wanted and count > known_keys(value, wanted) then
    return string.format("is %s; expected %s", IS[kind], WANTED[wanted])
  end
end

return kinds
