-- SPDX-License-Identifier: BSD-3-Clause
-- The sandbox runs a configuration text in an environment that only allows computing: the tables math, string and
-- table, a limit of work and one of memory; returns the text's value. Same text, same value: no clock, no addresses,
-- random numbers only from a seeded generator.
--
-- A library function is charged in advance for the most that it may do. An instruction of Lua costs one step, whatever
-- it does: it compares two strings of megabytes, enlarges a table, or concatenates some hundred copies of a string. The
-- host bounds these by processor time (control/config/lua_budget.h) and by its allocator.

local hidden = require "schema.hidden"

local sandbox = {}

local MAX_ITEMS <const> = 1000000 -- a table's length that library functions will walk
local MAX_ARGUMENTS <const> = 1000 -- of a call: one instruction of Lua copies all of them
local MAX_PATTERN_WORK <const> = 100000000
local OCTETS_PER_STEP <const> = 16
local NUMBER_OCTETS <const> = 24 -- of a number written out
local MOST <const> = 64 -- of one configuration
local NAME_OCTETS <const> = 100
local CHUNK <const> = "configuration"
local HOOK_STRIDE <const> = 4 -- instructions between two checks of work and memory; a string can grow fourfold between
local MAX_MESSAGE <const> = 300
local PIECE_OCTETS <const> = 512 -- of the text, between two readings of the clock by the parser

-- The library functions that a configuration sees: those of math, string and table that are pure, each behind a guard
-- that charges the meter for its work in advance and bounds the length of the result.

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

-- A number as the library reads it: a text of some twenty digits, which a pattern may take for ever to match.
local function text_of_number(value)
  return type(value) == "number" and tostring(value) or value
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
    subject, pattern = text_of_number(subject), text_of_number(pattern)
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
    if type(form) == "string" and string.find(string.gsub(form, "%%%%", ""), "%%[^%a%%]*p") then
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
    subject, pattern = text_of_number(subject), text_of_number(pattern)
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

-- The octets that a sort compares, at most. Only strings are long, and all items are strings if the first one is: the
-- sort compares no string with a number.
local function sorted_octets(items, count)
  local longest = 0
  for i = 1, type(items[1]) == "string" and count or 0 do
    local item = items[i]
    if type(item) == "string" and #item > longest then
      longest = #item
    end
  end
  return 2.0 * count * math.log(math.max(count, 2), 2) * longest
end

