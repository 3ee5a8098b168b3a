-- SPDX-License-Identifier: BSD-3-Clause
-- `require` of a configuration: a text beside it, "lib.radio" for lib/radio.lua, that runs in the same environment,
-- with the same limits, once, and gives what it returns.

local modules = {}

local MOST <const> = 64 -- of one configuration
local NAME_OCTETS <const> = 100
local OCTETS_PER_STEP <const> = 16

local string_format, string_gsub = string.format, string.gsub

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

-- The function `require` of a configuration. context: { meter, limits, env, read, parse }: read(file) gives the text of
-- a file beside the configuration, or nil; parse(text, env, chunk_name) a function, or nil and an error with `message`.
function modules.new(context)
  local loaded, count = {}, 0
  return function(name)
    local file = checked_file_of(context, name)
    if loaded[file] == LOADING then
      context.meter.stop(string_format("require: %s requires itself", file))
    elseif loaded[file] == nil then
      count = count + 1
      if count > MOST then
        context.meter.stop(string_format("require: more than %d files", MOST))
      end
      loaded[file] = LOADING
      loaded[file] = value_of(context, file)
    end
    return loaded[file]
  end
end

return modules
