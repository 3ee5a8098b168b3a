-- SPDX-License-Identifier: BSD-3-Clause
-- Records: values and back, wrong texts, and those that a machine gives.

local fsm = require "base.fsm"
local records = require "base.records"

local VALUES <const> = {
  true, false, 0, -1, math.maxinteger, math.mininteger, "", "a", "\0\255", ("x"):rep(70000), {}, { 1, 2, 3 },
  { a = { b = { c = "d" } }, [1] = "one", [2] = false }, { list = { { 1 }, { 2 } } },
}

describe("a record", function()
  it("is the value again", function()
    for _, value in ipairs(VALUES) do assert.same(value, records.unpack(records.pack(value))) end
  end)

  it("does not depend on the order of keys", function()
    local one, two = {}, {}
    for i = 1, 40 do one["k" .. i], two["k" .. 41 - i] = i, 41 - i end
    assert.equal(records.pack(one), records.pack(two))
  end)

  it("has no functions, floats or deep tables", function()
    local deep = {}
    deep.deep = deep
    for _, value in ipairs({ print, 0.5, { print }, deep }) do
      assert.is_false(pcall(records.pack, value))
    end
  end)

  it("of another form is an error", function()
    local text = records.pack({ a = { 1, "two" } })
    for cut = 0, #text - 1 do assert.is_false(pcall(records.unpack, text:sub(1, cut))) end
    for _, wrong in ipairs({ "x", text .. "t", "}", "{t}" }) do assert.is_false(pcall(records.unpack, wrong)) end
  end)
end)

local machine = fsm.define({
  name = "lamp", initial = "off",
  keep = function(lamp) return lamp.fsm.state == "on" and lamp.value or nil end,
  timers = { t = { after = "t", out = "out" } },
  states = { off = { on = { on = { next = "on" } } }, on = { timer = "t", on = { on = {}, out = { next = "off" } } } },
})

local function words_of(intents)
  local out = {}
  for _, intent in ipairs(intents) do
    out[#out + 1] = intent.op == "keep" and ("%s %s"):format(intent.key, intent.octets or "gone") or intent.op
  end
  return out
end

describe("a machine", function()
  setup(function() records.is_on = true end)
  teardown(function() records.is_on = false end)

  local function lamp_of(value)
    local lamp = { value = value }
    lamp.fsm = fsm.new(machine, lamp, "lamp/1", { t = 5 })
    return lamp
  end

  local function tell(lamp, event, run)
    run = run or fsm.run(0, {})
    run:tell(lamp.fsm, event)
    run:keep()
    return words_of(run.intents)
  end

  -- An intent may call back at once, and the record that this leaves is the later one.
  it("gives its record before other intents, and deletes it when there is none", function()
    local lamp = lamp_of(true)
    assert.same({ "lamp/1 t", "timer" }, tell(lamp, "on"))
    assert.same({}, tell(lamp, "on"))
    assert.same({ "lamp/1 gone", "cancel" }, tell(lamp, "out"))
  end)

  it("has none that cannot be made", function()
    assert.same({ "timer" }, tell(lamp_of(print), "on"))
  end)

  it("has the state of its record again, with its timer and without actions", function()
    local lamp, run = lamp_of(true), fsm.run(7, {})
    run:restore(lamp.fsm, "on")
    run:keep()
    assert.same({ "lamp/1 t", "timer" }, words_of(run.intents))
    assert.equal("on", lamp.fsm.state)
    assert.equal(12, lamp.fsm.deadline_at)
    assert.is_false(pcall(run.restore, run, lamp.fsm, "bright"))
  end)

  it("gives none where control cannot restart", function()
    records.is_on = false
    assert.same({ "timer" }, tell(lamp_of(true), "on"))
    records.is_on = true
  end)
end)
