-- SPDX-License-Identifier: BSD-3-Clause
-- Radio elements about a mobile in DL-UNITDATA (48.018 §10.2.1): the values, from the configuration or from the
-- mobile's attach, and those of them that are sent.

local tables = require "base.tables"

local radio = {}

-- Octets around a value on the wire: identifier and length indicator.
local LONG <const> = 127
local ALL_ELEMENTS_OCTETS <const> = 190 -- maximum that the program keeps per mobile
radio.TOLD_OCTETS = 51 -- most of a capability that a phone tells (24.008 §9.4.1)

local NUMBERS <const> = { "service_utran_cco", "spid" }
local TEXTS <const> = { "ra_capability", "drx", "lsa_information" }

local function on_the_wire(octets)
  return octets + (octets > LONG and 3 or 2)
end

-- Octets of a (checked) record's elements in DL-UNITDATA; nil: none.
function radio.octets(record)
  local sum = 0
  for _, name in ipairs(TEXTS) do
    sum = sum + (record and record[name] and on_the_wire(#record[name] // 2) or 0)
  end
  for _, name in ipairs(NUMBERS) do
    sum = sum + (record and record[name] and on_the_wire(1) or 0)
  end
  return sum + (record and record.priority and on_the_wire(1) or 0)
end

function radio.is_small(record)
  return radio.octets(record) <= ALL_ELEMENTS_OCTETS
end

local function check_priority(priority)
  local function bit(is_set, value) return is_set and value or 0 end
  priority.octet = bit(priority.may_preempt, 0x40) | priority.level << 2 | bit(priority.may_queue, 2)
    | bit(priority.may_be_preempted, 1)
end

local function check_record(record, fail)
  for _, name in ipairs(TEXTS) do
    if record[name] and #record[name] % 2 == 1 then
      return fail({ name }, string.format("%d hexadecimal digits are no whole number of octets", #record[name]))
    end
  end
  if not radio.is_small(record) then
    fail({}, string.format("%d octets in DL-UNITDATA: 0 .. %d", radio.octets(record), ALL_ELEMENTS_OCTETS))
  end
end

local function hex(name, min, max, doc)
  local count = min == max and 2 * min or string.format("%d to %d", 2 * min, 2 * max)
  return { name = name, type = "string", max = 2 * max, pattern = "^" .. ("%x"):rep(2 * min) .. "%x*$",
    form = count .. " hexadecimal digits", absent = "not known", doc = doc }
end

local function octet(name, doc)
  return { name = name, type = "integer", min = 0, max = 255, absent = "not known", doc = doc }
end

local function flag(name, default, doc)
  return { name = name, type = "boolean", default = default, doc = doc }
end

local PRIORITY = { name = "priority", type = "record", absent = "not known", noun = "a priority",
  check = check_priority, doc = "Allocation/Retention Priority.", fields = {
    { name = "level", type = "integer", min = 1, max = 14, required = true, doc = "1 is the highest" },
    flag("may_preempt", false, "may preempt other mobiles"),
    flag("may_queue", false, "may be queued"),
    flag("may_be_preempted", false, "may be preempted by other mobiles"),
  } }

-- The field of a mobile, or of all mobiles without their own.
function radio.record(absent)
  return { name = "radio", type = "record", absent = absent, noun = "radio values", check = check_record,
    doc = "Elements of DL-UNITDATA about the mobile, besides its IMSI; up to 190 octets.", fields = {
      hex("ra_capability", 5, 187, "MS Radio Access Capability, the value part of 24.008, in hexadecimal digits"),
      hex("drx", 2, 2, "DRX Parameters, the value part of 24.008: 4 hexadecimal digits"),
      PRIORITY,
      hex("lsa_information", 1, 187, "LSA Information, the value part of 48.018, in hexadecimal digits"),
      octet("service_utran_cco", "Service UTRAN CCO"),
      octet("spid", "Subscriber Profile ID for RAT/Frequency priority"),
    } }
end

-- Which elements a DL-UNITDATA carries, as the field of `gb`.
radio.SWITCHES = { name = "dl_unitdata", type = "record", default = {}, noun = "dl_unitdata",
  doc = "Optional elements of DL-UNITDATA; each is sent if it is on and its value is known.", fields = {
    flag("imsi", true, "IMSI"),
    flag("ra_capability", true, "MS Radio Access Capability"),
    flag("drx", true, "DRX Parameters"),
    flag("priority", true, "Priority"),
    flag("lsa_information", true, "LSA Information"),
    flag("service_utran_cco", true, "Service UTRAN CCO"),
    flag("spid", true, "Subscriber Profile ID for RAT/Frequency priority"),
    flag("tlli_old", true, "TLLI (old), from a change of TLLI until the mobile is heard under the new one; "
      .. "some BSSs misinterpret it"),
    flag("alignment", false, "Alignment octets, so that the LLC-PDU's element starts at a multiple of four octets"),
  } }

-- The values of a record that are sent: a table without those that are switched off; nil: none.
function radio.sent(record, switches)
  local sent = {}
  for name, value in pairs(record or {}) do
    if switches[name] then sent[name] = value end
  end
  return next(sent) ~= nil and sent or nil
end

-- The longest values that a phone may tell, besides those of mobiles without a record.
local function of_phone(record)
  local told = tables.copy(record or {})
  told.ra_capability, told.drx = ("00"):rep(radio.TOLD_OCTETS), "0000"
  return told
end

-- The most octets of elements of any mobile of a checked node.
function radio.most_octets(node)
  local record = node.phones and of_phone(node.mobiles.radio) or node.mobiles.radio
  local most = math.min(radio.octets(radio.sent(record, node.gb.dl_unitdata)), ALL_ELEMENTS_OCTETS)
  for _, mobile in ipairs(node.mobiles.list) do
    most = math.max(most, radio.octets(radio.sent(mobile.radio, node.gb.dl_unitdata)))
  end
  return most
end

-- Fills in `elements`, the values that are sent: of each listed mobile, and of all others.
function radio.fill_in(node)
  local mobiles, switches = node.mobiles, node.gb.dl_unitdata
  mobiles.elements = mobiles.radio and (radio.sent(mobiles.radio, switches) or {})
  for _, mobile in ipairs(mobiles.list) do
    mobile.elements = mobile.radio and (radio.sent(mobile.radio, switches) or {})
  end
end

-- The octets of hexadecimal digits, and back.
function radio.octets_of(digits)
  return (digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

function radio.digits_of(octets)
  return (octets:gsub(".", function(octet_) return ("%02x"):format(octet_:byte()) end))
end

return radio
