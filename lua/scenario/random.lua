-- SPDX-License-Identifier: BSD-3-Clause
-- math.random of a scenario file: splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
-- 2014) on integers, so that a seed gives the same numbers on every machine. Not for secrets.

local scenario_random = {}

local STEP <const> = 0x9E3779B97F4A7C15
local MIX_1 <const>, MIX_2 <const> = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
local MANTISSA_BITS <const> = 53

local function mixed(z)
  z = (z ~ (z >> 30)) * MIX_1
  z = (z ~ (z >> 27)) * MIX_2
  return z ~ (z >> 31)
end

-- 0 .. span (unsigned), each equally likely: as many bits as span has, drawn until they do not exceed it.
local function up_to(draw, span)
  local mask = span
  for shift = 0, 5 do
    mask = mask | (mask >> (1 << shift))
  end
  local value
  repeat
    value = draw() & mask
  until not math.ult(span, value)
  return value
end

local function whole(value)
  local integer = type(value) == "number" and math.tointeger(value)
  if not integer then
    error("math.random takes whole numbers", 0)
  end
  return integer
end

-- new(seed) -> function(m, n) like Lua's own: () in [0, 1), (m) in 1 .. m, (m, n) in m .. n.
function scenario_random.new(seed)
  local state = seed
  local function draw()
    state = state + STEP
    return mixed(state)
  end
  return function(m, n)
    if m == nil then
      return (draw() >> (64 - MANTISSA_BITS)) * 2.0 ^ -MANTISSA_BITS
    end
    local low, high = n and whole(m) or 1, whole(n or m)
    if low > high then
      error(string.format("math.random has nothing between %d and %d", low, high), 0)
    end
    return low + up_to(draw, high - low)
  end
end

return scenario_random
