-- SPDX-License-Identifier: BSD-3-Clause
-- Prints Graphviz dot of the state machine NAME of a module: lua5.4 scripts/draw_fsm.lua gb.bvc bvc | dot -Tsvg >b.svg
-- and without NAME the names of the module's machines. Run from the root of the tree; scripts/draw-fsm.sh draws all of
-- them into docs/machines. An arrow has its rows, event / action; a row without a next state stands in its state's box.
-- A dashed arrow is a row of any state.

package.path = "lua/?.lua;" .. package.path
package.cpath = "build/control/lua/?.so;" .. package.cpath -- records and codecs are in C

local fsm = require "base.fsm"

local function escaped(text)
  return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;"))
end

-- Lines of a label, the first one bold, each left-aligned.
local function lines(title, rows)
  local parts = { title and ("<b>%s</b><br/>"):format(escaped(title)) or "" }
  for _, row in ipairs(rows) do parts[#parts + 1] = escaped(row) .. '<br align="left"/>' end
  return "<" .. table.concat(parts) .. ">"
end

local function described(item)
  return item.event .. (item.row.action and " / " .. item.row.action or "")
end

-- The rows of a machine: those that stay, by state; those that leave, by state and next state, in order.
local function grouped(machine)
  local stays, edges = {}, {}
  for _, item in ipairs(fsm.rows(machine)) do
    local from = item.state == "*" and "any" or item.state
    local to = item.row.next
    if not to or to == from then
      stays[from] = stays[from] or {}
      table.insert(stays[from], described(item))
    else
      local key = from .. " " .. to
      if not edges[key] then
        edges[key] = { from = from, to = to, rows = {} }
        edges[#edges + 1] = edges[key]
      end
      table.insert(edges[key].rows, described(item))
    end
  end
  return stays, edges
end

local function draw_states(machine, stays)
  local names = {}
  for name in pairs(machine.states) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local rows = {}
    for _, key in ipairs({ "enter", "leave", "timer" }) do
      if machine.states[name][key] then rows[#rows + 1] = key .. ": " .. machine.states[name][key] end
    end
    for _, row in ipairs(stays[name] or {}) do rows[#rows + 1] = row end
    local pen = name == machine.initial and 2 or 1
    print(("  %s [label=%s, penwidth=%d];"):format(name, lines(name, rows), pen))
  end
end

local function draw(machine)
  local stays, edges = grouped(machine)
  print(("digraph %s {\n  graph [fontname=sans, fontsize=11, nodesep=0.3, ranksep=0.35];"):format(machine.name))
  print("  node [fontname=sans, fontsize=10, shape=box, style=rounded];")
  print("  edge [fontname=sans, fontsize=9, color=gray30];")
  draw_states(machine, stays)
  if stays.any then print(("  any [shape=plaintext, label=%s];"):format(lines("in any state", stays.any))) end
  for _, edge in ipairs(edges) do
    local style = edge.from == "any" and ", style=dashed" or ""
    print(("  %s -> %s [label=%s%s];"):format(edge.from, edge.to, lines(nil, edge.rows), style))
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
