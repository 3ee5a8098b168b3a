-- SPDX-License-Identifier: BSD-3-Clause
-- Prints Graphviz dot of the state machine NAME of a module: lua5.4 scripts/draw_fsm.lua gb.bvc bvc | dot -Tsvg >b.svg
-- and without NAME the names of the module's machines. Run from the root of the tree; scripts/draw-fsm.sh draws all of
-- them into docs/machines. A dashed arrow is a row of `any`, drawn from the node "any".

package.path = "lua/?.lua;" .. package.path

local fsm = require "base.fsm"

local function node(name, state)
  local parts = { name }
  for _, key in ipairs({ "enter", "leave", "timer" }) do
    if state[key] then parts[#parts + 1] = key .. ": " .. state[key] end
  end
  return table.concat(parts, "\\n")
end

local function draw(machine)
  local names = {}
  for name in pairs(machine.states) do names[#names + 1] = name end
  table.sort(names)
  print(("digraph %s {\n  label=\"%s\"; node [shape=box, style=rounded];"):format(machine.name, machine.name))
  print("  any [shape=plaintext];")
  for _, name in ipairs(names) do
    local pen = name == machine.initial and 2 or 1
    print(("  %s [label=\"%s\", penwidth=%d];"):format(name, node(name, machine.states[name]), pen))
  end
  for _, item in ipairs(fsm.rows(machine)) do
    local from = item.state == "*" and "any" or item.state
    local label = item.event .. (item.row.action and "\\n/ " .. item.row.action or "")
    local style = item.state == "*" and ", style=dashed" or ""
    print(("  %s -> %s [label=\"%s\"%s];"):format(from, item.row.next or from, label, style))
  end
  print("}")
end

-- The names of the machines that a text defines.
local function names_in(path)
  local names, file = {}, assert(io.open(path))
  for name in file:read("a"):gmatch('fsm%.define%(%{%s*name = "([%w_]+)"') do names[#names + 1] = name end
  file:close()
  return names
end

local module, name = arg[1], arg[2]
if not name then
  print(table.concat(names_in("lua/" .. module:gsub("%.", "/") .. ".lua"), "\n"))
else
  require(module)
  draw(assert(fsm.defined[name], name))
end
