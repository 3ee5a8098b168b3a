-- SPDX-License-Identifier: BSD-3-Clause
-- Tables of many entries, against plain tables.
local tables = require "base.tables"

-- The entries of each table within.
local function sizes_of(map)
  local _, shards = debug.getupvalue(getmetatable(map).__pairs, 2)
  if type(shards) ~= "table" or #shards < 2 then _, shards = debug.getupvalue(getmetatable(map).__pairs, 1) end
  return shards
end

describe("a large map", function()
  it("is a table", function()
    local map, plain = tables.large_map(), {}
    for i = 1, 5000 do
      local key = 0xC0000000 + i * 7919 % 4099
      map[key], plain[key] = i % 5 > 0 and i or nil, i % 5 > 0 and i or nil
    end
    local got = {}
    for key, value in pairs(map) do got[key] = value end
    assert.same(plain, got)
    for key = 0xC0000000, 0xC0000000 + 4100 do assert.equal(plain[key], map[key]) end
    assert.is_nil(map[nil])
    assert.is_nil(map.text)
  end)

  it("keeps digits", function()
    local by_number, by_digits = tables.large_map({ value = "digits" }), tables.large_map({ key = "digits" })
    for _, digits in ipairs({ "001010000000001", "1010000000001", "999999999999999", "0", "00" }) do
      by_number[1], by_digits[digits] = digits, #digits
      assert.equal(digits, by_number[1])
      assert.equal(#digits, by_digits[digits])
    end
    for _, other in ipairs({ "", "000", "1e5", "0x10", "1010000000002", "99999999999999999999" }) do
      assert.is_nil(by_digits[other])
    end
    local got = {}
    for key in pairs(by_digits) do got[#got + 1] = key end
    table.sort(got)
    assert.same({ "0", "00", "001010000000001", "1010000000001", "999999999999999" }, got)
    by_number[1], by_digits["00"] = nil, nil
    assert.is_nil(by_number[1])
    assert.is_nil(by_digits["00"])
    assert.equal(1, by_digits["0"])
  end)

  it("has small tables, for TLLIs and IMSIs in a row or apart", function()
    for _, kinds in ipairs({ {}, { key = "digits" } }) do
      for _, step in ipairs({ 1, 2, 256, 1024, 99991 }) do
        local map, most = tables.large_map(kinds), 0
        for i = 1, 65536 do
          map[kinds.key and ("%015d"):format(262420000000000 + i * step) or (0xC0000000 + i * step)] = true
        end
        for _, shard in ipairs(sizes_of(map)) do
          local count = 0
          for _ in pairs(shard) do count = count + 1 end
          most = math.max(most, count)
        end
        assert.is_true(most <= 1024, ("step %d: %d"):format(step, most))
      end
    end
  end)
end)
