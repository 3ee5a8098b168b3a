-- SPDX-License-Identifier: BSD-3-Clause
-- The Gb control plane at the level of octets: a PCU's bring-up as it goes over the wire, error reports that fit,
-- truncations, garbage, two nodes that report errors to each other, and equal output for equal input.

local gb_given = require "gb_given"
local gb_player = require "gb_player"
local gb_send = require "gb.send"
local gb_text = require "gb_text"
local wire = require "gbflow_wire"

local NS_PER_MS = 1000000

-- at ms, received on NS-VC 0, sent in answer. NSVCI 1800, NSEI 101, BVCI 1234, cell 001-01-13135-0-20960.
local BRING_UP = {
  { 0.0, "02 008101 01820708 04820065", { "0301820708 04820065", "0a" } },
  { 0.6, "06", { "07" } },
  { 0.6, "0a", { "0b" } },
  { 0.7, "0b", {} },
  { 0.7, "00000000 22 04820000 078108", { "00000000 23 04820000" } },
  { 0.8, "00000000 22 048204d2 078108 088800f110334f0051e0", { "00000000 23 048204d2" } },
  { 0.9, "00000000 24 048204d2", { "00000000 25 048204d2" } },
  { 1.0, "000004d2 26 1e8101 058203e8 03820320 018200fa 1c8200c8 06820000", { "000004d2 27 1e8101" } },
  { 1001, "000004d2 26 1e81ff 050203e8 03000203 20 018200fa 1c8200c8 06820000",
    { "00000000 41 078121 1599 26 1e81ff 050203e8 0300020320 018200fa 1c8200c8 06820000" } },
  { 1002, "000004d2 26 1e81ff 05000203e8 0300020320 018200fa 1c8200c8 06820000", { "000004d2 27 1e81ff" } },
}

local function plain(hex)
  return (hex:gsub(" ", ""))
end

local function new_gb()
  return gb_player.node("one", wire)
end

-- A cell in service, and every feature agreed on if the configuration has them.
local function bring_up(config)
  local g = gb_player.node(config or "one", wire)
  for _, text in ipairs(gb_given.CELL_UP) do
    g:on_pdu(0, gb_text.parse_received(wire, text).octets, 0)
  end
  return g
end

