-- SPDX-License-Identifier: BSD-3-Clause
-- The values of a configuration other than tables: how each type is read, its range, how it is shown.
--
-- A type is a table of functions over a descriptor d:
--   read(d, value) -> value in base units, or nil and a message with the value and the range
--   allowed(d)     -> "0 bit/s .. 6.5535 Gbit/s"
--   show(d, value) -> a value in base units as a message or the reference shows it
-- A type with `is_secret` is never shown; nor is what may be a key in the place of another value (schema.hidden).
-- Bounds in a descriptor have the form of a configuration ("655.34 s").
--
--   schema_scalar.first_of(list, text_of)   the first of a list, for messages
--   schema_scalar.question(list, word), nearest_word(list, word)   the word of a list that was probably meant
--   schema_scalar.unknown(word, noun, list)   the message for a word that is not in a list

local hidden = require "schema.hidden"
local ip_network = require "base.ip_network"
local tables = require "base.tables"
local units = require "base.units"

local schema_scalar = { types = {} }

local FAR <const> = 3 -- edits from which two words are not alike
local LONGEST <const> = 40 -- characters of a word that is compared
local MAX_SHOWN <const> = 60
local MOST_KNOWN <const> = 1000 -- texts of a descriptor that are not read again

-- The word that was probably meant, for messages about a word that nothing is called by. control/base/words.c and
-- python/gbflow_results/words.py judge alike: tests/data/words.txt has the cases.

