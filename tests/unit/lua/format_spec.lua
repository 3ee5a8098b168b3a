-- SPDX-License-Identifier: BSD-3-Clause
-- Formats of octets: each row of values is written and read, and what is no value is neither.
local format = require "wire.format"
local ip_network = require "base.ip_network"

local u8, u16, rest = format.number(1), format.number(2), format.rest
local counted, struct = format.counted, format.struct

local point = struct { { "x", u16 }, { "label", counted(1, rest(0, 3)) } }
local head = struct { { format.bits(1, { { "kind", 3 }, { bits = 3, spare = 5 }, { "is_on", 1, is = true },
  { "is_idle", 1, is = false } }) }, { "sum", u8 } }
local ELEMENTS = {
  { "cause", 1, u8, must = true }, { "number", 2, format.digits(1, 6) }, { "points", 3, point, most = 2 },
  { "other", 4, format.whole(u8), unless = "number" }, { "first", 5, u8 }, { "second", 5, u8 },
}
local message = format.elements(format.tlv(1), ELEMENTS)
local frame = struct { { "type", u8 }, { message } }
local keys = struct { { "has_two", format.flag(1, 0xfe) },
  { "key", format.chosen_by(function(so_far) return format.octets(so_far.has_two and 2 or 1) end) },
  { "tail", format.trailing(counted(1, rest(0, 255))) } }
