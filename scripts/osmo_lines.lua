-- SPDX-License-Identifier: BSD-3-Clause
-- Prints docs/reference/osmo-sgsn.md, of lua/node/osmo_lines.lua, osmo_new_lines.lua and osmo_old_lines.lua.
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
<!-- Made by scripts/gen-docs.sh from osmo_lines.lua, osmo_new_lines.lua and osmo_old_lines.lua; change those. -->

# Configuration lines of osmo-sgsn

All lines of a configuration of osmo-sgsn 1.9, by the nodes of its VTY, with the keys of a node ([node.md](node.md))
that `gbflow import-osmo` makes of them. `CATEGORY` stands for the names of log categories. Commands, and how to move:
[from-osmo-sgsn.md](../from-osmo-sgsn.md).]])

local function lines_cell(row)
  local cells = {}
  for i, line in ipairs(row) do cells[i] = cell(line) end
  return table.concat(cells, "<br>")
end

for _, block in ipairs(require "node.osmo_lines") do
  if #block.rows > 0 then
    print(("\n## %s\n\n| line | here |\n| --- | --- |"):format(TITLES[block.node] or block.node))
  end
  for _, row in ipairs(block.rows) do
    print(("| %s | %s |"):format(lines_cell(row), counterpart(row)))
  end
end
print([[

## osmo-sgsn 1.13

Lines that osmo-sgsn 1.13 has besides, or in place of those of 1.9.

| line | node | here |
| --- | --- | --- |]])
for _, block in ipairs(require "node.osmo_new_lines") do
  for _, row in ipairs(block.rows) do
    print(("| %s | %s | %s |"):format(lines_cell(row), block.node, counterpart(row)))
  end
end
print([[

## Older versions

Lines that osmo-sgsn 1.9 no longer has. Those of `config-ns` are of versions before 1.7.

| node | line | here |
| --- | --- | --- |]])
for _, block in ipairs(require "node.osmo_old_lines") do
  for _, row in ipairs(block.rows) do
    print(("| %s | %s | %s |"):format(block.node, lines_cell(row), counterpart(row)))
  end
end
