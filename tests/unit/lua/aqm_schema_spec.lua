-- SPDX-License-Identifier: BSD-3-Clause
-- What schemes say of their parameters in C is what configuration takes.

local aqm = require "node.aqm"
local gbflow_aqm = require "gbflow_aqm"
local schema = require "schema.schema"
local units = require "base.units"

local schemes = gbflow_aqm.schemes()

local function scheme_of(name)
  for _, scheme in ipairs(schemes) do
    if scheme.name == name then
      return scheme
    end
  end
end

-- A value of a parameter in base units as a setting would give it.
local function setting(param, value)
  local text = units.is_kind(param.kind) and units.format(param.kind, value)
    or param.kind == "boolean" and tostring(value ~= 0) or param.kind == "enum" and param.words[value + 1]
    or tostring(value)
  return param.name .. "=" .. text
end

-- The values of a scheme with one parameter set; the message when it is refused.
local function with(scheme, param, value)
  local values, messages = aqm.parse(scheme, { setting(param, value) })
  return values, messages and messages[1]
end

describe("parameters of AQM schemes", function()
  it("have the defaults that C gives them", function()
    assert.is_true(#schemes >= 9)
    for _, scheme in ipairs(schemes) do
      local values = assert(aqm.parse(scheme, {}))
      assert.equal(#scheme.params, #values)
      for i, param in ipairs(scheme.params) do
        assert.equal(param.initial, values[i], scheme.name .. "." .. param.name)
      end
    end
  end)

  it("take both ends of their range and nothing beyond", function()
    for _, scheme in ipairs(schemes) do
      for i, param in ipairs(scheme.params) do
        for _, value in ipairs({ param.min, param.max }) do
          local values = assert(with(scheme, param, value), scheme.name .. "." .. param.name)
          assert.equal(value, values[i], scheme.name .. "." .. param.name)
        end
        if param.kind ~= "boolean" and param.kind ~= "enum" then
          local values, message = with(scheme, param, param.max + 1)
          assert.is_nil(values)
          assert.truthy(message:find("^" .. param.name .. ": .* is out of range: "), message)
          assert.is_nil(param.min > 0 and with(scheme, param, param.min - 1) or nil)
        end
      end
    end
  end)

  it("know every word of a choice", function()
    local pie = scheme_of("pie")
    for i, param in ipairs(pie.params) do
      for index, word in ipairs(param.words or {}) do
        assert.equal(index - 1, aqm.parse(pie, { param.name .. "=" .. word })[i])
      end
    end
  end)

  it("are a schema like any other", function()
    local red = aqm.descriptor(scheme_of("red"))
    local checked, errors = schema.check(red, { min = "20 kB", gentle = true, mode = "packets" })
    assert.same({}, errors)
    assert.equal(20000, checked.min)
    local values = aqm.values(scheme_of("red"), checked)
    assert.same({ 0, 1, 20000, 45000, 5, 15, 200000, 2000, 1 }, table.move(values, 1, 9, 1, {}))
    assert.truthy(schema.document(red):find("| `max_chance` | percent | 0.0001 %% .. 100 %% | `20 %%` |"))
  end)
end)
