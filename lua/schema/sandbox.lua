-- SPDX-License-Identifier: BSD-3-Clause
-- Runs a configuration text in an environment that only allows computing: the tables math, string and table, a limit of
-- work and one of memory; returns the text's value. Same text, same value: no clock, no addresses, random numbers only
-- from a seeded generator.
--
-- Not bounded here: one concatenation of some hundred copies of a large string is one instruction of Lua. The host's
-- allocator bounds it.

local libs = require "schema.sandbox_libs"
local modules = require "schema.sandbox_modules"

-- The processor time of the whole reading; not available outside of the program.
local has_budget, budget = pcall(require, "gbflow_budget")

local sandbox = {}

local CHUNK <const> = "configuration"
local HOOK_STRIDE <const> = 4 -- instructions between two checks of work and memory; a string can grow fourfold between
local CLOCK_STRIDE <const> = 64 -- checks of work between two readings of the clock
local MAX_MESSAGE <const> = 300
local PIECE_OCTETS <const> = 512 -- of the text, between two readings of the clock by the parser

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

-- Turns an error of Lua ("configuration:3: ...") into {line, message}.
local function to_error(message, line)
  if type(message) == "table" then
    return { line = message.line or line, message = one_line(message.message) }
  end
  message = tostring(message)
  local at, rest = string.match(message, "^" .. CHUNK .. ":(%d+): (.*)$")
  if not at then
    rest = string.gsub(message, "^[^:]*%f[%w_]sandbox[%w_]*[^:]*:%d+: ", "")
  end
  return { line = math.tointeger(tonumber(at)) or line, message = one_line(explain(rest or message)) }
end

-- The meter: the work left, and the memory of the state at the last check.
local function new_meter(limits)
  local meter = { left = limits.work, base_kib = collectgarbage("count") }
  meter.seen_kib = meter.base_kib

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

-- Called every HOOK_STRIDE instructions. The collector is stopped meanwhile, so that growth is the allocation.
local function new_hook(meter, limits)
  local limit_kib, until_clock = limits.memory_octets / 1024, CLOCK_STRIDE
  return function()
    until_clock = until_clock - 1
    if has_budget and until_clock == 0 then
      until_clock = CLOCK_STRIDE
      if budget.is_over() then meter.stop("takes too much processor time") end
    end
    local held_kib = collectgarbage("count")
    meter.charge(HOOK_STRIDE + math.max(0, (held_kib - meter.seen_kib) // 1))
    if held_kib - meter.base_kib > limit_kib then
      collectgarbage("collect")
      held_kib = collectgarbage("count")
      -- Half the limit must become free, or almost all time would go into collecting.
      if held_kib - meter.base_kib > limit_kib / 2 then
        meter.stop(string.format("takes too much memory: more than %d octets", limits.memory_octets))
      end
    end
    meter.seen_kib = held_kib
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
  debug.sethook(thread, new_hook(meter, limits), "", HOOK_STRIDE)
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
  local env = libs.environment(meter, limits, options.random)
  if options.read then
    env.require = modules.new({ meter = meter, limits = limits, env = env, read = options.read, parse = parse })
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
