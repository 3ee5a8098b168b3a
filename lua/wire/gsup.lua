-- SPDX-License-Identifier: BSD-3-Clause
-- GSUP, the protocol between an SGSN and OsmoHLR, and IPA, which carries it over TCP (manual of OsmoHLR, chapters
-- "Generic Subscriber Update Protocol" and "IPA").
--
--   gsup.decode(octets)          a message, from its type on: { type = number, message = its name, imsi =, tuples = {},
--                                pdp_infos = {}, skipped = names, and the other elements that it has }. Without
--                                `message` its type is unknown; with `error`, a word, it is cut, and has the elements
--                                before the cut. Without an IMSI: nil, a word, the type
--   gsup.encode(message)         its octets; of one without `message`, by `type`. An error names what has no place
--   gsup.ipa(stream, octets)     octets behind their header
--   gsup.ipa_split(octets, at)   the stream and the octets of the message that begins at `at`, and where the next one
--                                begins; nil: it is not complete
--   gsup.ELEMENTS                rows of a message (0) and, by their tags, of the elements that hold elements
--   gsup.NAMES                   of messages, by their types
--
-- Unknown elements are skipped, and so are known ones without a value of their length: `skipped` has the names of the
-- first eight, "tuple_rand" of a tuple's. Of repeated ones the first that can be read counts. The IMSI may stand
-- anywhere.

local format = require "wire.format"

local gsup = {}

local TUPLES <const>, PDP_INFOS <const>, SKIPS <const>, LONGEST <const> = 5, 10, 8, 255

-- --- types: the lower two bits are 0 in a request, 1 in its error, 2 in its result

gsup.NAMES = { [0x0b] = "auth_failure_report", [0x4e] = "routing_error" }
local TYPES = {}

for type, name in pairs { [0x04] = "update_location", [0x08] = "auth_info", [0x0c] = "purge", [0x10] = "insert_data",
  [0x14] = "delete_data", [0x1c] = "cancel", [0x24] = "mo_forward_sm", [0x28] = "mt_forward_sm",
  [0x2c] = "ready_for_sm", [0x30] = "check_imei" } do
  for i, kind in ipairs { "_request", "_error", "_result" } do gsup.NAMES[type + i - 1] = name .. kind end
end
for type, name in pairs(gsup.NAMES) do TYPES[name] = type end

-- --- values: formats whose octets are least .. most; read() returns nil for those that have no value

-- All octets of an element, which may be none.
local function span(least, most)
  most = most or LONGEST
  return { least = least, most = most, read = string.sub, write = format.rest(least, most).write }
end

local number = { least = 1, most = 1, read = string.byte, write = format.number(1).write }

local digits = format.digits(6, 15, { is_strict = true })
local imsi = { least = 3, most = 8, write = digits.write,
  read = function(s, at, last) return (format.decode(digits, s, at, last)) end }

-- --- elements: a tag, a length of one octet, a value

-- Rows by tags, with the members that reading needs. list_most: a list, which is there, takes so many elements; told:
-- the name of one that is skipped.
local function index_of(rows, prefix)
  local by_tag = {}
  for _, row in ipairs(rows) do
    local inner = row[3]
    by_tag[row[2]] = { name = row[1], told = prefix .. row[1], list_most = row.most, least = inner.least,
      most = inner.most, read = inner.read }
  end
  return by_tag
end

local function note(skipped, name)
  if #skipped < SKIPS then skipped[#skipped + 1] = name end
end

