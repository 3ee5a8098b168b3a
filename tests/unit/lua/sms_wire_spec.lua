-- SPDX-License-Identifier: BSD-3-Clause
-- The codecs of CP and RP.
local rows = require "sms_wire_rows"
local wire = require "wire.phone"
local spec_tools = require "spec_tools"

local octets_of, hex_of = spec_tools.octets_of, spec_tools.hex_of

-- Octet strings are hex in rows; the message's name is none.
local function assert_fields(expected, message)
  for field, value in pairs(expected or {}) do
    local is_octets = type(value) == "string" and field ~= "message"
    assert.equal(value, is_octets and hex_of(message[field]) or message[field], field)
  end
end

local function assert_refused(row, message, err, cause, reference)
  assert.is_nil(message)
  assert.equal("string", type(err))
  assert.same({ row.cause, row.reference }, { cause, reference })
end

describe("a CP-message", function()
  for _, row in ipairs(rows.cp) do
    it(row.name, function()
      local message = assert(wire.cp_decode(octets_of(row.hex), row.from))
      assert_fields(row.cp, message)
      assert.equal(row.hex, hex_of(wire.cp_encode(message)))
      if not row.rp then return end
      local inner = assert(wire.rp_decode(message.user_data, row.from))
      assert_fields(row.rp, inner)
      assert.equal(hex_of(message.user_data), hex_of(wire.rp_encode(inner)))
      for length = 0, #message.user_data - 1 do wire.rp_decode(message.user_data:sub(1, length), row.from) end
    end)
  end

  for _, row in ipairs(rows.bad_cp) do
    it("is refused with " .. row.name, function()
      local message, err, cause = wire.cp_decode(octets_of(row.hex), "ms")
      assert_refused(row, message, err, cause)
    end)
  end
end)

describe("an RP-message", function()
  for _, row in ipairs(rows.bad_rp) do
    it("is refused with " .. row.name, function()
      local message, err, cause, _, reference = wire.rp_decode(octets_of(row.hex), "ms")
      assert_refused(row, message, err, cause, reference)
    end)
  end

  for _, row in ipairs(rows.lenient_rp) do
    it("is read with " .. row.name, function()
      local message = assert(wire.rp_decode(octets_of(row.hex), "ms"))
      assert_fields(row.expect, message)
      assert.equal(row.again, hex_of(wire.rp_encode(message)))
    end)
  end

  it("with values out of range is not written", function()
    local data = { message = "rp_data", reference = 1, originator = "", destination = "" }
    assert.error_matches(function() wire.rp_encode(data) end, "user_data")
    assert.error_matches(function() wire.rp_encode({ message = "rp_ack", reference = 256 }) end, "reference")
    assert.error_matches(function() wire.cp_encode({ message = "cp_ack", ti = 7, ti_flag = 0 }) end, "ti")
    assert.error_matches(function() wire.cp_encode({ message = "rp_ack", ti = 1, ti_flag = 0 }) end, "no message")
    data.user_data = ("x"):rep(256)
    assert.error_matches(function() wire.rp_encode(data) end, "too large")
  end)
end)
