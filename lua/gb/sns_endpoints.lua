-- SPDX-License-Identifier: BSD-3-Clause
-- The endpoints of an NSE with IP-SNS (48.016 §4.2): the NS-VCs between ours and those of the BSS, which endpoints the
-- BSS may announce, and what is wrong with its PDUs about them.
--
--   sns_endpoints.new_mesh(parts)                 the NS-VCs of an NSE, sns.mesh
--   sns_endpoints.find(list, endpoint)            the endpoint of a list that is the same, and its place
--   sns_endpoints.family_of(address)              where the endpoints of its IP version are in a PDU
--   sns_endpoints.objection(sns, endpoint)        why the BSS may not announce it; nil: it may
--   sns_endpoints.judge_size(sns, pdu), judge_config(sns, is_complete), judge_change(sns, pdu)   the cause of a refusal
--   sns_endpoints.deleted(sns, pdu)               the endpoints that an SNS-DELETE is about
--
-- sns: owner of the machine of gb/sns.lua.

local ip_network = require "base.ip_network"
local ns_vc = require "gb.ns_vc"
local tables = require "base.tables"
local cause = require("gb.cause").ns

local sns_endpoints = {}

-- The NS-VCs of an NSE with IP-SNS: one for each pair of a local endpoint and one of the BSS (48.016 §4.2). Their
-- numbers lie behind that of the way from the BSS's configured endpoint to gb.address. A way is where IP-SNS may
-- begin; it becomes an NS-VC itself when its ends are such a pair, and stays a way when it is not one any more. Our
-- other endpoints have a way each, on numbers that are not needed otherwise: a BSS tries one after the other.
--
-- An endpoint is { address =, udp_port =, signalling_weight =, data_weight = }. A weight of 0 at either end keeps such
-- traffic off an NS-VC; else the BSS's weight counts, which says how much of the downlink it wants there.

local Mesh = {}
Mesh.__index = Mesh

