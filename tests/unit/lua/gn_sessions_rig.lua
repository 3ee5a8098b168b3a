-- SPDX-License-Identifier: BSD-3-Clause
-- A node with GTP-C and the real codec: its messages decoded, its intents as words, numbers in place of random ones.
local gn_sessions = require "gn.sessions"
local wire = require "wire.gtpc"

local S <const> = 1000000000
local OURS <const>, GGSN <const>, OTHER <const> = "10.0.0.1", "10.0.0.2", "10.0.0.3"
local WAY <const> = { ours = OURS, theirs = GGSN, port = 2123, is_right_port = true }
local SEQ_NUMBERS <const> = 65536
local QOS <const> = "\x1b\x93\x1f\x71\x96\xfe\xfe\x74\x4b\xff\xff" -- interactive, no priority: thp3

-- Numbers in place of random ones: 1, 2, ... of each kind.
local function counter()
  local last = {}
  return function(limit)
    last[limit] = (last[limit] or 0) + 1
    return last[limit] + (limit == SEQ_NUMBERS and 1 or 0)
  end
end

local function allowance(limit) -- which is not regained
  local taken = {}
  return function(theirs, _, is_proven)
    local key = theirs .. tostring(is_proven)
    taken[key] = (taken[key] or 0) + 1
    return taken[key] <= limit
  end
end

local function new(changes)
  local path = { t3 = 5 * S, n3 = 3, on_loss = "keep" }
  for key, value in next, changes or {} do path[key] = value end
  local ggsns = { { address = GGSN, user_networks = path.networks or { "10.0.0.0/24", "2001:db8::/32" } } }
  return gn_sessions.new({ gn = { path = path, ggsns = ggsns,
    gtpc = { retry = 7 * S, needs_address = path.needs_address } } }, wire, path.recovery or 0,
    path.random or counter(), allowance(path.answers or 10))
end

local function wanted(changes)
  local w = { imsi = "262420000000001", nsapi = 5, apn = "internet", ours = OURS, ggsn = GGSN, pdp_type = "ipv4",
    teid = 0x100000, class = "thp1" }
  for key, value in next, changes or {} do w[key] = value end
  return w
end

-- Intents as words; messages decoded, and kept in `sent`.
local function words_of(intents, sent)
  local out = {}
  for i, intent in ipairs(intents) do
    if intent.op == "gn_send" then
      local message = assert(wire.decode(intent.octets))
      message.way = { ours = intent.ours, theirs = intent.theirs, port = intent.port }
      message.is_answer = intent.is_answer
      sent[#sent + 1] = message
      out[i] = message.type .. " " .. message.seq
    elseif intent.op == "log" then
      out[i] = intent.level .. ": " .. intent.text
    else
      out[i] = table.concat({ intent.op, intent.id, intent.ggsn or "", intent.ipv4 or "", intent.class or "",
        intent.op == "ended" and intent.cause or "" }, " ")
        :gsub(" +", " "):gsub(" $", "")
    end
  end
  return out
end

-- A message whose last element lacks an octet.
local function cut(octets)
  return octets:sub(1, 2) .. (">I2"):pack(#octets - 9) .. octets:sub(5, -2)
end

-- A node with the messages that it has sent.
local function rig(changes)
  local r = { node = new(changes), sent = {} }
  function r.words(intents) return words_of(intents, r.sent) end
  function r.last() return r.sent[#r.sent] end
  function r.add(id, more) return r.words(r.node:add(id, wanted(more), {}, 0)) end
  -- An answer to what was sent last, as far as nothing else is said.
  function r.answer(fields, at, way)
    local request = r.last()
    local message = { type = request.type:gsub("_request", "_response"), seq = request.seq,
      teid = request.teid_control or 1 }
    for key, value in next, fields do message[key] = value end
    local octets = wire.encode(message)
    if fields.kind then octets = octets:gsub("(\x80\0.)\xf1\x21", "%1" .. fields.kind) end -- no type that is encoded
    return r.words(r.node:receive(way or WAY, fields.is_cut and cut(octets) or octets, (at or 0) * S))
  end
  function r.accept(more, at)
    local fields = { cause = 128, recovery = 9, teid_data = 0x201, teid_control = 0x202, pdp_type = "ipv4",
      user_ipv4 = "10.45.0.7", control = GGSN, user = OTHER, arp = 2, qos = QOS }
    for key, value in next, more or {} do fields[key] = value or nil end
    return r.answer(fields, at)
  end
  -- Lets timers expire up to a second: { "SECOND WORD" ... }
  function r.wait(until_s)
    local out, at = {}, r.node:next_at()
    while at and at <= until_s * S do
      for _, word in ipairs(r.words(r.node:advance(at))) do out[#out + 1] = at // S .. " " .. word end
      at = r.node:next_at()
    end
    return out
  end
  function r.request(message, way)
    return r.words(r.node:receive(way or WAY, wire.encode(message), 0))
  end
  -- What the phone says to a modification that its GGSN asks for.
  function r.modified(fields, id)
    return r.words(r.node:modified(id or 7, fields, 0))
  end
  function r.state(id)
    for _, row in ipairs(r.node:list()) do
      if row.id == id then return row.state end
    end
  end
  return r
end

return { rig = rig, cut = cut, wanted = wanted, wire = wire, S = S, OURS = OURS, GGSN = GGSN, OTHER = OTHER, WAY = WAY,
  QOS = QOS }
