-- SPDX-License-Identifier: BSD-3-Clause
-- Constraints between the keys of a mobile's contexts.

local below = require("schema.keylines").below

local node_check_contexts = {}

local FIRST_RESERVED_PFI <const>, LAST_RESERVED_PFI <const> = 4, 7 -- 24.008 §10.5.6.11
local MOST_LABEL_OCTETS <const> = 63 -- of an APN, 23.003 §9.1

local function check_pfi(context, keys, fail)
  if context.pfi and context.pfi >= FIRST_RESERVED_PFI and context.pfi <= LAST_RESERVED_PFI then
    fail(below(keys, "pfi"), string.format("%d is reserved: 0 .. 3 or 8 .. 127", context.pfi))
  end
end

-- Whether an address is one of IPv6.
function node_check_contexts.is_ipv6(address)
  return address:find(":", 1, true) ~= nil
end

local function check_tunnel(context, keys, ends, fail)
  if node_check_contexts.is_ipv6(context.sgsn_address) ~= node_check_contexts.is_ipv6(context.ggsn_address) then
    fail(below(keys, "ggsn_address"), string.format("'%s' is of another IP version than sgsn_address",
      context.ggsn_address))
  end
  for _, address in ipairs({ context.sgsn_address, context.ggsn_address }) do
    if node_check_contexts.is_ipv6(address) and not ends[address] then
      ends[address], ends.count = true, (ends.count or 0) + 1
    end
  end
end

-- A context without `apn`: the configuration has all its values.
local function check_given(context, keys, fail)
  if not context.ggsn_teid then
    fail(below(keys, "ggsn_teid"), "missing; a context without `apn` needs it: 1 .. 4294967295")
  end
  if not context.address and not context.ipv6_address and not context.any_payload then
    fail(keys, "needs address, ipv6_address or both")
  end
  if context.pdp_type then
    fail(below(keys, "pdp_type"), "would not be used: it is for contexts with `apn`")
  end
end

-- Why a text of letters, digits, - and . is no APN of the configuration, and the remedy; nil: it is one.
function node_check_contexts.apn_fault(apn)
  for label in (apn .. "."):gmatch("([^.]*)%.") do
    if #label == 0 or #label > MOST_LABEL_OCTETS then
      return string.format("'%s' has a label of %d octets: 1 .. %d", apn, #label, MOST_LABEL_OCTETS)
    end
  end
  local identifier = apn:lower():match("%.mnc%d+%.mcc%d+%.gprs$")
  return identifier and string.format("'%s' has an operator identifier: write '%s'", apn, apn:sub(1, -#identifier - 1))
end

local PDP_TYPES <const> = { ipv4 = { address = true }, ipv6 = { ipv6_address = true },
  ipv4v6 = { address = true, ipv6_address = true }, non_ip = {} }

-- Fills in the PDP type.
local function check_asked(context, keys, fail)
  local fault = node_check_contexts.apn_fault(context.apn)
  if fault then fail(below(keys, "apn"), fault) end
  for _, name in ipairs({ "teid", "ggsn_teid" }) do
    if context[name] then
      fail(below(keys, name), "would not be used: with `apn` it is agreed on by GTP-C")
    end
  end
  context.pdp_type = context.pdp_type or context.address and context.ipv6_address and "ipv4v6"
    or context.ipv6_address and "ipv6" or "ipv4"
  for _, name in ipairs({ "address", "ipv6_address" }) do
    if context[name] and not PDP_TYPES[context.pdp_type][name] then
      fail(below(keys, name), string.format("is not an address of pdp_type \"%s\"", context.pdp_type))
    end
  end
end

-- Checks all contexts of the mobile at `keys`; returns how many. seen: { unique = maker of sets that report duplicates,
-- teid = such a set, ends = IPv6 addresses of tunnels }
function node_check_contexts.check(mobile, keys, seen, fail)
  local nsapi = seen.unique(fail, "NSAPI")
  for j, context in ipairs(mobile.contexts) do
    local place = { keys[1], keys[2], keys[3], "contexts", j }
    nsapi(context.nsapi, below(place, "nsapi"))
    if context.teid then
      seen.teid(context.teid, below(place, "teid"))
    end
    check_tunnel(context, place, seen.ends, fail)
    if context.apn then
      check_asked(context, place, fail)
    else
      check_given(context, place, fail)
    end
    check_pfi(context, place, fail)
  end
  return #mobile.contexts
end

return node_check_contexts
