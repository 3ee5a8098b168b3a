-- SPDX-License-Identifier: BSD-3-Clause
local timers = require "base.timers"

local function timer(id, at) return { op = "timer", id = id, at = at } end
local function cancel(id) return { op = "cancel", id = id } end

-- Ids in the order in which they expire up to `now`.
local function expired(t, now)
  local ids = {}
  t:advance(now, function(id) ids[#ids + 1] = id; return {} end)
  return table.concat(ids, " ")
end

describe("timers", function()
  -- intents, now, what has expired by then, when the next one is due
  local rows = {
    { {}, 9, "", nil },
    { { timer("a", 3), timer("b", 1), timer("c", 2) }, 2, "b c", 3 },
    { { timer("a", 3), timer("b", 3), timer("c", 3) }, 3, "a b c", nil },
    { { timer("a", 3), timer("b", 3), timer("a", 3) }, 3, "b a", nil }, -- set again: behind
    { { timer("a", 3), timer("a", 7), timer("b", 5) }, 6, "b", 7 }, -- put off
    { { timer("a", 7), timer("a", 3), timer("b", 5) }, 4, "a", 5 }, -- brought forward
    { { timer("a", 3), timer("b", 5), cancel("a"), cancel("x") }, 4, "", 5 },
    { { timer("a", 3), cancel("a"), timer("a", 4), timer("b", 3) }, 9, "b a", nil },
  }
  for i, row in ipairs(rows) do
    it("expire as in row " .. i, function()
      local t = timers.new()
      assert.same({}, t:take(row[1]))
      assert.equal(row[3], expired(t, row[2]))
      local at = t:next_at()
      assert.equal(row[4], at)
    end)
  end

  it("leave the other intents in order, and count", function()
    local t, counts, send, log = timers.new(), {}, { op = "send" }, { op = "log" }
    local count = { op = "count", name = "late" }
    local list = { send, timer("a", 3), count, log, cancel("a"), count }
    assert.equal(list, t:take(list, counts))
    assert.same({ { op = "send" }, { op = "log" } }, list)
    assert.same({ late = 2 }, counts)
    assert.same({}, t:take({ count }))
    assert.equal(0, t.live)
  end)

  it("return the intents of all that expire, and those set meanwhile expire, too", function()
    local t = timers.new()
    t:take({ timer("a", 1), timer("b", 2) })
    local out = t:advance(5, function(id)
      return t:take({ { op = id }, id == "a" and timer("c", 4) or timer("d", 6) })
    end)
    assert.same({ { op = "a" }, { op = "b" }, { op = "c" } }, out)
    assert.equal(6, t:next_at())
  end)

  it("that are put off are moved a few at a time, and expire in order", function()
    local t, calls, last = timers.new(), 0, 0
    for i = 1, 2000 do t:take({ timer(i, 1), timer(i, 5000 - i) }) end
    while t.live > 0 do
      calls = calls + 1
      local now = t:next_at()
      t:advance(now, function(id) assert.is_true(5000 - id >= last and 5000 - id <= now) last = 5000 - id return {} end)
    end
    assert.is_true(calls > 2000)
  end)

  it("stand in the instances that are their ids", function()
    local t, a, b = timers.new(true), {}, {}
    t:take({ timer(a, 3), timer(b, 2), timer(a, 1), timer(b, 4), cancel(a), cancel(a) })
    assert.is_nil(a.clock)
    assert.same({ 4, 1 }, { t:next_at(), t.live })
    t:advance(4, function(id) assert.equal(b, id) return {} end)
    assert.is_nil(b.clock)
    assert.equal(0, t.live)
  end)

  it("that are due together expire 20 at a time", function()
    local t = timers.new()
    for i = 1, 125 do t:take({ timer(i, 1) }) end
    local calls = {}
    while t:next_at() do
      local n = 0
      t:advance(5, function() n = n + 1; return {} end)
      calls[#calls + 1] = n
    end
    assert.same({ 20, 20, 20, 20, 20, 20, 5 }, calls)
  end)

  it("do what a list does that is searched, 20 000 times", function()
    local rng, t, model, order, now = 1, timers.new(), {}, 0, 0
    local function random(n)
      rng = (rng * 1103515245 + 12345) % 2147483648
      return rng // 65536 % n
    end
    local function expected()
      local due = {}
      for id, m in pairs(model) do
        if m.at <= now then due[#due + 1] = { id = id, at = m.at, order = m.order } end
      end
      table.sort(due, function(a, b) return a.at < b.at or a.at == b.at and a.order < b.order end)
      for i, m in ipairs(due) do model[m.id], due[i] = nil, m.id end
      return table.concat(due, " ")
    end
    for _ = 1, 20000 do
      local id, what = "t" .. random(50), random(10)
      if what < 6 then
        order = order + 1
        model[id] = { at = now + random(100), order = order }
        t:take({ timer(id, model[id].at) })
      elseif what < 8 then
        model[id] = nil
        t:take({ cancel(id) })
      else
        now = now + random(20)
        assert.equal(expected(), expired(t, now))
      end
    end
    local left = 0
    for _ in pairs(model) do left = left + 1 end
    assert.equal(left, t.live)
  end)
end)
