-- SPDX-License-Identifier: BSD-3-Clause
-- Messages of layer 3 by their rows (TS 24.007 §11.2): values without identifier, then elements with one. An
-- identifier means one thing in one message and another in the next, so the row has it.
--
--   local codec = l3.codec(rows, values, head)       head: a set of the names of fields before the elements
--   codec.read(octets, at, type, sender, message)    fills a message with the elements that begin at `at`, and with
--                                                    its name; sender: "ms" or "sgsn". nil, or a word and the cause (TS
--                                                    24.008 §8.4 to §8.6, TS 24.011 §9.3.2)
--   codec.write(message)                             its type, and octets of its elements; an error names what has no
--                                                    place
--   codec.ROWS                                       what peers may send, for tests: { name =, type =, senders =,
--                                                    places = { { form = "v", "lv", "tv"..., name =, iei =, least =,
--                                                    most =, is_mandatory = }... } }
--   l3.integer(value, name, most)                    the value; an error: it is no integer of 0 .. most
--
-- A row is { type, name, senders ("ms", "sgsn" or "ms sgsn"), form... }, the forms in the order of transmission:
--
--   l3.halves(low, high)   two half octets; without `high` its half is spare
--   l3.V(name), l3.LV(name)
--   l3.TV(iei, name), l3.TLV(iei, name)
--   l3.TV1(iei, name)      an identifier in the upper half of an octet
--   l3.T(iei, name)        an identifier alone, whose value is 1
--
-- values: by names, { least =, most =, read(octets, at, last), write(value, name) }. read() gets least .. most octets,
-- to which longer values are cut, and returns nil for a wrong one; write() returns false for what has no place.
-- A name that is not there is a number of one octet.
--
--   l3.number(bits)        in the lower bits of an octet; those above are spare
--   l3.span(least, most)   so many octets
--   l3.area                a routeing area, { mcc =, mnc = (texts), lac =, rac = } (TS 24.008 §10.5.5.15)
--
-- Of repeated elements the first that can be read counts. Unknown ones are skipped, unless comprehension is required
-- (TS 24.007 §11.2.4); an optional one with an error counts as absent.
local format = require "wire.format"
local tables = require "base.tables"

local l3 = {}

local byte, char, sub, unpack = string.byte, string.char, string.sub, string.unpack
local concat, refuse = table.concat, format.refuse

local HALF <const>, LONGEST <const> = 15, 255
local COMPREHENSION <const>, SHORT <const> = 0x10, 0x80 -- identifiers below and from here on (TS 24.007 §11.2.4)
local TYPE_UNKNOWN <const> = 97
l3.MANDATORY_INVALID = 96

local CHARS <const> = {}
for octet = 0, LONGEST do CHARS[octet] = char(octet) end
local HALVES <const>, DIGITS <const> = {}, {}
for half = 0, HALF do HALVES[half] = half end
for digit = 0, 9 do DIGITS[byte("0") + digit] = digit end

-- --- values ---

function l3.integer(value, name, most)
  if math.type(value) ~= "integer" then refuse(name, "an integer is needed, not a %s", type(value)) end
  if value < 0 or value > most then refuse(name, "%d is out of range 0 .. %d", value, most) end
  return value
end

local integer = l3.integer

-- A table is asked, since a call takes longer; integer() then says what is wrong.
local function octet_of(value, name)
  return CHARS[value] or integer(value, name, LONGEST)
end

function l3.number(bits)
  local most = (1 << bits) - 1
  return { least = 1, most = 1, read = function(s, at) return byte(s, at) & most end, write = function(value, name)
    local octet = octet_of(value, name)
    return value <= most and octet
  end }
end

function l3.span(least, most)
  return { least = least, most = most or LONGEST, read = sub, write = function(value, name)
    if type(value) ~= "string" then refuse(name, "a string is needed, not a %s", type(value)) end
    return #value >= least and #value <= (most or LONGEST) and value
  end }
end

local function digits_of(value, name)
  if type(value) ~= "string" then refuse(name, "a string is needed, not a %s", type(value)) end
  local first, second, third, fourth = byte(value, 1, 4)
  if fourth or not DIGITS[first] or not DIGITS[second] or third and not DIGITS[third] then
    refuse(name, "two or three digits are needed")
  end
  return DIGITS[first], DIGITS[second], DIGITS[third]
end

-- Digits are half octets, of which a network of two has 15 for the third.
l3.area = { least = 6, most = 6, read = function(s, at)
  local mcc, third, mnc = format.nibbles(s:sub(at, at + 2)):match("^(%d%d%d)([%df])(%d%d)$")
  if not mcc then return nil end
  local lac, rac = unpack(">I2B", s, at + 3)
  return { mcc = mcc, mnc = third == "f" and mnc or mnc .. third, lac = lac, rac = rac }
end, write = function(value, name)
  if type(value) ~= "table" then refuse(name, "a table is needed, not a %s", type(value)) end
  local first, second, third = digits_of(value.mcc, "mcc")
  local tens, ones, last = digits_of(value.mnc, "mnc")
  local lac, rac = integer(value.lac, "lac", 0xffff), integer(value.rac, "rac", LONGEST)
  return third and char(second << 4 | first, (last or HALF) << 4 | third, ones << 4 | tens, lac >> 8, lac & LONGEST,
    rac)
end }

-- --- forms ---

function l3.halves(low, high) return { form = "v", name = low, high = high, is_half = true } end

