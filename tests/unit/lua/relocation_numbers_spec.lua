-- SPDX-License-Identifier: BSD-3-Clause
-- Relocation of contexts in acknowledged mode: their N-PDU numbers go from one SGSN to another, in a world of two nodes
-- (pool_world.lua).
local pool_world = require "pool_world"

local S <const> = pool_world.S

local function is_active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

local function count(node, name)
  return node.p.counts[name] or 0
end

-- The proxy has another SGSN for the phone from now on, and the phone goes to another area.
local function move(w, from, to)
  w.nodes[from].takes, w.nodes[to].takes = {}, { 1, 2, 3, 4 }
  w:order(1, "move")
end

describe("N-PDU numbers", function()
  -- The phone goes to another node, in which its context is active again.
  local function go(w, from, to)
    move(w, from, to)
    w:run(3 * S)
    assert.is_true(w:run_until(is_active))
    w:run(60 * S)
    assert.equal(0, w.downs)
  end

  -- It has N-PDUs up to 7 down and 9 up, and goes to a node with so many free links; a message is lost.
  local function walk(links, lost)
    local w, n = pool_world.new({ nodes = 2, phones = 1, links = { 1, 1 } }), 0
    assert.is_true(w:run_until(is_active))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local old, new = w.nodes[from], w.nodes[3 - from]
    w:run(S)
    local key = next(old.numbers)
    assert.same({ send = 0, receive = 0 }, old.numbers[key])
    old.numbers[key], new.links, w.expects = { send = 7, receive = 9 }, links, 6
    w.loses = function()
      n = n + 1
      return n == lost
    end
    w.watch = w.check
    go(w, from, 3 - from)
    return n, w, new, old
  end

  it("go on in the new SGSN, also when a message is lost", function()
    local count_all = walk(1)
    assert.is_true(count_all >= 8)
    for lost = 0, count_all do
      local _, w, new = walk(1, lost)
      local _, numbers = next(new.numbers)
      assert.same({ send = 7, receive = 9 }, numbers)
      assert.equal(9, w.told_received)
      assert.same({ { 5, 6, true } }, new.received)
      assert.equal(0, count(new, "llc_unacknowledged"))
    end
  end)

  it("end where no link is free: the phone is told class 3", function()
    local _, w, new = walk(0)
    assert.same({ {}, 9 }, { new.numbers, w.told_received })
    assert.equal(1, count(new, "llc_unacknowledged"))
    assert.is_true(count(new, "sent_network_modify_request") > 0)
    assert.same({ { 5, 6, true } }, new.received)
  end)

  it("come back with the phone", function()
    local _, w, new, old = walk(1)
    new.numbers[next(new.numbers)] = { send = 70, receive = 90 }
    old.links, w.expects = 1, 66
    go(w, new.number, old.number)
    local _, numbers = next(old.numbers)
    assert.same({ send = 70, receive = 90 }, numbers)
    assert.same({ { 5, 66, true } }, old.received)
  end)

  it("come back before the first SGSN has forgotten the phone", function()
    local w = pool_world.new({ nodes = 2, phones = 1, links = { 1, 1 } })
    assert.is_true(w:run_until(is_active))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local old, new = w.nodes[from], w.nodes[3 - from]
    w:run(S)
    move(w, from, 3 - from)
    w:run(4 * S)
    assert.same({ "forwarding", "registered" }, { old.p:list()[1].state, new.p:list()[1].state })
    new.numbers[next(new.numbers)] = { send = 70, receive = 90 }
    old.links = 1 -- its former self has one, too
    go(w, 3 - from, from)
    local _, numbers = next(old.numbers)
    assert.same({ send = 70, receive = 90 }, numbers)
    assert.equal(90, w.told_received)
  end)

  it("are a list of three half octets each", function()
    local numbers = require "sm.n_pdu_numbers"
    assert.equal("\x50\x90", numbers.octets({ { nsapi = 5, number = 9 } }))
    assert.equal("\x50\x9f\xff", numbers.octets({ { nsapi = 5, number = 9 }, { nsapi = 15, number = 255 } }))
    assert.is_nil(numbers.octets({}))
    local list = {}
    for nsapi = 5, 14 do
      list[#list + 1] = { nsapi = nsapi, number = 17 * nsapi }
      assert.same(list, numbers.list(numbers.octets(list)))
    end
    list[11] = { nsapi = 15, number = 1 } -- one too many
    assert.equal(15, #numbers.octets(list))
  end)
end)

describe("acknowledged mode of a context that has come", function()
  local function begin()
    local w = pool_world.new({ nodes = 2, phones = 1, links = { 1, 1 }, pool = { hold = 60 * S } })
    assert.is_true(w:run_until(is_active))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    w:run(S)
    return w, w.nodes[from], w.nodes[3 - from]
  end

  it("ends where its APN has it not: the phone is told class 3", function()
    local w, old, new = begin()
    new.p.contexts.apns.internet.acknowledged = nil
    move(w, old.number, new.number)
    w:run(10 * S)
    assert.same({ {}, 0 }, { new.numbers, w.downs })
    assert.is_true(count(new, "sent_network_modify_request") > 0)
  end)

  it("ends where no link is free, also when that is known after COMPLETE", function()
    local w, old, new = begin()
    local order = new.phone_pdp_llc
    new.links = 0
    function new:phone_pdp_llc(intent)
      w:later(2 * S, function() order(self, intent) end)
    end
    move(w, old.number, new.number)
    w:run(10 * S)
    assert.equal(1, count(new, "rau_complete"))
    assert.same({ {}, 0 }, { new.numbers, w.downs })
    assert.is_true(count(new, "sent_network_modify_request") > 0)
  end)

  it("stays when a worker answers an order that there was none of", function()
    local w, old = begin()
    local mobile = old.p.by_imsi["262420000000001"].mobile
    for _, is_set in ipairs({ false, true }) do
      old:take(old.p:context_llc(mobile, 5, is_set, w.now))
      assert.is_true(old.p.by_mobile[mobile].contexts[5].acknowledged)
    end
    w:run(5 * S)
    assert.equal(0, count(old, "sent_network_modify_request"))
  end)

  it("is not waited for: a context that the phone is not told of yet stays behind", function()
    local w, old, new = begin()
    w:order(1, "deactivate")
    w:run(5 * S)
    local is_told
    function old.phone_pdp_llc() end -- the worker takes its time
    w:order(1, "activate")
    w:run(S // 2)
    assert.equal("linking", old.p.by_imsi["262420000000001"].contexts[5].fsm.state)
    local take = new.p.contexts.take
    function new.p.contexts:take(phone, run, list, forwarder)
      is_told = #list > 0
      return take(self, phone, run, list, forwarder)
    end
    move(w, old.number, new.number)
    w:run(S)
    assert.is_false(is_told)
  end)

  it("has no N-PDU numbers of contexts that are not there", function()
    local w, old, new = begin()
    w.expects = 6
    local confirm = new.p.contexts.confirm
    function new.p.contexts:confirm(phone, run, octets)
      confirm(self, phone, run, octets .. "\x60\x90") -- NSAPI 6
    end
    move(w, old.number, new.number)
    w:run(10 * S)
    assert.same({ { 5, 6, true } }, new.received)
  end)

  it("continues with the numbers of the SGSN between when the phone comes back at once", function()
    local w, old, new = begin()
    local send, from = new.phone_send, nil
    function new:phone_send(intent) -- the phone does not hear that it has arrived
      if count(new, "sgsn_arrived") == 0 then return send(self, intent) end
    end
    move(w, old.number, new.number)
    w:run(S)
    assert.same({ "forwarding", 1 }, { old.p:list()[1].state, count(old, "sgsn_left") })
    new.numbers[next(new.numbers)] = { send = 70, receive = 90 }
    w.watch = function() from = select(2, next(old.forwarders)) or from end
    move(w, new.number, old.number)
    w:run(20 * S)
    local _, numbers = next(old.numbers)
    assert.same({ { send = 70, receive = 90 }, new.address, 0 }, { numbers, from, w.downs })
  end)
end)
