-- SPDX-License-Identifier: BSD-3-Clause
-- Formats: how values stand in octets, each spelled once and used both ways.
--
--   local point = format.struct { { "x", format.number(2) }, { "label", format.counted(1, format.rest(1, 20)) } }
--   format.decode(point, octets)    its value, such as { x = 7, label = "here" }; nil, a word, and the fault (below)
--   format.encode(point, value)     its octets; an error "field 'x': ..." for what has no place on the wire
--
-- A format is a table of two functions. read(octets, at, last, into) returns the value that begins at octet `at`, and
-- where the next one begins; it looks at no octet behind `last`. write(value, name, whole) returns octets. `into` and
-- `whole` are the struct of which the value is a member, so far and as a whole.
--
-- Octets of a peer raise nothing but faults, which decode() turns into words; any other error is a mistake of this
-- program, and reaches the caller. A format holds formats to a fixed depth, and reads each octet a fixed number of
-- times.
local ip_network = require "base.ip_network"
local tables = require "base.tables"

local format = {}

-- --- faults ---

local Fault = {}

-- A fault of octets, for format.fail(): its word.
function format.fault(word)
  return setmetatable({ word = word }, Fault)
end

format.MALFORMED = format.fault "malformed"
format.TRUNCATED = format.fault "truncated" -- an element reaches over the end
format.MISSING = format.fault "malformed" -- an element is not there that must be

function format.fail(fault)
  error(fault or format.MALFORMED, 0)
end

