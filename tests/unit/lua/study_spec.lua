-- SPDX-License-Identifier: BSD-3-Clause
-- Studies: the points of an axis in each of its forms, and what makes a study wrong.

local config = require "schema.config"

local function load_axes(axes, rest)
  local form = 'return { scenario = "s.lua", axes = { %s } %s }'
  return config.load(form:format(axes, rest or ""), "f.lua", "study")
end

-- Points as "label: path=value path=value".
local function words_of(axis)
  local words = {}
  for i, point in ipairs(axis.points) do
    local sets = {}
    for j, set in ipairs(point.sets) do
      sets[j] = set.path .. "=" .. set.value
    end
    words[i] = point.label .. ": " .. table.concat(sets, " ")
  end
  return words
end

local GOOD = {
  { 'values = { "2 s", 3, 0.5, true }, set = { "a.b" }',
    { "2 s: a.b=2 s", "3: a.b=3", "0.5: a.b=0.5", "true: a.b=true" } },
  { 'values = { 1 }, set = { "a", "cells[2].b" }', { "1: a=1 cells[2].b=1" } },
  { 'range = { from = 1, to = 3 }, set = { "a" }', { "1: a=1", "2: a=2", "3: a=3" } },
  { 'range = { from = 0.1, to = 0.35, step = 0.1, unit = "kB" }, set = { "a" }',
    { "0.1 kB: a=0.1 kB", "0.2 kB: a=0.2 kB", "0.3 kB: a=0.3 kB" } },
  { 'points = { { label = "none" }, { label = "x", set = { z = 1, a = "b" } } }', { "none: ", "x: a=b z=1" } },
}

local AXIS = '{ name = "a", values = { 1, 2 }, set = { "p" } }'
-- Axes, the rest of the study, the whole message behind the line number.
local BAD = {
  { '{ name = "a", set = { "p" } }', "", "axes[1]: has 0 of `values`, `range` and `points`; needs exactly one" },
  { '{ name = "a", set = { "p" }, values = { 1 }, range = { from = 1, to = 2 } }', "",
    "axes[1]: has 2 of `values`, `range` and `points`; needs exactly one" },
  { '{ name = "a", values = { 1 } }', "",
    "axes[1].set: missing; `values` and `range` need the paths that they are given to" },
  { '{ name = "a", set = { "p" }, points = { { label = "x" } } }', "",
    "axes[1].set: does not go with `points`, whose items have a `set` each" },
  { '{ name = "a", set = { "p" }, range = { from = 2, to = 1 } }', "",
    "axes[1].range: has no value or too many: 1 .. 1000" },
  { '{ name = "a", set = { "p" }, range = { from = 0, to = 1000 } }', "",
    "axes[1].range: has no value or too many: 1 .. 1000" },
  { '{ name = "a", set = { "p" }, values = { 1, "1" } }', "", "axes[1]: has the point '1' twice" },
  { AXIS .. "," .. AXIS:gsub('"p"', '"q"'), "", "axes[2].name: 'a' is taken by another column of the results" },
  { AXIS:gsub('"a"', '"seed"'), "", "axes[1].name: 'seed' is taken by another column of the results" },
  { AXIS:gsub('"a"', '"p_family"'), "", "axes[1].name: 'p_family' is taken by another column of the results" },
  { AXIS .. "," .. AXIS:gsub('"a"', '"b"'), "", "axes[2]: sets p, as axes[1] does" },
  { AXIS, ', baseline = { b = "1" }', "baseline.b: 'b' is no axis of the study: one of a" },
  { AXIS, ', baseline = { a = "3" }', "baseline.a: '3' is no point of the axis: one of 1, 2" },
  { '{ name = "a", set = { "p" }, values = { "fifo", "codel" } }', ', baseline = { a = "FIFO" }',
    "baseline.a: 'FIFO' is no point of the axis: one of fifo, codel; did you mean 'fifo'?" },
  { AXIS:gsub('"a"', '"aqm"'), ', baseline = { Aqm = "1" }',
    "baseline.Aqm: 'Aqm' is no axis of the study: one of aqm; did you mean 'aqm'?" },
  { '{ name = "a", set = { "p" }, range = { from = 1, to = 1000 } },'
    .. '{ name = "b", set = { "q" }, range = { from = 1, to = 1000 } }', ", seeds = 2",
    "axes: make more than 1000000 runs with the seeds" },
  { '{ name = "a", set = { "p" }, values = { {} } }', "",
    "axes[1].values[1]: a table where a text, a number or a boolean belongs: "
    .. "a text of at most 1000 octets, a number or a boolean" },
  { '{ name = "a", paths = { "p" }, values = { 1 } }', "", "axes[1].paths: unknown key 'paths'; did you mean 'set'?" },
  { AXIS, ", figurs = {}", "figurs: unknown key 'figurs'; did you mean 'figures'?" },
}

describe("a study", function()
  for _, row in ipairs(GOOD) do
    it("has the points of " .. row[1], function()
      local study, lines = load_axes('{ name = "x", ' .. row[1] .. " }")
      assert.same({}, lines)
      assert.same(row[2], words_of(study.axes[1]))
    end)
  end

  it("says where each value stands", function()
    local text = 'return { scenario = "s.lua",\naxes = {\n{ name = "a", set = { "p", "q" }, values = { 1,\n2 } },\n'
      .. '{ name = "b", set = { "r" }, range = { from = 1, to = 2 } },\n'
      .. '{ name = "c", points = { { label = "x" },\n{ label = "y", set = { t = 1 } } } } } }'
    local places = {}
    local study = assert(config.load(text, "f.lua", "study"))
    for _, axis in ipairs(study.axes) do
      for _, point in ipairs(axis.points) do
        for _, set in ipairs(point.sets) do
          places[#places + 1] = ("%s %s:%d"):format(set.path, set.key, set.line)
        end
      end
    end
    assert.same({ "p axes[1].values[1]:3", "q axes[1].values[1]:3", "p axes[1].values[2]:4", "q axes[1].values[2]:4",
      "r axes[2].range:5", "r axes[2].range:5", "t axes[3].points[2]:7" }, places)
    assert.equal(1, study.scenario_line)
  end)

  for _, row in ipairs(BAD) do
    it("is wrong: " .. row[3], function()
      local study, lines = load_axes(row[1], row[2])
      assert.is_nil(study)
      assert.equal(1, #lines)
      assert.equal(row[3], lines[1]:match("^f%.lua:%d+: (.*)$"))
    end)
  end
end)
