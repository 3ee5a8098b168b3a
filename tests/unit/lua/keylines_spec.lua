-- SPDX-License-Identifier: BSD-3-Clause
local keylines = require "schema.keylines"

-- Rows: text, path, line of the key, line of the brace that opens the table there (nil: not asked).
local rows = {
  { "return {\n  a = 1,\n  b = 2 }", "b", 3 },
  { "return {\n  a = 1,\n}", "b", 1, 1 },
  { "return\n{\n  a = {\n  } }", "a", 3, 3 },
  { "return {\n  a =\n  {\n  } }", "a", 2, 3 },
  { "return {\n  a = { b = {\n    c = 1,\n    d = 2 } } }", "a.b.d", 4 },
  { "return {\n  1,\n  { x = 1,\n    y = 2 },\n}", "[2].y", 4 },
  { "return {\n  l = {\n    { n = 1 },\n    { n = 2 };\n    { n = 3 },\n  } }", "l[3].n", 5 },
  { "return {\n  l = { 1, 2 },\n}", "l[7]", 2 },
  { "return {\n  -- a = 1,\n  a = 2 }", "a", 3 },
  { "return { --[[ a = 1,\n b = 1 ]] c = 1,\n  a = 2 }", "a", 3 },
  { "return { --[==[ ]] }\n]==]\n  a = 2 }", "a", 3 },
  { "return { s = [[\n}\na = 1,\n]],\n  a = 2 }", "a", 5 },
  { "return { s = '}, a = 1', t = \"{\\\"\",\n  a = 2 }", "a", 2 },
  { "return { s = 'x\\\ny',\n  a = 2 }", "a", 3 },
  { "return {\n  ['key'] = 1,\n  a = 2 }", "key", 2 },
  { "return {\n  [1] = 1,\n  [2] = { x = 3 } }", "[2].x", 3 },
  { "return {\n  [1 + 1] = 1,\n  a = 2 }", "a", 3 },
  { "return {\n  f = function(a, b)\n    if a then return { x = 1, b } end\n  end,\n  a = 2 }", "a", 5 },
  { "return {\n  x = (1 + 2) * #{ 1, 2 },\n  a = 2 }", "a", 3 },
  { "return { x = a and { 1,\n 2 } or { 3 },\n  a = 2 }", "a", 3 },
  { "local t = {\n  a = 1,\n}\nreturn t", "a", 2 },
  { "local t = {\n  a = 1,\n}\nreturn {\n  b = t }", "b", 5, 1 },
  { "local t = {\n  a = 1,\n}\nreturn {\n  b = t }", "b.a", 2 },
  { "local t = {\n  a = 1,\n}\nreturn {\n  b = { t, t } }", "b[2].a", 2 },
  { "local t <const> = {\n  a = 1,\n}\nreturn {\n  b = t }", "b.a", 2 },
  { "local t, u = { x = 1 },\n  { a = 1 }\nreturn { b = u }", "b.a", 2 },
  { "local t = { a = 1 }\nt = {\n  a = 2 }\nreturn t", "a", 3 },
  { "local t = { u = {\n  a = 1 } }\nreturn { b = t.u }", "b.a", 2 },
  { "local t = {\n  { a = 1 },\n  { a = 2 } }\nreturn { b = t[2] }", "b.a", 3 },
  { "local t = {}\nt.a = 1\nt.b = { c = 1 }\nreturn t", "b.c", 3 },
  { "local t = {}\nt[1] = {\n  c = 1 }\nreturn { x = t }", "x[1].c", 3 },
  { "local t = { u = {} }\nt.u.a = 1\nreturn t", "u.a", 2 },
  { "return f{\n  a = 1 }", "a", 2 },
  { "return { b = f{\n  a = 1 } }", "b.a", 2 },
  { "return { b = m.f({ z = 1 },\n  { a = 1 }) }", "b.a", 2 },
  { "return {\n  b = f(1, 2),\n  a = 1 }", "b.c", 2 },
  { "return {\n  b = f(g(), { 1 }, h{ 2 }),\n  a = 1 }", "a", 3 },
  { "local l = {}\nfor i = 1, 3 do\n  l[i] = { n = i }\nend\nreturn {\n  l = l }", "l[2].n", 6 },
  { "local function f()\n  return { a = 1 }\nend\nreturn {\n  a = 2 }", "a", 5 },
  { "local l = {}\nrepeat local x = { a = 1 } until true\nwhile false do end\nif l then l = l end\nreturn {\n  a = 2 }",
    "a", 6 },
  { "return {\n  a = 1e5, b = 0x1F, c = .5, d = 1..2,\n  e = 5 }", "e", 3 },
  { "return {\n  a = -5,\n  b = not true,\n  c = 1 < 2 }", "c", 4 },
  { "return ({\n  a = 1 })", "a", 2 },
  { "return { a = ({ b =\n 1,\n  c = 2 }) }", "a.c", 3 },
  { "return {\n  a = 1,\n  a = 2 }", "a", 3 },
  { "return 5", "a", 1 },
  { "\n\nreturn 5", "", 3 },
  { "", "a.b[1]", 1 },
  { "return { 'x', a = 1,\n  'y', { b = 1 },\n  { c = 1 } }", "[4].c", 3 },
}

describe("keylines", function()
  for i, row in ipairs(rows) do
    it("row " .. i .. ": finds '" .. row[2] .. "' in " .. row[1]:gsub("\n", " "):sub(1, 60), function()
      local lines = keylines.scan(row[1])
      assert.equal(row[3], lines:line(row[2]))
      if row[4] then
        assert.equal(row[4], lines:opening(row[2]))
      end
    end)
  end

  it("tells of keys that are given twice", function()
    local lines = keylines.scan("return { l = {\n  { a = 1,\n    b = 1,\n    a = 2 } } }")
    assert.same({ { key = "a", line = 4 } }, lines:repeated("l[1]"))
    assert.same({}, lines:repeated("l"))
    assert.same({}, lines:repeated("m"))
  end)

  it("says whether any key is given twice", function()
    assert.is_true(keylines.scan("return { a = 1, l = { b = 1, b = 2 }, c = 3 }").has_repeated)
    assert.is_false(keylines.scan("return { a = 1, l = { b = 1, a = 2 } }").has_repeated)
  end)

  it("writes and reads paths", function()
    assert.equal("nses[1].nsvcs[2].address", keylines.path_of({ "nses", 1, "nsvcs", 2, "address" }))
    assert.equal("[3][\"odd key\"].a", keylines.path_of({ 3, "odd key", "a" }))
    assert.same({ "nses", 1, "nsvcs", 2, "address" }, keylines.keys_of("nses[1].nsvcs[2].address"))
    assert.same({ 3, "a1", 12 }, keylines.keys_of("[3].a1[12]"))
  end)

  it("survives text that is no Lua", function()
    local seed = 1
    local alphabet = { "{", "}", "[", "]", "=", ",", "(", ")", "a", "'", "\n", "--", "[[", "return", " ", "local",
      "end", "function", "1", ".", "<" }
    for _ = 1, 3000 do
      local parts = {}
      for i = 1, 25 do
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        parts[i] = alphabet[(seed >> 8) % #alphabet + 1]
      end
      local text = table.concat(parts, " ")
      local line = keylines.scan(text):line("a.b[1]")
      assert.is_true(line >= 1 and line <= 26, text)
    end
  end)
end)
