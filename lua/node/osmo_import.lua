-- SPDX-License-Identifier: BSD-3-Clause
-- The configuration of osmo-sgsn as one of a node.
--
--   local text, said = osmo_import.convert(cfg, "osmo-sgsn.cfg")   the text of a node's configuration, and lines that
--                                                          count keys and comments, and name the holes
--   local nothing, errors = ...                            nil, and lines "FILE[:LINE]: what is wrong; remedy"
--   osmo_import.convert(cfg, "osmo-sgsn.cfg", true)        a node on the host of all its peers; cfg nil: the packages'
--
-- A line of node.osmo_lines or node.osmo_old_lines with a key becomes that key, if the node's schema accepts the value.
-- Each other line becomes a comment with the reason. A key that a node needs, and that no line gives it, has "fill in"
-- in place of a value, below a comment with the line to blame: a hole. A text without holes is right.

local check_live = require "node.check_live"
local config = require "schema.config"
local osmo_one_host = require "node.osmo_one_host"
local osmo_take = require "node.osmo_take"
local osmo_vty = require "node.osmo_vty"
local schema = require "schema.schema"

local osmo_import = {}

local MOST_OCTETS <const> = 1000000
local MOST_SHOWN <const>, MOST_REASON <const> = 120, 400 -- octets of a comment

-- As text of a comment: one line of ASCII.
local function shown(text, most)
  text = text:gsub("[^\x20-\x7e]", function(c) return ("\\x%02x"):format(c:byte()) end)
  return #text > most and text:sub(1, most) .. "..." or text
end

local function quoted(state, line)
  return ("'%s'"):format(shown(state.texts[line]:match("^%s*(.-)%s*$"), MOST_SHOWN))
end

-- Holes: keys that a node needs, what to fill in, what the file lacks, and the line to blame.

local ALL <const> = { ["0.0.0.0"] = true, ["::"] = true }
local IPV4 <const>, IPV6 <const> = "192.0.2.1", "2001:db8::1"

local HOLES <const> = {
  ["gb.address"] = { what = "the node's address on Gb", stand_in = IPV4,
    lacks = "no line 'listen ADDRESS PORT' below 'bind udp NAME'" },
  ["nses_accepted.networks"] = { what = "the networks of the BSSs, such as 10.0.0.0/24", is_item = true,
    lacks = "no line 'accept-ipaccess' or 'nsvc ipa', and so no BSS can connect" },
  ["phones.imsis"] = { what = "IMSIs", is_item = true, stand_in = "000000", blame = "policy_line",
    lacks = "no line 'imsi-acl add IMSI', and so no phone can attach" },
  ["phones.hlr.address"] = { what = "the HLR's address", stand_in = IPV4, blame = "policy_line",
    lacks = "no line 'gsup remote-ip ADDRESS'" },
  sgsn_address = { what = "the node's address on Gn", lacks = "no line 'gtp local-ip ADDRESS'" },
  ggsn_address = { what = "the GGSN's address", lacks = "no line 'ggsn NUMBER remote-ip ADDRESS'" },
}
HOLES["phones.hlr"] = HOLES["phones.hlr.address"]

-- A value of the node. reason: why the line does not fill it.
local function new_hole(state, row, line, reason, stand_in)
  local source = line and ("%s:%d: %s: "):format(state.filename, line, quoted(state, line)) or state.filename .. ": "
  if ALL[(reason or ""):match("^'([%d.:]+)'") or ""] then reason = "that is all addresses of the host" end
  return { is_hole = true, line = line, stand_in = stand_in or row.stand_in,
    reason = ("%s%s; fill in %s"):format(source, shown(reason or row.lacks, MOST_REASON), row.what) }
end

local function is_ipv6(address)
  return type(address) == "string" and address:find(":", 1, true) ~= nil
end

-- An address of an APN that is missing or wrong.
local function dig_apn(state, fault, by_place)
  local place, key = fault.path:match("^(phones%.apns%[%d+%])%.(%l+_address)$")
  local entry = by_place[place]
  if not entry then return false end
  local other = entry.value[key == "sgsn_address" and "ggsn_address" or "sgsn_address"]
  entry.value[key] = new_hole(state, HOLES[key], entry.lines[key], entry.value[key] and fault.message,
    is_ipv6(other) and IPV6 or IPV4)
  return true
end

local function has_ipv6_networks(state)
  for _, entry in ipairs(state.entries) do
    if entry.path == "nses_accepted.networks" and is_ipv6(entry.value) then return true end
  end
end

