-- SPDX-License-Identifier: BSD-3-Clause
-- The addresses that a GGSN may name in its answers, for signalling and for user packets: its own, and those in the
-- networks that the configuration gives it. A GGSN, or a forged answer, could else send users' packets to any host.
--
--   local a = gn_addresses.new(config)   the checked configuration
--   a:add_own(address)                   an address of this node, which no GGSN may name
--   a:objection(ggsn, address)           why it may not name it, for the log; nil: it may. ggsn: its configured address
--
-- A node keeps 1024 IPv6 addresses, for good. A GGSN that names another one each time would take the places of others,
-- so it may name NAMED_MAX of them.

local ip_network = require "base.ip_network"

local gn_addresses = {}

local NAMED_MAX <const> = 128
local FOREIGN <const> = "which is not in its user_networks (gn.ggsns)"

local Addresses = {}
Addresses.__index = Addresses

function gn_addresses.new(config)
  local networks, own = {}, {}
  for _, ggsn in ipairs(config.gn.ggsns or {}) do
    local list = networks[ggsn.address] or {}
    for _, text in ipairs(ggsn.user_networks) do list[#list + 1] = assert(ip_network.parse(text)) end
    networks[ggsn.address] = list
  end
  for _, address in ipairs(config.gn.addresses or {}) do own[address] = true end
  if config.gb then own[config.gb.address] = true end
  return setmetatable({ networks = networks, own = own, named = {} }, Addresses)
end

function Addresses:add_own(address)
  self.own[address] = true
end

local function is_in(networks, address)
  for _, network in ipairs(networks or {}) do
    if ip_network.contains(network, address) then return true end
  end
  return false
end

-- Whether an IPv6 address has a place among those that its GGSN has named.
local function has_place(self, ggsn, address)
  local named = self.named[ggsn] or { count = 0, is_there = {} }
  self.named[ggsn] = named
  if named.is_there[address] or not address:find(":", 1, true) then return true end
  if named.count == NAMED_MAX then return false end
  named.count, named.is_there[address] = named.count + 1, true
  return true
end

function Addresses:objection(ggsn, address)
  if self.own[address] then return FOREIGN end
  if address == ggsn then return nil end
  if not ip_network.is_host(address) or not is_in(self.networks[ggsn], address) then return FOREIGN end
  return not has_place(self, ggsn, address) and ("after %d other IPv6 addresses"):format(NAMED_MAX) or nil
end

return gn_addresses
