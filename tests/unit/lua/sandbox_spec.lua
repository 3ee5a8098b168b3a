-- SPDX-License-Identifier: BSD-3-Clause
local sandbox = require "schema.sandbox"

local function message_of(text, options)
  local value, err = sandbox.load(text, "a.lua", options)
  assert.is_nil(value)
  return err and string.format("%s:%d: %s", err.file, err.line, err.message)
end

describe("sandbox.load", function()
  local values = {
    { "return 1 + 1", 2 }, { "return math.max(1, 3) // 1", 3 }, { "return ('a'):rep(3, '-')", "a-a-a" },
    { "return #string.format('%5.2f%%', 3.14159)", 6 }, { "return ('a1b2'):gsub('%d', '<%0>') .. ''", "a<1>b<2>" },
    { "return ('abc'):gsub('%w', { a = 'x' }) .. ''", "xbc" },
    { "return ('abc'):gsub('%w', function(c) return c:upper() end) .. ''", "ABC" },
    { "local n = 0 for w in ('a b c'):gmatch('%a') do n = n + 1 end return n", 3 },
    { "local t = { 3, 1, 2 } table.sort(t) return table.concat(t, ',')", "1,2,3" },
    { "local t = { 'b', 'a', 'c' } table.sort(t) return table.concat(t)", "abc" },
    { "local t = { 'b', 'a', 'c' } table.sort(t, function(x, y) return x > y end) return table.concat(t)", "cba" },
    { "local t = {} for i = 1, 3000 do t[i] = -i end table.sort(t) return t[1]", -3000 },
    { "local t = {} for i = 1, 3000 do t[i] = 'name' .. i end table.sort(t) return t[3000]", "name999" },
    { "return string.find(123, '2') + string.find('a1', 1)", 4 }, { "return string.gsub(12, 1, 3) .. ''", "32" },
    { "return table.unpack('x', 1, 3) == nil", true }, { "return string.format('%5.1f%%', 2)", "  2.0%" },
    { "local t = { 1, 2 } table.insert(t, 1, 0) table.remove(t) return table.concat(t, ',')", "0,1" },
    { "return table.concat(table.move({ 1, 2, 3 }, 1, 3, 2, {}), ',', 2, 4)", "1,2,3" },
    { "return table.concat({})", "" }, { "string.rep = nil math.pi = 1 return math.pi", 1 },
    { "local s = 0 for i = 1, 100000 do s = s + i end return s", 5000050000 }, { "return false", false },
  }
  for _, row in ipairs(values) do
    it("gives the value of: " .. row[1], function()
      assert.equal(row[2], (sandbox.load(row[1], "a.lua")))
    end)
  end

  local absent = {
    "os", "io", "require", "package", "debug", "load", "loadstring", "loadfile", "dofile", "setmetatable",
    "getmetatable", "rawget", "rawset", "pcall", "error", "coroutine", "collectgarbage", "print", "_G", "next", "pairs",
    "tostring", "string.dump", "string.pack", "math.random", "math.randomseed",
  }
  for _, name in ipairs(absent) do
    it("does not show " .. name, function()
      assert.is_true((sandbox.load("return " .. name .. " == nil", "a.lua")))
    end)
  end

  local limits = {
    { "\nwhile true do end", "a.lua:2: takes too long: more than 10000000 steps" },
    { "local function f() while true do end end\n\nf()", "a.lua:1: takes too long: more than 10000000 steps" },
    { "\nlocal t = { 2, 1 }\ntable.sort(t, function() while true do end end)",
      "a.lua:3: takes too long: more than 10000000 steps" },
    { "return {\n  a = ('x'):rep(1e10)\n}", "a.lua:2: makes too long a string: more than 1048576 octets" },
    { "local s = 'x'\nwhile true do\n  s = s .. s\nend",
      "a.lua:3: takes too much memory: more than 33554432 octets" },
    { "local t = {}\nfor i = 1, 1e9 do t[i] = { i } end", "a.lua:2: takes too much memory: more than 33554432 octets" },
    { "local s = ('x'):rep(100000)\nlocal t = {}\nfor i = 1, 20 do t[i] = s end\nreturn { table.concat(t) }",
      "a.lua:4: makes too long a string: more than 1048576 octets" },
    { "local s = ('x'):rep(100000)\nlocal u = s:gsub('x', s)",
      "a.lua:2: makes too long a string: more than 1048576 octets" },
    { "local s = ('x'):rep(1000)\nlocal u = s:gsub('x', function() return s .. s end)",
      "a.lua:2: makes too long a string: more than 1048576 octets" },
    { "local s = ('a'):rep(10000)\nlocal n = s:find(('a*'):rep(30) .. 'b')",
      "a.lua:2: has too costly a pattern: shorten it or its subject" },
    { "\nlocal s = (''):rep(1e18)", "a.lua:2: takes too long: more than 10000000 steps" },
    { "\nlocal s = ('x'):rep('1e10')", "a.lua:2: makes too long a string: more than 1048576 octets" },
    { "\nlocal s = string.rep(5, 1e10)", "a.lua:2: makes too long a string: more than 1048576 octets" },
    { "local s, p = ('a'):rep(500000), ('a'):rep(250000)\nlocal n = s:find(p .. 'b', 1, true)",
      "a.lua:2: has too costly a pattern: shorten it or its subject" },
    { "\nwhile true do local a = table.unpack({}, 1, 900000) end",
      "a.lua:2: unpacks too long a table: more than 1000 items" },
    { "local t = {}\nfor i = 1, 900000 do t[i] = 1 end\nwhile true do string.char(table.unpack(t)) end",
      "a.lua:3: unpacks too long a table: more than 1000 items" },
    { "return ('('):rep(1e6):find('%b()')", "a.lua:1: has too costly a pattern: shorten it or its subject" },
    { "return (('x'):rep(1e5) .. ('y'):rep(1e5)):find('(.-)%1z')",
      "a.lua:1: has too costly a pattern: shorten it or its subject" },
    { "return ('a'):rep(400):find('[' .. ('b'):rep(200000) .. 'a]*c')",
      "a.lua:1: has too costly a pattern: shorten it or its subject" },
    { "\ntable.move({}, '1', '1000000000000', 2)", "a.lua:2: handles too long a table: more than 1000000 items" },
    { "\ntable.move({}, 1, 1e18, 2)", "a.lua:2: handles too long a table: more than 1000000 items" },
    { "local a, b, t = ('a'):rep(1e6), ('a'):rep(1e6), {}\nfor i = 1, 3e4 do t[i] = i % 2 == 0 and a or b end\n"
      .. "table.sort(t)",
      "a.lua:3: takes too long: more than 10000000 steps" },
    { "local a, b = ('a'):rep(1e6), ('a'):rep(1e6)\nfor i = 1, 3e5 do table.sort({ a, b }) end",
      "a.lua:2: takes too long: more than 10000000 steps" },
    { "\nwhile true do local a = table.unpack('x', 1, 900000) end",
      "a.lua:2: unpacks too long a table: more than 1000 items" },
    { "\nwhile true do local a = table.unpack('x', 1, 900) end", "a.lua:2: takes too long: more than 10000000 steps" },
    { "return string.find(1111111111111111111, ('1*'):rep(30) .. 'b')",
      "a.lua:1: has too costly a pattern: shorten it or its subject" },
    { "return string.gsub(1111111111111111111, ('1*'):rep(30) .. 'b', '')",
      "a.lua:1: has too costly a pattern: shorten it or its subject" },
    { "return string.format(('%1'):rep(500000))", "a.lua:1: bad argument #2 to 'format' (no value)" },
    { "return ('x'):rep(2000000)", "a.lua:1: makes too long a string: more than 1048576 octets" },
  }
  for _, row in ipairs(limits) do
    it("stops: " .. row[1]:gsub("\n", " "), function()
      assert.equal(row[2], message_of(row[1]))
    end)
  end

  local errors = {
    { "return {\n  a =\n}", "a.lua:3: unexpected symbol near '}'" },
    { "return {\n  a = 1\n", "a.lua:3: '}' expected (to close '{' at line 1) near <eof>" },
    { "\nreturn '\1\2\nx'", "a.lua:2: unfinished string near '' '" },
    { "\n\nlocal x = nil + 1", "a.lua:3: attempt to perform arithmetic on a nil value" },
    { "\nlocal x = ('x'):rep({})", "a.lua:2: bad argument #2 to 'rep' (number expected, got table)" },
    { "\nreturn ('x'):rep({})", "a.lua:2: bad argument #2 to 'rep' (number expected, got table)" },
    { "\nlocal x = ('x'):sub({})", "a.lua:2: bad argument #2 to 'sub' (number expected, got table)" },
    { "\nlocal x = string.format('%s', {})", "a.lua:2: cannot format a table" },
    { "\nlocal x = string.format('%%%p', 'x')", "a.lua:2: cannot format with %p" },
    { "\nos.execute('true')", "a.lua:2: attempt to index a nil value (global 'os'); "
      .. "a configuration sees math, string and table only" },
    { "return require 'os'", "a.lua:1: attempt to call a nil value (global 'require'); "
      .. "a configuration sees math, string and table only" },
    { "\27Lua", "a.lua:1: attempt to load a binary chunk (mode is 't')" },
    { ("x"):rep(5000000), "a.lua:1: 5000000 octets long; a configuration has at most 4194304" },
  }
  for _, row in ipairs(errors) do
    it("reports: " .. row[1]:sub(1, 60):gsub("%c", " "), function()
      assert.equal(row[2], message_of(row[1]))
    end)
  end

  it("reports one short line, whatever the text", function()
    local _, err = sandbox.load("return " .. ("y"):rep(100000) .. " z \n\n", "a.lua")
    assert.is_true(#err.message < 400)
    assert.is_nil(err.message:find("\n"))
  end)

  it("leaves strings alone afterwards, also after an error", function()
    local index = getmetatable("").__index
    sandbox.load("string.rep = nil return 1", "a.lua")
    sandbox.load("while true do end", "a.lua")
    assert.equal(string, index)
    assert.equal(index, getmetatable("").__index)
    assert.equal("aa", ("a"):rep(2))
    assert.is_true(collectgarbage("isrunning"))
  end)

  it("keeps one text's changes from the next", function()
    sandbox.load("math.pi = 3 string.upper = nil return 1", "a.lua")
    assert.equal("X", (sandbox.load("return ('x'):upper()", "b.lua")))
    assert.equal(math.pi, (sandbox.load("return math.pi", "b.lua")))
  end)

  local beside = {
    ["radio.lua"] = "return { pdchs = 4 }", ["lib/a.lua"] = "local b = require 'lib.b' return b + 1",
    ["lib/b.lua"] = "n = (n or 0) + 1 return 40 + n", ["none.lua"] = "local x = 1", ["no.lua"] = "return false",
    ["self.lua"] = "return require 'self'",
    ["one.lua"] = "return require 'two'", ["two.lua"] = "return require 'three'",
    ["three.lua"] = "return require 'one'",
    ["bad.lua"] = "return {\n a = \n}", ["late.lua"] = "\n\nlocal x = nil + 1",
    ["slow.lua"] = "while true do end", ["call.lua"] = "return function() return nil + 1 end",
    ["os.lua"] = "return os == nil and io == nil", ["large.lua"] = ("x"):rep(5000000),
  }
  local function read(file)
    return beside[file]
  end
  local required = {
    { "return require('radio').pdchs", 4 }, { "return require 'lib.a' + require 'lib.b'", 83 },
    { "return require 'radio' == require 'radio'", true }, { "return require 'none'", true },
    { "return require 'no'", false }, { "return require 'os'", true },
  }
  for _, row in ipairs(required) do
    it("gives what a file beside it returns: " .. row[1], function()
      assert.equal(row[2], (sandbox.load(row[1], "a.lua", { read = read })))
    end)
  end

  local FORM = "a.lua:2: require takes the name of a file beside this one: letters, digits, - and _, with a dot behind "
    .. 'each folder: require "lib.radio" for lib/radio.lua'
  local refused = {
    { "\nlocal x = require 'absent'", "a.lua:2: require: absent.lua cannot be read" },
    { "\nlocal x = require '../up'", FORM }, { "\nlocal x = require '/etc/passwd'", FORM },
    { "\nlocal x = require '..up'", FORM }, { "\nlocal x = require 'a..b'", FORM }, { "\nlocal x = require ''", FORM },
    { "\nlocal x = require(nil)", FORM }, { "\nlocal x = require({})", FORM }, { "\nlocal x = require(0/0)", FORM },
    { "\nlocal x = require 'self'", "a.lua:2: require: self.lua requires itself" },
    { "\n\nlocal x = require 'one'",
      "a.lua:3: require: one.lua requires two.lua, which requires three.lua, which requires one.lua" },
    { "\nlocal x = require 'bad'", "a.lua:2: bad.lua:3: unexpected symbol near '}'" },
    { "\nlocal x = require 'late'", "a.lua:2: late.lua:3: attempt to perform arithmetic on a nil value" },
    { "\nlocal x = require 'call'()", "a.lua:2: call.lua:1: attempt to perform arithmetic on a nil value" },
    { "\nlocal x = require 'slow'", "a.lua:2: takes too long: more than 10000000 steps" },
    { "\nlocal x = require 'large'", "a.lua:2: require: large.lua has 5000000 octets, at most 4194304" },
  }
  for _, row in ipairs(refused) do
    it("refuses: " .. row[1]:gsub("%c", " "), function()
      assert.equal(row[2], message_of(row[1], { read = read }))
    end)
  end

  it("reads 64 files at most", function()
    local function numbered(file) return file:find("^m%d+%.lua$") and "return 1" end
    local text = "local n = 0 for i = 1, %d do n = n + require('m' .. i) end return n"
    assert.equal(64, (sandbox.load(text:format(64), "a.lua", { read = numbered })))
    assert.equal("a.lua:1: require: more than 64 files", message_of(text:format(65), { read = numbered }))
  end)

  it("takes the seeded generator it is given", function()
    local options = { random = function() return 4 end }
    assert.equal(4, (sandbox.load("return math.random()", "a.lua", options)))
  end)

  -- Where the parser's time is over after some pieces; the prefix that it has got may be a whole text.
  it("ends a parser that takes too long", function()
    local asked = 0
    local budget = { parse_s = 5, is_over = function() return false end, begin_parse = function() asked = 0 end,
      watch = function() end,
      is_parse_over = function()
        asked = asked + 1
        return asked > 3
      end }
    local function message_within(text)
      local saved = package.loaded["schema.sandbox"]
      package.loaded.gbflow_budget, package.loaded["schema.sandbox"] = budget, nil
      local limited = require "schema.sandbox"
      package.loaded.gbflow_budget, package.loaded["schema.sandbox"] = nil, saved
      local value, err = limited.load(text, "a.lua")
      return value or string.format("%d: %s", err.line, err.message)
    end
    assert.equal(7, message_within("return 7"))
    local late = "65: takes more than 5 s of processor time to parse; divide chains of `elseif`, `and` and `or` into "
      .. "tables and functions"
    for _, line in ipairs({ "local x = nil or 1 or 2 3", "local x = nil or 1 or 2;  " }) do
      assert.equal(late, message_within((line:sub(1, 23) .. "\n"):rep(200)))
    end
  end)

  it("takes smaller limits", function()
    local options = { limits = { work = 1000 } }
    assert.equal("a.lua:1: takes too long: more than 1000 steps", message_of("for i = 1, 1000 do end", options))
  end)
end)
