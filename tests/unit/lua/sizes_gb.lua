-- SPDX-License-Identifier: BSD-3-Clause
-- BSSs that send elements of any size: NS, IP-SNS, BSSGP, RIM (also of another SGSN), and the XID of phones.
-- Messages are made of the codecs' tables, on NS-VCs and cells that are up, about mobiles that are there.
--
--   sizes_gb.run(protocol, count, tally, seed)   gives so many of "ns", "sns", "bssgp", "rim", "xid"
--   sizes_gb.serves(protocol)                    whether it is one of these

local fsm = require "base.fsm"
local gb_given = require "gb_given"
local gb_host = require "gb.host"
local gb_player = require "gb_player"
local gb_text = require "gb_text"
local llc = require "llc.unnumbered"
local llc_wire = require "gbflow_llc"
local spec_tools = require "spec_tools"
local tables = require "gbflow_tables"
local values = require "sizes_values"
local wire = require "gbflow_wire"
local wires = require "sizes_wires"

local sizes_gb = {}

local random, octets_of = math.random, spec_tools.octets_of
local S <const>, NODE <const> = 1000000000, 100 -- messages of a node
local FROM_BSS <const>, SIGNALLING <const>, BVCI <const> = 1, 1, 1234

local CONFIGS <const> = { bssgp = { "features", "radio", "paging", "pfc_radio", "elsewhere", "proxy", "small" },
  rim = { "rim" }, ns = { "one", "two_nsvcs", "unblock_now", "unblock_later" }, sns = { "sns", "sns_two", "sns_ipv6" } }
local GIVEN <const> = { sns = gb_given.SNS_UP, ns = gb_given.NS_UP, bssgp = gb_given.CELL_UP, rim = gb_given.CELL_UP }
local MULTIPOINT <const> = 2 -- no node has such a BVC

