-- SPDX-License-Identifier: BSD-3-Clause
-- The NS-VCs of an NSE with IP-SNS: one for each pair of a local endpoint and one of the BSS (48.016 §4.2). Their
-- numbers lie behind that of the way on which IP-SNS begins; that one becomes an NS-VC itself when its ends are such a
-- pair.
--
-- An endpoint is { address =, udp_port =, signalling_weight =, data_weight = }. A weight of 0 at either end keeps such
-- traffic off an NS-VC; else the BSS's weight counts, which says how much of the downlink it wants there.

local tables = require "base.tables"
local ns_service = require "gb.ns_service"

local ns_sns_mesh = {}

local Mesh = {}
Mesh.__index = Mesh

-- parts: { nse =, way = NS-VC, first = number of the first NS-VC behind it, count = how many there can be, nsvcs = the
-- node's NS-VCs by number, new_nsvc = function(nse, number) that makes one }; way.own and way.peer are its ends.
-- `limit` is how many there can be.
function ns_sns_mesh.new(parts)
  local mesh = setmetatable({ nse = parts.nse, way = parts.way, nsvcs = parts.nsvcs, new_nsvc = parts.new_nsvc,
    limit = parts.count, free = {}, own = {}, peers = {} }, Mesh)
  for number = parts.first + parts.count - 1, parts.first, -1 do
    mesh.free[#mesh.free + 1] = number
  end
  return mesh
end

function ns_sns_mesh.is_same(a, b)
  return a.address == b.address and a.udp_port == b.udp_port
end

-- The endpoint of a list that is the same, and its place.
function ns_sns_mesh.find(list, endpoint)
  for i, other in ipairs(list) do
    if ns_sns_mesh.is_same(other, endpoint) then return other, i end
  end
end

-- The sums of both weights of a list.
function ns_sns_mesh.weights(list)
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

function Mesh:is_way(own, peer)
  return ns_sns_mesh.is_same(self.way.own, own) and ns_sns_mesh.is_same(self.way.peer, peer)
end

local function order_new(run, vc)
  run:emit({ op = "nsvc_add", nsvc = vc.index, nsei = vc.nse.nsei, own_address = vc.own.address,
    own_port = vc.own.udp_port, address = vc.peer.address, udp_port = vc.peer.udp_port, weight = vc.data_weight })
end

function Mesh:create(run, own, peer)
  local vc = self.way
  local is_way = self:is_way(own, peer)
  if not is_way then
    vc = self.new_nsvc(self.nse, table.remove(self.free))
    self.nsvcs[vc.index] = vc
    self.nse.nsvcs[#self.nse.nsvcs + 1] = vc
  end
  vc.own, vc.peer = own, peer
  set_weights(vc)
  if is_way then
    tell_weight(run, vc, vc.data_weight)
  else
    order_new(run, vc)
  end
  run:tell(vc.fsm, "created")
end

function Mesh:remove(run, vc)
  run:tell(vc.fsm, "removed")
  vc.signalling_weight, vc.data_weight = 0, 0
  if vc == self.way then
    return tell_weight(run, vc, 0)
  end
  run:emit({ op = "nsvc_del", nsvc = vc.index })
  self.nsvcs[vc.index] = nil
  tables.remove(self.nse.nsvcs, vc)
  self.free[#self.free + 1] = vc.index
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
  local known = ns_sns_mesh.find(self[LIST[side]], endpoint)
  for _, vc in ipairs(self:with(side, known)) do
    self:remove(run, vc)
  end
  tables.remove(self[LIST[side]], known)
end

function Mesh:reweigh(run, side, endpoint)
  local known = ns_sns_mesh.find(self[LIST[side]], endpoint)
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
    if not ns_sns_mesh.find(list, endpoint) then self:delete(run, side, endpoint) end
  end
  for _, endpoint in ipairs(list) do
    if ns_sns_mesh.find(now, endpoint) then
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

-- An NS-VC that was there before a restart of control; nil: the mesh lacks one of its endpoints, or its number is not
-- free.
function Mesh:adopt(kept)
  local own, peer = ns_sns_mesh.find(self.own, kept.own), ns_sns_mesh.find(self.peers, kept.peer)
  local is_way = kept.nsvc == self.way.index
  if not own or not peer or not is_way and not tables.remove(self.free, kept.nsvc) then return nil end
  local vc = is_way and self.way or self.new_nsvc(self.nse, kept.nsvc)
  if not is_way then
    self.nsvcs[vc.index] = vc
    self.nse.nsvcs[#self.nse.nsvcs + 1] = vc
  end
  vc.own, vc.peer = own, peer
  set_weights(vc)
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
  ns_service.tell_bvcs(self.nse, run, "lost")
end

return ns_sns_mesh
