-- SPDX-License-Identifier: BSD-3-Clause
-- Tables that are lists.

local lists = {}

-- Takes the first item that is this one out of the list; nothing happens when it is not in it.
function lists.remove(list, item)
  for i, other in ipairs(list) do
    if other == item then
      table.remove(list, i)
      return
    end
  end
end

return lists
