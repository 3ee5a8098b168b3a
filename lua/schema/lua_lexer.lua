-- SPDX-License-Identifier: BSD-3-Clause
-- Splits Lua source into tokens with their lines, as far as finding keys needs it. Unknown text becomes one-character
-- symbols, so the lexer never fails.

local lua_lexer = {}

local KEYWORDS = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
  .. "until while"):gmatch("%a+") do
  KEYWORDS[word] = true
end

local function count_lines(text)
  local _, lines = text:gsub("\n", "")
  return lines
end

-- Position after the long bracket that opens at `at`, and its content; nil when none opens there.
local function long_bracket(text, at)
  local level, start = text:match("^%[(=*)%[()", at)
  if not level then
    return nil
  end
  local stop, after = text:find("]" .. level .. "]", start, true)
  if not stop then
    return #text + 1, text:sub(start)
  end
  return after + 1, (text:sub(start, stop - 1):gsub("^\r?\n", ""))
end

local function skip_comment(text, at)
  local after = long_bracket(text, at + 2)
  return after or text:find("\n", at, true) or #text + 1
end

local ESCAPES = { n = "\n", t = "\t", r = "\r", ["\\"] = "\\", ['"'] = '"', ["'"] = "'" }

-- Position after the quoted string that opens at `at`, and its content (rare escapes stay as they are written).
local function quoted(text, at)
  local quote, from = text:sub(at, at), at + 1
  local i = from
  while i <= #text do
    local c = text:sub(i, i)
    if c == "\\" then
      i = i + 2
    elseif c == quote or c == "\n" then
      break
    else
      i = i + 1
    end
  end
  return i + 1, (text:sub(from, i - 1):gsub("\\(.)", ESCAPES))
end

local SYMBOLS = { "...", "..", "==", "~=", "<=", ">=", "<<", ">>", "//", "::" }

local function symbol(text, at)
  if text:find("^[=.~<>/:]", at) then
    for _, name in ipairs(SYMBOLS) do
      if text:sub(at, at + #name - 1) == name then
        return name
      end
    end
  end
  return text:sub(at, at)
end

-- One token at `at`: kind, value, position after it. Kinds: name, keyword, string, number, symbol.
local function next_token(text, at)
  local word = text:match("^[%a_][%w_]*", at)
  if word then
    return KEYWORDS[word] and "keyword" or "name", word, at + #word
  end
  if text:find("^%.?%d", at) then
    local number = text:match("^0[xX][%x.]*", at) or text:match("^[%d.]+[eE][+-]?%d+", at) or text:match("^[%d.]+", at)
    return "number", tonumber(number), at + #number
  end
  local after, content = long_bracket(text, at)
  if after then
    return "string", content, after
  end
  if text:find("^[\"']", at) then
    after, content = quoted(text, at)
    return "string", content, after
  end
  local name = symbol(text, at)
  return "symbol", name, at + #name
end

-- tokens(text) -> { {kind, value, line}, ... } ending in one of kind "end".
function lua_lexer.tokens(text)
  local list, at, line = {}, 1, 1
  while true do
    local from = at
    at = text:find("%S", at) or #text + 1
    line = line + count_lines(text:sub(from, at - 1))
    if at > #text then
      list[#list + 1] = { kind = "end", line = line }
      return list
    end
    from = at
    if text:find("^%-%-", at) then
      at = skip_comment(text, at)
    else
      local kind, value
      kind, value, at = next_token(text, at)
      list[#list + 1] = { kind = kind, value = value, line = line }
    end
    line = line + count_lines(text:sub(from, at - 1))
  end
end

return lua_lexer
