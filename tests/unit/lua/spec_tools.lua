-- SPDX-License-Identifier: BSD-3-Clause
-- What several specs do alike.
local spec_tools = {}

-- The text of a file, by its path from the root of the tree.
function spec_tools.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- Of hexadecimal digits, with or without blanks.
function spec_tools.octets_of(hex)
  return (hex:gsub("%s", ""):gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

function spec_tools.hex_of(octets)
  return (octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- Octet strings as hex, in nested tables, too.
function spec_tools.readable(value)
  if type(value) == "string" and value:find("[^ -~]") then return spec_tools.hex_of(value) end
  if type(value) ~= "table" then return value end
  local out = {}
  for key, item in pairs(value) do out[key] = spec_tools.readable(item) end
  return out
end

-- In place of random numbers: 1, 2, 3 and so on.
function spec_tools.counting()
  local n = 0
  return function() n = n + 1 return n end
end

function spec_tools.count(intents, op)
  local n = 0
  for _, intent in ipairs(intents) do n = n + (intent.op == op and 1 or 0) end
  return n
end

-- Instructions of Lua that a call takes, in thousands.
function spec_tools.thousands_of(work, ...)
  local n = 0
  debug.sethook(function() n = n + 1 end, "", 1000)
  work(...)
  debug.sethook()
  return n
end

-- One to four octets are others, some are cut off, or some come twice.
function spec_tools.spoilt(octets, random)
  for _ = 1, random(4) do
    local at = random(#octets)
    octets = octets:sub(1, at - 1) .. string.char(random(0, 255)) .. octets:sub(at + 1)
  end
  local from, to = random(#octets), random(#octets)
  return random(3) == 1 and octets:sub(1, to) or random(3) == 1 and octets .. octets:sub(from, to) or octets
end

return spec_tools
