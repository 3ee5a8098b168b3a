-- SPDX-License-Identifier: BSD-3-Clause
-- GTPv1-C messages between SGSNs (TS 29.060 §7.5.1 to §7.5.5): a mobile's identity and contexts of the SGSN where it
-- was; and RAN Information Relay (§7.5.14.1), which takes PDUs of RIM to another SGSN or an MME. wire.gtpc has decode()
-- and encode(), and what they return.
--
-- A message is { type =, teid = of the header (the receiver's, 0 in requests), seq = } and elements: those that it must
-- have (M), has if it accepts (A), or may have. Others are skipped when decoding, and an error when encoding. rai,
-- signature, drx, keys and vectors are octets. Causes and states are not tested. gtp_mobility.MESSAGES: rows of names,
-- for tests.
--
--   identification_request   rai M, p_tmsi M, a number; signature, control, hop_counter
--   identification_response  cause M, imsi A; triplets or quintuplets
--   context_request          rai M, teid_control M, control M; one of tlli, p_tmsi (numbers) and imsi, with
--                            ms_validated = true the last; signature, control_other, sgsn_number (digits), rat_type,
--                            hop_counter
--   context_response         cause M, imsi A, teid_control A, control (A when encoding), mm A, contexts,
--                            radio_priority_sms, radio_priorities = { { nsapi =, priority = } ... },
--                            pfis = { { nsapi =, pfi = } ... }, charging, prioritized = true (contexts stand in that
--                            order), radio_priority_lcs
--   context_acknowledge      cause M; tunnels = { { nsapi =, teid = } ... } with user, one address for all, or a user
--                            in each of them; sgsn_number
--   ran_information_relay    container M (a PDU of BSSGP); routing_address (octets), discriminator (0 a cell, 1 an
--                            RNC, 2 an eNB: TS 48.018 §11.3.70)
--
-- mm = { mode =, cksn = (or KSI; 7: no key), cipher = (0 none, 1 to 7 GEA/1 to GEA/7; 0 in mode 2), kc = (modes 1, 3),
-- ck =, ik = (0, 2), triplets = (1), quintuplets = (0, 2, 3), drx =, capability =, imeisv = (digits, 15 of an IMEI),
-- access = octets }. triplets = { { rand =, sres =, kc = } ... }, quintuplets = { { rand =, xres =, ck =, ik =,
-- autn = } ... }: at most five.
--
-- contexts = { { nsapi =, sapi =, is_active =, reordering =, vplmn_allowed = (booleans), qos_subscribed =,
-- qos_requested =, qos_negotiated = (octets behind the one of ARP), arp = that of qos_negotiated, arp_subscribed =,
-- arp_requested = (without them arp), sequence_down =, sequence_up =, send_n_pdu =, receive_n_pdu =, teid_control =,
-- teid_data =, control =, user = (the GGSN's), context_id =, pdp_type = ("ipv4", "ipv6", "ipv4v6", "non_ip"; decoded
-- also nil, another one), ipv4 =, ipv6 =, apn =, ti = (with the flag, 0 to 15), ti_extension = } ... }.
local format = require "wire.format"
local gtp = require "wire.gtp"

local number, octets, rest, counted = format.number, format.octets, format.rest, format.counted
local struct, members, sent = format.struct, format.members, format.sent
local u8, u16, u32, address, any = number(1), number(2), number(4), format.address(), rest(0, 255)

local VECTORS <const>, CONTEXTS <const>, MOST_OCTETS <const> = 5, 11, 12288

-- --- parts of elements ---

local function has_nsapi(value) return value.nsapi ~= nil and value.nsapi >= 5 and value.nsapi <= 15 end
local NSAPI <const> = "the NSAPI must be 5 to 15"

-- An octet that begins or ends with an NSAPI.
local function of_nsapi(rows) return sent(struct(rows), has_nsapi, NSAPI) end

local low_nsapi = { format.bits(1, { { bits = 4, spare = 0 }, { "nsapi", 4 } }) }
local tunnel = of_nsapi { low_nsapi, { "teid", u32 } } -- 7.7.15
local priority = of_nsapi { { format.bits(1, { { "nsapi", 4 }, { bits = 1, spare = 0 }, { "priority", 3 } }) } }
local flow = of_nsapi { low_nsapi, { "pfi", u8 } }

local function is_area(rai)
  return format.nibbles(rai:sub(1, 3)):find("^%d%d%d[%df]%d%d$") ~= nil
end

local rai = format.only(octets(6), is_area, "must be digits of a network, and an area") -- 7.7.3

local triplet = struct { { "rand", octets(16) }, { "sres", octets(4) }, { "kc", octets(8) } } -- 7.7.7
local quintuplet = struct { { "rand", octets(16) }, { "xres", counted(1, rest(4, 16)) }, { "ck", octets(16) },
  { "ik", octets(16) }, { "autn", counted(1, octets(16)) } } -- 7.7.35

-- --- MM context (7.7.28) ---

local UMTS <const>, CIPHER_NONE <const>, IDENTITY <const> = 2, 7, 0x23

local KC = members { { "kc", octets(8) } }
local CK_IK = members { { "ck", octets(16) }, { "ik", octets(16) } }

-- By mode: which keys are in use, and what the vectors are. Those without a length of their own are as many as the
-- head says.
local SECURITY = {
  [0] = { keys = CK_IK, name = "quintuplets" }, -- with the cipher of GPRS
  { keys = KC, name = "triplets" },
  { keys = CK_IK, name = "quintuplets" },
  { keys = KC, name = "quintuplets" },
}
local OTHER = { triplets = "quintuplets", quintuplets = "triplets" }
local TRIPLETS, QUINTUPLETS = format.list(triplet, VECTORS), counted(2, format.list(quintuplet, VECTORS))
local TRIPLET_OCTETS <const> = 28

local function security_of(mm)
  return SECURITY[mm.mode or 0] or format.refuse("mode", "wrong value, must be 0 .. 3")
end

local function vectors_of(mm)
  local name = security_of(mm).name
  local others = mm[OTHER[name]]
  if others and #format.list_of(others, OTHER[name], VECTORS) > 0 then
    format.refuse(OTHER[name], "mode %d has other vectors", mm.mode or 0)
  end
  return format.list_of(mm[name] or {}, name, VECTORS)
end

local mm_head = format.bits(2, { { bits = 5, spare = 0x1f }, { "cksn", 3 }, { "mode", 2 },
  { "count", 3, of = function(mm) return #vectors_of(mm) end },
  { "cipher", 3, of = function(mm) return mm.mode == UMTS and CIPHER_NONE or mm.cipher or 0 end } })

local function read_vectors(s, at, last, mm)
  if security_of(mm).name == "quintuplets" then return QUINTUPLETS.read(s, at, last) end
  local to = at + mm.count * TRIPLET_OCTETS - 1
  if to > last then format.fail() end
  return TRIPLETS.read(s, at, to)
end

local vectors = { read = function(s, at, last, mm)
  local list, after = read_vectors(s, at, last, mm)
  if #list ~= mm.count then format.fail() end
  mm[security_of(mm).name], mm.count = list, nil
  if mm.mode == UMTS then mm.cipher = 0 end
  return nil, after
end, write = function(_, _, mm)
  local name = security_of(mm).name
  return (name == "triplets" and TRIPLETS or QUINTUPLETS).write(mm[name], name)
end }

-- Elements of GMM, of which the identity is kept, if it can be read.
local identity = format.elements(format.tlv(1), { { "imeisv", IDENTITY, gtp.equipment } },
  { skipped = function() end })
local container = { read = function(s, at, last, mm)
  format.decode(identity, s, at, last, mm)
  return nil, last + 1
end, write = identity.write }

local function is_there(value) return value ~= nil and value ~= "" end

local mm_context = struct {
  { mm_head }, { format.chosen_by(function(mm) return security_of(mm).keys end) }, { vectors }, { "drx", octets(2) },
  { "capability", counted(1, sent(any, is_there, "must be there")) },
  { format.trailing(counted(2, container)) }, { "access", format.trailing(counted(1, any)) },
}

-- --- PDP context (7.7.29) ---

-- `address`: that of the mobile. The second type of "ipv4v6" stands at the end, with an address of its own.
local TYPES = {
  ipv4 = { number = 0xf121, address = "ipv4" },
  ipv6 = { number = 0xf157, address = "ipv6" },
  ipv4v6 = { number = 0xf121, address = "ipv4", is_extended = true },
  non_ip = { number = 0xf002, address = "ipv4" },
}
local IETF <const>, NON_IP <const>, IPV6 <const> = 1, 2, 0x57
local LENGTHS = { ipv4 = 4, ipv6 = 16 }
local lv, maybe_address = counted(1, any), format.address(true)

-- The address of the mobile, behind its length; none if it is dynamic.
local function write_address(context, name)
  local written = maybe_address.write(context[name], name)
  if written ~= "" and #written ~= LENGTHS[name] then format.refuse(name, "wrong value, of another IP version") end
  return ("s1"):pack(written)
end

local function type_of(context)
  local kind = context.pdp_type
  if type(kind) ~= "string" then format.refuse("pdp_type", "must be a string") end
  return TYPES[kind] or format.refuse("pdp_type", "unknown word '%s'", kind)
end

local function take_addresses(context, word, value)
  local ipv4, ipv6 = gtp.addresses(word, value or "")
  context.ipv4, context.ipv6 = ipv4 or context.ipv4, ipv6 or context.ipv6
end

-- The type, and the address of the mobile.
local mobile = { read = function(s, at, last, context)
  local kind = u16.read(s, at, last)
  local value, after = lv.read(s, at + 2, last)
  local is_ietf = kind >> 8 & 15 == IETF
  context.pdp_type = is_ietf and gtp.IP_TYPES[kind & 0xff] or not is_ietf and kind & 0xff == NON_IP and "non_ip" or nil
  if is_ietf and context.pdp_type then take_addresses(context, context.pdp_type, value) end
  return nil, after
end, write = function(_, _, context)
  local kind = type_of(context)
  for name in pairs(LENGTHS) do
    if context[name] and not (kind.address == name and kind ~= TYPES.non_ip or kind.is_extended) then
      format.refuse(name, "wrong value, a context of type %s has none", context.pdp_type)
    end
  end
  return (">I2"):pack(kind.number) .. write_address(context, kind.address)
end }

-- Type and address in the other version.
local extended = { read = function(s, at, last, context)
  local is_extended = context.is_extended
  context.is_extended = nil
  if not is_extended then return nil, at end
  local word = gtp.IP_TYPES[u8.read(s, at, last)]
  local value, after = lv.read(s, at + 1, last)
  if word and context.pdp_type and context.pdp_type ~= "non_ip" then
    if word ~= context.pdp_type then context.pdp_type = "ipv4v6" end
    take_addresses(context, word, value)
  end
  return nil, after
end, write = function(_, _, context)
  if not type_of(context).is_extended then return "" end
  return string.char(IPV6) .. write_address(context, "ipv6")
end }

local function can_be_qos(value) return value ~= nil and (#value == 3 or #value >= 11 and #value < 255) end

-- ARP, and what is behind it (7.7.34).
local function qos(name, arp)
  local value = sent(any, can_be_qos, "must be 3, or 11 to 254 octets")
  return counted(1, { read = function(s, at, last, context)
    context[arp] = at <= last and s:byte(at) or 0
    if at < last then context[name] = value.read(s, at + 1, last) end
    return nil, last + 1
  end, write = function(_, _, context)
    return u8.write(context[arp] or context.arp, arp) .. value.write(context[name], name)
  end })
end

local USER_SAPIS = { [3] = true, [5] = true, [9] = true, [11] = true }

local function is_user_sapi(sapi) return USER_SAPIS[sapi or 0] end

local ggsn = counted(1, sent(maybe_address, is_there, "must be there"))

local pdp_context = format.only(struct {
  { format.bits(1, {
    { "is_extended", 1, is = true, of = function(context) return type_of(context).is_extended end },
    { "vplmn_allowed", 1, is = true }, { "is_active", 1, is = false }, { "reordering", 1, is = true }, { "nsapi", 4 },
  }) },
  { "sapi", sent(number(1, 4), is_user_sapi, "must be 3, 5, 9 or 11") },
  { qos("qos_subscribed", "arp_subscribed") }, { qos("qos_requested", "arp_requested") },
  { qos("qos_negotiated", "arp") },
  { "sequence_down", u16 }, { "sequence_up", u16 }, -- of GTP: of the next T-PDU
  { "send_n_pdu", u8 }, { "receive_n_pdu", u8 }, -- of SNDCP: of the next N-PDU
  { "teid_control", u32 }, { "teid_data", u32 }, { "context_id", u8 },
  { mobile }, { "control", ggsn }, { "user", ggsn }, { "apn", counted(1, gtp.apn) },
  { "ti", number(1, 4) }, { "ti_extension", u8 }, { extended },
}, has_nsapi, NSAPI)

-- --- elements, in the order in which they are sent (7.7) ---

local function is_other_context(list, context)
  for _, one in ipairs(list) do
    if one.nsapi == context.nsapi then return false end
  end
  return true
end

local function has_room(list) return #list < CONTEXTS end

local EMPTY = { read = function(_, _, last) return true, last + 1 end, write = function() return "" end }
local some, radio_priority = rest(1, 65535), number(1, 3, 0xf8)

local ELEMENTS = {
  { "cause", 1, u8 }, -- 7.7.1
  { "imsi", 2, gtp.imsi }, -- 7.7.2
  { "rai", 3, rai }, -- 7.7.3
  { "tlli", 4, u32 }, -- 7.7.4
  { "p_tmsi", 5, u32 }, -- 7.7.5
  { "triplets", 9, triplet, most = VECTORS, unless = "quintuplets" }, -- 7.7.7
  { "signature", 12, octets(3) }, -- 7.7.9
  { "ms_validated", 13, format.flag(1, 0xfe) }, -- 7.7.10
  { "teid_control", 17, u32 }, -- 7.7.14
  { "tunnels", 18, tunnel, most = CONTEXTS }, -- 7.7.15
  { "radio_priority_sms", 23, radio_priority }, -- 7.7.20
  { "radio_priorities", 24, priority, most = CONTEXTS }, -- 7.7.21
  { "pfis", 25, flow, most = CONTEXTS }, -- 7.7.22
  { "charging", 26, u16 }, -- 7.7.23
  { "mm", 129, mm_context }, -- 7.7.28
  { "contexts", 130, pdp_context, most = CONTEXTS, keep = is_other_context }, -- 7.7.29
  { "control", 133, address }, -- 7.7.32
  { "control_other", 133, address },
  { "users", 133, address, most = CONTEXTS, keep = has_room },
  { "quintuplets", 136, quintuplet, most = VECTORS, unless = "triplets" }, -- 7.7.35
  { "container", 144, some }, -- 7.7.43
  { "prioritized", 145, EMPTY }, -- 7.7.45
  { "sgsn_number", 147, gtp.number }, -- 7.7.47
  { "radio_priority_lcs", 150, radio_priority }, -- 7.7.25B
  { "rat_type", 151, u8 }, -- 7.7.50
  { "routing_address", 158, some }, -- 7.7.57
  { "hop_counter", 163, u8 }, -- 7.7.63
  { "discriminator", 178, number(1, 4) }, -- 7.7.77
}

-- --- messages ---

-- Elements that a message must have, also if it refuses; that it may have; that an accepting one must have, too.
local MESSAGES = {
  { 48, "identification_request", "rai p_tmsi", "signature control hop_counter", "" },
  { 49, "identification_response", "cause", "triplets quintuplets", "imsi" },
  { 50, "context_request", "rai teid_control control", "imsi tlli p_tmsi signature ms_validated control_other "
    .. "sgsn_number rat_type hop_counter", "" },
  { 51, "context_response", "cause", "radio_priority_sms radio_priorities pfis charging contexts control "
    .. "prioritized radio_priority_lcs", "imsi teid_control mm" },
  { 52, "context_acknowledge", "cause", "tunnels users sgsn_number", "" },
  { 70, "ran_information_relay", "container", "routing_address discriminator", "" },
}

local NAMES, MOST = { user = true }, {} -- fields that are elements, and lists
for _, element in ipairs(ELEMENTS) do NAMES[element[1]], MOST[element[1]] = true, element.most end

local function words_of(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

local function kind_of(row)
  local kind = { number = row[1], type = row[2], must = words_of(row[3]), allowed = {} }
  kind.accepting = words_of(row[3] .. " " .. row[5])
  for _, name in ipairs(words_of(table.concat(row, " ", 3))) do kind.allowed[name] = true end
  local rows = {}
  for _, element in ipairs(ELEMENTS) do
    if kind.allowed[element[1]] then rows[#rows + 1] = element end
  end
  kind.elements = format.elements(gtp.ELEMENTS, rows)
  return kind
end

local function is_accepting(m)
  return math.type(m.cause) == "integer" and m.cause >= 128 and m.cause < 192
end

-- The name of an element that the message lacks; nil: it has all.
local function missing(kind, m)
  for _, name in ipairs(is_accepting(m) and kind.accepting or kind.must) do
    if m[name] == nil then return name end
  end
  if kind.type == "context_request" then
    if not (m.imsi or m.tlli or m.p_tmsi) then return "tlli" end
    if m.ms_validated and not m.imsi then return "imsi" end
  end
  return m.tunnels and #m.tunnels > 0 and not m.users and "user" or nil
end

-- Addresses for user data: one for all tunnels is the message's, others are those of their tunnels.
local function settle(m)
  local users, tunnels = m.users or {}, m.tunnels or {}
  if #users > 1 and #users < #tunnels then format.fail() end
  if #users == 1 or #tunnels < 2 then
    m.user = users[1]
    return
  end
  for i, one in ipairs(tunnels) do one.user = users[i] end
end

-- A list for elements: of one, or of as many as there are tunnels; nil.
local function unsettled(m)
  local users = {}
  for _, one in ipairs(m.tunnels or {}) do users[#users + 1] = type(one) == "table" and one.user or nil end
  if #users > 0 and (m.user or #users < #m.tunnels) then
    format.refuse("user", "must be one for all tunnels, or one of each")
  end
  users[1] = users[1] or m.user
  return users[1] and users
end

local function message_format(kind)
  return { read = function(s, at, last, m)
    kind.elements.read(s, at, last, m)
    settle(m)
    if missing(kind, m) then format.fail(format.MISSING) end
    m.users = nil
    return m
  end }
end

local kinds = {} -- by number and by type
for _, row in ipairs(MESSAGES) do
  local kind = kind_of(row)
  kind.message = message_format(kind)
  kinds[kind.number], kinds[kind.type] = kind, kind
end

-- --- to octets and back ---

local gtp_mobility = { MESSAGES = MESSAGES }

function gtp_mobility.has(number_or_type)
  return kinds[number_or_type] ~= nil
end

function gtp_mobility.decode(octets_of_udp)
  return gtp.decode(kinds, octets_of_udp)
end

-- The elements of a message, of which those of other messages are refused. An empty list is not sent, nor is a false
-- `prioritized`.
local function elements_of(kind, message)
  local m = {}
  for name, value in next, message do
    local most = MOST[name]
    if NAMES[name] and not kind.allowed[name == "user" and "users" or name] then
      format.refuse(name, "is not allowed in this message")
    end
    if not most or #format.list_of(value, name, most) > 0 then m[name] = value end
  end
  m.prioritized, m.users, m.user = m.prioritized or nil, unsettled(m), nil
  return m
end

-- Refuses elements that are missing, or contradict each other.
local function check(kind, m)
  local lacks = missing(kind, m) or kind.type == "context_response" and is_accepting(m) and not m.control and "control"
  if lacks then format.refuse(lacks, "is missing") end
  if m.triplets and m.quintuplets then format.refuse("triplets", "wrong value, there are quintuplets") end
  local seen = {}
  for _, context in ipairs(m.contexts or {}) do
    local nsapi = type(context) == "table" and context.nsapi or 0
    if seen[nsapi] then format.refuse("contexts", "wrong value, two have NSAPI %s", nsapi) end
    seen[nsapi] = true
  end
end

-- Raises an error "context_response: field 'imsi': ..." for what cannot be encoded.
function gtp_mobility.encode(message)
  local kind = kinds[message.type]
  local m = elements_of(kind, message)
  check(kind, m)
  local s = gtp.message(kind.number, m, format.encode(kind.elements, m))
  if #s > MOST_OCTETS then error("is too large", 0) end
  return s
end

return gtp_mobility
