-- SPDX-License-Identifier: BSD-3-Clause
-- APNs across reloads and restarts of control: 256 of them are known.
local records = require "base.records"
local sm_apns = require "sm.apns"

local function apn(class) return { name = "Internet", class = class, sapi = 3, sgsn_address = "10.0.0.1" } end

-- A run that has the records of its object.
local function new_run()
  local kept = {}
  return { kept = kept, record = function(_, key, value) kept[key] = value and records.pack(value) end }
end

describe("APNs", function()
  local apns, run = nil, nil
  before_each(function()
    apns, run = sm_apns.new({ apn("thp1") }), new_run()
    for i = 1, 300 do apns:configure(run, { apn("thp1"), { name = "other", sapi = i } }) end
  end)

  local function restarted()
    local new, new_run_ = sm_apns.new({ apn("thp1"), { name = "other", sapi = 300 } }), new_run()
    for _, text in pairs(run.kept) do new:adopt(new_run_, records.unpack(text)) end
    assert.same(run.kept, new_run_.kept)
    return new, new_run_
  end

  it("are one while they are equal", function()
    local few = sm_apns.new({ apn("thp1") })
    local first = few.by_name.internet
    few:configure(run, { apn("thp2") })
    few:configure(run, { apn("thp1") })
    assert.equal(first, few.by_name.internet)
    assert.equal("Internet", first.key)
  end)

  it("are forgotten if they are the oldest, and not in force", function()
    local new = restarted()
    for sapi, key in pairs({ [46] = "other/46", [300] = "other/300", [3] = "Internet" }) do
      for _, each in ipairs({ apns, new }) do
        assert.equal(sapi, each:of_context({ apn = key }).sapi)
        assert.equal(key, each:of_context({ apn = key }).key)
      end
    end
    for _, each in ipairs({ apns, new }) do
      assert.same({ key = "other/45", class = "thp1", sapi = 7 },
        each:of_context({ apn = "other/45", class = "thp1", sapi = 7 }))
    end
  end)

  it("have names that no other has had", function()
    local new, new_run_ = restarted()
    new:configure(new_run_, { { name = "other", sapi = 1000 } })
    assert.equal("other/301", new.by_name.other.key)
    assert.equal("other/300", new:of_context({ apn = "other/300" }).key)
  end)

  it("are of the APN's own name only without a former one of that", function()
    local new, new_run_ = sm_apns.new({ apn("thp2") }), new_run()
    new:adopt(new_run_, { apn_key = "Internet/1", apn = apn("thp2") })
    assert.is_nil(new:of_context({ apn = "Internet" }).sgsn_address)
  end)
end)
