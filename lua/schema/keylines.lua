-- SPDX-License-Identifier: BSD-3-Clause
-- Lines of keys: finds the line of a key in a configuration text. Lua does not keep the lines of table constructors,
-- so this reads the text a second time, without running it: it follows constructors, names bound to them, fields
-- assigned later, and calls f{...}. Keys that only running the text would reveal (loops, functions that build tables)
-- have the line of the nearest known entry.
--
-- A node is { line } or, for a constructor, { line, entries = { [key] = {line, node} }, repeated = { {key, line} } };
-- its line is that of its opening brace.

local keylines = {}

-- Splits Lua source into tokens with their lines, as far as finding keys needs it. Unknown text becomes one-character
-- symbols, so the lexer never fails.

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
local function tokens_of(text)
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

-- The walk

keylines.__index = keylines

local OPENS = { ["("] = true, ["{"] = true, ["["] = true }
local CLOSES = { [")"] = true, ["}"] = true, ["]"] = true }
local BLOCK_OPENS = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local BLOCK_CLOSES = { ["end"] = true, ["until"] = true }

local walker = {}
walker.__index = walker

function walker:token(ahead)
  return self.tokens[math.min(self.at + (ahead or 0), #self.tokens)]
end

function walker:is(kind, value, ahead)
  local token = self:token(ahead)
  return token.kind == kind and token.value == value
end

function walker:accept(value)
  if self:is("symbol", value) then
    self.at = self.at + 1
    return true
  end
end

-- Change of nesting (brackets and blocks alike) that the current token makes.
function walker:nesting()
  local token = self:token()
  if token.kind == "symbol" then
    return OPENS[token.value] and 1 or CLOSES[token.value] and -1 or 0
  elseif token.kind == "keyword" then
    return BLOCK_OPENS[token.value] and 1 or BLOCK_CLOSES[token.value] and -1 or 0
  end
  return 0
end

-- Skips to the `,`, `;` or closing bracket that ends the expression.
function walker:skip_expression()
  local depth = 0
  while self:token().kind ~= "end" do
    if depth == 0 and (self:is("symbol", ",") or self:is("symbol", ";")) then
      return
    end
    depth = depth + self:nesting()
    if depth < 0 then
      return
    end
    self.at = self.at + 1
  end
end

local function literal_key(token)
  if token.kind == "string" then
    return token.value
  elseif token.kind == "number" then
    return math.tointeger(token.value)
  end
end

-- `[key] =` or `name =` in a constructor: the key and its line; false for a key that has to be computed.
function walker:entry_key()
  local token = self:token()
  if token.kind == "name" and self:is("symbol", "=", 1) then
    self.at = self.at + 2
    return token.value, token.line
  elseif self:is("symbol", "[") then
    self.at = self.at + 1
    local key = self:is("symbol", "]", 1) and literal_key(self:token()) or nil
    self:skip_expression()
    self:accept("]")
    self:accept("=")
    return key or false, token.line
  end
end

-- Returns whether the key was there.
local function add_entry(node, key, line, value)
  local is_repeated = node.entries[key] ~= nil
  if is_repeated then
    node.repeated[#node.repeated + 1] = { key = key, line = line }
  end
  node.entries[key] = { line = line, node = value }
  return is_repeated
end

function walker:constructor()
  local node, position = { line = self:token().line, entries = {}, repeated = {} }, 0
  self.at = self.at + 1
  while self:token().kind ~= "end" and not self:is("symbol", "}") do
    local key, line = self:entry_key()
    if key == nil then
      position = position + 1
      key, line = position, self:token().line
    end
    local value = self:expression()
    if key then
      self.has_repeated = add_entry(node, key, line, value) or self.has_repeated
    end
    self:skip_expression()
    if not (self:accept(",") or self:accept(";")) and not self:is("symbol", "}") then
      break -- an unmatched bracket: the text does not compile anyway
    end
  end
  self:accept("}")
  return node
end

-- The arguments of a call: its last constructor, which by custom is the one that says how the result differs.
function walker:arguments()
  local found
  self:accept("(")
  while self:token().kind ~= "end" and not self:is("symbol", ")") do
    local node = self:expression()
    found = node.entries and node or found
    self:skip_expression()
    if not self:accept(",") then
      break
    end
  end
  self:accept(")")
  return found
end

local function follow(node, key)
  local entry = node and node.entries and node.entries[key]
  return entry and entry.node
end

-- name, name.field, name[1]: what is bound there. f{...}, f(...): the constructor in its arguments.
function walker:reference()
  local token = self:token()
  local node = self.bound[token.value]
  self.at = self.at + 1
  while true do
    if self:is("symbol", ".") or self:is("symbol", ":") then
      node = follow(node, self:token(1).value)
      self.at = self.at + 2
    elseif self:is("symbol", "[") and self:is("symbol", "]", 2) then
      node = follow(node, literal_key(self:token(1)))
      self.at = self.at + 3
    elseif self:is("symbol", "{") then
      node = self:constructor()
    elseif self:is("symbol", "(") then
      node = self:arguments()
    else
      break
    end
  end
  return node or { line = token.line }
end

-- The node of the expression that begins here; afterwards skip_expression() leads to its end.
function walker:expression()
  local token = self:token()
  if self:is("symbol", "{") then
    return self:constructor()
  elseif token.kind == "name" then
    return self:reference()
  elseif self:is("symbol", "(") then
    local start = self.at
    self.at = start + 1
    local node = self:expression()
    if self:accept(")") then
      return node
    end
    self.at = start
  end
  return { line = token.line }
end

-- The names and fields left of `=`: { {name, key, key...}, ... }; nil, and no step taken, when this is no assignment.
function walker:targets()
  local start, list = self.at, {}
  repeat
    local target = { self:token().value, line = self:token().line }
    if self:token().kind ~= "name" then
      break
    end
    self.at = self.at + 1
    while self:is("symbol", ".") or self:is("symbol", "[") or self:is("symbol", "<") do
      local attribute = self:is("symbol", "<")
      local bracket = self:is("symbol", "[")
      if not attribute then
        target[#target + 1] = bracket and literal_key(self:token(1)) or self:token(1).value
      end
      self.at = self.at + ((attribute or bracket) and 3 or 2)
    end
    list[#list + 1] = target
  until not self:accept(",")
  if #list > 0 and self:accept("=") then
    return list
  end
  self.at = start
end

function walker:bind(target, value)
  if #target == 1 then
    self.bound[target[1]] = value
    return
  end
  local node = self.bound[target[1]]
  for i = 2, #target - 1 do
    node = follow(node, target[i])
  end
  if node and node.entries and target[#target] ~= nil then
    node.entries[target[#target]] = { line = target.line, node = value }
  end
end

function walker:assignment(targets)
  local i = 0
  repeat
    i = i + 1
    local value = self:expression()
    if targets[i] then
      self:bind(targets[i], value)
    end
    -- Whatever follows on (`{...} or x`) is walked over as if it were statements.
  until not self:accept(",")
end

-- All statements; the node of the last `return` outside of functions and loops.
function walker:chunk()
  local depth, root = 0, nil
  while self:token().kind ~= "end" do
    local targets = depth == 0 and self:token().kind == "name" and self:targets()
    if targets then
      self:assignment(targets)
    elseif depth == 0 and self:is("keyword", "return") then
      self.at = self.at + 1
      root = self:expression()
    else
      depth = math.max(0, depth + self:nesting())
      self.at = self.at + 1
    end
  end
  return root
end

-- scan(text) -> an object with the methods below, and has_repeated: whether repeated() has any. For text that Lua has
-- compiled; other text gives what was understood.
function keylines.scan(text)
  local walk = setmetatable({ tokens = tokens_of(text), at = 1, bound = {} }, walker)
  local root = walk:chunk()
  return setmetatable({ root = root or { line = 1 }, has_repeated = walk.has_repeated or false }, keylines)
end

-- path_of{"nses", 1, "nsei"} -> "nses[1].nsei"
function keylines.path_of(keys)
  local text = ""
  for _, key in ipairs(keys) do
    if math.type(key) == "integer" then
      text = text .. "[" .. key .. "]"
    elseif type(key) == "string" and key:find("^[%a_][%w_]*$") then
      text = text .. (text == "" and "" or ".") .. key
    else
      text = text .. "[" .. (type(key) == "string" and string.format("%q", key) or tostring(key)) .. "]"
    end
  end
  return text
end

-- A list with more keys behind those of `keys`.
function keylines.below(keys, ...)
  local list = table.move(keys, 1, #keys, 1, {})
  return table.move({ ... }, 1, select("#", ...), #list + 1, list)
end

-- fail() of a check for one of a part of the value: its keys are behind those given here.
function keylines.within(fail, ...)
  local keys = { ... }
  return function(relative, message) fail(keylines.below(keys, table.unpack(relative)), message) end
end

-- A set that reports duplicates and names the place of the first: add(key, keys, text of the key if it is another).
function keylines.unique(fail, what)
  local seen = {}
  return function(key, keys, shown)
    if seen[key] then
      fail(keys, string.format("%s %s is taken by %s", what, shown or key, keylines.path_of(seen[key])))
    end
    seen[key] = seen[key] or keys
  end
end

-- keys_of("nses[1].nsei") -> {"nses", 1, "nsei"}: plain names and whole numbers only.
function keylines.keys_of(path)
  local keys = {}
  for name, index in path:gmatch("([%a_]*[%w_]*)%[?(%d*)%]?%.?") do
    if name ~= "" then
      keys[#keys + 1] = name
    end
    if index ~= "" then
      keys[#keys + 1] = math.tointeger(tonumber(index))
    end
  end
  return keys
end

-- The entry that keys lead to, or the nearest known above it; and whether it is that very one.
local function find(self, path)
  local keys = type(path) == "table" and path or keylines.keys_of(path)
  local entry = { line = self.root.line, node = self.root }
  for i = 1, #keys do
    local below = entry.node.entries and entry.node.entries[keys[i]]
    if not below then
      return entry, false
    end
    entry = below
  end
  return entry, true
end

-- Line of the key at a path (text or list of keys), or of the nearest known above it.
function keylines:line(path)
  return find(self, path).line
end

-- Line of the brace that opens the table at a path: where a missing field is missing.
function keylines:opening(path)
  local entry, exact = find(self, path)
  return exact and entry.node.entries and entry.node.line or entry.line
end

-- Keys given more than once in the constructor at a path: { {key, line}, ... }. Lua silently keeps the last.
function keylines:repeated(path)
  local entry, exact = find(self, path)
  return exact and entry.node.repeated or {}
end

return keylines