-- A key that no line gives. Returns whether there is a hole for it.
local function dig_hole(state, fault)
  local path = fault.path == "phones.hlr" and "phones.hlr.address" or fault.path
  local row, wrong = HOLES[path], state.wrong[path]
  if not row or state.dug[path] then return false end
  state.dug[path] = true
  if wrong then wrong.comment.is_gone = true end
  local stand_in = path == "nses_accepted.networks" and (is_ipv6(state.gb_address) and "::/0" or "0.0.0.0/0")
    or path == "gb.address" and has_ipv6_networks(state) and IPV6 or nil
  local line = wrong and wrong.line or state[row.blame]
  state.entries[#state.entries + 1] = { path = path, is_item = row.is_item,
    value = new_hole(state, row, line, wrong and wrong.message, stand_in) }
  return true
end

-- The text of the node

local ORDER <const> = { "gn", "gb", "nses_accepted", "mobiles", "phones", "sndcp", "timers" }
local HEAD <const> = [[
-- Made by gbflow import-osmo of a configuration of osmo-sgsn. All keys: docs/reference/node.md.
-- gn0 and gb0 stand for the network interfaces of Gn and Gb: write their names. The addresses are the node's; the
-- kernel has none of them (docs/serve.md).
]]

-- is_checked: of holes the values that stand in for them, else "fill in".
local function text_of(value, indent, is_checked)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts, keys = {}, {}
  local inner = indent .. "  "
  local function put_part(before, item)
    if type(item) ~= "table" or not item.is_hole then
      parts[#parts + 1] = before .. text_of(item, inner, is_checked)
    else
      parts[#parts + 1] = is_checked and ("%s%q"):format(before, item.stand_in)
        or ("-- %s\n%s%s\"fill in\""):format(item.reason, inner, before)
    end
  end
  for _, item in ipairs(value) do put_part("", item) end
  for key in pairs(value) do keys[#keys + 1] = type(key) == "string" and key or nil end
  table.sort(keys)
  for _, key in ipairs(keys) do put_part(key .. " = ", value[key]) end
  local line = #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
  if #line + #indent < 100 and not line:find("\n", 1, true) then return line end
  return "{\n" .. inner .. table.concat(parts, ",\n" .. inner) .. ",\n" .. indent .. "}"
end

-- The table of the entries. Each gets its place: the path, with its number if it is an item.
local function node_of(entries)
  local node = { gn = { port = "net_af_packet0,iface=gn0" }, gb = { port = "net_af_packet1,iface=gb0" },
    mobiles = { source = "list" } }
  for _, entry in ipairs(entries) do
    local at, last = node, nil
    for key in entry.path:gmatch("[^.]+") do
      if last then
        at[last] = at[last] or {}
        at = at[last]
      end
      last = key
    end
    entry.place = entry.path
    if entry.is_item then
      at[last] = at[last] or {}
      at = at[last]
      last = #at + 1
      entry.place = ("%s[%d]"):format(entry.path, last)
    end
    at[last] = entry.value
  end
  return node
end

local function chunk_of(node, is_checked)
  local parts = {}
  for _, key in ipairs(ORDER) do
    if node[key] then parts[#parts + 1] = ("  %s = %s,\n"):format(key, text_of(node[key], "  ", is_checked)) end
  end
  return "return {\n" .. table.concat(parts) .. "}\n"
end

local function is_below(path, of)
  local next = path:sub(#of + 1, #of + 1)
  return path:sub(1, #of) == of and (next == "" or next == "." or next == "[")
end

-- The entries that a fault { path, message } is about: the key itself or what it is in, else those that are in it.
-- by_place: all entries.
local function entries_of(fault, by_place)
  local path, found = fault.path, {}
  while path do
    if by_place[path] and by_place[path].line then return { by_place[path] } end
    path = path:match("^(.*)[.%[]")
  end
  for place, entry in pairs(by_place) do
    if entry.line and is_below(place, fault.path) then found[#found + 1] = entry end
  end
  return found
end

-- Notes why a line gives the node nothing. Its key may become a hole, which says the same.
local function note_wrong(state, entry, fault)
  osmo_take.comment(state, entry.line, ("`%s`: %s"):format(fault.path, fault.message))
  state.wrong[entry.path] = { line = entry.line, message = fault.message, comment = state.comments[#state.comments] }
end

-- Removes the entries that faults are about; their lines become comments, or holes. Returns the faults that are about
-- none.
local function reject(state, faults)
  local by_place, gone, rest, kept = {}, {}, {}, {}
  for _, entry in ipairs(state.entries) do by_place[entry.place] = entry end
  for _, fault in ipairs(faults) do
    if not dig_apn(state, fault, by_place) then
      local found = entries_of(fault, by_place)
      if #found == 0 then rest[#rest + 1] = fault end
      for _, entry in ipairs(found) do
        gone[entry] = true
        note_wrong(state, entry, fault)
      end
    end
  end
  for _, entry in ipairs(state.entries) do kept[#kept + 1] = not gone[entry] and entry or nil end
  state.entries = kept
  return rest
end

local function errors_of(faults, filename)
  local list = {}
  for i, fault in ipairs(faults) do
    local form, node = osmo_vty.form_of(fault.path)
    list[i] = ("%s: %s: %s%s"):format(filename, fault.path, fault.message,
      form and ("; it comes from '%s' of '%s'"):format(form, node) or "")
  end
  return list
end

local function faults_of(chunk, filename)
  local value, where = config.read(chunk, filename)
  if not value then return nil, where end
  local _, faults, warnings = schema.check(require "node.schema", value, where)
  for _, warning in ipairs(warnings) do -- the operator writes other addresses
    faults[#faults + 1] = not warning.message:find(check_live.LOOPBACK, 1, true) and warning or nil
  end
  return faults
end

-- The text, whose keys are right or holes. Errors, in a list, are those that neither a line nor a hole is about.
local function checked(state)
  while true do
    local node = node_of(state.entries)
    local faults, wrong = faults_of(chunk_of(node, true), state.filename)
    if not faults then return nil, wrong end
    if #faults == 0 then return chunk_of(node) end
    local rest = reject(state, faults)
    if #rest == #faults then
      local is_dug = false
      for _, fault in ipairs(rest) do is_dug = dig_hole(state, fault) or is_dug end
      if not is_dug then return chunk_of(node), errors_of(rest, state.filename) end
    end
  end
end

local function comments_of(state)
  table.sort(state.comments, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.reason < b.reason
  end)
  local list, last = {}, nil
  for _, entry in ipairs(state.comments) do
    local line = ("-- line %d: %s: %s\n"):format(entry.line, quoted(state, entry.line),
      shown(entry.reason, MOST_REASON))
    if line ~= last and not entry.is_gone then list[#list + 1] = line end
    last = line
  end
  return table.concat(list)
end

local function add_holes(list, value)
  if type(value) ~= "table" then return list end
  if value.is_hole then list[#list + 1] = value end
  for _, item in pairs(value) do add_holes(list, item) end
  return list
end

-- Holes in the order of lines, those without a line first; holes with one reason are one.
local function reasons_of(state)
  local holes, list, is_there = {}, {}, {}
  for _, entry in ipairs(state.entries) do add_holes(holes, entry.value) end
  table.sort(holes, function(a, b)
    if a.line ~= b.line then return (a.line or 0) < (b.line or 0) end
    return a.reason < b.reason
  end)
  for _, hole in ipairs(holes) do
    if not is_there[hole.reason] then list[#list + 1] = hole.reason end
    is_there[hole.reason] = true
  end
  return list
end

local function counts_of(state)
  local is_comment, comments = {}, 0
  for _, entry in ipairs(state.comments) do
    comments = comments + (is_comment[entry.line] and 0 or 1)
    is_comment[entry.line] = true
  end
  return ("%d lines of osmo-sgsn: %d have a key or need none, %d are comments with the reason"):format(state.lines,
    state.lines - comments, comments)
end

local function said_of(state, errors)
  local list = { counts_of(state) }
  local holes = table.move(reasons_of(state), 1, state.lines + #state.entries, #errors + 1, errors)
  if #holes == 0 then return list[1] end
  list[2] = ("to fill in before `gbflow check` accepts the node: %d"):format(#holes)
  return table.concat(table.move(holes, 1, #holes, 3, list), "\n")
end

-- The state of node.osmo_take, with what this file needs besides; nil and a fault.
local function state_of(text, filename)
  if #text > MOST_OCTETS then
    return nil, ("%s: is longer than %d octets; name the configuration of osmo-sgsn"):format(filename, MOST_OCTETS)
  end
  local list, fault = osmo_vty.read(text, filename)
  if not list then return nil, fault end
  local texts, known = {}, 0
  for _, entry in ipairs(list) do
    texts[entry.line] = entry.text
    known = known + (entry.row and 1 or 0)
  end
  if known == 0 then
    return nil, ("%s: no line of osmo-sgsn 1.9 is in it; name the configuration of osmo-sgsn"):format(filename)
  end
  local state = osmo_take.state(list)
  state.filename, state.texts, state.lines, state.wrong, state.dug = filename, texts, #list, {}, {}
  return state
end

function osmo_import.convert(text, filename, is_one_host)
  filename = shown(filename, MOST_REASON)
  local state, fault = state_of(text or osmo_one_host.PACKAGED, filename)
  if not state then return nil, { fault } end
  if is_one_host then
    osmo_one_host.fill(state)
    local objections = osmo_one_host.objections(state)
    if #objections > 0 then return nil, objections end
  end
  local chunk, errors = checked(state)
  if not chunk then return nil, errors end
  local said = said_of(state, errors or {})
  local more = {}
  for i, line in ipairs(errors or {}) do more[i] = ("-- %s; fill in\n"):format(shown(line, MOST_REASON)) end
  local head = is_one_host and osmo_one_host.head(state.entries) or HEAD
  return head .. comments_of(state) .. table.concat(more) .. chunk, said
end

return osmo_import
