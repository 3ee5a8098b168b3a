-- SPDX-License-Identifier: BSD-3-Clause
-- Messages as lists of elements, by the codecs' own tables (wire_tables.c; those in Lua have theirs): a message with
-- elements of wrong sizes.
--
--   wire.changed(octets)         the message with one to three elements changed
--   wire.made(row, known)        a message of a row of the tables, with elements of any size; known(name): a value
--                                that an element of that name may have, nil: none is known
--   wires.l3.ROWS                of what phones send: { gmm =, sm =, sms = (CP), rp = }
--   of each of gtp, l3 (GMM, SM), cp, rp, gsup, bssgp, ns

local codec = require "wire.gsup"
local gmm = require "wire.gmm"
local sm = require "wire.sm"
local sms = require "wire.sms"
local tables = require "gbflow_tables"
local values = require "sizes_values"

local sizes_wires = {}

local random = math.random

local function concat(list, text_of)
  local parts = {}
  for i, element in ipairs(list) do parts[i] = text_of(element) end
  return table.concat(parts)
end

local function is_variable(element)
  return element.form == "lv" or element.form == "tlv"
end

-- An element of a place, of any size; of a fixed one of its own, now and then of another.
local function element_of(place, known)
  local n = values.size(place.least, place.most)
  if not is_variable(place) and random(20) > 1 then n = place.least end
  local value = known and random(3) > 1 and known(place.name) or values.octets(n)
  return { form = place.form, iei = place.iei, least = place.least, most = place.most, value = value }
end