local function sent(intents)
  local list = {}
  for _, intent in ipairs(intents) do
    if intent.op == "send" then list[#list + 1] = gb_text.hex(intent.octets) end
  end
  return list
end

local function unitdata(bvci, bssgp)
  return wire.ns_encode({ pdu = "unitdata", bvci = bvci, sdu = bssgp })
end

-- A generator of its own: the same garbage on every machine.
local function generator(seed)
  return function(below)
    seed = (seed * 6364136223846793005 + 1442695040888963407)
    return (seed >> 33) % below
  end
end

local function random_octets(random, octets)
  local chars = {}
  for i = 1, octets do chars[i] = string.char(random(256)) end
  return table.concat(chars)
end

local VALID = {
  "020081010182070804820065", "030182070804820065", "0400810101820708", "06", "0a", "0b", "0800810301820708",
  "000000002204820000078108", "0000000022048204d2078108088800f110334f0051e0", "0000000024048204d2",
  "0000000020048204d2078108", "000004d2261e8101058203e803820320018200fa1c8200c8",
  "000004d2281f84c12345671e81091282006403820190", "000000002c1f84c12345670f8102048204d22583000410",
  "0000000041078105048204d2", "000004d22d1f84c12345671e8103528b0209003200c80a00140064",
  "0000000022048200000781083b8127698102", "000000000b1f84c12345671b8600f110334f00",
  "000000000e1f84c12345671b8600f110334f001d8100",
  "000004d20a1f84c1234567198100", "000000002b1f84c12345670c81002583000400",
  "000004d2501f84c1234567288109", "000004d2521f84c12345672881093a8b13921f7396fefe744bffff",
  "000004d2541f84c12345672881093a8b13921f7396fefe744bffff", "000004d2581f84c123456728810907810b",
}

-- A valid PDU with a few octets changed, or garbage.
local function mutant(random)
  if random(4) == 0 then return random_octets(random, random(40)) end
  local octets = gb_text.octets(VALID[random(#VALID) + 1])
  for _ = 1, random(3) do
    local at = random(#octets) + 1
    octets = octets:sub(1, at - 1) .. string.char(random(256)) .. octets:sub(at + 1)
  end
  return octets:sub(1, #octets - random(3))
end

local function is_status(octets)
  if octets:byte(1) == 8 then return true end
  return octets:byte(1) == 0 and octets:byte(5) == 0x41
end

local function line_of(intents, octets)
  local lines = {}
  for _, intent in ipairs(intents) do
    lines[#lines + 1] = gb_text.intent(wire, intent, { octets = octets })
  end
  return table.concat(lines, "\n")
end

-- Feeds mutants for a while, with restarts in between so that much of it meets a cell in service.
local function feed_garbage(seed, count)
  local random, g, protocol = generator(seed), bring_up("features"), {}
  for i = 1, count do
    if i % 50 == 0 then g = bring_up("features") end
    local octets = mutant(random)
    local in_service = g:state().nsvcs[1].state == "unblocked"
    local intents = g:on_pdu(0, octets, i * NS_PER_MS)
    if in_service and is_status(octets) then
      for _, hex in ipairs(sent(intents)) do
        assert.is_not.truthy(hex:match("^08") or hex:match("^........41"), gb_text.hex(octets))
      end
    end
    protocol[i] = line_of(intents, octets)
  end
  return table.concat(protocol, "\n")
end

describe("octets", function()
  it("a PCU's bring-up is answered to the octet", function()
    local g = new_gb()
    for _, row in ipairs(BRING_UP) do
      local want = {}
      for i, hex in ipairs(row[3]) do want[i] = plain(hex) end
      local intents = g:on_pdu(0, gb_text.octets(plain(row[2])), row[1] * NS_PER_MS // 1)
      assert.same(want, sent(intents), row[2])
    end
    assert.same({ bucket_octets = 100000, rate_bps = 80000, ms_bucket_octets = 25000, ms_rate_bps = 20000,
      measurement_cs = 0 }, g.nses[1].bvcs[1].announced)
  end)

  it("an error report holds no more of the PDU than its limit", function()
    local long = "\xaa" .. ("x"):rep(1500)
    local intents = bring_up():on_pdu(0, unitdata(1234, long), 0)
    local report = wire.bssgp_decode(wire.ns_decode(intents[#intents].octets).sdu)
    assert.equal(long:sub(1, gb_send.PDU_IN_ERROR_LIMIT_OCTETS), report.pdu_in_error)
    intents = bring_up():on_pdu(0, "\xaa" .. ("x"):rep(1500), 0)
    assert.equal(gb_send.PDU_IN_ERROR_LIMIT_OCTETS, #wire.ns_decode(intents[#intents].octets).ns_pdu)
  end)

  it("no truncation of an announcement is applied or acknowledged", function()
    for _, hex in ipairs({ "261e8105058201f403820640018200fa1c820320", "281f84c12345671e81091282006403820190" }) do
      local whole = gb_text.octets(hex)
      for octets = 1, #whole do
        local ops = line_of(bring_up():on_pdu(0, unitdata(1234, whole:sub(1, octets)), 0), "")
        assert.equal(octets == #whole, ops:find("_ack") ~= nil, octets .. " octets of " .. hex)
        assert.equal(octets == #whole, ops:find("fc") ~= nil)
      end
    end
  end)

  it("garbage raises no error, and the same garbage gives the same intents", function()
    local first = feed_garbage(1, 5000)
    assert.equal(first, feed_garbage(1, 5000))
    assert.is_not.equal(first, feed_garbage(2, 5000))
  end)

  it("two nodes do not report errors to each other for ever", function()
    local starts = { "06", "aa", "08", "080081ff", "00000000aa", "0000000041", "000004d2410781ff", "0a", "0b" }
    for _, hex in ipairs(starts) do
      local nodes, turn, queue, passed = { bring_up(), bring_up() }, 1, { gb_text.octets(hex) }, 0
      while #queue > 0 do
        local intents = nodes[turn]:on_pdu(0, table.remove(queue, 1), 0)
        for _, answer in ipairs(sent(intents)) do queue[#queue + 1] = gb_text.octets(answer) end
        turn, passed = 3 - turn, passed + 1
        assert.is_true(passed < 20, hex)
      end
    end
  end)
end)
