-- SPDX-License-Identifier: BSD-3-Clause
-- The choice of AQM schemes in a node and in a scenario: what is taken, what is refused, what becomes of it.

local schemes = require("gbflow_aqm").schemes()

-- The program's own knowledge of schemes, without plug-ins and Lua files; a name "odd" has values that do not fit.
package.preload.gbflow_aqm_choices = function()
  local choices = {}
  function choices.find(kind, name)
    for _, scheme in ipairs(kind == "scheme" and schemes or {}) do
      if scheme.name == name then
        return scheme
      end
    end
    return nil, "there is no such " .. kind
  end
  function choices.names()
    local names = {}
    for i, scheme in ipairs(schemes) do
      names[i] = scheme.name
    end
    return names
  end
  function choices.check(_, name, values)
    return name == "red" and values[3] >= values[4] and "min must be less than max" or nil
  end
  return choices
end

local config = require "schema.config"
local node_text = require "node_text"
local scenario = require "scenario.read"
local scenario_text = require "scenario_text"

local FLOWS = 'flow_queues = 4, '

-- Settings in `queues`, and what is said of them behind "queues.".
local REFUSED = {
  { 'aqm = { scheme = "reed" }', "aqm.scheme: 'reed' is no AQM scheme: one of tail_drop, lifetime_only, red" },
  { 'aqm = { scheme = "codle" }', "aqm.scheme: 'codle' is no AQM scheme: one of tail_drop, lifetime_only, red, "
    .. "adaptive_red, ttlred1, ttlred2, codel, fq_codel, cobalt, pie, sojourn, blue, ...; did you mean 'codel'?" },
  { 'aqm = { scheme = "cake" }', "aqm.scheme: 'cake' is no AQM scheme: one of tail_drop, lifetime_only, red, "
    .. "adaptive_red, ttlred1, ttlred2, codel, fq_codel, cobalt, pie, sojourn, blue, ...; "
    .. "`gbflow aqm list` prints all" },
  { 'aqm = { plugin = "x.so" }', "aqm.plugin: 'x.so': there is no such plugin" },
  { 'aqm = { lua = "x.lua" }', "aqm.lua: 'x.lua': there is no such lua" },
  { "aqm = { }", "aqm: names one of scheme, plugin and lua" },
  { 'aqm = { scheme = "red", lua = "x.lua" }', "aqm: names one of scheme, plugin and lua" },
  { 'aqm = { scheme = "red", plugin = "x.so" }', "aqm: names one of scheme, plugin and lua" },
  { "aqm = { scheme = 5 }", "aqm.scheme: 5 where text belongs: a name of `gbflow aqm list`" },
  { 'aqm = "red"', "aqm: 'red' where a table belongs" },
  { 'aqm = { scheme = "red", scope = "cell" }',
    "aqm.scope: 'cell' is not a known word: one of class_of_nse, class_of_bvc, ms, flow" },
  { 'aqm = { scheme = "red", mode = "octet" }',
    "aqm.mode: 'octet' is not a known word: one of octets, packets; did you mean 'octets'?" },
  { 'aqm = { scheme = "red", scope = "flow" }', "aqm.scope: " },
  { 'aqm = { scheme = "red", mim = "9 kB" }', "aqm.mim: unknown key 'mim'; did you mean 'min'?" },
  { 'aqm = { scheme = "codel", gentle = true }', "aqm.gentle: unknown key 'gentle'" },
  { 'aqm = { scheme = "red", min = "9 s" }', "aqm.min: size '9 s' has the unknown unit 's'" },
  { 'aqm = { scheme = "red", max = "1 octet" }', "aqm.max: size '1 octet' is out of range: 2 octets .. 100 MB" },
  { 'aqm = { scheme = "red", min = "9 kB", max = "8 kB" }', "aqm.scheme: min must be less than max" },
  { 'aqm = { scheme = "red", mode = "bits" }', "aqm.mode: 'bits' is not a known word: one of octets, packets" },
  { 'aqm = { scheme = "codel", ecn = 1 }', "aqm.ecn: 1 where true or false belongs" },
  { 'aqm = { scheme = "pie", target = "0 s" }', "aqm.target: duration '0 s' is out of range" },
  { 'aqm = { scheme = "ttlred2", max_chance = "101 %" }', "aqm.max_chance: share '101 %' is out of range" },
  { 'class = { thp1 = { aqm = { scheme = "blue2" } } }',
    "class.thp1.aqm.scheme: 'blue2' is no AQM scheme: one of tail_drop, " },
  { 'class = { thp1 = { aqm = { } } }', "class.thp1.aqm: names one of scheme, plugin and lua" },
  { 'class = { sms = { aqm = { scheme = "codel", target = "9" } } }',
    "class.sms.aqm.target: duration '9' needs a unit" },
}

