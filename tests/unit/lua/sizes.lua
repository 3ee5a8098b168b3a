-- SPDX-License-Identifier: BSD-3-Clause
-- Values of the right form and the wrong size, for every element from every peer (docs/fuzzing.md): counts what becomes
-- of them, and what no handler has seen. As a program, of scripts/sizes.sh: COUNT SEED [PROTOCOL]...
--
--   sizes.PROTOCOLS                     { { name =, messages = names of those that a handler must see }, ... }
--   sizes.run(protocol, count, seed)    -> { given =, reached =, refused =, answered =, by_name = {}, errors = n,
--                                       list = texts of the errors, unseen = names }
--     given = reached + refused + errors; refused: by a codec, or by a check before a handler

local gsup = require "wire.gsup"
local gtpc = require "wire.gtpc"
local sizes_core = require "sizes_core"
local sizes_gb = require "sizes_gb"

local sizes = {}

local EXAMPLES <const> = 20
-- Answers to what this node never asks.
local NEVER_ASKED <const> = { [23] = true, [28] = true }

local function names_of(rows, name_of)
  local out = {}
  for i, row in ipairs(rows) do out[i] = name_of and name_of(row) or row.name end
  return out
end

-- The types of GTP-C that the codec reads.
local function gtp_names(is_between)
  local out = {}
  for type = 1, 255 do
    local _, err = gtpc.decode(string.char(0x32, type, 0, 4) .. ("\0"):rep(8))
    local is_of_sgsns = type >= 48 and type <= 52 or type == 70
    if err ~= "unsupported" and is_of_sgsns == is_between and not NEVER_ASKED[type] then
      out[#out + 1] = ("%d"):format(type)
    end
  end
  return out
end

local function l3_names(protocol)
  return names_of(sizes_core.ROWS[protocol], function(row) return ("%s %02x"):format(protocol, row.type) end)
end

local function gsup_names()
  local out = {}
  for _, name in pairs(gsup.NAMES) do out[#out + 1] = name end
  return out
end

-- From a BSS, and from another SGSN.
local function rim_names()
  local out = names_of(sizes_gb.ROWS.rim)
  for i = 1, #out do out[#out + 1] = "relayed " .. out[i] end
  return out
end

sizes.PROTOCOLS = {
  { name = "ggsn", messages = gtp_names(false) },
  { name = "sgsn", messages = gtp_names(true) },
  { name = "gsup", messages = gsup_names() },
  { name = "gmm", messages = l3_names("gmm") },
  { name = "sm", messages = l3_names("sm") },
  { name = "sms", messages = l3_names("sms") },
  { name = "ns", messages = names_of(sizes_gb.ROWS.ns) },
  { name = "sns", messages = names_of(sizes_gb.ROWS.sns) },
  { name = "bssgp", messages = names_of(sizes_gb.ROWS.bssgp) },
  { name = "rim", messages = rim_names() },
  { name = "xid", messages = { "xid" } },
}

local Tally = {}
Tally.__index = Tally

local function hex(octets)
  return (octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- An error by its text; one message of each is told.
function Tally:fail(name, octets, text)
  local first = text:match("^[^\n]*")
  self.errors = self.errors + 1
  if not self.seen[first] and #self.list < EXAMPLES then
    self.list[#self.list + 1] = ("%s %s: %s"):format(name, hex(octets), text)
  end
  self.seen[first] = true
end

function sizes.run(protocol, count, seed)
  local tally = setmetatable({ given = 0, reached = 0, refused = 0, answered = 0, by_name = {}, errors = 0, seen = {},
    list = {}, unseen = {} }, Tally)
  local of = sizes_gb.serves(protocol.name) and sizes_gb or sizes_core
  of.run(protocol.name, count, tally, seed)
  for _, name in ipairs(protocol.messages) do
    if not tally.by_name[name] then tally.unseen[#tally.unseen + 1] = name end
  end
  table.sort(tally.unseen)
  return tally
end

-- Ends the program where the command line is wrong.
local function refuse(text)
  io.stderr:write("sizes.sh: ", text, "\n")
  os.exit(2)
end

local function wanted_of(names)
  local wanted, all = {}, names_of(sizes.PROTOCOLS)
  for _, name in ipairs(all) do wanted[name] = #names == 0 end
  for _, name in ipairs(names) do
    if wanted[name] == nil then
      refuse(("there is no protocol '%s'; protocols are %s"):format(name, table.concat(all, ", ")))
    end
    wanted[name] = true
  end
  return wanted
end

local function main(count, seed, ...)
  local wanted, faults, messages = wanted_of({ ... }), 0, 0
  if not count or count < 1 or not seed then refuse("--count takes a whole number above 0, --seed a whole number") end
  print(("%-8s %9s %9s %9s %9s %7s"):format("peer of", "messages", "handled", "refused", "answered", "errors"))
  for _, protocol in ipairs(sizes.PROTOCOLS) do
    if wanted[protocol.name] then
      local tally = sizes.run(protocol, count, seed)
      print(("%-8s %9d %9d %9d %9d %7d"):format(protocol.name, tally.given, tally.reached, tally.refused,
        tally.answered, tally.errors))
      for _, text in ipairs(tally.list) do print(text) end
      if #tally.unseen > 0 then print("no handler has seen: " .. table.concat(tally.unseen, ", ")) end
      faults, messages = faults + tally.errors + #tally.unseen, messages + tally.given
    end
  end
  print(("%s%d messages, %d errors and unseen kinds of messages"):format(faults > 0 and "failed: " or "", messages,
    faults))
  os.exit(faults == 0)
end

if arg and arg[0] and arg[0]:find("sizes%.lua$") then main(math.tointeger(tonumber(arg[1])), math.tointeger(
  tonumber(arg[2])), table.unpack(arg, 3)) end

return sizes
