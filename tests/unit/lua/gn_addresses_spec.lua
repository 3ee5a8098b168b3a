-- SPDX-License-Identifier: BSD-3-Clause
-- Addresses that a GGSN may name in its answers.
local gn_peers = require "gn.peers"

local OURS <const>, GGSN <const>, OTHER <const> = "10.0.0.1", "10.0.0.2", "10.0.0.3"

describe("addresses that a GGSN names", function()
  it("are its own, and those of its networks", function()
    local rows = {
      { {}, GGSN, true }, { {}, OTHER, false },
      { { "10.0.0.0/24" }, OTHER, true }, { { "10.0.0.2/31" }, OTHER, true }, { { "10.0.0.4/30" }, OTHER, false },
      { { "2001:db8::/32" }, "2001:db8::7", true }, { { "2001:db8::/32" }, "2001:db9::7", false },
      { { "2001:db8::/32" }, OTHER, false }, { { "0.0.0.0/0" }, OURS, false }, { { "0.0.0.0/0" }, "127.0.0.1", false },
      { { "0.0.0.0/0" }, "224.0.0.1", false }, { { "0.0.0.0/0" }, "255.255.255.255", false },
      { { "0.0.0.0/0" }, "0.0.0.0", false }, { { "::/0" }, "::1", false }, { { "::/0" }, "ff02::1", false },
      { { "::/0" }, "fe80::1", false }, { { "::/0" }, "::ffff:10.0.0.3", false }, { { "::/0" }, "2001:db8::7", true },
    }
    for i, row in ipairs(rows) do
      local a = gn_peers.new_addresses({ gn = { ggsns = { { address = GGSN, user_networks = row[1] } } } })
      a:add_own(OURS)
      assert.equal(row[3], a:objection(GGSN, row[2]) == nil, "row " .. i)
      assert.equal(row[2] == "10.0.0.9", a:objection("10.0.0.9", row[2]) == nil, "another GGSN, row " .. i)
    end
  end)

  it("are at most 128 of IPv6 for each GGSN, and any number of IPv4", function()
    local networks = { "2001:db8::/32", "10.0.0.0/8" }
    local a = gn_peers.new_addresses({ gn = { ggsns = { { address = GGSN, user_networks = networks },
      { address = OTHER, user_networks = networks } } } })
    for i = 1, 300 do
      assert.equal(i <= 128, a:objection(GGSN, ("2001:db8::%x"):format(i)) == nil, i)
      assert.is_nil(a:objection(GGSN, "10.1.1." .. i % 200 + 1))
    end
    assert.equal("after 128 other IPv6 addresses", a:objection(GGSN, "2001:db8::ffff"))
    assert.is_nil(a:objection(GGSN, "2001:db8::80"))
    assert.is_nil(a:objection(OTHER, "2001:db8::ffff"))
  end)
end)
