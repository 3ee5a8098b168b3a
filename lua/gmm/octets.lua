-- SPDX-License-Identifier: BSD-3-Clause
-- Values as octets of 24.008.
--
--   gmm_octets.of_name(text)          a network name in the GSM 7 bit alphabet (§10.5.3.5a)
--   gmm_octets.of_timer(ns, limit)    a GPRS timer (§10.5.7.3), a number of 0 to 31 of 2 s, 1 min or 6 min: the largest
--                                     value that is not above `ns`; limit: durations from here on are infinite
--   gmm_octets.of_t3312(ns)           the same of T3312, of which 0 is deactivated

local gmm_octets = {}

local S <const> = 1000000000
local MOST <const>, NEVER <const> = 31, 0xe0

function gmm_octets.of_name(text)
  local bits, count, out = 0, 0, {}
  for i = 1, #text do
    bits, count = bits | (text:byte(i) & 127) << count, count + 7
    while count >= 8 do
      out[#out + 1] = string.char(bits & 255)
      bits, count = bits >> 8, count - 8
    end
  end
  if count > 0 then out[#out + 1] = string.char(bits) end
  return string.char(0x80 | (8 - 7 * #text % 8) % 8) .. table.concat(out)
end

local UNITS <const> = { { code = 0, ns = 2 * S }, { code = 1, ns = 60 * S }, { code = 2, ns = 360 * S } }

function gmm_octets.of_timer(ns, limit)
  if limit and ns >= limit then return NEVER end
  local best, best_ns = 0, 0
  for _, unit in ipairs(UNITS) do
    local number = math.min(ns // unit.ns, MOST)
    if number * unit.ns > best_ns then
      best, best_ns = unit.code << 5 | number, number * unit.ns
    end
  end
  return best
end

function gmm_octets.of_t3312(ns)
  return ns == 0 and NEVER or gmm_octets.of_timer(ns)
end

return gmm_octets
