-- SPDX-License-Identifier: BSD-3-Clause
-- Mobiles with one identity: the first keeps a TLLI, as the test "control mobility" (one_tlli) has it of control; the
-- later has an IMSI.
local mobile_book = require "mobile.book"

local A <const>, B <const>, C <const> = 0xc000000a, 0xc000000b, 0xc000000c

-- Steps as in one_tlli; then the slots that are found by A, B and C, false: none.
local ROWS <const> = {
  { "add 0 a", "add 1 a", found = { 0, false, false } },
  { "add 0 a", "add 1 a", "call 1 b", found = { 0, 1, false } },
  { "add 0 a", "add 1 a", "call 0 b", found = { false, 0, false } },
  { "add 0 a", "add 1 a", "del 0", found = { false, false, false } },
  { "add 0 a", "add 1 a", "del 0", "call 1 a", found = { false, false, false } },
  { "add 0 a", "add 1 a", "del 0", "call 1 c", found = { false, false, 1 } },
  { "add 0 a", "add 1 a", "del 1", found = { 0, false, false } },
  { "add 0 a", "add 1 b", "call 1 a", found = { 0, false, false } },
  { "add 0 a", "add 1 b", "call 1 a", "call 0 c", "call 1 b", found = { false, 1, 0 } },
  -- Offers, which control does not have: "offer 0" alone withdraws one.
  { "add 0 a", "offer 0 b", found = { 0, 0, false } },
  { "add 0 a", "offer 0 b", "offer 0", found = { 0, false, false } },
  { "add 0 a", "offer 0 b", "call 0 a", found = { 0, false, false } },
  { "add 0 a", "offer 0 b", "call 0 b", "offer 0 c", found = { false, 0, 0 } },
  { "add 0 a", "offer 0 b", "del 0", "add 0 c", found = { false, false, 0 } },
}
local TLLIS <const> = { a = A, b = B, c = C }

local function play(book, step)
  local word, slot, name = step:match("^(%a+) (%d) ?(%a?)$")
  slot = math.tointeger(slot)
  if word == "add" then return book:add(slot, TLLIS[name]) end
  if word == "offer" then return book:offer(book.at[slot], TLLIS[name]) end
  if word == "call" then return book:call(book.at[slot], TLLIS[name]) end
  book:remove(book.at[slot])
end

describe("the book of mobiles", function()
  for _, row in ipairs(ROWS) do
    it("has after " .. table.concat(row, ", ") .. " the mobiles of its TLLIs", function()
      local book, found = mobile_book.new(), {}
      for _, step in ipairs(row) do play(book, step) end
      for i, tlli in ipairs({ A, B, C }) do
        local ms = book:of_tlli(tlli)
        found[i] = ms and ms.slot or false
      end
      assert.same(row.found, found)
    end)
  end

  it("has the later mobile of an IMSI", function()
    local book = mobile_book.new()
    local first, later = book:add(0, A, "262420000000001"), book:add(1, B, "262420000000001")
    assert.equal(later, book:of_imsi("262420000000001"))
    book:remove(first)
    assert.equal(later, book:of_imsi("262420000000001"))
  end)

  it("has no mobile of an IMSI that was given up, also if another one takes the slot", function()
    local book = mobile_book.new()
    local ms = book:add(0, A, "262420000000001")
    book:identify(ms, "262420000000002")
    assert.is_nil(book:of_imsi("262420000000001"))
    book:remove(ms)
    book:add(0, B)
    assert.is_nil(book:of_imsi("262420000000002"))
  end)
end)
