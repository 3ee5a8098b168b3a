-- SPDX-License-Identifier: BSD-3-Clause
-- A phone goes to another SGSN while one of its contexts is in the midst of a procedure: those that the other one has
-- taken end here without a word to their GGSN.
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"
local rig = require "doors_rig"
local wire = require "wire.phone"

local S <const> = pool_world.S

local function active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

-- Its node, the other one, what the node has released and forwarded, and its context.
local function world()
  local w = pool_world.new({ nodes = 2, phones = 1, links = { 1, 1 }, pool = { hold = S } })
  assert.is_true(w:run_until(active))
  w:run(S)
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  local node, to, released, forwarded = w.nodes[from], w.nodes[3 - from], {}, {}
  local del, forward = node.phone_pdp_del, node.phone_pdp_forward
  function node:phone_pdp_del(intent)
    released[#released + 1] = { intent.nsapi, intent.moved or false }
    del(self, intent)
  end
  function node:phone_pdp_forward(intent)
    forwarded[#forwarded + 1] = intent.nsapi
    forward(self, intent)
  end
  return w, node, to, released, forwarded
end

local function context_of(node)
  return node.p.by_imsi["262420000000001"].contexts[5]
end

local function tell(w, node, event, arg)
  local run = node.p:open_run(w.now)
  run:tell(context_of(node).fsm, event, arg)
  node:take(node.p:close_run(run))
end

-- The GGSN, the phone and the worker answer nothing of these.
local into = {}

function into.changing(w, node)
  function node.phone_pdp_class() end
  tell(w, node, "rx_change", { ti = context_of(node).ti, class = "background" })
end

function into.relinking(w, node)
  function node.phone_pdp_class() end
  function node.phone_pdp_llc() end
  tell(w, node, "rx_change", { ti = context_of(node).ti, class = "background", asks = false })
  node:take(node.p:context_class(1, 5, { class = "background", cause = 0 }, w.now))
end

function into.telling(w, node)
  function node.phone_send() end
  node:take(node.p:context_class(1, 5, { class = "thp1", cause = 0 }, w.now))
end

-- Its GGSN asks for a modification, and is told that the phone does not answer here.
function into.modifying(w, node)
  local _, context = next(w.ggsn.by_teid)
  local send = node.gn_send
  function node.phone_send() end
  function node:gn_send(intent)
    local message = gtpc.decode(intent.octets)
    if message.type == "update_response" then node.told = { message.cause, message.teid } end
    send(self, intent)
  end
  node:take(node.n:receive({ ours = node.address, theirs = w.ggsn.address, port = 2123 }, gtpc.encode({
    type = "update_request", seq = 9, teid = context.teid_control, nsapi = 5, pco = "\x80" }), w.now))
  node.awaits = { 196, context.teid }
end

describe("a phone goes to another SGSN with a context that is", function()
  for _, state in ipairs({ "changing", "relinking", "telling", "modifying" }) do
    it(state, function()
      local w, node, to, released, forwarded = world()
      into[state](w, node)
      assert.equal(state, context_of(node).fsm.state)
      node.takes, to.takes = {}, { 1, 2, 3, 4 }
      w:order(1, "move")
      for _ = 1, 200 do
        if not node.p.by_imsi["262420000000001"] then break end
        w:run(S // 10)
      end
      assert.same({ 1, 1, { 5 }, { { 5, true } } }, { node.p.counts.sgsn_left, to.p.counts.sgsn_arrived, forwarded,
        released })
      assert.same(node.awaits, node.told)
      w:run(5 * S)
      local _, contexts = w:check()
      assert.same({ ["262420000000001/5"] = 1 }, contexts)
      assert.same({ 0, nil }, { w.downs, w:call(1) })
    end)
  end

  it("linking, which is not described, and is released at its GGSN", function()
    local w, node, to, released, forwarded = world()
    w:order(1, "deactivate")
    w:run(2 * S)
    for i = #released, 1, -1 do released[i] = nil end
    function node.phone_pdp_llc() end
    w:order(1, "activate")
    for _ = 1, 20 do
      if context_of(node) and context_of(node).fsm.state == "linking" then break end
      w:run(S // 100)
    end
    assert.equal("linking", context_of(node).fsm.state)
    context_of(node).fsm.durations = setmetatable({ llc = 600 * S }, { __index = context_of(node).fsm.durations })
    node.takes, to.takes = {}, { 1, 2, 3, 4 }
    -- The HLR alone tells that it has gone; so nothing names the context.
    local phone = node.p.by_imsi["262420000000001"]
    phone.has_left = true
    local run = node.p:open_run(w.now)
    node.p.contexts:forget_all(phone, run)
    node:take(node.p:close_run(run))
    w:run(S)
    assert.same({ {}, { { 5, false } } }, { forwarded, released })
    assert.same({}, (select(2, w:check())))
  end)
end)

-- The phone is told when its update is complete.
it("a GGSN asks for a modification while the phone arrives at another SGSN", function()
  local w, node, to = world()
  local answer, told = w.ggsn.answer, nil
  function w.ggsn:answer(from, request)
    local fields = answer(self, from, request)
    if request.type == "update_request" and from == to.address and not told then
      told = {}
      w:later(S // 50, function()
        to:take(to.n:receive({ ours = from, theirs = self.address, port = 2123 }, gtpc.encode({ type = "update_request",
          seq = 9, teid = request.teid_control, nsapi = 5, pco = "\x80\0\x0d\4\xc0\0\2\x35" }), w.now))
      end)
    end
    return fields
  end
  local send = to.gn_send
  function to:gn_send(intent)
    local message = gtpc.decode(intent.octets)
    if message.type == "update_response" then told = { message.cause, message.teid_data ~= nil } end
    send(self, intent)
  end
  node.takes, to.takes = {}, { 1, 2, 3, 4 }
  w:order(1, "move")
  w:run(10 * S)
  assert.same({ 128, true }, told)
  assert.equal("192.0.2.53", w.handsets:list()[1].dns)
end)

-- Its contexts are the other SGSN's, which the HLR tells that the phone has gone: the GGSN hears nothing of this one.
describe("a phone that has gone, and attaches where it was before", function()
  it("leaves its contexts at their GGSN", function()
    local IMSI <const>, released, at_ggsn = "262420000000001", {}, nil
    rig.left({ hold = 60 * S, before = function(door)
      local node, w = door.node, door.w
      local phone, send, del = node.p.by_imsi[IMSI], node.phone_send, node.phone_pdp_del
      function node.phone_send() end
      function node:phone_pdp_del(intent)
        released[#released + 1] = { intent.nsapi, intent.moved or false }
        del(self, intent)
      end
      local function say(message)
        node:take(node.p:frame(phone.mobile, { tlli = phone.tlli, nsei = 101, bvci = 2 }, false,
          wire.gmm_encode(message), w.now))
        w:run(S)
      end
      say({ message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = 7, drx = "\0\0",
        identity = wire.identity_octets("imsi", IMSI), old_rai = "\x62\xf2\x24\x12\x34\5",
        ra_capability = "\x18\xb3\x43\x2b\x25" })
      say({ message = "auth_response", reference = phone.reference, sres = rig.VECTOR.sres })
      assert.equal("accepting", phone.fsm.state)
      at_ggsn = door:at_ggsn()
      node.phone_send, node.phone_pdp_del = send, del
    end })
    assert.same({ { { 5, true } }, 1 }, { released, at_ggsn })
  end)
end)

-- Its old SGSN has described it, and hears that it does not come by that request: its contexts stay there until the HLR
-- cancels them, which ends them at their GGSN.
describe("a phone that is switched off before its new SGSN believes it, and attaches there", function()
  it("stays with its old one", function()
    local told, seen = {}, nil
    local door = rig.doors.from_sgsn({ hlr = { is_away = true }, before = function(door)
      local deliver, w = door.w.deliver, door.w
      function w:deliver(intent)
        local message = gtpc.decode(intent.octets)
        if message.type == "context_acknowledge" then told[#told + 1] = message.cause end
        deliver(self, intent)
      end
      w:later(2 * S, function()
        seen = { #told, door.other.p.counts.sgsn_described }
        w.loses = function() return true end
        w:order(1, "power_off")
        w.loses = nil
        w:order(1, "attach")
      end)
      w:later(3 * S, function() seen[3] = told[1] end)
    end })
    assert.same({ 0, 1, 208 }, seen)
    assert.is_true(door.other.p.counts.sgsn_stayed >= 1)
  end)
end)

-- What a context asks its GGSN for.
describe("a request for a context", function()
  local function asked_of(node)
    local asked, add = {}, node.phone_pdp_add
    function node:phone_pdp_add(intent)
      asked[#asked + 1] = intent.wanted
      add(self, intent)
    end
    return asked
  end

  it("has what the HLR and the phone say", function()
    local w, node = world()
    local phone, contexts, asked = node.p.by_imsi["262420000000001"], node.p.contexts, asked_of(node)
    phone.msisdn, node.p.policy.msisdns = "491701", { [phone.imsi] = "491702" }
    local run = node.p:open_run(w.now)
    contexts:subscribe(run, phone, { { apn = "\8internet", type = "\xf1\x21", qos = "\3\x23\x43\x1f" } })
    contexts:receive(run, phone, { message = "activate_request", ti = 3, ti_flag = 0, nsapi = 7, sapi = 3,
      qos = "\0\0\0", pdp_address = "\1\x21", apn = "\8internet", pco = "\x80" }, "")
    node:take(node.p:close_run(run))
    local wanted = asked[1]
    assert.same({ 0, "\x23\x43\x1f", 3, "491701", "\x80" }, { wanted.selection, wanted.subscribed, wanted.arp,
      wanted.msisdn, wanted.pco })
  end)

  it("that comes from another SGSN goes to the GGSN that this one names", function()
    local w, node, to = world()
    local asked, ggsn = asked_of(to), node.p.contexts.apns.internet.ggsn_address
    to.p.contexts.apns.internet.ggsn_address = "10.0.0.77"
    node.takes, to.takes = {}, { 1, 2, 3, 4 }
    w:order(1, "move")
    w:run(5 * S)
    assert.equal(ggsn, asked[1].ggsn)
    assert.is_table(asked[1].taken)
  end)
end)
