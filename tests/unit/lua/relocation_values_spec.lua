-- SPDX-License-Identifier: BSD-3-Clause
-- What two SGSNs tell each other of a phone, and what the keys of phones.pool change, in a world of two nodes
-- (pool_world.lua).
local abqp = require "gb.abqp"
local aka = require "gmm.aka"
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"

local octets_of = require("spec_tools").octets_of

local S <const>, IMSI <const> = pool_world.S, "262420000000001"
local KI <const> = octets_of("000102030405060708090a0b0c0d0e0f")
local VECTOR <const> = { rand = octets_of("07080b1017202b3847586b8097b0cbe8"), sres = octets_of("c0c08040"),
  kc = octets_of("30f0101070309010") }
local USIM <const> = { rand = VECTOR.rand, autn = octets_of("1301117b47d58000071b3d456bbfad3f"),
  res = octets_of("0709091313252d3f4f51618b9bbdc5e7"), ck = octets_of("09091313252d3f4f51618b9bbdc5e707"),
  ik = octets_of("091313252d3f4f51618b9bbdc5e70709") }

local ATTACH_ACCEPT <const> = 2

local function is_active(list)
  return list[1].state == "registered" and list[1].session == "active"
end

local function count(node, name)
  return node.p.counts[name] or 0
end

-- A phone that node `old` has; move() takes it to `new`, or back: from then on the proxy has that node for its P-TMSIs.
local function begin(settings)
  settings.nodes, settings.phones = 2, 1
  local w = pool_world.new(settings)
  assert.is_true(w:run_until(is_active))
  local from = #w.nodes[1].p:list() == 1 and 1 or 2
  local function move(to)
    for i, node in ipairs(w.nodes) do node.takes = i == to and { 1, 2, 3, 4 } or {} end
    w:order(1, "move")
  end
  return w, w.nodes[from], w.nodes[3 - from], move
end

local function arrive(w)
  w:run(3 * S)
  assert.is_true(w:run_until(is_active))
end

