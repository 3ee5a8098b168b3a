-- SPDX-License-Identifier: BSD-3-Clause
-- Schema of a study for `gbflow sweep`: a scenario, the axes over which its keys vary, seeds, and the figures to keep.
--
-- In the checked table each axis has `points`, whichever form it was given in, in the order of the file:
-- { label =, sets = { { path =, value =, key =, line = }... } }, the sets in the order of their paths; key and line:
-- where the study has the value. The study also has scenario_line.

local schema_scalar = require "schema.scalar"
local tables = require "base.tables"

-- Constraints between the keys of a study (study.schema), and the points of its axes.

local MOST_POINTS <const> = 1000
local MOST_RUNS <const> = 1000000
local FORMS <const> = { "values", "range", "points" }

local function sets_of(paths, value)
  local sets = {}
  for i, path in ipairs(paths) do
    sets[i] = { path = path, value = value }
  end
  return sets
end

local function points_of_values(axis, values)
  local points = {}
  for i, value in ipairs(values) do
    points[i] = { label = value, sets = sets_of(axis.set, value) }
  end
  return points
end

local function count_of(range)
  return math.floor((range.to - range.from) / range.step + 1e-9) + 1
end

local function values_of(range)
  local values = {}
  for i = 1, count_of(range) do
    local number = string.format("%.12g", range.from + (i - 1) * range.step)
    values[i] = range.unit and number .. " " .. range.unit or number
  end
  return values
end

