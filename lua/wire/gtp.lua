-- SPDX-License-Identifier: BSD-3-Clause
-- Parts of all messages of GTPv1-C (TS 29.060): the header (§6), elements (§7.7), and values of several elements.
--
--   local head, at, last = gtp.header(octets)   { type = its number, teid =, seq = }, and where its elements stand;
--                                               nil, a word
--   gtp.message(number, message, elements)      octets, with message.teid and message.seq (nil: 0)
--   gtp.decode(kinds, octets)                   a message of the kind with its number, { type =, message = a format };
--                                               as wire.gtpc
--   gtp.ELEMENTS                                the form of elements, for format.elements()
--   gtp.imsi                                    a format of digits
--   gtp.apn, gtp.number, gtp.equipment          formats of texts: nil where others send none, or none that is right
--   local ipv4, ipv6 = gtp.addresses(kind, octets)      of a mobile whose type is gtp.IP_TYPES[number]
local format = require "wire.format"
local ip_network = require "base.ip_network"

local gtp = {}

-- --- the header ---

local VERSION_1 <const>, HAS_SEQ <const>, OCTETS <const>, LONG_OCTETS <const> = 0x30, 2, 8, 12
local EXTENSION_REQUIRED <const>, EXTENSION_PDCP_NUMBER <const> = 0x80, 0xc0 -- the second is for SRNS relocation alone

-- Where the elements begin behind extension headers, each of which counts its octets by four; nil, a word.
local function behind_extensions(octets, last)
  local extension, at = octets:byte(LONG_OCTETS), LONG_OCTETS + 1
  while extension ~= 0 do
    local count = at <= last and 4 * octets:byte(at) or 0
    if count == 0 or at + count - 1 > last then return nil, "malformed" end
    if extension & EXTENSION_REQUIRED ~= 0 and extension ~= EXTENSION_PDCP_NUMBER then return nil, "unsupported" end
    extension, at = octets:byte(at + count - 1), at + count
  end
  return at
end

function gtp.header(octets)
  if #octets < OCTETS then return nil, "truncated" end
  local flags, kind, count, teid = (">BBI2I4"):unpack(octets)
  local last, head, at, word = OCTETS + count, { type = kind, teid = teid, seq = 0 }, OCTETS + 1, nil
  if flags & 0xf0 ~= VERSION_1 then return nil, "unsupported" end
  if last > #octets then return nil, "truncated" end
  if flags & 7 == 0 then return head, at, last end
  if last < LONG_OCTETS then return nil, "malformed" end
  if flags & HAS_SEQ ~= 0 then head.seq = (">I2"):unpack(octets, OCTETS + 1) end
  at = LONG_OCTETS + 1
  if flags & 4 ~= 0 then at, word = behind_extensions(octets, last) end
  if not at then return nil, word end
  return head, at, last
end

local TEID, SEQ = format.number(4), format.number(2)

