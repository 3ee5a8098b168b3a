-- SPDX-License-Identifier: BSD-3-Clause
-- NRIs of P-TMSIs (TS 23.236 clause 4.1), and which SGSN has a phone.
local config = require "schema.config"
local node_pool = require "node.pool"

local B <const> = { address = "10.98.0.3", nris = { 4, 5 }, areas = {},
  offload_area = { mcc = "262", mnc = "42", lac = 65000, rac = 2 } }
local FAR <const> = { address = "10.98.9.9", nris = {}, areas = { { mcc = "262", lac = 7 }, { mcc = "001", rac = 9 } } }
local HERE <const> = "262-42-4660-5"

local function pool_of(settings, random)
  local all = { nri_bits = 5, nris = { 3, 7 }, null_nri = 0, others = { B, FAR },
    offload_area = { mcc = "262", mnc = "42", lac = 65000, rac = 1 } }
  for key, value in pairs(settings or {}) do all[key] = value end
  return node_pool.new(all, random)
end

local function nri_of(p_tmsi, bits)
  return p_tmsi >> 24 - bits & (1 << bits) - 1
end

describe("NRIs", function()
  -- The values of 23.236 worked out by hand: bits 23 downward.
  it("are where the clause has them", function()
    for _, row in ipairs({ { 5, 0xc0181234, 3 }, { 5, 0x80281234, 5 }, { 5, 0xc0f01234, 30 }, { 10, 0xc0554321, 341 },
      { 4, 0xc0f00000, 15 } }) do
      local bits, p_tmsi, nri = table.unpack(row)
      local p = node_pool.new({ nri_bits = bits, nris = { nri }, others = {} }, math.random)
      assert.is_true(p:is_own(p_tmsi))
      assert.is_false(p:is_own(p_tmsi ~ 1 << 24 - bits))
      assert.is_true(p:is_own(p_tmsi | 0x3f000001))
    end
  end)

  it("of the node are in each P-TMSI, and the other bits are drawn", function()
    for bits = 1, 10 do
      local seen, ors, ands = {}, 0, 0x3fffffff
      local top = (1 << bits) - 1
      local p = pool_of({ nri_bits = bits, nris = { 0, top }, null_nri = nil, others = {} }, math.random)
      for _ = 1, 4000 do
        local drawn = p:draw()
        seen[nri_of(drawn, bits)] = true
        ors, ands = ors | drawn, ands & drawn
        assert.is_true(drawn >= 0 and drawn <= 0x3fffffff)
      end
      assert.same({ [0] = true, [top] = true }, seen)
      assert.same({ 0x1fffffff, 0 }, { ors, ands })
    end
  end)

  it("without a pool leave all bits to chance", function()
    local p = node_pool.new(nil, function() return 0x3ffffffe end)
    assert.same({ 0x3ffffffe, true, false }, { p:draw(), p:is_own(0xc0000000), p:is_null(0xc0000000) })
    assert.is_nil(p:find(0xc0280000, HERE, true))
  end)

  it("of none is in the P-TMSI of a phone that is to leave", function()
    local p = pool_of({ null_nri = 17 }, math.random)
    for _ = 1, 100 do
      for _, nri in ipairs({ 17, 4 }) do
        local drawn = p:draw_other(nri ~= 17 and nri or nil)
        local mine = drawn >> 14 & 31
        assert.same({ nri, nri == 17, false, true, 1 }, { nri_of(drawn, 5), p:is_null(drawn), p:is_own(drawn),
          mine == 3 or mine == 7, drawn >> 29 })
        assert.equal(nri == 17, p:is_from_elsewhere(drawn))
      end
    end
  end)
end)

describe("the SGSN of a phone", function()
  local p = pool_of(nil, math.random)

  it("is found by the NRI in an area of the pool", function()
    assert.equal(B, p:find(0xc0000000 | 4 << 19, HERE, true))
    assert.equal(B, p:find(0xc0000000 | 5 << 19 | 0x3f00ffff, HERE, true))
    assert.is_nil(p:find(0xc0000000 | 3 << 19, HERE, true)) -- this node's
    assert.is_nil(p:find(0xc0000000 | 6 << 19, HERE, true)) -- nobody's
  end)

  it("is found by the area alone elsewhere, whatever the NRI", function()
    assert.equal(FAR, p:find(0xc0000000 | 4 << 19, "262-42-7-200", false))
    assert.equal(FAR, p:find(0xc0000000 | 3 << 19, "001-01-1-9", false))
    assert.is_nil(p:find(0xc0000000 | 4 << 19, "262-42-8-200", false))
    assert.is_nil(p:find(0xc0000000 | 4 << 19, "no area", false))
  end)

  it("is found by the area that it tells phones in offload", function()
    assert.equal(B, p:find(0xc0000000, "262-42-65000-2", false))
    assert.is_nil(p:find(0xc0000000, "262-42-65000-1", false))
    assert.equal("262-42-65000-1", p.offload_area)
  end)

  it("follows another configuration", function()
    local other = pool_of(nil, math.random)
    other:configure(nil)
    assert.same({ true }, { other:is_own(0xc0000000 | 4 << 19) })
    assert.is_nil(other:find(0xc0000000 | 4 << 19, HERE, true))
    assert.is_nil(other:by_address("10.98.0.3"))
    assert.equal(B, p:by_address("10.98.0.3"))
  end)
end)

