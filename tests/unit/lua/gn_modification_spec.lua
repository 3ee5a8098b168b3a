-- SPDX-License-Identifier: BSD-3-Clause
-- Update PDP Context Requests of GGSNs (29.060 §7.3.3, 23.060 §9.2.3.2): what the phone is asked, and what its GGSN is
-- answered.
local abqp = require "gb.abqp"
local gn_sessions = require "gn.sessions"
local records = require "base.records"
local t = require "gn_sessions_rig"

local S <const>, WAY <const> = t.S, { ours = t.OURS, theirs = t.GGSN, port = 4000 }
local TFT <const>, PCO <const> = "\x21\x01\5\3\x50\0\x50", "\x80\0\x0d\4\xc0\0\2\x35"
local BACKGROUND <const> = abqp.of_class("background")
local ACCEPTED <const> = { cause = 128, class = "background", qos = BACKGROUND }

-- A rig with contexts of one phone; r.receive(changes): the intents of an Update Request; r.ask: its words, too. given:
-- to the first of them, besides what t.rig gives.
local function opened_with(given, ...)
  local r = t.rig()
  for i, more in ipairs({ ... }) do
    local answer = { teid_data = 0x200 + i, teid_control = not more.linked and 0x202 or nil }
    more.is_once, more.nsapi = true, more.nsapi or 4 + i
    for key, value in pairs(i == 1 and given or {}) do answer[key] = value end
    r.add(6 + i, more)
    r.accept(answer)
  end
  function r.receive(changes, way)
    local message = { type = "update_request", seq = 78, teid = 1, nsapi = 5, arp = 1 }
    for key, value in pairs(changes) do message[key] = value end
    return r.node:receive(way or WAY, t.wire.encode(message), 0)
  end
  function r.ask(changes, way)
    local intents = r.receive(changes, way)
    return r.words(intents), intents
  end
  function r.cause() return r.last().cause end
  return r
end

local function opened(...) return opened_with({}, {}, ...) end

local function find(intents, op)
  for _, intent in ipairs(intents) do
    if intent.op == op then return intent end
  end
end

-- What a call gives; the records among its intents go into a store.
local function kept(store, call, ...)
  records.is_on = true
  local intents = call(...)
  records.is_on = false
  for _, intent in ipairs(intents) do
    if intent.op == "keep" then store[intent.key] = intent.octets end
  end
  return intents
end

-- Another node with the records of the one before, and its intents.
local function restarted(store)
  local new = gn_sessions.new({ gn = { path = { t3 = 5 * S, n3 = 3, on_loss = "keep" }, gtpc = { retry = 7 * S },
    ggsns = {} } }, t.wire, 0, function() return 1 end, function() return true end)
  for key, text in pairs(store) do new:adopt(key, text, S) end
  return new, new:adopted(S)
end