function gtp.message(number, message, elements)
  return (">BBI2"):pack(VERSION_1 | HAS_SEQ, number, #elements + LONG_OCTETS - OCTETS)
    .. TEID.write(message.teid, "teid") .. SEQ.write(message.seq, "seq") .. "\0\0" .. elements
end

-- Causes of requests with wrong elements (§11.1).
local FAULTS = { [format.TRUNCATED] = 193, [format.MALFORMED] = 201, [format.MISSING] = 202 }

function gtp.decode(kinds, octets)
  local head, at, last = gtp.header(octets)
  if not head then return nil, at end
  local kind = kinds[head.type]
  if not kind then return nil, "unsupported" end
  local m = { type = kind.type, teid = head.teid, seq = head.seq }
  local message, word, fault = format.decode(kind.message, octets, at, last, m)
  if message then return message end
  return nil, word, { type = m.type, teid = m.teid, seq = m.seq, fault = FAULTS[fault], teid_control = m.teid_control,
    control = m.control, cause = m.cause }
end

-- --- elements ---

-- Octets of the values of types below 128, which have no length (table 37). Other such types hide what is behind them.
local FIXED = { [1] = 1, [2] = 8, [3] = 6, [4] = 4, [5] = 4, [8] = 1, [9] = 28, [11] = 1, [12] = 3, [13] = 1, [14] = 1,
  [15] = 1, [16] = 4, [17] = 4, [18] = 5, [19] = 1, [20] = 1, [21] = 1, [22] = 9, [23] = 1, [24] = 1, [25] = 2,
  [26] = 2, [27] = 2, [28] = 2, [29] = 1, [127] = 4 }
local EXTENSION_TYPES <const> = 141 -- with a length of one octet

local long, short = format.tlv(2), format.tlv(1)

local function split_fixed(octets, at, last)
  local tag = octets:byte(at)
  local count = FIXED[tag]
  if not count then return nil end
  if at + count > last then format.fail(format.TRUNCATED) end
  return tag, at + 1, at + count
end

gtp.ELEMENTS = { split = function(octets, at, last)
  local tag = octets:byte(at)
  if tag < 128 then return split_fixed(octets, at, last) end
  return (tag == EXTENSION_TYPES and short or long).split(octets, at, last)
end, join = function(tag, octets)
  if tag < 128 then return string.char(tag) .. octets end
  return long.join(tag, octets)
end }

-- --- values ---

gtp.imsi = format.digits(6, 15, { octets = 8 }) -- 7.7.2; TS 23.003 §2.2

gtp.IP_TYPES = { [0x21] = "ipv4", [0x57] = "ipv6", [0x8d] = "ipv4v6" } -- PDP types of the IETF (7.7.27)

-- No octets: the address is dynamic.
function gtp.addresses(kind, octets)
  local count = #octets
  local is_both, text = kind == "ipv4v6", ip_network.text
  if count == 0 then return end
  if count == 4 and kind ~= "ipv6" then return text(octets) end
  if count == 16 and kind ~= "ipv4" then return nil, text(octets) end
  if count ~= 20 or not is_both then format.fail() end
  return text(octets:sub(1, 4)), text(octets:sub(5))
end

local APN_CHARS <const>, LABEL_CHARS <const> = 100, 63

-- Labels behind their lengths, as text with dots (TS 23.003 §9.1).
gtp.apn = { read = function(octets, at, last)
  local labels = {}
  if last - at > APN_CHARS then format.fail() end
  while at <= last do
    local count = octets:byte(at)
    local label = octets:sub(at + 1, math.min(last, at + count))
    if count == 0 or count > LABEL_CHARS or #label < count or label:find("[^!-~]") or label:find(".", 1, true) then
      format.fail()
    end
    labels[#labels + 1], at = label, at + 1 + count
  end
  return labels[1] and table.concat(labels, "."), at
end, write = function(value, name)
  if value == nil or value == "" then return "" end
  if type(value) ~= "string" or #value > APN_CHARS then
    format.refuse(name, "must be at most %d characters", APN_CHARS)
  end
  return ((value .. "."):gsub("([^.]*)%.", function(label)
    if label == "" or #label > LABEL_CHARS then
      format.refuse(name, "wrong value, labels have 1 to %d characters", LABEL_CHARS)
    end
    return ("s1"):pack(label)
  end))
end }

-- An international E.164 number: its kind, then digits (7.7.47; TS 29.002 §17.7.8).
local INTERNATIONAL <const> = "\x91"
local E164 = format.digits(1, 15)

gtp.number = { read = function(octets, at, last) return (format.decode(E164, octets, at + 1, last)), last + 1 end,
  write = function(value, name) return INTERNATIONAL .. E164.write(value, name) end }

-- A mobile identity that is an IMEI, of type 2 with 15 digits, or an IMEISV, of type 3 with 16 (TS 24.008 §10.5.1.4).
gtp.equipment = { read = function(octets, at, last)
  local nibbles = last - at < 9 and format.nibbles(octets:sub(at, last)) or ""
  local imei, imeisv = nibbles:match("^a(%d+)$"), nibbles:match("^3(%d+)f$")
  if not (imei and #imei == 15 or imeisv and #imeisv == 16) then format.fail() end
  return imei or imeisv, last + 1
end, write = function(value, name)
  if type(value) ~= "string" or not value:find("^%d+$") or #value ~= 15 and #value ~= 16 then
    format.refuse(name, "wrong value, must be 15 or 16 digits")
  end
  return format.of_nibbles(#value == 15 and "a" .. value or "3" .. value .. "f")
end }

return gtp
