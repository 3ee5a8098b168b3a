-- SPDX-License-Identifier: BSD-3-Clause
local config = require "schema.config"
local node_text = require "node_text"

local KEY <const>, OTHER <const>, LAST <const> = ("0123456789"):rep(4), ("f"):rep(64), ("c"):rep(40)
local NEW <const> = ('"%s"'):format(LAST)

-- An association of aes-gcm-128, with changes.
local function sa(changes)
  local fields = { name = '"a"', direction = '"out"', spi = "0x1001", from = '"192.0.2.1"', to = '"192.0.2.2"',
    key = ('"%s"'):format(KEY) }
  for name, value in next, changes or {} do fields[name] = value or nil end
  local words = {}
  for name, value in next, fields do words[#words + 1] = name .. " = " .. value end
  table.sort(words)
  return "{ " .. table.concat(words, ", ") .. " }"
end

-- So many, each in UDP to a port of its own.
local function in_udp(count)
  local list = {}
  for i = 1, count do
    list[i] = sa { direction = '"in"', mode = '"tunnel"', spi = 0x1000 + i, udp = ("{ 4500, %d }"):format(4500 + i),
      key = ('"%040x"'):format(i) }
  end
  return list
end

-- { associations, the message; nil: it is right }
local ROWS <const> = {
  { { sa() } },
  { { sa { key = '"12"' } }, "key: has 2 digits; aes-gcm-128 has 40" },
  { { sa { key = false } }, "key: has 0 digits; aes-gcm-128 has 40" },
  { { sa { auth = ('"%s"'):format(OTHER) } }, "auth: has 64 digits; aes-gcm-128 has 0" },
  { { sa { suite = '"null-sha-256"', key = false } }, "auth: has 0 digits; null-sha-256 has 64" },
  { { sa { suite = '"null-sha-256"', key = false, auth = ('"%s"'):format(OTHER) } } },
  { { sa { udp = "{ 4500, 4500 }" } }, 'udp: needs mode = "tunnel"' },
  { { sa { udp = "{ 4500, 4500 }", mode = '"tunnel"' } } },
  { { sa { to = '"2001:db8::1"' } }, "to: '2001:db8::1': from is of the other IP version" },
  { { sa { spi = "255" } }, "spi" },
  { { sa(), sa { key = NEW } }, "sas[2].spi: 0x00001001 is that of sas[1], too" },
  { { sa(), sa { to = '"192.0.2.3"', key = NEW } } },
  { { sa(), sa { direction = '"in"', key = NEW } } },
  { { sa(), sa { spi = "0x1002" } }, "sas[2].key: is that of sas[1], too: each association has its own" },
  { { sa { key = NEW }, sa { direction = '"in"', key = NEW:upper() } }, "sas[2].key: is that of sas[1], too" },
  { { sa { suite = '"null-sha-256"', key = false, auth = ('"%s"'):format(OTHER) },
    sa { suite = '"null-sha-256"', key = false, auth = ('"%s"'):format(OTHER), spi = "0x1002" } },
    "sas[2].auth: is that of sas[1], too" },
  { { sa { direction = '"in"' }, sa { direction = '"in"', to = '"192.0.2.3"', key = NEW } },
    "sas[2].spi: 0x00001001 is that of sas[1], too" },
  { { sa { from = '"2001:db8::2"', to = '"2001:db8::1"' }, sa { from = '"2001:db8::2"', to = '"2001:db8:0::1"',
    key = NEW } },
    "sas[2].spi: 0x00001001 is that of sas[1], too" },
}

-- Keys that have no effect where they stand.
for _, row in ipairs {
  { { inner = '"ipv6"', mode = '"tunnel"' } },
  { { inner = '"ipv6"' }, "inner: 'ipv6' needs mode = \"tunnel\"" },
  { { inner = '"ipv4"', direction = '"in"' }, "inner: 'ipv4' needs mode = \"tunnel\"" },
  { { dscp = "46", mode = '"tunnel"' } },
  { { dscp = "0" }, 'dscp: 0 needs direction = "out" and mode = "tunnel"' },
  { { dscp = "46", mode = '"tunnel"', direction = '"in"' }, 'dscp: 46 needs direction = "out" and mode = "tunnel"' },
  { { window = "64", direction = '"in"' } },
  { { window = "1024" }, 'window: 1024 needs direction = "in"' },
} do
  ROWS[#ROWS + 1] = { { sa(row[1]) }, row[2] }
end

ROWS[#ROWS + 1] = { in_udp(4) }
ROWS[#ROWS + 1] = { in_udp(5), "sas[5].udp: 4505 is one more destination port of direction in than 4" }

describe("a file of associations", function()
  for i, row in ipairs(ROWS) do
    it(("%d: %s"):format(i, row[2] or "is right"), function()
      local text = "return { sas = { " .. table.concat(row[1], ", ") .. " } }"
      local file, messages = config.load(text, "k.lua", "esp")
      local message = table.concat(messages, "\n")
      assert.equal(row[2] == nil, file ~= nil, message)
      if row[2] then
        assert.is_truthy(message:find(row[2], 1, true), message)
        assert.is_nil(message:find(KEY, 1, true))
        assert.is_nil(message:find(OTHER, 1, true))
        assert.is_nil(message:find(LAST, 1, true))
      end
    end)
  end
end)

describe("esp of a node", function()
  -- { rules of esp.gb, octets of ESP, more of esp }
  for _, row in ipairs({ { '{ remote = "192.0.2.2", sas = "bss" }', 105 },
    { '{ remote = "192.0.2.2", action = "pass" }', 0 },
    { '{ remote = "192.0.2.2", action = "pass" }', 105, "ike = {}, " } }) do
    it("leaves room for ESP on Gb: " .. row[1] .. (row[3] or ""), function()
      local text = node_text.with("gb = {", 'esp = { keys = "k", ' .. (row[3] or "") .. "gb = { rules = { " .. row[1]
        .. " } } }, gb = {")
      assert.equal(78 + row[2], config.load(text, "n.lua", "node").gb.headers_octets)
    end)
  end
end)
