-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints between the keys of a study (study.schema), and the points of its axes.

local scalar = require "schema.scalar"

local study_check = {}

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
      return fail({}, string.format("has the point %s twice", scalar.given(point.label)))
    end
    seen[point.label] = i
  end
end

-- Turns each form of an axis into points.
function study_check.axis(axis, fail)
  if check_form(axis, fail) then
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

local function has_label(axis, label)
  for _, point in ipairs(axis.points or {}) do
    if point.label == label then
      return true
    end
  end
end

local function check_baseline(study, by_name, fail)
  for name, label in next, study.baseline do
    local axis = by_name[name]
    if not axis then
      fail({ "baseline", name }, "is no axis of the study")
    elseif not has_label(axis, label) then
      fail({ "baseline", name }, string.format("%s is no point of the axis", scalar.given(label)))
    end
  end
end

-- Columns of the tables that gbflow sweep writes.
local RESERVED <const> = {}
for name in ("run seed figure value runs mean low high min max baseline difference_percent low_percent high_percent p "
  .. "p_family detectable_percent verdict"):gmatch("%S+") do
  RESERVED[name] = true
end

function study_check.whole(study, fail)
  local by_name, runs = {}, study.seeds
  for i, axis in ipairs(study.axes) do
    if by_name[axis.name] or RESERVED[axis.name] then
      local form = "%s is taken by another column of the results"
      fail({ "axes", i, "name" }, form:format(scalar.given(axis.name)))
    end
    by_name[axis.name] = axis
    runs = runs * #(axis.points or {})
  end
  if runs > MOST_RUNS then
    fail({ "axes" }, string.format("make more than %d runs with the seeds", MOST_RUNS))
  end
  check_paths(study, fail)
  check_baseline(study, by_name, fail)
end

return study_check
