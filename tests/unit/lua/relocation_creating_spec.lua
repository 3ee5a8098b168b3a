-- SPDX-License-Identifier: BSD-3-Clause
-- A phone goes to another SGSN while its GGSN has not answered for a context: that is not described, and does not move.
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"
local records = require "base.records"

local octets_of = require("spec_tools").octets_of

local S <const> = pool_world.S
local HLR <const> = { nodes = 2, phones = 1, policy = "hlr", ki = octets_of("000102030405060708090a0b0c0d0e0f"),
  vector = { rand = octets_of("07080b1017202b3847586b8097b0cbe8"), sres = octets_of("c0c08040"),
    kc = octets_of("30f0101070309010") } }

local function active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

-- Its node with a context that is being created, what it has released and forwarded, and the other node.
local function world(settings)
  local w = pool_world.new(settings or { nodes = 2, phones = 1 })
  assert.is_true(w:run_until(active))
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  local node, to, released, forwarded = w.nodes[from], w.nodes[3 - from], {}, {}
  w:order(1, "deactivate")
  w:run(2 * S)
  function node.phone_pdp_add() end -- the GGSN does not answer
  function node.phone_pdp_del(_, intent) released[#released + 1] = { intent.nsapi, intent.moved or false } end
  function node.phone_pdp_forward(_, intent) forwarded[#forwarded + 1] = intent.nsapi end
  w:order(1, "activate")
  w:run(S)
  node.takes, to.takes = {}, { 1, 2, 3, 4 }
  return w, node, to, released, forwarded
end

describe("a context that is being created", function()
  for _, word in ipairs({ "does not name it", "acknowledges it" }) do
    it("is released at its GGSN when the other SGSN " .. word, function()
      local w, node, to, released, forwarded = world()
      local deliver = w.deliver
      function w:deliver(intent)
        local message = gtpc.decode(intent.octets)
        if message.type == "context_acknowledge" and word == "acknowledges it" then
          message.tunnels, message.user = { { nsapi = 5, teid = 0x99 } }, to.address
          intent.octets = gtpc.encode(message)
        end
        deliver(self, intent)
      end
      w:order(1, "move")
      w:run(35 * S)
      assert.same({ 1, {}, { { 5, false } }, {} }, { node.p.counts.sgsn_left, node.p:list(), released, forwarded })
    end)
  end

  it("is released at its GGSN when the HLR alone tells that the phone has gone", function()
    local w, node, _, released, forwarded = world(HLR)
    local deliver = w.deliver
    function w:deliver(intent)
      if gtpc.decode(intent.octets).type ~= "context_acknowledge" then deliver(self, intent) end
    end
    w:order(1, "move")
    w:run(35 * S)
    assert.same({ {}, { { 5, false } }, {} }, { node.p:list(), released, forwarded })
  end)
end)

describe("a context that is there", function()
  local function active_world(settings)
    local w = pool_world.new(settings)
    assert.is_true(w:run_until(active))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    w.nodes[from].takes, w.nodes[3 - from].takes = {}, { 1, 2, 3, 4 }
    return w, w.nodes[from], w.nodes[3 - from]
  end

  it("is ended at its GGSN by the old SGSN when the new one has no place for it", function()
    local w, node, to = active_world({ nodes = 2, phones = 1 })
    local told
    function to:phone_pdp_add(intent) self:take(self.p:context_down(intent.mobile, intent.nsapi, 199, w.now)) end
    local deliver = w.deliver
    function w:deliver(intent)
      local message = gtpc.decode(intent.octets)
      if message.type == "context_acknowledge" then told = message.tunnels or {} end
      deliver(self, intent)
    end
    w:order(1, "move")
    w:run(60 * S)
    assert.same({ {}, 1, {} }, { told, node.p.counts.sgsn_left, w.ggsn.by_teid })
  end)

  it("is ended at its GGSN when the new SGSN refuses it, and the HLR cancels the phone then", function()
    local w, node = active_world(HLR)
    local deliver, is_muted = w.deliver, false
    function w.loses(kind) return is_muted and kind == "gb" end
    function w:deliver(intent)
      local message = gtpc.decode(intent.octets)
      deliver(self, intent)
      is_muted = is_muted or message.type == "context_response" -- the phone does not prove who it is
      if message.type == "context_acknowledge" then
        assert.is_true(message.cause > 191)
        w:later(2 * S, function() node:cancel("262420000000001") end)
      end
    end
    w:order(1, "move")
    w:run(50 * S)
    assert.same({ {}, {} }, { node.p:list(), w.ggsn.by_teid })
  end)

  it("stays at its GGSN when control restarts before the new SGSN acknowledges it", function()
    local w, node = active_world(HLR)
    local kept, described, cancelled = {}, nil, nil
    records.is_on = true
    function node.keep(_, intent) kept[intent.key] = intent.octets end
    local deliver = w.deliver
    function w:deliver(intent)
      deliver(self, intent)
      if gtpc.decode(intent.octets).type ~= "context_response" then return end
      for key, octets in pairs(kept) do
        local phone = key:find("^phone/") and records.unpack(octets)
        described = described or phone and phone.described
      end
    end
    w:order(1, "move")
    w:run(5 * S)
    for key, octets in pairs(kept) do
      local phone = octets and key:find("^phone/") and records.unpack(octets)
      cancelled = cancelled or phone and (phone.is_cancelled or phone.has_left)
    end
    records.is_on = false
    assert.same({ true, true }, { described ~= nil, cancelled or false })
  end)
end)
