-- SPDX-License-Identifier: BSD-3-Clause
local schema = require "schema.schema"

local function record(fields)
  return { type = "record", noun = "a thing", fields = fields }
end

-- Rows: descriptor, value, what it becomes (nil when refused), message.
local rows = {
  { { type = "rate", max = "6.5535 Gbit/s" }, "80 kbit/s", 80000 },
  { { type = "rate", max = "6.5535 Gbit/s" }, "-5 kbit/s", nil,
    "rate '-5 kbit/s' is out of range: 0 bit/s .. 6.5535 Gbit/s" },
  { { type = "rate", max = "1 Mbit/s" }, "1000001 bit/s", nil,
    "rate '1000001 bit/s' is out of range: 0 bit/s .. 1 Mbit/s" },
  { { type = "rate" }, "80", nil, "rate '80' needs a unit: one of bit/s, kbit/s, Mbit/s, Gbit/s, octet/s, kB/s; "
    .. "allowed 0 bit/s or more" },
  { { type = "rate" }, 80, nil, "rate 80 needs a unit: one of bit/s, kbit/s, Mbit/s, Gbit/s, octet/s, kB/s; "
    .. "allowed 0 bit/s or more" },
  { { type = "octets" }, "8 s", nil, "size '8 s' has the unknown unit 's': one of octets, kB, MB, KiB, MiB; "
    .. "allowed 0 octets or more" },
  { { type = "octets" }, "much", nil, "size 'much' is not a number with a unit; allowed 0 octets or more" },
  { { type = "octets" }, "1.5 octets", nil,
    "size '1.5 octets' is not a whole number of octets; allowed 0 octets or more" },
  { { type = "octets", max = "1 MB", multiple_of = "100 octets" }, "150 octets", nil,
    "size '150 octets' is not a multiple of 100 octets: 0 octets .. 1 MB" },
  { { type = "octets", max = "1 MB", multiple_of = "100 octets" }, "0.2 kB", 200 },
  { { type = "octets" }, {}, nil, "a table where a size belongs: 0 octets or more" },
  { { type = "duration", min = "1 ms", max = "15 s" }, "15 s", 15000000000 },
  { { type = "duration", min = "1 ms", max = "15 s" }, "1 ms", 1000000 },
  { { type = "duration", min = "1 ms", max = "15 s" }, "0.999999 ms", nil,
    "duration '0.999999 ms' is out of range: 1 ms .. 15 s" },
  { { type = "duration", min = "1 ms", max = "15 s" }, "infinite", nil,
    "duration 'infinite' is out of range: 1 ms .. 15 s" },
  { { type = "duration", max = "15 s", allow_infinite = true }, "infinite", math.maxinteger },
  { { type = "duration", max = "15 s", allow_infinite = true }, "99999999999 s", nil,
    "duration '99999999999 s' is out of range: 0 s .. 15 s or infinite" },
  { { type = "percent", max = "100 %" }, "12.5 %", 125000 },
  { { type = "percent", max = "100 %" }, "101 %", nil, "share '101 %' is out of range: 0 % .. 100 %" },
  { { type = "integer", min = 2, max = 9 }, 2, 2 }, { { type = "integer", min = 2, max = 9 }, 9.0, 9 },
  { { type = "integer", min = 2, max = 9 }, 1, nil, "1 is out of range: 2 .. 9" },
  { { type = "integer", min = 2, max = 9 }, 2.5, nil, "2.5 where a whole number belongs: 2 .. 9" },
  { { type = "integer", min = 2, max = 9 }, "5", nil, "'5' where a whole number belongs: 2 .. 9" },
  { { type = "integer", min = 0, max = 255, hex = true }, 256, nil, "0x100 is out of range: 0x0 .. 0xFF" },
  { { type = "integer", values = { 3, 5 } }, 4, nil, "4 is not one of 3, 5" },
  { { type = "integer", min = 0 }, -1, nil, "-1 is out of range: 0 or more" }, { { type = "integer", min = 0 }, 7, 7 },
  { { type = "integer", max = 9 }, 10, nil, "10 is out of range: at most 9" }, { { type = "integer" }, -7, -7 },
  { { type = "integer" }, "5", nil, "'5' where a whole number belongs: any" },
  { { type = "number", min = 0, max = 1 }, 0.5, 0.5 },
  { { type = "number", min = 0, max = 1 }, 0 / 0, nil, tostring(0 / 0) .. " is out of range: 0 .. 1" },
  { { type = "string" }, "x", "x" },
  { { type = "string" }, ("x"):rep(256), nil,
    "'" .. ("x"):rep(60) .. "...' is not a valid text: at most 255 octets" },
  { { type = "string", pattern = "^%d+$", form = "digits" }, "1a\n", nil, "'1a?' is not a valid text: digits" },
  { { type = "string" }, 5, nil, "5 where text belongs: at most 255 octets" },
  { { type = "boolean" }, false, false },
  { { type = "boolean" }, "true", nil, "'true' where true or false belongs" },
  { { type = "enum", values = { "a", "b" } }, "b", "b" },
  { { type = "enum", values = { "a", "b" } }, "c", nil, "'c' is not a known word: one of a, b" },
  { { type = "enum", values = { "a", "b" }, elsewhere = { c = "c is that of d" } }, "C", nil,
    "'C' is not a known word: one of a, b; c is that of d" },
  { { type = "ipv6" }, "2001:DB8:0::01", "2001:db8::1" },
  { { type = "ipv6" }, "0:0::1", "::1" },
  { { type = "ipv6" }, "fe80:0::", "fe80::" },
  { { type = "ipv6" }, "1:0:0:2:0:0:0:3", "1:0:0:2::3" },
  { { type = "ipv6" }, "1:0:0:2:3:0:0:4", "1::2:3:0:0:4" },
  { { type = "ipv6" }, "1:2:3:4:5:6:0:0", "1:2:3:4:5:6::" },
  { { type = "ipv6" }, "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8" },
  { { type = "ipv6" }, "1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8" },
  { { type = "ipv6" }, "::", nil,
    "'::' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "ff02::1", nil,
    "'ff02::1' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "1:2:3:4:5:6:7", nil,
    "'1:2:3:4:5:6:7' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "1:2:3:4:5:6:7:8:9", nil,
    "'1:2:3:4:5:6:7:8:9' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "1::2::3", nil,
    "'1::2::3' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "1:2:3:4:5:6:7::8", nil,
    "'1:2:3:4:5:6:7::8' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "12345::1", nil,
    "'12345::1' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "g::1", nil,
    "'g::1' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, ":1", nil,
    "':1' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "1:", nil,
    "'1:' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "10.0.0.1", nil,
    "'10.0.0.1' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ipv6" }, "", nil,
    "'' is not an IPv6 address of a host: such as 2001:db8::1" },
  { { type = "ip" }, "10.99.0.1", "10.99.0.1" },
  { { type = "ip" }, "2001:db8:0:0::1", "2001:db8::1" },
  { { type = "ip" }, "240.0.0.1", nil,
    "'240.0.0.1' is not an IP address of a host: such as 10.99.0.1 or 2001:db8::1" },
  { { type = "ipv4" }, "10.99.0.1", "10.99.0.1" },
  { { type = "ipv4" }, "10.99.0.256", nil, "'10.99.0.256' is not an IPv4 address: such as 10.99.0.1" },
  { { type = "ipv4" }, "10.99.0.01", nil, "'10.99.0.01' is not an IPv4 address: such as 10.99.0.1" },
  { { type = "ipv4" }, "10.99.0", nil, "'10.99.0' is not an IPv4 address: such as 10.99.0.1" },
  { { type = "mac" }, "02:00:00:00:00:AA", "02:00:00:00:00:aa" },
  { { type = "mac" }, "01:00:00:00:00:01", nil, "'01:00:00:00:00:01' is not a unicast MAC address: "
    .. "such as 02:00:00:00:00:01" },
  { { type = "list", item = { type = "boolean" }, min = 1, max = 2 }, { true }, { true } },
  { { type = "list", item = { type = "boolean" }, min = 1, max = 2 }, {}, nil,
    "0 items are out of range: 1 .. 2 items" },
  { { type = "list", item = { type = "boolean" }, max = 2 }, { true, true, true }, nil,
    "3 items are out of range: 0 .. 2 items" },
  { { type = "list", item = { type = "boolean" }, min = 2, max = 3 }, { true }, nil,
    "1 item is out of range: 2 .. 3 items" },
  { { type = "list", item = { type = "boolean" }, max = 2 }, { [1] = true, [3] = true }, nil,
    "key 3 in a list; items are numbered from 1 without gaps: 0 .. 2 items" },
  { { type = "list", item = { type = "boolean" } }, "x", nil, "'x' where a table belongs: 0 or more items" },
  { { type = "map", item = { type = "boolean" } }, { a = true, b = false }, { a = true, b = false } },
  { { type = "map", item = { type = "boolean" } }, { true }, nil, "key 1 is not text" },
  { record{ { name = "a", type = "boolean", default = true } }, {}, { a = true } },
  { record{ { name = "t", type = "duration", default = "0.5 s" } }, {}, { t = 500000000 } },
  { record{ { name = "a", type = "boolean" } }, {}, {} },
  { record{ { name = "a", type = "boolean", required = true } }, {}, nil, "missing; a thing needs it: true or false" },
  { record{ { name = "queue", type = "boolean" } }, { quue = true }, nil, "unknown key 'quue'; did you mean 'queue'?" },
  { record{ { name = "queue", type = "boolean" } }, { queeu = true }, nil,
    "unknown key 'queeu'; did you mean 'queue'?" },
  { record{ { name = "queue", type = "boolean", required = true } }, { queu = true }, nil,
    "unknown key 'queu'; did you mean 'queue'?" },
  { record{ { name = "queue", type = "boolean" } }, { other = true }, nil, "unknown key 'other'; allowed keys: queue" },
  { record{ { name = "queue", type = "boolean" } }, { true }, nil, "an item without a name; allowed keys: queue" },
  { record{ { name = "r", type = "record", default = {},
    fields = { { name = "a", type = "boolean", default = true } } } }, {}, { r = { a = true } } },
}

