-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of the tables whose facts are in Lua: of `gbflow show`, of reports and metrics. The module NOUN.shown beside an
-- object has a list of rows for each of its tables, { TABLE = { row... } }, in the order of the columns. The build
-- makes the C side of them (scripts/lua_build.lua, control/report/lua_rows.h). A table of Lua that is shown has a field
-- for each row, by its name; text that is nil is not known, a number that is nil 0.
--
--   shown.text(name, sentence)            says what the others are of: a name, an address, a state
--   shown.number(name, sentence)          the same, an integer: an identifier
--   shown.counter(name, unit, sentence)   counts from 0 and only grows; unit in the plural
--   shown.gauge(name, unit, sentence)     any other integer
--   shown.hidden(name)                    an integer that C reads and does not show
--   shown.zeros(rows)                     a table with 0 for each row. To count what has no row is an error, but for
--                                         what base.fsm counts of each machine

local shown = {}

local function labels(kind)
  return function(name, sentence) return { name = name, kind = kind, unit = "", sentence = sentence or "" } end
end

local function numbers(kind)
  return function(name, unit, sentence) return { name = name, kind = kind, unit = unit, sentence = sentence } end
end

shown.text, shown.number, shown.hidden = labels("TEXT"), labels("NUMBER"), labels("HIDDEN")
shown.counter, shown.gauge = numbers("COUNTER"), numbers("GAUGE")

local Strict = {}

function Strict.__newindex(counts, name, count)
  if name ~= "timer_stale" and not name:find("_unexpected$") then
    error("no row shows the counter " .. name, 0)
  end
  rawset(counts, name, count)
end

function shown.zeros(rows)
  local counts = {}
  for _, row in ipairs(rows) do counts[row.name] = 0 end
  return setmetatable(counts, Strict)
end

return shown
