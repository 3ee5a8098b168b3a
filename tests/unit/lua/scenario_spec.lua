-- SPDX-License-Identifier: BSD-3-Clause
local scenario = require "scenario.read"
local bad_rows = {}
local scenario_text = require "scenario_text"

local NS = 1000000000

for _, name in ipairs({ "scenario_bad_rows", "scenario_calls_rows", "scenario_mobility_rows",
  "scenario_sgsn_rows", "scenario_trace_rows" }) do
  table.move(require(name), 1, #require(name), #bad_rows + 1, bad_rows)
end

local function load_good(options)
  local checked, lines = scenario.load(scenario_text.GOOD, "s.lua", options)
  assert.same({}, lines)
  return checked
end

local function load_with(piece, replacement)
  local checked, lines = scenario.load(scenario_text.with(piece, replacement), "s.lua")
  assert.same({}, lines)
  return checked
end

describe("scenario.load refuses", function()
  for i, row in ipairs(bad_rows) do
    it("row " .. i .. ": " .. row[2]:gsub("%c", " "):sub(1, 60), function()
      local value, errors = scenario.load(scenario_text.with(row[1], row[2]), "s.lua")
      assert.is_nil(value)
      assert.same(table.move(row, 3, #row, 1, {}), errors)
    end)
  end

  it("what is no table, and what does not compile", function()
    local _, none = scenario.load("return 5", "s.lua")
    assert.same({ "s.lua:1: returns a number; a configuration is a text that ends in: return { ... }" }, none)
    local _, broken = scenario.load("return {\n title = \n}", "s.lua")
    assert.same({ "s.lua:3: unexpected symbol near '}'" }, broken)
    local _, node = scenario.load("\n" .. require("node_text").GOOD, "s.lua")
    assert.same({ "s.lua:2: is the configuration of a node, for gbflow serve and replay; expected a scenario" }, node)
  end)

  it("a text cut off anywhere, without failing itself", function()
    for length = 0, #scenario_text.GOOD - 3, 7 do
      local value, errors = scenario.load(scenario_text.GOOD:sub(1, length), "s.lua")
      assert.is_nil(value)
      assert.is_truthy(errors[1]:find("^s%.lua:%d+: "))
    end
  end)
end)

describe("scenario.load", function()
  it("fills in defaults and base units", function()
    local s = load_good()
    assert.same({ 60 * NS, 0, NS, 1 }, { s.duration, s.warmup, s.series.every, s.seed })
    assert.same({ server_delay = 20000000, gn_delay = 1000000, gb_delay = 1000000, ack_delay = 0,
      internet_loss = 0, gn_loss = 0, reorder = 0, reorder_delay = 50000000 }, s.network)
    assert.same({ workers = 1, n201_u = 500, sapi = 3, th = 5 * NS, queue_limit = 64000,
      gb = { bucket_time = 20000000, signalling_share = 500000 }, flow_control = { rate_factor = 1000000 },
      queues = { weights = { signalling = 1000, sms = 500, conversational = 900, streaming = 900, thp1 = 50, thp2 = 35,
        thp3 = 15, background = 5 }, mobile = { packets = 65535 }, class = {},
        reserve_packets = 64, flow_quantum = 1526,
        discipline = "shares", drop_duplicates = false, flow_order = "drr", share = "octets",
          pacing = { flows = 4096, window = "share", buffer = 64000,
        mobile_target = 600000000 } },
      path = { echo = "both", t3 = 5 * NS, n3 = 3, on_loss = "keep", lab = false },
      acknowledged = { n201_i = 1503, k_down = 16, k_up = 8, m_down = 0, m_up = 0, t200 = 20 * NS, n200 = 3 },
      unprotected_sapis = {}, crypto = { engine = "auto", engine_name = "" },
      lifetime = { mode = "split", sgsn_max = 15 * NS, bss_min = 10000000, bss_max = 655340000000 } }, s.sgsn)
    assert.same({ {}, {} }, { s.assumptions, s.sets })
  end)

  it("fills in what a cell leaves open", function()
    local cells = load_good().cells
    assert.same({ 2, 4, "CS-2", 30, 0, 0, 100000000, 64 }, { cells[1].bvci, cells[1].pdchs, cells[1].coding,
      cells[1].block_payload, cells[1].bler, cells[1].bler_up, cells[1].retransmission, cells[1].window })
    assert.same({ 50, 50000, 50000 }, { cells[2].block_payload, cells[2].bler, cells[2].bler_up })
    assert.same({ setup = 200000000, setup_with_uplink = 100000000, release = 2 * NS, uplink_access = 200000000,
      uplink_hold = 500000000 }, cells[1].tbf)
    assert.same({ mobile = 1000000, cell = 4000000 }, cells[1].buffer)
  end)

  -- cell 1's keys in place of pdchs and coding; its timeslots, coding, octets of a block
  local rates = {
    { 'rate = "48 kbit/s"', 4, "CS-2", 30 }, { 'rate = "12 kbit/s"', 1, "CS-2", 30 },
    { 'rate = "48 kbit/s", coding = "CS-1"', 6, "CS-1", 20 }, { 'rate = "40 kbit/s"', 5, "CS-1", 20 },
    { 'rate = "14.4 kbit/s"', 1, "CS-3", 36 }, { 'rate = "473.6 kbit/s"', 8, "MCS-9", 148 },
    { 'rate = "768 kbit/s"', 64, "CS-2", 30 }, { 'rate = "50 kbit/s", block_octets = 25', 5, "CS-2", 25 },
  }
  for _, row in ipairs(rates) do
    it("makes timeslots of " .. row[1], function()
      local cell = load_with('pdchs = 4, coding = "CS-2"', row[1] .. ', bler = "0 %"').cells[1]
      assert.same({ row[2], row[3], row[4] }, { cell.pdchs, cell.coding, cell.block_payload })
    end)
  end

  -- cell 1's keys in place of `pdchs = 4`, then bvc and ms_default as bucket and rate
  local buckets = {
    { "pdchs = 4", 6000, 48000, 6000, 48000 },
    { "pdchs = 4, downlink_slots = 2", 6000, 48000, 3000, 24000 },
    { "pdchs = 1", 6000, 48000, 1500, 12000 }, -- the cell's rate is given
    { "pdchs = 8, downlink_slots = 8", 6000, 48000, 12000, 96000 },
  }
  for i, row in ipairs(buckets) do
    it("derives buckets, row " .. i, function()
      local flow = load_with("pdchs = 4", row[1]).cells[1].flow_control
      assert.same({ bucket = row[2], rate = row[3] }, flow.bvc)
      assert.same({ bucket = row[4], rate = row[5] }, flow.ms_default)
      assert.is_nil(flow.ms)
    end)
  end

  it("rounds a bucket down to whole steps and to what can be announced", function()
    assert.equal(700, load_with('"1 s",\n        bvc', '"129 ms",\n        bvc').cells[1].flow_control.bvc.bucket)
    local flow = load_with('rate = "48 kbit/s" }', 'rate = "6 Mbit/s" }, ms = { rate = "24 kbit/s" }').cells[1]
      .flow_control
    assert.same({ bucket = 750000, rate = 6000000 }, flow.bvc)
    assert.same({ bucket = 3000, rate = 24000, start = 0, by_coding = false }, flow.ms)
    assert.equal(6553500, load_with('rate = "48 kbit/s"', 'rate = "6.55 Mbit/s", bucket = "6553500 octets"').cells[1]
      .flow_control.bvc.bucket)
    assert.equal(6553500, load_with('bucket_time = "1 s",\n        bvc = { rate = "48 kbit/s" }',
      'bucket_time = "600 s", bvc = { rate = "6.5 Mbit/s" }').cells[1].flow_control.bvc.bucket)
  end)

  it("puts moves in order and finds their mobiles", function()
    local moves = load_with("tcp = { mss", [[moves = { { at = "9 s", mobile = "bert", cell = 2 },
      { at = "5 s", mobile = "carl2", cell = 3 }, { at = "5 s", mobile = "carl2", cell = 2, gap = "3 s" } },
      tcp = { mss]]).moves
    local list = {}
    for i, move in ipairs(moves) do
      list[i] = { move.at // NS, move.number, move.cell, move.is_leaving }
    end
    assert.same({ { 5, 4, 3, false }, { 5, 4, 2, true }, { 8, 4, 2, false }, { 9, 2, 2, false } }, list)
  end)

  it("makes a list of single mobiles", function()
    local list = {}
    for i, mobile in ipairs(load_good().mobiles) do
      list[i] = table.concat({ mobile.name, mobile.cell, mobile.class, #mobile.traffic }, " ")
    end
    assert.same({ "anna 2 background 2", "bert 3 thp2 1", "carl1 2 background 1", "carl2 2 background 1" }, list)
  end)

  it("gives traffic its end and its TCP", function()
    local mobiles = load_good().mobiles
    local download, web = mobiles[1].traffic[1].download, mobiles[2].traffic[1].web
    assert.same({ 300000, NS, 60 * NS }, { download.octets, download.start, download.stop })
    assert.same({ mss = 1460, stack = "rfc", fack = true, sack = true, timestamps = true, ecn = false,
      cc = "newreno", content = "random", slow_start = "standard", growth = "acks", prr = false, rack = false,
      recovery = "newreno", receive_window = 65535, initial_cwnd = 3,
      delayed_ack = { every = 2, timeout = 200000000 }, initial_rto = NS, min_rto = NS, max_rto = 60 * NS },
      download.tcp)
    assert.is_false(web.tcp.sack)
    assert.equal(1460, web.tcp.mss)
    assert.same({ items = 30, item = 4910, page = 10000, parallel = 4, persistent = true, request = 350,
      close_awaited = false, reading = NS, reading_law = "fixed", start = 0, stop = 60 * NS, transport = "tcp",
      tcp = web.tcp, quic = web.quic }, web)
    assert.same({ congestion = "cubic", datagram = 1200, receive_window = 1000000, certificate = 3000, ack_every = 2,
      ack_delay = 25000000, initial_rtt = 333000000, idle_timeout = 30 * NS, ecn = false }, web.quic)
    assert.same({ every = NS, octets = 64, content = "zeros", start = 0, stop = 60 * NS }, mobiles[1].traffic[2].ping)
    assert.same({ rate = 8000, packet = 500, pause = 0, burst_law = "fixed", interval_law = "fixed", ecn = false,
      content = "zeros", start = 0, stop = 60 * NS }, mobiles[3].traffic[1].cbr)
  end)

  it("places servers: a delay without a range is its own greatest", function()
    local list = load_with('{ name = "carl", count = 2,\n      traffic = { { cbr = { rate',
      '{ name = "carl", count = 2, server_delay = "1 s", server_delay_max = "2 s",\n'
        .. '      traffic = { { cbr = { server_delay = "30 ms", rate').mobiles
    for i, expected in ipairs({ { nil, nil }, { nil, nil }, { NS, 2 * NS }, { NS, 2 * NS } }) do
      assert.same(expected, { list[i].server_delay, list[i].server_delay_max })
    end
    local cbr = list[4].traffic[1].cbr
    assert.same({ 30000000, 30000000 }, { cbr.server_delay, cbr.server_delay_max })
  end)

  it("gives packets of mobiles that compress a content that V.42bis leaves as it is", function()
    local rows = { { "", "", "zeros" }, { "compression = { rfc1144 = {} },", "", "random" },
      { "compression = { v42bis = {} },", 'content = "zeros", ', "zeros" }, { "", 'content = "text", ', "text" } }
    for _, row in ipairs(rows) do
      local cbr = load_with('traffic = { { cbr = { rate', row[1] .. "traffic = { { cbr = { " .. row[2] .. "rate")
        .mobiles[3].traffic[1].cbr
      assert.equal(row[3], cbr.content)
      local ping = load_with('{ name = "anna", cell = 2,\n      traffic = {\n        { download',
        '{ name = "anna", ' .. row[1] .. "traffic = { { ping = {" .. row[2] .. "} }, { download")
        .mobiles[1].traffic[1].ping
      assert.equal(row[3], ping.content)
    end
  end)

  it("merges one key of a group into the general TCP", function()
    local s = load_with("sack = false", "delayed_ack = { every = 1 }, max_cwnd = 42")
    local tcp = s.mobiles[2].traffic[1].web.tcp
    assert.same({ every = 1, timeout = 200000000 }, tcp.delayed_ack)
    assert.same({ 42, nil }, { tcp.max_cwnd, s.tcp.max_cwnd })
    assert.same({ every = 2, timeout = 200000000 }, s.tcp.delayed_ack)
  end)

  it("takes endless downloads", function()
    assert.equal(math.maxinteger, load_with('"300 kB"', '"infinite"').mobiles[1].traffic[1].download.octets)
  end)
end)

describe("a scenario's study", function()
  local function load_study(text)
    return scenario.load(scenario_text.with('  series = {', "  study = " .. text .. ",\n  series = {"), "s.lua")
  end

  it("has the points of its axes", function()
    local s, lines = load_study('{ axes = { { name = "n", set = { "cells[1].pdchs" }, values = { 1, 2 } } } }')
    assert.same({}, lines)
    assert.equal(5, s.study.seeds)
    assert.same({ "1", "2" }, { s.study.axes[1].points[1].label, s.study.axes[1].points[2].label })
    assert.same({ { path = "cells[1].pdchs", value = "2", key = "study.axes[1].values[2]", line = 26 } },
      s.study.axes[1].points[2].sets)
  end)

  it("is not there by itself", function()
    assert.is_nil(load_good().study)
  end)

  local bad = {
    { "{}", "s.lua:26: study.axes: missing" },
    { '{ axes = { { name = "n", set = { "p" } } } }',
      "s.lua:26: study.axes[1]: has 0 of `values`, `range` and `points`; needs exactly one" },
    { '{ scenario = "other.lua", axes = { { name = "n", set = { "p" }, values = { 1 } } } }',
      "s.lua:26: study.scenario: unknown key 'scenario'" },
    { '{ axes = { { name = "n", set = { "p" }, values = { 1 } } }, baseline = { n = "2" } }',
      "s.lua:26: study.baseline.n: '2' is no point of the axis" },
  }
  for _, row in ipairs(bad) do
    it("is wrong: " .. row[1], function()
      local value, errors = load_study(row[1])
      assert.is_nil(value)
      assert.equal(row[2], errors[1]:sub(1, #row[2]))
    end)
  end
end)

describe("assumed", function()
  local rows = {
    { '"5 %"', '{ assumed = { value = "5 %", why = "x", holds_over = "y" } }',
      { path = "cells[2].bler", value = "5 %", why = "x", holds_over = "y" } },
    { "pdchs = 4", 'pdchs = { assumed = { value = 4, why = "x", holds_over = "y" } }',
      { path = "cells[1].pdchs", value = "4", why = "x", holds_over = "y" } },
    { 'tbf = { setup = "200 ms" }',
      'tbf = { assumed = { value = { setup = "200 ms" }, why = "x", holds_over = "y" } }',
      { path = "cells[1].tbf", value = '{ setup = "200 ms" }', why = "x", holds_over = "y" } },
    { "sack = false", 'sack = { assumed = { value = false, why = "x", holds_over = "y" } }',
      { path = "mobiles[2].traffic[1].web.tcp.sack", value = "false", why = "x", holds_over = "y" } },
    { "{ ping = { every = \"1 s\" } }",
      '{ assumed = { value = { ping = { every = "1 s" } }, why = "x", holds_over = "y" } }',
      { path = "mobiles[1].traffic[2]", value = '{ ping = { every = "1 s" } }', why = "x", holds_over = "y" } },
  }
  for i, row in ipairs(rows) do
    it("has its plain value and is listed, row " .. i, function()
      local s = load_with(row[1], row[2])
      assert.same({ row[3] }, s.assumptions)
      s.assumptions = {}
      assert.same(load_good(), s)
    end)
  end

  it("lists all in order of the schema", function()
    local text = scenario_text.with('"5 %"', '{ assumed = { value = "5 %", why = "x", holds_over = "y" } }')
    text = text:gsub('"20 ms"', '{ assumed = { value = "20 ms", why = "x", holds_over = "y" } }')
    local s = scenario.load(text, "s.lua")
    assert.same({ "network.server_delay", "cells[2].bler" }, { s.assumptions[1].path, s.assumptions[2].path })
  end)
end)

describe("scenario.is_one", function()
  local rows = {
    { scenario_text.GOOD, true }, { "return { duration = 5 }", true }, { 'return { titel = 1, cells = {} }', true },
    { require("node_text").GOOD, false }, { "return {}", false }, { "return { mobiles = {} }", false },
    { "return 5", false }, { "return {", false }, { "return { duration = math.random() .. ' s' }", true },
    { "local lib = require 'lib' return { duration = lib.none() }", true },
    { "return { duration = required() }", false },
  }
  for i, row in ipairs(rows) do
    it("knows a scenario from a node, row " .. i, function()
      assert.equal(row[2], scenario.is_one(row[1], "s.lua"))
    end)
  end
end)