local function made_of(places, known)
  local list = {}
  for _, place in ipairs(places) do
    local is_there = place.is_mandatory and random(30) > 1 or not place.is_mandatory and random(2) == 1
    if is_there then list[#list + 1] = element_of(place, known) end
  end
  return list
end

local function tools_of(places)
  return {
    resize = function(element, n) return is_variable(element) and n <= 255 or random(20) == 1 end,
    any = function()
      local place = places[random(math.max(1, #places))]
      return place and element_of(place)
    end,
  }
end

-- --- GTP-C: behind the long header, elements with one octet of type, those from 128 on with two of length

local GTP_HEAD <const>, LONG <const>, EXTENSION_TYPES <const> = 12, 128, 141
local gtp = {}
sizes_wires.gtp = gtp

local function gtp_octets(element)
  local head = string.char(element.iei)
  if element.iei == EXTENSION_TYPES then return head .. string.char(#element.value & 255) .. element.value end
  return (element.iei >= LONG and head .. string.pack(">I2", #element.value) or head) .. element.value
end

local GTP_TYPES <const> = {}
for type in pairs(tables.gtp) do GTP_TYPES[#GTP_TYPES + 1] = type end
table.sort(GTP_TYPES)

local function gtp_any()
  local type = GTP_TYPES[random(#GTP_TYPES)]
  local n = type >= LONG and values.size(4, 16) or tables.gtp[type]
  return { iei = type, value = values.octets(n) }
end

local GTP_TOOLS <const> = { any = gtp_any,
  resize = function(element, n) return element.iei >= LONG or n == #element.value or random(20) == 1 end }

local function gtp_list(octets)
  local list, at = {}, GTP_HEAD + 1
  while at <= #octets do
    local type = octets:byte(at)
    local head, n = 1, tables.gtp[type]
    if not n then break end
    if type == EXTENSION_TYPES then head, n = 2, octets:byte(at + 1) end
    if type >= LONG and type ~= EXTENSION_TYPES then head, n = 3, string.unpack(">I2", octets, at + 1) end
    list[#list + 1] = { iei = type, value = octets:sub(at + head, at + head + n - 1) }
    at = at + head + n
  end
  return list
end

function gtp.changed(octets)
  local list = gtp_list(octets)
  values.change(list, GTP_TOOLS)
  local body = concat(list, gtp_octets)
  return octets:sub(1, 2) .. string.pack(">I2", #body + GTP_HEAD - 8) .. octets:sub(5, GTP_HEAD) .. body
end

-- --- GMM, SM, CP: octet 1, type, the row's elements

local FORMS <const> = {
  v = function(e) return e.value end,
  lv = function(e) return string.char(#e.value & 255) .. e.value end,
  tv = function(e) return string.char(e.iei) .. e.value end,
  tlv = function(e) return string.char(e.iei, #e.value & 255) .. e.value end,
  tv1 = function(e) return string.char(e.iei | (e.value:byte() or 0) & 15) end,
  t = function(e) return string.char(e.iei) end,
}

local function l3_octets(element) return FORMS[element.form](element) end

-- What phones send.
local function rows_of(list)
  local out = {}
  for _, row in ipairs(list) do
    local places = {}
    for i, place in ipairs(row.places) do
      places[i] = { name = place.name, form = place.form, iei = place.iei, least = place.least,
        most = place.most < 255 and place.most or 0, is_mandatory = place.is_mandatory }
    end
    if row.senders:find "ms" then out[#out + 1] = { type = row.type, places = places } end
  end
  return out
end

local ROWS <const> = { gmm = rows_of(gmm.ROWS), sm = rows_of(sm.ROWS), sms = rows_of(sms.CP_ROWS),
  rp = rows_of(sms.RP_ROWS) }
local L3 <const> = { [8] = ROWS.gmm, [10] = ROWS.sm, [9] = ROWS.sms }

local function row_of(list, type)
  for _, row in ipairs(list) do
    if row.type == type then return row end
  end
end

local function place_with(places, octet)
  for _, place in ipairs(places) do
    if place.iei == (place.form == "tv1" and octet & 0xf0 or octet) and not place.is_mandatory then return place end
  end
end

-- The elements of a good message; what its row does not have is one more at the end.
local function l3_list(places, octets, at)
  local list = {}
  local function add(place, head, n)
    list[#list + 1] = { form = place.form, iei = place.iei, least = place.least, most = place.most, name = place.name,
      value = octets:sub(at + head, at + head + n - 1) }
    at = at + head + n
  end
  for _, place in ipairs(places) do
    if place.form == "v" then add(place, 0, place.least) end
    if place.form == "lv" then add(place, 1, octets:byte(at) or 0) end
  end
  while at <= #octets do
    local place = place_with(places, octets:byte(at))
    if not place then
      list[#list + 1] = { form = "v", value = octets:sub(at) }
      break
    end
    if place.form == "tlv" then add(place, 2, octets:byte(at + 1) or 0) end
    if place.form == "tv" then add(place, 1, place.least) end
    if place.form == "tv1" or place.form == "t" then
      list[#list + 1] = { form = "v", value = octets:sub(at, at) }
      at = at + 1
    end
  end
  return list
end

local l3 = { ROWS = ROWS }
sizes_wires.l3 = l3
local EXTENDED_TI <const>, SM <const> = 7, 10

function l3.head_octets(octets)
  local first = octets:byte()
  return first & 15 == SM and first >> 4 & 7 == EXTENDED_TI and 3 or 2
end

function l3.changed(octets)
  local head = l3.head_octets(octets)
  local row = L3[octets:byte() & 15] and row_of(L3[octets:byte() & 15], octets:byte(head))
  if not row then return octets end
  local list = l3_list(row.places, octets, head + 1)
  if sizes_wires.learn then sizes_wires.learn(list) end
  values.change(list, tools_of(row.places))
  return octets:sub(1, head) .. concat(list, l3_octets)
end

-- head: the octets before the type.
function l3.made(row, known, head)
  return head .. string.char(row.type) .. concat(made_of(row.places, known), l3_octets)
end

-- RP: the type is in the first octet, then the reference.
function l3.made_rp(row, known, reference)
  return string.char(row.type, reference) .. concat(made_of(row.places, known), l3_octets)
end

-- --- GSUP: a type, then elements with one octet of length

local gsup = {}
sizes_wires.gsup = gsup
local GSUP <const> = {}
for tag, rows in pairs(codec.ELEMENTS) do
  GSUP[tag] = {}
  for _, row in ipairs(rows) do
    local inner = row[3]
    local most = inner.most < 255 and inner.most or 0
    if not row.must and not row.most then
      table.insert(GSUP[tag], { name = row[1], form = "tlv", iei = row[2], least = inner.least, most = most })
    end
  end
end
local CONTAINERS <const> = { 0x03, 0x05 }

local function gsup_element(list, known)
  if random(6) == 1 then
    local tag, parts = CONTAINERS[random(#CONTAINERS)], {}
    for _, place in ipairs(GSUP[tag]) do
      if random(5) > 1 then parts[#parts + 1] = l3_octets(element_of(place, known)) end
    end
    return { form = "tlv", iei = tag, value = table.concat(parts):sub(1, 255) }
  end
  return element_of(list[random(#list)], known)
end

local GSUP_TOOLS <const> = { resize = function(_, n) return n <= 255 end,
  any = function() return gsup_element(GSUP[0]) end }

function gsup.changed(octets)
  local list, at = {}, 2
  while at < #octets do
    local tag, n = octets:byte(at, at + 1)
    list[#list + 1] = { form = "tlv", iei = tag, value = octets:sub(at + 2, at + 1 + n) }
    at = at + 2 + n
  end
  values.change(list, GSUP_TOOLS)
  return octets:sub(1, 1) .. concat(list, l3_octets)
end

-- A message of a type about an IMSI (its element's value).
function gsup.made(type, imsi, known)
  local list = { { form = "tlv", iei = 1, value = imsi } }
  for _ = 1, random(0, 8) do list[#list + 1] = gsup_element(GSUP[0], known) end
  return string.char(type) .. concat(list, l3_octets)
end

-- --- NS and BSSGP: a type, fixed elements, then elements with a length of one octet or two

local pdu = {}
sizes_wires.pdu = pdu

local function pdu_length(n)
  return n <= 127 and random(10) > 1 and string.char(0x80 | n) or string.pack(">I2", n & 0x7fff)
end

local function pdu_octets(element)
  if element.form == "v" then return element.value end
  if element.form == "tv" then return string.char(element.iei) .. element.value end
  return string.char(element.iei) .. pdu_length(#element.value) .. element.value
end

function pdu.made(row, known)
  local list = made_of(row.places, known)
  if random(3) == 1 then values.change(list, tools_of(row.places)) end
  return string.char(row.type) .. concat(list, pdu_octets)
end

return sizes_wires