-- The sets of a point in the order of their paths.
local function sorted_sets(map)
  local sets = {}
  for path, value in next, map do
    sets[#sets + 1] = { path = path, value = value }
  end
  table.sort(sets, function(a, b) return a.path < b.path end)
  return sets
end

local function points_of(axis)
  if axis.values then
    return points_of_values(axis, axis.values)
  elseif axis.range then
    return points_of_values(axis, values_of(axis.range))
  end
  local points = {}
  for i, point in ipairs(axis.points) do
    points[i] = { label = point.label, sets = sorted_sets(point.set) }
  end
  return points
end

local function check_form(axis, fail)
  local given = 0
  for _, form in ipairs(FORMS) do
    given = given + (axis[form] and 1 or 0)
  end
  if given ~= 1 then
    return fail({}, string.format("has %d of `values`, `range` and `points`; needs exactly one", given))
  elseif axis.points and axis.set then
    return fail({ "set" }, "does not go with `points`, whose items have a `set` each")
  elseif not axis.points and not axis.set then
    return fail({ "set" }, "missing; `values` and `range` need the paths that they are given to")
  elseif axis.range and (axis.range.to < axis.range.from or count_of(axis.range) > MOST_POINTS) then
    return fail({ "range" }, string.format("has no value or too many: 1 .. %d", MOST_POINTS))
  end
  return true
end

local function check_labels(axis, fail)
  local seen = {}
  for i, point in ipairs(axis.points) do
    if seen[point.label] then
      return fail({}, string.format("has the point %s twice", schema_scalar.given(point.label)))
    end
    seen[point.label] = i
  end
end

-- Turns each form of an axis into points.
local function check_axis(axis, fail)
  if check_form(axis, fail) then
    axis.form = axis.values and "values" or axis.range and "range" or "points"
    axis.points = points_of(axis)
    axis.set, axis.values, axis.range = nil, nil, nil
    check_labels(axis, fail)
  end
end

local function check_paths(study, fail)
  local axis_of = {}
  for i, axis in ipairs(study.axes) do
    for _, point in ipairs(axis.points or {}) do
      for _, set in ipairs(point.sets or {}) do
        local other = axis_of[set.path]
        if other and other ~= i then
          return fail({ "axes", i }, string.format("sets %s, as axes[%d] does", set.path, other))
        end
        axis_of[set.path] = i
      end
    end
  end
end

-- The values of a key in the items of a list.
local function each_of(list, key)
  local values = {}
  for i, item in ipairs(list or {}) do values[i] = item[key] end
  return values
end

local function check_baseline(study, by_name, fail)
  for name, label in next, study.baseline do
    local labels = by_name[name] and each_of(by_name[name].points, "label")
    if not labels then
      fail({ "baseline", name }, schema_scalar.unknown(name, "axis of the study", each_of(study.axes, "name")))
    elseif not tables.has(labels, label) then
      fail({ "baseline", name }, schema_scalar.unknown(label, "point of the axis", labels))
    end
  end
end

-- Columns of the tables that gbflow sweep writes.
local RESERVED <const> = {}
for name in ("run seed figure value runs mean low high min max baseline difference_percent low_percent high_percent p "
  .. "p_family detectable_percent verdict"):gmatch("%S+") do
  RESERVED[name] = true
end

-- Where each set of a point stands: the item of `values` or `points`, or the range.
local function find_sets(study, run)
  for i, axis in ipairs(study.axes) do
    for j, point in ipairs(axis.points or {}) do
      local place = { "axes", i, axis.form, axis.form ~= "range" and j or nil }
      for _, set in ipairs(point.sets) do
        set.key, set.line = run.place(place)
      end
    end
  end
  study.scenario_line = select(2, run.place({ "scenario" }))
end

local function check_whole(study, fail, _, run)
  local by_name, runs = {}, study.seeds
  for i, axis in ipairs(study.axes) do
    if by_name[axis.name] or RESERVED[axis.name] then
      local form = "%s is taken by another column of the results"
      fail({ "axes", i, "name" }, form:format(schema_scalar.given(axis.name)))
    end
    by_name[axis.name] = axis
    runs = runs * #(axis.points or {})
  end
  if runs > MOST_RUNS then
    fail({ "axes" }, string.format("make more than %d runs with the seeds", MOST_RUNS))
  end
  check_paths(study, fail)
  check_baseline(study, by_name, fail)
  find_sets(study, run)
end

-- The fields

local SETTING = { type = "setting", max = 1000 }
local PATH = { type = "string", max = 200, pattern = "^[%a_][%w_.%[%]-]*$",
  form = "a path as `gbflow run --set` has it, such as cells[1].pdchs" }

local function label(name, rest)
  rest.name, rest.type, rest.max, rest.pattern = name, "string", 60, "^[^%c,]+$"
  rest.form = "at most 60 octets, no comma"
  return rest
end

local RANGE = {
  { name = "from", type = "number", min = -1e12, max = 1e12, required = true, doc = "first value" },
  { name = "to", type = "number", min = -1e12, max = 1e12, required = true, doc = "last value, if a step ends there" },
  { name = "step", type = "number", min = 1e-9, max = 1e12, default = 1, doc = "distance of two values" },
  { name = "unit", type = "string", absent = "a plain number", max = 10, pattern = "^[%a/%%]+$",
    form = "a unit such as kB", doc = "unit after each value" },
}

local POINT = { type = "record", noun = "a point", fields = {
  label("label", { required = true, doc = "name of the point in tables and plots" }),
  { name = "set", type = "map", item = SETTING, default = {},
    doc = "changes that the point makes together, path = value; none: the scenario as it is" },
} }

local AXIS = { type = "record", noun = "an axis", check = check_axis, fields = {
  { name = "name", type = "string", required = true, max = 40, pattern = "^%a[%w_-]*$",
    form = "at most 40 letters, digits, - and _, a letter first", doc = "name of the axis: a column of the results" },
  { name = "set", type = "list", item = PATH, min = 1, max = 16, other_names = { "key", "keys", "path", "paths" },
    absent = "named by `points`",
    doc = "paths that each of `values`, or of `range`, is given to" },
  { name = "values", type = "list", item = SETTING, min = 1, max = 1000, absent = "none",
    doc = "values of the axis; a value is a text, a number or a boolean" },
  { name = "range", type = "record", noun = "a range", absent = "none", fields = RANGE,
    doc = "values at equal distances" },
  { name = "points", type = "list", item = POINT, min = 1, max = 1000, absent = "none",
    doc = "points that change several keys together, such as schemes" },
} }

return {
  type = "record",
  noun = "a study",
  check = check_whole,
  fields = {
    { name = "title", type = "string", default = "", max = 200, pattern = "^%C*$",
      form = "at most 200 octets, no control characters", doc = "title of the page" },
    { name = "scenario", type = "string", required = true, max = 1000, pattern = "^%C+$", form = "the path of a file",
      doc = "scenario file; a relative path begins at the study's folder" },
    { name = "seeds", type = "integer", min = 1, max = 1000, default = 5,
      doc = "runs of each point, with the seeds 1 .. N" },
    { name = "axes", type = "list", item = AXIS, min = 1, max = 8,
      required = true, doc = "The axes. A run is made for each combination of their points with each seed." },
    { name = "figures", type = "list", max = 100, default = {},
      item = { type = "string", max = 200, pattern = "^[%g ]+$", form = "a name, * for any text" },
      doc = "figures to keep, by the names that `gbflow compare` prints. None: all but those of each mobile, "
        .. "connection and message type" },
    { name = "baseline", type = "map", item = { type = "string", max = 60 }, default = {},
      doc = "label of the point, by axis, that all other points of the axis are compared with" },
    { name = "series", type = "boolean", default = false, doc = "keep series.csv of each run" },
    { name = "packed", type = "boolean", default = true,
      doc = "keep the files of each run with gzip, as summary.json.gz; false: as `gbflow run` writes them" },
  },
}
