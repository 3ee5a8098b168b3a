-- SPDX-License-Identifier: BSD-3-Clause
-- Protocol configuration options of phones (phone.pco): what a phone asks, and the DNS servers of answers. The mode of
-- LLC in its QoS (phone.session).
local pco = require "phone.pco"
local session = require "phone.session"
local spec_tools = require "spec_tools"

local octets_of = spec_tools.octets_of

describe("protocol configuration options", function()
  it("ask for DNS servers by IPCP and by container", function()
    assert.equal(octets_of("80 8021 10 01000010 8106 00000000 8306 00000000 000d 00"), pco.question())
  end)

  for _, row in ipairs({
    { "of osmo-ggsn, both forms", "80 8021 10 02000010 8106 c6120035 8306 c6120036 000d 04 c6120035 000d 04 c6120036",
      "198.18.0.53", "198.18.0.54" },
    { "a Nak with one", "80 8021 0a 0300000a 8106 0a000001", "10.0.0.1" },
    { "container alone, behind an unknown one", "80 0005 01 02 000d 04 0a000002", "10.0.0.2" },
    { "other IPCP options between", "80 8021 10 02000010 0306 0a2e0001 8306 0a000003", "10.0.0.3" },
    { "0.0.0.0 is none", "80 8021 0a 0200000a 8106 00000000" },
    { "a Reject", "80 8021 0a 0400000a 8106 0a000001" },
    { "a container that is cut", "80 000d 04 0a0000" },
    { "an option that is cut", "80 8021 08 0200000a 8106 0a00" },
    { "an option without length", "80 8021 08 02000008 8100 0a00" },
    { "a container of another length", "80 000d 03 0a0000" },
    { "nothing", "" },
  }) do
    it("are read: " .. row[1], function()
      assert.same({ table.unpack(row, 3) }, pco.dns_servers(octets_of(row[2])))
    end)
  end
end)

describe("the mode of LLC", function()
  it("is asked for by the reliability class", function()
    assert.same({ "\0\0\0", "\2\0\0" }, { session.qos_wanted(false), session.qos_wanted(true) })
  end)

  -- delay class 4 and each reliability class
  for octet, is_acknowledged in pairs({ [0x20] = false, [0x21] = true, [0x22] = true, [0x23] = false, [0x24] = false,
    [0x25] = false, [0x27] = false }) do
    it(("follows the class that the SGSN gives: %02x"):format(octet), function()
      assert.equal(is_acknowledged, session.is_acknowledged(string.char(octet) .. "\x92\x1f"))
    end)
  end

  it("is unacknowledged without a class", function()
    assert.is_false(session.is_acknowledged(nil) or session.is_acknowledged(""))
  end)
end)