local counting = struct {
  { format.bits(1, { { "count", 4, of = function(whole) return #(whole.text or "") end }, { "kind", 4 } }) },
  { format.members { { "x", u8 }, { "y", u8 } } }, { "text", rest(0, 15) },
}
local odd = format.sent(u8, function(value) return value % 2 == 1 end, "must be odd")
local even = format.only(u8, function(value) return value % 2 == 0 end, "must be even")

-- A format, a value, and its octets.
local PAIRS = {
  { u8, 0, "\0" }, { u16, 258, "\1\2" }, { format.number(4), 0xffffffff, "\xff\xff\xff\xff" },
  { format.number(1, 3, 0xf8), 7, "\xff" }, { format.number(1, 3, 0xf8), 0, "\xf8" },
  { format.flag(0x10), true, "\x10" }, { format.flag(1, 0xfe), false, "\xfe" },
  { format.octets(3), "abc", "abc" }, { rest(0, 3), "abc", "abc" }, { rest(0, 3), nil, "" }, { rest(1, 3), "a", "a" },
  { format.digits(1, 6), "12345", "\x21\x43\xf5" }, { format.digits(1, 6), "123456", "\x21\x43\x65" },
  { format.digits(6, 15, { octets = 8 }), "001010", "\0\x01\x01\xff\xff\xff\xff\xff" },
  { format.digits(6, 15, { octets = 8 }), "001010123456789", "\0\x01\x01\x21\x43\x65\x87\xf9" },
  { format.digits(6, 15, { is_strict = true }), "0010101", "\0\x01\x01\xf1" },
  { format.address(), "192.0.2.7", "\192\0\2\7" }, { format.address(true), nil, "" },
  { format.address(), "2001:db8::7", "\x20\1\x0d\xb8" .. ("\0"):rep(11) .. "\7" },
  { even, 4, "\4" }, { odd, 5, "\5" }, { counting, { count = 2, kind = 1, x = 3, y = 4, text = "ab" }, "\x21\3\4ab" },
  { format.whole(u8), 4, "\4" },
  { counted(1, rest(0, 255)), nil, "\0" }, { counted(2, rest(1, 3)), "abc", "\0\3abc" },
  { counted(1, format.list(u16, 3)), { 1, 2, 3 }, "\6\0\1\0\2\0\3" }, { format.list(point, 3), {}, "" },
  { point, { x = 7, label = "abc" }, "\0\7\3abc" }, { point, { x = 7 }, "\0\7\0" },
  { head, { kind = 5, is_on = true, is_idle = false, sum = 2 }, "\xb7\2" },
  { head, { kind = 0, is_on = false, is_idle = true, sum = 2 }, "\x14\2" },
  { keys, { has_two = true, key = "ab", tail = "c" }, "\xffab\1c" },
  { keys, { has_two = false, key = "a" }, "\xfea\0" },
  { frame, { type = 9, cause = 1 }, "\9\1\1\1" },
  { frame, { type = 9, cause = 1, number = "12", points = { { x = 1 }, { x = 2, label = "a" } }, first = 3,
    second = 4 },
    "\9\1\1\1\2\1\x21\3\3\0\1\0\3\4\0\2\1a\5\1\3\5\1\4" },
  { frame, { type = 9, cause = 1, other = 5 }, "\9\1\1\1\4\1\5" },
}

-- A format, octets that are no value or more than its own octets, and what is read: nil, a word; or a value.
local READ = {
  { u16, "\0", "malformed" }, { format.octets(3), "ab", "malformed" }, { rest(1, 2), "", "malformed" },
  { rest(1, 2), "abc", "malformed" }, { format.flag(1), "", "malformed" }, { format.number(1, 3), "\xfd", 5 },
  { format.digits(1, 6), "\xff", "malformed" }, { format.digits(1, 6), "\xfa", "malformed" },
  { format.digits(1, 6), "\x21\x43\x65\xf7", "malformed" }, { format.digits(1, 6), "\x21\x43\x65\xff\x11", "123456" },
  { format.digits(1, 5), "\x21\xf3\x21\x21\x21", "123" }, { format.digits(1, 6), ("\x11"):rep(70000), "malformed" },
  { format.digits(2, 6), "\xf1", "malformed" }, { format.digits(1, 6), "", "malformed" },
  { format.digits(1, 6, { is_strict = true }), "\x21\xff", "malformed" },
  { format.digits(1, 6, { is_strict = true }), "\x21\xf3\xf3", "malformed" },
  { format.digits(1, 6, { is_strict = true }), "\x21\x43\x65\xff", "malformed" },
  { format.digits(1, 5, { is_strict = true }), "\x21\x43\xf5", "12345" },
  { format.address(), "", "malformed" }, { format.address(true), "\1", "malformed" }, { even, "\3", "malformed" },
  { odd, "\4", 4 }, { odd, "", "malformed" }, { counting, "\x21\3", "malformed" },
  { format.whole(u8), "\1\2", "malformed" }, { counted(1, u8), "\2\1\9", 1 }, { counted(1, u8), "\2\1", "malformed" },
  { counted(1, u8), "\0\1", "malformed" }, { counted(2, u8), "\0", "malformed" },
  { format.list(u16, 2), "\0\1\0", "malformed" }, { format.list(u8, 2), "\1\2\3", "malformed" },
  { head, "\xb7", "malformed" }, { head, "", "malformed" }, { keys, "\xffa", "malformed" },
  { keys, "\xfea", { has_two = false, key = "a" } },
  { frame, "\9", "malformed" }, { frame, "\9\2\1\x21", "malformed" },
  { frame, "\9\1\1", "truncated" }, { frame, "\9\1", "truncated" },
  { frame, "\9\7\2ab\1\2\1\9\1\1\2", { type = 9, cause = 1 } }, -- an unknown one, a longer one, a repeated one
  { frame, "\9\1\1\1\3\3\0\1\0\3\3\0\2\0\3\1\0", { type = 9, cause = 1, points = { { x = 1 }, { x = 2 } } } },
  { frame, "\9\1\1\1\3\1\0", "malformed" },
  { frame, "\9\1\1\1\2\1\x21\4\1\5", { type = 9, cause = 1, number = "12" } },
  { frame, "\9\1\1\1\5\1\3\5\1\4\5\1\5", { type = 9, cause = 1, first = 3, second = 4 } },
}

-- A format, and a value without a place on the wire.
local UNFIT = {
  { u8, 256, "0 .. 255" }, { u8, -1, "0 .. 255" }, { u8, 1.5, "0 .. 255" }, { u8, "1", "0 .. 255" },
  { format.number(1, 3), 8, "0 .. 7" }, { format.octets(3), "ab", "3 octets" }, { format.octets(3), nil, "string" },
  { rest(1, 3), nil, "1 to 3 octets" }, { rest(0, 3), "abcd", "0 to 3 octets" }, { rest(0, 3), 1, "string" },
  { format.digits(2, 4), "1", "2 to 4 digits" }, { format.digits(2, 4), "12345", "2 to 4" },
  { format.digits(2, 4), "1a", "2 to 4" },
  { format.digits(2, 4), 12, "string" }, { format.address(), "here", "'here' is not an IP address" },
  { format.address(), nil, "string" },
  { even, 3, "must be even" }, { odd, 2, "must be odd" }, { counting, { x = 256 }, "field 'x'" },
  { counted(1, rest(0, 300)), ("x"):rep(256), "at most 255 octets" },
  { format.list(u8, 2), { 1, 2, 3 }, "a list of at most 2" }, { format.list(u8, 2), 1, "a list" },
  { point, 1, "a table" },
  { head, { kind = 8 }, "field 'kind'.*0 .. 7" }, { point, { label = "abcd" }, "field 'label'" },
  { frame, { type = 9 }, "field 'cause': is missing" }, { frame, { type = 9, cause = 256 }, "field 'cause'" },
  { frame, { type = 9, cause = 1, points = { {}, {}, {} } }, "field 'points': must be a list of at most 2" },
  { frame, { type = 9, cause = 1, points = { 1 } }, "field 'points': must be a table" },
}

describe("a format", function()
  for i, row in ipairs(PAIRS) do
    it(("reads what it writes, %d"):format(i), function()
      local inner, value, octets = table.unpack(row, 1, 3)
      assert.equal(octets, format.encode(inner, value))
      local found, word = format.decode(inner, octets)
      assert.same(value, found)
      assert.is_nil(word)
      assert.equal(#octets + 1, (select(2, inner.read(octets, 1, #octets, {})))) -- where the next one begins
      for length = 0, #octets - 1 do -- nothing but a fault
        local part, fault = format.decode(inner, octets:sub(1, length))
        assert.is_true(part ~= nil or fault == nil or fault == "malformed" or fault == "truncated")
      end
    end)
  end

  for i, row in ipairs(READ) do
    it(("reads octets of no or other values, %d"):format(i), function()
      local value, word = format.decode(row[1], row[2])
      if type(row[3]) == "string" and word then
        assert.same({ row[3] }, { word, value })
      else
        assert.same(row[3], value)
      end
    end)
  end

  for i, row in ipairs(UNFIT) do
    it(("does not write what has no place, %d"):format(i), function()
      assert.error_matches(function() format.encode(row[1], row[2]) end, row[3])
    end)
  end

  it("looks at no octet before and behind its own", function()
    local octets = "\1\1\9\0\7\3abc\2\2\2"
    assert.same({ x = 7, label = "abc" }, format.decode(point, octets, 4, 9))
    assert.is_nil((format.decode(point, octets, 4, 8)))
  end)

  it("leaves what it has read before a fault", function()
    local into = {}
    local _, _, fault = format.decode(message, "\1\1\4\2\1\x21\3\9", 1, 8, into)
    assert.equal(format.TRUNCATED, fault)
    assert.same({ cause = 4, number = "12" }, into)
    _, _, fault = format.decode(message, "\2\1\x21")
    assert.equal(format.MISSING, fault)
    _, _, fault = format.decode(message, "\1\0")
    assert.equal(format.MALFORMED, fault)
  end)

  it("of bits has a row for each", function()
    assert.error_matches(function() format.bits(1, { { "kind", 7 } }) end, "each bit")
  end)

  it("raises an error that is none of the octets", function()
    local wrong = { read = function(s) return s.x.y end }
    local lenient = format.elements(format.tlv(1), { { "a", 1, wrong } }, { skipped = print })
    assert.error_matches(function() format.decode(lenient, "\1\0") end, "index")
  end)
end)

describe("elements", function()
  it("that cannot be read are told, and the next counts", function()
    local skipped = {}
    local function tell(_, tag) skipped[#skipped + 1] = tag end
    local lenient = format.elements(format.tlv(1), ELEMENTS, { skipped = tell })
    assert.same({ cause = 3, points = { { x = 2 } } }, format.decode(lenient, "\1\0\3\1\0\1\1\3\3\3\0\2\0"))
    assert.same({ 1, 3 }, skipped)
  end)

  it("of a list are all read where some are kept", function()
    local function keep(list, value) return list[#list] ~= value and #list < 3 end
    local some = format.elements(format.tlv(1), { { "numbers", 1, u8, most = 3, keep = keep } })
    assert.same({ numbers = { 1, 2, 1 } }, format.decode(some, "\1\1\1\1\1\1\1\1\2\1\1\1\1\1\5"))
    assert.is_nil((format.decode(some, "\1\1\1\1\1\2\1\1\1\1\1\5\1\0")))
  end)

  it("may have lengths of two octets, and end where nothing can be read", function()
    local long = format.elements(format.tlv(2), { { "text", 1, rest(1, 65535) } })
    local text = ("x"):rep(65535)
    assert.same({ text = text }, format.decode(long, format.encode(long, { text = text })))
    local form = { split = function(s, at) if s:byte(at) ~= 0 then return s:byte(at), at + 1, at + 1 end end }
    assert.same({ one = 7 }, format.decode(format.elements(form, { { "one", 1, u8 } }), "\1\7\0\xff"))
  end)
end)

describe("an IPv6 address", function()
  local texts = { "::", "::1", "1::", "2001:db8::1:0:0:1", "2001:0:0:1::1", "1:2:3:4:5:6:7:8", "1:0:3:4:5:6:7:8",
    "::ffff:192.0.2.1", "::192.0.2.1", "::ffff:0:c000:201", "64:ff9b::c000:201", "fe80::", "::1:0:0", "::fffe:1:2" }
  for _, text in ipairs(texts) do
    it("is written as inet_ntop() does: " .. text, function()
      assert.equal(text, ip_network.text(ip_network.octets(text)))
    end)
  end

  it("has dots in its last two groups alone", function()
    for _, text in ipairs { "::1.2.3", "::1.2.3.256", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::01.2.3.4",
      "2001:db8::1.2.3.4" } do
      assert.is_nil(ip_network.octets(text))
    end
  end)
end)
