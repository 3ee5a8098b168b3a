-- SPDX-License-Identifier: BSD-3-Clause
local units = require "base.units"

local MAX = math.maxinteger

describe("units.parse", function()
  local good = {
    { "rate", "80 kbit/s", 80000 }, { "rate", "0 bit/s", 0 }, { "rate", "-5 kbit/s", -5000 },
    { "rate", "1.5 Mbit/s", 1500000 }, { "rate", "6.5535 Gbit/s", 6553500000 }, { "rate", "12.5 octet/s", 100 },
    { "rate", "10 kB/s", 80000 }, { "rate", "+7bit/s", 7 }, { "rate", "  7   bit/s  ", 7 },
    { "octets", "10 kB", 10000 }, { "octets", "10000 octets", 10000 }, { "octets", "1 octet", 1 },
    { "octets", "1 MB", 1000000 }, { "octets", "64 KiB", 65536 }, { "octets", "0.5 KiB", 512 },
    { "octets", "1 MiB", 1048576 }, { "octets", "007 octets", 7 }, { "octets", "1.000 octets", 1 },
    { "duration", "15 s", 15000000000 }, { "duration", "20 ms", 20000000 }, { "duration", "5 min", 300000000000 },
    { "duration", "10 us", 10000 }, { "duration", "1 ns", 1 }, { "duration", "0.1 s", 100000000 },
    { "duration", "655.34 s", 655340000000 }, { "duration", "0.000000001 s", 1 }, { "duration", "1 h", 3600000000000 },
    { "duration", "1.50 s", 1500000000 }, { "duration", "9223372036 s", 9223372036000000000 },
    { "percent", "50 %", 500000 }, { "percent", "0.5%", 5000 }, { "percent", "12.5 %", 125000 },
  }
  for _, row in ipairs(good) do
    it("reads " .. row[1] .. " " .. row[2], function()
      local value = units.parse(row[1], row[2])
      assert.equal(row[3], value)
      assert.equal("integer", math.type(value))
    end)
  end

  local bad = {
    { "rate", "80", "no unit" }, { "rate", "", "malformed" }, { "rate", "kbit/s", "malformed" },
    { "rate", "1e3 bit/s", "unknown unit" }, { "rate", "80 s", "unknown unit" },
    { "rate", "80 KBIT/S", "unknown unit" }, { "rate", "0x10 bit/s", "unknown unit" },
    { "rate", "--5 bit/s", "malformed" }, { "rate", "1..5 bit/s", "unknown unit" },
    { "rate", ".5 bit/s", "malformed" }, { "rate", "5. bit/s", "unknown unit" },
    { "rate", "5 bit/s 6", "unknown unit" }, { "rate", "0.5 bit/s", "not whole" },
    { "octets", "1.5 octets", "not whole" }, { "octets", "0.0001 KiB", "not whole" },
    { "duration", "0.5 ns", "not whole" }, { "duration", "0.0000000001 s", "not whole" },
    { "duration", "9223372037 s", "too large" }, { "rate", "99999999999999999999 bit/s", "too large" },
    { "octets", "9223372036854775808 octets", "too large" },
    { "duration", "9223372036854775807 ns", "too large" }, { "percent", "50", "no unit" },
  }
  for _, row in ipairs(bad) do
    it("refuses " .. row[1] .. " '" .. row[2] .. "'", function()
      local value, reason = units.parse(row[1], row[2])
      assert.is_nil(value)
      assert.equal(row[3], reason)
    end)
  end

  it("names the unit it does not know", function()
    assert.equal("parsec", select(3, units.parse("duration", "3 parsec")))
  end)
end)

describe("units.counted", function()
  for _, row in ipairs({ { 0, "0 items" }, { 1, "1 item" }, { 2, "2 items" } }) do
    it("says " .. row[2], function()
      assert.equal(row[2], units.counted(row[1], "item"))
    end)
  end
end)

describe("units.format", function()
  local rows = {
    { "rate", 80000, "80 kbit/s" }, { "rate", 0, "0 bit/s" }, { "rate", 6553500000, "6.5535 Gbit/s" },
    { "rate", 1, "1 bit/s" }, { "rate", -5000, "-5 kbit/s" }, { "rate", 1000000, "1 Mbit/s" },
    { "octets", 10000, "10 kB" }, { "octets", 1500, "1500 octets" }, { "octets", 65536, "65536 octets" },
    { "octets", 0, "0 octets" }, { "octets", 6553500000, "6553500 kB" }, { "octets", 1000000, "1 MB" },
    { "duration", 1500000000, "1.5 s" }, { "duration", 655340000000, "655.34 s" }, { "duration", 0, "0 s" },
    { "duration", 1, "1 ns" }, { "duration", 20000000, "20 ms" }, { "duration", 1234567891, "1234.567891 ms" },
    { "duration", 1000000001, "1000.000001 ms" }, { "duration", MAX, "infinite" },
    { "percent", 500000, "50 %" }, { "percent", 5000, "0.5 %" }, { "percent", 0, "0 %" }, { "percent", 1, "0.0001 %" },
  }
  for _, row in ipairs(rows) do
    it("shows " .. row[3], function()
      assert.equal(row[3], units.format(row[1], row[2]))
    end)
  end

  it("is read back as it was", function()
    local value = 1
    for _ = 1, 2000 do
      value = (value * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFF
      for _, kind in ipairs({ "rate", "octets", "duration", "percent" }) do
        assert.equal(value, (units.parse(kind, units.format(kind, value))))
      end
    end
  end)
end)
