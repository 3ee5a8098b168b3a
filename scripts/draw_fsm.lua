-- SPDX-License-Identifier: BSD-3-Clause
-- Prints Graphviz dot of state machines: lua5.4 scripts/draw_fsm.lua gb.ns_vc gb.bvc | dot -Tsvg -o machines.svg
-- Run from the root of the tree; scripts/draw-fsm.sh draws all of them into docs/machines. A dashed arrow is a row of
-- `any`, drawn from the node "any".

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

for _, name in ipairs(#arg > 0 and arg or { "gb.ns_vc", "gb.ns_test", "gb.bvc", "gb.ms_flow" }) do
  local module = require(name)
  draw(module.states and module or module.machine)
end
