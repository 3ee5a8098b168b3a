-- SPDX-License-Identifier: BSD-3-Clause
-- The node that a scenario makes, the scenarios that are shipped, and their reference.
local config = require "schema.config"
local scenario = require "scenario.read"
local scenario_text = require "scenario_text"
local spec_tools = require "spec_tools"

local read = spec_tools.read

local NS = 1000000000

local function node_with(piece, replacement)
  local checked, lines = scenario.load(scenario_text.with(piece, replacement), "s.lua")
  assert.same({}, lines)
  local nodes, complaints = scenario.nodes(checked)
  assert.same({}, complaints)
  return nodes[1]
end

local function node_of_good()
  return node_with("Test", "Test")
end

describe("scenario.nodes", function()
  it("has one NSE with the scenario's cells and what they announce", function()
    local node = node_of_good()
    assert.equal("10.99.0.1", node.gb.address)
    assert.same({ { nsvci = 101, address = "10.99.0.2", udp_port = 23000 } }, node.nses[1].nsvcs)
    assert.same({ 2, 3 }, { node.nses[1].cells[1].bvci, node.nses[1].cells[2].bvci })
    assert.same({ bvci = 2, bvc = { bucket = 6000, rate = 48000 }, ms_default = { bucket = 6000, rate = 48000 },
      measurement = false, bucket_level = false, ms = {} }, node.emulated_bss[1].cells[1])
    assert.same({ bucket = 2500, rate = 20000 }, node.emulated_bss[1].cells[2].bvc)
  end)

  it("has an NSE for each BSS, and workers take them in turn", function()
    local node = node_with("bvci = 3", "bvci = 3, nse = 2")
    assert.same({ { 101, 2, 0, "10.99.0.2", 101 }, { 102, 3, 0, "10.99.0.3", 102 } }, (function()
      local list = {}
      for i, nse in ipairs(node.nses) do
        list[i] = { nse.nsei, nse.cells[1].bvci, nse.worker, nse.nsvcs[1].address, node.emulated_bss[i].nsei }
      end
      return list
    end)())
    assert.same({ 101, 102 }, { node.mobiles.list[1].nsei, node.mobiles.list[2].nsei })
    node = node_with("n201_u", "workers = 2, n201_u")
    assert.same({ 2, 0 }, { node.workers, node.nses[1].worker })
  end)

  it("has a node for each SGSN, with its cells, its own keys, and all mobiles", function()
    local cell_3 <const> = '{ bvci = 3, pdchs = 1, coding = "CS-4", bler = "5 %" },\n  },'
    local text <const> = scenario_text.with(cell_3, [[
      { bvci = 3, nse = 2, pdchs = 1, coding = "CS-4" } },
      sgsns = { { name = "a", cells = { 2 } }, { name = "b", cells = { 3 }, queue_limit = "7 kB",
        lifetime = { sgsn_max = "3 s" } } },]])
    local checked, lines = scenario.load(text, "s.lua")
    assert.same({}, lines)
    local nodes, complaints = scenario.nodes(checked)
    assert.same({}, complaints)
    local found = {}
    for i, node in ipairs(nodes) do
      local mobiles = {}
      for k, mobile in ipairs(node.mobiles.list) do
        mobiles[k] = { mobile.tlli & 0xff, mobile.bvci, mobile.contexts[1].sgsn_address }
      end
      local nse, announced = node.nses[1], node.emulated_bss[1]
      found[i] = { node.gb.address, nse.nsei, nse.nsvcs[1].address, nse.cells[1].bvci, nse.cells[1].cell_id.ci,
        announced.cells[1].bvci, #node.nses, node.mobiles.queue_limit, node.lifetime.sgsn_max // NS, mobiles }
    end
    local function all_in(bvci, address)
      local list = {}
      for k = 1, 4 do list[k] = { k, bvci, address } end
      return list
    end
    assert.same({ { "10.99.0.1", 101, "10.99.0.2", 2, 1, 2, 1, 64000, 15, all_in(2, "10.98.0.2") },
      { "10.99.1.1", 102, "10.99.0.3", 3, 2, 3, 1, 7000, 3, all_in(3, "10.98.0.3") } }, found)
    assert.same({ 3, 20 * NS, true }, { checked.mobiles[2].cell, checked.relocation.hold, checked.relocation.forward })
  end)

  it("has links for mobiles in acknowledged mode, and room for their frames on Gb", function()
    local plain = node_of_good()
    assert.same({ 0, 1500 }, { plain.llc.acknowledged.links, plain.gb.mtu })
    assert.equal("unacknowledged", plain.mobiles.list[1].contexts[1].llc)
    local node = node_with('{ name = "carl", count = 2,', '{ name = "carl", count = 2, llc = "acknowledged",')
    local modes = {}
    for i, mobile in ipairs(node.mobiles.list) do modes[i] = mobile.contexts[1].llc end
    assert.same({ "unacknowledged", "unacknowledged", "acknowledged", "acknowledged" }, modes)
    assert.same({ 2, 1671 }, { node.llc.acknowledged.links, node.gb.mtu })
  end)

  it("accepts the compression that mobiles offer", function()
    assert.equal("off", node_of_good().sndcp.compression.mode)
    local node = node_with('{ name = "carl", count = 2,',
      '{ name = "carl", count = 2, compression = { rfc1144 = { slots = 4 }, v42bis = { direction = "uplink" } },')
    assert.same({ mode = "passive", entities = 4, rfc1144 = { slots = 4 },
      v42bis = { direction = "both", codewords = 2048, string = 20 } }, node.sndcp.compression)
    node = node_with("n201_u", 'compression = { mode = "passive", entities = 7, rfc1144 = {} }, n201_u')
    assert.same({ mode = "passive", entities = 7, rfc1144 = { slots = 16 } }, node.sndcp.compression)
  end)

  it("lists the mobiles in the scenario's order", function()
    local mobiles = node_of_good().mobiles
    assert.equal("list", mobiles.source)
    local list = {}
    for i, mobile in ipairs(mobiles.list) do
      local context = mobile.contexts[1]
      assert.equal(1, #mobile.contexts)
      assert.is_nil(context.teid)
      list[i] = string.format("%s %X %d %s %s", mobile.imsi, mobile.tlli, mobile.bvci, context.address, context.class)
    end
    assert.same({
      "001010000000001 C0000001 2 10.45.0.1 background", "001010000000002 C0000002 3 10.45.0.2 thp2",
      "001010000000003 C0000003 2 10.45.0.3 background", "001010000000004 C0000004 2 10.45.0.4 background",
    }, list)
    local context = mobiles.list[1].contexts[1]
    assert.same({ "10.98.0.2", "10.98.0.1", 5 }, { context.sgsn_address, context.ggsn_address, context.nsapi })
  end)

  -- The node is checked with one mobile of each kind; the others are like it.
  it("gives mobiles of one kind their own identity and cell, and each kind its own values", function()
    local key = ("5a"):rep(16)
    local text = scenario_text.with("mobiles = {", string.format([[mobiles = {
      { name = "k", class = "thp2", cell = 3, ciphering = { algorithm = "gea4", kc = "%s" },
        traffic = { { ping = { every = "1 s" } } } },]], key))
    local checked, lines = scenario.load(text, "s.lua")
    assert.same({}, lines)
    local list = scenario.nodes(checked)[1].mobiles.list
    assert.same({ key, 3, "thp2" }, { list[1].ciphering.kc, list[1].bvci, list[1].contexts[1].class })
    for i = 2, #list do
      assert.is_nil(list[i].ciphering)
      assert.same({ i, 0xC0000000 + i }, { list[i].contexts[1].ggsn_teid, list[i].tlli })
      assert.are_not.equal(list[i].contexts, list[i - 1].contexts)
    end
    assert.same({ "background", "thp2", "background" }, { list[2].contexts[1].class, list[3].contexts[1].class,
      list[4].contexts[1].class })
    assert.same({ 2, 3, 2 }, { list[2].bvci, list[3].bvci, list[4].bvci })
  end)

  it("has the SGSN's settings", function()
    local node = node_with("lifetime = {",
      'sapi = 9, queue_limit = "10 kB", th = "30 s", lifetime = { mode = "per_node",')
    assert.same({ 9, 500, 10000, 30 * NS }, { node.mobiles.sapi, node.mobiles.n201_u, node.mobiles.queue_limit,
      node.timers.bssgp.th })
    assert.same({ mode = "per_node", sgsn_max = 15 * NS, bss_min = 10000000, bss_max = 655340000000 }, node.lifetime)
    local endless = node_with('"15 s"', '"infinite"')
    assert.equal(math.maxinteger, endless.lifetime.sgsn_max)
  end)

  it("has its queues, its link and what it makes of flow control", function()
    local node = node_with("lifetime = {", [[
      gb = { rate = "64 kbit/s", bucket_time = "1.5 s", signalling_share = "5 %" },
      flow_control = { bss_target = "250 ms", rate_factor = "150 %", max_bucket = "9 kB" },
      queues = { weights = { thp1 = 77 }, class = { thp2 = { packets = 5 }, sms = { octets = "2 kB" } },
        mobile = { octets = "9 kB", packets = 6 }, budget_packets = 100, reserve_packets = 8, extra_flows = 3,
        flow_queues = 16, flow_quantum = "300 octets" },
      lifetime = {]])
    assert.same({ rate = 64000, bucket = 12000, bucket_time = 1500000000, signalling_share = 50000 }, node.nses[1].gb)
    assert.same({ bss_target = 250000000, rate_factor = 1500000, max_bucket = 9000 }, node.flow_control)
    assert.equal(77, node.queues.weights.thp1)
    assert.equal(900, node.queues.weights.streaming)
    assert.same({ thp2 = { packets = 5, order = "mobiles" }, sms = { octets = 2000, order = "mobiles" } },
      node.queues.class)
    assert.same({ octets = 9000, packets = 6 }, node.queues.mobile)
    assert.same({ 100, 8, 3 }, { node.queues.budget_packets, node.queues.reserve_packets, node.queues.extra_flows })
    assert.same({ 16, 300, 64 }, { node.queues.flow_queues, node.queues.flow_quantum, node.queues.flow_sets })
  end)

  it("has what the discipline q stands for, but for what is given", function()
    local node = node_with("lifetime = {", [[
      queues = { discipline = "q", share = "airtime", class = { thp2 = { order = "fifo", packets = 9 } },
        flow_queues = 8 },
      lifetime = {]])
    local queues = node.queues
    for _, name in ipairs({ "conversational", "streaming", "thp1", "thp2", "thp3", "background" }) do
      assert.equal("sfq", queues.class[name].order)
    end
    assert.is_nil(queues.class.signalling)
    assert.same({ 9, "sfq", 8, true, 1300, 6000, "airtime" }, { queues.class.thp2.packets, queues.flow_order,
      queues.flow_queues, queues.drop_duplicates, queues.mobile_quantum, queues.credit, queues.share })
    assert.same({ "codel", "flow" }, { queues.aqm.scheme, queues.aqm.scope })
    assert.is_nil(node.flow_control.bss_target)
    assert.equal(math.max(64, node.limits.mobiles), queues.flow_sets)
  end)

  it("has buffers for the largest budget", function()
    local node = node_with("lifetime = {", "queues = { budget_packets = 200000, reserve_packets = 64 }, lifetime = {")
    assert.equal(262143, node.limits.npdu_buffers)
  end)

  it("announces for the mobiles of a cell when the cell says so", function()
    local node = node_with('rate = "48 kbit/s" }',
      'rate = "48 kbit/s" }, ms = { start = "2 s", by_coding = true }, every = "10 s", measurement = true')
    local cells = node.emulated_bss[1].cells
    assert.equal(10 * NS, cells[1].announce_every)
    assert.same({ true, false }, { cells[1].measurement, cells[1].bucket_level })
    assert.is_true(node_with('bucket_time = "1 s"', 'bucket_level = true').emulated_bss[1].cells[1].bucket_level)
    assert.same({
      { tlli = 0xC0000001, bucket = 6000, rate = 48000, at = 2 * NS, by_coding = true },
      { tlli = 0xC0000003, bucket = 6000, rate = 48000, at = 2 * NS, by_coding = true },
      { tlli = 0xC0000004, bucket = 6000, rate = 48000, at = 2 * NS, by_coding = true },
    }, cells[1].ms)
    assert.same({}, cells[2].ms)
  end)

  local sizes = { -- piece, replacement, N-PDU buffers, mobiles
    { "Test", "Test", 8191, 4 }, { "count = 2", "count = 100", 65535, 102 },
    { "count = 2", "count = 4000", 262143, 4002 },
    { 'n201_u = "500 octets"', 'n201_u = "1520 octets", queue_limit = "1000 MB"', 262143, 4 },
  }
  for i, row in ipairs(sizes) do
    it("is sized to the scenario, row " .. i, function()
      local node = node_with(row[1], row[2])
      assert.same({ row[3], row[4], row[4] }, { node.limits.npdu_buffers, node.limits.mobiles, node.limits.contexts })
    end)
  end

  it("passes for every size of frame", function()
    for n201_u = 140, 1520, 60 do
      assert.equal(n201_u, node_with('"500 octets"', '"' .. n201_u .. ' octets", queue_limit = "2 kB"').mobiles.n201_u)
    end
  end)
end)

describe("shipped scenario", function()
  local shipped = { quickstart = { 120, 3, 0 }, ["gprs-buffering"] = { 900, 1, 14 }, ["two-cells"] = { 180, 16, 1 },
    ["sgsn-change"] = { 300, 6, 0 },
    ["wfq-link"] = { 900, 20, 0 }, ["flow-queues"] = { 300, 1, 0 }, ["gprs-population"] = { 600, 280, 46 },
    ["dialup-population"] = { 300, 120, 7 } }
  for name, expect in pairs(shipped) do
    it(name .. " is right and makes a node", function()
      local path = "config/scenarios/" .. name .. ".lua"
      local checked, lines = scenario.load(read(path), path)
      assert.same({}, lines)
      assert.same(expect, { checked.duration // NS, #checked.mobiles, #checked.assumptions })
      local nodes, complaints = scenario.nodes(checked)
      assert.same({}, complaints)
      assert.same({ name == "sgsn-change" and 2 or 1, expect[2] }, { #nodes, #nodes[1].mobiles.list })
      assert.is_true(scenario.is_one(read(path), path))
    end)
  end

  it("gprs-buffering takes the paper's cases from the command line", function()
    local path = "config/scenarios/gprs-buffering.lua"
    local checked = scenario.load(read(path), path, { sets = { { path = "sgsn.lifetime.sgsn_max", value = "5s" },
      { path = "cells[1].pdchs", value = "3" } } })
    assert.same({ 5 * NS, 3, 36000 }, { checked.sgsn.lifetime.sgsn_max, checked.cells[1].pdchs,
      checked.cells[1].flow_control.bvc.rate })
  end)

  it("two-cells differs by seed only", function()
    local path = "config/scenarios/two-cells.lua"
    local function starts(seed)
      local list = {}
      for i, mobile in ipairs(scenario.load(read(path), path, { seed = seed }).mobiles) do
        list[i] = mobile.traffic[1].web and mobile.traffic[1].web.start
      end
      return list
    end
    assert.same(starts(7), starts(7))
    assert.not_same(starts(7), starts(8))
  end)

  it("docs/reference/scenario.md is what scripts/gen-docs.sh makes", function()
    local made = config.document("scenario", read("config/scenarios/two-cells.lua"))
    assert.equal(made, read("docs/reference/scenario.md"))
  end)
end)
