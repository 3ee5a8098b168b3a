-- SPDX-License-Identifier: BSD-3-Clause
-- The codec of GTP-C to GGSNs (wire.gtp_sessions): vectors, values, refusals, spoilt octets.
local gb_abqp = require "gb.abqp"
local spec_tools = require "spec_tools"
local wire = require "wire.gtpc"

local octets_of, hex = spec_tools.octets_of, spec_tools.hex_of
local QOS <const> = octets_of("13921f7396fefe744bffff")
local CREATE <const> = { type = "create_request", teid = 0, seq = 9, imsi = "262420000000001", recovery = 5,
  selection = 0, teid_data = 0x101, teid_control = 1, nsapi = 5, pdp_type = "ipv4", apn = "internet",
  control = "10.0.0.2", user = "10.0.0.2", msisdn = "491505000000", arp = 2, qos = QOS }

local function with(changes)
  local out = {}
  for key, value in pairs(CREATE) do out[key] = value end
  for key, value in pairs(changes) do out[key] = value ~= "nothing" and value or nil end
  return out
end

-- The row of tests/data/vectors with that number, as octets.
local function vector(number)
  for line in io.lines("tests/data/vectors/gn.txt") do
    local found = line:match("^" .. number .. " %S+ %S+ (%x+)$")
    if found then return octets_of(found) end
  end
  error("no vector " .. number)
end

