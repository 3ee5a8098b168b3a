-- SPDX-License-Identifier: BSD-3-Clause
-- PDP context subscription records of HLRs, and what phones get by them (23.060 §9.2.2.1, annex A). A PDP Info of GSUP
-- is a record. A phone keeps its records as octets, phone.subscribed, so that phones with the same ones have one text;
-- nil: the HLR gave no list, or there is no HLR, and nothing is restricted.
--
--   sm_subscription.pack(infos, charging)     phone.subscribed; charging: octets, of records without their own, or nil;
--                         and a list of APNs that are no names, whose records are left out
--   sm_subscription.choose(contexts, phone, octets, wanted)   what a request gets: { apn = (of the configuration),
--                         apn_name =, pdp_type =, ipv4 =, ipv6 =, selection = (29.060 §7.7.12) }, or nil and the cause
--                         of SM; octets: of its APN, or nil; wanted: { pdp_type =, ipv4 =, ipv6 = }, what it asks for
--   sm_subscription.of_context(context)       the record of a context, { charging =, qos = (octets of 24.008), arp =,
--                         ... }, which is empty if nothing is restricted; nil: it is not subscribed, or no longer
--   sm_subscription.values_of(context)        the same, empty for nil
--   sm_subscription.lesser(record, class)     a traffic class, at most the subscribed one
--   sm_subscription.restricted(context, qos)  a quality of service of gb.abqp, within the subscribed one
--   sm_subscription.judge(context, run, is_active)   the HLR has sent other records (23.060 §6.11.1.1)
--
-- Annex A does not say what a record without PDP type allows. OsmoHLR 1.5 has no types and sends none, so it allows
-- each. Nor does it say which of two fitting records counts: one for the whole of IPv4v6 before one for a version, one
-- of the APN's name before the wildcard, and, of a phone that asks for no address, one with a dynamic address before
-- one with a static address.

local gb_abqp = require "gb.abqp"
local ip_network = require "base.ip_network"
local sm_request = require "sm.request"

local sm_subscription = {}

local UNKNOWN_APN <const>, NOT_SUBSCRIBED <const> = 27, 33
local FAILURE <const> = 204 -- of GTP-C
local ANY <const> = "*" -- APN of the configuration, or of a record, that stands for all others
-- Selection modes (29.060 §7.7.12).
local VERIFIED <const>, OF_PHONE <const>, OF_NETWORK <const> = 0, 1, 2
-- Name, PDP type and address, quality of service, charging characteristics; those that a record lacks are empty, or 0.
local FORM <const>, ADDRESS_AT <const> = "s1s1s1>I2", 3
-- A quality of service in 3 octets is of R97; a longer one has the allocation/retention priority before it.
local R97 <const>, R99 <const>, MOST_ARP <const> = 3, 11, 3
local IP <const> = { ipv4 = true, ipv6 = true }
local LINK_LOCAL <const> = "\xfe\x80\0\0\0\0\0\0" -- what a GGSN may give before the interface (23.060 §9.2.1.1)
local PREFIX <const> = 8 -- octets of a static IPv6 address that are the network's (23.060 §9.2.1.1)
local FREE <const> = {}

-- --- records

-- An APN is coded as labels; some HLRs send its text as it is. nil: it is no name either way (23.003 §9.1).
local function apn_name_of(apn)
  local labels = (apn .. "."):gsub("([^.]*)%.", function(label) return string.pack("s1", label) end)
  return sm_request.apn_name(apn) or sm_request.apn_name(labels)
end