-- --- configurations

local NODE <const> = [[return { gb = { address = "10.99.0.1" }, mobiles = { source = "list" }, nses = { { nsei = 1,
  nsvcs = { { nsvci = 1, address = "10.99.0.2" } }, cells = { { bvci = 2, cell_id = { mcc = "262", mnc = "42",
  lac = 1, rac = 1, ci = 1 } }, { bvci = 3, cell_id = { mcc = "262", mnc = "42", lac = 1, rac = 2, ci = 2 } } } } },
  phones = { policy = "accept_all", apns = { { name = "a", sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1" } },
  pool = { %s } } }]]

local function load(pool)
  return config.load(NODE:format(pool), "n.lua", "node")
end

local function errors_of(pool)
  local _, errors = load(pool)
  return errors
end

describe("pool of a configuration", function()
  local AREA <const> = '{ mcc = "262", mnc = "42", lac = 9, rac = 1 }'

  it("names what is wrong", function()
    local at = "n.lua:5: phones.pool."
    for _, row in ipairs({
      { "nri_bits = 5", 'nris: empty; nri_bits needs at least one NRI of this node' },
      { "nri_bits = 11, nris = { 1 }", 'nri_bits: 11 is out of range: 0 .. 10' },
      { "nri_bits = 3, nris = { 8 }", 'nris[1]: 8 is out of range: 0 .. 7 with nri_bits 3' },
      { "nris = { 8 }", 'nris[1]: 8 has no effect: set nri_bits' },
      { "nri_bits = 5, nris = { 3, 4, 3 }", 'nris[3]: NRI 3 is there twice: nris[1] has it; remove one of the two' },
      { "nri_bits = 5, nris = { 3 }, null_nri = 3", "null_nri: 3 is an SGSN's NRI: nris[1] has it; it must be none's" },
      { "nri_bits = 5, nris = { 3 }, null_nri = 32", 'null_nri: 32 is out of range: 0 .. 31 with nri_bits 5' },
      { "null_nri = 1", 'null_nri: no effect: set nri_bits' },
      { 'nri_bits = 5, nris = { 3 }, others = { { address = "10.98.0.3", nris = { 3 } } }',
        'others[1].nris[1]: NRI 3 is there twice: nris[1] has it; remove one of the two' },
      { 'nri_bits = 5, nris = { 3 }, others = { { address = "10.98.0.3", nris = { 4 } }, '
        .. '{ address = "10.98.0.3", nris = { 5 } } }',
        "others[2].address: '10.98.0.3' is there twice: others[1] has it; make one entry of the two" },
      { "nri_bits = 5, nris = { 3 }, null_nri = 0, offload_area = " .. AREA .. ', others = { { address = "10.98.0.3", '
        .. "nris = { 4 }, offload_area = " .. AREA .. " } }",
        "others[1].offload_area: 262-42-9-1 is there twice: offload_area is the same; give each SGSN its own" },
      { 'others = { { address = "10.98.0.3", offload_area = ' .. AREA .. ' }, { address = "10.98.0.4", offload_area = '
        .. AREA .. " } }",
        "others[2].offload_area: 262-42-9-1 is there twice: others[1].offload_area is the same; give each SGSN its "
        .. "own" },
      { 'nri_bits = 5, nris = { 3 }, null_nri = 0, offload_area = { mcc = "262", mnc = "42", lac = 1, rac = 1 }',
        "offload_area: 262-42-1-1 is the routeing area of nses[1].cells[1]; take one that no cell has" },
      { 'others = { { address = "10.98.0.3", areas = { { lac = 1 }, { mcc = "262", mnc = "42", lac = 1, rac = 2 } } } '
        .. "}", "others[1].areas[2]: 262-42-1-2 is the routeing area of nses[1].cells[2], which this node serves; take "
        .. "it out" },
      { 'others = { { address = "10.98.0.3", areas = { {} } } }', "others[1].areas[1]: {} is each routeing area, this "
        .. "node's too; say which ones that SGSN serves, such as { lac = 2 }" },
      { 'others = { { address = "10.98.0.2", areas = { { lac = 2 } } } }',
        "others[1].address: '10.98.0.2' is the node's own address; write the other SGSN's, or leave the entry "
          .. "out" },
      { 'others = { { address = "2001:db8::1", areas = { { lac = 2 } } } }',
        "others[1].address: '2001:db8::1' is of another IP version than the node's address '10.98.0.2'" },
    }) do
      assert.same({ at .. row[2] }, errors_of(row[1]))
    end
  end)

  it("warns of what has no effect", function()
    local _, warnings = load('offload_area = { mcc = "262", mnc = "42", lac = 9, rac = 1 }, '
      .. 'others = { { address = "10.98.0.3" } }')
    local at = "n.lua:5: phones.pool."
    assert.same({ at .. "offload_area: no effect without null_nri, which phones in offload are given",
      at .. "others[1]: no phone is found there: it has neither nris, areas nor offload_area" }, warnings)
  end)

  it("adds its address to the node's", function()
    local node = load('address = "10.98.0.9"')
    assert.same({ "10.98.0.2", "10.98.0.9" }, node.gn.addresses)
    assert.equal("10.98.0.2", load("").phones.pool.address)
  end)
end)
