-- SPDX-License-Identifier: BSD-3-Clause
-- The addresses that a GGSN may name in its answers, for signalling and for user packets: its own, and those in the
-- networks that the configuration gives it. A GGSN, or a forged answer, could else send users' packets to any host.
--
--   local a = gn_addresses.new(config)   the checked configuration
--   a:add_own(address)                   an address of this node, which no GGSN may name
--   a:allows(ggsn, address)              ggsn: its configured address

local ip_network = require "base.ip_network"

local gn_addresses = {}

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
  return setmetatable({ networks = networks, own = own }, Addresses)
end

function Addresses:add_own(address)
  self.own[address] = true
end

function Addresses:allows(ggsn, address)
  if self.own[address] then return false end
  if address == ggsn then return true end
  if not ip_network.is_host(address) then return false end
  for _, network in ipairs(self.networks[ggsn] or {}) do
    if ip_network.contains(network, address) then return true end
  end
  return false
end

return gn_addresses