-- A function that reads elements into `out`, and returns the name of one that reaches over the end. An answer with five
-- vectors has 37 of them, and one loop reads it in half the instructions of format.elements().
local function reader(rows, prefix)
  local by_tag = index_of(rows, prefix)
  return function(s, at, last, out, skipped)
    while at <= last do
      local tag, count = s:byte(at, at + 1)
      local from, row = at + 2, by_tag[tag]
      at = from + (count or LONGEST)
      if at > last + 1 then return row and row.told or prefix .. "other" end
      local known = row and out[row.name]
      if row and (not known or row.list_most and #known < row.list_most) then
        local value = count >= row.least and count <= row.most and row.read(s, from, at - 1, skipped)
        if not value then
          note(skipped, row.told)
        elseif row.list_most then
          known[#known + 1] = value
        else
          out[row.name] = value
        end
      end
    end
  end
end

local form = format.tlv(1)

-- An element that holds elements. One that reaches over its end is skipped.
local function part(rows, prefix)
  local elements, octets, read_elements = format.elements(form, rows), span(0), reader(rows, prefix)
  return { least = 0, most = LONGEST, read = function(s, at, last, skipped)
    local out = {}
    local cut = read_elements(s, at, last, out, skipped)
    if cut then note(skipped, cut) end
    return out
  end, write = function(value, name) return octets.write(elements.write(nil, name, value), name) end }
end

-- An authentication vector: RAND, SRES and Kc; of UMTS, IK, CK, AUTN and RES, too.
local TUPLE = {
  { "rand", 0x20, span(16, 16) }, { "sres", 0x21, span(4, 4) }, { "kc", 0x22, span(8, 8) },
  { "ik", 0x23, span(16, 16) }, { "ck", 0x24, span(16, 16) }, { "autn", 0x25, span(16, 16) },
  { "res", 0x27, span(4, 16) },
}

local PDP_INFO = {
  { "id", 0x10, number }, { "type", 0x11, span(2) }, { "apn", 0x12, span(1) }, { "qos", 0x13, span(0) },
  { "charging", 0x14, span(2) },
}

-- In the order in which a message has them, which is that of OsmoHLR and its clients. Addresses of sm_rp_da and
-- sm_rp_oa begin with 1 (IMSI), 2 (MSISDN), 3 (service centre) or 0xff (none).
local MESSAGE = {
  { "imsi", 0x01, imsi, must = true }, { "msisdn", 0x08, span(1) }, { "hlr_number", 0x09, span(1) },
  { "cause", 0x02, number }, { "cancel_type", 0x06, number }, { "pdp_complete", 0x04, span(0) },
  { "freeze_p_tmsi", 0x07, span(0) }, { "context_id", 0x10, number },
  { "pdp_infos", 0x05, part(PDP_INFO, "pdp_info_"), most = PDP_INFOS },
  { "tuples", 0x03, part(TUPLE, "tuple_"), most = TUPLES },
  { "vectors", 0x52, number }, { "auts", 0x26, span(14, 14) }, { "rand", 0x20, span(16, 16) },
  { "domain", 0x28, number }, { "charging", 0x14, span(2) }, { "sm_rp_mr", 0x40, number },
  { "sm_rp_da", 0x41, span(1) }, { "sm_rp_oa", 0x42, span(1) }, { "sm_rp_ui", 0x43, span(0) },
  { "sm_rp_mms", 0x45, number }, { "sm_rp_cause", 0x44, number }, { "sm_alert_reason", 0x46, number },
  { "imei", 0x50, span(1) }, { "imei_result", 0x51, number }, { "source_name", 0x60, span(1) },
  { "destination_name", 0x61, span(1) }, { "rat_types", 0x2a, span(1) },
}
local message_elements, read_message = format.elements(form, MESSAGE), reader(MESSAGE, "")

gsup.ELEMENTS = { [0] = MESSAGE, [0x03] = TUPLE, [0x05] = PDP_INFO }

-- --- messages

function gsup.decode(octets)
  local type = octets:byte() or 0
  local message = { type = type, message = gsup.NAMES[type], tuples = {}, pdp_infos = {}, skipped = {} }
  local cut = read_message(octets, 2, #octets, message, message.skipped)
  message.error = cut and "truncated"
  if message.imsi then return message end
  return nil, message.error or "malformed", type
end

function gsup.encode(message)
  local name = message.message
  local type = TYPES[name]
  if name == nil then type = message.type or format.refuse("type", "is missing") end
  if not type then format.refuse("message", "no message of GSUP is '%s'", name) end
  return number.write(type, "type") .. message_elements.write(nil, "message", message)
end

-- --- IPA: the length of the message, its stream, the message

local IPA_HEADER <const> = 3

function gsup.ipa(stream, octets)
  return string.pack(">I2B", #octets, stream) .. octets
end

function gsup.ipa_split(octets, at)
  if #octets - at + 1 < IPA_HEADER then return nil end
  local count, stream = string.unpack(">I2B", octets, at)
  local next_at = at + IPA_HEADER + count
  if next_at > #octets + 1 then return nil end
  return stream, octets:sub(at + IPA_HEADER, next_at - 1), next_at
end

return gsup
