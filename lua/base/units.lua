-- SPDX-License-Identifier: BSD-3-Clause
-- Quantities with units: "80 kbit/s" <-> 80000. Exact decimal arithmetic on integers; no floating point anywhere.
--
-- Base units: rate in bit/s, octets in octets, duration in ns, percent in parts per million (so "0.5 %" is 5000).
-- INFINITE stands for "infinite"; it is the largest integer, which is also how the program spells "never".

local units = { INFINITE = math.maxinteger }

-- name and size in base units, in the order messages list them; `shown` are those that format() uses.
local KINDS = {
  rate = {
    { "bit/s", 1, shown = true }, { "kbit/s", 1000, shown = true }, { "Mbit/s", 1000000, shown = true },
    { "Gbit/s", 1000000000, shown = true }, { "octet/s", 8 }, { "kB/s", 8000 },
  },
  octets = {
    { "octets", 1, shown = true }, { "octet", 1, silent = true }, { "kB", 1000, shown = true },
    { "MB", 1000000, shown = true }, { "KiB", 1024 }, { "MiB", 1048576 }, whole = true,
  },
  duration = {
    { "ns", 1, shown = true }, { "us", 1000, shown = true }, { "ms", 1000000, shown = true },
    { "s", 1000000000, shown = true, zero = true }, { "min", 60000000000 }, { "h", 3600000000000 },
  },
  percent = { { "%", 10000, shown = true, zero = true } },
}

local MAX_DECIMALS = 6

-- "1 item", "2 items": a number of things, whose noun has its plural by an s.
function units.counted(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

-- Is this the name of a kind of quantity?
function units.is_kind(kind)
  return KINDS[kind] ~= nil
end

-- "bit/s, kbit/s, ..." for messages.
function units.names(kind)
  local names = {}
  for _, unit in ipairs(KINDS[kind]) do
    if not unit.silent then
      names[#names + 1] = unit[1]
    end
  end
  return table.concat(names, ", ")
end

local function find_unit(kind, name)
  for _, unit in ipairs(KINDS[kind]) do
    if unit[1] == name then
      return unit
    end
  end
end

-- digits * factor / 10^decimals as an integer; nil and a reason when it is not an integer or does not fit.
local function scale(digits, decimals, factor)
  while decimals > 0 and factor % 10 == 0 do
    factor, decimals = factor // 10, decimals - 1
  end
  local number = #digits <= 19 and math.tointeger(tonumber(digits))
  if not number or number > (units.INFINITE - 1) // factor then
    return nil, "too large"
  end
  local product, divisor = number * factor, math.tointeger(10 ^ decimals)
  if product % divisor ~= 0 then
    return nil, "not whole"
  end
  return product // divisor
end

-- parse(kind, "10 kB") -> 10000, or nil and one of "malformed", "no unit", "unknown unit", "too large", "not whole";
-- for an unknown unit its name is the third result. Blanks between number and unit are optional.
function units.parse(kind, text)
  local sign, whole, rest = text:match("^%s*([+-]?)(%d+)(.-)%s*$")
  if not whole then
    return nil, "malformed"
  end
  local fraction, name = rest:match("^%.(%d+)%s*(.*)$")
  if not fraction then
    fraction, name = "", rest:match("^%s*(.*)$")
  end
  if name == "" then
    return nil, "no unit"
  end
  local unit = find_unit(kind, name)
  if not unit then
    return nil, "unknown unit", name
  end
  fraction = fraction:gsub("0+$", "")
  local digits = (whole .. fraction):gsub("^0+(%d)", "%1")
  local value, reason = scale(digits, #fraction, unit[2])
  if not value then
    return nil, reason
  end
  return sign == "-" and -value or value
end

-- value / size as decimals without trailing zeros: 1500000000, 1000000000 -> "1.5"; nil when it needs too many.
local function decimal(value, size, max_decimals)
  local whole, remainder, decimals = value // size, value % size, ""
  while remainder > 0 do
    if #decimals == max_decimals then
      return nil
    end
    remainder = remainder * 10
    decimals = decimals .. remainder // size
    remainder = remainder % size
  end
  return decimals == "" and tostring(whole) or whole .. "." .. decimals
end

local function format_zero(kind)
  for _, unit in ipairs(KINDS[kind]) do
    if unit.zero then
      return "0 " .. unit[1]
    end
  end
  return "0 " .. KINDS[kind][1][1]
end

-- format("duration", 1500000000) -> "1.5 s": exact, in the largest unit that needs no more than six decimals
-- (octets: none).
function units.format(kind, value)
  if value == units.INFINITE then
    return "infinite"
  elseif value == 0 then
    return format_zero(kind)
  elseif value < 0 then
    return "-" .. units.format(kind, -value)
  end
  local list = KINDS[kind]
  for i = #list, 1, -1 do
    local unit = list[i]
    if unit.shown and (value >= unit[2] or i == 1) then
      local text = decimal(value, unit[2], list.whole and 0 or MAX_DECIMALS)
      if text then
        return text .. " " .. unit[1]
      end
    end
  end
end

return units
