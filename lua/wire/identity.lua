-- SPDX-License-Identifier: BSD-3-Clause
-- The value part of a Mobile Identity (TS 24.008 §10.5.1.4): type and parity in the lower half of the first octet, then
-- digits, the lower half first, of which an even number is followed by 15; or four octets.
--
--   identity.decode(octets)          "imsi", "imei", "imeisv" and digits; "tmsi", also of a P-TMSI, and a number;
--                                    "none", ""; nil: another type, parity, number of digits, or no digits
--   identity.encode(kind, value)     its octets; an error: the value has no place
local format = require "wire.format"

local identity = {}

local NONE <const>, TMSI <const>, TMSI_HEAD <const>, TMSI_OCTETS <const> = 0, 4, "\xf4", 5
local TYPE_BITS <const>, ODD <const>, MOST_OCTETS <const> = 7, 8, 9

-- By type: least and most digits (TS 23.003 §2.2, §6.2).
local KINDS <const> = { { "imsi", 6, 15 }, { "imei", 15, 15 }, { "imeisv", 16, 16 } }
local TYPES <const> = {}
for type, kind in ipairs(KINDS) do TYPES[kind[1]] = type end

local function is_right(kind, digits)
  return #digits >= kind[2] and #digits <= kind[3]
end

function identity.decode(octets)
  local head = octets:byte() or TYPE_BITS
  local kind = KINDS[head & TYPE_BITS]
  if head & TYPE_BITS == NONE then return "none", "" end
  if head & TYPE_BITS == TMSI and #octets == TMSI_OCTETS then return "tmsi", (string.unpack(">I4", octets, 2)) end
  if not kind or #octets > MOST_OCTETS then return nil end
  local digits = format.nibbles(octets):match(head & ODD ~= 0 and "^.(%d+)$" or "^.(%d+)f$")
  if digits and is_right(kind, digits) then return kind[1], digits end
  return nil
end

function identity.encode(kind, value)
  if kind == "none" then return "\0" end
  if kind == "tmsi" then return TMSI_HEAD .. string.pack(">I4", value) end
  local type, digits = TYPES[kind], tostring(value)
  if not digits:find("^%d+$") or not is_right(KINDS[type], digits) then
    error("identity: a value is too large for its field", 0)
  end
  local is_odd = #digits % 2 == 1
  return format.of_nibbles(("%x%s%s"):format(type | (is_odd and ODD or 0), digits, is_odd and "" or "f"))
end

return identity
