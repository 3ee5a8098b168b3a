-- SPDX-License-Identifier: BSD-3-Clause
-- Network Resource Identifiers (NRIs, TS 23.236 §4.1), and which SGSN has a phone. An NRI of n bits is in bits 23 to
-- 24 - n of a P-TMSI and of the TLLIs that are made of it.
--
--   local p = node_pool.new(settings, random)   settings: config.phones.pool, nil: no other SGSN; random: of
--                                         gmm.phones, nil: nothing is drawn
--   p:configure(settings)                 other settings
--   p:draw()                              bits 29 to 0 of a P-TMSI with an NRI of this node
--   p:draw_other(nri)                     the same with another SGSN's, nil: the NULL-NRI; no other SGSN draws these
--   p:is_own(p_tmsi)                      whether this node may have given it: its NRI is one of the node's, or no NRIs
--                                         are in use
--   p:is_null(p_tmsi)                     whether it has the NULL-NRI
--   p:is_from_elsewhere(tlli)             whether another SGSN has given the P-TMSI that it is made of, in offload
--   p:find(p_tmsi, area, is_own_area)     the SGSN that gave a P-TMSI in a routeing area ("262-42-4660-5"), an entry of
--                                         pool.others; nil: this node, or none that is known
--   p:by_address(address)                 the entry with that address for GTP-C, or one for an address that DNS may
--                                         name; nil: it is no SGSN's
--   p:name_of(area)                       the name by which DNS has the SGSN of an area (23.003 annex C.1); nil: no DNS
--   p:find_by_area(area)                  the entry that serves an area
--   p:find_eutran(mcc, mnc)               the MME of a network
--   p.has_eutran                          whether an entry is an MME
--   p.offload_area                        the node's own, as a text; nil: none

local area = require "node.area"
local ip_network = require "base.ip_network"

local node_pool = {}

local NRI_END <const>, P_TMSIS <const>, GIVEN_AWAY <const> = 24, 0x3ffffffe, 1 << 29

local Pool = {}
Pool.__index = Pool

local function matches(pattern, mcc, mnc, lac, rac)
  return (not pattern.mcc or pattern.mcc == mcc) and (not pattern.mnc or pattern.mnc == mnc)
    and (not pattern.lac or pattern.lac == lac) and (not pattern.rac or pattern.rac == rac)
end

function Pool:configure(settings)
  settings = settings or { nri_bits = 0, nris = {}, others = {} }
  local bits = settings.nri_bits
  self.bits, self.settings, self.shift, self.mask = bits, settings, NRI_END - bits, (1 << bits) - 1
  self.has_nris, self.nris, self.null = bits > 0, settings.nris, settings.null_nri
  self.networks, self.has_eutran = {}, false
  for i, network in ipairs(settings.dns and settings.dns.networks or {}) do
    self.networks[i] = assert(ip_network.parse(network))
  end
  self.own, self.owners, self.leaving, self.addresses = {}, {}, {}, {}
  self.offload_area = settings.offload_area and area.text(settings.offload_area)
  for _, nri in ipairs(settings.nris) do self.own[nri] = true end
  for _, other in ipairs(settings.others) do
    self.addresses[other.address] = other
    self.has_eutran = self.has_eutran or other.eutran or false
    if other.offload_area then self.leaving[area.text(other.offload_area)] = other end
    for _, nri in ipairs(other.nris) do self.owners[nri] = other end
  end
end

function node_pool.new(settings, random)
  local pool = setmetatable({ random = random }, Pool)
  pool:configure(settings)
  return pool
end

local function nri_of(pool, p_tmsi)
  return p_tmsi >> pool.shift & pool.mask
end

local function with_nri(pool, nri)
  return pool.random(P_TMSIS) & ~(pool.mask << pool.shift) | nri << pool.shift
end

-- Bit 29 tells P-TMSIs that are given in another SGSN's place, or in no one's, from those that it gives itself.
function Pool:draw()
  if not self.has_nris then return self.random(P_TMSIS) end
  return with_nri(self, self.nris[self.random(#self.nris)]) & ~GIVEN_AWAY
end

-- The bits behind the NRI have one of the node: no two nodes draw the same.
function Pool:draw_other(nri)
  local drawn, shift = with_nri(self, nri or self.null), self.shift - self.bits
  return drawn & ~(self.mask << shift) | self.nris[self.random(#self.nris)] << shift | GIVEN_AWAY
end

function Pool:is_own(p_tmsi)
  return not self.has_nris or self.own[nri_of(self, p_tmsi)] == true
end

function Pool:is_from_elsewhere(tlli)
  return self.has_nris and tlli & GIVEN_AWAY ~= 0 and (self:is_null(tlli) or self.own[nri_of(self, tlli)] == true)
end

function Pool:is_null(p_tmsi)
  return self.has_nris and nri_of(self, p_tmsi) == self.null
end

function Pool:find_by_area(text)
  local mcc, mnc, lac, rac = text:match("^(%d+)-(%d+)-(%d+)-(%d+)$")
  if not mcc then return nil end
  lac, rac = math.tointeger(lac), math.tointeger(rac)
  for _, other in ipairs(self.settings.others) do
    for _, pattern in ipairs(other.areas) do
      if matches(pattern, mcc, mnc, lac, rac) then return other end
    end
  end
end

-- The NRI of a P-TMSI says nothing unless it was given in the pool.
function Pool:find(p_tmsi, text, is_own_area)
  if self.leaving[text] then return self.leaving[text] end
  if not is_own_area then return self:find_by_area(text) end
  return self.has_nris and self.owners[nri_of(self, p_tmsi)] or nil
end

function Pool:find_eutran(mcc, mnc)
  for _, other in ipairs(self.settings.others) do
    for _, pattern in ipairs(other.eutran and (other.areas[1] and other.areas or { {} }) or {}) do
      if matches(pattern, mcc, mnc, pattern.lac, pattern.rac) then return other end
    end
  end
end

function Pool:by_address(address)
  local dns = self.settings.dns
  return self.addresses[address] or dns and ip_network.is_in(self.networks, address) and { address = address } or nil
end

function Pool:name_of(text)
  local mcc, mnc, lac, rac = text:match("^(%d+)-(%d+)-(%d+)-(%d+)$")
  if not self.settings.dns or not mcc then return nil end
  return ("rac%04x.lac%04x.mnc%03d.mcc%s.gprs"):format(math.tointeger(rac), math.tointeger(lac), math.tointeger(mnc),
    mcc)
end

return node_pool
