-- SPDX-License-Identifier: BSD-3-Clause
-- Lists the cases of the Gb control plane, each a row that gb_spec plays; from the root of the tree:
--     lua5.4 tests/unit/lua/cases.lua
-- A line is "kind, number, clause, what"; the last ones say how many there are of each kind.

local cases = {}

cases.KINDS = {
  { name = "flow control", tables = { "gb_flow_case_rows" }, least = 60 },
  { name = "negative", tables = { "gb_negative_bssgp_rows", "gb_negative_ns_rows" }, least = 100 },
}

-- All rows of a kind.
function cases.of(kind)
  local list = {}
  for _, name in ipairs(kind.tables) do
    local rows = require(name)
    table.move(rows, 1, #rows, #list + 1, list)
  end
  return list
end

local function print_all()
  for _, kind in ipairs(cases.KINDS) do
    for i, row in ipairs(cases.of(kind)) do
      print(("%-12s %4d  %-28s %s"):format(kind.name, i, row.clause, row.name))
    end
  end
  for _, kind in ipairs(cases.KINDS) do
    print(("%d cases of %s, at least %d wanted"):format(#cases.of(kind), kind.name, kind.least))
  end
end

if arg and arg[0] and arg[0]:match("cases%.lua$") then
  package.path = "tests/unit/lua/?.lua;lua/?.lua;" .. package.path
  print_all()
end

return cases
