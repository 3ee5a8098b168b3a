-- SPDX-License-Identifier: BSD-3-Clause
-- The restart counter of the node in its requests (29.060 §7.3.1, §7.3.3, §7.7.11): a GGSN that may not know it is told
-- by a Create and by an Update.
local records = require "base.records"
local sessions_rig = require "gn_sessions_rig"

local GGSN <const>, OTHER <const> = sessions_rig.GGSN, sessions_rig.OTHER
local TAKEN <const> = { teid_control = 0x901, teid_data = 0x902, user = GGSN }

local function taken(more)
  local wanted = { taken = records.pack(TAKEN), ipv4 = "10.45.0.9", is_once = true }
  for key, value in pairs(more or {}) do wanted[key] = value end
  return wanted
end

-- The counters of the requests so far, 0 for none.
local function told(r)
  local out = {}
  for i, message in ipairs(r.sent) do out[i] = message.recovery or 0 end
  return out
end

describe("the restart counter of the node", function()
  it("is in the Updates of contexts of other SGSNs until the GGSN has answered one", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.add(8, taken({ nsapi = 6 }))
    r.answer({ cause = 128, teid = r.last().teid_control })
    r.add(9, taken({ nsapi = 7 }))
    assert.same({ 77, 77, 0 }, told(r))
    assert.equal("update_request", r.sent[1].type)
  end)

  it("is in a repeated Update as it was", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.wait(5)
    assert.same({ 77, 77 }, told(r))
  end)

  it("is not in an Update behind a Create that the GGSN has answered", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7)
    r.accept()
    r.words(r.node:change(7, "background", nil, 0))
    assert.same({ 77, 0 }, told(r))
  end)

  it("is in the first Update to another address of the GGSN", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7)
    r.accept({ control = OTHER })
    r.words(r.node:change(7, "background", nil, 0))
    assert.same({ 77, 77 }, told(r))
  end)

  it("is told again when the GGSN has restarted", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 128, teid = r.last().teid_control, recovery = 9 })
    r.words(r.node:change(7, "thp2", nil, 0))
    r.answer({ cause = 128, teid = r.last().teid_control, recovery = 10 })
    r.add(8, taken({ nsapi = 6 }))
    assert.same({ 77, 0, 77 }, told(r))
  end)

  -- Such an answer may be forged.
  it("counts as unknown after an answer without a TEID", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 192, teid = 0 })
    r.add(8, taken({ nsapi = 6 }))
    assert.same({ 77, 77 }, told(r))
  end)

  it("counts as unknown once the GGSN has no context of the node", function()
    local r = sessions_rig.rig({ recovery = 77 })
    r.add(7, taken())
    r.answer({ cause = 128, teid = r.last().teid_control })
    r.words(r.node:moved(7, 0))
    r.add(8, taken())
    assert.same({ 77, 77 }, told(r))
  end)
end)
