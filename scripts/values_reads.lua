-- SPDX-License-Identifier: BSD-3-Clause
-- Which functions of the node read a field, and from which variables: those of Lua by the listing of luac beside their
-- text, those of C by their text.
--
--   local r = values_reads.new(paths)    of files, from the root of the tree; those of Lua are below lua/
--   r.functions["sm/contexts.lua:begin"]   by fields that the function reads: the set of the words in front of them,
--                                        { qos = { message = true } } for message.qos
--   r.readers[name]                      by functions that read a field of this name: that set
--
-- A function of Lua is known by the name that its line has (`local function x`, `function A.x`, `A.x = function`,
-- `x = function`), one without a name by that of the function around it, what is in none by "file". A text "qos" is a
-- read, too, with a quote in front: by a name in a list, or in an argument.

local values_reads = {}

-- A listing has each function's lines before those of its instructions.
local FUNCTION <const> = "^%a+ <[^:]*:(%d+),(%d+)>"
local GET <const> = { GETFIELD = true, SELF = true, LOADK = true }

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

local function name_in(line)
  local name = line:match("function%s+([%w_.:]+)%s*%(") or line:match("([%w_.%[%]]+)%s*=%s*function")
  return name and name:match("[%w_]+%]?$"):gsub("%]", "")
end

-- Names of the functions of a Lua file by their first line, and where those end.
local function name_of(spans, lines, from)
  local name, widest = name_in(lines[from] or ""), nil
  if name then return name end
  for _, span in ipairs(spans) do
    local is_around = span.from < from and from <= span.to and name_in(lines[span.from])
    if is_around and (not widest or span.from > widest.from) then widest = span end
  end
  return widest and name_in(lines[widest.from]) or "file"
end

-- The name and the line of an instruction that reads a field, loads a text, or stores one in a field; nil: of another.
local function name_read(line)
  local at, op, said = line:match("^\t%d+\t%[(%-?%d+)%]\t(%u+)%s.*; (.*)$")
  local name = op and GET[op] and said:match('"([%a_][%w_]*)"') or op and said:match('^"[%a_][%w_]*" "([%a_][%w_]*)"$')
  return name, tonumber(at)
end

local function listing_of(path)
  local pipe = assert(io.popen("luac5.4 -l -l -p " .. path))
  local spans, reads = {}, {}
  for line in pipe:lines() do
    local from, to = line:match(FUNCTION)
    if line:find("^main <") then from, to = 0, 0 end
    if from then spans[#spans + 1] = { from = tonumber(from), to = tonumber(to) } end
    local name, at = name_read(line)
    if name then reads[#reads + 1] = { span = spans[#spans], name = name, at = at } end
  end
  assert(pipe:close(), "luac5.4: " .. path)
  return spans, reads
end

local function note(self, where, name, from)
  for _, place in ipairs({ { self.readers, name, where }, { self.functions, where, name } }) do
    local map, key, other = table.unpack(place)
    map[key] = map[key] or {}
    map[key][other] = map[key][other] or {}
    map[key][other][from] = true
  end
end

-- The words in front of a name in a line, but for what it assigns to.
local function note_line(self, where, line, name)
  local left, right = line:match("^%s*(.-) = (.*)$")
  if left and not left:gsub(", ", ""):find(" ") then line = right end
  for from in line:gmatch("([%w_)%]]+)%." .. name .. "%f[^%w_]") do note(self, where, name, from) end
  if line:find('"' .. name .. '"', 1, true) then note(self, where, name, '"') end
end

local function take_lua(self, path)
  local spans, reads = listing_of(path)
  local lines, short = lines_of(path), path:gsub("^lua/", "")
  for _, read in ipairs(reads) do
    note_line(self, short .. ":" .. name_of(spans, lines, read.span.from), lines[read.at] or "", read.name)
  end
end

-- A function of C begins with `{` in the first column, behind the line or lines of its head, and ends with `}` there.
local function take_c(self, path)
  local name = "file"
  for _, line in ipairs(lines_of(path)) do
    name = line:match("^[%a_][%w_%s*]-([%w_]+)%(") or name
    for from, field, after in line:gmatch("([%w_]+)%-?[.>]([%a_][%w_]*)%s*([%*=]?=?)") do
      if after ~= "=" then note(self, path .. ":" .. name, field, from) end
    end
  end
end

function values_reads.new(paths)
  local self = { readers = {}, functions = {} }
  for _, path in ipairs(paths) do
    local take = path:find("%.lua$") and take_lua or take_c
    take(self, path)
  end
  return self
end

return values_reads
