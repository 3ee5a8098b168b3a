-- SPDX-License-Identifier: BSD-3-Clause
-- Files with values over time beside a scenario: fields that name them, and their checks. app/run/trace.c reads them.

local scenario_trace = {}

-- The field that names a file; `contents` says what it has.
function scenario_trace.file(contents)
  return { name = "file", type = "string", required = true, max = 200, pattern = "^[^%c/][^%c]*$",
    form = "a path that begins at the scenario's folder and stays in it", doc = contents }
end

-- The field with the time after which a trace begins again.
function scenario_trace.every(what)
  return { name = "every", type = "duration", min = "1 ms", max = "2678400 s", absent = "played once",
    doc = "time after which " .. what .. " begin again; more than the last time of the file" }
end

-- Checks a record with `file`.
function scenario_trace.check(record, fail)
  for part in record.file:gmatch("[^/]+") do
    if part == ".." then
      return fail({ "file" }, string.format("'%s' leaves the scenario's folder: a path below it", record.file))
    end
  end
end

return scenario_trace
