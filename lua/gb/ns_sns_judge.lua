-- SPDX-License-Identifier: BSD-3-Clause
-- Errors in the BSS's IP-SNS PDUs, as the causes of the answer (48.016 §7.4a, §10.3.2); nil: no error. For an unknown
-- endpoint or address a second value names it, as fields of SNS-ACK; a third value is a text for the log.

local mesh = require "gb.ns_sns_mesh"
local owners = require "gb.ns_sns_owners"
local cause = require("gb.cause").ns

local ns_sns_judge = {}

-- Where the endpoints of either IP version are, and what is wrong with them.
ns_sns_judge.FAMILIES = {
  ipv4 = { list = "ip4_list", count = "ip4_endpoints", bad_count = cause.INVALID_IPV4_ENDPOINTS,
    other_list = "ip6_list", other_bad_count = cause.INVALID_IPV6_ENDPOINTS },
  ipv6 = { list = "ip6_list", count = "ip6_endpoints", bad_count = cause.INVALID_IPV6_ENDPOINTS,
    other_list = "ip4_list", other_bad_count = cause.INVALID_IPV4_ENDPOINTS },
}

function ns_sns_judge.family_of(address)
  return ns_sns_judge.FAMILIES[address:find(":", 1, true) and "ipv6" or "ipv4"]
end

local function first_impossible(sns, list)
  for _, endpoint in ipairs(list) do
    local why = owners.objection(sns, endpoint)
    if why then return endpoint, ("%s:%d %s"):format(endpoint.address, endpoint.udp_port, why) end
  end
end

-- SNS-SIZE: endpoints of a kind that we have too, and NS-VCs for all pairs, at the BSS and here.
function ns_sns_judge.size(sns, pdu)
  if not pdu.ip4_endpoints and not pdu.ip6_endpoints then
    return cause.MISSING_ESSENTIAL_IE
  end
  local count = pdu[sns.family.count] or 0
  if count == 0 then
    return sns.family.bad_count
  end
  local wanted = count * #sns.endpoints
  if wanted > pdu.max_nsvcs then
    return cause.INVALID_NS_VCS
  end
  return wanted > sns.mesh.limit and sns.family.bad_count or nil
end

local function has_weights(list)
  local signalling, data = mesh.weights(list)
  return signalling > 0 and data > 0
end

-- The endpoints of all SNS-CONFIGs so far, which may be all there are.
function ns_sns_judge.config(sns, is_complete)
  local count = #sns.offered
  if count > sns.size.endpoints or is_complete and count < sns.size.endpoints then
    return sns.family.bad_count
  end
  local impossible, why = first_impossible(sns, sns.offered)
  if impossible then
    return cause.UNKNOWN_ENDPOINT, nil, why
  end
  if is_complete and not has_weights(sns.offered) then
    return cause.INVALID_WEIGHTS
  end
end

local function first_unknown(sns, list)
  for _, endpoint in ipairs(list) do
    if not mesh.find(sns.mesh.peers, endpoint) then return endpoint end
  end
end

-- The BSS's endpoints without those of `list`.
local function endpoints_but(sns, list)
  local left = {}
  for _, endpoint in ipairs(sns.mesh.peers) do
    if not mesh.find(list, endpoint) then left[#left + 1] = endpoint end
  end
  return left
end

local function endpoints_at(sns, address)
  local list = {}
  for _, endpoint in ipairs(sns.mesh.peers) do
    if endpoint.address == address then list[#list + 1] = endpoint end
  end
  return list
end

-- The endpoints that an SNS-DELETE is about.
function ns_sns_judge.deleted(sns, pdu)
  return pdu.address and endpoints_at(sns, pdu.address) or pdu[sns.family.list] or {}
end

local function unknown(sns, endpoint, why)
  return cause.UNKNOWN_ENDPOINT, { [sns.family.list] = { endpoint } }, why
end

local CHANGES = {}

function CHANGES.sns_add(sns, pdu)
  local list, new = pdu[sns.family.list], 0
  for _, endpoint in ipairs(list) do
    local known = mesh.find(sns.mesh.peers, endpoint)
    if known then return cause.PROTOCOL_ERROR, { [sns.family.list] = { endpoint } } end
    new = new + 1
  end
  local impossible, why = first_impossible(sns, list)
  if impossible then
    return unknown(sns, impossible, why)
  end
  local wanted = (#sns.mesh.peers + new) * #sns.mesh.own
  if wanted > sns.size.max_nsvcs then
    return cause.INVALID_NS_VCS
  end
  return wanted > sns.mesh.limit and sns.family.bad_count or nil
end

function CHANGES.sns_changeweight(sns, pdu)
  local list = pdu[sns.family.list]
  local stranger = first_unknown(sns, list)
  if stranger then
    return unknown(sns, stranger)
  end
  local after = endpoints_but(sns, list)
  table.move(list, 1, #list, #after + 1, after)
  return not has_weights(after) and cause.INVALID_WEIGHTS or nil
end

function CHANGES.sns_delete(sns, pdu)
  local list = ns_sns_judge.deleted(sns, pdu)
  if pdu.address and #list == 0 then
    return cause.UNKNOWN_ADDRESS, { address = pdu.address }
  end
  local stranger = first_unknown(sns, list)
  if stranger then
    return unknown(sns, stranger)
  end
  return not has_weights(endpoints_but(sns, list)) and cause.INVALID_WEIGHTS or nil
end

local function has_twice(list)
  for i, endpoint in ipairs(list or {}) do
    local _, at = mesh.find(list, endpoint)
    if at < i then return endpoint end
  end
end

-- SNS-ADD, SNS-CHANGEWEIGHT, SNS-DELETE.
function ns_sns_judge.change(sns, pdu)
  if not pdu.ip4_list and not pdu.ip6_list and not pdu.address then
    return cause.MISSING_ESSENTIAL_IE
  end
  local other = pdu[sns.family.other_list]
  if other then
    return sns.family.other_bad_count, { [sns.family.other_list] = other }
  end
  local twice = has_twice(pdu[sns.family.list])
  if twice then
    return cause.PROTOCOL_ERROR, { [sns.family.list] = { twice } }
  end
  return CHANGES[pdu.pdu](sns, pdu)
end

return ns_sns_judge
