-- SPDX-License-Identifier: BSD-3-Clause
-- The library functions that a configuration sees: those of math, string and table that are pure, each behind a guard
-- that charges the meter for its work in advance and bounds the length of the result.

local libs = {}

local MAX_ITEMS <const> = 1000000 -- a table's length that library functions will walk
local MAX_ARGUMENTS <const> = 1000 -- of a call: one instruction of Lua copies all of them
local MAX_PATTERN_WORK <const> = 100000000
local OCTETS_PER_STEP <const> = 16
local NUMBER_OCTETS <const> = 24 -- of a number written out

local MATH = {
  "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger",
  "min", "mininteger", "modf", "pi", "rad", "sin", "sqrt", "tan", "tointeger", "type", "ult",
}
local PLAIN_STRING = { "byte", "char", "len", "lower", "reverse", "sub", "upper" }

local unpack, string_format, select = table.unpack, string.format, select

local function string_octets_in(...)
  local octets, values = 0, table.pack(...)
  for i = 1, values.n do
    local value = values[i]
    if type(value) == "string" then
      octets = octets + #value
    elseif type(value) == "number" then
      octets = octets + NUMBER_OCTETS
    end
  end
  return octets
end

local function check_length(meter, limits, octets)
  if octets > limits.string_octets then
    meter.stop(string_format("makes too long a string: more than %d octets", limits.string_octets))
  end
end

