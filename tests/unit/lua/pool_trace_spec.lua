-- SPDX-License-Identifier: BSD-3-Clause
-- Lines of level debug (base.trace) about an offload, and about what two SGSNs say to each other meanwhile.
local pool_world = require "pool_world"
local trace = require "base.trace"

local S <const> = pool_world.S

local function are_active(list)
  for _, phone in ipairs(list) do
    if phone.state ~= "registered" or phone.session ~= "active" then return false end
  end
  return true
end

-- By their words before the colon, those of phones and contexts as "262420000000001".
local function count_names(node, names)
  local handle = node.log
  function node:log(intent)
    if intent.level == "debug" then
      local name = intent.text:match("^([^:]+): "):gsub("^(%d+) .*$", "%1")
      names[name] = (names[name] or 0) + 1
    end
    return handle and handle(self, intent)
  end
end

describe("lines about a pool", function()
  after_each(function() trace.set() end)

  it("name phones, SGSNs and the offload", function()
    local w, names = pool_world.new({ nodes = 2, phones = 2 }), { {}, {} }
    assert.is_true(w:run_until(are_active))
    local from = #w.nodes[1].p:list() > 0 and 1 or 2
    local old, new = w.nodes[from], w.nodes[3 - from]
    count_names(old, names[1])
    count_names(new, names[2])
    trace.set("", "gmm", "", "gtpc", "", "sm")
    old.allows = false
    old:take(old.p:act({ verb = "offload", now = "yes" }, 1, w.now))
    w:run(20 * S)
    assert.is_true(w:run_until(are_active))
    assert.equal(0, #old.p:list())
    assert.is_true(names[1].offload > 0)
    assert.is_true(names[1]["SGSN " .. new.address] > 0)
    assert.is_true(names[2]["SGSN " .. old.address] > 0)
    assert.is_true(names[2]["262420000000001"] > 0)
  end)
end)