-- Settings, and what a node's table then has of them.
local TAKEN = {
  { 'aqm = { scheme = "red" }', { scheme = "red", min = 15000, max = 45000, max_chance = 200000, gentle = false,
    mode = "octets", ecn = false } },
  { 'aqm = { scheme = "red", scope = "class_of_nse", min = "10 kB", gentle = true, mode = "packets", ecn = true }',
    { scope = "class_of_nse", min = 10000, gentle = true, mode = "packets", ecn = true } },
  { FLOWS .. 'aqm = { scheme = "fq_codel", scope = "flow", target = "20 ms", mtus = "100 %" }',
    { scope = "flow", target = 20000000, interval = 100000000, mtus = 1000000, ecn = true } },
  { FLOWS .. 'aqm = { scheme = "cobalt", target = "20 ms", up = "1 %" }',
    { scheme = "cobalt", target = 20000000, interval = 100000000, limit = 30000, up = 10000, down = 244, ecn = true } },
  { 'aqm = { scheme = "lifetime_only" }', { scheme = "lifetime_only" } },
}

local function node_of(words)
  return config.load(node_text.with("lifetime = {", "queues = { " .. words .. " }, lifetime = {"), "n.lua", "node")
end

local function scenario_of(words)
  return scenario.load(scenario_text.with("lifetime = {", "queues = { " .. words .. " }, lifetime = {"), "s.lua")
end

local function assert_refused(value, messages, start)
  assert.is_nil(value)
  assert.equal(1, #messages, table.concat(messages, "\n"))
  assert.equal(start, messages[1]:sub(1, #start))
end

local function assert_has(expected, choice)
  for key, value in pairs(expected) do
    assert.equal(value, choice[key], key)
  end
end

describe("queues.aqm", function()
  for _, row in ipairs(REFUSED) do
    it("is refused: " .. row[1], function()
      local value, messages = node_of(row[1])
      assert_refused(value, messages, "n.lua:14: queues." .. row[2])
      value, messages = scenario_of(row[1])
      assert_refused(value, messages, "s.lua:5: sgsn.queues." .. row[2])
    end)
  end

  for _, row in ipairs(TAKEN) do
    it("is taken: " .. row[1], function()
      assert_has(row[2], assert(node_of(row[1])).queues.aqm)
      local checked = assert(scenario_of(row[1]))
      assert_has(row[2], checked.sgsn.queues.aqm)
      local nodes, complaints = scenario.nodes(checked)
      assert.same({}, complaints)
      assert_has(row[2], nodes[1].queues.aqm)
    end)
  end

  it("is taken with every scheme, by all classes and by one", function()
    for _, scheme in ipairs(schemes) do
      local words = ('aqm = { scheme = "%s" }, class = { sms = { aqm = { scheme = "%s", scope = "ms" } } }')
        :format(scheme.name, scheme.name)
      local queues = assert(node_of(words)).queues
      assert.is_nil(queues.aqm.scope)
      assert.equal("ms", queues.class.sms.aqm.scope)
      for _, param in ipairs(scheme.params) do
        assert.not_nil(queues.aqm[param.name], scheme.name .. "." .. param.name)
      end
    end
  end)

  it("is nothing by default", function()
    assert.is_nil(node_of("").queues.aqm)
    assert.is_nil(scenario_of("").sgsn.queues.aqm)
  end)
end)
