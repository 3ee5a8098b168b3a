-- SPDX-License-Identifier: BSD-3-Clause
-- RAN Information Relay (29.060 §7.5.14.1): RAN information between BSSs of different SGSNs, and to eNodeBs by an MME.
-- Its container is a PDU of BSSGP; its address is that of the cell or eNodeB that the PDU is for.
--
--   gn_rim.send(node, run, octets, routing)   node: the object of gn.sessions, whose sgsns has the pool; octets: the
--                                             PDU; routing: its Destination Routing Information
--   gn_rim.receive(node, run, way, message)   one that has come
-- Intents: { op = "gb_rim", octets =, returned = }, a PDU for a cell of the node; returned: no SGSN is known for it

local area = require "node.area"

local gn_rim = {}

local GERAN_CELL <const>, ENODEB <const> = 0, 2 -- discriminators (48.018 §11.3.70)
local CELL_OCTETS <const>, TAI_OCTETS <const> = 8, 5
local NO_DIGIT <const> = 15
-- One SGSN's PDUs at once, and how soon there is room for one more: as for an NSE's on Gb.
local BURST <const>, EVERY <const> = 50, 20000000

local function network_of(octets)
  local a, b, c = octets:byte(1, 3)
  local third = b >> 4 == NO_DIGIT and "" or ("%x"):format(b >> 4)
  return ("%x%x%x"):format(a & 15, a >> 4, b & 15), ("%x%x"):format(c & 15, c >> 4) .. third
end

-- The SGSN or MME that serves a destination, an entry of phones.pool.others; nil: none is known.
local function other_of(pool, routing)
  local discriminator, address = routing:byte() & 15, routing:sub(2)
  if discriminator == GERAN_CELL and #address == CELL_OCTETS then
    local mcc, mnc = network_of(address)
    local lac, rac = string.unpack(">I2B", address, 4)
    return pool:find_by_area(area.text({ mcc = mcc, mnc = mnc, lac = lac, rac = rac }))
  elseif discriminator == ENODEB and #address > TAI_OCTETS then
    return pool:find_eutran(network_of(address))
  end
end

function gn_rim.send(node, run, octets, routing)
  local other = other_of(node.sgsns.pool, routing)
  if not other then return run:emit({ op = "gb_rim", octets = octets, returned = true }) end
  node.counts.rim_sent = node.counts.rim_sent + 1
  node.rim_seq = ((node.rim_seq or -1) + 1) & 0xffff
  run:emit(node:send({ ours = node.sgsns.ours, theirs = other.address }, { type = "ran_information_relay", teid = 0,
    seq = node.rim_seq, container = octets, routing_address = routing:sub(2), discriminator = routing:byte() & 15 }))
end

-- SGSNs that DNS may name share one allowance. whole: by address, the instant at which it has all of it.
local function is_too_fast(sgsns, address, now)
  local key = sgsns.pool.addresses[address] and address or "others"
  local behind = math.max(0, (sgsns.rim_whole[key] or now) - now)
  if behind > (BURST - 1) * EVERY then return true end
  sgsns.rim_whole[key] = now + behind + EVERY
  return false
end

-- It has no answer.
function gn_rim.receive(node, run, way, message)
  if message.fault or not node.sgsns.pool:by_address(way.theirs) then
    node.counts.foreign_requests = node.counts.foreign_requests + 1
  elseif is_too_fast(node.sgsns, way.theirs, run.now) then
    node.counts.rate_limited = node.counts.rate_limited + 1
  else
    node.counts.rim_received = node.counts.rim_received + 1
    run:emit({ op = "gb_rim", octets = message.container })
  end
end

return gn_rim
