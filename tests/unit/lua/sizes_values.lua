-- SPDX-License-Identifier: BSD-3-Clause
-- Values of the right form and of any size, and changes of the elements of a message.
--
--   sizes_values.octets(n)           n octets of a kind that is drawn: any, zeros, ones, digits, labels, an identity,
--                                    values behind their lengths
--   sizes_values.size(least, most)   near the limits of an element, or any; most 0: no limit is known
--   sizes_values.change(list, tools) changes one to three of a list of elements; the list is changed
--     tools: { resize(element, n) -> whether it can have n octets, any() -> an element that its table has }
-- An element is { value = octets, ... }; the rest of it is its protocol's (sizes_wires.lua).
-- Numbers are drawn by math.random, which the caller has given a seed.

local sizes_values = {}

local random = math.random
local LONGEST <const>, LABEL <const> = 255, 63

local function any(n)
  local bytes = {}
  for i = 1, n do bytes[i] = string.char(random(0, 255)) end
  return table.concat(bytes)
end

local function zeros(n) return ("\0"):rep(n) end
local function ones(n) return ("\xff"):rep(n) end

-- Two in an octet, the lower half first, with 15 behind the last of them.
local function digits(n)
  local count, bytes = random(0, 2 * n), {}
  for i = 1, n do
    local low = 2 * i - 1 <= count and random(0, 9) or 15
    bytes[i] = string.char(low | (2 * i <= count and random(0, 9) or 15) << 4)
  end
  return table.concat(bytes)
end

local function number(n)
  return n == 0 and "" or string.char(0x91) .. digits(n - 1)
end

-- A type with its parity, and digits.
local function identity(n)
  if n == 0 then return "" end
  local is_odd, bytes = random(2) == 1, {}
  bytes[1] = string.char(random(0, 9) << 4 | (is_odd and 8 or 0) | random(0, 4))
  for i = 2, n do
    local high = i == n and not is_odd and 15 or random(0, 9)
    bytes[i] = string.char(high << 4 | random(0, 9))
  end
  return table.concat(bytes)
end

-- Values behind an octet of length: labels of letters, or octets.
local function counted(n, most, fill)
  local parts, left = {}, n
  while left > 0 do
    local length = math.min(left - 1, random(0, most))
    parts[#parts + 1] = string.char(random(20) == 1 and random(0, 255) or length) .. fill(length)
    left = left - 1 - length
  end
  return table.concat(parts)
end

local function letters(n) return (any(n):gsub(".", function(c) return string.char(97 + c:byte() % 26) end)) end
local function labels(n) return counted(n, LABEL, letters) end
local function counted_octets(n) return counted(n, 20, any) end

local KINDS <const> = { any, any, zeros, ones, digits, number, identity, labels, counted_octets }

function sizes_values.octets(n)
  return KINDS[random(#KINDS)](n)
end

function sizes_values.size(least, most)
  local draw = random(10)
  if draw <= 3 then return random(0, 20) end
  if draw == 4 then return random(0, LONGEST) end
  if draw == 5 then return 0 end
  if draw == 6 then return LONGEST end
  local limit = draw <= 8 and least or most > 0 and most or least
  return math.max(0, limit + random(-1, 1))
end

-- --- changes

local changes = {}

function changes.resize(list, i, tools)
  local element = list[i]
  local n = sizes_values.size(element.least or #element.value, element.most or 0)
  if tools.resize(element, n) then element.value = sizes_values.octets(n) end
end

-- A part of what it was, or with octets behind it: of the right form up to there.
function changes.cut(list, i, tools)
  local element = list[i]
  local n = sizes_values.size(#element.value, #element.value)
  if tools.resize(element, n) then
    element.value = element.value:sub(1, n) .. sizes_values.octets(math.max(0, n - #element.value))
  end
end

function changes.revalue(list, i)
  list[i].value = sizes_values.octets(#list[i].value)
end

-- Digits that end at one of the halves of an octet, of the same octets.
function changes.shorten(list, i)
  local value = list[i].value
  local halves = random(0, 2 * #value)
  local odd = halves & 1 == 1 and string.char(value:byte(halves // 2 + 1) & 15 | 0xf0) or ""
  list[i].value = value:sub(1, halves // 2) .. odd .. ("\xff"):rep(#value - halves // 2 - #odd)
end

-- One octet, which may be a length inside.
function changes.spoil(list, i)
  local value = list[i].value
  if value == "" then return end
  local at = random(#value)
  list[i].value = value:sub(1, at - 1) .. string.char(random(3) == 1 and random(0, 3) or random(0, 255))
    .. value:sub(at + 1)
end

function changes.drop(list, i) table.remove(list, i) end

function changes.double(list, i)
  local copy = {}
  for key, value in pairs(list[i]) do copy[key] = value end
  table.insert(list, random(#list + 1), copy)
end

function changes.add(list, _, tools)
  local element = tools.any()
  if element then table.insert(list, random(#list + 1), element) end
end

local NAMES <const> = { "resize", "resize", "resize", "cut", "cut", "revalue", "shorten", "shorten", "spoil", "drop",
  "double", "add" }

function sizes_values.change(list, tools)
  for _ = 1, random(2) == 1 and 1 or random(3) do
    local name = NAMES[random(#NAMES)]
    if #list > 0 then changes[name](list, random(#list), tools) else changes.add(list, nil, tools) end
  end
end

return sizes_values
