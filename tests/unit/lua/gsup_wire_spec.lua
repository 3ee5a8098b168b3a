-- SPDX-License-Identifier: BSD-3-Clause
-- The codec of GSUP and IPA: rows of gsup_wire_rows.lua, and messages that were spoilt.
local gsup = require "wire.gsup"
local rows = require "gsup_wire_rows"
local spec_tools = require "spec_tools"

local octets_of, hex_of, readable = spec_tools.octets_of, spec_tools.hex_of, spec_tools.readable
local GSUP_STREAM <const>, EXTENSION <const>, SPOILT <const> = 0xee, "\5", 500

local function assert_fields(expected, message)
  for field, value in pairs(expected or {}) do assert.same(value, readable(message[field]), field) end
end

-- Of a row: the octets from its type on.
local function message_of(row)
  local _, octets = gsup.ipa_split(octets_of(row.hex), 1)
  return octets:sub(2)
end

describe("a message of GSUP", function()
  for _, row in ipairs(rows.messages) do
    it(row.name, function()
      local stream, octets, next_at = gsup.ipa_split(octets_of(row.hex), 1)
      assert.same({ GSUP_STREAM, #row.hex // 2 + 1, EXTENSION }, { stream, next_at, octets:sub(1, 1) })
      local message = assert(gsup.decode(octets:sub(2)))
      assert_fields(row.expect, message)
      assert.equal(row.hex, hex_of(gsup.ipa(GSUP_STREAM, EXTENSION .. gsup.encode(message))))
    end)
    it(row.name .. ", cut at every octet, has what stands before", function()
      local octets = message_of(row)
      for length = 0, #octets - 1 do
        local cut, word = gsup.decode(octets:sub(1, length))
        local again = cut and gsup.encode(cut)
        if cut then assert.equal(octets:sub(1, #again), again) else assert.is_string(word) end
        assert.equal(cut and #again < length and "truncated" or nil, cut and cut.error)
      end
    end)
  end

  for _, row in ipairs(rows.bad_imsis) do
    it("has no IMSI with " .. row.name, function()
      assert.is_nil((gsup.decode(octets_of("10" .. row.hex))))
    end)
  end

  for _, row in ipairs(rows.skips) do
    it("skips " .. row.name, function()
      local message = gsup.decode(octets_of("10010862420200000000f1" .. row.hex))
      assert.same({ row.skipped, row.error }, { message.skipped, message.error })
      assert_fields(row.expect, message)
    end)
  end

  it("has its IMSI anywhere, and one without it names its type and error", function()
    assert.same("262420000000001", gsup.decode(octets_of("10280101010862420200000000f1")).imsi)
    assert.same({ nil, "malformed", 0x10 }, { gsup.decode(octets_of("10280101")) })
    assert.same({ nil, "truncated", 0x10 }, { gsup.decode(octets_of("10280201")) })
    assert.same({ nil, "malformed", 0 }, { gsup.decode("") })
  end)

  it("of an unknown type names its type and IMSI", function()
    local message = gsup.decode(octets_of("40010862420200000000f1"))
    assert.same({ 0x40, "262420000000001" }, { message.type, message.imsi })
    assert.is_nil(message.message)
  end)

  it("is made without a name by its number", function()
    local octets = gsup.encode({ type = 0x41, imsi = "262420000000001", cause = 97 })
    assert.equal("41010862420200000000f1020161", hex_of(octets))
  end)

  for i, row in ipairs(rows.unfit) do
    it(("is not made of what has no place, %d: %s"):format(i, row[2]), function()
      assert.error_matches(function() gsup.encode(row[1]) end, row[2])
    end)
  end
end)

describe("a spoilt message of GSUP", function()
  for _, row in ipairs(rows.messages) do
    it("like " .. row.name .. " is no error, and reads alike when it is written", function()
      math.randomseed(7)
      local octets = message_of(row)
      for _ = 1, SPOILT do
        local changed = spec_tools.spoilt(octets, math.random)
        local message = gsup.decode(changed)
        if message then
          local again = gsup.encode(message)
          assert.is_true(#again <= #changed and #message.tuples <= 5 and #message.pdp_infos <= 10)
          message.skipped, message.error = {}, nil
          assert.same(message, gsup.decode(again))
        end
      end
    end)
  end
end)

describe("a message of IPA", function()
  it("comes in parts or joined", function()
    local one = octets_of("0001fe00")
    assert.is_nil((gsup.ipa_split(one:sub(1, 3), 1)))
    assert.is_nil((gsup.ipa_split(one:sub(1, 2), 1)))
    local stream, octets, next_at = gsup.ipa_split(one .. one, 5)
    assert.same({ 0xfe, "\0", 9 }, { stream, octets, next_at })
    assert.is_nil((gsup.ipa_split(one .. one, next_at)))
  end)
end)
