-- SPDX-License-Identifier: BSD-3-Clause
-- The codecs of GMM, SM and GSUP with PDUs that TShark and, for GSUP, osmo-hlr have read or sent.
local rows = require "phone_wire_rows"
local wire = require "gbflow_phone"
local spec_tools = require "spec_tools"

local octets_of, hex_of = spec_tools.octets_of, spec_tools.hex_of

-- Octet strings as hex, in nested tables, too.
local function readable(value)
  if type(value) == "string" and value:find("[^ -~]") then return hex_of(value) end
  if type(value) ~= "table" then return value end
  local out = {}
  for key, item in pairs(value) do out[key] = readable(item) end
  return out
end

describe("a message of GMM or SM", function()
  for _, row in ipairs(rows.l3) do
    local octets = octets_of(row.hex)
    local decode = octets:byte() & 15 == 8 and wire.gmm_decode or wire.sm_decode
    local encode = octets:byte() & 15 == 8 and wire.gmm_encode or wire.sm_encode
    it(row.name, function()
      local message = assert(decode(octets, row.from))
      for field, value in pairs(row.expect) do
        assert.same(value, readable(message[field]), field)
      end
      assert.equal(row.hex, hex_of(encode(message)))
    end)
    it(row.name .. ", cut at every octet", function()
      for length = 0, #octets - 1 do
        local message, err, cause = decode(octets:sub(1, length), row.from)
        assert.is_true(message ~= nil or cause == 0 or cause >= 95 and cause <= 111, err)
      end
    end)
  end

  for _, row in ipairs(rows.broken) do
    it(row.name, function()
      local octets = octets_of(row.hex)
      local decode = octets:byte() & 15 == 8 and wire.gmm_decode or wire.sm_decode
      local message, _, cause = decode(octets, "ms")
      assert.equal(row.cause, cause)
      for field, value in pairs(row.expect or {}) do assert.same(value, readable(message[field]), field) end
    end)
  end

  it("with an unknown or a missing field is not written", function()
    assert.error_matches(function() wire.gmm_encode({ message = "attach_reject", cause = 7, what = 1 }) end, "what")
    assert.error_matches(function() wire.gmm_encode({ message = "attach_reject" }) end, "cause")
    assert.error_matches(function() wire.gmm_encode({ message = "nothing" }) end, "no message")
    assert.error_matches(function() wire.gmm_encode({ message = "identity_request", identity_type = 16,
      force_to_standby = 0 }) end, "too large")
  end)
end)

describe("a mobile identity", function()
  for _, row in ipairs(rows.identities) do
    it(row.hex, function()
      local kind, value = wire.identity(octets_of(row.hex))
      assert.equal(row.kind, kind)
      if kind then
        assert.equal(row.value, value)
        assert.equal(row.hex, hex_of(wire.identity_octets(kind, value)))
      end
    end)
  end
end)

describe("a message of GSUP", function()
  for _, row in ipairs(rows.gsup) do
    it(row.name, function()
      local stream, octets, next_at = wire.ipa_split(octets_of(row.hex), 1)
      assert.equal(0xee, stream)
      assert.equal(#row.hex // 2 + 1, next_at)
      assert.equal(5, octets:byte())
      local message = assert(wire.gsup_decode(octets:sub(2)))
      for field, value in pairs(row.expect) do assert.same(value, readable(message[field]), field) end
      if #message.tuples == 0 and #message.pdp_infos == 0 then
        message.tuples, message.pdp_infos = nil, nil
        assert.equal(row.hex, hex_of(wire.ipa(0xee, "\5" .. wire.gsup_encode(message))))
      end
      for length = 0, #octets - 2 do wire.gsup_decode(octets:sub(2, length + 1)) end
    end)
  end

  for _, row in ipairs(rows.gsup_bad_imsis) do
    it("has no IMSI with " .. row.name, function()
      assert.is_nil((wire.gsup_decode(octets_of("10" .. row.hex))))
    end)
  end

  it("comes in parts or joined", function()
    local one = octets_of("0001fe00")
    assert.is_nil((wire.ipa_split(one:sub(1, 3), 1)))
    local stream, octets, next_at = wire.ipa_split(one .. one, 5)
    assert.same({ 0xfe, "\0", 9 }, { stream, octets, next_at })
  end)

  it("of an unknown type names its type and IMSI", function()
    local message = wire.gsup_decode(octets_of("40010862420200000000f1"))
    assert.same({ 0x40, "262420000000001" }, { message.type, message.imsi })
    assert.is_nil(message.message)
  end)

  for _, row in ipairs(rows.gsup_skips) do
    it("skips " .. row.name, function()
      local message = wire.gsup_decode(octets_of("10010862420200000000f1" .. row.hex))
      assert.same({ row.skipped, row.error }, { message.skipped, message.error })
      for field, value in pairs(row.expect or {}) do assert.same(value, readable(message[field]), field) end
    end)
  end

  it("has its IMSI anywhere, and one without it names its type and error", function()
    assert.same("262420000000001", wire.gsup_decode(octets_of("10280101010862420200000000f1")).imsi)
    assert.same({ nil, "malformed", 0x10 }, { wire.gsup_decode(octets_of("10280101")) })
    assert.same({ nil, "truncated", 0x10 }, { wire.gsup_decode(octets_of("10280201")) })
  end)

  it("is made without a name by its number", function()
    local octets = wire.gsup_encode({ type = 0x41, imsi = "262420000000001", cause = 97 })
    assert.equal("41010862420200000000f1020161", hex_of(octets))
    assert.error_matches(function() wire.gsup_encode({ type = 256, imsi = "262420000000001" }) end, "is '256'")
  end)
end)