function sm_subscription.pack(infos, charging)
  local records, strange = {}, {}
  for _, info in ipairs(infos) do
    local characteristics, name = info.charging or charging, info.apn and apn_name_of(info.apn)
    if name then
      records[#records + 1] = FORM:pack(name, info.type or "", info.qos or "",
        characteristics and string.unpack(">I2", characteristics) or 0)
    elseif info.apn then
      strange[#strange + 1] = info.apn
    end
  end
  return #infos > 0 and table.concat(records) or nil, strange
end

-- pdp_type: nil: any, false: one that the node does not have.
local function read_record(octets, at)
  local name, pdp, qos, charging, after = FORM:unpack(octets, at)
  local record = { name = name, charging = charging ~= 0 and charging or nil }
  if #pdp >= ADDRESS_AT - 1 then
    local kind, ipv4, ipv6 = sm_request.address(pdp)
    record.pdp_type, record.ipv4, record.ipv6 = kind or false, ipv4, ipv6
  end
  if #qos > R97 then
    record.arp, qos = qos:byte() <= MOST_ARP and qos:byte() > 0 and qos:byte() or nil, qos:sub(2)
  end
  record.qos = #qos >= R97 and qos or nil
  return record, after
end

-- The lists are read once for all phones with the same records, and stay as they are.
local lists = setmetatable({}, { __mode = "v" })

local function records_of(phone)
  local octets, at = phone.subscribed or "", 1
  local list = lists[octets]
  if list then return list end
  list = {}
  while at <= #octets do list[#list + 1], at = read_record(octets, at) end
  lists[octets] = list
  return list
end

-- --- which record fits

-- The PDP type that a record lets a phone have; nil: none. One that asks for both versions may get one (§9.2.2.1).
local function type_of(record, asked)
  local kind = record.pdp_type
  if kind == nil or kind == asked or kind == "ipv4v6" and IP[asked] then return asked end
  return asked == "ipv4v6" and IP[kind] and kind or nil
end

local function is_same(ipv6, other)
  return ip_network.octets(ipv6):sub(1, PREFIX) == ip_network.octets(other):sub(1, PREFIX)
end

local function is_link_local(ipv6)
  return ip_network.octets(ipv6):sub(1, PREFIX) == LINK_LOCAL
end

local function has_static(record)
  return record.ipv4 ~= nil or record.ipv6 ~= nil
end

-- Static addresses are those of records alone.
local function fits_request(record, wanted)
  return (not wanted.ipv4 or wanted.ipv4 == record.ipv4)
    and (not wanted.ipv6 or record.ipv6 ~= nil and is_same(wanted.ipv6, record.ipv6))
end

-- The addresses of a context may be dynamic.
local function fits_context(record, context)
  return type_of(record, context.pdp_type) == context.pdp_type
    and not (record.ipv4 and context.ipv4 and record.ipv4 ~= context.ipv4)
    and not (record.ipv6 and context.ipv6 and not is_link_local(context.ipv6)
      and not is_same(record.ipv6, context.ipv6))
end

-- The lowest is the best; nil: it does not fit.
local function rank_of(record, wanted)
  local kind = type_of(record, wanted.pdp_type)
  if not kind or not fits_request(record, wanted) then return nil end
  return (kind == wanted.pdp_type and 0 or 2) + (has_static(record) and 1 or 0)
end

-- The best of the records of a name.
local function best_of(records, name, wanted)
  local best, best_rank
  for _, record in ipairs(records) do
    local rank = record.name == name and rank_of(record, wanted)
    if rank and (not best or rank < best_rank) then best, best_rank = record, rank end
  end
  return best
end

function sm_subscription.of_context(context)
  local phone = context.phone
  if not phone.subscribed then return FREE end
  local records = records_of(phone)
  for _, name in ipairs({ context.apn_name, ANY }) do
    for _, record in ipairs(records) do
      if record.name == name and fits_context(record, context) then return record end
    end
  end
  return nil
end

function sm_subscription.values_of(context)
  return sm_subscription.of_context(context) or FREE
end

-- A value between that of R97 and that of R99 has the class of its delay class.
function sm_subscription.lesser(record, class)
  local qos = record.qos
  return qos and gb_abqp.lesser(class, gb_abqp.class_told(#qos < R99 and qos:sub(1, R97) or qos)) or class
end

function sm_subscription.restricted(context, qos)
  local record = sm_subscription.of_context(context)
  return record and record.qos and gb_abqp.restricted(qos, record.qos) or qos
end

-- --- other data of the HLR

-- The GGSN is asked for the subscribed class. Its answer tells the phone, as does the end of the phone's update.
local function lower(context, run, class)
  run:count("class_not_subscribed")
  if context.fsm.state == "arriving" then
    context.class, context.is_class_lowered = class, true
    run:touch(context.fsm)
  end
  run:emit({ op = "phone_pdp_class", mobile = context.phone.mobile, nsapi = context.nsapi, class = class })
end

-- In the midst of an update ACCEPT says which contexts are left.
function sm_subscription.judge(context, run, is_active)
  local record = sm_subscription.of_context(context)
  local class = record and sm_subscription.lesser(record, context.class)
  if not record then
    run:count("context_not_subscribed")
    local is_told = is_active and not context.phone.pending
    run:tell(context.fsm, is_told and "deactivate" or "drop", is_told and "HLR" or FAILURE)
  elseif class ~= context.class and context.fsm.state ~= "deactivating" then
    lower(context, run, class)
  end
end

-- --- choice

-- The choice for an APN; chooser: the selection mode if the HLR has not verified that name.
local function choose_of(phone, apn, name, wanted, chooser)
  local choice = { apn = apn, apn_name = name, pdp_type = wanted.pdp_type, ipv4 = wanted.ipv4, ipv6 = wanted.ipv6,
    selection = chooser }
  if not phone.subscribed then return choice end
  local records = records_of(phone)
  local record = best_of(records, name, wanted) or best_of(records, ANY, wanted)
  if not record then return nil, NOT_SUBSCRIBED end
  choice.pdp_type = type_of(record, wanted.pdp_type)
  choice.ipv4, choice.ipv6 = choice.pdp_type ~= "ipv6" and record.ipv4 or nil,
    choice.pdp_type ~= "ipv4" and record.ipv6 or nil
  if record.name ~= ANY then choice.selection = VERIFIED end
  return choice
end

-- Names for a phone that names none: those of its HLR, in that order, then the node's.
local function default_names(contexts, phone)
  local names = {}
  for _, record in ipairs(records_of(phone)) do names[#names + 1] = record.name end
  for _, apn in ipairs(contexts.settings.apns) do names[#names + 1] = apn.name:lower() end
  return names
end

local function choose_default(contexts, phone, wanted)
  for _, name in ipairs(default_names(contexts, phone)) do
    local apn = name ~= ANY and (contexts.apns[name] or contexts.apns[ANY])
    local choice = apn and choose_of(phone, apn, name, wanted, OF_NETWORK)
    if choice then return choice end
  end
  return nil, phone.subscribed and NOT_SUBSCRIBED or UNKNOWN_APN
end

function sm_subscription.choose(contexts, phone, octets, wanted)
  local name = octets and sm_request.apn_name(octets)
  if not octets or name == ANY then return choose_default(contexts, phone, wanted) end
  local apn = name and (contexts.apns[name] or contexts.apns[ANY])
  if not apn then return nil, UNKNOWN_APN end
  return choose_of(phone, apn, name, wanted, OF_PHONE)
end

return sm_subscription
