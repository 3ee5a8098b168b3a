-- SPDX-License-Identifier: BSD-3-Clause
-- Prints docs/reference/osmo-sgsn.md, of lua/node/osmo_lines.lua.
local TITLES <const> = { common = "In each node of the VTY" }

-- As code in a cell of a table.
local function cell(line)
  return "`" .. line:gsub("|", "\\|") .. "`"
end

local function counterpart(row)
  if row.why then return "no: " .. row.why end
  if row.holds then return "none is needed: " .. row.holds end
  if row.key:find("^none: ") then return row.key:gsub("^none: ", "none is needed: ") end
  return (row.key:gsub("[^, ]+", "`%0`"))
end

print([[
<!-- Made by scripts/gen-docs.sh from lua/node/osmo_lines.lua; change that one. -->

# Configuration lines of osmo-sgsn

All lines of a configuration of osmo-sgsn 1.9, by the nodes of its VTY, with the keys of a node ([node.md](node.md))
that `gbflow import-osmo` makes of them. `CATEGORY` stands for the names of log categories. Commands, and how to move:
[from-osmo-sgsn.md](../from-osmo-sgsn.md).]])
for _, block in ipairs(require "node.osmo_lines") do
  if #block.rows > 0 then
    print(("\n## %s\n\n| line | here |\n| --- | --- |"):format(TITLES[block.node] or block.node))
  end
  for _, row in ipairs(block.rows) do
    local cells = {}
    for i, line in ipairs(row) do cells[i] = cell(line) end
    print(("| %s | %s |"):format(table.concat(cells, "<br>"), counterpart(row)))
  end
end