-- Edits (insert, delete, replace, swap of neighbours) between two words.
local function distance(a, b)
  local rows = {}
  for i = 0, #a do
    rows[i] = { [0] = i }
    for j = 1, #b do
      if i == 0 then
        rows[i][j] = j
      else
        local same = a:byte(i) == b:byte(j) and 0 or 1
        local edits = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same)
        if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
          edits = math.min(edits, rows[i - 2][j - 2] + 1)
        end
        rows[i][j] = edits
      end
    end
  end
  return rows[#a][#b]
end

-- The one of a list of words that fewest edits separate from `word`, capitals or not, the first of several; nil: none
-- is alike.
function schema_scalar.nearest_word(list, word)
  local nearest, least = nil, FAR
  if type(word) ~= "string" or #word >= LONGEST then
    return nil
  end
  local lower = word:lower()
  for _, name in ipairs(list) do
    -- The distance of two words is at least the difference of their lengths.
    local edits = math.abs(#word - #name) < least and distance(lower, name:lower()) or math.huge
    if edits < least and edits < #name then
      nearest, least = name, edits
    end
  end
  return nearest
end

-- Names that are counted through, such as CS-1 and CS-2: one is no slip of the other.
local function differ_by_digits(a, b)
  return a ~= b and a:gsub("%d", "") == b:gsub("%d", "")
end

-- "; did you mean 'x'?", or "" where no word is alike.
function schema_scalar.question(list, word)
  local nearest = schema_scalar.nearest_word(list, word)
  return nearest and not differ_by_digits(word, nearest) and string.format("; did you mean '%s'?", nearest) or ""
end

-- The first 12 of a list in words, each as text_of(item) has it, else as it is.
function schema_scalar.first_of(list, text_of)
  local shown = {}
  for i = 1, math.min(#list, 12) do
    shown[i] = text_of and text_of(list[i]) or list[i]
  end
  return table.concat(shown, ", ") .. (#list > 12 and ", ..." or "")
end

-- The types

local types = schema_scalar.types

local MOST_NUMBER <const> = 0xFFFFFFFF -- of those that are shown
local MOST_DIGITS <const> = 9999999 -- likewise, where no number belongs

local function number_text(value, hex)
  return (hex and math.type(value) == "integer" and value >= 0) and string.format("0x%X", value) or tostring(value)
end

local function quoted(text)
  text = #text > MAX_SHOWN and text:sub(1, MAX_SHOWN) .. "..." or text
  return "'" .. text:gsub("[%c\127-\255]", "?") .. "'"
end

-- A value as it was given, for messages: text in quotes, numbers as they are, the rest by its type. most, optional: of
-- a number that is shown.
function schema_scalar.given(value, hex, most)
  local is_shown = type(value) == "number" and (value ~= value or math.abs(value) <= (most or MOST_DIGITS))
  if type(value) == "string" then
    return quoted(hidden.all(value))
  elseif is_shown or type(value) == "boolean" then
    return number_text(value, hex)
  end
  return "a " .. type(value)
end

local given = schema_scalar.given

-- "'cake' is no AQM scheme: one of fifo, red; did you mean ...?"
function schema_scalar.unknown(word, noun, list)
  return string.format("%s is no %s: one of %s%s", given(word), noun, schema_scalar.first_of(list),
    schema_scalar.question(list, word))
end

local function list_of(values)
  local shown = {}
  for i, value in ipairs(values) do
    shown[i] = tostring(value)
  end
  return "one of " .. table.concat(shown, ", ")
end

local function given_to(d, value, most)
  return d.is_secret and "the value" or given(value, d.hex, most)
end

local function misplaced(d, value, noun)
  local allowed = types[d.type].allowed(d)
  local more = allowed ~= noun and ": " .. allowed or ""
  return nil, string.format("%s where %s belongs%s", given_to(d, value), noun, more)
end

local bounds = {} -- of descriptors, by type and text

local function bound(d, text)
  local of_type = bounds[d.type]
  if not of_type then
    of_type = {}
    bounds[d.type] = of_type
  end
  if text and not of_type[text] then
    of_type[text] = assert(units.parse(d.type, text))
  end
  return of_type[text or ""]
end

local NOUNS = { rate = "rate", octets = "size", duration = "duration", percent = "share" }
local BASE = { rate = "bit/s", octets = "octets", duration = "ns", percent = "millionths" }

local function quantity_range(d)
  local low, high = bound(d, d.min) or 0, bound(d, d.max)
  local text = units.format(d.type, low) .. (high and " .. " .. units.format(d.type, high) or " or more")
  return d.allow_infinite and text .. " or infinite" or text
end

local function quantity_allowed(d)
  local step = bound(d, d.multiple_of)
  return quantity_range(d) .. (step and ", in steps of " .. units.format(d.type, step) or "")
end

local function quantity_complaint(d, value, reason, name)
  local noun = NOUNS[d.type] .. " " .. given(value)
  if reason == "no unit" then
    return string.format("%s needs a unit: one of %s; allowed %s", noun, units.names(d.type), quantity_allowed(d))
  elseif reason == "unknown unit" then
    return string.format("%s has the unknown unit %s: one of %s; allowed %s", noun, given(name), units.names(d.type),
      quantity_allowed(d))
  elseif reason == "malformed" then
    return string.format("%s is not a number with a unit; allowed %s", noun, quantity_allowed(d))
  elseif reason == "not whole" then
    return string.format("%s is not a whole number of %s; allowed %s", noun, BASE[d.type], quantity_allowed(d))
  end
  return string.format("%s %s is out of range: %s", NOUNS[d.type], quoted(hidden.keys(value)), quantity_range(d))
end

local known_texts = setmetatable({}, { __mode = "k" })

-- The values of texts that were right for a descriptor: users of a kind have the same. [0]: how many.
local function read_before(d)
  local known = known_texts[d]
  if not known then
    known = { [0] = 0 }
    known_texts[d] = known
  end
  return known
end

local function quantity_read(d, value)
  if type(value) == "number" then
    return nil, quantity_complaint(d, value, "no unit")
  elseif type(value) ~= "string" then
    return misplaced(d, value, "a " .. NOUNS[d.type])
  elseif value == "infinite" then
    if d.allow_infinite then
      return units.INFINITE
    end
    return nil, quantity_complaint(d, value)
  end
  local known = read_before(d)
  if known[value] then return known[value] end
  local base, reason, name = units.parse(d.type, value)
  if not base then
    return nil, quantity_complaint(d, value, reason, name)
  end
  local high, step = bound(d, d.max), bound(d, d.multiple_of)
  if base < (bound(d, d.min) or 0) or (high and base > high) then
    return nil, quantity_complaint(d, value)
  elseif step and base % step ~= 0 then
    local form = "%s '%s' is not a multiple of %s: %s"
    return nil, form:format(NOUNS[d.type], value, units.format(d.type, step), quantity_range(d))
  end
  if known[0] < MOST_KNOWN then known[0], known[value] = known[0] + 1, base end
  return base
end

local function quantity_show(d, value)
  return units.format(d.type, value)
end

for kind in pairs(NOUNS) do
  types[kind] = { read = quantity_read, allowed = quantity_allowed, show = quantity_show }
end

local function number_show(d, value)
  return number_text(value, d.hex)
end

local function number_allowed(d)
  if d.values then
    return list_of(d.values)
  elseif not d.min and not d.max then
    return "any"
  elseif not d.max then
    return number_show(d, d.min) .. " or more"
  end
  return (d.min and number_show(d, d.min) .. " .. " or "at most ") .. number_show(d, d.max)
end

-- A descriptor may have one bound or none. A value that is no number is in no range.
local function is_in_range(d, value)
  return value == value and (not d.min or value >= d.min) and (not d.max or value <= d.max)
end

local function number_check(d, value)
  if d.values and not tables.has(d.values, value) then
    return nil, string.format("%s is not %s", given_to(d, value, MOST_NUMBER), number_allowed(d))
  elseif not d.values and not is_in_range(d, value) then
    return nil, string.format("%s is out of range: %s", given_to(d, value, MOST_NUMBER), number_allowed(d))
  end
  return value
end

local function integer_read(d, value)
  local whole = type(value) == "number" and math.tointeger(value)
  if not whole then
    return misplaced(d, value, "a whole number")
  end
  return number_check(d, whole)
end

local function number_read(d, value)
  if type(value) ~= "number" then
    return misplaced(d, value, "a number")
  end
  return number_check(d, value)
end

types.integer = { read = integer_read, allowed = number_allowed, show = number_show }
types.number = { read = number_read, allowed = number_allowed, show = number_show }

local function text_show(_, value)
  return '"' .. tostring(value) .. '"'
end

-- meant, optional: words that are often written -> the one that is meant, where another looks more alike.
-- elsewhere, optional: words that another key has -> a sentence with this key.
local function question_of(d, value)
  local elsewhere = d.elsewhere and d.elsewhere[value:lower()]
  if elsewhere then
    return "; " .. elsewhere
  end
  local meant = d.meant and d.meant[value:lower()]
  return meant and string.format("; did you mean '%s'?", meant) or schema_scalar.question(d.values or {}, value)
end

-- Types that are text of a form: canonical(text) gives the text as it is kept, or nil.
local function text_type(noun, allowed, canonical)
  local function read(d, value)
    if type(value) ~= "string" then
      return misplaced(d, value, "text")
    end
    local kept = canonical(value, d)
    if kept == nil then
      return nil, string.format("%s is not %s: %s%s", given_to(d, value), noun, allowed(d), question_of(d, value))
    end
    return kept
  end
  return { read = read, allowed = allowed, show = text_show }
end

local function string_canonical(text, d)
  if #text <= (d.max or 255) and (not d.pattern or text:find(d.pattern)) then
    return text
  end
end

local function enum_canonical(text, d)
  return tables.has(d.values, text) and text or nil
end

-- "192.0.2.1" -> 0xc0000201; nil unless inet_pton() takes the text, too.
function schema_scalar.ipv4_number(text)
  local octets = ip_network.octets(text)
  return octets and #octets == 4 and string.unpack(">I4", octets) or nil
end

local function ipv4_canonical(text)
  local number = schema_scalar.ipv4_number(text)
  return number and number ~= 0 and text or nil
end

-- In the form of inet_ntop(); nil: malformed, the unspecified address, or multicast.
local function ipv6_canonical(text)
  local octets = ip_network.octets(text)
  if not octets or #octets ~= 16 then return nil end
  local whole = ip_network.text(octets)
  return whole ~= "::" and octets:byte() ~= 0xff and whole or nil
end

-- The address of one host: neither multicast nor 240.0.0.0/4.
local function ip_canonical(text)
  local ipv4 = ipv4_canonical(text)
  if ipv4 then
    return tonumber(ipv4:match("^%d+")) < 224 and ipv4 or nil
  end
  return ipv6_canonical(text)
end

-- Unicast addresses: the lowest bit of the first octet is clear.
local function mac_canonical(text)
  local pair = "%x%x"
  if text:find("^" .. (pair .. ":"):rep(5) .. pair .. "$") and tonumber(text:sub(1, 2), 16) % 2 == 0 then
    return text:lower()
  end
end

types.string = text_type("a valid text", function(d) return d.form or "at most " .. (d.max or 255) .. " octets" end,
  string_canonical)
types.enum = text_type("a known word", function(d) return list_of(d.values) end, enum_canonical)
types.ipv4 = text_type("an IPv4 address", function() return "such as 10.99.0.1" end, ipv4_canonical)
types.ipv6 = text_type("an IPv6 address of a host", function() return "such as 2001:db8::1" end, ipv6_canonical)
types.ip = text_type("an IP address of a host", function() return "such as 10.99.0.1 or 2001:db8::1" end, ip_canonical)
types.mac = text_type("a unicast MAC address", function() return "such as 02:00:00:00:00:01" end, mac_canonical)

types.boolean = {
  allowed = function() return "true or false" end,
  show = function(_, value) return tostring(value) end,
  read = function(d, value)
    if type(value) ~= "boolean" then
      return misplaced(d, value, "true or false")
    end
    return value
  end,
}

-- A value for `--set`, kept as the text that one would write there.
types.setting = {
  allowed = function(d) return "a text of at most " .. d.max .. " octets, a number or a boolean" end,
  show = text_show,
  read = function(d, value)
    local kind = math.type(value) or type(value)
    if kind == "integer" or kind == "boolean" then
      return tostring(value)
    elseif kind == "float" and value == value and value ~= math.huge and value ~= -math.huge then
      return string.format("%.14g", value)
    elseif kind == "string" and #value <= d.max and value ~= "" and not value:find("%c") then
      return value
    end
    return misplaced(d, value, "a text, a number or a boolean")
  end,
}

return schema_scalar