describe("GTP-C to GGSNs", function()
  local VECTORS <const> = {
    [96] = { type = "echo_request", teid = 0, seq = 1 },
    [97] = { type = "echo_response", teid = 0, seq = 1, recovery = 0 },
    [101] = CREATE,
    [103] = { type = "update_request", teid = 0x202, seq = 10, teid_data = 0x102, nsapi = 5, control = "10.0.0.2",
      user = "10.0.0.2", arp = 2, qos = QOS },
    [104] = { type = "update_response", teid = 1, seq = 10, cause = 128 },
    [105] = { type = "delete_request", teid = 0x202, seq = 11, teardown = true, nsapi = 5 },
    [106] = { type = "delete_response", teid = 1, seq = 11, cause = 128 },
  }
  local UNREAD <const> = { selection = true, apn = true, msisdn = true }

  for number, message in pairs(VECTORS) do
    it("writes and reads vector " .. number, function()
      assert.equal(hex(vector(number)), hex(wire.encode(message)))
      local want = {}
      for key, value in pairs(message) do want[key] = not UNREAD[key] and value or nil end
      want.class = want.qos and "thp3"
      assert.same(want, (wire.decode(vector(number))))
    end)
  end

  it("reads the answer of a GGSN", function()
    local m = wire.decode(vector(102))
    assert.same({ "create_response", 1, 9, 128, 0x201, 0x202, "ipv4", "10.11.0.2", "10.0.0.1" },
      { m.type, m.teid, m.seq, m.cause, m.teid_data, m.teid_control, m.pdp_type, m.user_ipv4, m.user })
    assert.is_not_nil(m.charging_id)
    assert.is_nil(m.user_ipv6)
  end)

  it("reads addresses of both versions, and two NSAPIs, as they were written", function()
    local m = with({ linked_nsapi = 15, pdp_type = "ipv4v6", user_ipv4 = "10.45.0.1", user_ipv6 = "2001:db8::9",
      control = "fd00::1", user = "fd00::1", control_other = "10.0.0.7", pco = "\x80", tft = ("t"):rep(255) })
    local read = wire.decode(wire.encode(m))
    for _, name in ipairs({ "imsi", "recovery", "nsapi", "linked_nsapi", "pdp_type", "user_ipv4", "user_ipv6",
      "control", "user", "control_other", "arp", "qos", "pco", "tft" }) do assert.equal(m[name], read[name]) end
  end)

  it("writes and reads Common Flags, of which it knows two (7.7.48)", function()
    local m = { dual_address = true, uncompressed = false }
    local octets = wire.encode(with({ common_flags = { dual_address = true } }))
    assert.equal("94000180", hex(octets):sub(-8))
    assert.same(m, wire.decode(octets).common_flags)
    assert.same({ dual_address = false, uncompressed = true },
      wire.decode(octets:sub(1, -2) .. "\x7f").common_flags)
  end)

  it("gives PDP type Non-IP no address", function()
    local octets = wire.encode(with({ pdp_type = "non_ip" }))
    assert.is_truthy(octets:find("\x80\0\2\xf0\2", 1, true))
    assert.equal("non_ip", wire.decode(octets).pdp_type)
  end)

  -- 7.7.3, 7.7.23, 7.7.50 to 7.7.53: MCC 262, MNC 42, LAC 4660, RAC 5, CI 4661.
  it("writes elements about the mobile in the order of their types", function()
    local octets = wire.encode(with({ cell = octets_of("62f2241234051235"), charging = 0x0800, rat_type = 2,
      zone = 33, imeisv = "3512345678901231" }))
    assert.is_truthy(octets:find("\3\x62\xf2\x24\xff\xfe\xff\14\5", 1, true))
    assert.is_truthy(octets:find("\20\5\26\8\0\128", 1, true))
    assert.equal("97000102" .. "9800080062f22412341235" .. "9900028001" .. "9a00085321436587092113",
      hex(octets):sub(-62))
    assert.is_not_nil(wire.decode(octets)) -- which skips them
  end)

  for _, row in ipairs({ { 0, "0000" }, { 16, "4000" }, { -80, "0a00" }, { 318, "9702" }, { -316, "9f00" },
    { -79, "0a01" } }) do
    it("writes time zone " .. row[1], function()
      assert.equal("990002" .. row[2], hex(wire.encode(with({ zone = row[1] }))):sub(-10))
    end)
  end

  for length, last in pairs({ [15] = "f3", [16] = "13" }) do
    it("writes an IMEI or IMEISV of " .. length .. " digits", function()
      local octets = wire.encode(with({ imeisv = ("3512345678901231"):sub(1, length) }))
      assert.equal("9a000853214365870921" .. last, hex(octets):sub(-22))
    end)
  end

  local LONG <const> = ("a"):rep(50) .. "." .. ("a"):rep(49)
  for apn, octets in pairs({ ["a.b"] = "01610162", [LONG] = "32" .. ("61"):rep(50) .. "31" .. ("61"):rep(49) }) do
    it("writes APN " .. apn, function()
      local element = "8300" .. ("%02x"):format(#octets // 2) .. octets
      assert.is_truthy(hex(wire.encode(with({ apn = apn }))):find(element, 1, true))
    end)
  end

  for _, row in ipairs({ { type = "no_request" }, { qos = "nothing" }, { nsapi = "nothing" }, { nsapi = 16 },
    { type = "create_response" }, { imsi = "" }, { imsi = "26242" }, { imsi = "262a2" }, { msisdn = "" },
    { msisdn = "1234567890123456" }, { msisdn = "12-4" }, { control = "nothing" }, { control = "10.0.0" },
    { user = "" }, { user_ipv6 = "fd00::1" }, { user_ipv4 = "fd00::1" }, { pdp_type = "ipv6", user_ipv4 = "10.0.0.1" },
    { pdp_type = "non_ip", user_ipv4 = "10.0.0.1" }, { pdp_type = "ppp" }, { qos = ("q"):rep(255) },
    { pco = ("p"):rep(256) }, { zone = 319 }, { zone = 320 }, { zone = -320 }, { zone = 1.5 },
    { imeisv = "35123456789012" }, { imeisv = "35123456789012345" }, { imeisv = "35123456789012a" },
    { cell = "1234567" }, { cell = ("\xff"):rep(8) },
    { apn = "" }, { apn = "." }, { apn = "a." }, { apn = ".a" }, { apn = "a..b" }, { apn = ("a"):rep(64) },
    { apn = LONG .. "a" }, { recovery = 256 }, { teid_data = 1 << 32 }, { selection = 4 } }) do
    local name, value = next(row)
    it(("refuses to write %s %q"):format(name, value), function()
      local is_made, fault = pcall(wire.encode, with(row))
      assert.is_false(is_made)
      assert.is_truthy(fault:find("^%g+: field '[%w_]+': "), fault)
    end)
  end

  local HEAD <const> = { teid = 0x202, seq = 11 }
  for name, row in pairs({
    ["a truncated element"] = { "1400" .. "8500040a", 193 },
    ["a GSN address of 5 octets"] = { "1405" .. "8500050a0000010a", 201 },
    ["an IMSI of 5 digits"] = { "1405" .. "0221436fffffffffff", 201 },
    ["an end user address of 1 octet"] = { "1405" .. "800001f1", 201 },
    ["an end user address of 5 octets"] = { "1405" .. "800007f1210a0000010a", 201 },
    ["a QoS without ARP"] = { "1405" .. "870000", 201 },
    ["no NSAPI"] = { "1301", 202 },
  }) do
    it("answers a request with " .. name, function()
      local elements = octets_of(row[1])
      local head = (">BBI2I4I2I2"):pack(0x32, 20, 4 + #elements, HEAD.teid, HEAD.seq, 0)
      local m, word, fault = wire.decode(head .. elements)
      assert.is_nil(m)
      assert.equal(row[2] == 193 and "truncated" or "malformed", word)
      assert.same({ "delete_request", 0x202, 11, row[2] }, { fault.type, fault.teid, fault.seq, fault.fault })
    end)
  end

  it("skips options that are too long for a phone, and takes the first one that is not", function()
    local octets = wire.encode(with({ pco = ("p"):rep(252) })) .. "\x84\0\0" .. "\x84\0\1a" .. "\x84\0\1b"
    local whole = octets:sub(1, 2) .. (">I2"):pack(#octets - 8) .. octets:sub(5)
    assert.same({ "a", true }, { wire.decode(whole).pco, wire.decode(whole).has_wrong_option })
  end)

  it("has no Common Flags where the element is empty, of whatever message", function()
    for octets, kind in pairs({ ["0180"] = 17, ["1405"] = 18 }) do
      for element, value in pairs({ ["940000"] = false, ["94000101"] = true }) do
        local elements = octets_of(octets .. element)
        local m = assert(wire.decode((">BBI2I4I2I2"):pack(0x32, kind, 4 + #elements, 1, 1, 0) .. elements))
        assert.equal(value, m.common_flags ~= nil and m.common_flags.uncompressed)
      end
    end
  end)

  it("has no end user address where its type is unknown, also behind it", function()
    local elements = octets_of("0180" .. "800002f199" .. "800006f1210a000001")
    local m = wire.decode((">BBI2I4I2I2"):pack(0x32, 17, 4 + #elements, 1, 1, 0) .. elements)
    assert.same({ nil, "f199", nil, 128, true },
      { m.pdp_type, m.unknown_type, m.user_ipv4, m.cause, m.has_wrong_option })
  end)

  it("bears any octets, and a message that ends anywhere", function()
    local whole = wire.encode(with({ pdp_type = "ipv4v6", user_ipv4 = "10.45.0.1", pco = "\x80" }))
    for last = 1, #whole - 1 do assert.is_nil((wire.decode(whole:sub(1, last)))) end
    local random = 1
    local function below(n)
      random = random * 6364136223846793005 + 1442695040888963407
      return (random >> 33) % n
    end
    for _ = 1, 3000 do
      local spoilt = whole
      for _ = 1, 1 + below(4) do
        local at = 2 + below(#whole - 1)
        spoilt = spoilt:sub(1, at - 1) .. string.char(below(256)) .. spoilt:sub(at + 1)
      end
      local m, word = wire.decode(spoilt)
      assert.is_true(m ~= nil or word == "malformed" or word == "truncated" or word == "unsupported")
    end
  end)
end)

describe("the class that a GGSN tells", function()
  for value, class in pairs({ ["13921f"] = "thp2", ["23921f"] = "background", ["03921f"] = "background",
    ["1b921f"] = "thp3", ["13921f3396fefe744bffff"] = "conversational", ["13921f5396fefe744bffff"] = "streaming",
    ["13921f7396fefe7449ffff"] = "thp1", ["13921f7396fefe744affff"] = "thp2", ["13921f7396fefe7448ffff"] = "thp3",
    ["13921f9396fefe744bffff"] = "background", ["0b921f1396fefe744bffff"] = "thp1",
    ["0b921fb396fefe744bffff"] = "thp1" }) do
    it("is " .. class .. " of " .. value, function()
      assert.equal(class, gb_abqp.class_told(octets_of(value)))
    end)
  end

  for _, count in ipairs({ 0, 1, 2, 4, 10 }) do
    it("is none of " .. count .. " octets", function() assert.is_nil(gb_abqp.class_told(("\x13"):rep(count))) end)
  end
end)
