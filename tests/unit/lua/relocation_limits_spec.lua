-- SPDX-License-Identifier: BSD-3-Clause
-- The limits of what other SGSNs may ask (gmm.relocation): for whom each is, how soon there is more, and what is right
-- does not count.
local gtpc = require "wire.gtpc"
local pool_world = require "pool_world"

local S <const>, MS <const> = pool_world.S, 1000000
local IMSI <const> = "262420000000001"
local RAI <const> = "\x62\xf2\x24\x12\x34\5"
local NRI_SHIFT <const> = 19 -- of 5 bits

local function active(list)
  for _, phone in ipairs(list) do
    if phone.state ~= "registered" or phone.session ~= "active" then return false end
  end
  return true
end

-- Phones of node 1.
local function world(phones, settings)
  settings = settings or {}
  settings.nodes, settings.phones = settings.nodes or 2, phones
  local w = pool_world.new(settings)
  for i = 2, settings.nodes do w.nodes[i].allows = false end
  assert.is_true(w:run_until(active))
  return w, w.nodes[1], w.nodes[2]
end

local function count(node, name)
  return node.p.counts[name] or 0
end

local last = 0

local function ask(w, node, from, changes)
  last = last + 1
  local message = { type = "context_request", teid = 0, seq = last & 0xffff, rai = RAI, teid_control = 0x77,
    control = from }
  for key, value in pairs(changes) do message[key] = value or nil end
  node:take(node.n:receive({ ours = node.address, theirs = from, port = 2123, is_right_port = true },
    gtpc.encode(message), w.now))
end

describe("questions about phones of another SGSN", function()
  local function of_node(i, low) return { tlli = 0x80000000 | (2 * i - 1) << NRI_SHIFT | low } end

  -- How many go on, and are refused.
  local function counts(w)
    local node = w.nodes[1]
    return { count(node, "sgsn_relayed"), count(node, "sgsn_relay_limit") }
  end

  it("have a limit for each SGSN", function()
    local w, node = world(0, { nodes = 3 })
    function w.deliver() end
    for i = 1, 60 do ask(w, node, w.nodes[2].address, of_node(3, i)) end
    assert.same({ 50, 10 }, counts(w))
    for i = 1, 40 do ask(w, node, w.nodes[3].address, of_node(2, i)) end
    assert.same({ 90, 10 }, counts(w))
    w:run(500 * MS)
    for i = 61, 120 do ask(w, node, w.nodes[2].address, of_node(3, i)) end
    assert.same({ 90 + 25, 10 + 35 }, counts(w))
  end)

  it("have one for all SGSNs that DNS may name", function()
    local w, node = world(0, { nodes = 3, pool = { dns = { servers = { "10.0.0.53" }, port = 53,
      networks = { "10.5.0.0/16" } } } })
    function w.deliver() end
    for i = 1, 60 do ask(w, node, "10.5.0." .. i, of_node(3, i)) end
    assert.same({ 50, 10 }, counts(w))
    ask(w, node, w.nodes[2].address, of_node(3, 100))
    assert.same({ 51, 10 }, counts(w))
  end)
end)

describe("descriptions that hold nothing", function()
  local function described(w, node, other, imsis, questions)
    local before = count(node, "sgsn_described") + count(node, "sgsn_refused_by_us_199")
    for i = 1, questions do
      ask(w, node, other.address, { imsi = imsis[i % #imsis + 1], ms_validated = true, tlli = 0x80000000 | i })
    end
    w:run(MS * 10)
    assert.equal(before + questions, count(node, "sgsn_described") + count(node, "sgsn_refused_by_us_199"))
    return count(node, "sgsn_described")
  end

  it("come again at 50 a second", function()
    local w, node, other = world(1)
    assert.equal(3 + 50, described(w, node, other, { IMSI }, 60))
    w:run(490 * MS)
    assert.equal(3 + 50 + 25, described(w, node, other, { IMSI }, 60))
    assert.equal(7 + 35, count(node, "sgsn_describe_limit"))
  end)

  it("are as many for all phones together", function()
    local w, node, other = world(2)
    assert.equal(2 * 3 + 50, described(w, node, other, { IMSI, "262420000000002" }, 120))
  end)
end)

describe("what was right", function()
  it("is no signature that counts", function()
    local w, node, other = world(1)
    local phone = node.p.by_imsi[IMSI]
    for _ = 1, 20 do
      ask(w, node, other.address, { type = "identification_request", p_tmsi = phone.p_tmsi, rai = phone.rai or RAI,
        signature = phone.signature, teid_control = false, control = false })
      w:run(MS)
    end
    assert.same({ 20, 0 }, { count(node, "sgsn_identified"), count(node, "sgsn_signature_limit") })
  end)

  -- Another SGSN that has refused the phone, for example as it is not authentic there.
  it("is no description that counts, if it is acknowledged", function()
    local w, node, other = world(1)
    local deliver, answered = w.deliver, 0
    function w:deliver(intent)
      local message = gtpc.decode(intent.octets)
      if message.type ~= "context_response" then return deliver(self, intent) end
      answered = answered + 1
      assert.equal(128, message.cause)
      node:take(node.n:receive({ ours = node.address, theirs = other.address, port = 2123, is_right_port = true },
        gtpc.encode({ type = "context_acknowledge", teid = message.teid_control, seq = message.seq, cause = 208 }),
        w.now))
    end
    for i = 1, 10 do
      ask(w, node, other.address, { imsi = IMSI, ms_validated = true, tlli = 0x80000000 | i })
      w:run(S // 10)
    end
    assert.same({ 10, 10, 0 }, { answered, count(node, "sgsn_stayed"), count(node, "sgsn_hold_limit") })
  end)
end)

describe("wrong signatures", function()
  it("are looked at once more in 10 s, and no sooner; those of one phone do not count for another", function()
    local w, node, other = world(2)
    local function wrong(imsi)
      local phone = node.p.by_imsi[imsi]
      ask(w, node, other.address, { type = "identification_request", p_tmsi = phone.p_tmsi, signature = "\0\0\0",
        teid_control = false, control = false })
      return count(node, "sgsn_signature_limit")
    end
    for _ = 1, 3 do assert.equal(0, wrong(IMSI)) end
    assert.equal(0, wrong("262420000000002"))
    assert.equal(1, wrong(IMSI))
    w:run(10 * S - 1)
    assert.equal(2, wrong(IMSI))
    w:run(1)
    assert.equal(2, wrong(IMSI))
  end)
end)
