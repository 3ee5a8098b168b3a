-- SPDX-License-Identifier: BSD-3-Clause
-- GGSNs' addresses for signalling (gn.peer) that no context uses. A late answer to a former context must not be taken
-- for that to a new one, so the sequence numbers of an address rest meanwhile. Beyond IDLE_MAX those of the address
-- that was left first are forgotten.
--
--   local idle = gn_idle_peers.new()
--   idle:keep(peer)       its restart counter is forgotten
--   idle:take(address)    the peer, which is not idle any more, or nil

local gn_idle_peers = {}

local IdlePeers = {}
IdlePeers.__index = IdlePeers

local IDLE_MAX <const> = 64

function gn_idle_peers.new()
  return setmetatable({ list = {} }, IdlePeers)
end

function IdlePeers:keep(peer)
  peer.recovery = nil
  self.list[#self.list + 1] = peer
  if #self.list > IDLE_MAX then table.remove(self.list, 1) end
end

function IdlePeers:take(address)
  for i, peer in ipairs(self.list) do
    if peer.address == address then return table.remove(self.list, i) end
  end
end

return gn_idle_peers
