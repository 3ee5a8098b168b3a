-- SPDX-License-Identifier: BSD-3-Clause
-- Tables that are lists.

local lists = {}

-- Removes the first occurrence of an item from a list; returns whether it was there.
function lists.remove(list, item)
  for i, other in ipairs(list) do
    if other == item then
      table.remove(list, i)
      return true
    end
  end
  return false
end

return lists
