-- SPDX-License-Identifier: BSD-3-Clause
-- The order in which errors and warnings of a configuration are shown.

local findings = {}

-- Numbers in a path compare as numbers: cells[2] before cells[10].
local function sort_key(path)
  return (path:gsub("%d+", function(digits) return ("0"):rep(9 - #digits) .. digits end))
end

-- sorted(list) -> errors or warnings, { line, path, message } each, by line, then path, then as they were found.
function findings.sorted(list)
  for i, entry in ipairs(list) do
    entry.order, entry.sort_key = i, sort_key(entry.path)
  end
  table.sort(list, function(a, b)
    if a.line ~= b.line then
      return a.line < b.line
    elseif a.sort_key ~= b.sort_key then
      return a.sort_key < b.sort_key
    end
    return a.order < b.order
  end)
  for i, entry in ipairs(list) do
    list[i] = { line = entry.line, path = entry.path, message = entry.message }
  end
  return list
end

return findings
