-- SPDX-License-Identifier: BSD-3-Clause
-- Keys and engines of a node and of a scenario: what is right, and what is said of what is not. The module
-- gbflow_crypto is the program's own.
local config = require "schema.config"
local node_text = require "node_text"
local scenario = require "scenario.read"
local scenario_text = require "scenario_text"

local MOBILE = '{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { { nsapi = 5, teid = 1,'
  .. ' sgsn_address = "10.98.0.2", ggsn_address = "10.98.0.1", ggsn_teid = 1, address = "10.45.0.1", sapi = 9 } },\n'
local KC <const>, KC128 <const> = ("0123456789abcdef"), ("0123456789ABCDEF"):rep(2)

local function load_mobile(fields)
  return config.load(node_text.with_list(MOBILE .. fields .. " }"), "n.lua", "node")
end

-- The fields of a mobile on line 16, and the complaints.
local refused = {
  { 'ciphering = { algorithm = "gea1", kc = "' .. KC .. '" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: 'gea1' is refused: GEA1 has an effective key of 40 bits and is "
      .. "prohibited in mobiles since Release 11; gea3 and gea4 are there" },
  { 'ciphering = { algorithm = "gea2", kc = "' .. KC .. '" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: 'gea2' is refused: GEA2 is broken: known keystream gives its key; "
      .. "gea3 and gea4 are there" },
  { 'ciphering = { algorithm = "gea5", kc = "' .. KC128 .. '" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: 'gea5' is refused: GEA5 cannot be built: its definition in TS "
      .. "55.251 is available under licence only; gea3 and gea4 are there" },
  { 'ciphering = { algorithm = "gea6" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: 'gea6' is refused: no such algorithm is defined; gea3 and gea4 "
      .. "are there" },
  { 'ciphering = { algorithm = "a5/3" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: 'a5/3' is not a valid text: gea3 or gea4, gea0 for none" },
  { 'ciphering = { kc = "' .. KC .. '" }',
    "n.lua:16: mobiles.list[1].ciphering.algorithm: missing; ciphering needs it: gea3 or gea4, gea0 for none" },
  { 'ciphering = { algorithm = "gea3",\nkc = "' .. KC128 .. '" }',
    "n.lua:17: mobiles.list[1].ciphering.kc: 32 digits where 'gea3' takes 16" },
  { 'ciphering = { algorithm = "gea4",\nkc = "' .. KC .. '" }',
    "n.lua:17: mobiles.list[1].ciphering.kc: 16 digits where 'gea4' takes 32" },
  { 'ciphering = { algorithm = "gea3" }',
    "n.lua:16: mobiles.list[1].ciphering.kc: 'gea3' needs a key of 16 hexadecimal digits" },
  { 'ciphering = { algorithm = "gea0", kc = "' .. KC .. '" }',
    "n.lua:16: mobiles.list[1].ciphering.kc: 'gea0' ciphers nothing and takes no key" },
  { 'ciphering = { algorithm = "gea3", kc = "0123456789abcdeg" }',
    "n.lua:16: mobiles.list[1].ciphering.kc: the value is not a valid text: 16 or 32 hexadecimal digits" },
  { 'ciphering = { algorithm = "gea3", kc = "' .. KC .. '", iov_ui = 0x100000000 }',
    "n.lua:16: mobiles.list[1].ciphering.iov_ui: a number is out of range: 0x0 .. 0xFFFFFFFF" },
  { "unprotected_sapis = { 3, 7 }",
    "n.lua:16: mobiles.list[1].unprotected_sapis[2]: 7 is not one of 3, 5, 9, 11" },
}

describe("a mobile's ciphering", function()
  for i, row in ipairs(refused) do
    it("is refused, row " .. i, function()
      local value, errors = load_mobile(row[1])
      assert.is_nil(value)
      assert.same({ row[2] }, errors)
    end)
  end

  it("is read", function()
    local node = load_mobile('ciphering = { algorithm = "gea4", kc = "' .. KC128 .. '", iov_ui = 7 },\n'
      .. "unprotected_sapis = { 9 }")
    local mobile = node.mobiles.list[1]
    assert.same({ algorithm = "gea4", number = 4, kc = KC128, iov_ui = 7 }, mobile.ciphering)
    assert.same({ 9 }, mobile.unprotected_sapis)
    assert.equal(9, mobile.contexts[1].sapi)
  end)

  it("may be none", function()
    assert.is_nil(load_mobile("").mobiles.list[1].ciphering)
    local node = load_mobile('ciphering = { algorithm = "gea0" }')
    assert.same({ algorithm = "gea0", number = 0, iov_ui = 0 }, node.mobiles.list[1].ciphering)
  end)
end)

describe("the engine", function()
  local program = require "gbflow_crypto"

  after_each(function()
    package.loaded.gbflow_crypto = program
  end)

  local function load_engine(engine)
    return config.load(node_text.with("gb = {", 'crypto = { engine = "' .. engine .. '" },\n  gb = {'), "n.lua", "node")
  end

  it("is asked for by a name of its own", function()
    assert.same({ engine = "auto", engine_name = "" }, load_engine("auto").crypto)
    assert.same({ engine = "portable", engine_name = "portable" }, load_engine("portable").crypto)
    package.loaded.gbflow_crypto = { fault = function() end }
    assert.equal("avx512", load_engine("vector").crypto.engine_name)
    assert.equal("avx2", load_engine("avx2").crypto.engine_name)
    assert.equal("ipsec-mb", load_engine("ipsec").crypto.engine_name)
  end)

  it("is refused where it cannot run", function()
    package.loaded.gbflow_crypto = { fault = function(name) return name .. " is not there" end }
    local _, errors = load_engine("vector")
    assert.same({ "n.lua:2: crypto.engine: 'vector' cannot be used here: avx512 is not there" }, errors)
  end)

  it("is known to the program by these names", function()
    for _, name in ipairs { "portable", "avx512", "avx2", "ipsec-mb" } do
      assert.not_equal("there is no engine of that name", program.fault(name))
    end
    assert.equal("there is no engine of that name", program.fault("abacus"))
  end)
end)

describe("a scenario", function()
  local function load_with(ciphering)
    local text = scenario_text.GOOD:gsub('{ name = "', "{ ciphering = " .. ciphering .. ', name = "', 1)
    return scenario.load(text, "s.lua")
  end

  it("hands keys and settings to its node", function()
    local checked = assert(load_with('{ algorithm = "gea3", kc = "' .. KC .. '", iov_ui = 5 }'))
    checked.sgsn.unprotected_sapis = { 3 }
    local node = assert(scenario.nodes(checked))[1]
    assert.same({ algorithm = "gea3", number = 3, kc = KC, iov_ui = 5 }, node.mobiles.list[1].ciphering)
    assert.same({ 3 }, node.mobiles.unprotected_sapis)
    assert.same({ engine = "auto", engine_name = "" }, node.crypto)
  end)

  it("is refused with a broken algorithm", function()
    local value, errors = load_with('{ algorithm = "gea1" }')
    assert.is_nil(value)
    assert.is_truthy(errors[1]:find("^s%.lua:%d+: mobiles%[1%]%.ciphering%.algorithm: 'gea1' is refused: "))
  end)
end)