local function rows_of(list, is_of)
  local out = {}
  for _, row in ipairs(list) do
    if is_of(row) then out[#out + 1] = row end
  end
  return out
end

local function is_rim(row) return row.name:sub(1, 15) == "ran_information" end

sizes_gb.ROWS = {
  bssgp = rows_of(tables.bssgp, function(row)
    return row.senders & FROM_BSS ~= 0 and not is_rim(row) and row.bvcs ~= MULTIPOINT
  end),
  rim = rows_of(tables.bssgp, is_rim),
  ns = rows_of(tables.ns, function(row) return row.name:sub(1, 4) ~= "sns_" end),
  sns = rows_of(tables.ns, function(row) return row.name:sub(1, 4) == "sns_" end),
}

local CELL <const> = octets_of("00f110334f0051e0")
local TLLIS <const> = { 0xc1234567, 0x10, 0x20, 0x30 }
local ENDPOINTS <const> = { "0a63000259d80101", "0a63000259d80100", "0a63000959d80001" }

local function rim_address()
  return random(3) == 1 and values.octets(values.size(9, 9)) or "\0" .. CELL:sub(1, 7) .. string.char(random(4) == 1
    and 0xe1 or 0xe0)
end

local RIM <const> = { rim_destination = true, rim_source = true }

local KNOWN <const> = {
  tlli = function() return string.pack(">I4", TLLIS[random(#TLLIS)]) end,
  tlli_old = function() return string.pack(">I4", TLLIS[random(#TLLIS)]) end,
  bvci = function() return string.pack(">I2", random(10) == 1 and 0 or BVCI) end,
  bvci_new = function() return string.pack(">I2", BVCI + random(0, 1)) end,
  nsei = function() return "\0\x65" end,
  nsei_new = function() return "\0" .. string.char(0x65 + random(0, 1)) end,
  nsvci = function() return string.pack(">I2", 1800) end,
  cell_id = function() return CELL end,
  routeing_area = function() return CELL:sub(1, 6) end,
  location_area = function() return CELL:sub(1, 5) end,
  imsi = function() return octets_of("0910100000000010") end,
  cause = function() return string.char(random(0, 0x2f)) end,
  pfi = function() return string.char(9) end,
  tag = function() return "\1" end,
  ip4_list = function() return octets_of(ENDPOINTS[random(#ENDPOINTS)]) end,
  ip4_endpoints = function() return "\0\1" end,
  max_nsvcs = function() return "\0\4" end,
  feature_bitmap = function() return "\xff" end,
  extended_feature_bitmap = function() return "\xff" end,
}

local function known(name)
  local value = KNOWN[name]
  if RIM[name] then return rim_address() end
  return value and value() or nil
end

local function sum_of(counts, list)
  local sum = 0
  for _, name in ipairs(list) do sum = sum + (counts[name] or 0) end
  return sum
end

local Run = {}
Run.__index = Run

local function fault_of(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "fault" then return intent.text end
  end
end

-- A fault is contained in the node: what it says is the error.
local function do_it(run, name, octets, work)
  local good, intents = xpcall(work, debug.traceback)
  local text = not good and intents or fault_of(intents)
  if not text then return intents end
  run.tally:fail(name, octets, text)
  run.host = nil
end

local function is_answer(intents)
  for _, intent in ipairs(intents) do
    if intent.op == "send" or intent.op == "llc_frame" then return true end
  end
  return false
end

function Run:give(name, octets, work, is_reached)
  local tally = self.tally
  tally.given, self.left = tally.given + 1, self.left - 1
  self.heard, self.has_stepped = nil, false
  local intents = do_it(self, name, octets, work)
  if not intents then return end
  local is_handled = is_reached()
  tally[is_handled and "reached" or "refused"] = tally[is_handled and "reached" or "refused"] + 1
  if is_handled then tally.by_name[name] = (tally.by_name[name] or 0) + 1 end
  if is_answer(intents) then tally.answered = tally.answered + 1 end
end

local function new_host(run, seed)
  local names = CONFIGS[run.protocol]
  local config = gb_player.configs[names[seed % #names + 1]]
  local host = gb_host.new(config, wire)
  run.host, run.now, run.config = host, 0, config
  for _, ms in ipairs(config.mobiles) do host:ms_add(gb_player.slot_of(ms[1]), table.unpack(ms)) end
  host:start(0)
  for _, line in ipairs(GIVEN[run.protocol]) do
    local rx = gb_text.parse_received(wire, line)
    host:on_pdu(rx.nsvc, rx.octets, 0)
  end
end

-- What the node does itself, which BSSs answer: pages, flows, moves, time.
local EVENTS <const> = {
  function(host, slot, now) return host:on_page_wanted(slot, now) end,
  function(host, slot, now) return host:on_reached(slot, now) end,
  function(host, slot, now) return host:on_heard(slot, 101, BVCI, now) end,
  function(host, slot, now) return host:pfc_add(slot, random(0, 3), 9, "thp1", now) end,
  function(host, slot, now) return host:pfc_del(slot, random(0, 3), 9, now) end,
  function(host, slot, now) return host:on_page_imsi(slot, "001010000000001", now) end,
  function(host, slot, now) return host:ms_told(slot, values.octets(random(5, 51)), values.octets(2), now) end,
  function(host, slot, now) return host:ms_called(slot, TLLIS[random(#TLLIS)], "001010000000009", now) end,
  function(host, slot, now) return host:ms_offered(slot, TLLIS[random(#TLLIS)], now) end,
  function(host, _, now) return host:advance(now) end,
}

local function event(run)
  local slot = gb_player.slot_of(TLLIS[random(#TLLIS)])
  run.now = run.now + random(0, 3) * S // 2
  if run.host.gb.mobiles.book.at[slot] then
    do_it(run, "event", "", function() return EVENTS[random(#EVENTS)](run.host, slot, run.now) end)
  end
end

local function on_ns(run, octets)
  return function() return run.host:on_pdu(0, octets, run.now) end
end

local makes = {}

function makes.ns(run)
  local rows = sizes_gb.ROWS[run.protocol]
  local row = rows[random(#rows)]
  local octets = wires.pdu.made(row, known)
  run:give(row.name, octets, on_ns(run, octets), function() return run.heard == "received ns_" .. row.name end)
end

makes.sns = makes.ns

function makes.bssgp(run)
  local rows = sizes_gb.ROWS[run.protocol]
  local row = rows[random(#rows)]
  local octets = wires.pdu.made(row, known)
  local is_signalling = row.name == "status" and random(2) == 1 or row.name ~= "status" and is_rim(row)
    or run.bvcs[row.name] & SIGNALLING ~= 0
  local ns = string.char(0, 0) .. string.pack(">I2", is_signalling and 0 or BVCI) .. octets
  run:give(row.name, octets, on_ns(run, ns), function() return run.heard == "received " .. row.name end)
end

local RIM_TAKEN <const> = { "rim_taken", "rim_unknown_destination" }

-- From a BSS, or from another SGSN.
function makes.rim(run)
  if random(2) == 1 then return makes.bssgp(run) end
  local rows = sizes_gb.ROWS.rim
  local row = rows[random(#rows)]
  local octets = wires.pdu.made(row, known)
  local counts = run.host.gb.counts
  local before = sum_of(counts, RIM_TAKEN)
  run:give("relayed " .. row.name, octets, function() return run.host:on_rim(octets, random(2) == 1, run.now) end,
    function() return sum_of(counts, RIM_TAKEN) > before end)
end

-- --- XID of LLC, with SNDCP's in it

local MOBILE <const> = 4
local XID <const>, COMMAND <const> = 0xfb, 0x40

local function llc_config()
  return { gb = { mtu = 1500, headers_octets = 78 }, mobiles = { n201_u = 500 }, llc = { reset_at_start = false,
    t200 = 5 * S, n200 = 3, acknowledged = { links = 1, n201_i = 1503, m_down = 100, m_up = 100, k_down = 16, k_up = 8,
      t200 = 20 * S, n200 = 3 } }, sndcp = { compression = { mode = "active", entities = 8, rfc1144 = { slots = 16 },
      v42bis = { direction = "both", codewords = 1024, string = 20 } } } }
end

-- A parameter has its type in five bits, its octets in two or, long, in eight.
local function xid_parameter()
  local type, n = random(0, 15), random(0, 12)
  local value = values.octets(n)
  if type == 11 then value = values.octets(random(0, 40)) end
  if #value < 4 and random(5) > 1 then return string.char(type << 2 | #value) .. value end
  return string.char(0x80 | type << 2 | #value >> 6, (#value & 63) << 2) .. value
end

local SNDCP <const> = 11

local function sndcp_field()
  local parts = { "\0\1\0" }
  for kind = 1, 2 do
    local entities = {}
    for _ = 1, random(0, 3) do
      local body = values.octets(values.size(4, 8)):sub(1, 60)
      local head = random(2) == 1 and string.char(0x80 | random(0, 7), random(0, 1) << 7 | #body + 1, random(0, 255))
        or string.char(random(0, 7), #body)
      entities[#entities + 1] = head .. body
    end
    local value = table.concat(entities)
    parts[#parts + 1] = string.char(kind, #value & 255) .. value
  end
  local value = table.concat(parts)
  return string.char(0x80 | SNDCP << 2 | #value >> 6, (#value & 63) << 2) .. value
end

-- What the handler of XID counts; or its answer is an event of compression.
local XID_TAKEN <const> = { "xid_answered", "xid_unexpected" }

function makes.xid(run)
  local parts = { random(2) == 1 and sndcp_field() or "" }
  for _ = 1, random(0, 4) do parts[#parts + 1] = xid_parameter() end
  local sapi = ({ 1, 3, 5, 9, 11 })[random(5)]
  local octets = string.char((random(4) > 1 and 0 or COMMAND) | sapi, XID) .. table.concat(parts)
  local counts = run.llc.counts
  local before = sum_of(counts, XID_TAKEN)
  run:give("xid", octets, function() return run.llc:frame(MOBILE, octets, run.now) end,
    function() return sum_of(counts, XID_TAKEN) > before or run.has_stepped end)
end

local function new_llc(run)
  run.llc, run.now, run.host = llc.new(llc_config(), llc_wire, function() return random(4) > 1 end), 0, true
  run.llc:ms_add(MOBILE, "101/1800", nil, 0)
  for nsapi = 5, 6 do
    run.llc:pdp_add(MOBILE, { nsapi = nsapi, sapi = 3, takes_headers = true, takes_data = true,
      is_acknowledged = nsapi == 6 }, 0)
  end
end

local function listen(run)
  return { step = function() run.has_stepped = true end, close = function() end,
    message = function(_, _, _, _, text)
      if text:sub(1, 8) == "received" then run.heard = text end
    end }
end

function sizes_gb.run(protocol, count, tally, seed)
  math.randomseed(seed)
  local run = setmetatable({ protocol = protocol, left = count, tally = tally, bvcs = {} }, Run)
  for _, row in ipairs(tables.bssgp) do run.bvcs[row.name] = row.bvcs end
  fsm.trace = listen(run)
  while run.left > 0 do
    if protocol == "xid" then new_llc(run) else new_host(run, seed) end
    seed = seed + 1
    for _ = 1, NODE do
      if run.host then makes[protocol](run) end
      if run.left <= 0 or not run.host then break end
      if protocol ~= "xid" and random(3) == 1 then event(run) end
    end
  end
  fsm.trace = nil
end

function sizes_gb.serves(protocol) return makes[protocol] ~= nil end

return sizes_gb
