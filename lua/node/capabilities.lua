-- SPDX-License-Identifier: BSD-3-Clause
-- Capabilities of a node that can be left out: their keys, a module each:
--
--   FIELDS, CHANGES    its rows of the schema (node.schema) and of changes.ROWS (node.changes)
--   gb_octets(node)    the most octets by which it makes a packet on Gb longer

local capabilities = {}

local MODULES <const> = {
  (require "esp.node"), -- without its second value
}

-- The place of their rows in a list.
capabilities.HERE = {}

-- The list with their rows of this name at the place HERE.
function capabilities.filled(list, name)
  local all = {}
  for _, row in ipairs(list) do
    if row ~= capabilities.HERE then
      all[#all + 1] = row
    else
      for _, module in ipairs(MODULES) do table.move(module[name], 1, #module[name], #all + 1, all) end
    end
  end
  return all
end

function capabilities.gb_octets(node)
  local octets = 0
  for _, module in ipairs(MODULES) do octets = octets + module.gb_octets(node) end
  return octets
end

return capabilities
