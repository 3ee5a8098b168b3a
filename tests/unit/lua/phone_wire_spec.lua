-- SPDX-License-Identifier: BSD-3-Clause
-- The codecs of GMM and SM with PDUs that TShark has read or sent.
local rows = require "phone_wire_rows"
local sms_rows = require "sms_wire_rows"
local wire = require "wire.phone"
local spec_tools = require "spec_tools"

local octets_of, hex_of, readable = spec_tools.octets_of, spec_tools.hex_of, spec_tools.readable

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
    local command = { message = "p_tmsi_reallocation_command", identity = ("x"):rep(10), force_to_standby = 0,
      rai = { mcc = "262", mnc = "42", lac = 1, rac = 1 } }
    assert.error_matches(function() wire.gmm_encode(command) end, "too large")
    command.identity, command.rai.mcc = "x", "2621"
    assert.error_matches(function() wire.gmm_encode(command) end, "two or three digits")
  end)
end)

local CODECS <const> = { [8] = { wire.gmm_decode, wire.gmm_encode }, [9] = { wire.cp_decode, wire.cp_encode },
  [10] = { wire.sm_decode, wire.sm_encode } }
local RP <const> = { wire.rp_decode, wire.rp_encode }
local WORDS <const> = { truncated = true, malformed = true, unsupported = true }
local TI_RESERVED <const>, SPOILT <const> = 7, 500 -- in an octet of CP

-- What is read is written in no more octets, and read alike again.
local function check_spoilt(codec, octets, from)
  local message, word, cause = codec[1](octets, from)
  if not message then return assert.is_true(WORDS[word] and (cause == 0 or cause == 96 or cause == 97)) end
  if codec == CODECS[9] and message.ti == TI_RESERVED then return end
  local again = codec[2](message)
  assert.is_true(#again <= #octets)
  assert.same(message, codec[1](again, from))
  if codec == CODECS[9] and message.user_data then check_spoilt(RP, message.user_data, from) end
end

describe("a spoilt message of a phone or to one", function()
  for _, list in ipairs { rows.l3, sms_rows.cp } do
    for _, row in ipairs(list) do
      it("like " .. row.name .. " is refused by a word, or reads alike when it is written", function()
        math.randomseed(7)
        local octets = octets_of(row.hex)
        local codec = CODECS[octets:byte() & 15]
        for _ = 1, SPOILT do check_spoilt(codec, spec_tools.spoilt(octets, math.random), row.from) end
      end)
    end
  end
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