-- The messages between SGSNs that are sent from now on; change(message) may alter one on its way.
local function tap(w, change)
  local seen, deliver = {}, w.deliver
  function w:deliver(intent)
    local message = gtpc.decode(intent.octets)
    if message.type:find("^context_") or message.type:find("^identification_") then
      seen[#seen + 1] = message
      if change then
        change(message)
        local other = {}
        for key, value in pairs(intent) do other[key] = value end
        other.octets = gtpc.encode(message)
        intent = other
      end
    end
    return deliver(self, intent)
  end
  return seen
end

-- When the counter of a node is no longer 0; run() sees it.
local function note_first(w, node, name)
  local at = {}
  local watch = w.watch
  w.watch = function()
    if watch then watch(w) end
    if not at[1] and count(node, name) > 0 then at[1] = w.now end
  end
  return at
end

describe("a key of phones.pool:", function()
  for _, is_on in ipairs({ true, false }) do
    it("forward = " .. tostring(is_on), function()
      local w, old, new, move = begin({ pool = { forward = is_on } })
      move(new.number)
      arrive(w)
      local _, session = next(new.sessions)
      local _, way = next(old.forwards)
      assert.same({ address = is_on and new.address or nil, teid = is_on and session.teid or 0 }, way)
      w:run(60 * S)
      assert.same({ {}, 0 }, { old.p:list(), w.downs })
    end)
  end

  for _, hold in ipairs({ 1, 10, 60 }) do
    it(("hold = %d s"):format(hold), function()
      local w, old, new, move = begin({ pool = { hold = hold * S } })
      local left = note_first(w, old, "sgsn_left")
      move(new.number)
      for _ = 1, 40 do w:run(left[1] and 0 or S // 10) end
      w:run(left[1] + hold * S - 1 - w.now)
      assert.equal("forwarding", old.p:list()[1].state)
      w:run(1)
      assert.same({ {}, 0 }, { old.p:list(), w.downs })
    end)
  end

  for _, answer in ipairs({ S // 2, 2 * S, 5 * S }) do
    it(("answer = %g s, twice"):format(answer / S), function()
      local w, old, new, move = begin({ pool = { answer = answer } })
      w:kill(old.number)
      local asked, silent = note_first(w, new, "sgsn_asked"), note_first(w, new, "sgsn_silent")
      move(new.number)
      w:run(60 * S)
      assert.same({ 2 * answer, 1 }, { silent[1] - asked[1], count(new, "rau_reject_10") })
    end)
  end
end)

describe("a phone that comes from another SGSN", function()
  it("brings its vectors, five at most, its IMEISV and its DRX parameter", function()
    for _, row in ipairs({ { VECTOR, "triplets", 6, 5 }, { USIM, "quintuplets", 3, 3 } }) do
      local w, old, new, move = begin({})
      local before = old.p.by_imsi[IMSI]
      before.vectors, before.vectors_of, before.imeisv = aka.pack(row[1]):rep(row[3]), IMSI, "3512345678901239"
      before.drx = "\x0a\x01"
      local seen = tap(w)
      move(new.number)
      arrive(w)
      local phone = new.p.by_imsi[IMSI]
      assert.same({ row[4], "\x0a\x01" }, { #seen[2].mm[row[2]], seen[2].mm.drx })
      local vector = aka.unpack_first(phone.vectors)
      assert.same({ aka.pack(vector):rep(row[4]), IMSI, "3512345678901239" }, { phone.vectors, phone.vectors_of,
        phone.imeisv })
      assert.same({ row[1].rand, row[1].kc or aka.kc_of(USIM.ck, USIM.ik), row[1].sres or aka.sres_of(USIM.res) },
        { vector.rand, vector.kc, vector.sres })
      assert.is_nil(before.vectors) -- each is used once
      assert.equal(0, new.p.admission.open) -- no procedure that an unknown phone has begun is left
    end
  end)

  -- The other SGSN has compared the signature; of a phone with a key both ends of LLC begin again.
  for _, row in ipairs({ { "in clear, is authenticated", { 0 }, 1 }, { "ciphered, is authenticated", { 3 }, 1 },
    { "in clear, is believed by authenticate = new", { 0 }, 0, authenticate = "new" },
    { "in clear and without a signature, is authenticated", { 0 }, 1, function(m) m.signature = nil end } }) do
    it(row[1], function()
      local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR })
      for _, node in ipairs(w.nodes) do node.config.phones.ciphering = row[2] end
      new.config.phones.authenticate = row.authenticate or "always"
      w:order(1, "detach")
      w:run(5 * S)
      w:order(1, "attach")
      assert.is_true(w:run_until(is_active))
      local phone = old.p.by_imsi[IMSI]
      assert.equal(row[2][1], phone.algorithm)
      if row[4] then
        w.handsets.list_of[1].signature = nil
        old.p.has_signature = function() return true end
      end
      local seen = tap(w)
      move(new.number)
      arrive(w)
      assert.same({ row[2][1], row[3], 1 }, { seen[2].mm.cipher, count(new, "authenticated"),
        count(new, "sgsn_arrived") })
      assert.equal(row[2][1], new.p.by_imsi[IMSI].algorithm)
    end)
  end

  -- A wrong signature, which anyone may send, is no proof; neither is a right one of a phone without the key.
  it("with a wrong signature is asked for again when it is authenticated", function()
    local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR })
    local proofs = {}
    w.handsets.list_of[1].signature = "\0\0\0"
    tap(w, function(message)
      if message.type == "context_request" then
        proofs[#proofs + 1] = { count(new, "authenticated"), message.ms_validated or false, message.imsi or "" }
      end
    end)
    move(new.number)
    arrive(w)
    assert.same({ { 0, false, "" }, { 1, true, IMSI } }, proofs)
    assert.same({ 1, 1, 0 }, { count(old, "sgsn_refused_by_us_206"), count(old, "sgsn_left"), w.downs })
  end)

  it("and fails authentication stays with the SGSN that it was with", function()
    local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR })
    local seen = tap(w)
    w.settings.vector = { rand = VECTOR.rand, sres = "\1\2\3\4", kc = VECTOR.kc }
    move(new.number)
    w:run(2 * S)
    assert.same({ "context_acknowledge", 208 }, { seen[3].type, seen[3].cause })
    assert.same({ 1, 0, 0 }, { count(old, "sgsn_stayed"), count(old, "sgsn_left"), new.n.sgsns.count })
    assert.same({ "registered", {}, {} }, { old.p:list()[1].state, old.held, new.p:list() })
    local _, contexts = w:check()
    assert.same({ [IMSI .. "/5"] = 1 }, contexts)
  end)

  it("has N-PDUs forwarded from the address that the other SGSN names", function()
    local w, _, new, move = begin({})
    local from
    tap(w, function(message) if message.type == "context_response" then message.control = "10.0.0.77" end end)
    w.watch = function() from = select(2, next(new.forwarders)) or from end
    move(new.number)
    w:run(3 * S)
    assert.equal("10.0.0.77", from)
  end)

  it("ends a context that has no APN here, also at the one that it left", function()
    local w, old, new, move = begin({})
    tap(w, function(message)
      if message.contexts then message.contexts[1].apn = "other.mnc042.mcc262.gprs" end
    end)
    move(new.number)
    w:run(30 * S)
    assert.same({ 1, {}, {} }, { count(new, "context_not_taken"), old.p:list(), old.forwards })
    local _, contexts = w:check()
    assert.same({}, contexts)
  end)

  -- Challenges are lost, and come again each 6 s; no answer is acknowledged within 1 s.
  for _, lost in ipairs({ 1, 4 }) do
    it("is held by the SGSN that it left, also when that hears of it late: challenges lost: " .. lost, function()
      local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR, pool = { answer = S // 2 } })
      local left, challenged = note_first(w, old, "sgsn_left"), w.now
      local send = new.phone_send
      function new:phone_send(intent)
        if w.now > challenged + (6 * lost - 1) * S then return send(self, intent) end
      end
      move(new.number)
      w:run((6 * lost + 9) * S)
      assert.same({ 1, 1 }, { count(old, "sgsn_stayed"), count(old, "sgsn_left") })
      assert.is_true(left[1] ~= nil)
      assert.same({ [1] = true }, old.held)
      assert.equal("forwarding", old.p:list()[1].state)
    end)
  end
end)

describe("a phone that comes back while it is kept", function()
  -- It hears nothing of the node that it went to, which has its contexts, and repeats its request after 15 s.
  local function go_deaf(settings)
    settings = settings or {}
    settings.pool = { hold = 60 * S }
    local w, old, new, move = begin(settings)
    local send = new.phone_send
    function new:phone_send(intent)
      if count(new, "sgsn_arrived") == 0 then return send(self, intent) end
    end
    move(new.number)
    w:run(S)
    assert.same({ 1, "forwarding" }, { count(old, "sgsn_left"), old.p:list()[1].state })
    return w, old, new, move
  end

  local function assert_back(w, old, address)
    w:run(20 * S)
    local user
    for _, context in pairs(w.ggsn.by_teid) do user = context.user end
    assert.same({ address, 0, old.address, "registered" }, { w.addresses[1], w.downs, user, old.p:list()[1].state })
    local _, contexts = w:check()
    assert.same({ [IMSI .. "/5"] = 1 }, contexts)
  end

  it("is asked for by its IMSI, and has its contexts", function()
    local w, old, new, move = go_deaf()
    local address, seen = w.addresses[1], tap(w)
    move(old.number)
    assert_back(w, old, address)
    assert.same({ "context_request", IMSI, true }, { seen[1].type, seen[1].imsi, seen[1].ms_validated })
    assert.equal("forwarding", new.p:list()[1].state)
  end)

  it("is authenticated first, with an HLR and without a signature", function()
    local w, old, _, move = go_deaf({ policy = "hlr", ki = KI, vector = VECTOR })
    w.handsets.list_of[1].signature = nil
    local before, at = count(old, "authenticated"), {}
    tap(w, function(message)
      if message.type == "context_request" then at[#at + 1] = count(old, "authenticated") - before end
    end)
    move(old.number)
    w:run(20 * S)
    assert.same({ { 1 }, 0, "registered" }, { at, w.downs, old.p:list()[1].state })
  end)

  it("has its contexts when the other node has forgotten it", function()
    local w, old, new, move = go_deaf()
    local address = w.addresses[1]
    w:kill(new.number)
    w:start_node(new.number)
    move(old.number)
    assert_back(w, old, address)
    assert.equal(1, count(old, "sgsn_refused_194"))
  end)

  it("has its contexts when a reload has removed the other node", function()
    local w, old, new, move = go_deaf()
    local address, pool = w.addresses[1], setmetatable({ others = {} }, { __index = old.config.phones.pool })
    w:kill(new.number)
    old:take(old.p:configure(setmetatable({ pool = pool }, { __index = old.config.phones }), w.now))
    local asked = count(old, "sgsn_asked")
    move(old.number)
    assert_back(w, old, address)
    assert.equal(asked, count(old, "sgsn_asked"))
  end)

  it("is no other phone", function()
    local w, old, _, move = go_deaf()
    tap(w, function(message)
      if message.type == "context_response" then message.imsi = "262420000000009" end
    end)
    move(old.number)
    w:run(20 * S)
    assert.same({ IMSI, 0 }, { old.p:list()[1].imsi, w.downs })
  end)
end)

describe("a question of another SGSN", function()
  local STRANGER <const> = "10.0.9.9"

  for _, row in ipairs({
    { "of a phone that it has authenticated needs no signature", 128, { imsi = IMSI, ms_validated = true } },
    { "of such a phone needs no P-TMSI", 128, { imsi = IMSI, ms_validated = true, p_tmsi = 0xc0000001 } },
    { "by an IMSI that is not proven is one by the P-TMSI", 194, { imsi = IMSI, p_tmsi = 0xc0000001 } },
    { "without a signature is refused", 206, { imsi = IMSI } },
    { "of another phone that is authenticated is refused", 194, { imsi = "262420000000009", ms_validated = true } },
    { "to be answered to a stranger is refused", 194, { imsi = IMSI, ms_validated = true, control = STRANGER } },
    { "of a stranger is refused", 194, { imsi = IMSI, ms_validated = true }, STRANGER },
  }) do
    it(row[1], function()
      local w, old, new = begin({})
      local answer
      function w.deliver(_, intent)
        local message = gtpc.decode(intent.octets)
        answer = message.type == "context_response" and message or answer
      end
      local request = { type = "context_request", teid = 0, seq = 7, rai = w.handsets.list_of[1].rai,
        p_tmsi = old.p.by_imsi[IMSI].p_tmsi, teid_control = 0xaa01, control = new.address }
      for name, value in pairs(row[3]) do request[name] = value end
      old:take(old.n:receive({ ours = old.address, theirs = row[4] or new.address, port = 2123,
        is_right_port = true }, gtpc.encode(request), w.now))
      w:run(S // 10)
      assert.equal(row[2], answer.cause)
      assert.equal((row[4] or row[3].control) and 1 or 0, count(old, "sgsn_stranger"))
      assert.equal(row[2] == 128 and 0 or 1, count(old, "sgsn_refused_by_us_" .. row[2]))
    end)
  end
end)

describe("a phone that goes to and fro", function()
  it("has its context in the node that it is in, and at the GGSN", function()
    local w, old, new, move = begin({})
    local address = w.addresses[1]
    for i = 1, 7 do
      local to = i % 2 == 1 and new or old
      move(to.number)
      arrive(w)
      w:run(S)
      local user
      for _, context in pairs(w.ggsn.by_teid) do user = context.user end
      assert.same({ address, 0, to.address }, { w.addresses[1], w.downs, user })
      assert.equal(0, count(to, "context_not_taken"))
    end
    w:run(60 * S)
    local _, contexts = w:check()
    assert.same({ [IMSI .. "/5"] = 1 }, contexts)
    assert.same({ {}, {} }, { old.forwarders, new.forwarders })
  end)
end)

describe("a context that came from another SGSN", function()
  -- Control knows the IMSI of the phone when it is accepted, which is later.
  it("is asked for by its IMSI after an Error Indication", function()
    local w, _, new, move = begin({})
    move(new.number)
    arrive(w)
    w:run(S)
    local asked
    local deliver = w.deliver
    function w:deliver(intent)
      local message = gtpc.decode(intent.octets)
      if message.type == "update_request" then asked = message.imsi end
      deliver(self, intent)
    end
    new:take(new.n:check(next(new.sessions), w.now))
    w:run(S)
    assert.same({ IMSI, 0 }, { asked, w.downs })
  end)

  it("has the TI of two octets that the phone has chosen", function()
    local w, old, new, move = begin({})
    for _, context in pairs(old.p.by_imsi[IMSI].contexts) do context.ti = 100 end
    move(new.number)
    arrive(w)
    w:run(S)
    assert.equal(1, count(new, "sgsn_arrived"))
    for _, context in pairs(new.p.by_imsi[IMSI].contexts) do assert.equal(100, context.ti) end
  end)
end)

-- A phone goes to `new`, and its HLR takes its time, so that it is not accepted there yet.
local function go_slowly(settings)
  settings.policy, settings.ki, settings.vector = "hlr", KI, VECTOR
  local w, old, new, move = begin(settings)
  local ask = new.p.hlr.ask
  function new.p.hlr:ask(run, phone, kind)
    if kind == "auth_info" then return ask(self, run, phone, kind) end
    w:later(S // 2, function()
      local later = new.p:open_run(w.now)
      later:post(phone.fsm, "hlr_located", {})
      new:take(new.p:close_run(later))
    end)
  end
  return w, old, new, move
end

describe("a context that comes from another SGSN", function()
  -- What that one tells is altered; the contexts, and what is linked to what at the GGSN.
  local function take(change, apn)
    local w, old, new, move = begin({})
    local apns = new.p.contexts.apns
    for name, value in pairs(apn or {}) do apns.internet[name] = value end
    apns["*"] = apns.internet
    local ti = old.p.by_imsi[IMSI].contexts[5].ti
    local take_list, add, links = new.p.contexts.take, new.phone_pdp_add, {}
    function new.p.contexts:take(phone, run, list, forwarder)
      change(list)
      return take_list(self, phone, run, list, forwarder)
    end
    function new:phone_pdp_add(intent)
      links[intent.nsapi] = intent.linked or 0
      add(self, intent)
    end
    move(new.number)
    w:run(S)
    assert.equal(0, count(new, "context_not_taken"))
    local contexts = new.p.by_imsi[IMSI].contexts
    assert.equal(ti, contexts[5].ti)
    return contexts, links
  end

  it("may have an APN that only the entry of all others is for", function()
    local context = take(function(list) list[1].apn = "Other.MNC042.mcc262.gprs" end)[5]
    assert.equal("other", context.apn_name)
  end)

  it("keeps its SAPI, which is the APN's if it is none of packets", function()
    for told, sapi in pairs({ [3] = 3, [5] = 5, [11] = 11, [4] = 3 }) do
      assert.equal(sapi, take(function(list) list[1].sapi = told end)[5].sapi)
    end
  end)

  it("keeps its class, at most the APN's best; the APN's if that is not told", function()
    for class, octets in pairs({ thp2 = abqp.of_class("thp1"), thp3 = abqp.of_class("thp3"), background = "\0\0\0" }) do
      assert.equal(class, take(function(list) list[1].qos_negotiated = octets end, { best = "thp2" })[5].class)
    end
  end)

  it("has a packet flow of its own, if its APN has them", function()
    assert.equal(8, take(function() end, { pfc = true })[5].pfi)
    assert.is_nil(take(function() end)[5].pfi)
  end)

  it("keeps its addresses of both IP versions", function()
    local context = take(function(list) list[1].pdp_type, list[1].ipv6 = "ipv4v6", "2001:db8::5" end)[5]
    assert.same({ "ipv4v6", "2001:db8::5", 10 << 24 | 11 << 16 | 1 }, { context.pdp_type, context.ipv6, context.ipv4 })
  end)

  it("shares no address with one of another GGSN, whatever its TEID", function()
    for ggsn, linked in pairs({ [pool_world.GGSN] = 5, ["10.0.9.2"] = 0 }) do
      local _, links = take(function(list)
        list[2] = {}
        for name, value in pairs(list[1]) do list[2][name] = value end
        list[2].nsapi, list[2].ti, list[2].control = 6, list[1].ti + 1, ggsn
      end)
      assert.same({ [5] = 0, [6] = linked }, links)
    end
  end)

  it("is gone when its GGSN does not have it, before the phone is told", function()
    local w, old, new, move = go_slowly({})
    w.ggsn.by_teid = {}
    move(new.number)
    w:run(S)
    assert.same({ 1, 0, {}, 1 }, { count(new, "sgsn_arrived"), count(new, "sent_deactivate_request"),
      new.p.by_imsi[IMSI].contexts, w.downs })
    assert.equal("forwarding", old.p:list()[1].state)
  end)
end)

-- A question of `from` to `to`, by hand.
local function ask(w, to, from, fields)
  local phone = to.p.by_imsi[IMSI]
  local request = { type = "context_request", teid = 0, seq = 7, rai = w.handsets.list_of[1].rai,
    p_tmsi = phone and phone.p_tmsi, signature = phone and phone.signature, teid_control = 0xaa01,
    control = from.address }
  for name, value in pairs(fields or {}) do request[name] = value or nil end
  local answers = tap(w)
  to:take(to.n:receive({ ours = to.address, theirs = from.address, port = 2123, is_right_port = true },
    gtpc.encode(request), w.now))
  w:run(S // 10)
  return answers[1]
end

describe("a phone that another SGSN has asked about", function()
  it("stays when it asks again here before that one has taken it", function()
    local w, old, new = begin({})
    assert.equal(128, ask(w, old, new).cause)
    assert.same({ [1] = true }, old.held)
    w:order(1, "update")
    w:run(S)
    assert.same({ 1, {}, "registered" }, { count(old, "sgsn_stayed"), old.held, old.p:list()[1].state })
  end)

  it("is no phone of this one before it has attached", function()
    local w, old, new = begin({})
    w:order(1, "detach")
    w:run(5 * S)
    local send = old.phone_send
    function old:phone_send(intent)
      if intent.octets:byte(2) ~= ATTACH_ACCEPT then return send(self, intent) end
    end
    w:order(1, "attach")
    w:run(S)
    assert.equal("accepting", old.p:list()[1].state)
    assert.equal(195, ask(w, old, new, { imsi = IMSI, ms_validated = true, p_tmsi = 0xc0000001 }).cause)
  end)

  it("is left to its GGSN when the HLR alone says that it has gone", function()
    local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR })
    local address, deliver = w.addresses[1], w.deliver
    function w:deliver(intent)
      if gtpc.decode(intent.octets).type ~= "context_acknowledge" then return deliver(self, intent) end
    end
    move(new.number)
    w:run(30 * S)
    local _, contexts = w:check()
    assert.same({ {}, 0, { [IMSI .. "/5"] = 1 } }, { old.p:list(), count(old, "sgsn_left"), contexts })
    assert.same({ address, 0 }, { w.addresses[1], w.downs })
  end)

  it("has its contexts here again when that one can take it no more", function()
    local w, old, new = begin({})
    assert.equal(128, ask(w, old, new).cause)
    w:run(80 * S)
    old:cancel(IMSI)
    w:run(S)
    local _, contexts = w:check()
    assert.same({}, contexts) -- they have ended at their GGSN, too
  end)

  it("has N-PDUs forwarded to the address of its tunnel, if that has one of its own", function()
    local w, old, new, move = begin({})
    tap(w, function(message)
      if message.type == "context_acknowledge" then
        message.user, message.tunnels[1].user = nil, "10.0.0.88"
        message.tunnels[2] = { nsapi = 6, teid = 7, user = "10.0.0.89" }
      end
    end)
    move(new.number)
    arrive(w)
    local _, way = next(old.forwards)
    assert.equal("10.0.0.88", way.address)
  end)

  it("is not purged at the HLR, though an operator detaches it meanwhile", function()
    local w, old, new, move = begin({ policy = "hlr", ki = KI, vector = VECTOR })
    local purged = 0
    function old.p.hlr.purge() purged = purged + 1 end
    move(new.number)
    arrive(w)
    assert.equal("forwarding", old.p:list()[1].state)
    old:take(old.p:act({ verb = "detach", imsi = IMSI }, 1, w.now))
    w:run(20 * S)
    assert.same({ {}, 0 }, { old.p:list(), purged })
  end)

  it("is acknowledged again, though it has gone meanwhile", function()
    local w, old, new, move = begin({})
    local lost, deliver = 0, w.deliver
    function w:deliver(intent)
      local is_lost = gtpc.decode(intent.octets).type == "context_acknowledge" and lost == 0
      lost = lost + (is_lost and 1 or 0)
      if not is_lost then return deliver(self, intent) end
    end
    move(new.number)
    w:run(S)
    w:order(1, "detach")
    w:run(5 * S)
    assert.same({ 1, 1, 0, {} }, { lost, count(old, "sgsn_left"), count(old, "sgsn_stayed"), new.p:list() })
  end)

  it("is given up when it has moved on before it is accepted", function()
    local w, old, new, move = go_slowly({})
    move(new.number)
    w:run(S // 2)
    assert.equal(1, count(new, "sgsn_arrived"))
    local answer = ask(w, new, old, { imsi = IMSI, ms_validated = true, p_tmsi = 0xc0000001 })
    assert.same({ 194, {}, {} }, { answer.cause, new.p:list(), new.p.arrivals })
    local _, contexts = w:check()
    assert.same({ [IMSI .. "/5"] = 1 }, contexts)
  end)
end)
