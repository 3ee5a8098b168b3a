-- SPDX-License-Identifier: BSD-3-Clause
-- The codec of GTP-C messages between SGSNs.
local rows = require "gn_mobility_rows"
local wire = require "wire.gtpc"
local spec_tools = require "spec_tools"

local function octets_of_vector(number)
  for line in io.lines("tests/data/vectors/gn.txt") do
    local found, hex = line:match("^(%d+) %S+ %d+ (%x+)$")
    if tonumber(found) == number then return spec_tools.octets_of(hex) end
  end
  error("no such vector")
end

-- The message of a row with changes; "none": without the field.
local function changed(number, changes)
  for _, row in ipairs(rows) do
    if row[1] == number then
      local message = wire.decode(octets_of_vector(number))
      for key, value in pairs(changes) do
        if value == "none" then value = nil end
        message[key] = value
      end
      return message
    end
  end
  error("no such row")
end

describe("a message between SGSNs", function()
  for _, row in ipairs(rows) do
    local number, message = row[1], row[2]
    it(("%d, %s, is read, and written as it was"):format(number, message.type), function()
      local octets = octets_of_vector(number)
      assert.same(message, wire.decode(octets))
      assert.equal(octets, wire.encode(message))
      for length = 0, #octets - 1 do assert.is_nil((wire.decode(octets:sub(1, length)))) end
    end)
  end

  it("of a GGSN's context from the new SGSN is written by the codec of contexts", function()
    local octets = wire.encode({ type = "update_request", teid = 0x11112222, seq = 0x301, imsi = "001010000000010",
      recovery = 7, teid_data = 0xdd05, teid_control = 0xdd06, nsapi = 5, control = "192.0.2.20", user = "192.0.2.20",
      arp = 2, qos = spec_tools.octets_of "1b921f7296404074020000", rat_type = 2 })
    assert.equal(octets_of_vector(118), octets)
  end)

  it("comes back as it was written, with all that it may have", function()
    local all = changed(109, { charging = 0x800, radio_priorities = { { nsapi = 5, priority = 4 } },
      pfis = { { nsapi = 5, pfi = 9 } }, prioritized = true, radio_priority_lcs = 2 })
    all.mm.imeisv, all.mm.access = "3512345678901231", "\1"
    all.contexts[2] = wire.decode(octets_of_vector(110)).contexts[1]
    local second = all.contexts[2]
    second.nsapi, second.pdp_type, second.ipv6, second.is_active = 15, "ipv4v6", "2001:db8::5", false
    second.arp_subscribed, second.arp_requested, second.ti_extension = 1, 3, 0x90
    second.control, second.user = "2001:db8::1", "2001:db8::2"
    assert.same(all, wire.decode(wire.encode(all)))
    local request = changed(107, { p_tmsi = 0xffffffff, control_other = "2001:db8::14", sgsn_number = "491700000001",
      ms_validated = false })
    assert.same(request, wire.decode(wire.encode(request)))
    local answer = changed(116, { triplets = "none", quintuplets = wire.decode(octets_of_vector(110)).mm.quintuplets })
    assert.same(answer, wire.decode(wire.encode(answer)))
  end)

  it("has one ARP for three QoS that name no other", function()
    local message = changed(109, {})
    local context = message.contexts[1]
    context.arp, context.arp_subscribed, context.arp_requested = 3, nil, nil
    context = wire.decode(wire.encode(message)).contexts[1]
    assert.same({ 3, 3, 3 }, { context.arp, context.arp_subscribed, context.arp_requested })
  end)

  it("has an address for all tunnels, or one of each", function()
    local tunnels = { { nsapi = 5, teid = 1 }, { nsapi = 6, teid = 2 } }
    local one = changed(114, { tunnels = tunnels, sgsn_number = "49170" })
    assert.same(one, wire.decode(wire.encode(one)))
    tunnels[1].user, tunnels[2].user = "192.0.2.20", "2001:db8::20"
    local each = changed(114, { tunnels = tunnels, user = "none" })
    assert.same(each, wire.decode(wire.encode(each)))
    assert.has_error(function() wire.encode(one) end) -- both
    tunnels[2].user = nil
    assert.has_error(function() wire.encode(each) end)
  end)

  it("with wrong elements is nil, and tells what its answer needs", function()
    local _, word, head = wire.decode(octets_of_vector(107):gsub("\x85\0\4", "\x86\0\4"))
    assert.same({ "malformed", { type = "context_request", teid = 0, seq = 0x101, fault = 202,
      teid_control = 0xaa01 } }, { word, head })
    _, word, head = wire.decode((octets_of_vector(107):gsub("\x97\0\1\2", "\x97\0\9\2")))
    assert.same({ "truncated", { type = "context_request", teid = 0, seq = 0x101, fault = 193, teid_control = 0xaa01,
      control = "192.0.2.20" } }, { word, head })
  end)
end)

describe("a message between SGSNs is not written", function()
  local wrong = {
    { 107, { rai = "12345" }, "rai" }, { 107, { signature = 1 }, "signature" }, { 107, { tlli = -1 }, "tlli" },
    { 107, { hop_counter = 256 }, "hop_counter" }, { 107, { control = "here" }, "control" },
    { 107, { rai = "none" }, "missing" }, { 107, { mm = {} }, "not allowed" }, { 107, { cause = 128 }, "not allowed" },
    { 107, { user = "192.0.2.1" }, "not allowed" }, { 107, { sgsn_number = ("1"):rep(16) }, "sgsn_number" },
    { 107, { sgsn_number = "a" }, "wrong value" }, { 109, { mm = 1 }, "mm" }, { 109, { contexts = { 1 } }, "contexts" },
    { 109, { contexts = { {} } }, "pdp_type" }, { 109, { contexts = { { pdp_type = "x25" } } }, "x25" },
    { 109, { contexts = { { pdp_type = "ipv4" } } }, "wrong value" }, { 109, { imsi = "1\0" }, "imsi" },
    { 109, { contexts = setmetatable({}, { __len = function() return 12 end }) }, "contexts" },
    { 109, { mm = { mode = 1, quintuplets = { {} } } }, "quintuplets" },
    { 109, { mm = { mode = 0, triplets = { {} } } }, "triplets" },
    { 109, { mm = { mode = 0, quintuplets = { {}, {}, {}, {}, {}, {} } } }, "at most 5" },
    { 114, { tunnels = { { nsapi = 5, teid = 2 ^ 32 } } }, "teid" }, { 119, { container = "" }, "wrong value" },
    { 119, { container = ("x"):rep(20000) }, "too large" },
  }
  for _, row in ipairs(wrong) do
    it(("with a wrong %s of %s"):format(next(row[2]), row[1]), function()
      assert.error_matches(function() wire.encode(changed(row[1], row[2])) end, row[3])
    end)
  end
end)
