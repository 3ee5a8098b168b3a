-- SPDX-License-Identifier: BSD-3-Clause
-- Two or three nodes of a pool, of which one lies, or a host that is none of them.
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"

local S <const> = pool_world.S
local STRANGER <const> = "10.9.9.9"
local RAI <const> = "\x62\xf2\x24\x12\x34\5"

local function ACTIVE(list)
  for _, phone in ipairs(list) do
    if phone.state ~= "registered" or phone.session ~= "active" then return false end
  end
  return true
end

-- A phone of the node w.from; `sent` has all messages of GTP-C, as { theirs =, type =, ... }.
local function world(nodes)
  local w = pool_world.new({ nodes = nodes or 2, phones = 1 })
  if nodes then w.nodes[3].allows = false end
  assert(w:run_until(ACTIVE), "a phone is not active")
  w.from = #w.nodes[1].p:list() == 1 and 1 or 2
  w.sent = setmetatable({}, { __index = w.sent })
  local deliver = w.deliver
  function w:deliver(intent)
    local message = gtpc.decode(intent.octets) or { type = "malformed" }
    message.theirs = intent.theirs
    table.insert(self.sent, message)
    if self.lies and self.lies(message) then
      message.theirs = nil
      intent.octets = gtpc.encode(message)
    end
    deliver(self, intent)
  end
  return w, w.nodes[w.from], w.nodes[3 - w.from]
end

local function give(w, node, from, message)
  node:take(node.n:receive({ ours = node.address, theirs = from, port = 2123, is_right_port = true },
    gtpc.encode(message), w.now))
end

local function question(seq, changes)
  local out = { type = "context_request", teid = 0, seq = seq, rai = RAI, tlli = 0x80000000 | seq, teid_control = 0x77,
    control = STRANGER }
  for key, value in pairs(changes or {}) do out[key] = value end
  return out
end

local function count(node, name)
  return node.p.counts[name] or 0
end

local function sent_to(w, theirs)
  local list = {}
  for _, message in ipairs(w.sent) do
    if message.theirs == theirs then list[#list + 1] = message end
  end
  return list
end

local function move(w)
  w.nodes[w.from].takes = {}
  w.nodes[3 - w.from].takes = { 1, 2, 3, 4 }
  w:order(1, "move")
  w:run(5 * S)
end

return { S = S, RAI = RAI, STRANGER = STRANGER, ACTIVE = ACTIVE, world = world, give = give, question = question,
  count = count, sent_to = sent_to, move = move }