describe("a modification that a GGSN asks for", function()
  it("is told to the phone with all that the request has, and answered when the phone has", function()
    local r = opened()
    local words, intents = r.ask({ qos = BACKGROUND, pco = PCO })
    assert.same({ "modify 7 background" }, words)
    assert.same({ BACKGROUND, PCO }, { intents[1].qos, intents[1].pco })
    local granted = abqp.of_class("background"):gsub("\x56\x56", "\x20\x30")
    assert.same({ "update_response 78", "class 7 background" },
      r.modified({ cause = 128, class = "background", qos = granted, pco = "\x80" }))
    local sent = r.last()
    assert.same({ 128, 0x202, 0x100000, 1, granted, "\x80", 4000 },
      { sent.cause, sent.teid, sent.teid_data, sent.arp, sent.qos, sent.pco, sent.way.port })
    assert.same({}, r.modified(ACCEPTED)) -- there is nothing to answer
  end)

  it("that the phone does not take, or cannot be told, is answered with that, and changes nothing", function()
    for _, cause in ipairs({ 192, 195, 196, 197 }) do
      local r = opened()
      r.ask({ qos = BACKGROUND })
      assert.same({ "update_response 78" }, r.modified({ cause = cause, class = "thp3" }))
      assert.same({ cause, 0x202, nil }, { r.last().cause, r.last().teid, r.last().teid_data })
      assert.same({ "thp3", 1 }, { r.node.by_id[7].class, r.node.counts.refused_requests })
    end
  end)

  -- { name, contexts besides, changes of the request, cause }
  local REFUSED <const> = {
    { "with a traffic flow template", {}, { tft = TFT }, 200 },
    { "with an address of another version", {}, { pdp_type = "ipv6", user_ipv6 = "2001:db8::9" }, 203 },
    { "with a multicast address", {}, { pdp_type = "ipv4", user_ipv4 = "224.0.0.1" }, 203 },
    { "with a loopback address", {}, { pdp_type = "ipv4", user_ipv4 = "127.0.0.1" }, 203 },
    { "with an address of the node", {}, { pdp_type = "ipv4", user_ipv4 = t.OURS }, 203 },
    { "with options that are longer than a phone's", {}, { pco = ("p"):rep(252) }, 203 },
    { "of another PDP type", {}, { pdp_type = "non_ip" }, 203 },
    { "with an address that other contexts share", { { linked = 7, tft = TFT } },
      { pdp_type = "ipv4", user_ipv4 = "10.45.0.8" }, 200 },
    { "for an NSAPI that the TEID has not", {}, { nsapi = 9 }, 192 },
    { "for an NSAPI of another address", { { apn = "other" } }, { nsapi = 6 }, 192 },
  }
  for _, row in ipairs(REFUSED) do
    it("is refused " .. row[1], function()
      local r = opened(table.unpack(row[2]))
      assert.same({ "update_response 78" }, (r.ask(row[3])))
      assert.same({ row[4], 0x202, 1 }, { r.cause(), r.last().teid, r.node.counts.refused_requests })
      assert.same({ "update_response 78" }, (r.ask(row[3]))) -- again
      assert.same({ row[4], 1 }, { r.cause(), r.node.counts.repeated_requests })
    end)
  end

  it("is refused for a context that no phone has asked for", function()
    local r = t.rig()
    r.add(7)
    r.accept()
    r.request({ type = "update_request", seq = 78, teid = 1, nsapi = 5, arp = 1, qos = BACKGROUND })
    assert.equal(200, r.last().cause)
  end)

  it("is refused before the context is there, and when it is not any more", function()
    local r = t.rig()
    local update = { type = "update_request", seq = 78, teid = 1, nsapi = 5, arp = 1, qos = BACKGROUND }
    r.add(7, { is_once = true })
    r.request(update)
    assert.equal(199, r.last().cause)
    r.sent[#r.sent] = nil
    r.accept()
    r.words(r.node:del(7, 0))
    update.seq = 79
    r.request(update)
    assert.equal(192, r.last().cause)
  end)

  it("names a secondary context by its NSAPI and the TEID of the first one, and so does a Delete", function()
    local r = opened({ linked = 7, tft = TFT })
    assert.same({ "modify 8 background" }, (r.ask({ qos = BACKGROUND, nsapi = 6 })))
    assert.same({ "update_response 78", "class 8 background" }, r.modified(ACCEPTED, 8))
    assert.equal(0x100000, r.last().teid_data)
    local words = r.request({ type = "delete_request", seq = 5, teid = 1, nsapi = 6, teardown = false })
    assert.same({ "delete_response 5", "down 8", "ended 8 -2" }, { words[1], words[#words - 1], words[#words] })
    assert.same({ 128, "active" }, { r.cause(), r.state(7) })
  end)

  it("of the node at that time ends first, whatever becomes of it", function()
    for _, cause in ipairs({ 128, 228 }) do
      local r = opened()
      r.words(r.node:change(7, "thp1", nil, nil, 0))
      assert.same({}, (r.ask({ pco = PCO })))
      assert.same({}, (r.ask({ pco = PCO })))
      r.sent[#r.sent + 1] = r.sent[2]
      local words = r.answer({ cause = cause, teid = 1, arp = 2, qos = abqp.of_class("thp1") })
      local class = "class 7 " .. (cause == 128 and "thp1" or "thp3")
      assert.same({ class, "modify 7" }, { words[#words - 1], words[#words] })
      assert.equal("update_response 78", r.modified({ cause = 128, class = "thp3", qos = t.QOS })[1])
    end
  end)

  it("takes the place of one that waits, which is refused", function()
    local r = opened()
    r.ask({ qos = BACKGROUND })
    assert.same({ "update_response 78", "modify 7" }, (r.ask({ pco = PCO, seq = 79 })))
    assert.same({ 199, 78 }, { r.cause(), r.last().seq })
    assert.same({ "update_response 79", "class 7 thp3" }, r.modified({ cause = 128, class = "thp3", qos = t.QOS }))
  end)

  it("gives the context another address, which its worker gets when the phone has it", function()
    local r = opened()
    local _, intents = r.ask({ pdp_type = "ipv4", user_ipv4 = "10.45.0.8" })
    assert.equal("10.45.0.8", find(intents, "modify").ipv4)
    local ends = find(r.node:modified(7, ACCEPTED, 0), "ends")
    assert.same({ "10.45.0.8", t.OTHER, 0x201 }, { ends.ipv4, ends.ggsn, ends.ggsn_teid })
    _, intents = r.ask({ pdp_type = "ipv4", user_ipv4 = "10.45.0.8", seq = 79 }) -- it has that
    assert.is_nil(find(intents, "modify").ipv4)
    _, intents = r.ask({ pdp_type = "ipv4", user_ipv4 = "0.0.0.0", seq = 80 }) -- which is none
    assert.is_nil(find(intents, "modify").ipv4)
  end)

  it("tells a phone the longest options", function()
    local _, intents = opened().ask({ pco = ("p"):rep(251) })
    assert.equal(251, #find(intents, "modify").pco)
  end)

  it("of its address lets no secondary context begin until the phone has answered", function()
    local secondary = { is_once = true, nsapi = 6, linked = 7, tft = TFT }
    local r = opened()
    r.ask({ pdp_type = "ipv4", user_ipv4 = "10.45.0.8" })
    assert.same({ "ended 8 199" }, r.add(8, secondary))
    r.modified(ACCEPTED)
    assert.equal("create_request 2", r.add(8, secondary)[1])
    r = opened()
    r.ask({ pco = PCO })
    assert.equal("create_request 2", r.add(8, secondary)[1])
    r.sent[#r.sent + 1] = nil
    r.words(r.node:receive(WAY, t.wire.encode({ type = "update_request", seq = 80, teid = 1, nsapi = 5, arp = 1,
      pdp_type = "ipv4", user_ipv4 = "10.45.0.8" }), 0))
    assert.equal(200, r.cause())
  end)

  it("is answered when the context ends or leaves, and not when the GGSN has ended it", function()
    local ends = { del = { "update_response 78", "delete_request 2" }, moved = { "update_response 78" } }
    for name, words in pairs(ends) do
      local r = opened()
      r.ask({ pco = PCO })
      assert.same(words, r.words(r.node[name](r.node, 7, 0)))
      assert.equal(204, r.sent[name == "del" and #r.sent - 1 or #r.sent].cause)
    end
    local r = opened()
    r.ask({ pco = PCO })
    local words = r.request({ type = "delete_request", seq = 5, teid = 1, nsapi = 5 })
    assert.equal("delete_response 5", words[1])
    assert.same({}, r.modified(ACCEPTED))
  end)

  it("waits over a restart of control: the phone is asked again, and the GGSN answered at its port", function()
    local r, store = opened(), {}
    kept(store, r.receive, { pco = PCO })
    local new, intents = restarted(store)
    local asked = find(intents, "modify")
    assert.same({ 7, PCO }, { asked.id, asked.pco })
    local sent = find(new:modified(7, ACCEPTED, S), "gn_send")
    assert.same({ 4000, 78, 128 }, { sent.port, t.wire.decode(sent.octets).seq, t.wire.decode(sent.octets).cause })
  end)

  it("is over at a restart of control if it was answered before: what the phone has said holds", function()
    for cause, class in pairs({ [128] = "background", [196] = "thp3" }) do
      local r, store, is_taken = opened(), {}, cause == 128
      kept(store, r.receive, { qos = BACKGROUND, common_flags = { uncompressed = true } })
      kept(store, r.node.modified, r.node, 7, { cause = cause, class = "background", qos = BACKGROUND }, 0)
      local new, intents = restarted(store)
      assert.is_nil(find(intents, "modify"))
      local session = new.by_id[7]
      assert.same({ class, is_taken and class or "thp1", is_taken or nil },
        { session.class, session.wanted.class, session.is_uncompressed })
    end
  end)

  it("holds against a change of the node's that fails afterwards", function()
    local r = opened()
    r.ask({ qos = BACKGROUND })
    assert.is_nil(find(r.node:modified(7, ACCEPTED, 0), "class").qos) -- not that of the request: SM has what holds
    r.words(r.node:change(7, "thp2", nil, nil, 0))
    local words = r.answer({ cause = 199 })
    assert.equal("class 7 background", words[#words])
  end)

  it("is not what the node asks for meanwhile: an answer without QoS grants that", function()
    local r = opened()
    r.ask({ qos = BACKGROUND })
    r.words(r.node:change(7, "thp2", nil, nil, 0))
    local update = r.last()
    assert.equal("class 7 background", r.modified(ACCEPTED)[2])
    r.sent[#r.sent + 1] = update
    assert.same({ "class 7 thp2" }, r.answer({ cause = 128 }))
  end)

  it("is answered with the priority of its QoS, else with that of the phone, else with the second one", function()
    local with, without = { qos = BACKGROUND, arp = 1 }, { pco = PCO }
    for _, row in ipairs({ { with, 3, 1 }, { without, 3, 3 }, { without, nil, 2 } }) do
      local r = opened_with({}, { arp = row[2] })
      r.ask(row[1])
      r.modified(ACCEPTED)
      assert.equal(row[3], r.last().arp)
    end
  end)

  it("is another one from another address of its GGSN", function()
    local r = opened_with({ control = t.OTHER }, {})
    r.ask({ pco = PCO })
    assert.same({ "update_response 78", "modify 7" },
      (r.ask({ pco = PCO }, { ours = t.OURS, theirs = t.OTHER, port = 4000 })))
    assert.same({ t.GGSN, 199, 0 }, { r.last().way.theirs, r.cause(), r.node.counts.repeated_requests })
  end)

  it("gives a context of IPv6 another address", function()
    local r = opened_with({ pdp_type = "ipv6", user_ipv4 = false, user_ipv6 = "2001:db8::7" }, { pdp_type = "ipv6" })
    local function told(address, seq)
      return find(select(2, r.ask({ pdp_type = "ipv6", user_ipv6 = address, seq = seq })), "modify").ipv6
    end
    assert.is_nil(told("2001:db8::7", 78)) -- it has that
    r.modified(ACCEPTED)
    assert.is_nil(told("::", 79))
    r.modified(ACCEPTED)
    assert.equal("2001:db8::9", told("2001:db8::9", 80))
    local ends = find(r.node:modified(7, ACCEPTED, 0), "ends")
    assert.same({ "2001:db8::9", nil, t.OTHER }, { ends.ipv6, ends.ipv4, ends.ggsn })
    assert.is_nil(told("2001:db8::9", 81))
  end)

  it("may name one of the versions of a context of both, and no other type", function()
    local r = opened_with({ pdp_type = "ipv4v6", user_ipv6 = "2001:db8::7" }, { pdp_type = "ipv4v6" })
    assert.same({ "modify 7 10.45.0.8" }, (r.ask({ pdp_type = "ipv4", user_ipv4 = "10.45.0.8" })))
    r.modified(ACCEPTED)
    assert.same({ "update_response 79" }, (r.ask({ pdp_type = "non_ip", seq = 79 })))
    assert.equal(203, r.cause())
  end)
end)

describe("Prohibit Payload Compression (29.060 §7.7.48)", function()
  local PROHIBITS <const>, ALLOWS <const> = { uncompressed = true }, { uncompressed = false }

  it("of a Create Response holds from the start", function()
    for _, row in ipairs({ { PROHIBITS, true }, { ALLOWS }, {} }) do
      local r = t.rig()
      r.add(7, { is_once = true })
      local found
      local receive = r.node.receive
      function r.node.receive(...)
        local intents = receive(...)
        found = find(intents, "up") or found
        return intents
      end
      r.accept({ common_flags = row[1] })
      assert.equal(row[2], found.uncompressed)
    end
  end)

  it("of an Update Response, as of a phone that has come from another SGSN, holds from then on", function()
    local r = opened()
    local function update(flags)
      r.words(r.node:change(7, "thp3", nil, nil, 0))
      local message = { type = "update_response", seq = r.last().seq, teid = 1, cause = 128, common_flags = flags }
      return find(r.node:receive(t.WAY, t.wire.encode(message), 0), "class").uncompressed
    end
    assert.same({ true, true, nil, nil }, { update(PROHIBITS), update(nil), update(ALLOWS), update(nil) })
  end)

  it("is that of one context at its GGSN, not of the next", function()
    local r, found = t.rig(), {}
    local receive = r.node.receive
    function r.node.receive(...)
      local intents = receive(...)
      local up = find(intents, "up")
      if up then found[#found + 1] = up.uncompressed or false end
      return intents
    end
    r.add(7)
    r.accept({ common_flags = PROHIBITS })
    r.words(r.node:lost(7, "test", 0))
    r.wait(7)
    r.accept({ teid_data = 0x301, teid_control = 0x302 }, 8)
    assert.same({ true, false }, found)
  end)

  it("of an Update Request holds when the phone has answered", function()
    local r = opened()
    r.ask({ common_flags = PROHIBITS })
    assert.is_true(find(r.node:modified(7, ACCEPTED, 0), "class").uncompressed)
    assert.is_true(r.node.by_id[7].is_uncompressed)
    r.ask({ common_flags = ALLOWS, seq = 79 })
    r.modified({ cause = 196, class = "background" })
    assert.is_true(r.node.by_id[7].is_uncompressed)
    r.ask({ pco = PCO, seq = 80 }) -- without Common Flags
    assert.is_true(find(r.node:modified(7, ACCEPTED, 0), "class").uncompressed)
    r.ask({ common_flags = ALLOWS, seq = 81 })
    assert.is_nil(find(r.node:modified(7, ACCEPTED, 0), "class").uncompressed)
  end)
end)
