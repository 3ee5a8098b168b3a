-- SPDX-License-Identifier: BSD-3-Clause
-- What the command line changes, and what chance a file has.
local scenario = require "scenario.read"
local scenario_random = require "scenario.random"
local scenario_text = require "scenario_text"

local NS = 1000000000

local function load_set(text, ...)
  local sets = {}
  for i, option in ipairs({ ... }) do
    local path, value = option:match("^([^=]*)=(.*)$")
    sets[i] = { path = path, value = value }
  end
  return scenario.load(text, "s.lua", { sets = sets })
end

describe("--set", function()
  local good = {
    { "duration=90 s", function(s) return s.duration end, 90 * NS },
    { "duration=90s", function(s) return s.duration end, 90 * NS },
    { 'duration="90 s"', function(s) return s.duration end, 90 * NS },
    { "cells[1].pdchs=2", function(s) return s.cells[1].pdchs end, 2 },
    { "cells[1].rate=24 kbit/s", function(s) return s.cells[1].pdchs end, 2 },
    { "cells[2].rate=60 kbit/s", function(s) return s.cells[2].pdchs end, 3 },
    { "cells[1].coding=CS-4", function(s) return s.cells[1].coding end, "CS-4" },
    { "cells[1].tbf.release=0 s", function(s) return s.cells[1].tbf.release end, 0 },
    { "cells[2].tbf.release=1 s", function(s) return s.cells[2].tbf.release end, NS },
    { "sgsn.lifetime.sgsn_max=infinite", function(s) return s.sgsn.lifetime.sgsn_max end, math.maxinteger },
    { "mobiles.anna.class=thp2", function(s) return s.mobiles[1].class end, "thp2" },
    { "mobiles[2].class=thp3", function(s) return s.mobiles[2].class end, "thp3" },
    { "mobiles.carl.count=5", function(s) return #s.mobiles end, 7 },
    { "mobiles.anna.traffic[1].download.octets=1 MB",
      function(s) return s.mobiles[1].traffic[1].download.octets end, 1000000 },
    { "tcp.sack=false", function(s) return s.tcp.sack end, false },
    { "tcp.delayed_ack={ every = 1 }", function(s) return s.tcp.delayed_ack.every end, 1 },
    { "title=CS-2 = 12 kbit/s", function(s) return s.title end, "CS-2 = 12 kbit/s" },
    { "title=tostring", function(s) return s.title end, "tostring" },
  }
  for _, row in ipairs(good) do
    it("takes " .. row[1], function()
      local checked, lines = load_set(scenario_text.GOOD, row[1])
      assert.same({}, lines)
      assert.equal(row[3], row[2](checked))
    end)
  end

  local bad = {
    { "cells[1].pdch=2", "cells[1].pdch: unknown key 'pdch'; did you mean 'pdchs'?" },
    { "cells[1].pdchs=99", "cells[1].pdchs: 99 is out of range: 1 .. 64" },
    { "cells[3].pdchs=2", "there is no cells[3]; it has 2 items" },
    { "mobiles.carl.traffic[2].start=1 s", "there is no mobiles[3].traffic[2]; it has 1 item" },
    { "mobiles.dora.class=thp2", "'dora' is no item of mobiles: one of anna, bert, carl" },
    { "sgns.lifetime.sgsn_max=5 s", "sgns: unknown key 'sgns'; did you mean 'sgsn'?" },
    { "title.x=5", "title is 'Test' and has nothing below it" },
    { "sgsn.lifetime.sgsn_max=5", "sgsn.lifetime.sgsn_max: duration 5 needs a unit: one of ns, us, ms, s, min, h; "
      .. "allowed 1 ms .. 3600 s or infinite" },
    { "cells[1].flow_control.bvc.rate=-1 kbit/s", "cells[1].flow_control.bvc.rate: rate '-1 kbit/s' is out of range: "
      .. "0 bit/s .. 6.5535 Gbit/s" },
    { "tcp={ msss = 5 }", "tcp.msss: unknown key 'msss'; did you mean 'mss'?" },
    { "cells[1]..pdchs=2", "malformed path; the form is path=value, such as cells[1].pdchs=2" },
    { "=2", "malformed path; the form is path=value, such as cells[1].pdchs=2" },
    { "[1]=2", "malformed path; the form is path=value, such as cells[1].pdchs=2" },
    { "mobiles.anna.cell=9", "mobiles[1].cell: 9 is no cell: one of 2, 3" },
  }
  for _, row in ipairs(bad) do
    it("refuses " .. row[1] .. " and names the option", function()
      local value, lines = load_set(scenario_text.GOOD, row[1])
      assert.is_nil(value)
      assert.same({ "--set " .. row[1] .. ": " .. row[2] }, lines)
    end)
  end

  it("leaves errors of the file with file and line", function()
    local _, lines = load_set(scenario_text.with("pdchs = 4", "pdchs = 0"), "cells[1].coding=CS-1")
    assert.same({ "s.lua:7: cells[1].pdchs: 0 is out of range: 1 .. 64" }, lines)
  end)

  it("changes one of two places that share a table", function()
    local text = scenario_text.GOOD:gsub("return {", "local tbf = { setup = '100 ms' }\nreturn {", 1)
      :gsub('tbf = { setup = "200 ms" }', "tbf = tbf"):gsub('bler = "5 %%"', "tbf = tbf")
    local s = load_set(text, "cells[2].tbf.setup=300 ms")
    assert.same({ 100000000, 300000000 }, { s.cells[1].tbf.setup, s.cells[2].tbf.setup })
  end)

  it("is the last that counts, and is recorded", function()
    local s = load_set(scenario_text.GOOD, "cells[1].pdchs=2", "cells[1].pdchs=3")
    assert.equal(3, s.cells[1].pdchs)
    assert.same({ { path = "cells[1].pdchs", value = "2" }, { path = "cells[1].pdchs", value = "3" } }, s.sets)
    local _, lines = load_set(scenario_text.GOOD, "cells[1].pdchs=2", "cells[1].pdchs=0")
    assert.same({ "--set cells[1].pdchs=0: cells[1].pdchs: 0 is out of range: 1 .. 64" }, lines)
  end)

  it("takes an assumption's place, or a place within its value", function()
    local text = scenario_text.with('tbf = { setup = "200 ms" }',
      'tbf = { assumed = { value = { setup = "200 ms", release = "1 s" }, why = "x", holds_over = "y" } }')
    for _, path in ipairs({ "cells[1].tbf={ setup = '300 ms' }", "cells[1].tbf.setup=300 ms" }) do
      local s = load_set(text, path)
      assert.equal(300000000, s.cells[1].tbf.setup)
      assert.same({}, s.assumptions)
    end
    assert.equal(NS, load_set(text, "cells[1].tbf.setup=300 ms").cells[1].tbf.release)
  end)
end)

describe("math.random in a scenario", function()
  local TEXT = scenario_text.with('"20 ms"', 'math.random(1, 1000000) .. " us"')

  local function delay(seed)
    return scenario.load(TEXT, "s.lua", { seed = seed }).network.server_delay
  end

  it("follows the seed", function()
    assert.equal(delay(1), delay(1))
    assert.equal(delay(nil), delay(1))
    assert.not_equal(delay(1), delay(2))
  end)

  it("is splitmix64", function()
    -- The first numbers that the published algorithm gives for the seed 1234567.
    local expected = { 6457827717110365317, 3203168211198807973, -8629252141511181193, 4593380528125082431 }
    local draw = scenario_random.new(1234567)
    for _, number in ipairs(expected) do
      assert.equal(number, draw(math.mininteger, math.maxinteger) - math.mininteger)
    end
  end)

  it("stays in its range and reaches all of it", function()
    local draw, seen = scenario_random.new(5), {}
    for _ = 1, 2000 do
      local value, fraction = draw(3, 9), draw()
      assert.is_true(fraction >= 0 and fraction < 1)
      seen[value] = (seen[value] or 0) + 1
    end
    local count = 0
    for value, times in pairs(seen) do
      assert.is_true(value >= 3 and value <= 9 and times > 200)
      count = count + 1
    end
    assert.equal(7, count)
    assert.equal(1, draw(1))
  end)

  local bad = {
    { "math.random(0)", "s.lua:3: math.random has nothing between 1 and 0" },
    { "math.random(2, 1)", "s.lua:3: math.random has nothing between 2 and 1" },
    { "math.random(1.5)", "s.lua:3: math.random takes whole numbers" },
    { "math.random('x')", "s.lua:3: math.random takes whole numbers" },
  }
  for _, row in ipairs(bad) do
    it("refuses " .. row[1], function()
      local value, lines = scenario.load(scenario_text.with('"20 ms"', row[1] .. ' .. " ms"'), "s.lua")
      assert.is_nil(value)
      assert.same({ row[2] }, lines)
    end)
  end
end)
