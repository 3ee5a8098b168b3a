-- SPDX-License-Identifier: BSD-3-Clause
-- Lines of level debug: which are given, in which order, about whom; machines and categories of the node.

local fsm = require "base.fsm"
local spec_tools = require "spec_tools"
local trace = require "base.trace"

local actions = {}

function actions.say(phone, run)
  fsm.trace.message(run, "gmm", phone, "phone", "sends hello")
  run:log_of("gmm", "info", "hello")
end

function actions.learn(phone, run, imsi)
  phone.imsi = imsi
  run:tell(phone.other, "learned")
end

local function machine_of(name, category)
  return fsm.define({
    name = name, category = category, about = "phone", initial = "new", actions = actions,
    timers = { last = { after = "last", out = "say" } },
    states = {
      new = { on = { say = { action = "say", next = "said" }, learn = { action = "learn", next = "said" },
        learned = {} } },
      said = { timer = "last", on = { say = { action = "say" } } },
    },
  })
end

local function phone_of(imsi, tlli)
  local phone = { imsi = imsi, tlli = tlli }
  phone.fsm = fsm.new(machine_of("trace_first", "gmm"), phone, "first", { last = 1 })
  phone.other = fsm.new(machine_of("trace_second", "sm"), phone, "second", { last = 1 })
  return phone
end

local function lines_of(phone, event, arg)
  local run, lines = fsm.run(0, {}), {}
  run:tell(phone.fsm, event, arg)
  for _, intent in ipairs(run:drain()) do
    if intent.op == "log" then lines[#lines + 1] = intent.who .. " " .. intent.level .. " " .. intent.text end
  end
  run:keep()
  return lines
end

describe("trace", function()
  after_each(function() trace.set() end)

  it("is off without a filter", function()
    assert.is_nil(fsm.trace)
    trace.set("", "gmm")
    assert.is_truthy(fsm.trace)
    trace.set()
    assert.is_nil(fsm.trace)
  end)

  it("has events before their messages, and other lines among them", function()
    trace.set("", "gmm sm")
    assert.same({ "gmm debug 1 TLLI 0000000a: trace_first say: new -> said", "gmm debug 1 TLLI 0000000a: sends hello",
      "gmm info hello" }, lines_of(phone_of("1", 10), "say"))
  end)

  it("names the IMSI that a message brings, in all lines of the run", function()
    trace.set("262420000000001", "gmm sm")
    assert.same({ "gmm debug 262420000000001 TLLI 0000000a: trace_first learn: new -> said",
      "sm debug 262420000000001 TLLI 0000000a: trace_second learned: new" },
      lines_of(phone_of(nil, 10), "learn", "262420000000001"))
  end)

  it("says that a state has no row for an event", function()
    trace.set("", "gmm")
    assert.same({ "gmm debug 1 TLLI 0000000a: trace_first kick: new, which has no row for it" },
      lines_of(phone_of("1", 10), "kick"))
  end)

  -- Filters, and whether they let a line about IMSI 26242 TLLI 0000000a pass.
  for i, row in ipairs({
    { { "26242", "gmm" }, true }, { { "2624", "gmm" }, false }, { { "6242", "gmm" }, false },
    { { "TLLI 0000000a", "gmm" }, true }, { { "TLLI 0000000", "gmm" }, false }, { { "", "sm" }, false },
    { { "26242", "sm gmm" }, true }, { { "x", "gmm", "26242", "gmm" }, true }, { { "x", "gmm", "y", "gmm" }, false },
  }) do
    it("takes the word of a filter as a whole, row " .. i, function()
      trace.set(table.unpack(row[1]))
      assert.equal(row[2] and 1 or 0, #lines_of(phone_of("26242", 10), "kick"))
    end)
  end

  it("leaves no other trace in a run", function()
    local phone, run = phone_of("1", 10), fsm.run(0, {})
    trace.set("other", "gmm sm")
    run:tell(phone.fsm, "say")
    run:drain()
    assert.same({ "log", "timer" }, { run.intents[1].op, run.intents[2].op })
    assert.equal(2, #run.intents)
    assert.equal(2, run.emitted)
  end)
end)

describe("machines of the node", function()
  local list = assert(io.popen("grep -l 'fsm.define({' lua/*/*.lua"))
  local is_of_category = {}
  for name in spec_tools.read("control/log/log.c"):gmatch('\n    {"(%w+)", "') do is_of_category[name] = true end
  for path in list:lines() do
    if not path:find("^lua/phone/") then
      it(path .. " says who its lines are about, in a category of the log", function()
        local text = spec_tools.read(path)
        local machines, abouts = 0, 0
        for _ in text:gmatch("fsm%.define%(") do machines = machines + 1 end
        for category, who in text:gmatch('category = "(%w+)",%s+about = "([%w_]+)"') do
          abouts = abouts + 1
          assert.is_true(is_of_category[category], category)
          assert.is_true(trace.can_name(who), who)
        end
        assert.equal(machines, abouts)
      end)
    end
  end
  list:close()
end)
