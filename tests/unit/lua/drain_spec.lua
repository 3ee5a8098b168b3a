-- SPDX-License-Identifier: BSD-3-Clause
local drain = require "gb.drain"
local flow_control = require "gb.flow_control"

local TARGET_NS, AIM_CS = 250000000, 15
local MS_RATE_BPS = 20000

-- The share after each of some measured delays, in centiseconds; false for none.
local function shares(target_ns, delays_cs, pdu_octets)
  local d, list = drain.new(target_ns, pdu_octets), {}
  for i, delay_cs in ipairs(delays_cs) do
    drain.observe(d, delay_cs or nil, MS_RATE_BPS)
    list[i] = d.share
  end
  return list, d
end

-- A cell that drains a share of what it announces, a second at a time; what waits, in seconds of its drain, at the end
-- of each. The delay that it measures is what waited at the beginning.
local function play(truth, seconds)
  local d, waiting, list = drain.new(TARGET_NS), 0, {}
  for i = 1, seconds do
    drain.observe(d, waiting * 100 // drain.WHOLE, MS_RATE_BPS)
    waiting = math.max(0, waiting + (d.share - truth) * drain.WHOLE // truth)
    list[i] = waiting / drain.WHOLE
  end
  return list
end

describe("the share of a rate that counts", function()
  local rows = {
    { "without a target", 0, { 0, 100, 60000 }, { 1000, 1000, 1000 } },
    { "without a measurement", TARGET_NS, { false, false }, { 1000, 1000 } },
    { "at the aim", TARGET_NS, { 15, 15, 15 }, { 600, 600, 600 } },
    { "grows while nothing waits", TARGET_NS, { 0, 0, 0, 0 }, { 763, 915, 1000, 1000 } },
    { "falls at a delay, at once and for long", TARGET_NS,
      { 0, 0, 0, 0, 0, 100, 100 }, { 763, 915, 1000, 1000, 1000, 564, 482 } },
    { "is never less than a tenth", TARGET_NS, { 65534, 65534 }, { 100, 100 } },
    { "waits for the next measurement", TARGET_NS, { 0, false, 0 }, { 763, 763, 915 } },
    { "shuns a delay beyond the aim", TARGET_NS, { 20, 20, 20 }, { 580, 572, 564 } },
    { "bears one that a single LLC-PDU takes", TARGET_NS, { 20, 20, 20 }, { 600, 600, 600 }, 506 },
    { "bears it the longer the less it counts", TARGET_NS,
      { 100, 100, 100, 100, 100, 100, 100, 100 }, { 356, 319, 289, 264, 244, 228, 215, 204 }, 506 },
  }
  for _, row in ipairs(rows) do
    it(row[1], function()
      assert.same(row[4], (shares(row[2], row[3], row[5])))
    end)
  end

  it("begins anew with the BSS", function()
    local _, d = shares(TARGET_NS, { 0, 0, 0, 65534 })
    drain.restart(d)
    assert.equal(1000, d.share)
    drain.observe(d, AIM_CS, MS_RATE_BPS)
    assert.equal(600, d.share)
  end)

  it("has another target from the next announcement on", function()
    local _, d = shares(TARGET_NS, { AIM_CS })
    drain.aim_at(d, 2 * TARGET_NS)
    drain.observe(d, 2 * AIM_CS, MS_RATE_BPS)
    assert.equal(600, d.share)
    drain.observe(d, AIM_CS, MS_RATE_BPS)
    assert.equal(667, d.share)
  end)

  it("is whole without a target, and begins anew with one", function()
    local _, d = shares(TARGET_NS, { 0, 65534, 65534 })
    drain.aim_at(d, nil)
    assert.equal(1000, d.share)
    drain.observe(d, 65534, MS_RATE_BPS)
    assert.equal(1000, d.share)
    drain.aim_at(d, TARGET_NS)
    drain.observe(d, AIM_CS, MS_RATE_BPS)
    assert.equal(600, d.share)
  end)

  it("goes on where a cell is only reset", function()
    local _, d = shares(TARGET_NS, { 0, 0 })
    drain.reset(d)
    assert.equal(1000, d.share)
    drain.observe(d, AIM_CS, MS_RATE_BPS)
    assert.equal(864, d.share)
  end)

  it("asks nothing of an R_default_MS of nothing", function()
    local d = drain.new(TARGET_NS, 506)
    drain.observe(d, 20, 0)
    assert.equal(580, d.share)
  end)

  for _, truth in ipairs({ 1000, 830, 600, 300, 150 }) do
    it(("holds the delay of a cell that drains %d per mille"):format(truth), function()
      local waiting = play(truth, 60)
      for second = 40, 60 do
        assert.is_true(waiting[second] < 0.7, ("%g s wait after %d s"):format(waiting[second], second))
      end
    end)
  end
end)

describe("an announcement", function()
  it("reaches the worker as it was, with the share that counts", function()
    local intents, wire = {}, { unitdata_encode = function() return "" end }
    local function nothing() end
    local run = { emit = function(_, intent) intents[#intents + 1] = intent end, count = nothing, touch = nothing,
      tell = nothing }
    local bvc = { wire = wire, nse = { nsei = 101, features = {} }, bvci = 1234, drain = drain.new(TARGET_NS) }
    flow_control.on_bvc(bvc, run, { via = 0, pdu = { tag = 1, bucket_octets = 100000, rate_bps = 80000,
      ms_bucket_octets = 25000, ms_rate_bps = 20000, measurement_cs = AIM_CS } })
    assert.same({ 100000, 80000, 25000, 20000, AIM_CS, 600 }, { intents[1].bucket_octets, intents[1].rate_bps,
      intents[1].ms_bucket_octets, intents[1].ms_rate_bps, intents[1].measurement_cs, intents[1].share_permille })
    assert.same({ 80000, 20000 }, { bvc.announced.rate_bps, bvc.announced.ms_rate_bps })
  end)
end)
