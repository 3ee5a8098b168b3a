-- SPDX-License-Identifier: BSD-3-Clause
-- Messages between SGSNs element by element: what is read of octets that other SGSNs may send, and what is not sent.
local gtp_mobility = require "wire.gtp_mobility"
local rows = require "gn_mobility_rows"
local spec_tools = require "spec_tools"
local wire = require "wire.gtpc"

local of_hex, hex_of = spec_tools.octets_of, spec_tools.hex_of
local TYPES = { identification_request = 48, identification_response = 49, context_request = 50, context_response = 51,
  context_acknowledge = 52, ran_information_relay = 70 }

-- Elements in hexadecimal, with words for some.
local PARTS = { RAI = "0300f110000102", PTMSI = "05c0010203", TEID = "1100000009", IMSI = "0200010100000000f1",
  A1 = "850004c0000201", A2 = "850004c0000202", A3 = "850004c0000203", T5 = "120500000005", T6 = "120600000006",
  T7 = "120700000007", TFIFTEEN = "120f0000000f" }

local function octets_of(kind, text)
  local elements = of_hex((text:gsub("%u[%u%d]*", PARTS)))
  return (">BBI2I4I2I2"):pack(0x32, TYPES[kind] or kind, 4 + #elements, 0, 7, 0) .. elements
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, one in pairs(value) do out[key] = copy(one) end
  return out
end

local function message_of(number)
  for _, row in ipairs(rows) do
    if row[1] == number then return copy(row[2]) end
  end
end

-- Fields that are there, without those of each message.
local function names_of(message)
  local names = {}
  for name in pairs(message) do
    if name ~= "type" and name ~= "teid" and name ~= "seq" then names[#names + 1] = name end
  end
  table.sort(names)
  return table.concat(names, " ")
end

-- A message, its elements, and the fields that are read; a cause that answers it; or a word.
local READ = {
  { 48, "RAI PTMSI", "p_tmsi rai" }, { 48, "PTMSI RAI", "p_tmsi rai" }, -- in any order
  { 48, "RAI", 202 }, { 48, "PTMSI", 202 }, { 48, "", 202 },
  { 48, "RAI PTMSI a3000104 A1 ff00020101", "control hop_counter p_tmsi rai" },
  { 48, "RAI PTMSI a30000", 201 }, { 48, "RAI PTMSI 850003010101", 201 }, { 48, "RAI PTMSI 850004010101", 193 },
  { 48, "RAI PTMSI 0c0102", 193 }, { 48, "RAI PTMSI ff", 193 }, { 48, "RAI PTMSI 8d02", 193 },
  { 48, "RAI PTMSI 80000101 A1", "control p_tmsi rai" },
  { 48, "RAI PTMSI 8d0101 A1", "control p_tmsi rai" }, -- the list of extensions has a length of one octet
  { 48, "0300fa10000102 PTMSI", 201 }, { 48, "03000f10000102 PTMSI", 201 }, { 48, "0300f1a0000102 PTMSI", 201 },
  { 48, "RAI PTMSI 640c010203", "p_tmsi rai" }, -- an unknown type without length hides the rest
  { 48, "RAI PTMSI TEID IMSI", "p_tmsi rai" }, -- known ones of other messages
  { 49, "01c2", "cause" }, { 49, "0180", 202 }, { 49, "0180 IMSI", "cause imsi" },
  { 49, "0180 020a010100000000f1", 201 }, { 49, "0180 02ffffffffffffffff", 201 },
  { 49, "0180 IMSI d9000101", "cause imsi" }, { 49, "0180 IMSI 88000101", 201 },
  { 50, "RAI PTMSI TEID A1", "control p_tmsi rai teid_control" }, { 50, "RAI TEID A1", 202 }, -- of which mobile?
  { 50, "RAI PTMSI TEID", 202 }, { 50, "RAI PTMSI A1", 202 }, { 50, "PTMSI TEID A1", 202 },
  { 50, "RAI PTMSI 0dff TEID A1", 202 }, -- validated, without IMSI
  { 50, "RAI PTMSI 0dfe TEID A1", "control ms_validated p_tmsi rai teid_control" },
  { 50, "RAI PTMSI TEID A1 A2 A3", "control control_other p_tmsi rai teid_control" },
  { 50, "RAI PTMSI TEID A1 9300029121", "control p_tmsi rai sgsn_number teid_control" },
  { 50, "RAI PTMSI TEID A1 93000291aa", "control p_tmsi rai teid_control" }, -- no digits
  { 50, "RAI PTMSI TEID A1 930000", "control p_tmsi rai teid_control" },
  { 51, "01c2", "cause" }, { 51, "01c2 IMSI", "cause imsi" }, { 51, "", 202 }, { 51, "0180 IMSI TEID", 202 },
  { 51, "01c0", "cause" }, { 51, "01bf", 202 }, { 51, "017f", "cause" }, -- 128 to 191 accept
  { 51, "0180 IMSI TEID 81000109", 201 }, { 51, "0180 IMSI TEID 82000109", 201 },
  { 52, "01d0", "cause" }, { 52, "0180", "cause" }, { 52, "0180 T5", 202 },
  { 52, "0180 T5 T6 A1", "cause tunnels user" }, { 52, "0180 T5 T6 A1 A2", "cause tunnels" },
  { 52, "0180 T5 T6 T7 A1 A2", 201 }, { 52, "T5 T6 T7 A1 A2", 201 }, { 52, "T5 T6 A1 A2", 202 },
  { 70, "90000109", "container" }, { 70, "900000", 201 }, { 70, "9e000109", 202 }, { 70, "90000109 b20000", 201 },
  { 53, "RAI", "unsupported" },
}

describe("elements between SGSNs", function()
  for _, row in ipairs(READ) do
    it(("of %d are read: %s"):format(row[1], row[2]), function()
      local message, word, head = wire.decode(octets_of(row[1], row[2]))
      if message then
        assert.equal(row[3], names_of(message))
        assert.equal(7, message.seq)
      elseif head then
        assert.equal(row[3], head.fault)
        assert.equal(row[3] == 193 and "truncated" or "malformed", word)
      else
        assert.equal(row[3], word)
      end
    end)
  end

  it("of types below 128 have lengths of their own (table 37)", function()
    local octets = { [1] = 1, [2] = 8, [3] = 6, [4] = 4, [5] = 4, [8] = 1, [9] = 28, [11] = 1, [12] = 3, [13] = 1,
      [14] = 1, [15] = 1, [16] = 4, [17] = 4, [18] = 5, [19] = 1, [20] = 1, [21] = 1, [22] = 9, [23] = 1, [24] = 1,
      [25] = 2, [26] = 2, [27] = 2, [28] = 2, [29] = 1, [127] = 4 }
    for kind = 0, 127 do
      local element = ("%02x"):format(kind) .. ("01"):rep(octets[kind] or 0)
      local message = wire.decode(octets_of(48, "RAI PTMSI " .. element .. "A1"))
      assert.equal(octets[kind] and "192.0.2.1", message.control or nil, kind)
      local _, word = wire.decode(octets_of(48, "RAI PTMSI A1 " .. element:sub(1, -3)))
      assert.equal(octets[kind] and "truncated", word, kind)
    end
  end)

  it("have IMSIs of 6 to 15 digits (TS 23.003 §2.2)", function()
    for digits = 0, 16 do
      local nibbles = ("1"):rep(digits) .. ("f"):rep(16 - digits)
      local message, _, head = wire.decode(octets_of(51, "01c202" .. nibbles:gsub("(.)(.)", "%2%1")))
      assert.same(digits >= 6 and digits <= 15 and ("1"):rep(digits) or 201, message and message.imsi or head.fault)
    end
  end)

  it("count if they are the first", function()
    local message = wire.decode(octets_of(48, "RAI 0300f110000909 PTMSI 0501010101"))
    assert.same({ "\0\xf1\x10\0\1\2", 0xc0010203 }, { message.rai, message.p_tmsi })
    message = wire.decode(octets_of(52, "0180 01d0 T5 TFIFTEEN A1 A2 A3"))
    assert.same({ 128, { { nsapi = 5, teid = 5, user = "192.0.2.1" }, { nsapi = 15, teid = 15, user = "192.0.2.2" } } },
      { message.cause, message.tunnels })
    message = wire.decode(octets_of(52, "0180 12f500000005 A1 A2")) -- spare bits are set
    assert.same({ { { nsapi = 5, teid = 5 } }, "192.0.2.1" }, { message.tunnels, message.user })
    assert.equal("192.0.2.1", wire.decode(octets_of(52, "0180 A1 A2")).user)
  end)

  it("are at most five vectors, of the kind of the first", function()
    local triplet = "09" .. ("11"):rep(28)
    local quintuplet = "880046" .. ("22"):rep(16) .. "04" .. ("22"):rep(36) .. "10" .. ("22"):rep(16)
    for _, kinds in ipairs { { triplet, quintuplet, "triplets" }, { quintuplet, triplet, "quintuplets" } } do
      local one, other = kinds[1], kinds[2]
      local message = wire.decode(octets_of(49, "0180 IMSI " .. one:rep(2) .. other .. one:rep(4)))
      assert.equal("cause imsi " .. kinds[3], names_of(message))
      assert.equal(5, #message[kinds[3]])
    end
    assert.equal(201, select(3, wire.decode(octets_of(49, "0180 IMSI " .. quintuplet .. "8800020101"))).fault)
    local full = wire.decode(octets_of(49, "0180 IMSI " .. quintuplet:rep(5) .. "8800020101"))
    assert.equal(5, #full.quintuplets) -- the sixth is not looked at
  end)

  it("are at most eleven tunnels, all of whose addresses are addresses", function()
    local message = wire.decode(octets_of(52, "0180" .. PARTS.T5:rep(13) .. PARTS.A1:rep(13)))
    assert.same({ 11, "192.0.2.1" }, { #message.tunnels, message.tunnels[11].user })
    local _, _, head = wire.decode(octets_of(52, "0180" .. PARTS.T5:rep(13) .. PARTS.A1:rep(13) .. "85000101"))
    assert.equal(201, head.fault)
  end)
end)

-- A context response with all there may be.
local function response_of(contexts)
  local message = message_of(109)
  message.charging, message.prioritized, message.radio_priority_lcs = 0x800, true, 4
  message.radio_priorities, message.pfis = {}, {}
  for i = 1, contexts do
    message.contexts[i] = copy(message.contexts[1])
    message.contexts[i].nsapi = 4 + i
    message.radio_priorities[i] = { nsapi = 4 + i, priority = i % 5 }
    message.pfis[i] = { nsapi = 4 + i, pfi = 8 + i }
  end
  return message
end

-- A header, and what is read of a message that refuses: its number, or a word.
local HEADERS = {
  { "", "truncated" }, { "32310000000000", "truncated" }, { "3031000200000000 01c2", 0 }, -- without options
  { "3231000600000000 0102 0000 01c2", 0x102 }, { "3131000600000000 0102 0000 01c2", 0 },
  { "3231000600000000 0102 09ff 01c2", 0x102 }, -- options that the flags do not name
  { "3231000600000000 0102 0000 01", "truncated" }, { "3231000200000000 0102", "malformed" },
  { "3231000400000000 0102 0000", "malformed" }, { "1231000600000000 0102 0000 01c2", "unsupported" },
  { "5231000600000000 0102 0000 01c2", "unsupported" }, { "2231000600000000 0102 0000 01c2", "unsupported" },
  { "3631000600000000 0102 0000 01c2", 0x102 }, { "3431000a00000000 0102 0001 01ffff00 01c2", 0 },
  { "3631000a00000000 0102 0001 01ffff00 01c2", 0x102 }, { "3631000a00000000 0102 00c0 01ffff00 01c2", 0x102 },
  { "3631001200000000 0102 00c0 02ffffffffffff01 01ffff00 01c2", 0x102 }, -- two, the first of eight octets
  { "3631000a00000000 0102 0080 01ffff00 01c2", "unsupported" },
  { "3631000a00000000 0102 0081 01ffff00 01c2", "unsupported" },
  { "3631000e00000000 0102 0001 01ffff80 01ffff00 01c2", "unsupported" },
  { "3631000a00000000 0102 0001 00ffff00 01c2", "malformed" }, { "3631000600000000 0102 0001 01c2", "malformed" },
  { "3631000400000000 0102 0001", "malformed" }, { "3631000800000000 0102 0001 01ffff00", "malformed" },
  { "3631000a00000000 0102 0001 02ffff00 01c2", "malformed" },
}

describe("a header between SGSNs", function()
  for _, row in ipairs(HEADERS) do
    it("is read: " .. row[1], function()
      local message, word = wire.decode(of_hex(row[1]))
      assert.equal(row[2], message and message.seq or word)
    end)
  end

  it("of another message is not supported", function()
    for _, kind in ipairs { 0, 47, 53, 69, 71, 255 } do
      assert.same({ "unsupported" }, { select(2, gtp_mobility.decode(octets_of(kind, "RAI"))) })
    end
  end)
end)

describe("a context response", function()
  it("that refuses has its elements in order", function()
    local message = { type = "context_response", teid = 0x1020304, seq = 0x506, cause = 194, radio_priority_sms = 2,
      radio_priorities = { { nsapi = 5, priority = 3 } }, pfis = { { nsapi = 6, pfi = 9 } }, charging = 0x708,
      control = "192.0.2.1", prioritized = true, radio_priority_lcs = 4 }
    local octets = of_hex "3233001e 01020304 05060000 01c2 17fa 1853 190609 1a0708 850004c0000201 910000 960001fc"
    assert.equal(hex_of(octets), hex_of(wire.encode(message)))
    assert.same(message, wire.decode(wire.encode(message)))
  end)

  it("has eleven contexts, and its elements in order", function()
    local message = response_of(11)
    local octets = wire.encode(message)
    assert.same(message, wire.decode(octets))
    assert.equal("850004c000020a910000960001fc", hex_of(octets:sub(-14)))
    for length = 0, #octets - 1 do assert.is_nil((wire.decode(octets:sub(1, length)))) end
  end)

  it("has one context of each NSAPI", function()
    local octets = wire.encode(response_of(11)):gsub("(\x82\0.)([\x45-\x4f])", "%1\x45")
    local message = wire.decode(octets)
    assert.same({ 1, 5 }, { #message.contexts, message.contexts[1].nsapi })
  end)

  it("has the longest values", function()
    local message, long = response_of(11), ("x"):rep(254)
    for _, context in ipairs(message.contexts) do
      context.qos_subscribed, context.qos_requested, context.qos_negotiated = long, long, long
      context.pdp_type, context.apn = "ipv4v6", (("a"):rep(49) .. "."):rep(2):sub(1, 99) .. "a"
      context.ipv6, context.control, context.user = "2001:db8::9", "2001:db8::1", "2001:db8::2"
    end
    local key = ("k"):rep(16)
    message.mm = { mode = 2, cksn = 7, cipher = 0, ck = key, ik = key, drx = "\0\0", capability = ("c"):rep(255),
      access = ("a"):rep(255), imeisv = "3512345678901231", quintuplets = {} }
    for i = 1, 5 do message.mm.quintuplets[i] = { rand = key, xres = key, ck = key, ik = key, autn = key } end
    local octets = wire.encode(message)
    assert.is_true(#octets > 10000 and #octets < 12288)
    assert.same(message, wire.decode(octets))
  end)
end)

-- --- MM context ---

-- Of that mode, with so many vectors.
local function mm_of(mode, count)
  local mm = { mode = mode, cksn = 3, cipher = mode == 2 and 0 or 3, drx = "ZZ", capability = "ZZZ" }
  local name = mode == 1 and "triplets" or "quintuplets"
  mm[name] = {}
  if mode % 2 == 1 then mm.kc = ("Z"):rep(8) else mm.ck, mm.ik = ("Z"):rep(16), ("z"):rep(16) end
  for i = 1, count do
    mm[name][i] = mode == 1 and { rand = ("r"):rep(16), sres = "sres", kc = ("k"):rep(8) }
      or { rand = ("r"):rep(16), xres = ("x"):rep(1 + 3 * i), ck = ("c"):rep(16), ik = ("i"):rep(16),
        autn = ("a"):rep(16) }
  end
  return mm
end

local function with_mm(mm)
  local message = message_of(111)
  message.mm = mm
  return message
end

local HEAD <const> = "0180 IMSI TEID 81"

-- The octets of the value; and what is read of some: an MM context, or a cause.
local function mm_octets(mm)
  return (">s2"):unpack(wire.encode(with_mm(mm)), 12 + 2 + 9 + 5 + 2)
end

local function read_mm(octets)
  local message, _, head = wire.decode(octets_of(51, HEAD .. hex_of((">s2"):pack(octets))))
  return message and message.mm or head.fault
end

describe("an MM context", function()
  for mode = 0, 3 do
    it("of mode " .. mode .. " has up to five vectors", function()
      for count = 0, 5 do
        local mm = mm_of(mode, count)
        local octets = mm_octets(mm)
        assert.same(mm, read_mm(octets))
        for length = 0, #octets - 1 do -- lengths that are 0 may be missing at the end
          local lacks_end = length == #octets - 1 or length == #octets - 3
          assert.same(lacks_end and mm or 201, read_mm(octets:sub(1, length)))
        end
      end
    end)
  end

  it("has an identity and access restriction data at its end, or neither", function()
    for _, end_of in ipairs { { "3512345678901231" }, { "351234567890123", "a" }, { nil, "aaa" } } do
      local mm = mm_of(1, 1)
      mm.imeisv, mm.access = end_of[1], end_of[2]
      assert.same(mm, read_mm(mm_octets(mm)))
    end
  end)

  -- A container and what is behind it: an identity, none, or a cause.
  local CONTAINERS = {
    { "0000", "" }, { "0003170109", "" }, { "0003230901", "" }, { "00052303020000", "" }, { "000323", 201 },
    { "00", 201 },
    { "000e170109 2309 3315325476981032f1", "3512345678901231" }, { "0000010909", "" }, { "00000209", 201 },
    { "000a2308 3a15325476981032", "351234567890123" }, { "000b2309 3a1532547698103201", "" },
    { "000a2308 3215325476981032", "" }, { "000b2309 3315325476981032e1", "" }, -- even or odd against its type
    { "00022300", "" }, { "000c230a 3315325476981032f1f1", "" },
  }
  for _, row in ipairs(CONTAINERS) do
    it("takes an identity of the container " .. row[1], function()
      local mm = read_mm(mm_octets(mm_of(1, 0)):sub(1, -4) .. of_hex(row[1]))
      assert.same(row[2], type(mm) == "table" and (mm.imeisv or "") or mm)
    end)
  end

  -- Mode, vectors, and an octet of what is written that becomes another.
  local WRONG = { { 1, 1, 1, 0x73 }, { 1, 5, 1, 0x7b }, { 1, 0, 1, 0x53 }, -- more vectors than there are, or may be
    { 0, 1, 34, 1 }, { 0, 1, 35, 71 }, { 0, 1, 35, 69 }, { 0, 0, 35, 1 }, { 3, 0, 11, 1 }, { 0, 1, 1, 3 }, -- of all
    { 0, 1, 52, 3 }, { 0, 1, 52, 17 }, { 0, 1, 52, 5 }, -- length of XRES
    { 0, 1, 89, 15 }, { 0, 1, 89, 17 }, { 2, 1, 89, 0 }, -- of AUTN
    { 1, 0, 12, 0xff }, { 1, 0, 12, 7 } } -- of the capability
  for _, row in ipairs(WRONG) do
    it(("of mode %d with octet %d wrong is none"):format(row[1], row[3]), function()
      local octets = mm_octets(mm_of(row[1], row[2]))
      assert.equal(201, read_mm(octets:sub(1, row[3]) .. string.char(row[4]) .. octets:sub(row[3] + 2)))
    end)
  end
end)

-- --- PDP context ---

-- What other SGSNs write: organisation, type, address; GGSN addresses; APN; TI; the second type and address. The fields
-- that follow from it; or nothing.
local PDP = {
  { "05", "f12100 00 00 00 0800", "ipv4" }, { "05", "f18d0401020304 00 00 00 0800", "ipv4v6", "1.2.3.4" },
  { "05", "f18d14 01020304" .. ("00"):rep(16) .. "000000 0800", "ipv4v6", "1.2.3.4", "::" },
  { "05", "f18d10" .. ("00"):rep(16) .. "000000 0800", "ipv4v6", nil, "::" },
  { "85", "f15710" .. ("00"):rep(16) .. "000000 0800 210401020304", "ipv4v6", "1.2.3.4", "::" },
  { "85", "f12100 00 00 00 0800 5710" .. ("00"):rep(16), "ipv4v6", nil, "::" },
  { "85", "f12100 00 00 00 0800 2100", "ipv4" }, { "85", "f12100 00 00 00 0800 990101", "ipv4" },
  { "05", "f0010109 00 00 00 0800" }, { "05", "f1990109 00 00 00 0800" },
  { "85", "f00200 00 00 00 0800 2100", "non_ip" },
  { "05", "f12103010203 00 00 00 0800", 201 }, { "05", "f1570401020304 00 00 00 0800", 201 },
  { "05", "f12114" .. ("00"):rep(20) .. "000000 0800", 201 }, { "05", "f12100 0109 00 00 0800", 201 },
  { "05", "f12100 00 0109 00 0800", 201 }, { "05", "f12100 00 00 0100 0800", 201 },
  { "04", "f12100 00 00 00 0800", 201 },
  { "85", "f12100 00 00 00 0800", 201 }, { "85", "f12100 00 00 00 0800 57020101", 201 },
  { "05", "f12100 00 00 022e61 0800", 201 }, { "05", "f12100 00 00 024061 0800", 201 }, -- an APN: a dot, too few octets
  { "05", "f12100 00 00 40" .. "3f" .. ("61"):rep(63) .. "0800", "ipv4" },
  { "05", "f12100 00 00 41" .. "40" .. ("61"):rep(64) .. "0800", 201 }, { "05", "f12100 00 00 020120 0800", 201 },
  { "05", "f12100 00 00 02017f 0800", 201 }, { "05", "f12100 00 00 67" .. ("016161616161"):rep(17) .. "00 0800", 201 },
  { "05", "f12100 00 00 00 0800 ffff", "ipv4" }, -- octets behind the end
}

local function read_context(head, tail)
  local value = of_hex(head .. "f3 00 0107 0402010203" .. ("00"):rep(15) .. tail)
  local message, _, fault = wire.decode(octets_of(51, "01c2 82" .. hex_of((">s2"):pack(value))))
  return message and message.contexts[1], fault and fault.fault
end

describe("a PDP context", function()
  for i, row in ipairs(PDP) do
    it(("of another SGSN is read, %d"):format(i), function()
      local context, fault = read_context(row[1], row[2])
      if fault then return assert.equal(row[3], fault) end
      assert.same({ row[3], row[4], row[5] }, { context.pdp_type, context.ipv4, context.ipv6 })
      assert.same({ 3, 0, 7, 2, "\1\2\3" }, { context.sapi, context.arp_subscribed, context.arp_requested, context.arp,
        context.qos_negotiated })
      assert.is_nil(context.qos_subscribed)
      assert.is_nil(context.qos_requested)
    end)
  end

  it("has numbers that are 0, and no APN, where none are given", function()
    local message, short = message_of(111), {}
    for _, name in ipairs { "nsapi", "sapi", "pdp_type", "qos_subscribed", "qos_requested", "qos_negotiated", "control",
      "user" } do
      short[name] = message_of(109).contexts[1][name]
    end
    message.contexts, message.mm.cipher, message.mm.cksn, message.mm.triplets = { short }, nil, nil, {}
    local read = wire.decode(wire.encode(message))
    assert.same({ 0, 0 }, { read.mm.cipher, read.mm.cksn })
    for _, name in ipairs { "arp", "arp_subscribed", "sequence_down", "send_n_pdu", "teid_data", "context_id", "ti" } do
      assert.equal(0, read.contexts[1][name])
    end
    assert.is_nil(read.contexts[1].apn)
    message.contexts[1].apn = ""
    assert.same(read, wire.decode(wire.encode(message)))
  end)

  it("has a SAPI of users' data", function()
    for sapi = 0, 16 do
      local message = message_of(109)
      message.contexts[1].sapi = sapi
      assert.equal(sapi == 3 or sapi == 5 or sapi == 9 or sapi == 11, (pcall(wire.encode, message)))
    end
  end)

  local TYPES_OF = { ipv4 = { ipv4 = "10.11.0.2" }, ipv6 = { ipv6 = "2001:db8::9" },
    ipv4v6 = { ipv4 = "10.11.0.2", ipv6 = "2001:db8::9" }, non_ip = {} }
  for kind, addresses in pairs(TYPES_OF) do
    it("of type " .. kind .. " has its addresses, or none, at every length", function()
      for _, given in ipairs { addresses, {} } do
        local message = message_of(109)
        local context = message.contexts[1]
        context.pdp_type, context.ipv4, context.ipv6, context.apn = kind, given.ipv4, given.ipv6, "a.b"
        context.is_active, context.reordering, context.vplmn_allowed = false, true, given == addresses
        context.control, context.ti, context.ti_extension = "2001:db8::1", 15, 0x9f
        local octets = wire.encode(message)
        assert.same(message, wire.decode(octets))
        local from, to = octets:find("\x82\0.[\x55\xd5\x75\xf5\x35\xb5]")
        local value = octets:sub(to, from + 2 + octets:byte(from + 2))
        for length = 0, #value - 1 do
          local _, _, fault = wire.decode(octets_of(51, "01c2 82" .. hex_of((">s2"):pack(value:sub(1, length)))))
          assert.equal(201, fault.fault)
        end
      end
    end)
  end
end)

-- --- what is not sent ---

-- A message by its number, a part of it, a field of that, values of the field ("none": without it), and what the error
-- says; nothing: the field's name.
local SAME <const> = { message_of(109).contexts[1], message_of(109).contexts[1] }
local UNSENT = {
  { 107, "", "tlli", { "none", -1, 1 << 32 } }, { 107, "", "control", { "none", "1.2.3" } },
  { 107, "", "rai", { "none", ("\xee"):rep(6) } }, { 107, "", "triplets", { mm_of(1, 1).triplets }, "not allowed" },
  { 108, "", "imsi", { "none", "a01010000000010", "", "00101", ("1"):rep(16) } }, { 109, "", "mm", { "none", 1 } },
  { 109, "", "control", { "none" } }, { 109, "", "radio_priority_sms", { 8 } },
  { 109, "", "pfis", { { {} }, { { nsapi = 4, pfi = 1 } }, 1 } },
  { 109, "", "radio_priorities", { { { nsapi = 4, priority = 1 } }, { { nsapi = 5, priority = 8 } } }, "priorit" },
  { 109, "", "contexts", { SAME }, "two have NSAPI 5" }, { 112, "", "cause", { 128 }, "'imsi': is missing" },
  { 112, "", "cause", { "128", 256 } },
  { 114, "", "user", { "none", "192.0.2" } }, { 114, "tunnels 1", "nsapi", { 16 } },
  { 114, "tunnels 1", "nsapi", { 4, "none" }, "must be 5 to 15" }, { 114, "", "tunnels", { { 1 }, 1 } },
  { 116, "", "quintuplets", { mm_of(0, 1).quintuplets } }, { 119, "", "routing_address", { "" } },
  { 119, "", "discriminator", { 16 } }, { 119, "", "teid", { -1, 1 << 32 } }, { 119, "", "seq", { 65536, 1.5 } },
  { 109, "mm", "mode", { 4 } }, { 109, "mm", "cksn", { 8 } }, { 109, "mm", "cipher", { 8 } },
  { 109, "mm", "kc", { "1234567" } }, { 110, "mm", "ck", { ("c"):rep(15) } }, { 110, "mm", "ik", { "none" } },
  { 111, "mm", "kc", { ("k"):rep(16) } }, { 109, "mm", "drx", { "1" } },
  { 109, "mm", "capability", { "", "none", ("c"):rep(256) } }, { 109, "mm", "access", { ("a"):rep(256) } },
  { 109, "mm", "imeisv", { "12345678901234", "12345678901234a", 1 } }, { 109, "mm triplets 1", "rand", { "" } },
  { 109, "mm triplets 1", "sres", { "12345" } }, { 111, "mm quintuplets 1", "xres", { "123", ("x"):rep(17) } },
  { 110, "mm quintuplets 1", "autn", { ("a"):rep(15) } },
  { 109, "contexts 1", "nsapi", { 4 }, "must be 5 to 15" }, { 109, "contexts 1", "nsapi", { 16 } },
  { 109, "contexts 1", "sapi", { 1, "none" } }, { 109, "contexts 1", "qos_subscribed", { "none", "1234" } },
  { 109, "contexts 1", "qos_requested", { ("q"):rep(10) } },
  { 109, "contexts 1", "qos_negotiated", { ("q"):rep(255) } },
  { 109, "contexts 1", "pdp_type", { "ipv6", "non_ip" }, "'ipv4': wrong value" },
  { 109, "contexts 1", "ipv6", { "2001:db8::9" } }, { 109, "contexts 1", "ipv4", { "2001:db8::9" } },
  { 109, "contexts 1", "control", { "none" } }, { 109, "contexts 1", "user", { "1.2.3" } },
  { 109, "contexts 1", "ti", { 16 } }, { 109, "contexts 1", "arp", { 256 } },
  { 109, "contexts 1", "apn", { "a..b", "a.", ("a"):rep(64), ("a."):rep(50) .. "a", 1 } },
}

describe("a message between SGSNs is not sent", function()
  for _, row in ipairs(UNSENT) do
    local number, part, name, values, text = table.unpack(row)
    it(("with a wrong %s of %s%d"):format(name, part ~= "" and part .. " of " or "", number), function()
      for _, value in ipairs(values) do
        local message = message_of(number)
        assert.is_string(wire.encode(message))
        local changed = message
        for word in part:gmatch("%S+") do changed = changed[tonumber(word) or word] end
        changed[name] = value ~= "none" and value or nil
        local is_sent, why = pcall(wire.encode, message)
        assert.is_false(is_sent)
        assert.is_truthy(why:find(message.type .. ": field '", 1, true), why)
        assert.is_truthy(why:find(text or name, 1, true), why)
      end
    end)
  end
end)

-- --- noise ---

-- The next of some numbers below a bound, equal in each run.
local function noise(seed)
  return function(bound)
    seed = seed * 6364136223846793005 + 1442695040888963407
    return (seed >> 33) % bound
  end
end

describe("any octets", function()
  it("are a message or a word; and what can be sent of a message is read alike", function()
    local next_number, seen = noise(29), { sent = 0, unsent = 0, malformed = 0, truncated = 0, unsupported = 0 }
    for _, row in ipairs(rows) do
      local whole = wire.encode(row[2])
      for _ = 1, 300 do
        local octets = whole
        for _ = 0, next_number(3) do
          local at = 1 + next_number(#octets)
          octets = octets:sub(1, at - 1) .. string.char(next_number(256)) .. octets:sub(at + 1)
        end
        local message, word = wire.decode(octets)
        local is_sent, sent = pcall(wire.encode, message or {})
        local verdict = word or is_sent and "sent" or "unsent"
        seen[verdict] = seen[verdict] + 1
        if verdict == "sent" then assert.same(message, wire.decode(sent)) end
        if verdict == "unsent" then assert.is_truthy(sent:find("field '")) end
      end
    end
    for kind, count in pairs(seen) do assert.is_true(count > 10, kind) end
  end)

  it("are read to the end, however many elements they are", function()
    local message = wire.decode(octets_of(48, "ff0000" .. ("01c2"):rep(1000) .. ("ff0000"):rep(20000) .. "RAI PTMSI"))
    assert.equal("p_tmsi rai", names_of(message))
  end)
end)
