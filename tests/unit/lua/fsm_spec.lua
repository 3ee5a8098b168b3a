-- SPDX-License-Identifier: BSD-3-Clause
-- The runner of state machines, on a machine made for it.

local fsm = require "base.fsm"

local function say(word)
  return function(owner, run, arg)
    run:emit({ op = "say", text = owner.name .. " " .. word .. (arg and " " .. arg or "") })
  end
end

local function lamp()
  return {
    name = "lamp", initial = "dark",
    actions = {
      on = say("on"), off = say("off"), push = say("push"), blink = say("blink"), refuse = say("refuse"),
      tell = function(owner, run) run:tell(owner.other, "push") run:emit({ op = "say", text = "told" }) end,
      post = function(owner, run) run:post(owner.other, "push") run:emit({ op = "say", text = "posted" }) end,
    },
    timers = { glow = { after = "glow_ns", retries = "glow_retries", again = "blink", out = "burnt" } },
    any = { tell_other = { action = "tell" }, post_other = { action = "post" }, burnt = { next = "dark" } },
    states = {
      dark = { on = { push = { action = "push", next = "lit" } }, otherwise = { action = "refuse" } },
      lit = { enter = "on", leave = "off", timer = "glow",
        on = { push = { action = "push", next = "lit" }, nudge = { action = "push" }, blink = { action = "blink" } } },
    },
  }
end

local function text_of(intent)
  if intent.op == "timer" then return "timer " .. intent.id .. " " .. intent.at end
  return intent.op .. " " .. (intent.text or intent.name or intent.id)
end

local Bench = {}
Bench.__index = Bench

local function new_bench(machine)
  local bench = setmetatable({ armed = {} }, Bench)
  local durations = { glow_ns = 10, glow_retries = 2 }
  local left, right = { name = "left" }, { name = "right" }
  left.fsm = fsm.new(machine, left, "l", durations)
  right.fsm = fsm.new(machine, right, "r", durations)
  left.other, right.other = right.fsm, left.fsm
  bench.left, bench.right = left.fsm, right.fsm
  return bench
end

function Bench:run(now, act)
  local run = fsm.run(now, self.armed)
  act(run)
  local lines = {}
  for i, intent in ipairs(run:drain()) do lines[i] = text_of(intent) end
  return lines
end

function Bench:post(now, event, arg)
  return self:run(now, function(run) run:post(self.left, event, arg) end)
end

function Bench:expire(now, id)
  return self:run(now, function(run) run:expire(id) end)
end

describe("fsm", function()
  it("goes leave, action, enter, timer; a timer that goes on is not cancelled", function()
    local bench = new_bench(fsm.define(lamp()))
    assert.same({ "say left push a", "say left on a", "timer l/glow 15" }, bench:post(5, "push", "a"))
    assert.same({ "say left off", "say left push", "say left on", "timer l/glow 16" }, bench:post(6, "push"))
    assert.same({ "say left push" }, bench:post(7, "nudge"))
    assert.same({ "say left off", "cancel l/glow" }, bench:post(8, "burnt"))
    assert.same({}, bench.armed)
  end)

  it("retries as often as the durations say, then gives up", function()
    local bench = new_bench(fsm.define(lamp()))
    bench:post(0, "push")
    assert.same({ "say left blink", "timer l/glow 20" }, bench:expire(10, "l/glow"))
    assert.same({ "say left blink", "timer l/glow 30" }, bench:expire(20, "l/glow"))
    assert.same({ "say left off" }, bench:expire(30, "l/glow"))
    assert.equal("dark", bench.left.state)
    assert.same({ "count timer_stale" }, bench:expire(30, "l/glow"))
  end)

  it("ignores a timer that was replaced by a later one", function()
    local bench = new_bench(fsm.define(lamp()))
    bench:post(0, "push")
    bench:post(5, "push")
    assert.same({ "count timer_stale" }, bench:expire(10, "l/glow"))
    assert.same({ "say left blink", "timer l/glow 25" }, bench:expire(15, "l/glow"))
  end)

  it("counts an event without a row, and answers it where the state says how", function()
    local bench = new_bench(fsm.define(lamp()))
    assert.same({ "count lamp_unexpected", "say left refuse x" }, bench:post(0, "nudge", "x"))
    bench:post(0, "push")
    assert.same({ "count lamp_unexpected" }, bench:post(0, "kick"))
  end)

  it("takes a told event at once and a posted one afterwards", function()
    local bench = new_bench(fsm.define(lamp()))
    assert.same({ "say right push", "say right on", "timer r/glow 10", "say told" }, bench:post(0, "tell_other"))
    bench = new_bench(fsm.define(lamp()))
    assert.same({ "say posted", "say right push", "say right on", "timer r/glow 10" }, bench:post(0, "post_other"))
  end)

  it("shows each event to what traces it, before the actions", function()
    local seen, bench = {}, new_bench(fsm.define(lamp()))
    fsm.trace = {
      step = function(run, instance, event, row)
        local to = row and (row.next or "stays") or "no row"
        seen[#seen + 1] = ("%s %s %s %d"):format(instance.state, event, to, run.emitted)
      end,
      close = function() seen[#seen + 1] = "closed" end,
    }
    bench:post(0, "push")
    bench:post(0, "kick")
    bench:post(0, "burnt")
    bench:post(0, "kick")
    fsm.trace = nil
    assert.same({ "dark push lit 0", "closed", "lit kick no row 1", "closed", "lit burnt dark 0", "closed",
      "dark kick stays 1", "closed" }, seen)
  end)

  it("lists rows in order", function()
    local list = {}
    for _, item in ipairs(fsm.rows(fsm.define(lamp()))) do list[#list + 1] = item.state .. " " .. item.event end
    assert.same({ "* burnt", "* post_other", "* tell_other", "dark otherwise", "dark push", "lit blink", "lit nudge",
      "lit push" }, list)
  end)
end)

-- What breaks a machine, and the end of the message.
local BROKEN = {
  { function(m) m.states.dark.on.push.next = "dim" end, "lamp: state dim" },
  { function(m) m.states.dark.on.push.action = "hum" end, "lamp: action hum" },
  { function(m) m.states.dark.otherwise.action = "hum" end, "lamp: action hum" },
  { function(m) m.states.dark.enter = "hum" end, "lamp: action hum" },
  { function(m) m.states.dark.leave = "hum" end, "lamp: action hum" },
  { function(m) m.states.lit.timer = "hum" end, "lamp: timer of lit" },
  { function(m) m.states.lit.on.blink = nil end, "lamp: lit takes no blink" },
  { function(m) m.any.burnt = nil end, "lamp: lit takes no burnt" },
  { function(m) m.timers.glow.retries = nil end, "lamp: retries of glow" },
  { function(m) m.states.lost = {} end, "lamp: state lost is never reached" },
}

describe("fsm.define", function()
  for i, row in ipairs(BROKEN) do
    it(i .. " refuses: " .. row[2], function()
      local machine = lamp()
      row[1](machine)
      local ok, message = pcall(fsm.define, machine)
      assert.is_false(ok)
      assert.equal(row[2], (message:gsub("^%S+:%d+: ", "")))
    end)
  end
end)
