-- SPDX-License-Identifier: BSD-3-Clause
-- What a file for `gbflow emulate` may say.
local config = require "schema.config"
local spec_tools = require "spec_tools"

local read = spec_tools.read

local GOOD = [[return {
  nsei = 101,
  nsvcs = { { nsvci = 1, address = "198.51.100.2", sgsn_address = "198.51.100.1" },
    { nsvci = 2, address = "198.51.100.2", sgsn_address = "198.51.100.1", sgsn_udp_port = 23001 } },
  cells = { { bvci = 2, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 1 }, pdchs = 4, coding = "CS-2" },
    { bvci = 3, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 1, ci = 2 }, pdchs = 1, coding = "CS-1" } },
  mobiles = {
    { tlli = 0xC0000001, count = 3, address = "10.45.0.1" },
    { tlli = 0xC0000004, cell = 3, address = "10.45.0.4", tun = { device = "gbf1" } },
  },
}
]]

local function with(piece, replacement)
  local first, last = GOOD:find(piece, 1, true)
  return GOOD:sub(1, first - 1) .. replacement .. GOOD:sub(last + 1)
end

-- A piece of it, what stands there instead, and the complaint.
local refused = {
  { "nsei = 101,", "", "b.lua:1: nsei: missing; a BSS needs it: 0 .. 65535" },
  { "nsvci = 2", "nsvci = 1", "b.lua:4: nsvcs[2].nsvci: NS-VCI 1 is taken by nsvcs[1].nsvci" },
  { ", sgsn_udp_port = 23001", "", "b.lua:4: nsvcs[2]: the pair of endpoints 198.51.100.2:23000, 198.51.100.1:23000 "
    .. "is taken by nsvcs[1]" },
  { "bvci = 3", "bvci = 2", "b.lua:6: cells[2].bvci: BVCI 2 is taken by cells[1].bvci",
    "b.lua:9: mobiles[2].cell: 3 is no cell: one of 2, 2" },
  { "ci = 2 }, p", "ci = 1 }, p",
    "b.lua:6: cells[2].cell_id: cell identity 262-42-1-1-1 is taken by cells[1].cell_id" },
  { "cell = 3", "cell = 4", "b.lua:9: mobiles[2].cell: 4 is no cell: one of 2, 3" },
  { "0xC0000004", "0xC0000003", "b.lua:9: mobiles[2].tlli: the TLLI is taken by mobiles[1].tlli" },
  { "tlli = 0xC0000004", "tlli = 0xFFFFFFFF, count = 2",
    "b.lua:9: mobiles[2].tlli: 2 TLLIs from here on go beyond the last one" },
  { "10.45.0.4", "10.45.0.3", "b.lua:9: mobiles[2].address: the address is taken by mobiles[1].address" },
  { "gbf1", "gbf0", "b.lua:9: mobiles[2].tun: device gbf0 of namespace (ours) is taken by mobiles[1].tun" },
  { "pdchs = 1,", 'pdchs = 1, flow_control = { bucket_time = "100 ms" },', "b.lua:9: mobiles[2].n201_u: LLC-PDUs of "
    .. "506 octets (n201_u and 6) do not fit the buckets of its cell, 100 octets and 100 octets" },
  { "nsei = 101,", 'nsei = 101, phones = { imsi = "26242" },',
    "b.lua:2: phones.imsi: '26242' is not a valid text: 15 digits" },
  { "nsei = 101,", 'nsei = 101, phones = { imsi = "262420000000999", count = 0 },',
    "b.lua:2: phones.count: 0 is out of range: 1 .. 999" },
  { "nsei = 101,", 'nsei = 101, phones = { imsi = "262420000000001", tun = {} },',
    "b.lua:2: phones.tun: device gbf0 of namespace (ours) is taken by mobiles[1].tun" },
  { "nsei = 101,", 'nsei = 101, phones = { imsi = "262420000000001", script = { { what = "fly" } } },',
    "b.lua:2: phones.script[1].after: missing; a step needs it: 0 s .. 86400 s",
    "b.lua:2: phones.script[1].what: 'fly' is not a known word: one of move, update, detach, power_off, attach, "
      .. "deactivate, activate, suspend, resume" },
  { "pdchs = 1,", "pdchs = 1, nse = 1,", nil },
}