-- parts: { nse =, way = NS-VC, first = number of the first NS-VC behind it, count = how many there can be, nsvcs = the
-- node's NS-VCs by number, new_nsvc = function(nse, number) that makes one }; way.own and way.peer are its ends.
-- `limit` is how many there can be.
function sns_endpoints.new_mesh(parts)
  local mesh = setmetatable({ nse = parts.nse, way = parts.way, nsvcs = parts.nsvcs, new_nsvc = parts.new_nsvc,
    limit = parts.count, free = {}, own = {}, peers = {} }, Mesh)
  parts.way.is_way = true
  for number = parts.first + parts.count - 1, parts.first, -1 do
    mesh.free[#mesh.free + 1] = number
  end
  return mesh
end

local function is_same(a, b)
  return a.address == b.address and a.udp_port == b.udp_port
end

-- The endpoint of a list that is the same, and its place.
function sns_endpoints.find(list, endpoint)
  for i, other in ipairs(list) do
    if is_same(other, endpoint) then return other, i end
  end
end

-- The sums of both weights of a list.
local function weights(list)
  local signalling, data = 0, 0
  for _, endpoint in ipairs(list) do
    signalling, data = signalling + endpoint.signalling_weight, data + endpoint.data_weight
  end
  return signalling, data
end

local function copy_of(endpoint)
  return { address = endpoint.address, udp_port = endpoint.udp_port, signalling_weight = endpoint.signalling_weight,
    data_weight = endpoint.data_weight }
end

local function set_weights(vc)
  vc.signalling_weight = vc.own.signalling_weight > 0 and vc.peer.signalling_weight or 0
  vc.data_weight = vc.own.data_weight > 0 and vc.peer.data_weight or 0
end

local function tell_weight(run, vc, weight)
  run:emit({ op = "nsvc_weight", nsvc = vc.index, weight = weight })
end

-- The NS-VC with these ends, also one that is only a way; nil: none.
function Mesh:between(own, peer)
  for _, vc in ipairs(self.nse.nsvcs) do
    if is_same(vc.own, own) and is_same(vc.peer, peer) then return vc end
  end
end

local function order_new(run, vc)
  run:emit({ op = "nsvc_add", nsvc = vc.index, nsei = vc.nse.nsei, own_address = vc.own.address,
    own_port = vc.own.udp_port, address = vc.peer.address, udp_port = vc.peer.udp_port, weight = vc.data_weight })
end

-- A new NS-VC, whose number is free.
function Mesh:make(own, peer, number)
  local vc = self.new_nsvc(self.nse, number)
  self.nsvcs[number] = vc
  self.nse.nsvcs[#self.nse.nsvcs + 1] = vc
  vc.own, vc.peer = own, peer
  return vc
end

function Mesh:drop(run, vc)
  run:emit({ op = "nsvc_del", nsvc = vc.index })
  self.nsvcs[vc.index] = nil
  tables.remove(self.nse.nsvcs, vc)
  self.free[#self.free + 1] = vc.index
end

-- A further way, to be given up when its number is needed: at last the one that IP-SNS has begun on.
function Mesh:spare_way()
  local found
  for _, vc in ipairs(self.nse.nsvcs) do
    local is_spare = vc.is_way and vc ~= self.way and vc.fsm.state == "absent"
    if is_spare and (not found or found.index == self.via) then found = vc end
  end
  return found
end

local function end_way(mesh, run, vc)
  vc.is_way = nil
  run:touch(vc.fsm)
  if vc.fsm.state == "absent" then mesh:drop(run, vc) end
end

-- The ways from the BSS's configured endpoint to ours, and `via`, the number of the one in use; others end.
function Mesh:offer_ways(run, endpoints, via)
  local peer = self.way.peer
  self.via = via
  for _, endpoint in ipairs(endpoints) do
    local vc = self:between(endpoint, peer)
    if not vc and #self.free > 0 then
      vc = self:make(endpoint, peer, table.remove(self.free))
      order_new(run, vc)
    end
    if vc and not vc.is_way then
      vc.is_way = true
      run:touch(vc.fsm)
    end
  end
  for _, vc in ipairs(table.move(self.nse.nsvcs, 1, #self.nse.nsvcs, 1, {})) do
    local is_offered = is_same(vc.peer, peer) and sns_endpoints.find(endpoints, vc.own)
    if vc.is_way and vc ~= self.way and vc.index ~= via and not is_offered then end_way(self, run, vc) end
  end
end

-- An NS-VC that there is: `via`, else one that carries traffic, or the first way.
function Mesh:living(via)
  if self.nsvcs[via] then return via end
  for _, vc in ipairs(self.nse.nsvcs) do
    if vc.usable then return vc.index end
  end
  return self.way.index
end

function Mesh:create(run, own, peer)
  local vc = self:between(own, peer)
  local is_new = not vc
  if is_new and #self.free == 0 then end_way(self, run, assert(self:spare_way())) end
  vc = vc or self:make(own, peer, table.remove(self.free))
  vc.own, vc.peer = own, peer
  set_weights(vc)
  if is_new then
    order_new(run, vc)
  else
    tell_weight(run, vc, vc.data_weight)
  end
  run:tell(vc.fsm, "created")
end

function Mesh:remove(run, vc)
  run:tell(vc.fsm, "removed")
  vc.signalling_weight, vc.data_weight = 0, 0
  if vc.is_way then
    return tell_weight(run, vc, 0)
  end
  self:drop(run, vc)
end

-- The NS-VCs with this endpoint at one end, as a new list.
function Mesh:with(side, endpoint)
  local list = {}
  for _, vc in ipairs(self.nse.nsvcs) do
    if vc.fsm.state ~= "absent" and vc[side] == endpoint then list[#list + 1] = vc end
  end
  return list
end

local OTHER = { own = "peers", peer = "own" }
local LIST = { own = "own", peer = "peers" }

-- One more endpoint on a side, "own" or "peer".
function Mesh:add(run, side, endpoint)
  local list = self[LIST[side]]
  endpoint = copy_of(endpoint)
  list[#list + 1] = endpoint
  for _, other in ipairs(self[OTHER[side]]) do
    if side == "own" then
      self:create(run, endpoint, other)
    else
      self:create(run, other, endpoint)
    end
  end
end

function Mesh:delete(run, side, endpoint)
  local known = sns_endpoints.find(self[LIST[side]], endpoint)
  for _, vc in ipairs(self:with(side, known)) do
    self:remove(run, vc)
  end
  tables.remove(self[LIST[side]], known)
end

function Mesh:reweigh(run, side, endpoint)
  local known = sns_endpoints.find(self[LIST[side]], endpoint)
  if not known then return end
  known.signalling_weight, known.data_weight = endpoint.signalling_weight, endpoint.data_weight
  for _, vc in ipairs(self:with(side, known)) do
    local before = vc.data_weight
    set_weights(vc)
    if vc.data_weight ~= before then tell_weight(run, vc, vc.data_weight) end
  end
end

-- Replaces the endpoints of a side by those of a list; NS-VCs of endpoints in both stay.
function Mesh:become(run, side, list)
  local now = self[LIST[side]]
  for _, endpoint in ipairs(table.move(now, 1, #now, 1, {})) do
    if not sns_endpoints.find(list, endpoint) then self:delete(run, side, endpoint) end
  end
  for _, endpoint in ipairs(list) do
    if sns_endpoints.find(now, endpoint) then
      self:reweigh(run, side, endpoint)
    else
      self:add(run, side, endpoint)
    end
  end
end

-- No endpoint of either side any more.
function Mesh:clear(run)
  for _, vc in ipairs(table.move(self.nse.nsvcs, 1, #self.nse.nsvcs, 1, {})) do
    if vc.fsm.state ~= "absent" then self:remove(run, vc) end
  end
  self.own, self.peers = {}, {}
end

-- An NS-VC that was there before a restart of control, or a way; nil: the mesh lacks one of its endpoints, or its
-- number is not free.
function Mesh:adopt(kept)
  local own, peer, is_way = kept.own, kept.peer, kept.nsvc == self.way.index
  if kept.state ~= "absent" then
    own, peer = sns_endpoints.find(self.own, own), sns_endpoints.find(self.peers, peer)
  end
  if not own or not peer or not is_way and not tables.remove(self.free, kept.nsvc) then return nil end
  local vc = is_way and self.way or self:make(own, peer, kept.nsvc)
  vc.own, vc.peer = own, peer
  if kept.state ~= "absent" then set_weights(vc) else vc.is_way = true end
  return vc
end

-- NS-VCs that both ends know carry traffic from now on.
function Mesh:confirm(run)
  for _, vc in ipairs(self.nse.nsvcs) do
    if vc.fsm.state == "waiting" then run:tell(vc.fsm, "confirmed") end
  end
end

-- The BSS has restarted: what it knew of its cells is gone.
function Mesh:lose(run)
  self:clear(run)
  ns_vc.tell_bvcs(self.nse, run, "lost")
end

-- Which NSE an endpoint of IP-SNS may belong to. An NSE has the addresses that its configuration names: those of
-- `nsvcs`, that of `sns`, and those in `sns.networks`. Beyond these it has what it has announced itself, until it
-- announces something else: also while it restarts. Another NSE may not announce any of these addresses, unless the
-- configuration gives the address to both; then the UDP port decides.
--
--   vc.is_configured   the configuration names the NS-VC's address: vc.peer.address
--   sns.networks       parsed `sns.networks`, nil: none
--   sns.announced      endpoints of its latest complete configuration
--   sns.named          IPv6 addresses that it has announced since the start (ip_network.has_place)

local function is_configured(nse, address)
  for _, vc in ipairs(nse.nsvcs) do
    if vc.is_configured and vc.peer.address == address then return true end
  end
  return nse.sns ~= nil and ip_network.is_in(nse.sns.networks, address)
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
    if vc.peer and is_same(vc.peer, endpoint) then return true end
  end
  return nse.sns ~= nil and sns_endpoints.find(nse.sns.announced, endpoint) ~= nil
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

-- Why a BSS may not announce an endpoint, for the log; nil: it may.
function sns_endpoints.objection(sns, endpoint)
  if not is_host(endpoint) then return "is not a host's" end
  for _, own in ipairs(sns.endpoints) do
    if own.address == endpoint.address then return "is an address of this node" end
  end
  local is_ours = is_configured(sns.nse, endpoint.address)
  local owner = owner_of(sns, endpoint, is_ours)
  if owner then return ("belongs to NSE %d"):format(owner.nsei) end
  if sns.networks and not is_ours then return "is not in sns.networks" end
  if not ip_network.has_place(sns.named, endpoint.address) then
    return ("comes after %d other IPv6 addresses"):format(ip_network.NAMED_MAX)
  end
end

-- Errors in the BSS's IP-SNS PDUs, as the causes of the answer (48.016 §7.4a, §10.3.2); nil: no error. For an unknown
-- endpoint or address a second value names it, as fields of SNS-ACK; a third value is a text for the log.

-- Where the endpoints of either IP version are, and what is wrong with them.
local FAMILIES = {
  ipv4 = { list = "ip4_list", count = "ip4_endpoints", bad_count = cause.INVALID_IPV4_ENDPOINTS,
    other_list = "ip6_list", other_bad_count = cause.INVALID_IPV6_ENDPOINTS },
  ipv6 = { list = "ip6_list", count = "ip6_endpoints", bad_count = cause.INVALID_IPV6_ENDPOINTS,
    other_list = "ip4_list", other_bad_count = cause.INVALID_IPV4_ENDPOINTS },
}

function sns_endpoints.family_of(address)
  return FAMILIES[address:find(":", 1, true) and "ipv6" or "ipv4"]
end

local function first_impossible(sns, list)
  for _, endpoint in ipairs(list) do
    local why = sns_endpoints.objection(sns, endpoint)
    if why then return endpoint, ("%s:%d %s"):format(endpoint.address, endpoint.udp_port, why) end
  end
end

-- SNS-SIZE: endpoints of a kind that we have too, and NS-VCs for all pairs, at the BSS and here.
function sns_endpoints.judge_size(sns, pdu)
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
  local signalling, data = weights(list)
  return signalling > 0 and data > 0
end

-- The endpoints of all SNS-CONFIGs so far, which may be all there are.
function sns_endpoints.judge_config(sns, is_complete)
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
    if not sns_endpoints.find(sns.mesh.peers, endpoint) then return endpoint end
  end
end

-- The BSS's endpoints without those of `list`.
local function endpoints_but(sns, list)
  local left = {}
  for _, endpoint in ipairs(sns.mesh.peers) do
    if not sns_endpoints.find(list, endpoint) then left[#left + 1] = endpoint end
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
function sns_endpoints.deleted(sns, pdu)
  return pdu.address and endpoints_at(sns, pdu.address) or pdu[sns.family.list] or {}
end

local function unknown(sns, endpoint, why)
  return cause.UNKNOWN_ENDPOINT, { [sns.family.list] = { endpoint } }, why
end

local CHANGES = {}

function CHANGES.sns_add(sns, pdu)
  local list, new = pdu[sns.family.list], 0
  for _, endpoint in ipairs(list) do
    local known = sns_endpoints.find(sns.mesh.peers, endpoint)
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
  local list = sns_endpoints.deleted(sns, pdu)
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
    local _, at = sns_endpoints.find(list, endpoint)
    if at < i then return endpoint end
  end
end

-- SNS-ADD, SNS-CHANGEWEIGHT, SNS-DELETE.
function sns_endpoints.judge_change(sns, pdu)
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

return sns_endpoints
