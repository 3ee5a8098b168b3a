-- SPDX-License-Identifier: BSD-3-Clause
-- GTPv1-C messages about PDP contexts and paths (TS 29.060 §7.2, §7.3.1 to §7.3.6). wire.gtpc has decode() and
-- encode(), and what they return.
--
-- A message is { type =, teid = of the header (the receiver's, 0 in the first Create Request), seq = } and elements, of
-- which MESSAGES below says what it must have: cause, recovery, nsapi, linked_nsapi (the second NSAPI), teid_data,
-- teid_control, arp: numbers; teardown, a boolean; imsi, digits; control, user and control_other, the addresses of a
-- GSN, the last one that for signalling in the other IP version; pdp_type = "ipv4", "ipv6", "ipv4v6" or "non_ip" with
-- user_ipv4 and user_ipv6; pco, tft and qos, octets, of qos those behind the one of ARP; common_flags = {
-- dual_address =, uncompressed = }, booleans. Addresses are texts.
--
-- Read alone: class, the traffic class of qos; charging_id; has_wrong_option: options that are longer than a phone's,
-- or an address of an unknown type, were skipped; unknown_type, organisation and number of that type in hex. Written
-- alone: selection, rat_type, charging, numbers; apn, a text; msisdn and imeisv, digits; cell, the eight octets of its
-- identity; zone, quarters of an hour east of Greenwich, times 4, and hours of daylight saving time. Of repeated
-- elements the first counts, unknown ones are skipped. Causes and states are not tested. gtp_sessions.ELEMENTS: their
-- rows, for tests.
local format = require "wire.format"
local gb_abqp = require "gb.abqp"
local gtp = require "wire.gtp"

local number, rest, address = format.number, format.rest, format.address()
local u8, u16, u32, nsapi = number(1), number(2), number(4), number(1, 4)

-- --- the address of a mobile (7.7.27) ---

local ORGANISATIONS <const>, ETSI <const>, IETF <const> = 0xf0, 0, 1
local NON_IP <const> = 2
local NUMBERS = { non_ip = NON_IP }
for kind, word in pairs(gtp.IP_TYPES) do NUMBERS[word] = kind end

local maybe_address = format.address(true)

-- Octets of an address in one IP version, which a type may have.
local function address_of(whole, name, octets, other)
  local written = maybe_address.write(whole[name], name)
  if #written > 0 and (#written ~= octets or whole.pdp_type == other or whole.pdp_type == "non_ip") then
    format.refuse(name, "wrong value, an address of type %s has none", whole.pdp_type)
  end
  return written
end

-- false: an unknown type. Without addresses the mobile asks for one.
local end_user = { read = function(s, at, last, into)
  if last <= at then format.fail() end
  local organisation, kind = s:byte(at, at + 1)
  if organisation & 15 ~= IETF and kind == NON_IP then return "non_ip" end
  local word = organisation & 15 == IETF and gtp.IP_TYPES[kind]
  if not word then
    into.has_wrong_option, into.unknown_type = true, ("%02x%02x"):format(organisation, kind)
    return false
  end
  into.user_ipv4, into.user_ipv6 = gtp.addresses(word, s:sub(at + 2, last))
  return word
end, write = function(value, name, whole)
  local kind = NUMBERS[value] or format.refuse(name, "unknown word '%s'", value)
  return string.char(ORGANISATIONS | (kind == NON_IP and ETSI or IETF), kind)
    .. address_of(whole, "user_ipv4", 4, "ipv6") .. address_of(whole, "user_ipv6", 16, "ipv4")
end }

-- --- other values ---

-- Behind the octet of ARP (7.7.34).
local qos_octets = rest(0, 254)
local qos = { read = function(s, at, last, into)
  if at > last then format.fail() end
  local value = s:sub(at + 1, last)
  into.arp, into.class = s:byte(at), gb_abqp.class_told(value)
  return value
end, write = function(value, name, whole) return u8.write(whole.arp, "arp") .. qos_octets.write(value, name) end }

-- Octets that are not read here. None count as no element, and so do more than a phone's have.
local function options(most)
  return { read = function(s, at, last, into)
    if last - at >= most then
      into.has_wrong_option = true
      return nil
    end
    return at <= last and s:sub(at, last) or nil
  end, write = rest(0, 255).write }
end

-- Of the bits of Common Flags (7.7.48) those that concern contexts of a phone; the others are sent as 0.
local flags = format.struct { { format.bits(1, { { "dual_address", 1, is = true }, { bits = 6, spare = 0 },
  { "uncompressed", 1, is = true } }) } } -- Prohibit Payload Compression

-- Without an octet it counts as absent: a wrong optional element of a response is ignored (11.1).
local common_flags = { read = function(s, at, last)
  return at <= last and flags.read(s, at, last) or nil
end, write = flags.write }

local apn = format.sent(gtp.apn, function(value) return value ~= "" end, "must not be empty")
local MOST_PCO <const>, MOST_TFT <const> = 251, 255 -- 24.008 §10.5.6.3, §10.5.6.12

local function cell_of(value, name)
  local is_cell = type(value) == "string" and #value == 8
  if not is_cell or not format.nibbles(value:sub(1, 3)):find("^%d%d%d[%df]%d%d$") then
    format.refuse(name, "must be a Cell Identifier of 8 octets")
  end
  return value
end

-- The GGSN learns the network: LAC and RAC have fixed values (7.3.1).
local ANY_AREA <const> = "\xff\xfe\xff"
local routeing_area = { write = function(value, name) return cell_of(value, name):sub(1, 3) .. ANY_AREA end }

-- The kind of the location, and the cell without its routeing area (7.7.51).
local CGI <const> = "\0"
local location = { write = function(value, name)
  local cell = cell_of(value, name)
  return CGI .. cell:sub(1, 5) .. cell:sub(7)
end }

-- Quarters of an hour in two digits, the tens in the lower half with the sign above them, and hours of daylight saving
-- time (7.7.52, 24.008 §10.5.3.8).
local MOST_QUARTERS <const>, MOST_HOURS <const>, WEST <const> = 79, 2, 8
local time_zone = { write = function(value, name)
  local is_whole = math.type(value) == "integer"
  local hours = is_whole and value & 3 or 0
  local quarters = is_whole and (value - hours) // 4 or 0
  local east = math.abs(quarters)
  if not is_whole or east > MOST_QUARTERS or hours > MOST_HOURS then
    format.refuse(name, "must be quarters of an hour, at most %d, times 4, and 0 to %d hours", MOST_QUARTERS,
      MOST_HOURS)
  end
  return string.char(east % 10 << 4 | (quarters < 0 and WEST or 0) | east // 10, hours)
end }

-- --- elements, in the order in which they are sent (7.7) ---

-- unread, unwritten: it is skipped.
local ELEMENTS = {
  { "cause", 1, u8 }, -- 7.7.1
  { "imsi", 2, gtp.imsi }, -- 7.7.2
  { "cell", 3, routeing_area, unread = true }, -- 7.7.3
  { "recovery", 14, u8 }, -- 7.7.11
  { "selection", 15, number(1, 2, 0xfc), unread = true }, -- 7.7.12
  { "teid_data", 16, u32 }, -- 7.7.13
  { "teid_control", 17, u32 }, -- 7.7.14
  { "teardown", 19, format.flag(1, 0xfe) }, -- 7.7.16
  { "nsapi", 20, nsapi }, -- 7.7.17
  { "linked_nsapi", 20, nsapi },
  { "charging", 26, u16, unread = true }, -- 7.7.23
  { "charging_id", 127, u32, unwritten = true }, -- 7.7.26
  { "pdp_type", 128, end_user }, -- 7.7.27
  { "apn", 131, apn, unread = true }, -- 7.7.30
  { "pco", 132, options(MOST_PCO) }, -- 7.7.31
  { "control", 133, address }, -- 7.7.32
  { "user", 133, address },
  { "control_other", 133, address },
  { "msisdn", 134, gtp.number, unread = true }, -- 7.7.33
  { "qos", 135, qos }, -- 7.7.34
  { "tft", 137, options(MOST_TFT) }, -- 7.7.36
  { "common_flags", 148, common_flags }, -- 7.7.48
  { "rat_type", 151, u8, unread = true }, -- 7.7.50
  { "cell", 152, location, unread = true }, -- 7.7.51
  { "zone", 153, time_zone, unread = true }, -- 7.7.52
  { "imeisv", 154, format.digits(15, 16), unread = true }, -- 7.7.53
}

-- A format of the elements that some flag does not leave out.
local function elements_but(flag)
  local rows = {}
  for _, row in ipairs(ELEMENTS) do
    if not row[flag] then rows[#rows + 1] = row end
  end
  return format.elements(gtp.ELEMENTS, rows)
end

local read, written = elements_but("unread"), elements_but("unwritten")

-- --- messages ---

-- Elements that a message must have, in either direction: of a GGSN's Update Request no more than the NSAPI is
-- mandatory.
local MESSAGES = {
  { 1, "echo_request" }, { 2, "echo_response", "recovery" }, { 3, "version_not_supported" },
  { 16, "create_request", "teid_data", "nsapi", "control", "user", "qos" }, { 17, "create_response", "cause" },
  { 18, "update_request", "nsapi" }, { 19, "update_response", "cause" },
  { 20, "delete_request", "nsapi" }, { 21, "delete_response", "cause" },
  { 22, "initiate_request", "nsapi" }, { 23, "initiate_response", "cause" },
  { 27, "pdu_notification_request", "imsi", "teid_control" }, { 28, "pdu_notification_response", "cause" },
}

-- The name of an element that the message lacks; nil: it has all.
local function missing(row, m)
  for i = 3, #row do
    if m[row[i]] == nil then return row[i] end
  end
  return nil
end

local function message_format(row)
  return { read = function(s, at, last, m)
    read.read(s, at, last, m)
    m.pdp_type = m.pdp_type or nil
    if missing(row, m) then format.fail(format.MISSING) end
    return m
  end, write = function(m, name)
    local lacks = missing(row, m)
    if lacks then format.refuse(lacks, "is missing") end
    return gtp.message(row[1], m, written.write(nil, name, m))
  end }
end

local kinds = {} -- by number and by type
for _, row in ipairs(MESSAGES) do
  local kind = { type = row[2], message = message_format(row) }
  kinds[row[1]], kinds[row[2]] = kind, kind
end

-- --- to octets and back ---

local gtp_sessions = { ELEMENTS = ELEMENTS }

function gtp_sessions.decode(octets)
  return gtp.decode(kinds, octets)
end

-- Raises an error "field 'imsi': ..." for what cannot be encoded.
function gtp_sessions.encode(message)
  local kind = kinds[message.type] or format.refuse("type", "unknown word '%s'", message.type)
  return format.encode(kind.message, message)
end

return gtp_sessions
