-- SPDX-License-Identifier: BSD-3-Clause
-- No message of a peer is an error of Lua, whatever sizes its elements have (sizes.lua); scripts/sizes.sh is the long
-- form.
local sizes = require "sizes"

local COUNT <const>, SEED <const> = 10000, 1

describe("elements of the right form and any size", function()
  for _, protocol in ipairs(sizes.PROTOCOLS) do
    it("of " .. protocol.name .. " raise no error, and all messages come to their handlers", function()
      local tally = sizes.run(protocol, COUNT, SEED)
      assert.same({}, tally.list)
      assert.same({}, tally.unseen)
      assert.same({ COUNT, 0 }, { tally.given, tally.errors })
      assert.is_true(tally.reached > 0 and tally.refused > 0 and tally.answered > 0)
    end)
  end
end)
