-- SPDX-License-Identifier: BSD-3-Clause
-- A phone: a table whose class reads and writes some fields as list items, and texts of these as integers. Many phones
-- are to fit: a list item takes 16 octets, another field 24 to 48. A text takes 40, and Lua, when its table of all
-- short strings is full, doubles that at once.
--
--   local phone = gmm_phone.new(class, mobile, tlli, cell)   class: gmm_phone.class_of(phones);
--                                                            cell: { nsei =, bvci = }
--   gmm_phone.copier_of(fields)      -> copy(phone), which returns a table of these of its fields
--   gmm_phone.is_served(phone)       it is registered here, and no other SGSN has it since
--   gmm_phone.is_away(phone)         another SGSN has it, and it is not proven that it is back
--   gmm_phone.post_end(run, phone, event, arg)   an event of the machine that ends the phone: one that is away has
--                                    nothing to end here

local tables = require "base.tables"

local gmm_phone = {}

local function same(value)
  return value
end

-- Octets of the usual number as an integer; others stay a string.
local function as_integer(form, count)
  return function(octets) return octets and #octets == count and form:unpack(octets) or octets end,
    function(value) return math.type(value) and form:pack(value) or value end
end

local KINDS <const> = { digits = { tables.from_digits, tables.to_digits }, signature = { as_integer(">I3", 3) },
  key = { as_integer("<i8", 8) }, value = { same, same } }
local ITEMS <const> = { { "imsi", "digits" }, { "known", "digits" }, { "vectors_of", "digits" }, { "msisdn", "digits" },
  { "imeisv", "digits" }, { "signature", "signature" }, { "key", "key" }, { "capability", "value" },
  { "is_r99", "value" }, { "algorithm", "value" }, { "area", "value" }, { "cksn", "value" },
  { "reference", "value" }, { "requests_whole_at", "value" }, { "tlli_first", "value" }, { "heard_at", "value" },
  { "p_tmsi_left", "value" }, { "located_at", "value" }, { "drx", "value" } }
local PLACES <const>, INTO <const>, FROM <const> = {}, {}, {}
for place, item in ipairs(ITEMS) do
  PLACES[item[1]], INTO[place], FROM[place] = place, KINDS[item[2]][1], KINDS[item[2]][2]
end

-- An item that is false is nil.
function gmm_phone.class_of(p)
  return {
    __index = function(phone, field)
      local place = PLACES[field]
      if place then return phone[place] and FROM[place](phone[place]) or nil end
      return field == "phones" and p or nil
    end,
    __newindex = function(phone, field, value)
      local place = PLACES[field]
      if place then
        phone[place] = value and INTO[place](value) or false
      else
        rawset(phone, field, value)
      end
    end,
  }
end

-- The fields that are nil have their room from the start: sixteen.
function gmm_phone.new(class, mobile, tlli, cell)
  return setmetatable({ false, false, false, false, false, false, false, false, false, false, false, false, false,
    false, tlli, false, false, false, false, mobile = mobile, tlli = tlli, nsei = cell.nsei, bvci = cell.bvci,
    contexts = {}, fsm = nil, p_tmsi = nil, p_tmsi_new = nil, was_registered = nil, pending = nil, accept = nil,
    open_at = nil, vectors = nil, subscribed = nil, sms = nil, standby = nil }, class)
end

-- By the entries that a phone has: most of its fields are empty.
function gmm_phone.copier_of(fields)
  local names, from = {}, {}
  for _, field in ipairs(fields) do
    local key = PLACES[field] or field
    names[key], from[key] = field, FROM[key] or same
  end
  return function(phone)
    local copied = {}
    for key, value in next, phone do
      local name = names[key]
      if name and value then copied[name] = from[key](value) end
    end
    return copied
  end
end

function gmm_phone.is_served(phone)
  return phone.was_registered and not phone.has_left
end

function gmm_phone.is_away(phone)
  return phone.has_left and not (phone.pending and phone.pending.is_authentic)
end

function gmm_phone.post_end(run, phone, event, arg)
  if not gmm_phone.is_away(phone) then run:post(phone.fsm, event, arg) end
end

return gmm_phone
