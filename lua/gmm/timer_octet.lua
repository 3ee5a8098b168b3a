-- SPDX-License-Identifier: BSD-3-Clause
-- A GPRS timer as the octet that phones are told (24.008 §10.5.7.3): a number of 0 to 31 of 2 s, 1 min or 6 min.

local timer_octet = {}

local S <const> = 1000000000
local UNITS <const> = { { code = 0, ns = 2 * S }, { code = 1, ns = 60 * S }, { code = 2, ns = 360 * S } }
local MOST <const>, NEVER <const> = 31, 0xe0

-- The octet of the largest value that is not above `ns`; `limit`: durations from here on are infinite.
function timer_octet.of(ns, limit)
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

return timer_octet