-- The value of these octets, or of a part of them; read into a table that the caller has, if any, which then also has
-- what precedes a fault. Else nil, the word of the fault, and the fault.
function format.decode(inner, octets, at, last, into)
  local is_read, value = pcall(inner.read, octets, at or 1, last or #octets, into)
  if is_read then return value end
  if getmetatable(value) ~= Fault then error(value, 0) end
  return nil, value.word, value
end

function format.encode(inner, value, name)
  return inner.write(value, name or "value", value)
end

-- Refuses to write the value of a field.
function format.refuse(name, text, ...)
  error(("field '%s': " .. text):format(name, ...), 0)
end

local refuse, pack, unpack, concat = format.refuse, string.pack, string.unpack, table.concat

local function need(octets, at, last)
  if at + octets - 1 > last then format.fail() end
end

local function string_of(value, name)
  return type(value) == "string" and value or refuse(name, "must be a string")
end

local function table_of(value, name)
  return type(value) == "table" and value or refuse(name, "must be a table")
end

-- --- values ---

-- A number of some octets, or of the lowest `bits` of them; nil is 0. `spare`: the bits above, as they are sent.
function format.number(octets, bits, spare)
  local pattern, most = ">I" .. octets, (1 << (bits or 8 * octets)) - 1
  return { read = function(s, at, last)
    if at + octets - 1 > last then format.fail() end
    return unpack(pattern, s, at) & most, at + octets
  end, write = function(value, name)
    value = value or 0
    if math.type(value) ~= "integer" or value < 0 or value > most then
      refuse(name, "wrong value, must be 0 .. %d", most)
    end
    return pack(pattern, value | (spare or 0))
  end }
end

-- Whether a bit is set.
function format.flag(bit, spare)
  return { read = function(s, at, last)
    need(1, at, last)
    return s:byte(at) & bit ~= 0, at + 1
  end, write = function(value) return string.char((value and bit or 0) | (spare or 0)) end }
end

-- Octets of a number of parts, from the highest bit on, as members of the struct around it: { "name", bits }, a number;
-- { "name", 1, is = true }, whether the bit is set, with false whether it is not; { bits = 2, spare = 3 }, sent and not
-- read. of = function(whole): what is sent follows from other members.
function format.bits(octets, rows)
  local word, parts, shift = format.number(octets), {}, 8 * octets
  for i, row in ipairs(rows) do
    local bits = row.bits or row[2]
    shift = shift - bits
    parts[i] = { name = row[1], is = row.is, of = row.of, spare = row.spare or 0, shift = shift }
    parts[i].most = (1 << bits) - 1
  end
  assert(shift == 0, "each bit has a row")

  local function part_of(part, whole)
    if not part.name then return part.spare end
    local value = whole[part.name]
    if part.of then value = part.of(whole) end
    if part.is ~= nil then return (value or false) == part.is and 1 or 0 end
    value = value or 0
    if math.type(value) ~= "integer" or value < 0 or value > part.most then
      refuse(part.name, "wrong value, must be 0 .. %d", part.most)
    end
    return value
  end

  return { read = function(s, at, last, into)
    local all, after = word.read(s, at, last)
    for i = 1, #parts do
      local part = parts[i]
      local value = all >> part.shift & part.most
      if part.is ~= nil then value = (value == 1) == part.is end
      if part.name then into[part.name] = value end
    end
    return into, after
  end, write = function(_, name, whole)
    local all = 0
    for _, part in ipairs(parts) do all = all | part_of(part, whole) << part.shift end
    return word.write(all, name)
  end }
end

-- So many octets.
function format.octets(count)
  return { read = function(s, at, last)
    need(count, at, last)
    return s:sub(at, at + count - 1), at + count
  end, write = function(value, name)
    if #string_of(value, name) ~= count then refuse(name, "wrong value, must be %d octets", count) end
    return value
  end }
end

-- All octets to the end, least .. most of them; no octets are nil.
function format.rest(least, most)
  return { read = function(s, at, last)
    local count = last - at + 1
    if count < least or count > most then format.fail() end
    return count > 0 and s:sub(at, last) or nil, last + 1
  end, write = function(value, name)
    local octets = value == nil and "" or string_of(value, name)
    if #octets < least or #octets > most then refuse(name, "wrong value, must be %d to %d octets", least, most) end
    return octets
  end }
end

-- Octets as hexadecimal text, the lower nibble first, and back.
local NIBBLES, OF_NIBBLES = {}, {}
for octet = 0, 255 do
  local text = ("%x%x"):format(octet & 15, octet >> 4)
  NIBBLES[string.char(octet)], OF_NIBBLES[text] = text, string.char(octet)
end

function format.nibbles(octets)
  return (octets:gsub(".", NIBBLES))
end

function format.of_nibbles(text)
  return (text:gsub("..", OF_NIBBLES))
end

-- The digits of octets, to the first fill or the end: nil for another nibble above 9, or for more than `most`. With
-- is_strict the fill is the last nibble alone.
local function digits_in(octets, most, is_strict)
  local hex = format.nibbles(octets:sub(1, most // 2 + 1))
  local digits, fill = hex:match("^(%d*)(f?)")
  local is_whole = #digits == #hex or fill ~= "" and (not is_strict or #digits == #hex - 1)
  return is_whole and #digits <= most and (not is_strict or #octets == #hex // 2) and digits or nil
end

-- Decimal digits to the end, as text of least .. most of them: two an octet, the lower nibble first, 15 fills (TBCD, TS
-- 29.002 clause 17.7.8). how.octets: as many are written; how.is_strict: nothing is behind the digits, and a single 15
-- fills them.
function format.digits(least, most, how)
  how = how or {}
  return { read = function(s, at, last)
    local digits = digits_in(s:sub(at, math.min(last, at + most)), most, how.is_strict)
    if not digits or #digits < least then format.fail() end
    return digits, last + 1
  end, write = function(value, name)
    if not string_of(value, name):find("^%d+$") or #value < least or #value > most then
      refuse(name, "wrong value, must be %d to %d digits", least, most)
    end
    return format.of_nibbles(value .. ("f"):rep(how.octets and 2 * how.octets - #value or #value % 2))
  end }
end

-- An IP address to the end, as text; without octets, if may_be_none, nil.
function format.address(may_be_none)
  return { read = function(s, at, last)
    local count = last - at + 1
    if count == 0 and may_be_none then return nil, at end
    if count ~= 4 and count ~= 16 then format.fail() end
    return ip_network.text(s:sub(at, last)), last + 1
  end, write = function(value, name)
    if value == nil and may_be_none then return "" end
    return ip_network.octets(string_of(value, name)) or refuse(name, "'%s' is not an IP address", value)
  end }
end

-- --- formats of formats ---

-- A format of which only some values are sent; others are read. `what` says which, as "must be ...".
function format.sent(inner, is_right, what)
  return { read = inner.read, write = function(value, name, whole)
    local octets = inner.write(value, name, whole)
    if not is_right(value) then refuse(name, "wrong value, %s", what) end
    return octets
  end }
end

-- A format that only some values fit.
function format.only(inner, is_right, what)
  return { read = function(s, at, last, into)
    local value, after = inner.read(s, at, last, into)
    if not is_right(value) then format.fail() end
    return value, after
  end, write = format.sent(inner, is_right, what).write }
end

-- A format whose value ends where its octets do.
function format.whole(inner)
  return { read = function(s, at, last, into)
    local value, after = inner.read(s, at, last, into)
    if after <= last then format.fail() end
    return value, after
  end, write = inner.write }
end

-- A format behind the number of its octets, which stands in one octet or more. Octets behind its value are skipped.
function format.counted(octets, inner)
  local pattern, most = ">I" .. octets, (1 << 8 * octets) - 1
  return { read = function(s, at, last, into)
    need(octets, at, last)
    local count = unpack(pattern, s, at)
    at = at + octets
    need(count, at, last)
    return (inner.read(s, at, at + count - 1, into)), at + count
  end, write = function(value, name, whole)
    local written = inner.write(value, name, whole)
    if #written > most then refuse(name, "wrong value, at most %d octets", most) end
    return pack(pattern, #written) .. written
  end }
end

-- A format whose octets old peers leave out at the end; it is always written.
function format.trailing(inner)
  return { read = function(s, at, last, into)
    if at > last then return nil, at end
    return inner.read(s, at, last, into)
  end, write = inner.write }
end

-- The format that the struct around it, so far, asks for.
function format.chosen_by(choose)
  return { read = function(s, at, last, into) return choose(into).read(s, at, last, into) end,
    write = function(value, name, whole) return choose(whole).write(value, name, whole) end }
end

-- Checks a list of at most so many that is to be written.
function format.list_of(value, name, most)
  local count = type(value) == "table" and #value or -1
  if count < 0 or count > most then refuse(name, "must be a list of at most %d", most) end
  return value
end

-- A list to the end.
function format.list(inner, most)
  return { read = function(s, at, last)
    local out = {}
    while at <= last do
      if #out == most then format.fail() end
      out[#out + 1], at = inner.read(s, at, last)
    end
    return out, at
  end, write = function(value, name)
    local parts = {}
    for i, one in ipairs(format.list_of(value or {}, name, most)) do parts[i] = inner.write(one, name) end
    return concat(parts)
  end }
end

-- Members of the table around them, one behind the other: rows { "name", inner }. The members of a row without name, {
-- inner }, are the table's, too.
function format.members(rows)
  local names, inners = {}, {}
  for i, row in ipairs(rows) do names[i], inners[i] = row[2] and row[1] or false, row[2] or row[1] end
  return { read = function(s, at, last, into)
    for i = 1, #inners do
      local value, after = inners[i].read(s, at, last, into)
      if names[i] then into[names[i]] = value end
      at = after
    end
    return into, at
  end, write = function(_, name, whole)
    local parts = {}
    for i = 1, #inners do
      local own = names[i]
      parts[i] = own and inners[i].write(whole[own], own, whole) or inners[i].write(nil, name, whole)
    end
    return concat(parts)
  end }
end

-- A table of its own.
function format.struct(rows)
  local members = format.members(rows)
  return { read = function(s, at, last) return members.read(s, at, last, {}) end,
    write = function(value, name) return members.write(nil, name, table_of(value, name)) end }
end

-- --- elements: values with a tag, in any order, of which each may be missing ---

-- A tag of one octet, a length of some, and a value. split() returns the tag of the element at `at`, and the first and
-- the last octet of its value; nil: nothing can be read from there on. A protocol may have others like it.
function format.tlv(length_octets)
  local pattern, joined = ">I" .. length_octets, ">Bs" .. length_octets
  return { split = function(s, at, last)
    local from = at + 1 + length_octets
    if from - 1 > last then format.fail(format.TRUNCATED) end
    local to = from + unpack(pattern, s, at + 1) - 1
    if to > last then format.fail(format.TRUNCATED) end
    return s:byte(at), from, to
  end, join = function(tag, octets) return pack(joined, tag, octets) end }
end

local function index_of(rows)
  local by_tag = {}
  for _, row in ipairs(rows) do
    by_tag[row.tag] = by_tag[row.tag] or {}
    table.insert(by_tag[row.tag], row)
  end
  return by_tag
end

-- The row that takes the next element of this tag; nil: it is skipped.
local function taker_of(rows, out)
  for i = 1, #rows do
    local row = rows[i]
    local list = row.most and out[row.name]
    local has_room = out[row.name] == nil or row.keep or list and #list < row.most
    if has_room and not (row.unless and out[row.unless]) then return row end
  end
  return nil
end

local function take(row, s, from, to, out)
  local value = row.inner.read(s, from, to, out)
  if not row.most then
    out[row.name] = value
    return
  end
  local list = out[row.name] or {}
  if not row.keep or row.keep(list, value) then list[#list + 1] = value end
  out[row.name] = list
end

-- As take(), but a fault is no error: it is returned.
local function try(...)
  local is_taken, fault = pcall(take, ...)
  if is_taken then return nil end
  return getmetatable(fault) == Fault and fault or error(fault, 0)
end

local function elements_read(shape, s, at, last, out)
  local split, by_tag = shape.form.split, shape.by_tag
  while at <= last do
    local tag, from, to = split(s, at, last)
    if not tag then break end
    local row = by_tag[tag] and taker_of(by_tag[tag], out)
    if row and not shape.skipped then take(row, s, from, to, out) end
    if row and shape.skipped and try(row, s, from, to, out) then shape.skipped(out, tag) end
    at = to + 1
  end
  for _, name in ipairs(shape.musts) do
    if out[name] == nil then format.fail(format.MISSING) end
  end
  return out, last + 1
end

local function element_write(form, row, value, whole, parts)
  if not row.most then
    parts[#parts + 1] = form.join(row.tag, row.inner.write(value, row.name, whole))
    return
  end
  for _, one in ipairs(format.list_of(value, row.name, row.most)) do
    parts[#parts + 1] = form.join(row.tag, row.inner.write(one, row.name, whole))
  end
end

local function elements_write(shape, whole)
  local names, parts = shape.names, {}
  for _, name in ipairs(shape.musts) do
    if whole[name] == nil then refuse(name, "is missing") end
  end
  for i = 1, #names do
    local value = whole[names[i]]
    if value ~= nil then element_write(shape.form, shape.rows[i], value, whole, parts) end
  end
  return concat(parts)
end

-- A table of elements, written in the order of the rows { "name", tag, inner }, with words where they are needed:
--
--   must = true           the element must be there
--   most = n              it repeats: a list, of whose elements the first n are read
--   keep = function       (list, value): all are read, and those are put at the list's end for which this is true
--   unless = "other"      it is skipped behind an element of that name
--
-- Elements of other tags are skipped, and so are repeated ones. Of rows with the same tag each takes an element, in
-- their order. how.skipped(out, tag): elements whose value has a fault are skipped, too, and told; the next one of that
-- tag counts.
function format.elements(form, rows, how)
  local shape = { form = form, rows = {}, names = {}, musts = {}, skipped = how and how.skipped }
  for i, row in ipairs(rows) do
    shape.rows[i], shape.names[i] = tables.copy(row), row[1]
    shape.rows[i].name, shape.rows[i].tag, shape.rows[i].inner = table.unpack(row, 1, 3)
    if row.must then table.insert(shape.musts, row[1]) end
  end
  shape.by_tag = index_of(shape.rows)
  return { read = function(s, at, last, into) return elements_read(shape, s, at, last, into or {}) end,
    write = function(_, name, whole) return elements_write(shape, table_of(whole, name)) end }
end

return format
