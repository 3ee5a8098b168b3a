-- SPDX-License-Identifier: BSD-3-Clause
-- The lines of a configuration of osmo-sgsn, each with its row of node.osmo_lines, node.osmo_new_lines or
-- node.osmo_old_lines.
--
--   local list = osmo_vty.read(text, "osmo-sgsn.cfg")   { line = number, text =, words = , node = VTY node, row = }
--   local nothing, fault = ...                          nil and "FILE:LINE: what is wrong; remedy"
--   osmo_vty.form_of("gb.address")                      the form of the line that gives a key, and its VTY node
--
-- A line without a row has none. A line is in the VTY node that the nearest less indented line opens. In a file
-- without indentation it is in the innermost open node that knows it, as the VTY itself takes lines that are typed.

local ip_network = require "base.ip_network"
local lines = require "node.osmo_lines"
local new_lines = require "node.osmo_new_lines"
local old_lines = require "node.osmo_old_lines"

local osmo_vty = {}

local UNKNOWN <const> = "?" -- the node of lines below one that is not known

-- Whether a word is of an element: a word, <1-3>, A.B.C.D, (a|b), NAME.
local function fits(element, word)
  local first, last = element:match("^<(%d+)-(%d+)>$")
  if first then return word:find("^%d%d?%d?%d?%d?%d?%d?%d?%d?%d?$") ~= nil and tonumber(word) >= tonumber(first)
    and tonumber(word) <= tonumber(last) end
  local choices = element:match("^%((.*)%)$")
  for choice in (choices or ""):gmatch("[^|]+") do
    if fits(choice, word) then return true end
  end
  if choices then return false end
  if element == "A.B.C.D" or element == "X:X::X:X" then
    return #(ip_network.octets(word) or "") == (element == "A.B.C.D" and 4 or 16)
  end
  return element == word or element:find("^%u[%u_-]*$") ~= nil
end

-- Whether words are a line of this form, whose elements are a list.
local function is_of(form, words)
  local at = 1
  for _, element in ipairs(form) do
    if element:sub(1, 1) == "." then return words[at] ~= nil end
    local inner = element:match("^%[(.*)%]$") or element:match("^%((.*)|%)$")
    if words[at] and fits(inner or element, words[at]) then
      at = at + 1
    elseif not inner then
      return false
    end
  end
  return words[at] == nil
end

local function elements_of(line)
  local list = {}
  for element in line:gsub(" | ", "|"):gsub("%( ", "("):gmatch("%S+") do list[#list + 1] = element end
  return list
end

-- By VTY node and first word: a list of { form = elements, row = row }. Forms of today come first.
local forms = {}

local function add_forms(blocks)
  for _, block in ipairs(blocks) do
    local by_word = forms[block.node] or {}
    forms[block.node] = by_word
    for _, row in ipairs(block.rows) do
      for _, line in ipairs(row) do
        local form = elements_of(line)
        by_word[form[1]] = by_word[form[1]] or {}
        table.insert(by_word[form[1]], { form = form, row = row })
      end
    end
  end
end

add_forms(lines)
add_forms(new_lines)
add_forms(old_lines)

local function row_of(node, words)
  for _, entry in ipairs((forms[node] or {})[words[1]] or {}) do
    if is_of(entry.form, words) then return entry.row end
  end
end

local function is_below(path, of)
  local next = path:sub(#of + 1, #of + 1)
  return path:sub(1, #of) == of and (next == "" or next == "." or next == "[")
end

function osmo_vty.form_of(path)
  for _, block in ipairs(lines) do
    for _, row in ipairs(block.rows) do
      for key in (row.key or ""):gmatch("[%w_.%[%]]+") do
        if is_below(key:gsub("%[%]", ""), path) then return row[1], block.node end
      end
    end
  end
end

local function words_of(text)
  local words = {}
  for word in text:gmatch("%S+") do
    if word:sub(1, 1) == "!" then break end
    words[#words + 1] = word
  end
  return words
end

-- The open node, { indent = octets, node = name }, that a line is in, by its place in the list `open`, and its row.
-- Nodes that a line of this indentation, or of more, has opened are those of a file without indentation.
local function place_of(open, indent, words)
  local own = #open
  while own > 1 and open[own].indent >= indent do own = own - 1 end
  local row = row_of(open[own].node, words)
  if row or open[own].node == UNKNOWN then return own, row end
  for i = #open, own + 1, -1 do
    row = row_of(open[i].node, words)
    if row then return i, row end
  end
  row = row_of("common", words)
  return row and #open or own, row
end

local function close_after(open, last)
  for i = #open, last + 1, -1 do open[i] = nil end
end

-- Adds a line to the list, and follows what it opens and ends.
local function add_line(list, open, entry)
  local indent, first = #entry.text:match("^%s*"), entry.words[1]
  local place
  place, entry.row = place_of(open, indent, entry.words)
  entry.node = open[place].node
  list[#list + 1] = entry
  if first == "end" or first == "exit" then return close_after(open, first == "end" and 1 or math.max(1, #open - 1)) end
  if not entry.row then
    while open[#open].node == UNKNOWN and open[#open].indent >= indent do open[#open] = nil end
    open[#open + 1] = { indent = indent, node = UNKNOWN }
  else
    close_after(open, place)
    open[#open + 1] = entry.row.opens and { indent = indent, node = entry.row.opens } or nil
  end
end

function osmo_vty.read(text, filename)
  local list, open, number = {}, { { indent = -1, node = "config" } }, 0
  for raw in (text .. "\n"):gmatch("(.-)\r?\n") do
    number = number + 1
    local control = raw:find("[\0-\x08\x0b-\x1f\x7f]")
    if control then
      return nil, ("%s:%d: octet %d of the line is 0x%02x: not text; name the configuration of osmo-sgsn"):format(
        filename, number, control, raw:byte(control))
    end
    local words = words_of(raw)
    if #words > 0 and not raw:find("^%s*#") then add_line(list, open, { line = number, text = raw, words = words }) end
  end
  return list
end

return osmo_vty