describe("schema.check", function()
  for i, row in ipairs(rows) do
    it("row " .. i .. ": " .. (row[4] or row[1].type), function()
      local out, errors, warnings = schema.check(row[1], row[2])
      assert.same({}, warnings)
      if row[4] then
        assert.equal(1, #errors)
        assert.equal(row[4], errors[1].message)
      else
        assert.same({}, errors)
        assert.same(row[3], out)
      end
    end)
  end

  it("orders errors by line, then path", function()
    local where = { repeated = function() return {} end, opening = function() return 1 end }
    function where.line(_, keys)
      return keys[1] == "a" and 9 or 2
    end
    local item = { type = "boolean" }
    local d = record{ { name = "a", type = "boolean" }, { name = "l", type = "list", item = item } }
    local list = {}
    for n = 1, 11 do
      list[n] = 0
    end
    local _, errors = schema.check(d, { a = 1, l = list }, where)
    assert.same({ "l[1]", "l[2]", "l[11]", "a" },
      { errors[1].path, errors[2].path, errors[11].path, errors[12].path })
  end)

  it("calls a descriptor's own check when all below is right, and not before", function()
    local calls = 0
    local d = record{ { name = "n", type = "integer", min = 0, max = 9 } }
    function d.check(value, fail, warn)
      calls = calls + 1
      fail({ "n" }, "is " .. value.n)
      warn({}, "careful")
    end
    local outer = record{ { name = "x", type = "list", item = d } }
    local _, errors, warnings = schema.check(outer, { x = { { n = 5 } } })
    assert.same({ { line = 1, path = "x[1].n", message = "is 5" } }, errors)
    assert.same({ { line = 1, path = "x[1]", message = "careful" } }, warnings)
    schema.check(outer, { x = { { n = 50 } } })
    assert.equal(1, calls)
  end)

  it("ends when tables are repeated too often", function()
    local numbers = { type = "list", item = { type = "integer", min = 0, max = 9999 } }
    local d, list, value = record{ { name = "x", type = "list", item = numbers } }, {}, { x = {} }
    for i = 1, 1000 do
      list[i] = i
      value.x[i] = list
    end
    local _, errors = schema.check(d, value)
    assert.equal(1, #errors)
    assert.equal("tables are repeated too often: more than 500000 values in them", errors[1].message)
    for i = 401, 1000 do value.x[i] = nil end
    _, errors = schema.check(d, value)
    assert.same({}, errors)
  end)

  it("reads the same text again, and no more than that", function()
    local d = record{ { name = "t", type = "duration", max = "15 s" }, { name = "u", type = "duration", max = "1 s" } }
    for _ = 1, 2 do
      local out, errors = schema.check(d, { t = "2 s" })
      assert.same({ { t = 2000000000 }, {} }, { out, errors })
      _, errors = schema.check(d, { u = "2 s" })
      assert.equal("duration '2 s' is out of range: 0 s .. 1 s", errors[1].message)
      _, errors = schema.check(d, { t = "count" })
      assert.equal("duration 'count' is not a number with a unit; allowed 0 s .. 15 s", errors[1].message)
    end
  end)

  it("changes neither value nor descriptor", function()
    local d, value = record{ { name = "t", type = "duration", default = "1 s" } }, { }
    local out = schema.check(d, value)
    assert.is_nil(next(value))
    assert.are_not.equal(out, value)
    assert.equal("1 s", d.fields[1].default)
  end)
end)

describe("schema.document", function()
  it("has a row for each key below", function()
    local d = record{
      { name = "t", type = "duration", max = "15 s", default = "1500 ms", doc = "how | long" },
      { name = "l", type = "list", required = true, max = 3, item = record{ { name = "b", type = "boolean" } } },
    }
    assert.equal("| Key | Type | Allowed | Default | Meaning |\n| --- | --- | --- | --- | --- |\n"
      .. "| `t` | duration | 0 s .. 15 s | `1.5 s` | how \\| long |\n| `l` | list | 0 .. 3 items | required |  |\n"
      .. "| `l[].b` | boolean | true or false | none |  |\n", schema.document(d))
  end)

  it("has the keys of a section once", function()
    local keys = record{ { name = "b", type = "boolean", doc = "bit" } }.fields
    local d = record{
      { name = "t", type = "record", doc = "T.", fields = keys },
      { name = "l", type = "record", doc = "L.",
        fields = { { name = "u", type = "record", doc = "U.", fields = keys, like = "t" } } },
    }
    d.sections = { { title = "Keys of T", about = "As said.", keys = { "t" } } }
    local head = "| Key | Type | Allowed | Default | Meaning |\n| --- | --- | --- | --- | --- |\n"
    local link = "Keys: [keys of t](#keys-of-t). |\n"
    assert.equal(head .. "| `t` | table |  | none | T. " .. link .. "| `l` | table |  | none | L. |\n"
      .. "| `l.u` | table |  | none | U. " .. link .. "\n## Keys of T\n\nAs said.\n\n" .. head
      .. "| `t` | table |  | none | T. |\n| `t.b` | boolean | true or false | none | bit |\n", schema.document(d))
  end)
end)