local function check_octets(meter, limits, octets)
  check_length(meter, limits, octets)
  meter.charge(1 + octets // OCTETS_PER_STEP)
end

-- A function whose result is no longer than its string arguments together.
local function guarded(meter, limits, name)
  local f = string[name]
  return function(...)
    check_octets(meter, limits, string_octets_in(...))
    meter.calling = name
    return f(...)
  end
end

-- Matching backtracks: its work is a power of the subject's length, by the number of repetitions in the pattern.
local function check_pattern(meter, limits, subject, pattern)
  if type(subject) ~= "string" or type(pattern) ~= "string" then
    return
  end
  check_octets(meter, limits, #subject + #pattern)
  local work = (#subject + 1.0) * #pattern
  local _, repetitions = string.gsub(pattern, "[*+?%-]", "")
  local _, scans = string.gsub(pattern, "%%[b%d]", "") -- %b() and %1 read the rest of the subject
  repetitions = repetitions + scans
  if repetitions > 0 then
    local set_octets = string.find(pattern, "[", 1, true) and #pattern or 1
    work = math.max(work, (#subject + 1.0) ^ (repetitions + 1) * set_octets)
  end
  if repetitions > 0 and work > MAX_PATTERN_WORK or work > MAX_PATTERN_WORK * OCTETS_PER_STEP then
    meter.stop("has too costly a pattern: shorten it or its subject")
  end
  meter.charge(work // OCTETS_PER_STEP)
end

local function guarded_pattern(meter, limits, name)
  local f = string[name]
  return function(subject, pattern, ...)
    check_pattern(meter, limits, subject, pattern)
    meter.calling = name
    return f(subject, pattern, ...)
  end
end

local function guarded_rep(meter, limits)
  return function(text, count, separator)
    local times = tonumber(count) -- the library takes "1e9" for a number, too
    if times and times > 0 then
      check_octets(meter, limits, string_octets_in(text, separator) * (times + 0.0))
      meter.charge(times) -- of nothing, too
    end
    return string.rep(text, count, separator)
  end
end

-- Addresses (of tables, by %s or %p) differ from run to run, so they are refused.
local function guarded_format(meter, limits)
  return function(form, ...)
    check_octets(meter, limits, string_octets_in(form, ...))
    for i = 1, select("#", ...) do
      local kind = type((select(i, ...)))
      if kind == "table" or kind == "function" then
        meter.stop(string_format("cannot format a %s", kind))
      end
    end
    if type(form) == "string" and string.find(string.gsub(form, "%%%%", ""), "%%[^%a]*p") then
      meter.stop("cannot format with %p")
    end
    return string.format(form, ...)
  end
end

-- The replacement as a function that counts the octets that it inserts.
local function counting(meter, limits, replacement)
  local octets = 0
  return function(...)
    local value
    if type(replacement) == "table" then
      value = replacement[(...)]
    else
      value = replacement(...)
    end
    local added = string_octets_in(value)
    octets = octets + added
    check_length(meter, limits, octets)
    meter.charge(1 + added // OCTETS_PER_STEP)
    return value
  end
end

local function guarded_gsub(meter, limits)
  return function(subject, pattern, replacement, ...)
    check_pattern(meter, limits, subject, pattern)
    if type(replacement) == "table" or type(replacement) == "function" then
      replacement = counting(meter, limits, replacement)
    elseif type(subject) == "string" and type(replacement) == "string" then
      check_octets(meter, limits, #subject + 2 * #replacement * (#subject + 1))
    end
    return string.gsub(subject, pattern, replacement, ...)
  end
end

local function string_library(meter, limits)
  local lib = {
    rep = guarded_rep(meter, limits),
    format = guarded_format(meter, limits),
    gsub = guarded_gsub(meter, limits),
  }
  for _, name in ipairs(PLAIN_STRING) do
    lib[name] = guarded(meter, limits, name)
  end
  for _, name in ipairs({ "find", "match", "gmatch" }) do
    lib[name] = guarded_pattern(meter, limits, name)
  end
  return lib
end

local function charge_items(meter, count)
  if count > MAX_ITEMS then
    meter.stop(string_format("handles too long a table: more than %d items", MAX_ITEMS))
  end
  meter.charge(1 + math.max(0, count))
end

local function guarded_items(meter, name)
  local f = table[name]
  return function(items, ...)
    if type(items) == "table" then
      charge_items(meter, #items)
    end
    meter.calling = name
    return f(items, ...)
  end
end

local function guarded_move(meter)
  return function(from, first, last, ...)
    charge_items(meter, (tonumber(last) or 0.0) - (tonumber(first) or 0.0))
    return table.move(from, first, last, ...)
  end
end

local function guarded_unpack(meter)
  return function(items, first, last)
    if type(items) == "table" then
      local count = (tonumber(last) or #items) - (tonumber(first) or 1.0)
      charge_items(meter, count)
      if count >= MAX_ARGUMENTS then
        meter.stop(string_format("unpacks too long a table: more than %d items", MAX_ARGUMENTS))
      end
    end
    return unpack(items, first, last)
  end
end

local function guarded_concat(meter, limits)
  return function(items, separator, first, last)
    if type(items) ~= "table" then
      return table.concat(items)
    end
    charge_items(meter, #items)
    local octets, separator_octets = 0, string_octets_in(separator)
    for i = first or 1, last or #items do
      octets = octets + string_octets_in(items[i]) + separator_octets
      check_length(meter, limits, octets)
    end
    meter.charge(octets // OCTETS_PER_STEP)
    return table.concat(items, separator, first, last)
  end
end

local function table_library(meter, limits)
  local lib = {
    concat = guarded_concat(meter, limits),
    move = guarded_move(meter),
    pack = table.pack,
    unpack = guarded_unpack(meter),
  }
  for _, name in ipairs({ "insert", "remove", "sort" }) do
    lib[name] = guarded_items(meter, name)
  end
  return lib
end

local function math_library(random)
  local lib = { random = random }
  for _, name in ipairs(MATH) do
    lib[name] = math[name]
  end
  return lib
end

-- environment(meter, limits, random): new tables, so that a text can change only its own copies.
-- meter.charge(work) and meter.stop(message) end the run by an error.
function libs.environment(meter, limits, random)
  return {
    math = math_library(random),
    string = string_library(meter, limits),
    table = table_library(meter, limits),
  }
end

return libs
