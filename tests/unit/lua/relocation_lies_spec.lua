-- SPDX-License-Identifier: BSD-3-Clause
-- Other SGSNs that lie, and hosts that are none: what they name, and how often they ask.
local gn = require "gn_sessions_rig"
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"
local records = require "base.records"
local rig = require "doors_rig"
local wire = require "wire.phone"
local lies = require "relocation_lies_rig"

local S <const>, RAI <const>, STRANGER <const>, ACTIVE <const> = lies.S, lies.RAI, lies.STRANGER, lies.ACTIVE
local world, give, question, count = lies.world, lies.give, lies.question, lies.count
local sent_to, move = lies.sent_to, lies.move
local IMSI <const>, VICTIM <const> = "262420000000001", "10.8.8.8"
local NO_RESOURCES <const>, EXCHANGES_MAX <const> = 199, 4096

describe("a host that is no SGSN's", function()
  it("is answered itself, wherever it says that it is", function()
    local w, node, other = world()
    give(w, node, STRANGER, question(1, { control = VICTIM }))
    give(w, node, STRANGER, question(2, { control = other.address }))
    w:run(S)
    assert.same({ 0, 0, 2 }, { #sent_to(w, VICTIM), #sent_to(w, other.address), #sent_to(w, STRANGER) })
    assert.same({ 194, 0x77 }, { sent_to(w, STRANGER)[1].cause, sent_to(w, STRANGER)[1].teid })
  end)

  it("has no phone to give, though it knows the TEID of a question", function()
    local w, _, to = world()
    local deliver = w.deliver
    function w:deliver(intent)
      if gtpc.decode(intent.octets).type == "context_response" then intent.ours = STRANGER end
      deliver(self, intent)
    end
    move(w)
    assert.same({ 1, nil, nil }, { to.p.counts.sgsn_stranger, to.p.counts.sgsn_arrived, to.p.counts.sgsn_told })
  end)

  it("is not answered beyond its budget", function()
    local w, node = world()
    function node.n.may_answer(theirs) return theirs ~= STRANGER end
    give(w, node, STRANGER, question(1))
    w:run(S)
    assert.same({ {}, 1 }, { sent_to(w, STRANGER), node.n.counts.rate_limited })
  end)

  it("has no answer of an SGSN's repeated", function()
    local w, node, other = world()
    local phone = node.p:list()[1]
    local asked = question(7, { control = other.address, tlli = tonumber(phone.tlli, 16) & ~0x40000000,
      signature = node.p.by_imsi["262420000000001"].signature })
    give(w, node, other.address, asked)
    w:run(S // 10)
    assert.equal(1, #sent_to(w, other.address))
    for _ = 1, 10 do give(w, node, STRANGER, asked) end
    w:run(S // 10)
    assert.same({ 1, 0 }, { #sent_to(w, other.address), node.n.counts.repeated_requests })
    assert.equal(10, node.p.counts.sgsn_stranger)
  end)
end)

describe("questions", function()
  it("about phones that are not there leave nothing behind", function()
    local w, node, other = world()
    for i = 1, 2 * EXCHANGES_MAX do
      give(w, node, other.address, question(i, { control = other.address }))
      assert.equal(0, node.n.sgsns.count)
    end
    w:run(S)
    local answers = sent_to(w, other.address)
    assert.same({ 2 * EXCHANGES_MAX, 194 }, { #answers, answers[#answers].cause })
    assert.same({ {}, {}, {} }, { node.n.sgsns.by_key, node.n.sgsns.answers, node.n.sgsns.by_teid })
    move(w)
    assert.equal(1, other.p.counts.sgsn_arrived)
    assert.equal(0, w.downs)
  end)

  it("have the same answer when they come again", function()
    local w, node, other = world()
    local phone = node.p.by_imsi["262420000000001"]
    local asked = question(7, { type = "identification_request", p_tmsi = phone.p_tmsi, signature = phone.signature })
    asked.tlli, asked.teid_control, asked.control = nil, nil, nil
    for _ = 1, 2 do give(w, node, other.address, asked) end
    w:run(S // 10)
    local answers = sent_to(w, other.address)
    assert.same({ 2, 128, "262420000000001", 7 }, { #answers, answers[1].cause, answers[1].imsi, answers[1].seq })
    assert.same(answers[1], answers[2])
    assert.equal(1, node.n.counts.repeated_requests)
  end)

  it("whose answer cannot be made are refused", function()
    local w, node, other = world()
    local phone = node.p.by_imsi["262420000000001"]
    phone.imeisv = "12"
    give(w, node, other.address, question(7, { control = other.address, tlli = phone.tlli & ~0x40000000,
      signature = phone.signature }))
    w:run(S // 10)
    assert.equal(204, sent_to(w, other.address)[1].cause)
  end)

  it("of a phone end with its next one, and leave nothing of the SGSN that was asked", function()
    local w, node, other = world()
    other.is_up = false
    local n = node.n
    for seq = 1, 2 do
      node:take(n:sgsn(records.pack({ kind = "ask", mobile = 9, theirs = other.address, message = {
        type = "context_request", tlli = 0x80000000 | seq, rai = RAI } }), {}, w.now))
      assert.same({ 1, 1 }, { n.sgsns.count, n.peers[other.address].users })
    end
    w:run(60 * S)
    assert.same({ 0, {}, {}, nil }, { n.sgsns.count, n.sgsns.questions, n.sgsns.by_teid, n.peers[other.address] })
  end)

  it("are not asked when there are too many", function()
    local w, _, to = world()
    to.n.sgsns.count = EXCHANGES_MAX
    move(w)
    assert.same({ 1, 0, EXCHANGES_MAX }, { to.p.counts.sgsn_silent, to.p.counts.sgsn_arrived or 0, to.n.sgsns.count })
    for _, message in ipairs(w.sent) do assert.not_equal("context_request", message.type) end
  end)

  it("that are for another SGSN go on 50 at once, and 50 a second", function()
    local w = pool_world.new({ nodes = 3, phones = 1 })
    local relayed, refused, seq = 0, 0, 0
    function w.deliver(_, intent)
      relayed = relayed + (intent.theirs == w.nodes[3].address and 1 or 0)
      refused = refused + (intent.theirs == w.nodes[2].address and gtpc.decode(intent.octets).cause == 199 and 1 or 0)
    end
    local function ask()
      for _ = 1, 60 do
        seq = seq + 1
        give(w, w.nodes[1], w.nodes[2].address, question(seq, { control = w.nodes[2].address,
          tlli = 0x80000000 | 5 << 19 | seq }))
      end
      w:run(S)
    end
    ask()
    assert.same({ 50, 10 }, { relayed, refused })
    ask()
    assert.same({ 100, 20, 20 }, { relayed, refused, w.nodes[1].p.counts.sgsn_relay_limit })
  end)

  it("that are for another SGSN go on for three hops at most", function()
    for hops, left in pairs({ [255] = 2, [3] = 2, [1] = 0 }) do
      local w = pool_world.new({ nodes = 3, phones = 1 })
      local relayed = {}
      function w.deliver(_, intent)
        if intent.theirs == w.nodes[3].address then relayed[#relayed + 1] = gtpc.decode(intent.octets).hop_counter end
      end
      give(w, w.nodes[1], w.nodes[2].address, question(1, { control = w.nodes[2].address, hop_counter = hops,
        tlli = 0x80000000 | 5 << 19 }))
      w:run(S)
      assert.same({ left }, relayed)
    end
  end)

  -- The number is that of the SGSN that has asked first, and another one relays both.
  it("of two SGSNs are two, though they come by one and have one number", function()
    local w = pool_world.new({ nodes = 3, phones = 1 })
    w.nodes[2].allows, w.nodes[3].allows = false, false
    assert.is_true(w:run_until(ACTIVE))
    local node, answered = w.nodes[1], {}
    local phone = node.p.by_imsi["262420000000001"]
    function w.deliver(_, intent) answered[intent.theirs] = gtpc.decode(intent.octets).cause end
    for i = 2, 3 do
      give(w, node, w.nodes[2].address, question(7, { control = w.nodes[i].address, tlli = phone.tlli & ~0x40000000,
        signature = phone.signature }))
      w:run(S // 10)
    end
    assert.same({ [w.nodes[2].address] = 128, [w.nodes[3].address] = 128 }, answered)
    assert.equal(0, node.n.counts.repeated_requests)
  end)

  it("are refused up to a limit when there are too many, counted beyond it, and forgotten", function()
    local w, node, other = world()
    local budget, phone_sgsn = 100, node.phone_sgsn
    function node.n.may_answer()
      budget = budget - 1
      return budget >= 0
    end
    function node.phone_sgsn() end -- the phones take long
    for i = 1, EXCHANGES_MAX + 500 do
      give(w, node, other.address, question(i, { control = other.address }))
    end
    node.phone_sgsn = phone_sgsn
    assert.equal(EXCHANGES_MAX, node.n.sgsns.count)
    w:run(S)
    local refused = 0
    for _, message in ipairs(sent_to(w, other.address)) do
      refused = refused + (message.cause == NO_RESOURCES and 1 or 0)
    end
    assert.same({ 100, 500, 400 }, { refused, node.n.counts.refused_requests, node.n.counts.rate_limited })
    w:run(20 * S)
    local n = node.n.sgsns
    assert.same({ 0, {}, {}, {} }, { n.count, n.by_key, n.answers, n.by_teid })
    assert.same({}, node.p.departures)
  end)
end)

describe("an SGSN that lies", function()
  local NO_HOSTS <const> = { "127.0.0.1", "224.0.0.1", "0.0.0.0", "255.255.255.255", "own" }

  for _, field in ipairs({ "control", "user" }) do
    for _, address in ipairs(NO_HOSTS) do
      it("gives no context with " .. field .. " of GGSN " .. address, function()
        local w, _, to = world()
        local named = address == "own" and to.address or address
        function w.lies(message)
          for _, context in ipairs(message.contexts or {}) do context[field] = named end
          return message.contexts ~= nil
        end
        move(w)
        assert.equal(1, to.p.counts.sgsn_arrived)
        assert.equal(1, to.p.counts.context_not_taken)
        for _, message in ipairs(sent_to(w, named)) do assert.not_equal("update_request", message.type) end
      end)
    end
  end

  for _, address in ipairs(NO_HOSTS) do
    it("gets no N-PDUs at " .. address, function()
      local w, node, to = world()
      local named = address == "own" and node.address or address
      function w.lies(message)
        if message.type == "context_acknowledge" then message.user = named end
        return message.type == "context_acknowledge"
      end
      move(w)
      assert.same({ 1, 1 }, { node.p.counts.sgsn_left, to.p.counts.sgsn_arrived })
      local _, forward = next(node.forwards)
      assert.same({ teid = 0 }, forward)
    end)
  end

  for _, teid in ipairs({ 0, 0xffffffff }) do
    it(("gets no N-PDUs for TEID %#x, which is no tunnel's"):format(teid), function()
      local w, node, to = world()
      function w.lies(message)
        if message.type == "context_acknowledge" then message.tunnels[1].teid = teid end
        return message.type == "context_acknowledge"
      end
      move(w)
      assert.same({ 1, 1 }, { node.p.counts.sgsn_left, to.p.counts.sgsn_arrived })
      local _, forward = next(node.forwards)
      assert.same({ teid = 0 }, forward)
    end)
  end

  it("and takes a question for an answer, or the other way round, is not heard", function()
    local w, node, to = world()
    local phone = node.p.by_imsi["262420000000001"]
    give(w, node, to.address, question(7, { control = to.address, tlli = phone.tlli & ~0x40000000,
      signature = phone.signature }))
    w:run(S // 10)
    give(w, node, to.address, { type = "context_response", teid = sent_to(w, to.address)[1].teid_control, seq = 7,
      cause = 194 })
    node:take(node.n:sgsn(records.pack({ kind = "ask", mobile = 9, theirs = to.address, message = {
      type = "context_request", tlli = 0x80000000, rai = RAI } }), {}, w.now))
    give(w, node, to.address, { type = "context_acknowledge", teid = node.n.sgsns.questions[9].teid_control, seq = 7,
      cause = 128 })
    assert.same({ 2, "asking", "leaving" }, { node.n.counts.unexpected, node.n.sgsns.questions[9].fsm.state,
      node.p:list()[1].state })
  end)

  it("and whose response is malformed is told so, and not asked again", function()
    local w, node, to = world()
    local deliver, logged = w.deliver, {}
    function w:deliver(intent)
      if gtpc.decode(intent.octets).type == "context_response" then intent.octets = gn.cut(intent.octets) end
      deliver(self, intent)
    end
    local take = to.take
    function to:take(intents)
      for _, intent in ipairs(intents) do
        if intent.op == "log" and intent.level == "warning" then logged[#logged + 1] = intent.text end
      end
      return take(self, intents)
    end
    move(w)
    local told = {}
    for _, message in ipairs(sent_to(w, node.address)) do
      told[#told + 1] = message.type .. " " .. (message.cause or "")
    end
    assert.same({ "context_request ", "context_acknowledge 193" }, told)
    assert.same({ 1, 0, 1 }, { to.n:count().malformed, count(to, "sgsn_silent"), count(to, "sgsn_refused_193") })
    assert.equal(1, #logged)
    assert.matches("^SGSN 10%.[%d.]+, TLLI %x+: malformed context_response: ", logged[1])
  end)

  it("has its answer at the address that the pool knows of two", function()
    local w, node, to = world(3)
    local phone = node.p.by_imsi[IMSI]
    for seq, row in ipairs({ { "2001:db8::9", to.address, to.address }, { to.address, "2001:db8::9", to.address },
      { to.address, w.nodes[3].address, to.address }, { VICTIM, "2001:db8::9", STRANGER } }) do
      local before = #w.sent
      give(w, node, row[3] == STRANGER and STRANGER or to.address, question(seq, { control = row[1],
        control_other = row[2], tlli = phone.tlli & ~0x40000000, signature = phone.signature }))
      w:run(S // 10)
      local answer = w.sent[before + 1]
      assert.same({ row[3], row[3] == STRANGER and 194 or 128 }, { answer.theirs, answer.cause })
    end
  end)

  it("is acknowledged at the address of an SGSN that it names", function()
    local w = world(3)
    local named = w.nodes[3].address
    function w.lies(message)
      if message.type == "context_response" then message.control = named end
      return message.type == "context_response"
    end
    move(w)
    assert.equal("context_acknowledge", sent_to(w, named)[1].type)
  end)

  it("is acknowledged at an address that is an SGSN's", function()
    local w, node = world()
    function w.lies(message)
      if message.type == "context_response" then message.control = VICTIM end
      return message.type == "context_response"
    end
    move(w)
    assert.same({}, sent_to(w, VICTIM))
    assert.equal(1, node.p.counts.sgsn_left)
  end)
end)

describe("questions that prove nothing, of the address of an SGSN", function()
  -- ask(changes): the cause of the answer to a question about the phone; whether its N-PDUs are held then.
  local function asking()
    local w, old, new = world()
    local cause, phone, seq = nil, old.p.by_imsi[IMSI], 0
    local right = phone.signature
    function w.deliver(_, intent)
      local message = gtpc.decode(intent.octets)
      if message.type == "context_response" then cause = message.cause end
    end
    return w, old, function(signature, changes)
      seq = seq + 1
      local request = { type = "context_request", teid = 0, seq = seq, rai = w.handsets.list_of[1].rai,
        p_tmsi = phone.p_tmsi, teid_control = 0xaa01, control = new.address, signature = signature or right }
      for key, value in pairs(changes or {}) do request[key] = value end
      old:take(old.n:receive({ ours = old.address, theirs = new.address, port = 2123, is_right_port = true },
        gtpc.encode(request), w.now))
      w:run(S // 10)
      return cause, phone.is_held or false
    end
  end

  it("leave the signature of the phone as it is, after a wrong one", function()
    local _, _, ask = asking()
    assert.same({ 206, 128 }, { (ask("\0\0\0")), (ask()) })
  end)

  it("have three wrong signatures looked at, and one more in 10 s", function()
    local w, old, ask = asking()
    for _ = 1, 3 do assert.equal(206, (ask("\0\0\0"))) end
    assert.equal(206, (ask()))
    assert.equal(1, count(old, "sgsn_signature_limit"))
    w:run(10 * S)
    assert.equal(128, (ask()))
  end)

  it("hold its N-PDUs three times, and once more in 30 s", function()
    for _, changes in ipairs({ {}, { imsi = IMSI, ms_validated = true } }) do
      local w, old, ask = asking()
      for _ = 1, 3 do
        assert.same({ 128, true }, { ask(nil, changes) })
        w:run(5 * S)
        assert.is_nil(old.p.by_imsi[IMSI].is_held)
      end
      assert.same({ 128, false }, { ask(nil, changes) })
      assert.same({ 1, 3 }, { count(old, "sgsn_hold_limit"), count(old, "sgsn_stayed") })
      w:run(30 * S)
      assert.same({ 128, true }, { ask(nil, changes) })
    end
  end)

  it("and come in the midst of the true one leave that its answer, and its phone", function()
    for _, is_first in ipairs({ false, true }) do
      local w, old, new = world(3)
      local deliver, is_done = w.deliver, false
      function w:deliver(intent)
        local is_true = gtpc.decode(intent.octets).type == "context_request" and not is_done
        local function forge()
          give(w, old, w.nodes[3].address, question(1, { control = w.nodes[3].address, imsi = IMSI,
            ms_validated = true }))
        end
        is_done = is_done or is_true
        if is_true and is_first then forge() end
        deliver(self, intent)
        if is_true and not is_first then forge() end
      end
      move(w)
      assert.same({ 1, 1, 2, 0 }, { count(new, "sgsn_arrived"), count(old, "sgsn_left"), count(old, "sgsn_described"),
        w.downs })
      assert.equal(new.address, old.p.by_imsi[IMSI].departure)
    end
  end)

  it("are answered 50 times at once beyond that, so that they do not take all exchanges", function()
    local w, old, new = world()
    for seq = 1, 60 do
      give(w, old, new.address, question(seq, { control = new.address, imsi = IMSI, ms_validated = true }))
    end
    w:run(S // 10)
    assert.same({ 53, 7, 57 }, { count(old, "sgsn_described"), count(old, "sgsn_refused_by_us_199"),
      count(old, "sgsn_hold_limit") })
  end)

  it("do not lock the phone out of the SGSN that it goes to", function()
    local w, old, new = world()
    for seq = 1, 5 do
      give(w, old, new.address, question(seq, { control = new.address, imsi = IMSI, ms_validated = true }))
      w:run(S // 2)
    end
    move(w)
    assert.same({ 1, 1, 0 }, { count(new, "sgsn_arrived"), count(old, "sgsn_left"), w.downs })
    assert.is_nil(w:call(1))
  end)
end)

local function claim_of(kind, cksn)
  local request = { message = "rau_request", update_type = 0, cksn = cksn or 0, old_rai = RAI,
    ra_capability = "\x18\xb3\x43\x2b\x25" }
  if kind == "attach" then
    request = { message = "attach_request", ms_network_capability = "\xe5\xe0", attach_type = 1, cksn = cksn or 7,
      drx = "\0\0", identity = wire.identity_octets("imsi", IMSI), old_rai = RAI,
      ra_capability = "\x18\xb3\x43\x2b\x25" }
  end
  return wire.gmm_encode(request)
end

local function say(w, node, phone, octets)
  node:take(node.p:frame(phone.mobile, { tlli = phone.tlli, nsei = 101, bvci = 2 }, false, octets, w.now))
end

describe("a claim to be a phone that goes to another SGSN", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  -- when(door, claim): the claim is made at the SGSN that it leaves.
  local function goes(kind, when)
    local old, downs
    local door = rig.doors.from_sgsn({ before = function(door)
      old, downs = door.other, door.w.downs
      local phone = old.p.by_imsi[IMSI]
      function old.phone_send() end
      when(door, function()
        say(door.w, old, phone, claim_of(kind))
        assert.is_table(phone.pending)
      end)
    end })
    assert.same({ 1, 1, 1 }, { door:count("sgsn_arrived"), count(old, "sgsn_left"), count(old, "claim_refused") })
    assert.same({ 1, 0 }, { door:at_ggsn(), door.w.downs - downs, door.w:call(1) })
  end

  for _, kind in ipairs({ "rau", "attach" }) do
    it("does not keep it: " .. kind, function()
      goes(kind, function(door, claim)
        claim()
        door.w:run(S)
      end)
    end)

    it("does not keep it when it is described: " .. kind, function()
      goes(kind, function(door, claim)
        local w = door.w
        local deliver = w.deliver
        function w:deliver(intent)
          if gtpc.decode(intent.octets).type == "context_acknowledge" then claim() end
          deliver(self, intent)
        end
      end)
    end)
  end
end)

-- Frames under its TLLI in clear, at the SGSN that it was with before; the answers do not come to the phone.
describe("a claim to be a phone that another SGSN has", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  local function claim(door, kind, cksn)
    door.say(claim_of(kind, cksn))
  end

  -- It has left for `hold`; the old SGSN is door.node.
  local function left(hold, then_do)
    local seen
    rig.left({ hold = hold, before = function(door)
      local node, phone = door.node, door.node.p.by_imsi[IMSI]
      local send = node.phone_send
      function node.phone_send() end
      function door.say(octets)
        say(door.w, node, phone, octets)
        door.w:run(S)
      end
      function door.state() return node.p.by_imsi[IMSI] and node.p.by_imsi[IMSI].fsm.state end
      node.p.config.records = {}
      then_do(door)
      node.phone_send = send
      seen = { door:at_ggsn(), door.w.downs, door.w:call(1) }
    end })
    assert.same({ 1, 0 }, seen)
  end

  for _, kind in ipairs({ "rau", "attach" }) do
    it("leaves it what it was: " .. kind, function()
      left(60 * S, function(door)
        claim(door, kind)
        assert.equal("challenging", door.state())
        door.w:run(40 * S)
        assert.same({ "forwarding", 1 }, { door.state(), count(door.node, "claim_refused") })
      end)
    end)

    it("does not keep it beyond its hold: " .. kind, function()
      left(10 * S, function(door)
        for i = 1, 12 do
          claim(door, kind, i % 7)
          door.w:run(4 * S)
        end
        assert.is_nil(door.state())
      end)
    end)

    it("does not end it by DETACH REQUEST: " .. kind, function()
      left(60 * S, function(door)
        claim(door, kind)
        door.say("\x08\x05\x09")
        assert.same({ "challenging", 1 }, { door.state(), count(door.node, "detach_of_left") })
      end)
    end)

    it("is forgotten when control restarts: " .. kind, function()
      left(60 * S, function(door)
        claim(door, kind)
        rig.restart(door)
        assert.equal("forwarding", door.state())
      end)
    end)
  end

  for name, tell in pairs({
    ["the HLR that cancels"] = function(door) door.w.hlr:tell(door.node, "cancel_request", "\6\1\0") end,
    ["the HLR that withdraws"] = function(door) door.w.hlr:tell(door.node, "cancel_request", "\6\1\1") end,
    ["the HLR that deletes"] = function(door) door.w.hlr:tell(door.node, "delete_data_request", "\x28\1\1") end,
    ["an operator who detaches"] = function(door)
      door.node:take(door.node.p:act({ verb = "detach", imsi = IMSI }, 1, door.w.now))
    end,
    ["an operator who forgets"] = function(door)
      door.node:take(door.node.p:act({ verb = "forget", imsi = IMSI }, 1, door.w.now))
    end }) do
    it("is nothing that ends it: " .. name, function()
      left(60 * S, function(door)
        claim(door, "rau")
        tell(door)
        door.w:run(S)
        assert.equal("challenging", door.state())
      end)
    end)
  end

  it("that is proven by an attach has the phone served there", function()
    left(60 * S, function(door)
      local phone = door.node.p.by_imsi[IMSI]
      claim(door, "attach")
      door.say(wire.gmm_encode({ message = "auth_response", reference = phone.reference, sres = rig.VECTOR.sres }))
      assert.same({ "accepting", false, false }, { phone.fsm.state, phone.has_left or false, phone.is_held or false })
    end)
  end)
end)
