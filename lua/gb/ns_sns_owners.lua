-- SPDX-License-Identifier: BSD-3-Clause
-- Which NSE an endpoint of IP-SNS may belong to. An NSE has the addresses that its configuration names: those of
-- `nsvcs`, that of `sns`, and those in `sns.networks`. Beyond these it has what it has announced itself, until it
-- announces something else: also while it restarts. Another NSE may not announce any of these addresses, unless the
-- configuration gives the address to both; then the UDP port decides.
--
--   vc.is_configured   the configuration names the NS-VC's address: vc.peer.address
--   sns.networks       parsed `sns.networks`, nil: none
--   sns.announced      endpoints of its latest complete configuration
--   sns.named          IPv6 addresses that it has announced since the start, and their `count`. The node has 1024
--                      places for IPv6 addresses, for good, of which an NSE gets NAMED_MAX

local ip_network = require "base.ip_network"
local mesh = require "gb.ns_sns_mesh"

local ns_sns_owners = {}

local NAMED_MAX <const> = 128

local function is_in(networks, address)
  for _, network in ipairs(networks or {}) do
    if ip_network.contains(network, address) then return true end
  end
  return false
end

local function is_configured(nse, address)
  for _, vc in ipairs(nse.nsvcs) do
    if vc.is_configured and vc.peer.address == address then return true end
  end
  return nse.sns ~= nil and is_in(nse.sns.networks, address)
end

local function is_announced(nse, address)
  for _, endpoint in ipairs(nse.sns and nse.sns.announced or {}) do
    if endpoint.address == address then return true end
  end
  return false
end

-- Whether an NSE has this endpoint now, or had it until it began to restart.
local function has_endpoint(nse, endpoint)
  for _, vc in ipairs(nse.nsvcs) do
    if vc.peer and mesh.is_same(vc.peer, endpoint) then return true end
  end
  return nse.sns ~= nil and mesh.find(nse.sns.announced, endpoint) ~= nil
end

-- Another NSE that the endpoint belongs to.
local function owner_of(sns, endpoint, is_ours)
  for _, nse in ipairs(sns.nses) do
    local address = endpoint.address
    if nse ~= sns.nse and (has_endpoint(nse, endpoint)
      or not is_ours and (is_configured(nse, address) or is_announced(nse, address))) then
      return nse
    end
  end
end

local function is_host(endpoint)
  local first = tonumber(endpoint.address:match("^(%d+)%."))
  if first and (first == 0 or first == 127 or first >= 224) or endpoint.udp_port == 0 then
    return false
  end
  return not (endpoint.address:find("^::1?$") or endpoint.address:find("^ff..:") or endpoint.address:find("^::ffff:"))
end

-- Whether an IPv6 address has a place among those of its NSE.
local function has_place(sns, address)
  local named = sns.named
  if named[address] or not address:find(":", 1, true) then return true end
  if named.count == NAMED_MAX then return false end
  named[address], named.count = true, named.count + 1
  return true
end

-- Why a BSS may not announce an endpoint, for the log; nil: it may.
function ns_sns_owners.objection(sns, endpoint)
  if not is_host(endpoint) then return "is not a host's" end
  for _, own in ipairs(sns.endpoints) do
    if own.address == endpoint.address then return "is an address of this node" end
  end
  local is_ours = is_configured(sns.nse, endpoint.address)
  local owner = owner_of(sns, endpoint, is_ours)
  if owner then return ("belongs to NSE %d"):format(owner.nsei) end
  if sns.networks and not is_ours then return "is not in sns.networks" end
  if not has_place(sns, endpoint.address) then return ("comes after %d other IPv6 addresses"):format(NAMED_MAX) end
end

return ns_sns_owners
