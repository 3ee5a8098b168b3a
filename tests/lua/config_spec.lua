-- SPDX-License-Identifier: BSD-3-Clause
local config = require "config"
local bad = require "config_bad_rows"
local node_text = require "node_text"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function title(i, text)
  return "row " .. i .. ": " .. text:gsub("%c", " "):sub(1, 60)
end

local function assert_refused(text, row, first_line)
  local value, errors = config.load(text, "n.lua", "node")
  assert.is_nil(value)
  assert.same(table.move(row, first_line, #row, 1, {}), errors)
end

describe("config.load refuses", function()
  for i, row in ipairs(bad.pieces) do
    it("pieces, " .. title(i, row[2]), function()
      assert_refused(node_text.with(row[1], row[2]), row, 3)
    end)
  end
  for i, row in ipairs(bad.lists) do
    it("lists, " .. title(i, row[1]), function()
      assert_refused(node_text.with_list(row[1]), row, 2)
    end)
  end
  for i, row in ipairs(bad.texts) do
    it("texts, " .. title(i, row[1]), function()
      assert_refused(row[1], row, 2)
    end)
  end
end)

describe("config.load", function()
  it("fills in defaults and base units", function()
    local node, warnings = config.load(node_text.GOOD, "n.lua", "node")
    assert.same({}, warnings)
    assert.same({ address = "10.99.0.1", udp_port = 23000, mtu = 1500, overhead_octets = 0 }, node.gb)
    assert.same({ mode = "split", sgsn_max = 15000000000, bss_min = 10000000, bss_max = 655340000000 }, node.lifetime)
    assert.same({ reset = 3000000000, reset_retries = 3, block = 3000000000, block_retries = 3, test = 30000000000,
      alive = 3000000000, alive_retries = 10 }, node.timers.ns)
    assert.same({ th = 5000000000 }, node.timers.bssgp)
    assert.same({ mobiles = 4096, contexts = 8192, npdu_buffers = 32767, reassemblies = 1024, fragments = 4096 },
      node.limits)
    assert.same({ source = "gtpc", first_tlli = 0xC0000001, cells = { 1801 }, sapi = 3, n201_u = 500,
      queue_limit = 64000, list = {}, homes = { { nsei = 101, bvci = 1801 } } }, node.mobiles)
    assert.same({ bvci = 1800, bvc = { bucket = 10000, rate = 80000 }, ms_default = { bucket = 20000, rate = 40000 },
      ms = {} }, node.emulated_bss[1].cells[1])
  end)

  it("puts learned mobiles into all cells, in order, when it is not told", function()
    local node = config.load(node_text.with("cells = { 1801 }", ""), "n.lua", "node")
    assert.same({ { nsei = 101, bvci = 1800 }, { nsei = 101, bvci = 1801 } }, node.mobiles.homes)
  end)

  it("finds the NSE of a listed mobile", function()
    local text = node_text.with_list('{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { '
      .. '{ nsapi = 5, teid = 1, sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1, '
      .. 'address = "10.45.0.1" } } }')
    local node = config.load(text, "n.lua", "node")
    assert.equal(101, node.mobiles.list[1].nsei)
    assert.equal("background", node.mobiles.list[1].contexts[1].class)
  end)

  it("takes rates above 16 bits of 100 bit/s when the whole message fits the larger step", function()
    local text = node_text.with('bvc = { bucket = "10000 octets", rate = "80 kbit/s" }',
      'bvc = { bucket = "10 kB", rate = "65.535 Mbit/s" }')
    local node = config.load(text, "n.lua", "node")
    assert.equal(65535000, node.emulated_bss[1].cells[1].bvc.rate)
  end)

  it("warns of a bucket smaller than one LLC-PDU", function()
    local node, warnings = config.load(node_text.with('"10000 octets"', '"500 octets"'), "n.lua", "node")
    assert.is_table(node)
    assert.same({ "n.lua:20: emulated_bss[1].cells[1].bvc.bucket: size '500 octets' is less than one LLC-PDU of 506 "
      .. "octets: a larger PDU only leaves when the bucket has run empty" }, warnings)
  end)

  it("gives the same for the same text", function()
    local first, second = config.load(node_text.GOOD, "n.lua", "node"), config.load(node_text.GOOD, "n.lua", "node")
    assert.same(first, second)
  end)

  it("takes a text cut off anywhere without failing itself", function()
    for length = 0, #node_text.GOOD - 3, 7 do
      local value, errors = config.load(node_text.GOOD:sub(1, length), "n.lua", "node")
      assert.is_nil(value)
      assert.is_truthy(errors[1]:find("^n%.lua:%d+: "))
    end
  end)
end)

describe("shipped", function()
  local nodes = { ["replay-80k"] = { 10000, 80000, 15000000000 },
    ["replay-open"] = { 6553500, 6553500, math.maxinteger } }
  for name, expect in pairs(nodes) do
    it(name .. " is right and says what its name says", function()
      local path = "config/nodes/" .. name .. ".lua"
      local node, warnings = config.load(read(path), path, "node")
      assert.same({}, warnings)
      local cell = node.emulated_bss[1].cells[1]
      assert.same({ bucket = expect[1], rate = expect[2] }, cell.bvc)
      assert.same(cell.bvc, cell.ms_default)
      assert.equal(expect[3], node.lifetime.sgsn_max)
      assert.equal("gtpc", node.mobiles.source)
    end)
  end

  it("docs/node.md is what scripts/gen-docs.sh makes", function()
    assert.equal(config.document("node"), read("docs/node.md"))
  end)
end)