local function guarded_sort(meter)
  return function(items, before, ...)
    if type(items) == "table" then
      charge_items(meter, #items)
      meter.charge(before == nil and sorted_octets(items, #items) // OCTETS_PER_STEP or 0)
    end
    meter.calling = "sort"
    return table.sort(items, before, ...)
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
    local count = (tonumber(last) or type(items) == "table" and #items or 0) - (tonumber(first) or 1.0)
    charge_items(meter, count)
    if count >= MAX_ARGUMENTS then
      meter.stop(string_format("unpacks too long a table: more than %d items", MAX_ARGUMENTS))
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
    sort = guarded_sort(meter),
    unpack = guarded_unpack(meter),
  }
  for _, name in ipairs({ "insert", "remove" }) do
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
local function environment_of(meter, limits, random)
  return {
    math = math_library(random),
    string = string_library(meter, limits),
    table = table_library(meter, limits),
  }
end

-- `require` of a configuration: a text beside it, "lib.radio" for lib/radio.lua, that runs in the same environment,
-- with the same limits, once, and gives what it returns.

local string_gsub = string.gsub

-- "lib.radio" -> "lib/radio.lua"; nil: it is no name of a module.
local function file_of(name)
  if type(name) ~= "string" or #name > NAME_OCTETS or string_gsub("." .. name, "%.[%w_-]+", "") ~= "" then
    return nil
  end
  return string_gsub(name, "%.", "/") .. ".lua"
end

local function checked_file_of(context, name)
  local file = file_of(name)
  if not file then
    context.meter.stop("require takes the name of a file beside this one: letters, digits, - and _, with a dot behind "
      .. 'each folder: require "lib.radio" for lib/radio.lua')
  end
  return file
end

local function text_of(context, file)
  local text = context.read(file)
  if not text then
    context.meter.stop(string_format("require: %s cannot be read", file))
  elseif #text > context.limits.text_octets then
    context.meter.stop(string_format("require: %s has %d octets, at most %d", file, #text, context.limits.text_octets))
  end
  context.meter.charge(1 + #text // OCTETS_PER_STEP)
  return text
end

local function value_of(context, file)
  local chunk, err = context.parse(text_of(context, file), context.env, file)
  if not chunk then
    context.meter.stop(err.message)
  end
  local value = chunk()
  return value == nil or value
end

local LOADING <const> = {}

-- "a.lua requires b.lua, which requires a.lua": the files being loaded from the first `file` on, and `file` again.
local function circle_of(loading, file)
  local words, is_in = {}, false
  for _, name in ipairs(loading) do
    is_in = is_in or name == file
    if is_in then
      words[#words + 1] = name .. (#words == 0 and " requires " or ", which requires ")
    end
  end
  return table.concat(words) .. (#words == 1 and "itself" or file)
end

-- The function `require` of a configuration. context: { meter, limits, env, read, parse }: read(file) gives the text of
-- a file beside the configuration, or nil; parse(text, env, chunk_name) a function, or nil and an error with `message`.
local function new_require(context)
  local loaded, loading, count = {}, {}, 0
  return function(name)
    local file = checked_file_of(context, name)
    if loaded[file] == LOADING then
      context.meter.stop("require: " .. circle_of(loading, file))
    elseif loaded[file] == nil then
      count = count + 1
      if count > MOST then
        context.meter.stop(string_format("require: more than %d files", MOST))
      end
      loaded[file] = LOADING
      loading[#loading + 1] = file
      loaded[file] = value_of(context, file)
      loading[#loading] = nil
    end
    return loaded[file]
  end
end

-- The run of a text

-- The processor time of the whole reading; not available outside of the program.
local has_budget, budget = pcall(require, "gbflow_budget")

sandbox.LIMITS = {
  work = 10000000, -- instructions of Lua, and what library calls and memory cost in their place
  memory_octets = 32 * 1024 * 1024,
  string_octets = 1024 * 1024,
  text_octets = 4 * 1024 * 1024,
}

-- The line of the configuration that is being executed, seen from a hook, a library function or an error handler.
local function current_line()
  local level = 2
  local info = debug.getinfo(level, "Sl")
  while info do
    if info.source == "=" .. CHUNK and info.currentline > 0 then
      return info.currentline
    end
    level = level + 1
    info = debug.getinfo(level, "Sl")
  end
end

-- Octets that do not print are shown as blanks: one error is one line.
local function one_line(message)
  message = string.gsub(message, "[%c\127-\255]+", " ")
  if #message > MAX_MESSAGE then
    message = string.sub(message, 1, MAX_MESSAGE) .. "..."
  end
  return message
end

local function explain(message)
  if string.find(message, "nil value %(global '[%w_]+'%)") then
    return message .. "; a configuration sees math, string and table only"
  end
  return message
end

-- The line of the text's last `return`: the place of an error in a tail-called function.
local function return_line(text)
  local line, found = 0, 1
  for content in string.gmatch(text .. "\n", "(.-)\n") do
    line = line + 1
    if string.find(content, "^%s*return%f[^%w_]") then
      found = line
    end
  end
  return found
end

-- Turns an error of Lua ("configuration:3: ...") into {line, message}. It has parts of the text, which may be a key.
local function to_error(message, line)
  if type(message) == "table" then
    return { line = message.line or line, message = one_line(message.message) }
  end
  message = tostring(message)
  local at, rest = string.match(message, "^" .. CHUNK .. ":(%d+): (.*)$")
  if not at then
    rest = string.gsub(message, "^[^:]*%f[%w_]sandbox[%w_]*[^:]*:%d+: ", "")
  end
  local shown = hidden.all(rest or message)
  return { line = math.tointeger(tonumber(at)) or line, message = one_line(explain(shown)) }
end

-- The meter: the work left, and the memory of the state at the last check.
local function new_meter(limits)
  local meter = { left = limits.work, base_kib = collectgarbage("count") }

  function meter.stop(message)
    meter.left = math.huge -- so that the meter does not stop the error's propagation
    error({ line = current_line(), message = message }, 0)
  end

  function meter.charge(work)
    meter.left = meter.left - work
    if meter.left < 0 then
      meter.stop(string.format("takes too long: more than %d steps", limits.work))
    end
  end

  return meter
end

-- check(steps): the thread has taken so many, instructions and KiB of memory. The collector is stopped meanwhile, so
-- that growth is the allocation.
local function new_check(meter, limits)
  local most_kib = meter.base_kib + limits.memory_octets / 1024
  return function(steps)
    if has_budget and budget.is_over() then
      meter.stop(string_format("takes too much processor time: more than %.3g s", budget.limit_s()))
    end
    meter.charge(steps)
    if collectgarbage("count") <= most_kib then return end
    collectgarbage("collect")
    -- Half the limit must become free, or almost all time would go into collecting.
    if collectgarbage("count") > (meter.base_kib + most_kib) / 2 then
      meter.stop(string.format("takes too much memory: more than %d octets", limits.memory_octets))
    end
  end, most_kib
end

-- Outside of the program: the same, by a hook in Lua, which takes 20 times the time of the instructions between, and
-- whose own instructions count, too.
local function new_hook(meter, check)
  local seen_kib = meter.base_kib
  return function()
    local held_kib = collectgarbage("count")
    local grown_kib = math.max(0, (held_kib - seen_kib) // 1)
    seen_kib = held_kib
    check(HOOK_STRIDE + grown_kib)
  end
end

local function watch(thread, meter, limits)
  local check, most_kib = new_check(meter, limits)
  if has_budget then
    budget.watch(thread, HOOK_STRIDE, meter.base_kib, most_kib, check)
  else
    debug.sethook(thread, new_hook(meter, check), "", HOOK_STRIDE)
  end
end

local function line_at(text, position)
  local _, lines = string.gsub(string.sub(text, 1, position), "\n", "")
  return lines + 1
end

-- The text as a function; or nil and an error. Lua's parser takes the square of the length of a chain of `elseif` or
-- `or`, and runs no hooks: it gets the text in pieces, as long as its time is not over.
local function parse(text, env, name)
  local at, is_late = 1, false
  if has_budget then budget.begin_parse() end
  local chunk, message = load(function()
    is_late = has_budget and budget.is_parse_over()
    if is_late then return nil end
    at = at + PIECE_OCTETS
    return string.sub(text, at - PIECE_OCTETS, at - 1)
  end, "=" .. (name or CHUNK), "t", env)
  if is_late then
    return nil, { line = line_at(text, at), message = string.format("takes more than %d s of processor time to parse; "
      .. "divide chains of `elseif`, `and` and `or` into tables and functions", budget.parse_s) }
  end
  return chunk, chunk == nil and to_error(message) or nil
end

local function run(chunk, meter, limits, string_lib)
  local thread = coroutine.create(function()
    return xpcall(chunk, function(message)
      local err = to_error(message, current_line())
      err.message = string.gsub(err.message, " to 'f'", " to '" .. tostring(meter.calling) .. "'")
      return err
    end)
  end)
  watch(thread, meter, limits)
  local string_meta = getmetatable("")
  local real_index = string_meta.__index
  collectgarbage("stop")
  string_meta.__index = string_lib -- ("x"):rep(n) must meet the guarded functions too
  local resumed, ok, value = coroutine.resume(thread)
  string_meta.__index = real_index
  collectgarbage("restart")
  if not resumed then
    return false, to_error(ok)
  end
  return ok, value
end

local function fail(err, filename, text)
  return nil, { file = filename, line = err.line or return_line(text), message = err.message }
end

-- explain(message) -> an error in a function of a text as {line, message}; to be called as a message handler.
function sandbox.explain(message)
  return to_error(message, current_line())
end

-- load(text, filename, options) -> the value the text returns (maybe nil), or nil and {file, line, message}. Behind the
-- value: nil, and the meter. Functions of the text charge it; their caller sets its `left` before each call. Its
-- `strings` are the guarded functions, which methods of strings should be then.
-- options.random: what math.random is to be, a function; without it there is none. options.read(file): the text of a
-- file beside this one, or nil; without it there is no `require`. options.limits: over LIMITS.
function sandbox.load(text, filename, options)
  options = options or {}
  local limits = setmetatable(options.limits or {}, { __index = sandbox.LIMITS })
  if #text > limits.text_octets then
    local message = string.format("%d octets long; a configuration has at most %d", #text, limits.text_octets)
    return fail({ line = 1, message = message }, filename)
  end
  local meter = new_meter(limits)
  local env = environment_of(meter, limits, options.random)
  if options.read then
    env.require = new_require({ meter = meter, limits = limits, env = env, read = options.read, parse = parse })
  end
  local chunk, err = parse(text, env)
  if not chunk then
    return fail(err, filename, text)
  end
  local ok, value = run(chunk, meter, limits, env.string)
  if not ok then
    return fail(value, filename, text)
  end
  meter.strings = env.string
  return value, nil, meter
end

return sandbox
