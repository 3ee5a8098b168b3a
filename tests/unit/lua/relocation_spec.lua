-- SPDX-License-Identifier: BSD-3-Clause
-- Phones that go from one SGSN to another, in a world of several nodes (pool_world.lua).
local pool_world = require "pool_world"

local octets_of = require("spec_tools").octets_of

local S <const>, QOS <const> = pool_world.S, octets_of("1b921f7296404074020000")
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")
local VECTOR <const> = { rand = octets_of("07080b1017202b3847586b8097b0cbe8"), sres = octets_of("c0c08040"),
  kc = octets_of("30f0101070309010") }

local function all(state, session)
  return function(list)
    for _, phone in ipairs(list) do
      if phone.state ~= state or session and phone.session ~= session then return false end
    end
    return true
  end
end

local ACTIVE <const> = all("registered", "active")

local function count(node, name)
  return node.p.counts[name] or 0
end

-- The proxy has another SGSN for the phone from now on: its NRIs are that one's.
local function hand_over(w, from, to)
  w.nodes[from].takes, w.nodes[to].takes = {}, table.move(w.nodes[from].pool.nris, 1, 2, 3,
    table.move(w.nodes[to].pool.nris, 1, 2, 1, {}))
end

describe("two SGSNs behind a proxy", function()
  it("have the phones that the proxy gives them", function()
    local w = pool_world.new({ nodes = 2, phones = 6 })
    assert.is_true(w:run_until(ACTIVE))
    local registered, contexts = w:check()
    local a, b = #w.nodes[1].p:list(), #w.nodes[2].p:list()
    assert.equal(6, a + b)
    assert.is_true(a > 0 and b > 0)
    for i = 1, 6 do
      assert.equal(1, registered[("26242000000%04d"):format(i)])
      assert.equal(1, contexts[("26242000000%04d/5"):format(i)])
    end
    for i = 1, 6 do w:order(i, "update") end
    w:run(5 * S)
    assert.is_true(w:run_until(ACTIVE))
    assert.same({ a, b, 0 }, { #w.nodes[1].p:list(), #w.nodes[2].p:list(), w.downs })
  end)

  it("give each other a phone with its context", function()
    local w = pool_world.new({ nodes = 2, phones = 1 })
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local to = 3 - from
    local address, forwarder = w.addresses[1], nil
    w.watch = function() forwarder = select(2, next(w.nodes[to].forwarders)) or forwarder end
    hand_over(w, from, to)
    w:order(1, "move")
    w:run(3 * S)
    assert.is_true(w:run_until(ACTIVE))
    assert.same({ address, 0, w.nodes[from].address }, { w.addresses[1], w.downs, forwarder })
    assert.same({ 1, 1 }, { count(w.nodes[to], "sgsn_arrived"), count(w.nodes[from], "sgsn_left") })
    assert.equal("registered", w.nodes[to].p:list()[1].state)
    assert.equal("forwarding", w.nodes[from].p:list()[1].state)
    w:run(15 * S)
    assert.same({}, w.nodes[from].p:list())
    local registered, contexts = w:check()
    assert.same({ ["262420000000001"] = 1 }, registered)
    assert.same({ ["262420000000001/5"] = 1 }, contexts)
    assert.same({}, w.nodes[to].held)
  end)

  it("tell each other what the phone is capable of, which its update need not", function()
    local w = pool_world.new({ nodes = 2, phones = 1, policy = "hlr", ki = KI, vector = VECTOR })
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local to = w.nodes[3 - from]
    local before = w.nodes[from].p.by_imsi["262420000000001"]
    to.config.phones.ciphering = { 3 }
    w.handsets.settings.capability = nil
    hand_over(w, from, 3 - from)
    w:order(1, "move")
    w:run(3 * S)
    assert.is_true(w:run_until(ACTIVE))
    local phone = to.p.by_imsi["262420000000001"]
    assert.same({ 3, before.capability, true, 1 }, { phone.algorithm, phone.capability, phone.is_r99,
      count(to, "sgsn_arrived") })
  end)

  -- One phone from a node to the other, with a message lost; how it ended.
  local function walk(settings, lost)
    local w, n = pool_world.new({ nodes = 2, phones = 1, policy = settings.policy, ki = settings.ki,
      vector = settings.vector, pool = settings.pool }), 0
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local address = w.addresses[1]
    w.loses = function()
      n = n + 1
      return n == lost
    end
    w.watch = w.check
    hand_over(w, from, 3 - from)
    if settings.before then settings.before(w, from) end
    w:order(1, settings.what or "move")
    w:run(3 * S)
    assert.is_true(w:run_until(ACTIVE), "message " .. (lost or 0))
    w:run(60 * S)
    local registered, contexts = w:check()
    assert.same({ ["262420000000001"] = 1 }, registered)
    assert.same({ ["262420000000001/5"] = 1 }, contexts)
    assert.same({}, w.nodes[3 - from].held)
    assert.same({}, w.nodes[from].p:list())
    assert.same({ 0, 0 }, { w.nodes[1].n.sgsns.count, w.nodes[2].n.sgsns.count })
    return n, w.addresses[1] == address and w.downs == 0, w, w.nodes[from], w.nodes[3 - from]
  end

  for _, settings in ipairs({ { name = "without an HLR" },
    { name = "authenticated and ciphered", policy = "hlr", ki = KI, vector = VECTOR } }) do
    it("lose no context when any one message is lost: " .. settings.name, function()
      local count_all, is_kept = walk(settings)
      assert.is_true(is_kept)
      assert.is_true(count_all >= 8)
      for lost = 1, count_all do
        local _, keeps = walk(settings, lost)
        assert.is_true(keeps, "message " .. lost)
      end
    end)
  end
end)

-- The flows of an MME as open5gs has them: TTCN-3's TC_sgsn_context_req_in and _out, and what open5gs-mme sends.
describe("an MME", function()
  local gtpc = require "wire.gtpc"
  local MME <const>, KEYS <const> = "10.0.7.7", ("\17"):rep(16)
  local USIM <const> = { rand = VECTOR.rand, sres = VECTOR.sres, kc = VECTOR.kc,
    autn = octets_of("1301117b47d58000071b3d456bbfad3f"), res = octets_of("0709091313252d3f4f51618b9bbdc5e7"),
    ck = octets_of("09091313252d3f4f51618b9bbdc5e707"), ik = octets_of("091313252d3f4f51618b9bbdc5e70709") }

  local function world(settings)
    local w = pool_world.new({ nodes = 1, phones = 1, policy = "hlr", ki = KI, vector = settings.vector,
      is_usim = settings.is_usim, pool = { others = { { address = MME, nris = {}, eutran = true,
        areas = { { mcc = "262", mnc = "42", lac = 0x4242 } } } } } })
    assert.is_true(w:run_until(ACTIVE))
    w.sent_away = {}
    local deliver = w.deliver
    function w:deliver(intent)
      if intent.theirs ~= MME then return deliver(self, intent) end
      self.sent_away[#self.sent_away + 1] = gtpc.decode(intent.octets)
    end
    return w, w.nodes[1], w.nodes[1].p.by_imsi["262420000000001"]
  end

  local function from_mme(w, node, message)
    w.sent_away = {}
    node:take(node.n:receive({ ours = node.address, theirs = MME, port = 2123, is_right_port = true },
      gtpc.encode(message), w.now))
    w:run(S // 10)
    return w.sent_away[1]
  end

  local function question(phone, fields)
    local out = { type = "context_request", teid = 0, seq = 77, p_tmsi = phone.p_tmsi,
      signature = phone.signature, teid_control = 0xaa01, control = MME, rat_type = 6 }
    for name, value in pairs(fields) do out[name] = value end
    return out
  end

  it("fetches the contexts of a phone with a USIM by its P-TMSI, with CK and IK", function()
    local w, node, phone = world({ vector = USIM, is_usim = true })
    local rai = w.handsets.list_of[1].rai
    local answer = from_mme(w, node, question(phone, { rai = rai }))
    assert.same({ "context_response", 0xaa01, 77, 128, "262420000000001", node.address }, { answer.type, answer.teid,
      answer.seq, answer.cause, answer.imsi, answer.control })
    assert.same({ 0, USIM.ck, USIM.ik }, { answer.mm.mode, answer.mm.ck, answer.mm.ik })
    local context = answer.contexts[1]
    assert.same({ 5, true, "ipv4", "10.11.0.1", pool_world.GGSN, pool_world.GGSN, "internet", 8 }, { context.nsapi,
      context.is_active, context.pdp_type, context.ipv4, context.control, context.user, context.apn, context.ti })
    assert.is_true(context.teid_control > 0 and context.teid_data > 0)
    -- No forwarding to an MME; the HLR cancels the location.
    from_mme(w, node, { type = "context_acknowledge", teid = answer.teid_control, seq = 77, cause = 128,
      user = "0.0.0.0", tunnels = { { nsapi = 5, teid = 0xffffffff } } })
    node:cancel("262420000000001")
    assert.equal("forwarding", node.p:list()[1].state)
    local way = next(node.forwards)
    assert.is_nil(node.forwards[way].address)
    w:run(12 * S)
    assert.same({}, node.p:list())
    local _, contexts = w:check()
    assert.equal(1, contexts["262420000000001/5"])
  end)

  it("gets Kc of a phone with a SIM", function()
    local w, node, phone = world({ vector = VECTOR })
    local answer = from_mme(w, node, question(phone, { rai = w.handsets.list_of[1].rai }))
    assert.same({ 128, 1, VECTOR.kc }, { answer.cause, answer.mm.mode, answer.mm.kc })
  end)

  for _, row in ipairs({ { "an unknown P-TMSI", { p_tmsi = 0xc0000005 }, 194 },
    { "a wrong signature", { signature = "abc" }, 206 }, { "no signature", { signature = false }, 206 } }) do
    it("is refused for " .. row[1], function()
      local w, node, phone = world({ vector = VECTOR })
      local fields = { rai = w.handsets.list_of[1].rai }
      for name, value in pairs(row[2]) do fields[name] = value end
      local request = question(phone, fields)
      if request.signature == false then request.signature = nil end
      local answer = from_mme(w, node, request)
      assert.same({ "context_response", row[3], 0xaa01 }, { answer.type, answer.cause, answer.teid })
      assert.equal("registered", node.p:list()[1].state)
    end)
  end

  -- A phone that comes from LTE: old RAI and P-TMSI are mapped from its GUTI. Keys came with the context, and the phone
  -- is authenticated all the same.
  it("gives a phone and its context, without ciphers and numbers", function()
    local w, node = world({ vector = VECTOR })
    w:order(1, "power_off")
    w:run(2 * S)
    w.downs = 0
    local handset = w.handsets.list_of[1]
    handset.rai, handset.p_tmsi, handset.signature = "\x62\xf2\x24\x42\x42\x05", 0xc4053412, "\1\2\3"
    local deliver = w.deliver
    function w:deliver(intent)
      deliver(self, intent)
      local asked = intent.theirs == MME and gtpc.decode(intent.octets)
      if asked and asked.type == "context_request" then
        local answer = { type = "context_response", teid = asked.teid_control, seq = asked.seq, cause = 128,
          imsi = "262420000000001", teid_control = 0x77, control = MME,
          mm = { mode = 2, cksn = 0, cipher = 0, ck = KEYS, ik = KEYS, quintuplets = {}, drx = "\0\0",
            capability = "\xe5\xe0" },
          contexts = { { nsapi = 5, sapi = 3, is_active = true, arp = 2, qos_subscribed = QOS, qos_requested = QOS,
            qos_negotiated = QOS, sequence_down = 0, sequence_up = 0, send_n_pdu = 0, receive_n_pdu = 0,
            teid_control = 1, teid_data = 0x70000001, control = pool_world.GGSN, user = pool_world.GGSN, context_id = 0,
            pdp_type = "ipv4", ipv4 = "10.11.0.1", apn = "internet.mnc042.mcc262.gprs", ti = 8 } } }
        node:take(node.n:receive({ ours = node.address, theirs = MME, port = 2123, is_right_port = true },
          gtpc.encode(answer), self.now))
      end
    end
    w.ggsn.by_teid[1] = { imsi = "262420000000001", nsapi = 5, ipv4 = "10.11.0.1", teid = 1 }
    handset.address = "10.11.0.1"
    handset.fsm.state = "registered"
    handset.session.state = "active"
    handset.tlli = 0x84053412
    w:order(1, "update")
    w:run(10 * S)
    local kinds = {}
    for i, message in ipairs(w.sent_away) do kinds[i] = message.type end
    assert.same({ "context_request", "context_acknowledge" }, kinds)
    assert.same({ 0x84053412, 128, { { nsapi = 5, teid = w.sent_away[2].tunnels[1].teid } } }, { w.sent_away[1].tlli,
      w.sent_away[2].cause, w.sent_away[2].tunnels })
    assert.equal("registered", node.p:list()[1].state)
    assert.equal(node.address, w.ggsn.by_teid[1].user)
    assert.equal(0, w.downs)
  end)
end)

describe("contexts that share an address", function()
  it("stay together at the new SGSN, so that the end of one is not that of all", function()
    local w = pool_world.new({ nodes = 1, phones = 1 })
    assert.is_true(w:run_until(ACTIVE))
    local node = w.nodes[1]
    local phone = node.p.by_imsi["262420000000001"]
    local own = node.p.contexts:describe(phone, {})[1]
    local list = {}
    for i, nsapi in ipairs({ 6, 7, 8 }) do
      list[i] = {}
      for name, value in pairs(own) do list[i][name] = value end
      list[i].nsapi, list[i].ti, list[i].teid_control = nsapi, 8 | i, i < 3 and 77 or 78
      list[i].teid_data, list[i].control, list[i].user = 100 + i, pool_world.GGSN, pool_world.GGSN
      list[i].ipv4 = "10.11.0.9"
    end
    for i = 77, 78 do w.ggsn.by_teid[i] = { imsi = phone.known, nsapi = i, ipv4 = "10.11.0.9", teid = i } end
    local added = {}
    local add = node.phone_pdp_add
    function node:phone_pdp_add(intent)
      added[#added + 1] = intent.linked or 0
      add(self, intent)
    end
    local run = node.p:open_run(w.now)
    assert.same({ 6, 7, 8 }, node.p.contexts:take(phone, run, list, "10.0.0.9"))
    node:take(node.p:close_run(run))
    assert.same({ 0, 6, 0 }, added)
    local taken = phone.contexts
    assert.is_true(taken[7].has_tft)
    assert.equal(taken[6].group, taken[7].group)
    for _, nsapi in ipairs({ 5, 8 }) do assert.not_equal(taken[6].group, taken[nsapi].group) end
  end)
end)

describe("an attach at another SGSN", function()
  it("asks the one before for the IMSI, and ends the contexts there", function()
    local w = pool_world.new({ nodes = 2, phones = 1, policy = "hlr", ki = KI, vector = VECTOR })
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local old, new = w.nodes[from], w.nodes[3 - from]
    w:order(1, "detach")
    w:run(2 * S)
    assert.same({}, old.p:list())
    hand_over(w, from, 3 - from)
    w:order(1, "attach") -- it is not known there any more
    assert.is_true(w:run_until(ACTIVE))
    assert.same({ 1, 1 }, { count(new, "sgsn_refused_194"), count(new, "sent_identity_request") })
    hand_over(w, 3 - from, from)
    w.loses = function() return true end
    w:order(1, "power_off") -- of which no SGSN hears
    w.loses = nil
    w:order(1, "attach")
    assert.is_true(w:run_until(ACTIVE))
    w:run(5 * S)
    assert.same({ 1, 0, {} }, { count(new, "sgsn_identified"), count(old, "sent_identity_request"), new.p:list() })
    assert.equal(0, old.n.sgsns.count) -- the question has ended with its answer
    local _, contexts = w:check()
    assert.same({ ["262420000000001/5"] = 1 }, contexts)
  end)
end)

-- The old SGSN is of another area, and DNS knows it.
describe("DNS", function()
  local DNS <const> = { servers = { "10.0.8.8", "2001:db8::8" }, port = 5353, networks = { "10.0.0.0/24" } }

  local function arrive(address)
    local w = pool_world.new({ nodes = 2, phones = 1, pool = { others = {}, dns = DNS } })
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local to, asked = w.nodes[3 - from], nil
    hand_over(w, from, 3 - from)
    for _, area in ipairs({ "262-42-4660-5", "262-42-4660-6" }) do to.p.cells_of_area[area] = nil end
    function to:dns_ask(intent)
      asked = intent
      w:later(S // 100, function() self:take(self.p:resolved(intent.id, address, w.now)) end)
    end
    w:order(1, "move")
    w:run(10 * S)
    return w, to, asked, w.nodes[from]
  end

  it("has the SGSN of an area", function()
    local w, to, asked = arrive("10.0.0.1")
    if to.address == "10.0.0.1" then w, to, asked = arrive("10.0.0.2") end
    assert.equal("10.0.8.8:5353,[2001:db8::8]:5353", asked.servers)
    assert.truthy(asked.name:find("^rac000[56]%.lac1234%.mnc042%.mcc262%.gprs$"))
    assert.same({ 1, 0, 1 }, { count(to, "sgsn_arrived"), w.downs, count(to, "sgsn_looked_up") })
  end)

  it("has answers for the latest question of a phone alone", function()
    local w = pool_world.new({ nodes = 2, phones = 1, pool = { others = {}, dns = DNS } })
    assert.is_true(w:run_until(ACTIVE))
    local from = #w.nodes[1].p:list() == 1 and 1 or 2
    local to, ids = w.nodes[3 - from], {}
    hand_over(w, from, 3 - from)
    for _, area in ipairs({ "262-42-4660-5", "262-42-4660-6" }) do to.p.cells_of_area[area] = nil end
    function to.dns_ask(_, intent) ids[#ids + 1] = intent.id end
    w:order(1, "move")
    w:run(S)
    local first = ids[1]
    to:take(to.p:resolved(first + 1, "10.0.0.1", w.now))
    to:take(to.p:resolved(first - (1 << 22), "10.0.0.1", w.now))
    to:take(to.p:resolved(1 << 62, "10.0.0.1", w.now))
    assert.same({ 0, 0 }, { count(to, "sgsn_asked"), count(to, "sgsn_not_found") })
    to:take(to.p:resolved(first, w.nodes[from].address, w.now))
    to:take(to.p:resolved(first, "10.0.0.9", w.now))
    w:run(10 * S)
    assert.same({ 1, 0, 1 }, { count(to, "sgsn_asked"), count(to, "sgsn_not_found"), count(to, "sgsn_arrived") })
    assert.equal(1, #ids)
  end)

  it("that names a host which is no SGSN's, or none, has the phone attach again", function()
    for _, address in ipairs({ "10.0.1.1", false }) do
      local w, to, asked = arrive(address or nil)
      assert.is_table(asked)
      assert.same({ 0, 1, 1 }, { count(to, "sgsn_asked"), count(to, "sgsn_not_found"), count(to, "rau_reject_10") })
      assert.equal(1, w.downs)
    end
  end)
end)

local function act(node, order)
  local plan = node.p:plan(order)
  if plan.refusal then return plan.refusal end
  node.world.acts = (node.world.acts or 0) + 1
  local id = node.world.acts
  node:take(node.p:act(order, id, node.world.now))
  return plan.says, id
end

local function total(w, name)
  local sum = 0
  for _, node in ipairs(w.nodes) do sum = sum + count(node, name) end
  return sum
end

describe("an offload", function()
  local function world(settings)
    settings.nodes, settings.phones = settings.nodes or 2, settings.phones or 6
    local w = pool_world.new(settings)
    assert.is_true(w:run_until(ACTIVE))
    w.watch = w.check
    return w
  end

  for _, row in ipairs({ { "at the next update" }, { "at once", now = "yes" }, { "to one SGSN", to = "5", nodes = 3 },
    { "to one SGSN at once", to = "3", nodes = 3, now = "yes" } }) do
    it("moves all phones with their contexts: " .. row[1], function()
      local w = world({ nodes = row.nodes, phones = 9, pool = { hold = 5 * S } })
      local addresses, first = table.move(w.addresses, 1, 9, 1, {}), w.nodes[1]
      assert.is_true(#first.p:list() > 0)
      first.allows = false
      act(first, { verb = "offload", to = row.to, now = row.now })
      local _, id = act(first, { verb = "drain" })
      w.watch = function()
        w:check()
        -- N-PDUs of none are forwarded any more, and repeated questions, which are answered for longer, count for none
        if w.ended == id then assert.same({ {}, 0 }, { first.p:list(), first.p:pool_state().leaving }) end
      end
      w:run(2 * S)
      if not row.now then
        for i = 1, 9 do w:order(i, "update") end
      end
      w:run(40 * S)
      assert.is_true(w:run_until(ACTIVE))
      assert.same({ addresses, 0, {} }, { table.move(w.addresses, 1, 9, 1, {}), w.downs, first.p:list() })
      assert.equal(id, w.ended)
      local to = { 0, 0, 0 }
      for i, node in ipairs(w.nodes) do to[i] = count(node, "sgsn_arrived") end
      assert.equal(count(first, "sgsn_left"), to[1] + to[2] + to[3])
      if row.to then assert.equal(count(first, "sgsn_left"), to[tonumber(row.to) // 2 + 1]) end
      local _, contexts = w:check()
      for i = 1, 9 do assert.equal(1, contexts[("26242000000%04d/5"):format(i)]) end
    end)
  end

  for _, now in ipairs({ "at their next updates", "at once" }) do
    it("moves as many phones as it is told, " .. now, function()
      local w = world({ phones = 12 })
      local first = w.nodes[1]
      local before = #first.p:list()
      assert.is_true(before > 2)
      first.allows = false
      act(first, { verb = "offload", phones = "2", now = now == "at once" and "yes" or nil })
      if now ~= "at once" then
        for i = 1, 12 do w:order(i, "update") end
      end
      w:run(30 * S)
      assert.same({ 2, before - 2, 0 }, { count(first, "sgsn_left"), #first.p:list(), w.downs })
      assert.equal(0, first.p.offload.left)
    end)
  end

  it("moves a phone that attaches", function()
    local w = world({ phones = 6 })
    local first = w.nodes[1]
    for i = 1, 6 do w:order(i, "detach") end
    w:run(5 * S)
    first.allows = false
    act(first, { verb = "offload" })
    for i = 1, 6 do w:order(i, "attach") end
    w:run(5 * S) -- their ACTIVATE is in the midst of the update, whose ACCEPT says that there is no context
    for i = 1, 6 do w:order(i, "activate") end
    assert.is_true(w:run_until(ACTIVE))
    w:run(15 * S)
    assert.is_true(count(first, "sgsn_left") > 0)
    assert.same({ {}, 0 }, { first.p:list(), w.nodes[2].p.counts.rau_reject_10 or 0 })
  end)

  it("leaves a phone alone that no other SGSN takes", function()
    local w = world({ nodes = 1, phones = 1 })
    act(w.nodes[1], { verb = "offload" })
    w:order(1, "update")
    w:run(60 * S)
    assert.is_true(ACTIVE(w.handsets:list()))
    assert.same({ 3, 0 }, { count(w.nodes[1], "offload_told"), w.downs })
    assert.is_true(w.nodes[1].p.pool:is_own(tonumber(w.nodes[1].p:list()[1].tlli, 16)))
  end)

  it("ends its drains when it is stopped", function()
    local w = world({})
    local first = w.nodes[1]
    act(first, { verb = "offload" })
    local _, before = act(first, { verb = "drain" })
    local _, id = act(first, { verb = "drain" })
    local ended = {}
    function first.acted(_, intent) ended[intent.id] = intent.text end
    act(first, { verb = "offload", stop = "yes" })
    assert.truthy(ended[id]:find("^the offload has ended with %d phones? here; begin again with gbflow offload"))
    assert.equal(ended[id], ended[before])
    first.acted = nil
    act(first, { verb = "offload" })
    first.allows = false
    local _, last = act(first, { verb = "drain" })
    for i = 1, 6 do w:order(i, "update") end
    w:run(40 * S)
    assert.same({ last, "no phone is here any more; the node can be stopped" }, { w.ended, w.said })
  end)

  it("ends when it is told so, and says what it needs", function()
    local w = world({})
    local first = w.nodes[1]
    assert.equal("no offload is in progress", act(first, { verb = "offload", stop = "yes" }))
    assert.equal("no SGSN of phones.pool.others has NRI 9; name one that is there, or leave --to out",
      act(first, { verb = "offload", to = "9" }))
    assert.truthy(act(first, { verb = "drain" }):find("phones here, and no offload is in progress: begin", 1, true))
    assert.same({ nris = "1 2", offload = "-", leaving = 0, told = 0 }, first.p:pool_state())
    act(first, { verb = "offload" })
    assert.equal("all phones to the NULL-NRI", first.p:pool_state().offload)
    assert.equal("the offload is in progress; gbflow drain says when no phone is left", w.said)
    act(first, { verb = "offload", phones = "2" })
    assert.equal("the offload is in progress; gbflow show pool says how many phones are told", w.said)
    act(first, { verb = "offload", stop = "yes" })
    assert.equal("the offload has ended", w.said)
    for i = 1, 6 do w:order(i, "update") end
    w:run(30 * S)
    assert.equal(0, total(w, "sgsn_left"))
    local none = pool_world.new({ nodes = 1, phones = 1, pool = { null_nri = false } })
    assert.equal("offload needs phones.pool with null_nri and offload_area; set them and reload",
      act(none.nodes[1], { verb = "offload" }))
  end)
end)

describe("a pool at random", function()
  local ORDERS <const> = { "move", "move", "update", "detach", "attach", "power_off", "deactivate", "activate" }

  -- Moves, offloads, a proxy that changes its mind, and a tenth of the messages lost.
  local function storm(settings)
    local w = pool_world.new(settings)
    assert.is_true(w:run_until(ACTIVE))
    w.watch = w.check
    w.loses = function() return w.random(100) <= settings.loss end
    for _ = 1, settings.steps do
      local node = w.nodes[w.random(#w.nodes)]
      local what = w.random(12)
      if what == 1 then
        act(node, { verb = "offload", phones = tostring(w.random(3)), now = w.random(2) == 1 and "yes" or nil })
      elseif what == 2 then
        node.allows = not node.allows
      elseif what == 3 and settings.kills then
        w:kill(node.number)
        w:run(w.random(5) * S)
        w:start_node(node.number)
      else
        w:order(w.random(settings.phones), settings.moves and "move" or ORDERS[w.random(#ORDERS)])
      end
      w:run(w.random(4000) * S // 1000)
    end
    w.loses = nil
    for _, one in ipairs(w.nodes) do
      one.allows = true
      act(one, { verb = "offload", stop = "yes" })
    end
    -- Procedures in progress end; a phone whose node was killed learns of it; what is off or idle begins again.
    for _, row in ipairs({ { "attach", 700 }, { "update", 100 }, { "attach", 100 }, { "activate", 100 } }) do
      for i = 1, settings.phones do w:order(i, row[1]) end
      w:run(row[2] * S)
    end
    return w
  end

  local function assert_calm(w, settings)
    local registered, contexts = w:check()
    for i, phone in ipairs(w.handsets:list()) do
      assert.equal("registered", phone.state)
      -- Without an HLR a node does not learn that a phone has attached elsewhere.
      local most = settings.policy == "hlr" and 1 or #w.nodes
      local here, active = registered[phone.imsi] or 0, contexts[phone.imsi .. "/5"] or 0
      assert.is_true(here >= 1 and here <= most, phone.imsi)
      assert.is_true(active >= (phone.session == "active" and 1 or 0) and active <= most, phone.imsi)
      assert.is_true(i <= settings.phones)
    end
    for _, node in ipairs(w.nodes) do
      assert.same({ {}, {}, 0 }, { node.held, node.forwarders, node.n.sgsns.count })
      assert.same({}, node.p.arrivals)
      assert.same({}, node.p.departures)
    end
  end

  it("loses no context by moves and offloads alone", function()
    for seed = 1, 4 do
      local settings = { nodes = 3, phones = 8, seed = seed, loss = 0, steps = 250, moves = true }
      local w = storm(settings)
      assert_calm(w, settings)
      assert.equal(0, w.downs)
      assert.is_true(total(w, "sgsn_left") > 10)
      assert.equal(total(w, "sgsn_left"), total(w, "sgsn_arrived"))
    end
  end)

  for _, row in ipairs({ { "with losses", loss = 10 },
    { "with losses and kills", loss = 5, kills = true, policy = "hlr", ki = KI, vector = VECTOR },
    { "with losses and ciphering", loss = 10, policy = "hlr", ki = KI, vector = VECTOR } }) do
    it("comes to rest: " .. row[1], function()
      for seed = 1, 4 do
        local settings = { nodes = 3, phones = 8, seed = seed, steps = 200, loss = row.loss, kills = row.kills,
          policy = row.policy, ki = row.ki, vector = row.vector }
        assert_calm(storm(settings), settings)
      end
    end)
  end
end)