describe("a BSS is refused:", function()
  for i, row in ipairs(refused) do
    it("row " .. i .. ": " .. row[2]:sub(1, 60), function()
      local value, errors = config.load(with(row[1], row[2]), "b.lua", "bss")
      assert.is_nil(value)
      if row[3] then
        assert.same(table.move(row, 3, #row, 1, {}), errors)
      else
        assert.is_truthy(errors[1]:find("unknown key 'nse'", 1, true))
      end
    end)
  end
end)

local BOUNDS <const> = { n201_i = 1503, k_down = 16, k_up = 8, m_down = 0, m_up = 0, t200 = 20000000000, n200 = 3 }

describe("a BSS", function()
  it("has mobiles in acknowledged mode", function()
    local text = GOOD:gsub("mobiles = {%s*{", '%0 llc = "acknowledged", '
      .. 'acknowledged = { n201_i = "400 octets", k_up = 2, m_up = 25, t200 = "1500 ms" },', 1)
    local bss = assert(config.load(text, "b.lua", "bss"))
    assert.same({ "acknowledged", "unacknowledged" }, { bss.mobiles[1].llc, bss.mobiles[2].llc })
    assert.same({ n201_i = 400, k_down = 16, k_up = 2, m_down = 0, m_up = 25, t200 = 1500000000, n200 = 3 },
      bss.mobiles[1].acknowledged)
    assert.same(BOUNDS, bss.mobiles[2].acknowledged)
    for _, wrong in ipairs({ { "m_up = 25", "m_up = 24", "24 times 16 octets is less than n201_i, 400: 0 or 25" },
      { '"1500 ms"', '"1550 ms"', "tenths of a second" }, { "k_up = 2", "k_up = 128", "1 .. 127" } }) do
      local _, errors = config.load((text:gsub(wrong[1], wrong[2])), "b.lua", "bss")
      assert.is_truthy(errors and errors[1]:find(wrong[3], 1, true), errors and errors[1])
    end
  end)

  it("has mobiles that offer compression", function()
    local text = GOOD:gsub("mobiles = {%s*{", "%0 compression = { rfc1144 = {}, v42bis = { string = 30 } },", 1)
    local bss = assert(config.load(text, "b.lua", "bss"))
    assert.same({ rfc1144 = { slots = 16 }, v42bis = { direction = "both", codewords = 2048, string = 30 } },
      bss.mobiles[1].compression)
    assert.is_nil(bss.mobiles[2].compression)
    local _, errors = config.load((text:gsub("compression = %b{}", "compression = {}")), "b.lua", "bss")
    assert.is_truthy(errors and errors[1]:find("offers nothing: add `rfc1144 = {}`", 1, true), errors and errors[1])
  end)

  it("gets its defaults", function()
    local bss, warnings = config.load(GOOD, "b.lua", "bss")
    assert.same({}, warnings)
    local first, second = bss.mobiles[1], bss.mobiles[2]
    assert.same({ 2, 3, 4, 1 }, { first.cell, second.cell, bss.total_mobiles, bss.seed })
    assert.same({ device = "gbf0", mtu = 1500, default_route = false }, first.tun)
    assert.same({ 500, 3, 5, "background" }, { first.n201_u, first.sapi, first.nsapi, first.class })
    assert.same({ bucket = 6000, rate = 48000 }, bss.cells[1].flow_control.bvc)
    assert.same({ 23000, 23001 }, { bss.nsvcs[2].udp_port, bss.nsvcs[2].sgsn_udp_port })
  end)

  it("needs mobiles or phones", function()
    local text = GOOD:gsub("  mobiles = .*", "  MORE\n}\n")
    local _, errors = config.load(text:gsub("MORE", ""), "b.lua", "bss")
    assert.is_truthy(errors[1]:find("a BSS needs mobiles or phones", 1, true))
    local bss = assert(config.load(text:gsub("MORE", 'phones = { imsi = "262420000000001" }'), "b.lua", "bss"))
    assert.same({ imsi = "262420000000001", count = 1, attaches_per_s = 10, script = {}, rounds = 1,
      llc = "unacknowledged", acknowledged = BOUNDS, usim = false }, bss.phones)
  end)

  it("has a link without files", function()
    local function linked(more)
      return with("pdchs = 4,", "pdchs = 4, link = { ci_db = 9" .. more .. " },")
    end
    assert.equal(9, config.load(linked(""), "b.lua", "bss").cells[1].link.ci_db)
    local _, errors = config.load(linked(', trace = { file = "ci.csv" }'), "b.lua", "bss")
    assert.is_truthy(errors[1]:find("unknown key 'trace'", 1, true))
  end)

  it("needs two cells for phones that move", function()
    local text = read("config/bss/phones.lua"):gsub("phones = {", '%0 script = { { after = "1 s", what = "move" } },')
    local _, errors = config.load(text, "b.lua", "bss")
    assert.is_truthy(errors[1]:find("phones.script[1].what: move needs two cells", 1, true))
  end)

  it("needs a key for USIMs", function()
    local text = GOOD:gsub("  mobiles = .*", '  phones = { imsi = "262420000000001", usim = true%%s },\n}\n')
    local _, errors = config.load(text:format(""), "b.lua", "bss")
    assert.is_truthy(errors and errors[1]:find("phones.usim: true without ki: a USIM needs a key; give `ki`", 1, true))
    assert(config.load(text:format(', ki = "000102030405060708090a0b0c0d0e0f"'), "b.lua", "bss"))
  end)

  it("config/bss/phones.lua is right", function()
    assert.equal(100, config.load(read("config/bss/phones.lua"), "phones.lua", "bss").phones.count)
  end)

  it("is told from nodes and scenarios", function()
    assert.equal("bss", config.kind_of(GOOD, "b.lua"))
    for _, path in ipairs({ "config/nodes/live-lab.lua", "config/scenarios/two-cells.lua" }) do
      assert.not_equal("bss", config.kind_of(read(path), path))
    end
    assert.is_nil(config.kind_of("return {", "b.lua"))
  end)

  it("config/bss/lab.lua is right and fits config/nodes/live-lab.lua", function()
    local bss = assert(config.load(read("config/bss/lab.lua"), "lab.lua", "bss"))
    local node = assert(config.load(read("config/nodes/live-lab.lua"), "node.lua", "node"))
    local nse, listed = node.nses[1], node.mobiles.list[1]
    assert.same({ nse.nsei, nse.nsvcs[1].nsvci, nse.nsvcs[1].address, nse.nsvcs[1].udp_port, node.gb.address },
      { bss.nsei, bss.nsvcs[1].nsvci, bss.nsvcs[1].address, bss.nsvcs[1].udp_port, bss.nsvcs[1].sgsn_address })
    assert.same({ nse.cells[1].bvci, nse.cells[1].cell_id }, { bss.cells[1].bvci, bss.cells[1].cell_id })
    assert.same({ listed.tlli, listed.contexts[1].address, listed.contexts[1].nsapi },
      { bss.mobiles[1].tlli, bss.mobiles[1].address, bss.mobiles[1].nsapi })
  end)

  it("docs/reference/bss.md is what scripts/gen-docs.sh makes", function()
    assert.equal(config.document("bss", read("config/bss/lab.lua")), read("docs/reference/bss.md"))
  end)
end)
