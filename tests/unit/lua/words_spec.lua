-- SPDX-License-Identifier: BSD-3-Clause
-- The word that was probably meant, by the cases that the helpers in C and Python are tested with, too.

local schema_scalar = require "schema.scalar"
local spec_tools = require "spec_tools"

-- A row of tests/data/words.txt: the word, the names, the one that was meant.
local function rows()
  local found = {}
  for line in spec_tools.read("tests/data/words.txt"):gmatch("[^\n]+") do
    local word, names, meant = line:match("^([^#|]+) | ([^|]+) | ([^|]+)$")
    if word then
      local list = {}
      for name in names:gmatch("[^,]+") do list[#list + 1] = name end
      found[#found + 1] = { word, list, meant ~= "-" and meant or nil }
    end
  end
  return found
end

describe("the word that was meant", function()
  it("has cases", function() assert.is_true(#rows() > 10) end)

  for _, row in ipairs(rows()) do
    it("by " .. row[1] .. " is " .. tostring(row[3]), function()
      local question = row[3] and "; did you mean '" .. row[3] .. "'?" or ""
      local message = "'" .. row[1] .. "' is no name: one of " .. table.concat(row[2], ", ") .. question
      if #row[1] < 40 then assert.equal(message, schema_scalar.unknown(row[1], "name", row[2])) end
      assert.equal(question, schema_scalar.question(row[2], row[1]))
    end)
  end
end)
