-- SPDX-License-Identifier: BSD-3-Clause
-- How many IPv6 addresses a BSS may announce; tests/unit/lua/gb_sns_owners_rows.lua has the rest.
local sns_endpoints = require "gb.sns_endpoints"

local function new()
  local sns = { nses = {}, endpoints = { { address = "2001:db8:1::1", udp_port = 23000 } }, announced = {},
    named = { count = 0 } }
  sns.nse = { nsei = 101, nsvcs = {}, sns = sns }
  sns.nses[1] = sns.nse
  return sns
end

describe("addresses that a BSS announces", function()
  it("are at most 128 of IPv6, and any number of IPv4", function()
    local sns = new()
    for i = 1, 300 do
      local why = sns_endpoints.objection(sns, { address = ("2001:db8::%x"):format(i), udp_port = 23000 })
      assert.equal(i > 128 and "comes after 128 other IPv6 addresses" or nil, why)
      assert.is_nil(sns_endpoints.objection(sns, { address = "10.1.1." .. i % 200 + 1, udp_port = 23000 }))
    end
    assert.is_nil(sns_endpoints.objection(sns, { address = "2001:db8::80", udp_port = 23001 })) -- another port
    assert.is_nil(sns_endpoints.objection(new(), { address = "2001:db8::ffff", udp_port = 23000 })) -- another NSE
  end)
end)