for word, form in pairs { V = "v", LV = "lv" } do
  l3[word] = function(name) return { form = form, name = name } end
end
for word, form in pairs { TV = "tv", TLV = "tlv", TV1 = "tv1", T = "t" } do
  l3[word] = function(iei, name) return { form = form, name = name, iei = iei } end
end

local octet_value = { least = 1, most = 1, read = byte, write = octet_of }

-- A form with what reading and writing need.
local function place_of(form, values)
  local place, kind, value = tables.copy(form), form.form, values[form.name] or octet_value
  place.least, place.most, place.read, place.write = value.least, value.most, value.read, value.write
  place.has_length, place.is_short = kind == "lv" or kind == "tlv", kind == "tv1" or kind == "t"
  place.is_alone, place.is_mandatory = kind == "t", form.iei == nil
  place.head = form.iei and char(form.iei) or ""
  return place
end

local function row_of(row, values, names)
  local out = { type = row[1], name = row[2], senders = row[3], places = {}, fixed = {}, by_iei = {}, names = names }
  for i = 4, #row do
    local place = place_of(row[i], values)
    table.insert(out.places, place)
    if place.is_mandatory then table.insert(out.fixed, place) end
    for low = 0, place.form == "tv1" and HALF or 0 do
      if place.iei then out.by_iei[place.iei | low] = place end
    end
    names[place.name] = true
    if place.high then names[place.high] = true end
  end
  return out
end

-- --- reading ---

-- Where the elements with identifiers begin; nil, a word.
local function read_fixed(places, s, at, message)
  local last = #s
  for i = 1, #places do
    local place, from = places[i], at
    local count, least, most = place.least, place.least, place.most
    if at > last then return nil, "truncated" end
    if place.has_length then from, count = at + 1, byte(s, at) end
    at = from + count
    if at > last + 1 or count < least then return nil, "truncated" end
    local value = place.read(s, from, count > most and from + most - 1 or at - 1)
    if not value then return nil, "malformed" end
    if place.is_half then
      if place.high then message[place.high] = value >> 4 end
      value = value & HALF
    end
    message[place.name] = value
  end
  return at
end

local function read_elements(by_iei, s, at, message)
  local last = #s
  while at <= last do
    local iei, count = byte(s, at, at + 1)
    local place = by_iei[iei]
    if not place then
      if iei < COMPREHENSION then return "malformed" end
      at = iei < SHORT and at + 2 + (count or LONGEST) or at + 1
    elseif place.is_short then
      message[place.name], at = message[place.name] or place.is_alone and 1 or iei & HALF, at + 1
    else
      local from = at + (place.has_length and 2 or 1)
      if not place.has_length then count = place.least end
      at = from + (count or LONGEST)
      if at <= last + 1 and count >= place.least and not message[place.name] then
        message[place.name] = place.read(s, from, count > place.most and from + place.most - 1 or at - 1)
      end
    end
  end
  return nil
end

-- --- writing ---

local function too_large(row)
  error(row.name .. ": a value is too large for its field", 0)
end

-- The half octet of a field; an error: it has none, or no place.
local function half(row, message, name)
  local value = message[name]
  if HALVES[value] then return value end
  if value == nil then error(("%s: field '%s' is missing"):format(row.name, name), 0) end
  return octet_of(value, name) and HALVES[value] or too_large(row)
end

local function put_short(row, place, value)
  octet_of(value, place.name)
  if place.is_alone then return place.head end
  return value <= HALF and CHARS[place.iei | value] or too_large(row)
end

local function put(row, place, value)
  local octets = place.write(value, place.name) or too_large(row)
  if not place.has_length then return place.head .. octets end
  return place.head .. (CHARS[#octets] or too_large(row)) .. octets
end

-- Of the message that is being written: a table that grows for each one would take a tenth of the time.
local parts <const> = {}

local function write(row, message)
  local count, names, places = 0, row.names, row.places
  for name in next, message do
    if not names[name] then error(("%s: unknown field '%s'"):format(row.name, name), 0) end
  end
  for i = 1, #places do
    local place = places[i]
    local value = message[place.name]
    if place.is_half then
      count = count + 1
      parts[count] = CHARS[half(row, message, place.name) | (place.high and half(row, message, place.high) << 4 or 0)]
    elseif value ~= nil then
      count = count + 1
      parts[count] = (place.is_short and put_short or put)(row, place, value)
    elseif place.is_mandatory then
      error(("%s: field '%s' is missing"):format(row.name, place.name), 0)
    end
  end
  return concat(parts, "", 1, count)
end

-- --- codecs ---

function l3.codec(rows, values, head)
  local by_type, by_name, all = { ms = {}, sgsn = {} }, {}, {}
  for i, each in ipairs(rows) do
    local row = row_of(each, values, tables.copy(head))
    all[i], by_name[row.name] = row, row
    for sender in row.senders:gmatch("%a+") do by_type[sender][row.type] = row end
  end
  local codec = { ROWS = all }

  function codec.read(s, at, type, sender, message)
    local row = by_type[sender][type]
    if not row then return "unsupported", TYPE_UNKNOWN end
    local after, word = read_fixed(row.fixed, s, at, message)
    message.message = row.name
    word = word or read_elements(row.by_iei, s, after, message)
    if word then return word, l3.MANDATORY_INVALID end
  end

  function codec.write(message)
    local row = by_name[message.message]
    if not row then error(("no message has the name '%s'"):format(message.message), 0) end
    return row.type, write(row, message)
  end

  return codec
end

return l3
