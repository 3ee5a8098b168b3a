-- SPDX-License-Identifier: BSD-3-Clause
-- Schema of a study for `gbflow sweep`: a scenario, the axes over which its keys vary, seeds, and the figures to keep.
--
-- In the checked table each axis has `points`, whichever form it was given in, in the order of the file:
-- { label =, sets = { { path =, value = }... } }, the sets in the order of their paths.

local study_check = require "study.check"

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

local AXIS = { type = "record", noun = "an axis", check = study_check.axis, fields = {
  { name = "name", type = "string", required = true, max = 40, pattern = "^%a[%w_-]*$",
    form = "at most 40 letters, digits, - and _, a letter first", doc = "name of the axis: a column of the results" },
  { name = "set", type = "list", item = PATH, min = 1, max = 16, absent = "named by `points`",
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
  check = study_check.whole,
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
  },
}
